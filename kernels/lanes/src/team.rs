//! Distributes jobs among threads without relying on the executor.

use core::iter::once;
use core::ops::Range;
use core::sync::atomic::Ordering;

use alloc::vec::Vec;
use taut_core::Executor;

use crate::sync::{AtomicBool, AtomicU64, spin_loop, yield_now};

/// Spin count before yielding. A spin takes about 50 ns, so the spins outlast the usual wait
/// between phases. Yielding matters if there are fewer cores than threads. The count is small for
/// the model checker, because it explores each spin.
const SPINS: u32 = if cfg!(loom) { 2 } else { 200 };

/// A loop over particles, such as motion, gets another thread only if each thread gets at least this
/// many of them.
pub const PARTICLES_PER_THREAD_MIN: usize = 8192;
/// Relaxation gets another thread only if each thread gets at least this many sticks: with fewer,
/// seam particles move between caches too often. (Indexed kernels count slots, which include the
/// padding of registers.) Measured with this constant at 1, by `taut compare --threads 1,2 --kernels
/// pulp,colour --schedules blocked --size N`: two threads are 0.9 times as fast as one at N = 40
/// (12,000 sticks), 1.1 times at 48 (18,000), 1.6 times at 64 (32,000).
pub const STICKS_PER_THREAD_MIN: usize = 8192;

/// Distributes jobs among the threads of an executor, in rounds of phases.
///
/// Each job runs once per round, and begins after all jobs of the preceding phase have ended (the
/// first phase of a round follows the last phase of the round before). Jobs of one phase run in
/// any order and in parallel. Unsafe code may rely on this: it holds even if the executor calls
/// its closure too often, too late, with wrong thread indices or not at all.
///
/// In a phase each thread takes a range of consecutive jobs, the same in every round, whose data
/// its caches hold; an idle thread takes jobs of other ranges. A phase ends with its last job and
/// does not wait for threads that have not started.
#[derive(Debug, Default)]
pub struct Team {
    /// For each thread, the index after the last job taken from its range; see [`RunState`].
    counters: Vec<CachePadded<AtomicU64>>,
}

/// A clone has no counters: they hold nothing between runs.
impl Clone for Team {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// A value padded to two cache lines, to avoid false sharing: CPUs prefetch lines in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct CachePadded<T>(T);

impl Team {
    /// Runs `job` with each index in `phases`, `rounds` times, on at most `threads` threads
    /// of the executor. Each call of `phases` must return the same phases.
    ///
    /// # Panics
    /// If a job panics. Other jobs may be skipped then.
    pub fn run<P: Iterator<Item = Range<usize>>>(
        &mut self,
        executor: &dyn Executor,
        threads: usize,
        rounds: u32,
        phases: impl Fn() -> P + Sync,
        job: impl Fn(usize) + Sync,
    ) {
        if rounds == 0 {
            return;
        }
        let threads = threads.max(1);
        self.counters.clear();
        self.counters.resize_with(threads, CachePadded::default);
        let (done, panicked) = (CachePadded(AtomicU64::new(0)), AtomicBool::new(false));
        let work = |thread: usize| {
            let run = RunState { counters: &self.counters, done: &done.0, panicked: &panicked };
            run.work(thread % threads, rounds, &phases, &job);
        };
        executor.run(threads, &work);
        // Runs all jobs if the executor never called `work`; otherwise none are left.
        work(0);
        assert!(
            !panicked.into_inner(),
            "a job panicked, and the executor did not propagate the panic"
        );
    }
}

impl Team {
    /// Runs `job` once with each item and its index, in any order and in parallel, on at most
    /// `threads` threads of the executor.
    ///
    /// # Panics
    /// Same as [`run`](Self::run).
    pub fn for_each<T: Send>(
        &mut self,
        executor: &dyn Executor,
        threads: usize,
        items: &mut [T],
        job: impl Fn(usize, &mut T) + Sync,
    ) {
        let (count, items) = (items.len(), SharedPtr(items.as_mut_ptr()));
        let job = |index| {
            let items = &items; // captures the pointer with its type
            // SAFETY: the index is below `count`. The items are borrowed until all jobs have ended,
            // and no other job has this index.
            job(index, unsafe { &mut *items.0.add(index) });
        };
        self.run(executor, threads, 1, || once(0..count), job);
    }
}

/// The state of a call of [`Team::run`], which the threads share.
///
/// Jobs are numbered consecutively through all phases and rounds. Of the jobs of each phase, each
/// thread has a range, and its counter is the index after the last job taken from that range.
/// Counters only grow, so no job is taken twice.
struct RunState<'a> {
    counters: &'a [CachePadded<AtomicU64>],
    /// The number of ended jobs. A thread that finds no more jobs in a phase adds the number of
    /// jobs that it ran in that phase. Once this count reaches the index after the last job of a
    /// phase, all jobs up to that one have ended, because phases do not overlap.
    done: &'a AtomicU64,
    panicked: &'a AtomicBool,
}

