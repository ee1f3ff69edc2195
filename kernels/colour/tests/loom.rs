//! The model checker runs `Gate` and `Pool` in the interleavings of two and three threads (in most
//! tests only the interleavings with few preemptions), and with every value that a load may return
//! under its ordering. `scripts/loom.sh` runs these tests.
#![cfg(loom)]

#[allow(dead_code, reason = "only some of it is tested directly")]
#[path = "../src/gate.rs"]
mod gate;
#[allow(dead_code, unused_imports, reason = "only some of it is tested directly")]
#[path = "../src/sync.rs"]
mod sync;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use loom::cell::UnsafeCell;
use loom::model::Builder;
use loom::thread;
use taut_colour::Pool;
use taut_core::Executor;

use gate::Gate;

/// Cells whose accesses the model checker records: it fails if two may happen at the same time.
struct Cells(Vec<UnsafeCell<usize>>);

// SAFETY: the model checker runs one thread at a time, and rejects conflicting accesses.
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

/// Runs the model with at most this many involuntary switches between threads; `None`: no limit.
fn check(preemptions: Option<usize>, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = preemptions;
    builder.max_branches = 10_000;
    builder.check(model);
}

/// Starts threads with the indices 1 to `count`, each of which tries to enter the gate `tries`
/// times.
fn workers(gate: &Arc<Gate>, count: usize, tries: usize) -> Vec<thread::JoinHandle<()>> {
    let worker = |index| {
        let gate = Arc::clone(gate);
        thread::spawn(move || {
            let mut last_opening = 0;
            for _ in 0..tries {
                gate.enter(index, &mut last_opening);
                thread::yield_now();
            }
        })
    };
    (1..=count).map(worker).collect()
}

fn join(threads: Vec<thread::JoinHandle<()>>) {
    for thread in threads {
        thread.join().unwrap();
    }
}

/// Lends work that increments the cell of its thread. Checks that this thread alone has access to
/// the cells afterwards.
fn check_lend(gate: &Gate, threads: usize) {
    let cells = Cells::new(threads);
    gate.lend(threads, &|thread| cells.increment(thread), || {});
    assert_eq!(cells.get(0), 1, "calls by the lender");
    for thread in 1..threads {
        assert!(cells.get(thread) <= 1, "a thread entered twice");
    }
}

#[test]
fn no_thread_works_after_a_lender_has_returned() {
    let model = |threads, lendings| {
        move || {
            let gate = Arc::new(Gate::new());
            let workers = workers(&gate, threads - 1, lendings);
            for _ in 0..lendings {
                check_lend(&gate, threads);
            }
            join(workers);
        }
    };
    check(None, model(2, 2));
    check(Some(3), model(3, 1));
    check(Some(2), model(3, 2));
}

#[test]
fn concurrent_lenders_run_only_their_own_work() {
    check(Some(3), || {
        let gate = Arc::new(Gate::new());
        let mut threads = workers(&gate, 1, 2);
        let other = Arc::clone(&gate);
        threads.push(thread::spawn(move || check_lend(&other, 2)));
        check_lend(&gate, 2);
        join(threads);
    });
}

#[test]
fn a_panic_reaches_the_lender_after_all_threads_have_left() {
    for panicking in 0..2 {
        check(Some(3), move || {
            let gate = Arc::new(Gate::new());
            let workers = workers(&gate, 1, 2);
            let cells = Cells::new(2);
            let work = |thread| {
                cells.increment(thread);
                assert!(thread != panicking, "thread {thread}");
            };
            let panicked = catch_unwind(AssertUnwindSafe(|| gate.lend(2, &work, || {}))).is_err();
            // The gate may have been closed before thread 1 entered.
            assert_eq!(panicked, cells.get(panicking) == 1, "thread {panicking} ran");
            assert_eq!(cells.get(0), 1, "calls by the lender");
            check_lend(&gate, 2);
            join(workers);
        });
    }
}

#[test]
fn threads_that_are_not_requested_do_not_work() {
    check(None, || {
        let gate = Arc::new(Gate::new());
        let workers = workers(&gate, 1, 1);
        check_lend(&gate, 1);
        join(workers);
    });
}

#[test]
fn a_pool_loses_no_wake_up_and_ends() {
    let model = |threads, calls| {
        move || {
            let pool = Pool::new(threads).unwrap();
            for _ in 0..calls {
                let cells = Cells::new(threads);
                pool.run(threads, &|thread| cells.increment(thread));
                assert_eq!(cells.get(0), 1, "calls by the caller of the pool");
            }
        }
    };
    check(Some(3), model(2, 1));
    check(Some(2), model(2, 2));
    check(Some(2), model(3, 1));
}
