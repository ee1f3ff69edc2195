//! Tests of the pool: its threads start, sleep, wake, panic and end.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Duration;

use taut_colour::Pool;
use taut_core::Executor;

/// The sorted thread indices with which one call of `run` invokes its closure; each invocation
/// waits until `expected` invocations have begun.
fn thread_indices(pool: &Pool, threads: usize, expected: usize) -> Vec<usize> {
    let (indices, barrier) = (Mutex::new(Vec::new()), Barrier::new(expected));
    pool.run(threads, &|index| {
        indices.lock().unwrap().push(index);
        barrier.wait();
    });
    let mut indices = indices.into_inner().unwrap();
    indices.sort_unstable();
    indices
}

#[test]
fn every_requested_thread_runs_once_per_call_even_after_sleeping() {
    for threads in 1..=8 {
        let pool = Pool::new(threads).unwrap();
        assert_eq!(pool.threads(), threads);
        for pause_ms in [0, 0, 0, 5, 0, 0] {
            thread::sleep(Duration::from_millis(pause_ms));
            assert_eq!(thread_indices(&pool, threads, threads), (0..threads).collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_pool_of_0_threads_has_one_per_logical_processor() {
    let expected = thread::available_parallelism().map_or(1, usize::from);
    assert_eq!(Pool::new(0).unwrap().threads(), expected);
    assert_eq!(format!("{:?}", Pool::new(3).unwrap()), "Pool(Threads { workers: 2, .. })");
}

#[test]
fn threads_that_are_not_requested_do_not_run() {
    let pool = Pool::new(4).unwrap();
    for _ in 0..100 {
        assert_eq!(thread_indices(&pool, 2, 2), [0, 1]);
        assert_eq!(thread_indices(&pool, 0, 1), [0]);
    }
    assert_eq!(thread_indices(&pool, 100, 4), [0, 1, 2, 3]);
}

#[test]
fn each_index_always_runs_on_the_same_thread() {
    let pool = Pool::new(3).unwrap();
    let threads_by_index = || {
        let (threads, barrier) = (Mutex::new([None; 3]), Barrier::new(3));
        pool.run(3, &|index| {
            threads.lock().unwrap()[index] = Some(thread::current().id());
            barrier.wait();
        });
        threads.into_inner().unwrap()
    };
    let first = threads_by_index();
    assert_eq!(first[0], Some(thread::current().id()));
    assert_eq!(first, threads_by_index());
}

#[test]
fn a_call_to_a_pool_in_use_runs_on_the_caller_alone() {
    let pool = Pool::new(3).unwrap();
    let inner_indices = Mutex::new(Vec::new());
    let barrier = Barrier::new(3);
    pool.run(3, &|_| {
        barrier.wait();
        // Calls from all threads of the pool at the same time.
        pool.run(3, &|index| inner_indices.lock().unwrap().push(index));
        barrier.wait();
    });
    assert_eq!(inner_indices.into_inner().unwrap(), [0; 3], "one invocation per inner call");
}

#[test]
fn concurrent_calls_run_only_their_own_work() {
    let pool = Pool::new(3).unwrap();
    thread::scope(|scope| {
        for _ in 0..4 {
            let pool = pool.clone();
            scope.spawn(move || {
                for _ in 0..2000 {
                    // For each index, the threads that ran it.
                    let threads: [Mutex<Vec<_>>; 3] = Default::default();
                    pool.run(3, &|index| {
                        threads[index].lock().unwrap().push(thread::current().id());
                    });
                    let [own, others @ ..] = threads.map(|them| them.into_inner().unwrap());
                    assert_eq!(own, [thread::current().id()], "index 0 runs once, on the caller");
                    assert!(others.iter().all(|them| them.len() <= 1), "{others:?}");
                }
            });
        }
    });
}

#[test]
fn a_panic_propagates_and_the_pool_stays_usable() {
    let pool = Pool::new(3).unwrap();
    for panicking in 0..3 {
        let barrier = Barrier::new(3);
        let run = || {
            pool.run(3, &|index| {
                barrier.wait();
                assert!(index != panicking, "thread {index} panicked");
            });
        };
        let panic = panic::catch_unwind(AssertUnwindSafe(run)).unwrap_err();
        assert_eq!(*panic.downcast::<String>().unwrap(), format!("thread {panicking} panicked"));
        assert_eq!(thread_indices(&pool, 3, 3), [0, 1, 2]);
    }
    // If all threads panic, one panic propagates, and the next call is not affected.
    let barrier = Barrier::new(3);
    let run = || {
        pool.run(3, &|index| {
            barrier.wait();
            panic!("thread {index} panicked");
        });
    };
    assert!(panic::catch_unwind(AssertUnwindSafe(run)).is_err());
    assert_eq!(thread_indices(&pool, 3, 3), [0, 1, 2]);
}

#[test]
fn dropping_the_last_clone_ends_the_threads() {
    /// A thread-local value that counts the threads that have ended.
    struct CountOnDrop(Arc<AtomicUsize>);
    impl Drop for CountOnDrop {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    thread_local!(static ENDED: RefCell<Option<CountOnDrop>> = const { RefCell::new(None) });

    let ended = Arc::new(AtomicUsize::new(0));
    for pause_ms in [0, 5] {
        ended.store(0, Ordering::SeqCst);
        let pool = Pool::new(4).unwrap();
        let barrier = Barrier::new(4);
        pool.run(4, &|index| {
            if index > 0 {
                ENDED.with_borrow_mut(|slot| *slot = Some(CountOnDrop(Arc::clone(&ended))));
            }
            barrier.wait();
        });
        let clone = pool.clone();
        drop(pool);
        thread::sleep(Duration::from_millis(pause_ms));
        assert_eq!(ended.load(Ordering::SeqCst), 0, "threads ended before the last clone");
        drop(clone);
        assert_eq!(ended.load(Ordering::SeqCst), 3, "threads ended with the last clone");
    }
}
