//! Files that are right, and above all files that are wrong. All are made here, in memory.

mod cleaning;
mod complaints;
mod formats;
mod hostile;
mod make;

use std::alloc::System;

use cap::Cap;

/// No test needs more than this, for a header may promise terabytes: past it, allocation fails and
/// takes the test run with it.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, 128 << 20);
