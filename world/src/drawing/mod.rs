//! What renderers need: geometry only, no colours, files or GPU.
//!
//! - [`ModelKind`]: what a model is, and so how to draw it.
//! - [`FigureShape`] and [`ObstacleFigure`]: the shape and pose of an obstacle.
//! - [`normals`]: vertex normals, from triangles.
//!
//! The triangles and sticks of a world, as vertex indices, are in
//! [`World::drawing`](crate::World::drawing);
//! [`World::copy_vertices`](crate::World::copy_vertices) gives the vertices.

mod matrix;
mod model_kind;
mod normals;
mod obstacle_figure;

pub use model_kind::ModelKind;
pub use normals::normals;
pub(crate) use obstacle_figure::rotation_of;
pub use obstacle_figure::{FigureShape, ObstacleFigure};

/// The vertex index at each corner of a removed triangle and each end of a torn stick.
pub const REMOVED: u32 = u32::MAX;

/// A point or vector with `N` coordinates: missing ones are 0, excess ones are dropped.
///
/// ```
/// assert_eq!(taut_world::resize_vector([1.0, 2.0]), [1.0, 2.0, 0.0]);
/// ```
#[inline(always)]
pub fn resize_vector<T: Copy + Default, const D: usize, const N: usize>(point: [T; D]) -> [T; N] {
    core::array::from_fn(|axis| if axis < D { point[axis] } else { T::default() })
}
