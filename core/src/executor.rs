//! Executors: they run the work of plans on one thread or several.

/// Runs work on several threads. A plan may use fewer threads than an executor has; the result is
/// the same.
///
/// An executor only provides threads. The plan distributes the work and synchronizes the threads,
/// and its result does not depend on what the executor does. So a few lines are enough to wrap the
/// thread pool of a host:
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
    /// How many threads may work at the same time, including the caller's.
    fn threads(&self) -> usize;

    /// Calls `work(0)` on the calling thread, and `work(1)` to `work(threads - 1)` on other
    /// threads, concurrently if it can. Returns when all these calls have returned; their writes
    /// are then visible to the caller.
    ///
    /// Each call of `work` takes tasks until none is left, so the executor may omit a call whose
    /// thread is busy. Calls with the same argument should run on the same thread each time, because
    /// the caches of that thread hold the particles of the tasks that such a call takes first.
    ///
    /// If a call of `work` panics, `run` must panic too, after all other calls have returned.
    fn run(&self, threads: usize, work: &(dyn Fn(usize) + Sync));
}

/// Runs the work on the calling thread alone.
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
