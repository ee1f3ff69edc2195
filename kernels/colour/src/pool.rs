//! A thread pool.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::available_parallelism;
use std::time::Duration;

use taut_core::Executor;

use crate::gate::Gate;
use crate::sync::{AtomicBool, Instant, spin_loop, thread, yield_now};

/// How long an idle thread spins. While it spins, it takes work within a fraction of a
/// microsecond.
const SPIN_TIME: Duration = Duration::from_micros(10);
/// Idle time after which a thread sleeps. Between [`SPIN_TIME`] and this, it polls and yields.
const SLEEP_AFTER: Duration = Duration::from_micros(100);

/// The threads could not be started.
#[derive(Debug, thiserror::Error)]
#[error("{threads} threads could not be started")]
pub struct PoolError {
    /// The number of threads requested; if that was 0, the number of logical processors.
    pub threads: usize,
    /// The error of the operating system.
    #[source]
    pub cause: io::Error,
}

/// Threads that work together with the calling thread; clones share them.
///
/// Between calls they poll for work for 100 µs, then sleep. Waking them costs the caller about 10 µs,
/// but the caller does not wait for them: it begins alone, and they join in. If the
/// pool is in use by another call, the caller works alone. Dropping the last clone ends the
/// threads.
#[derive(Clone, Debug)]
pub struct Pool(Arc<Threads>);

/// The threads of a pool; dropping this ends them.
struct Threads {
    state: Arc<SharedState>,
    workers: Vec<thread::JoinHandle<()>>,
}

/// The state that the threads share.
struct SharedState {
    gate: Gate,
    /// Whether the threads must end.
    shutdown: AtomicBool,
}

impl Pool {
    /// A pool of `threads` threads, including the caller's; 0 for one per logical processor that
    /// the process may use.
    ///
    /// # Errors
    /// If the operating system cannot start the threads.
    pub fn new(threads: usize) -> Result<Self, PoolError> {
        let threads = match threads {
            0 => available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let state = Arc::new(SharedState { gate: Gate::new(), shutdown: AtomicBool::new(false) });
        let mut pool_threads = Threads { state, workers: Vec::new() };
        for thread in 1..threads {
            let state = Arc::clone(&pool_threads.state);
            let builder = thread::Builder::new().name(format!("taut {thread}"));
            let worker = builder.spawn(move || state.serve(thread));
            pool_threads.workers.push(worker.map_err(|cause| PoolError { threads, cause })?);
        }
        Ok(Self(Arc::new(pool_threads)))
    }
}

impl Executor for Pool {
    fn threads(&self) -> usize {
        self.0.workers.len() + 1
    }

    fn run(&self, threads: usize, work: &(dyn Fn(usize) + Sync)) {
        let Threads { state, workers } = &*self.0;
        // The gate lends `work` to the workers until all calls have returned.
        state.gate.lend(threads, work, || {
            for worker in workers.iter().take(threads.saturating_sub(1)) {
                worker.thread().unpark();
            }
        });
    }
}

impl SharedState {
    /// The main loop of the thread with index `thread`.
    fn serve(&self, thread: usize) {
        let mut last_opening = 0;
        let mut last_worked = Instant::now();
        while !self.shutdown.load(Ordering::Relaxed) {
            if self.gate.enter(thread, &mut last_opening) {
                last_worked = Instant::now();
                continue;
            }
            let idle = last_worked.elapsed();
            if idle < SPIN_TIME {
                spin_loop();
            } else if idle < SLEEP_AFTER {
                yield_now();
            } else {
                // Returns at once if the thread was unparked since it last parked.
                thread::park();
            }
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.state.shutdown.store(true, Ordering::Relaxed);
        for worker in self.workers.drain(..) {
            worker.thread().unpark();
            // The worker cannot have panicked: the gate catches panics of the work.
            let _ = worker.join();
        }
    }
}

impl fmt::Debug for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Threads").field("workers", &self.workers.len()).finish_non_exhaustive()
    }
}
