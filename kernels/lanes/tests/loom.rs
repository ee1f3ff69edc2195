//! The model checker runs `Team` in the interleavings of two and three threads (in most tests only
//! the interleavings with few preemptions), and with every value that a load may return under its
//! ordering. `scripts/loom.sh` runs these tests.
#![cfg(loom)]

use std::mem;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use loom::cell::UnsafeCell;
use loom::model::Builder;
use loom::thread;
use taut_core::Executor;
use taut_lanes::Team;

type Work<'a> = &'a (dyn Fn(usize) + Sync);

/// An executor that runs each thread index on a thread of its own, except 0, which the caller runs.
struct Spawn {
    propagate_panics: bool,
}

impl Executor for Spawn {
    /// Not called: each test passes its number of threads to `Team::run`.
    fn threads(&self) -> usize {
        1
    }

    fn run(&self, threads: usize, work: Work<'_>) {
        // SAFETY: all threads are joined before this function returns, so the closure outlives its uses.
        let work: Work<'static> = unsafe { mem::transmute(work) };
        let call = move |index| catch_unwind(AssertUnwindSafe(|| work(index)));
        let spawn = |index| thread::spawn(move || call(index));
        let others: Vec<_> = (1..threads).map(spawn).collect();
        let mut results = vec![call(0)];
        results.extend(others.into_iter().map(|other| other.join().unwrap()));
        if let Some(panic) = results.into_iter().find_map(Result::err)
            && self.propagate_panics
        {
            resume_unwind(panic);
        }
    }
}

/// Cells whose accesses the model checker records: it fails if an increment may happen at the same
/// time as another access.
#[derive(Clone)]
struct Cells(Arc<[UnsafeCell<usize>]>);

// SAFETY: the model checker runs one thread at a time, and rejects conflicting accesses.
unsafe impl Send for Cells {}
// SAFETY: as above.
unsafe impl Sync for Cells {}

impl Cells {
    fn new(cells: usize) -> Self {
        Self((0..cells).map(|_| UnsafeCell::new(0)).collect())
    }

    fn get(&self, cell: usize) -> usize {
        // SAFETY: the model checker rejects conflicting accesses.
        self.0[cell].with(|value| unsafe { *value })
    }

    fn increment(&self, cell: usize) {
        // SAFETY: as above.
        self.0[cell].with_mut(|value| unsafe { *value += 1 });
    }
}

/// Runs the model with at most this many preemptions; `None`: no limit.
fn check(preemptions: Option<usize>, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = preemptions;
    builder.max_branches = 10_000;
    builder.check(model);
}

/// Checks that, when a job begins, all jobs of earlier phases have ended in the same round, and no job
/// of later phases has begun. To this end, each job reads the cells of these jobs and then increments
/// its own cell.
fn check_phase_order(
    preemptions: Option<usize>,
    threads: usize,
    rounds: u32,
    phases: &'static [Range<usize>],
) {
    let jobs = phases.last().unwrap().end;
    check(preemptions, move || {
        let cells = Cells::new(jobs);
        let job = |job: usize| {
            let phase = phases.iter().find(|phase| phase.contains(&job)).unwrap();
            let round = cells.get(job);
            for earlier in 0..phase.start {
                let runs = cells.get(earlier);
                assert_eq!(runs, round + 1, "runs of job {earlier} before job {job} begins");
            }
            for later in phase.end..jobs {
                assert_eq!(cells.get(later), round, "runs of job {later} before job {job} begins");
            }
            cells.increment(job);
        };
        let executor = Spawn { propagate_panics: true };
        Team::default().run(&executor, threads, rounds, || phases.iter().cloned(), job);
        for job in 0..jobs {
            assert_eq!(cells.get(job), rounds as usize, "runs of job {job}");
        }
    });
}

#[test]
fn two_threads_run_phases_in_order() {
    check_phase_order(None, 2, 1, &[0..2, 2..3]);
    check_phase_order(Some(3), 2, 2, &[0..2, 2..3]);
}

#[test]
fn three_threads_run_phases_in_order() {
    check_phase_order(Some(2), 3, 1, &[0..2, 2..3]);
    check_phase_order(Some(1), 3, 1, &[0..3, 3..5]);
    check_phase_order(Some(1), 3, 2, &[0..2, 2..3]);
}

#[test]
fn a_panic_ends_the_run_on_all_threads() {
    for (threads, propagate_panics) in [(2, true), (2, false), (3, false)] {
        check(Some(2), move || {
            let cells = Cells::new(4);
            let job = |job: usize| {
                assert!(job != 1, "job 1");
                cells.increment(job);
            };
            let executor = Spawn { propagate_panics };
            let run =
                || Team::default().run(&executor, threads, 1, || [0..3, 3..4].into_iter(), job);
            assert!(catch_unwind(AssertUnwindSafe(run)).is_err(), "the panic of job 1 was lost");
            // The model checker would reject these reads if a thread could still write.
            for job in 0..4 {
                assert!(cells.get(job) <= 1, "job {job} ran more than once");
            }
            assert_eq!(cells.get(3), 0, "job 3 began although job 1 has not ended");
        });
    }
}
