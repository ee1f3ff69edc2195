//! Steps, hashes and snapshots.

use taut_rs::world::Outcome;

use crate::guard::{World, array, check_output, read_to, with_world};
use crate::status::Status;

/// The outcome of `taut_world_step`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// Whether every position is finite; if not, the simulation has blown up, and steps stop.
    pub finite: bool,
    /// Number of sticks that tore.
    pub torn: usize,
    /// Number of ties that broke.
    pub broken: usize,
}

/// Runs up to `steps` steps, and stops after the first one that leaves a position that is not
/// finite. `out` may be NULL. If a step fails, those before it have been done.
///
/// # Safety
/// `world` must be NULL or a valid world, and `out` must be NULL or point to a `taut_steps`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_step(world: *mut World, steps: u32, out: *mut Steps) -> Status {
    let step = |world: &mut World| {
        if !out.is_null() {
            check_output(out, "out")?;
        }
        let Outcome { finite, torn, broken } = world.inner.step(steps)?;
        if !out.is_null() {
            // SAFETY: it is not NULL, and the caller promises that it may be written.
            unsafe { out.write(Steps { finite, torn, broken }) };
        }
        Ok(())
    };
    // SAFETY: the promise of the caller.
    unsafe { with_world(world, step) }
}

/// Computes a hash of the bits of all positions: the same on every machine, with every kernel and
/// number of threads.
///
/// # Safety
/// `world` must be NULL or a valid world, and `out` must be NULL or point to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_hash(world: *mut World, out: *mut u64) -> Status {
    // SAFETY: the promise of the caller.
    unsafe { read_to(world, out, |world| Ok(world.inner.hash())) }
}

/// Takes a snapshot, as JSON. The bytes are valid until the next snapshot of this world, or until it
/// is freed.
///
/// # Safety
/// `world` must be NULL or a valid world; `bytes` must be NULL or point to a pointer, and `length`
/// must be NULL or point to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_snapshot(
    world: *mut World,
    bytes: *mut *const u8,
    length: *mut usize,
) -> Status {
    let read = |world: &mut World| {
        check_output(bytes, "bytes")?;
        check_output(length, "length")?;
        world.snapshot = world.inner.snapshot_json();
        // SAFETY: they are not NULL, and the caller promises that they may be written.
        unsafe {
            bytes.write(world.snapshot.as_ptr());
            length.write(world.snapshot.len());
        }
        Ok(())
    };
    // SAFETY: the promise of the caller.
    unsafe { with_world(world, read) }
}

/// Resumes from a snapshot of a world of the same scene. Forces and kernels are kept.
///
/// # Safety
/// `world` must be NULL or a valid world, and `bytes` must have `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn taut_world_restore(
    world: *mut World,
    bytes: *const u8,
    length: usize,
) -> Status {
    let change = |world: &mut World| {
        // SAFETY: the promise of the caller.
        let bytes = unsafe { array(bytes, length, "bytes") }?;
        Ok(world.inner.restore_json(bytes)?)
    };
    // SAFETY: the promise of the caller.
    unsafe { with_world(world, change) }
}
