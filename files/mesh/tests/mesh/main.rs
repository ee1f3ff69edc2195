//! Valid files and, above all, invalid ones. All of them are made by the tests.
#![allow(clippy::float_cmp, reason = "positions of vertices stay bit-identical")]

mod cleaning;
mod errors;
mod formats;
mod gltf_errors;
mod grids;
mod hostile;
mod shapes;

use std::alloc::System;

use cap::Cap;

/// Fails allocations beyond 128 MiB, which aborts the tests. Headers may declare terabytes, but no
/// test needs that much memory.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, 128 << 20);