impl RunState<'_> {
    /// Runs jobs until all are done.
    fn work<P: Iterator<Item = Range<usize>>>(
        &self,
        thread: usize,
        rounds: u32,
        phases: impl Fn() -> P,
        job: impl Fn(usize),
    ) {
        let guard = PanicGuard(self.panicked);
        let mut first = 0_u64;
        for phase in (0..rounds).flat_map(|_| phases()) {
            let end = first.checked_add(phase.len() as u64).expect("fewer than 2^64 jobs");
            // Acquires the writes of all jobs of earlier phases.
            if self.done.load(Ordering::Acquire) < end {
                let mut finished = 0;
                while let Some(index) = self.take(thread, first, phase.len()) {
                    job(phase.start + index);
                    finished += 1;
                }
                // Releases the writes of the jobs.
                self.done.fetch_add(finished, Ordering::Release);
                if !self.wait(end) {
                    break;
                }
            }
            first = end;
        }
        core::mem::forget(guard);
    }

    /// Takes a job of a phase and returns its index in the phase. The job is from the thread's own
    /// range or, if no job is left there, from the next range that has jobs left. `first` is the
    /// number of the phase's first job among all jobs (see [`RunState`]).
    fn take(&self, thread: usize, first: u64, job_count: usize) -> Option<usize> {
        let threads = self.counters.len();
        (thread..threads).chain(0..thread).find_map(|owner| {
            let start_of =
                |owner: usize| job_count / threads * owner + owner.min(job_count % threads);
            let (begin, end) = (first + start_of(owner) as u64, first + start_of(owner + 1) as u64);
            let CachePadded(taken) = &self.counters[owner];
            let mut counter = taken.load(Ordering::Relaxed);
            loop {
                // The counter may still be in an earlier phase.
                let index = counter.max(begin);
                if index >= end {
                    return None;
                }
                let relaxed = Ordering::Relaxed;
                match taken.compare_exchange_weak(counter, index + 1, relaxed, relaxed) {
                    Ok(_) => return Some((index - first) as usize),
                    Err(current) => counter = current,
                }
            }
        })
    }

    /// Waits until all jobs with numbers below `end` have ended. Returns false if a job panicked.
    fn wait(&self, end: u64) -> bool {
        let mut spins = 0;
        // Acquires nothing: `work` loads `done` again before a job of the next phase.
        while self.done.load(Ordering::Relaxed) < end {
            if self.panicked.load(Ordering::Relaxed) {
                return false;
            }
            if spins < SPINS {
                spins += 1;
                spin_loop();
            } else {
                yield_now();
            }
        }
        true
    }
}

/// Sets the flag when it is dropped, that is, when a job panics: then other threads stop waiting.
struct PanicGuard<'a>(&'a AtomicBool);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A pointer that threads may share; code that dereferences it must rule out data races.
#[derive(Clone, Copy, Debug)]
pub struct SharedPtr<T>(pub *mut T);

// SAFETY: dereferencing the pointer is unsafe, and each use gives its reason.
unsafe impl<T: Send> Send for SharedPtr<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for SharedPtr<T> {}
