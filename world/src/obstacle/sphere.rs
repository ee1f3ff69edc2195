//! Balls and circles.

use taut_core::{COORDINATE_MAX, LEAST_SQUARED_LENGTH};

use super::Pose;
use super::path::{check_point, upright};
use super::solid::{Nearest, Shape, Side};
use crate::drawing::{Figure, Form};
use crate::model::ModelError;
use crate::vector::dot;

/// A ball (Mosegaard's, for one); in two dimensions a circle.
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

pub(super) fn check_radius(what: &'static str, radius: f64) -> Result<f64, ModelError> {
    ModelError::check(what, radius, 0.0..=COORDINATE_MAX, "from 0 to 1e12")
}

impl<const D: usize> Sphere<D> {
    /// About a centre, m, of a radius, m.
    ///
    /// # Errors
    /// A number that is not finite; a negative radius.
    pub fn new(centre: [f64; D], radius: f64) -> Result<Self, ModelError> {
        check_point("the centre of a sphere, m,", centre)?;
        Ok(Self { centre, radius: check_radius("the radius of a sphere, m,", radius)? })
    }
}

/// A ball, in place.
#[derive(Clone, Copy, Debug)]
pub struct Ball<const D: usize> {
    centre: [f32; D],
    radius: f32,
}

/// How long `d` is, and its direction; up where it has none.
#[inline(always)]
pub(super) fn length_and_direction<const D: usize>(d: [f32; D]) -> (f32, [f32; D]) {
    let squared = dot(d, d);
    let length = squared.sqrt();
    let (away, inverse) = (squared >= LEAST_SQUARED_LENGTH as f32, 1.0 / length);
    let direction = core::array::from_fn(|axis| {
        let up = if axis == 1 { 1.0 } else { 0.0 };
        if away { d[axis] * inverse } else { up }
    });
    (length, direction)
}

impl<const D: usize> Shape<D> for Sphere<D> {
    type Side = Ball<D>;

    fn sides(&self, pose: &Pose<D>) -> impl Iterator<Item = Self::Side> {
        let centre = pose.point(self.centre).map(|x| x as f32);
        [Ball { centre, radius: self.radius as f32 }].into_iter()
    }

    fn figure(&self, pose: &Pose<D>) -> Option<Figure<'_, D>> {
        Some(pose.figure(Form::Sphere { radius: self.radius }, self.centre, upright()))
    }
}

impl<const D: usize> Side<D> for Ball<D> {
    #[inline(always)]
    fn nearest(&self, x: [f32; D]) -> Nearest<D> {
        let from = core::array::from_fn(|axis| x[axis] - self.centre[axis]);
        let (length, normal) = length_and_direction(from);
        Nearest { distance: length - self.radius, normal }
    }

    #[inline(always)]
    fn may_reach(&self, x: [f32; D], reach: f32) -> bool {
        let from: [f32; D] = core::array::from_fn(|axis| x[axis] - self.centre[axis]);
        let at_most = self.radius + reach;
        // No root, and more than what is lost to rounding.
        dot(from, from) <= (at_most * at_most) * 1.000_01
    }
}
