//! Contacts of limbs with balls.

use taut_core::Particles;

use super::{BEFORE, NOW, Touch, box_around};
use crate::body::limbs::{Limb, nearest_points};
use crate::body::weighted_point::WeightedPoint;
use crate::self_collision::swept;
use crate::vector::{add_scaled, difference, dot, length, scaled};

/// A limb in a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedLimb<const D: usize> {
    limb: Limb,
    /// Its ends before and now, m.
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

    pub(crate) fn bounds(&self, reach: f32) -> [[f32; D]; 2] {
        let reach = self.limb.radius + reach;
        let [low, high] = box_around(self.ends.into_iter().flatten());
        [low.map(|x| x - reach), high.map(|x| x + reach)]
    }

    /// m.
    pub(super) fn radius(&self) -> f32 {
        self.limb.radius
    }

    /// The ends of its axis before or now, m.
    pub(super) fn axis(&self, when: usize) -> [[f32; D]; 2] {
        self.ends[when]
    }

    /// The point at `share` of its axis.
    pub(super) fn point(&self, share: f32) -> WeightedPoint {
        self.limb.point(share)
    }

    /// Where the point at `share` of its axis was before, and is now, m.
    pub(super) fn path(&self, share: f32) -> [[f32; D]; 2] {
        self.ends.map(|[a, b]| add_scaled(a, share, difference(b, a)))
    }

    /// Where the ball is relative to the point at `share` of the axis, before and now, m.
    fn offsets(&self, path: [[f32; D]; 2], share: f32) -> [[f32; D]; 2] {
        let on_axis = self.path(share);
        [BEFORE, NOW].map(|when| difference(path[when], on_axis[when]))
    }

    #[inline]
    pub(super) fn touch(&self, path: [[f32; D]; 2], reach: f32) -> Option<Touch<D>> {
        let distance = self.limb.radius + reach;
        let touch = |share, normal| Touch { point: self.point(share), normal, distance };
        let [_, share] = nearest_points([[path[NOW]; 2], self.ends[NOW]]);
        let [start, end] = self.offsets(path, share);
        if dot(end, end) < distance * distance && dot(start, end) > 0.0 {
            return swept(start, end, distance).map(|(normal, _)| touch(share, normal));
        }
        // It may have passed: the place is where its path, seen from the limb, is nearest to the
        // axis. Between the ends the axis acts as an infinite cylinder, at them as a ball.
        let seen_from = difference(path[NOW], difference(end, start));
        let [_, share] = nearest_points([[seen_from, path[NOW]], self.ends[NOW]]);
        let [mut start, mut end] = self.offsets(path, share);
        if share > 0.0 && share < 1.0 {
            let [a, b] = self.ends[NOW];
            let axis = difference(b, a);
            let axis = scaled(axis, 1.0 / length(axis));
            start = add_scaled(start, -dot(start, axis), axis);
            end = add_scaled(end, -dot(end, axis), axis);
        }
        swept(start, end, distance).map(|(normal, _)| touch(share, normal))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use taut_core::Particles;

    use super::{Limb, PlacedLimb, nearest_points};
    use crate::vector::{add_scaled, difference, length};

    const RADIUS: f32 = 0.2;
    const REACH: f32 = 0.1;

    proptest! {
        #[test]
        fn a_ball_that_passes_a_moving_limb_is_found(
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
                let [_, share] = nearest_points([[ball; 2], axis]);
                let [a, b] = axis;
                length(difference(ball, add_scaled(a, share, difference(b, a))))
            };
            let nearest = (0..=1000).map(|part| distance(part as f32 / 1000.0));
            let nearest = nearest.fold(f32::INFINITY, f32::min);
            if let Some(touch) = placed.touch(path, REACH) {
                prop_assert!((length(touch.normal) - 1.0).abs() < 1e-4);
                prop_assert!(nearest < RADIUS + REACH + 1e-3);
            } else {
                prop_assert!(nearest > RADIUS + REACH - 1e-3 || distance(1.0) > RADIUS + REACH, "{nearest}");
            }
        }
    }
}
