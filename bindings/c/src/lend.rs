//! Arrays that are lent to the caller.

use crate::guard::{World, check_output, with_world};
use crate::status::Status;

/// Lends the position and the normal of each vertex: x, y, z, nx, ny, nz. `length` gets 6 times the
/// number of vertices. The array is valid until the next call that changes, restores or frees this
/// world, or lends its vertices.
///
/// # Safety
/// `world` must be NULL or a valid world; `vertices` must be NULL or point to a pointer, and
/// `length` must be NULL or point to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_lend_vertices(
    world: *mut World,
    vertices: *mut *const f32,
    length: *mut usize,
) -> Status {
    let read = |world: &mut World| {
        check_output(vertices, "vertices")?;
        check_output(length, "length")?;
        let lent = world.inner.interleaved_vertices();
        // SAFETY: they are not NULL, and the caller promises that they may be written.
        unsafe {
            vertices.write(lent.as_ptr());
            length.write(lent.len());
        }
        Ok(())
    };
    // SAFETY: the promise of the caller.
    unsafe { with_world(world, read) }
}
