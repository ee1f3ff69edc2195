//! Spheres and circles.

use taut_core::{COORDINATE_MAX, LEAST_SQUARED_LENGTH, Lane};

use super::shape::Shape;
use super::side::Side;
use crate::drawing::{FigureShape, ObstacleFigure};
use crate::error::ModelError;
use crate::path::Pose;
use crate::path::{check_point, coordinate_axes};
use crate::surface::Nearest;
use crate::vector::{constants, difference, dot};

/// A ball; in 2D a circle.
///
/// ```
/// use taut_world::{Solid, Sphere};
///
/// let ball = Solid::new(Sphere::new([0.0, -1.0, 0.0], 0.5)?);
/// assert!(Sphere::new([0.0, 0.0], -1.0).is_err());
/// # Ok::<(), taut_world::ModelError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere<const D: usize = 3> {
    centre: [f64; D],
    radius: f64,
}

/// Checks and returns a radius, m; `what` describes it in the error.
pub(super) fn check_radius(what: &'static str, radius: f64) -> Result<f64, ModelError> {
    ModelError::check("radius", what, radius, 0.0..=COORDINATE_MAX, "from 0 to 1e12")
}

impl<const D: usize> Sphere<D> {
    /// A sphere with a centre, m, and a radius, m.
    ///
    /// # Errors
    /// A coordinate or radius that is not finite, or beyond 1e12 m; a negative radius.
    pub fn new(centre: [f64; D], radius: f64) -> Result<Self, ModelError> {
        check_point("centre", "the centre of a sphere, m,", centre)?;
        Ok(Self { centre, radius: check_radius("the radius of a sphere, m,", radius)? })
    }
}

/// A sphere in world coordinates.
#[derive(Clone, Copy, Debug)]
pub struct PlacedSphere<const D: usize> {
    centre: [f32; D],
    radius: f32,
}

/// The length of `d` and its direction, which is up if the length is 0.
#[inline(always)]
pub(super) fn length_and_direction<L: Lane, const D: usize>(d: [L; D]) -> (L, [L; D]) {
    let squared = dot(d, d);
    let length = squared.sqrt();
    let has_direction = squared.at_least(squared.constant(LEAST_SQUARED_LENGTH));
    let inverse = squared.constant(1.0) / length;
    let mut direction = d;
    for (axis, along) in direction.iter_mut().enumerate() {
        let up = squared.constant(if axis == 1 { 1.0 } else { 0.0 });
        *along = L::select(has_direction, *along * inverse, up);
    }
    (length, direction)
}

/// For each coordinate the smallest absolute value of an offset between `low` and `high`.
#[inline(always)]
pub(super) fn smallest_offset<L: Lane, const D: usize>(low: [L; D], high: [L; D]) -> [L; D] {
    let zero = low[0].constant(0.0);
    let mut smallest = low;
    for (smallest, high) in smallest.iter_mut().zip(high) {
        let negated = zero - high;
        let larger = L::select(negated.above(*smallest), negated, *smallest);
        *smallest = L::select(larger.above(zero), larger, zero);
    }
    smallest
}

/// Whether a point at offset `from` from the centre of a ball may be closer to it than
/// `contact_distance`. Needs no square root, and allows for rounding.
#[inline(always)]
pub(super) fn may_reach_ball<L: Lane, const D: usize>(
    from: [L; D],
    radius: f32,
    contact_distance: L,
) -> L::Mask {
    let sum = contact_distance.constant(radius.into()) + contact_distance;
    ((sum * sum) * contact_distance.constant(1.000_01)).at_least(dot(from, from))
}

impl<const D: usize> Shape<D> for Sphere<D> {
    type Side = PlacedSphere<D>;

    fn sides(&self, pose: &Pose<D>) -> impl AsRef<[Self::Side]> {
        let centre = pose.point(self.centre).map(|x| x as f32);
        [PlacedSphere { centre, radius: self.radius as f32 }]
    }

    fn figure(&self, pose: &Pose<D>) -> Option<ObstacleFigure<'_, D>> {
        Some(pose.figure(
            FigureShape::Sphere { radius: self.radius },
            self.centre,
            coordinate_axes(),
        ))
    }
}

impl<const D: usize> Side<D> for PlacedSphere<D> {
    const CONVEX: bool = true;

    #[inline(always)]
    fn nearest<L: Lane>(&self, x: [L; D]) -> Nearest<D, L> {
        let (length, normal) = length_and_direction(difference(x, constants(x[0], self.centre)));
        Nearest { distance: length - x[0].constant(self.radius.into()), normal }
    }

    #[inline(always)]
    fn may_reach<L: Lane>(&self, x: [L; D], contact_distance: L) -> L::Mask {
        may_reach_ball(difference(x, constants(x[0], self.centre)), self.radius, contact_distance)
    }

    #[inline(always)]
    fn may_reach_box<L: Lane>(&self, low: [L; D], high: [L; D], contact_distance: L) -> L::Mask {
        let centre = constants(contact_distance, self.centre);
        let smallest = smallest_offset(difference(low, centre), difference(high, centre));
        may_reach_ball(smallest, self.radius, contact_distance)
    }
}
