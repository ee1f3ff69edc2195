//! Who does the work: one thread or several.

/// Threads that help. An offer: a plan may use it or not, and the answer is the same.
///
/// An executor brings threads and nothing else. Which of them does what, and where one has to
/// wait for another, is up to the plan, which takes nothing here on trust: whatever an executor
/// does, the answer is the same. So a pool that a host has already is an executor in a few
/// lines:
///
/// ```
/// struct Scope;
///
/// impl taut_core::Executor for Scope {
///     fn threads(&self) -> usize {
///         4
///     }
///
///     fn run(&self, threads: usize, work: &(dyn Fn(usize) + Sync)) {
///         std::thread::scope(|scope| {
///             for thread in 1..threads {
///                 scope.spawn(move || work(thread));
///             }
///             work(0);
///         });
///     }
/// }
/// ```
pub trait Executor: Send + Sync {
    /// How many threads may work at the same time, the caller's among them.
    fn threads(&self) -> usize;

    /// Calls `work(0)` on the calling thread, and `work(1)`, `work(2)`, ... below `threads` on
    /// other threads, at the same time if it can; returns when all these calls have. What they
    /// wrote is visible to the caller then.
    ///
    /// No call needs another: they share what there is to do, and any of them returns when all
    /// of it is done. So a call whose thread is not free need not be made. The same number
    /// should be the same thread each time: it finds the same particles, in its caches.
    ///
    /// A panic in a call must end in a panic of `run`, once all calls have returned.
    fn run(&self, threads: usize, work: &(dyn Fn(usize) + Sync));
}

/// The calling thread alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inline;

impl Executor for Inline {
    fn threads(&self) -> usize {
        1
    }

    fn run(&self, _: usize, work: &(dyn Fn(usize) + Sync)) {
        work(0);
    }
}
