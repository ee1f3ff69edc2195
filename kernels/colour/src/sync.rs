//! The atomics, threads and cells of the pool: from the standard library or, with `--cfg loom`,
//! from the model checker (`scripts/loom.sh`).

#[cfg(loom)]
pub(crate) use model_checked::*;
#[cfg(not(loom))]
pub(crate) use standard::*;

#[cfg(not(loom))]
mod standard {
    pub(crate) use std::hint::spin_loop;
    pub(crate) use std::sync::Mutex;
    pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64};
    pub(crate) use std::thread::{self, yield_now};
    pub(crate) use std::time::Instant;

    /// A cell with the interface of `loom::cell::UnsafeCell`, which records each access; this one
    /// does not.
    pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub(crate) fn new(value: T) -> Self {
            Self(std::cell::UnsafeCell::new(value))
        }

        pub(crate) fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
            read(self.0.get())
        }

        pub(crate) fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
            write(self.0.get())
        }
    }
}

#[cfg(loom)]
mod model_checked {
    use std::time::Duration;

    pub(crate) use loom::cell::UnsafeCell;
    pub(crate) use loom::hint::spin_loop;
    pub(crate) use loom::sync::Mutex;
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU64};
    pub(crate) use loom::thread;

    /// Replaces the clock, which would make executions differ. `elapsed` always exceeds the time
    /// after which an idle thread sleeps, so threads sleep at once, and the model covers lost
    /// wake-ups.
    #[derive(Clone, Copy)]
    pub(crate) struct Instant;

    impl Instant {
        pub(crate) fn now() -> Self {
            Self
        }

        pub(crate) fn elapsed(self) -> Duration {
            Duration::MAX
        }
    }

    /// A thread may wait for any number of spins, so the number of executions is unbounded. From
    /// this call on, the model checker runs the current execution to its end without exploring
    /// alternatives.
    pub(crate) fn yield_now() {
        loom::skip_branch();
        thread::yield_now();
    }
}
