//! The atomics and the functions for waiting that [`Team`](crate::Team) uses: from the standard
//! library or, with `--cfg loom`, from the model checker (`scripts/loom.sh`).

#[cfg(not(loom))]
pub(crate) use core::{
    hint::spin_loop,
    sync::atomic::{AtomicBool, AtomicU64},
};
#[cfg(loom)]
pub(crate) use loom::{
    hint::spin_loop,
    sync::atomic::{AtomicBool, AtomicU64},
};
#[cfg(all(feature = "std", not(loom)))]
pub(crate) use std::thread::yield_now;

/// Without an operating system there is nothing to yield to.
#[cfg(not(any(feature = "std", loom)))]
pub(crate) use core::hint::spin_loop as yield_now;

/// A thread may wait for any number of spins, so the number of executions is unbounded. From this
/// call on, the model checker runs the current execution to its end without exploring alternatives.
#[cfg(loom)]
pub(crate) fn yield_now() {
    loom::skip_branch();
    loom::thread::yield_now();
}
