//! Capsules.

use taut_core::Lane;

use super::shape::Shape;
use super::side::Side;
use super::sphere::{check_radius, length_and_direction, may_reach_ball, smallest_offset};
use crate::drawing::{FigureShape, ObstacleFigure};
use crate::error::ModelError;
use crate::path::Pose;
use crate::path::{axes_along, check_point, coordinate_axes};
use crate::surface::Nearest;
use crate::vector::{constants, difference, dot, length, scaled};

/// All points within a radius of a line segment, such as a limb or a pole.
///
/// ```
/// use taut_world::{Capsule, Solid};
///
/// let pole = Solid::new(Capsule::new([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]], 0.05)?);
/// # Ok::<(), taut_world::ModelError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule<const D: usize = 3> {
    ends: [[f64; D]; 2],
    radius: f64,
}

impl<const D: usize> Capsule<D> {
    /// A capsule between two ends, m, with a radius, m. Equal ends make a sphere.
    ///
    /// # Errors
    /// A coordinate or radius that is not finite, or beyond 1e12 m; a negative radius.
    pub fn new(ends: [[f64; D]; 2], radius: f64) -> Result<Self, ModelError> {
        for end in ends {
            check_point("ends", "an end of a capsule, m,", end)?;
        }
        Ok(Self { ends, radius: check_radius("the radius of a capsule, m,", radius)? })
    }
}

/// A capsule in world coordinates, prepared for distance queries.
#[derive(Clone, Copy, Debug)]
pub struct PlacedCapsule<const D: usize> {
    /// One end of the segment, m.
    from: [f32; D],
    /// Vector to the other end, m.
    along: [f32; D],
    /// `along` divided by its squared length, 1/m: its dot product with an offset from `from` is a
    /// fraction of the length.
    fraction_gradient: [f32; D],
    radius: f32,
}

impl<const D: usize> Shape<D> for Capsule<D> {
    type Side = PlacedCapsule<D>;

    fn sides(&self, pose: &Pose<D>) -> impl AsRef<[Self::Side]> {
        let [from, to] = self.ends.map(|end| pose.point(end));
        let along = core::array::from_fn(|axis| to[axis] - from[axis]);
        let squared = dot(along, along);
        // A segment of less than 1e-12 m counts as a point: `from`.
        let inverse = if squared > 1e-24 { 1.0 / squared } else { 0.0 };
        [PlacedCapsule {
            from: from.map(|x| x as f32),
            along: along.map(|x| x as f32),
            fraction_gradient: along.map(|x| (x * inverse) as f32),
            radius: self.radius as f32,
        }]
    }

    fn figure(&self, pose: &Pose<D>) -> Option<ObstacleFigure<'_, D>> {
        let [from, to] = self.ends;
        let to_end: [f64; D] = core::array::from_fn(|axis| (to[axis] - from[axis]) / 2.0);
        let middle = core::array::from_fn(|axis| from[axis] + to_end[axis]);
        let half = length(to_end);
        let axes =
            if half > 0.0 { axes_along(to_end.map(|x| x / half)) } else { coordinate_axes() };
        Some(pose.figure(FigureShape::Capsule { radius: self.radius, half }, middle, axes))
    }
}

impl<const D: usize> Side<D> for PlacedCapsule<D> {
    const CONVEX: bool = true;

    /// Finds the nearest point of the segment as in Ericson, "Real-Time Collision Detection",
    /// 5.1.2.
    #[inline(always)]
    fn nearest<L: Lane>(&self, x: [L; D]) -> Nearest<D, L> {
        let (zero, one) = (x[0].constant(0.0), x[0].constant(1.0));
        let from = difference(x, constants(x[0], self.from));
        let fraction = dot(from, constants(x[0], self.fraction_gradient));
        let fraction = L::select(fraction.above(zero), fraction, zero);
        let fraction = L::select(one.above(fraction), fraction, one);
        let offset = difference(from, scaled(constants(x[0], self.along), fraction));
        let (length, normal) = length_and_direction(offset);
        Nearest { distance: length - x[0].constant(self.radius.into()), normal }
    }

    /// Uses the smallest offset, per coordinate, between the axis and a point of the box.
    #[inline(always)]
    fn may_reach_box<L: Lane>(&self, low: [L; D], high: [L; D], contact_distance: L) -> L::Mask {
        let from = constants(contact_distance, self.from);
        let (mut low, mut high) = (difference(low, from), difference(high, from));
        for axis in 0..D {
            let along = contact_distance.constant(self.along[axis].into());
            if self.along[axis] > 0.0 {
                low[axis] = low[axis] - along;
            } else {
                high[axis] = high[axis] - along;
            }
        }
        may_reach_ball(smallest_offset(low, high), self.radius, contact_distance)
    }
}
