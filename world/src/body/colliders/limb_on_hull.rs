//! Contacts of limbs with the convex hulls of bodies.

use taut_core::Particles;

use super::hull::PlacedHull;
use super::limb::PlacedLimb;
use super::{ContactPoint, NOW};
use crate::body::limbs::samples;
use crate::body::weighted_point::WeightedPoint;
use crate::vector::{difference, dot, length};

/// A contact of a limb with a hull: a point of the limb's axis, and the contact of a ball around it.
type LimbContact<const D: usize> = (WeightedPoint, ContactPoint<D>);

impl<const D: usize> PlacedLimb<D> {
    /// For each half of the axis the [sample point](samples) that is deepest in a hull, of those whose
    /// ball (around the point, with the radius of the limb) has a contact with the hull in this
    /// substep. Limb and hull keep `gap`, m, between their surfaces.
    pub(crate) fn deepest_in(
        &self,
        hull: &PlacedHull<'_, D>,
        gap: f32,
        particles: &Particles<D>,
    ) -> [Option<LimbContact<D>>; 2] {
        let contact_distance = self.radius() + gap;
        let [a, b] = self.axis(NOW);
        let mut deepest: [Option<(f32, LimbContact<D>)>; 2] = [None, None];
        for fractions in samples(0.5 * length(difference(b, a)), contact_distance) {
            for (deepest, fraction) in deepest.iter_mut().zip(fractions) {
                let path = self.path(fraction);
                let Some(contact) = hull.contact_point(path, contact_distance) else { continue };
                let offset = difference(path[NOW], contact.point.position(particles));
                let depth = contact.distance - dot(offset, contact.normal);
                if deepest.as_ref().is_none_or(|(deepest, _)| depth > *deepest) {
                    *deepest = Some((depth, (self.point(fraction), contact)));
                }
            }
        }
        deepest.map(|candidate| candidate.map(|(_, contact)| contact))
    }
}

#[cfg(all(test, feature = "parry"))]
mod tests {
    use proptest::prelude::*;

    use super::super::hull::HullCollider;
    use super::{PlacedLimb, length};
    use crate::body::limbs::Limb;
    use crate::model::Model;
    use crate::vector::{add_scaled, difference};

    const RADIUS: f32 = 0.2;
    const GAP: f32 = 0.1;

    /// How far a point is outside a cube of 1 m around the origin whose faces are moved out by
    /// `RADIUS + GAP`, m.
    fn distance_outside(point: [f32; 3]) -> f32 {
        let distances = point.map(|x| x.abs() - 0.5 - RADIUS - GAP);
        distances.into_iter().fold(f32::MIN, f32::max)
    }

    proptest! {
        #[test]
        fn a_moving_limb_that_meets_a_hull_has_a_contact(
            ends in prop::array::uniform2(prop::array::uniform3(-1.5..1.5_f32)),
            moved in prop::array::uniform3(-3.0..3.0_f32),
        ) {
            let cube = Model::rigid_box([1.0; 3], 100.0).unwrap();
            let hull = HullCollider::of(&cube.bodies.all()[0], 0).unwrap();
            // The particles of the cube, then those of the limb.
            let mut particles = cube.particles.clone();
            for end in ends {
                particles.push(end, 1.0).unwrap();
            }
            for (axis, by) in moved.into_iter().enumerate() {
                particles.previous_mut(axis)[4..].iter_mut().for_each(|x| *x -= by);
            }
            let mut planes = Vec::new();
            let hull = hull.placed(&particles, &mut planes).unwrap();
            let limb = PlacedLimb::new(Limb { ends: [4, 5], radius: RADIUS, owner: 0 }, &particles);
            let contacts = limb.deepest_in(&hull, GAP, &particles);

            // How far a point of the axis is outside at a time; the least over the axis at the end of the
            // substep; and the least over the axis and the substep.
            let distance = |fraction: f32, time: f32| {
                let [a, b] = ends.map(|end| add_scaled(end, time - 1.0, moved));
                distance_outside(add_scaled(a, fraction, difference(b, a)))
            };
            let fractions = || (0..=200).map(|i| i as f32 / 200.0);
            let distances_now = fractions().map(|fraction| distance(fraction, 1.0));
            let least_distance_now = distances_now.fold(f32::MAX, f32::min);
            let at_time = |time| fractions().map(move |fraction| distance(fraction, time));
            let least_distance = fractions().flat_map(at_time).fold(f32::MAX, f32::min);
            if contacts.iter().any(Option::is_some) {
                // The tolerance is due to the distance of the samples.
                prop_assert!(
                    least_distance < 5e-2,
                    "a contact, but the limb stays {least_distance} m outside"
                );
            } else {
                // Sample points are about `RADIUS + GAP` apart, so the axis between two of them is deeper
                // than they are by at most half of that.
                prop_assert!(
                    least_distance_now > -0.5 * (RADIUS + GAP),
                    "no contact, but the limb is {} m inside",
                    -least_distance_now
                );
            }
            for (point, contact) in contacts.into_iter().flatten() {
                prop_assert!((length(contact.normal) - 1.0).abs() < 1e-4);
                prop_assert_eq!(contact.distance.to_bits(), (RADIUS + GAP).to_bits());
                prop_assert!(point.terms().all(|(particle, _)| particle >= 4));
            }
        }
    }
}
