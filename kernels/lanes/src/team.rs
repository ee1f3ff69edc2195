//! Shares out jobs among threads, without trusting the executor.

use core::hint;
use core::ops::Range;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use alloc::vec::Vec;
use taut_core::Executor;

/// Spin count before yielding, at some 50 ns each: longer than the usual wait between phases.
/// Yielding matters if there are fewer cores than threads.
const SPINS: u32 = 200;

/// Shares out jobs among the threads of an executor, in rounds of phases.
///
/// Each job runs once a round, and begins after all jobs of the phase before have ended (the
/// first phase of a round after the last of the round before). Jobs of one phase run in any order
/// and in parallel. Unsafe code may rely on this: it holds even if the executor calls too often,
/// too late, with wrong numbers or not at all.
///
/// Within a phase each thread has consecutive jobs, the same in every round, for its caches; an
/// idle thread takes jobs of others. A phase ends with its last job and does not wait for threads
/// that have not started.
#[derive(Debug, Default)]
pub struct Team {
    shares: Vec<Line<AtomicU64>>,
}

/// Padded to two cache lines, which are prefetched together, to avoid false sharing.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Line<T>(T);

impl Team {
    /// Runs `job` with each number in `phases`, `rounds` times over, on at most `threads` threads
    /// of the executor. Each call of `phases` must return the same phases.
    ///
    /// # Panics
    /// If a job panics; other jobs may be skipped then.
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
        self.shares.clear();
        self.shares.resize_with(threads, Line::default);
        let (done, panicked) = (Line(AtomicU64::new(0)), AtomicBool::new(false));
        let work = |thread: usize| {
            let share = Share { shares: &self.shares, done: &done.0, panicked: &panicked };
            share.work(thread % threads, rounds, &phases, &job);
        };
        executor.run(threads, &work);
        // Does all jobs if the executor called nothing; otherwise none are left.
        work(0);
        assert!(!panicked.into_inner(), "a job panicked, and the executor hid it");
    }
}

/// The state that the threads share.
///
/// Jobs are numbered through all phases and rounds. Each thread has a share of each phase's
/// numbers, and a counter of how far its share is taken. Counters only grow, so no number is taken
/// twice.
struct Share<'a> {
    shares: &'a [Line<AtomicU64>],
    /// The number of ended jobs, updated when a thread finds no more in a phase. If it is at least
    /// n, all jobs below n have ended, because phases do not overlap.
    done: &'a AtomicU64,
    panicked: &'a AtomicBool,
}

impl Share<'_> {
    /// Takes jobs until all are done.
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
            if self.done.load(Ordering::Acquire) < end {
                let mut own = 0;
                while let Some(number) = self.take(thread, first, phase.len()) {
                    job(phase.start + number);
                    own += 1;
                }
                // Releases the writes of the jobs.
                self.done.fetch_add(own, Ordering::Release);
                if !self.wait(end) {
                    break;
                }
            }
            first = end;
        }
        core::mem::forget(guard);
    }

    /// The next job of a phase, counted from its start: from the thread's own share or, if that is
    /// all taken, from the next share with jobs left.
    fn take(&self, thread: usize, first: u64, jobs: usize) -> Option<usize> {
        let threads = self.shares.len();
        (thread..threads).chain(0..thread).find_map(|owner| {
            let bound = |owner: usize| jobs / threads * owner + owner.min(jobs % threads);
            let (begin, end) = (first + bound(owner) as u64, first + bound(owner + 1) as u64);
            let Line(taken) = &self.shares[owner];
            let mut seen = taken.load(Ordering::Relaxed);
            loop {
                // The counter may still be in an earlier phase.
                let number = seen.max(begin);
                if number >= end {
                    return None;
                }
                let relaxed = Ordering::Relaxed;
                match taken.compare_exchange_weak(seen, number + 1, relaxed, relaxed) {
                    Ok(_) => return Some((number - first) as usize),
                    Err(other) => seen = other,
                }
            }
        })
    }

    /// Waits until all jobs below `end` have ended; returns false if a job panicked.
    fn wait(&self, end: u64) -> bool {
        let mut spins = 0;
        while self.done.load(Ordering::Acquire) < end {
            if self.panicked.load(Ordering::Relaxed) {
                return false;
            }
            if spins < SPINS {
                spins += 1;
                hint::spin_loop();
            } else {
                yield_thread();
            }
        }
        true
    }
}

fn yield_thread() {
    #[cfg(feature = "std")]
    std::thread::yield_now();
    #[cfg(not(feature = "std"))]
    hint::spin_loop();
}

/// Sets the flag when a job panics, so that other threads stop waiting.
struct PanicGuard<'a>(&'a AtomicBool);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A pointer that threads may share; code that dereferences it must rule out data races.
#[derive(Clone, Copy, Debug)]
pub struct Shared<T>(pub *mut T);

// SAFETY: dereferencing the pointer is unsafe, and each use gives its reason.
unsafe impl<T: Send> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Shared<T> {}
