//! What is to be drawn, for whoever draws: no colours, no files, no GPU.
//!
//! - [`Look`]: what a model is meant to be seen as.
//! - [`Form`] and [`Figure`]: what an obstacle looks like, and where it is.
//! - [`normals`]: of vertices, from triangles.
//!
//! The vertices of a world, and what joins them, are [`World::drawing`](crate::World::drawing) and
//! [`World::copy_vertices`](crate::World::copy_vertices).

mod figure;
mod look;
mod matrix;
mod normals;

pub(crate) use figure::rotation_of;
pub use figure::{Figure, Form};
pub use look::Look;
pub use normals::normals;

/// A triangle or stick that is gone has this for each of its corners.
pub const GONE: u32 = u32::MAX;

/// A point as a row of `N` numbers: further ones are 0, and those that do not fit are left out.
#[inline(always)]
pub(crate) fn row<const D: usize, const N: usize>(point: [f32; D]) -> [f32; N] {
    core::array::from_fn(|axis| if axis < D { point[axis] } else { 0.0 })
}
