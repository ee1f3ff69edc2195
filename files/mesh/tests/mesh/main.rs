//! Valid files, and above all invalid ones. All are made here, in memory.
#![allow(clippy::float_cmp, reason = "vertices keep their places to the bit")]

mod cleaning;
mod complaints;
mod formats;
mod gltf_complaints;
mod grids;
mod hostile;
mod make;

use std::alloc::System;

use cap::Cap;

/// Headers may declare terabytes, but no test needs more than this: beyond it, allocation fails and
/// aborts the tests.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, 128 << 20);
