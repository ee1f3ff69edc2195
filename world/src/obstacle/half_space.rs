//! Half-spaces.

use taut_core::Lane;

use super::shape::Shape;
use super::side::Side;
use crate::drawing::{FigureShape, ObstacleFigure};
use crate::error::ModelError;
use crate::path::Pose;
use crate::path::{axes_along, check_point, checked_unit};
use crate::surface::Nearest;
use crate::vector::{constants, dot};

/// All points below a plane (in 2D a line): a floor or a slope.
///
/// ```
/// use taut_world::{HalfSpace, Solid};
///
/// let floor = Solid::new(HalfSpace::new([0.0, 0.0, 0.0], [0.0, 1.0, 0.0])?);
/// let slope = Solid::new(HalfSpace::new([0.0, 0.0], [-0.6, 0.8])?); // in 2D
/// assert!(HalfSpace::new([0.0, 0.0], [0.0, 0.0]).is_err());
/// # Ok::<(), taut_world::ModelError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace<const D: usize = 3> {
    point: [f64; D],
    normal: [f64; D],
}

impl<const D: usize> HalfSpace<D> {
    /// The half-space below the plane through a point, m; `normal` points out, and may have any
    /// length.
    ///
    /// # Errors
    /// A coordinate that is not finite; a coordinate of the point beyond 1e12; a normal shorter than
    /// 1e-12 or longer than 1e12.
    pub fn new(point: [f64; D], normal: [f64; D]) -> Result<Self, ModelError> {
        check_point("point", "the point of a half-space, m,", point)?;
        let normal = checked_unit("normal", "the length of the normal of a half-space", normal)?;
        Ok(Self { point, normal })
    }
}

/// A half-space in world coordinates.
#[derive(Clone, Copy, Debug)]
pub struct PlaneSide<const D: usize> {
    normal: [f32; D],
    /// Offset of the plane from the origin along its normal, m.
    height: f32,
}

impl<const D: usize> Shape<D> for HalfSpace<D> {
    type Side = PlaneSide<D>;

    fn sides(&self, pose: &Pose<D>) -> impl AsRef<[Self::Side]> {
        let normal = pose.direction(self.normal);
        let height = dot(normal, pose.point(self.point)) as f32;
        [PlaneSide { normal: normal.map(|x| x as f32), height }]
    }

    fn figure(&self, pose: &Pose<D>) -> Option<ObstacleFigure<'_, D>> {
        Some(pose.figure(FigureShape::HalfSpace, self.point, axes_along(self.normal)))
    }
}

/// The smallest and the largest dot product of a direction with a point of an axis-aligned box.
/// They use the operations of the dot product with one point, so rounding puts no point outside them.
#[inline(always)]
pub(super) fn span<L: Lane, const D: usize>(
    direction: [f32; D],
    mut low: [L; D],
    mut high: [L; D],
) -> [L; 2] {
    for axis in 0..D {
        if direction[axis] < 0.0 {
            core::mem::swap(&mut low[axis], &mut high[axis]);
        }
    }
    let direction = constants(low[0], direction);
    [dot(direction, low), dot(direction, high)]
}

impl<const D: usize> Side<D> for PlaneSide<D> {
    const CONVEX: bool = true;

    #[inline(always)]
    fn nearest<L: Lane>(&self, x: [L; D]) -> Nearest<D, L> {
        let normal = constants(x[0], self.normal);
        Nearest { distance: dot(normal, x) - x[0].constant(self.height.into()), normal }
    }

    #[inline(always)]
    fn may_reach_box<L: Lane>(&self, low: [L; D], high: [L; D], contact_distance: L) -> L::Mask {
        let [lowest, _] = span(self.normal, low, high);
        contact_distance.above(lowest - contact_distance.constant(self.height.into()))
    }
}
