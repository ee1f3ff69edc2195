//! Contacts of limbs, which are capsules around sticks, with balls.

use taut_core::Particles;

use super::{BEFORE, ContactPoint, NOW, box_around};
use crate::body::limbs::Limb;
use crate::body::segments::nearest_points;
use crate::body::weighted_point::WeightedPoint;
use crate::self_collision::swept_contact;
use crate::vector::{add_scaled, difference, dot, length, scaled};

/// A limb in a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedLimb<const D: usize> {
    limb: Limb,
    /// Its two ends at the beginning of the substep, then now, m.
    ends: [[[f32; D]; 2]; 2],
}

impl<const D: usize> PlacedLimb<D> {
    pub(crate) fn new(limb: Limb, particles: &Particles<D>) -> Self {
        let ends = [
            limb.ends.map(|end| particles.previous_position(end as usize)),
            limb.ends.map(|end| particles.position(end as usize)),
        ];
        Self { limb, ends }
    }

    /// The lower and upper corner of a box around the limb in the whole substep, grown by
    /// `contact_distance`, m.
    pub(crate) fn bounds(&self, contact_distance: f32) -> [[f32; D]; 2] {
        let distance = self.limb.radius + contact_distance;
        let [low, high] = box_around(self.ends.into_iter().flatten());
        [low.map(|x| x - distance), high.map(|x| x + distance)]
    }

    /// The radius, m.
    pub(super) fn radius(&self) -> f32 {
        self.limb.radius
    }

    /// The ends of its axis at a time, [`BEFORE`] or [`NOW`], m.
    pub(super) fn axis(&self, when: usize) -> [[f32; D]; 2] {
        self.ends[when]
    }

    /// The point at `fraction` of its axis.
    pub(super) fn point(&self, fraction: f32) -> WeightedPoint {
        self.limb.point(fraction)
    }

    /// Where the point at `fraction` of its axis was before, and is now, m.
    pub(super) fn path(&self, fraction: f32) -> [[f32; D]; 2] {
        self.ends.map(|[a, b]| add_scaled(a, fraction, difference(b, a)))
    }

    /// The positions of a ball that moves along `path`, relative to the point at `fraction` of the
    /// axis, before and now, m.
    fn offsets(&self, path: [[f32; D]; 2], fraction: f32) -> [[f32; D]; 2] {
        let on_axis = self.path(fraction);
        [BEFORE, NOW].map(|when| difference(path[when], on_axis[when]))
    }

    /// The contact with a ball whose centre moves along `path` (before, now), m. They touch if the
    /// centre is closer to the capsule than `contact_distance`, m. None if they do not touch, or if the
    /// ball leaves by itself.
    #[inline]
    pub(super) fn contact_point(
        &self,
        path: [[f32; D]; 2],
        contact_distance: f32,
    ) -> Option<ContactPoint<D>> {
        let distance = self.limb.radius + contact_distance;
        let contact =
            |fraction, normal| ContactPoint { point: self.point(fraction), normal, distance };
        let [_, fraction] = nearest_points([[path[NOW]; 2], self.ends[NOW]]);
        let [start, end] = self.offsets(path, fraction);
        // The ball ends inside, on the side of the axis where it began.
        if dot(end, end) < distance * distance && dot(start, end) > 0.0 {
            return swept_contact(start, end, distance)
                .map(|(normal, _)| contact(fraction, normal));
        }
        // The ball may have passed through: use the point of the axis nearest to the ball's path
        // relative to the limb. If that point is between the ends, the limb counts as an infinite
        // cylinder; if it is an end, as a ball around that end.
        let relative_start = difference(path[NOW], difference(end, start));
        let [_, fraction] = nearest_points([[relative_start, path[NOW]], self.ends[NOW]]);
        let [mut start, mut end] = self.offsets(path, fraction);
        if fraction > 0.0 && fraction < 1.0 {
            let [a, b] = self.ends[NOW];
            let axis = difference(b, a);
            let axis = scaled(axis, 1.0 / length(axis));
            start = add_scaled(start, -dot(start, axis), axis);
            end = add_scaled(end, -dot(end, axis), axis);
        }
        swept_contact(start, end, distance).map(|(normal, _)| contact(fraction, normal))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use taut_core::Particles;

    use super::{Limb, PlacedLimb, nearest_points};
    use crate::vector::{add_scaled, difference, length};

    const RADIUS: f32 = 0.2;
    const CONTACT_DISTANCE: f32 = 0.1;

    proptest! {
        #[test]
        fn a_ball_that_meets_a_moving_limb_has_a_contact(
            ends in prop::array::uniform2(prop::array::uniform3(-1.0..1.0_f32)),
            moved in prop::array::uniform3(-1.0..1.0_f32),
            path in prop::array::uniform2(prop::array::uniform3(-3.0..3.0_f32)),
        ) {
            let mut particles = Particles::new(&ends, &[1.0; 2]).unwrap();
            for (axis, by) in moved.into_iter().enumerate() {
                particles.previous_mut(axis)[..2].iter_mut().for_each(|x| *x -= by);
            }
            let limb = Limb { ends: [0, 1], radius: RADIUS, owner: 0 };
            let placed = PlacedLimb::new(limb, &particles);
            let distance = |time: f32| {
                let ball = add_scaled(path[0], time, difference(path[1], path[0]));
                let axis = ends.map(|end| add_scaled(end, time - 1.0, moved));
                let [_, fraction] = nearest_points([[ball; 2], axis]);
                let [a, b] = axis;
                length(difference(ball, add_scaled(a, fraction, difference(b, a))))
            };
            let distances = (0..=1000).map(|i| distance(i as f32 / 1000.0));
            let least_distance = distances.fold(f32::INFINITY, f32::min);
            if let Some(contact) = placed.contact_point(path, CONTACT_DISTANCE) {
                prop_assert!((length(contact.normal) - 1.0).abs() < 1e-4);
                prop_assert!(least_distance < RADIUS + CONTACT_DISTANCE + 1e-3);
            } else {
                let distance_from_axis = RADIUS + CONTACT_DISTANCE;
                // A ball that began inside may have left.
                let has_left =
                    distance(0.0) < distance_from_axis + 1e-4 && distance(1.0) > distance_from_axis;
                prop_assert!(
                    least_distance > distance_from_axis - 1e-3 || has_left,
                    "no contact, but the ball comes as near as {least_distance} m"
                );
            }
        }
    }
}
