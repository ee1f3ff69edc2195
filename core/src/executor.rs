//! Who does the work: one thread or several.

/// Runs jobs, perhaps on several threads. An offer: a plan may use it or not, and the answer
/// is the same.
pub trait Executor: Send + Sync {
    /// How many jobs may run at the same time.
    fn threads(&self) -> usize;
    /// Calls `job` once with each number below `jobs`, in any order and on any thread, and
    /// returns when all calls have. What a job wrote is visible to the caller then.
    fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync));
}

/// The calling thread, one job after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inline;

impl Executor for Inline {
    fn threads(&self) -> usize {
        1
    }

    fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync)) {
        (0..jobs).for_each(job);
    }
}
