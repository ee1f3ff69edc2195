//! Sharing out work among threads that need not be trusted.

use core::hint;
use core::ops::Range;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use alloc::vec::Vec;
use taut_core::Executor;

/// Spin count before a thread yields: how often it looks, with a pause of some 50 ns between, before it gives its core away
/// each time: longer than what phases are apart, for where there are fewer cores than threads.
const LOOKS: u32 = 200;

/// Shares out jobs among the threads of an executor, in rounds of phases.
///
/// Each job is done once a round, and begins after all jobs of the phase before have ended (the
/// first of a round after the last of the round before); those of one phase run in any order,
/// at the same time. That holds whatever the executor does, calling too often, too late, with
/// other numbers or not at all, and unsafe code may rely on it: the jobs of a phase may use
/// without locks what they do not share.
///
/// Within a phase each thread has a run of consecutive jobs, the same in every round, which
/// stays in its caches; who is done helps the next. A phase ends with its last job, not when
/// all threads have come: one that the system keeps waiting holds up nobody.
#[derive(Debug, Default)]
pub struct Team {
    shares: Vec<Line<AtomicU64>>,
}

/// Alone on its cache lines (two, which are fetched together).
#[derive(Debug, Default)]
#[repr(align(128))]
struct Line<T>(T);

impl Team {
    /// Does `job` with each number in `phases`, `rounds` times over, on `threads` threads of the
    /// executor or fewer. The phases must be the same each time they are asked for.
    ///
    /// # Panics
    /// If a job panics; the others may or may not have been done then.
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
        // All there is, if nobody came; nothing, if somebody did.
        work(0);
        assert!(!panicked.into_inner(), "a job panicked, and the executor hid it");
    }
}

/// What the threads see of it.
///
/// Jobs are numbered through all phases and rounds. Each thread has a share of each phase's
/// numbers; a counter for each thread says up to where its share is taken. It only grows, so
/// no number is taken twice.
struct Share<'a> {
    shares: &'a [Line<AtomicU64>],
    /// How many jobs have ended, told when a thread finds no more in a phase. All jobs before
    /// number n have ended if it is n or more, because nobody begins a phase earlier.
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
        let alarm = Alarm(self.panicked);
        let mut first = 0_u64;
        for phase in (0..rounds).flat_map(|_| phases()) {
            let end = first.checked_add(phase.len() as u64).expect("fewer than 2^64 jobs");
            if self.done.load(Ordering::Acquire) < end {
                let mut own = 0;
                while let Some(number) = self.take(thread, first, phase.len()) {
                    job(phase.start + number);
                    own += 1;
                }
                // What the jobs wrote, for those who see the count.
                self.done.fetch_add(own, Ordering::Release);
                if !self.wait(end) {
                    break;
                }
            }
            first = end;
        }
        core::mem::forget(alarm);
    }

    /// The next job of a phase, counted from its start: of the thread's own share or, if that
    /// is all taken, of the next one that is not.
    fn take(&self, thread: usize, first: u64, jobs: usize) -> Option<usize> {
        let threads = self.shares.len();
        (thread..threads).chain(0..thread).find_map(|owner| {
            let bound = |owner: usize| jobs / threads * owner + owner.min(jobs % threads);
            let (begin, end) = (first + bound(owner) as u64, first + bound(owner + 1) as u64);
            let Line(taken) = &self.shares[owner];
            let mut seen = taken.load(Ordering::Relaxed);
            loop {
                // It may still stand in a phase before.
                let number = seen.max(begin);
                if number >= end {
                    return None;
                }
                let (done, not) = (Ordering::Relaxed, Ordering::Relaxed);
                match taken.compare_exchange_weak(seen, number + 1, done, not) {
                    Ok(_) => return Some((number - first) as usize),
                    Err(other) => seen = other,
                }
            }
        })
    }

    /// Until all jobs below that number have ended; false if they never will.
    fn wait(&self, end: u64) -> bool {
        let mut looks = 0;
        while self.done.load(Ordering::Acquire) < end {
            if self.panicked.load(Ordering::Relaxed) {
                return false;
            }
            if looks < LOOKS {
                looks += 1;
                hint::spin_loop();
            } else {
                give_way();
            }
        }
        true
    }
}

/// Lets another thread have the core, where somebody knows threads.
fn give_way() {
    #[cfg(feature = "std")]
    std::thread::yield_now();
    #[cfg(not(feature = "std"))]
    hint::spin_loop();
}

/// Tells the others, when a job panics, not to wait for it.
struct Alarm<'a>(&'a AtomicBool);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A pointer that threads may share: who uses it says why they do not collide.
#[derive(Clone, Copy, Debug)]
pub struct Shared<T>(pub *mut T);

// SAFETY: a pointer is a number; using it is unsafe, and each use gives its reason.
unsafe impl<T: Send> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Shared<T> {}
