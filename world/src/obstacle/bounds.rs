//! The inside of a box.

use taut_core::Lane;

use super::half_space::span;
use super::shape::Shape;
use super::side::Side;
use crate::drawing::{FigureShape, ObstacleFigure};
use crate::error::ModelError;
use crate::path::Pose;
use crate::path::{check_point, coordinate_axes};
use crate::surface::Nearest;
use crate::vector::{constants, dot};

/// The inside of a box, which particles cannot leave, like the cube that is the world of an example
/// by Jakobsen ("Advanced Character Physics", GDC 2001); in 2D the edges of a screen. It may move,
/// and spin like a drum.
///
/// ```
/// use taut_world::{Bounds, Solid, Surface};
///
/// let screen = Solid::new(Bounds::new([0.0, 0.0], [1.6, 0.9])?)
///     .with(Surface { restitution: 1.0, friction: 0.0, ..Surface::default() })?;
/// assert!(Bounds::new([0.0; 3], [1.0, -1.0, 1.0]).is_err());
/// # Ok::<(), taut_world::ModelError>(())
/// ```
///
/// In "Simulate Fabric and Ragdolls With Simple Verlet Integration" (Envato Tuts+) a circle bounces
/// off the edges of the screen; here it is a particle with a radius
/// ([`Model::radii`](crate::Model::radii)). The article mirrors its position at the edge but not
/// its previous position, so that its speed after the bounce depends on when in the step it hits
/// the edge. Here both are mirrored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds<const D: usize = 3> {
    min: [f64; D],
    max: [f64; D],
}

impl<const D: usize> Bounds<D> {
    /// The box between two corners, m.
    ///
    /// # Errors
    /// A coordinate that is not finite, or beyond 1e12 m; a maximum below the minimum.
    pub fn new(min: [f64; D], max: [f64; D]) -> Result<Self, ModelError> {
        check_point("min", "the minimum corner of bounds, m,", min)?;
        check_point("max", "the maximum corner of bounds, m,", max)?;
        for (min, max) in min.into_iter().zip(max) {
            ModelError::check("max", "the width of bounds, m,", max - min, 0.0.., "at least 0")?;
        }
        Ok(Self { min, max })
    }
}

/// Two opposite walls, in world coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Walls<const D: usize> {
    /// Unit normal, from the low to the high wall.
    normal: [f32; D],
    /// Their offsets from the origin along the normal, m.
    low: f32,
    high: f32,
}

impl<const D: usize> Shape<D> for Bounds<D> {
    type Side = Walls<D>;

    fn sides(&self, pose: &Pose<D>) -> impl AsRef<[Self::Side]> {
        let [min, max] = [self.min, self.max].map(|corner| pose.point(corner));
        core::array::from_fn::<_, D, _>(|axis| {
            let normal =
                pose.direction(core::array::from_fn(|other| f64::from(u8::from(other == axis))));
            Walls {
                normal: normal.map(|x| x as f32),
                low: dot(normal, min) as f32,
                high: dot(normal, max) as f32,
            }
        })
    }

    fn figure(&self, pose: &Pose<D>) -> Option<ObstacleFigure<'_, D>> {
        let half = core::array::from_fn(|axis| (self.max[axis] - self.min[axis]) / 2.0);
        let middle = core::array::from_fn(|axis| self.min[axis] + half[axis]);
        Some(pose.figure(FigureShape::Bounds { half }, middle, coordinate_axes()))
    }
}

impl<const D: usize> Side<D> for Walls<D> {
    #[inline(always)]
    fn nearest<L: Lane>(&self, x: [L; D]) -> Nearest<D, L> {
        let [low, high] = constants(x[0], [self.low, self.high]);
        let mut normal = constants(x[0], self.normal);
        let height = dot(normal, x);
        let (from_low, from_high) = (height - low, high - height);
        let low_is_nearer = from_high.above(from_low);
        for n in &mut normal {
            *n = L::select(low_is_nearer, *n, *n * n.constant(-1.0));
        }
        Nearest { distance: L::select(low_is_nearer, from_low, from_high), normal }
    }

    #[inline(always)]
    fn may_reach_box<L: Lane>(
        &self,
        box_low: [L; D],
        box_high: [L; D],
        contact_distance: L,
    ) -> L::Mask {
        let [lowest, highest] = span(self.normal, box_low, box_high);
        let from_low = lowest - contact_distance.constant(self.low.into());
        let from_high = contact_distance.constant(self.high.into()) - highest;
        contact_distance.above(L::select(from_low.above(from_high), from_high, from_low))
    }

    #[inline(always)]
    fn clearance<L: Lane>(&self, contact_distance: L) -> L {
        let [low, high] = constants(contact_distance, [self.low, self.high]);
        let (gap, zero) =
            ((high - low) - (contact_distance + contact_distance), contact_distance.constant(0.0));
        L::select(gap.above(zero), gap, zero)
    }
}
