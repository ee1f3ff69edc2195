//! Tests of the pool: its threads start, sleep, wake up, panic and end.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Duration;

use taut_colour::Pool;
use taut_core::Executor;

/// The sorted numbers of the calls, where every call waits until `expected` calls have begun.
fn numbers(pool: &Pool, threads: usize, expected: usize) -> Vec<usize> {
    let (numbers, all) = (Mutex::new(Vec::new()), Barrier::new(expected));
    pool.run(threads, &|number| {
        numbers.lock().unwrap().push(number);
        all.wait();
    });
    let mut numbers = numbers.into_inner().unwrap();
    numbers.sort_unstable();
    numbers
}

#[test]
fn all_threads_come_as_often_as_they_are_called_asleep_or_not() {
    for threads in 1..=8 {
        let pool = Pool::new(threads).unwrap();
        assert_eq!(pool.threads(), threads);
        for pause in [0, 0, 0, 5, 0, 0] {
            thread::sleep(Duration::from_millis(pause));
            assert_eq!(numbers(&pool, threads, threads), (0..threads).collect::<Vec<_>>());
        }
    }
    assert!(Pool::new(0).unwrap().threads() >= 1);
}

#[test]
fn those_who_are_not_called_do_not_come() {
    let pool = Pool::new(4).unwrap();
    for _ in 0..100 {
        assert_eq!(numbers(&pool, 2, 2), [0, 1]);
        assert_eq!(numbers(&pool, 0, 1), [0]);
    }
    assert_eq!(numbers(&pool, 100, 4), [0, 1, 2, 3]);
}

#[test]
fn the_same_number_is_the_same_thread() {
    let pool = Pool::new(3).unwrap();
    let who = || {
        let (who, all) = (Mutex::new([None; 3]), Barrier::new(3));
        pool.run(3, &|number| {
            who.lock().unwrap()[number] = Some(thread::current().id());
            all.wait();
        });
        who.into_inner().unwrap()
    };
    let first = who();
    assert_eq!(first[0], Some(thread::current().id()));
    assert_eq!(first, who());
}

#[test]
fn a_pool_in_use_leaves_the_caller_to_work_alone() {
    let pool = Pool::new(3).unwrap();
    let inner = AtomicUsize::new(0);
    let all = Barrier::new(3);
    pool.run(3, &|_| {
        all.wait();
        // From inside, on all its threads at once.
        pool.run(3, &|number| {
            assert_eq!(number, 0);
            inner.fetch_add(1, Ordering::Relaxed);
        });
        all.wait();
    });
    assert_eq!(inner.into_inner(), 3);
}

#[test]
fn many_may_call_at_once_and_each_hears_of_its_own_work_only() {
    let pool = Pool::new(3).unwrap();
    thread::scope(|scope| {
        for caller in 0..4 {
            let pool = pool.clone();
            scope.spawn(move || {
                for _ in 0..2000 {
                    let sum = AtomicUsize::new(0);
                    let calls = AtomicUsize::new(0);
                    pool.run(3, &|_| {
                        sum.fetch_add(caller, Ordering::Relaxed);
                        calls.fetch_add(1, Ordering::Relaxed);
                    });
                    let calls = calls.into_inner();
                    assert!((1..=3).contains(&calls));
                    assert_eq!(sum.into_inner(), caller * calls);
                }
            });
        }
    });
}

#[test]
fn a_panic_comes_out_and_the_pool_goes_on() {
    let pool = Pool::new(3).unwrap();
    for bad in 0..3 {
        let all = Barrier::new(3);
        let run = || {
            pool.run(3, &|number| {
                all.wait();
                assert!(number != bad, "it was {number}");
            });
        };
        let panic = panic::catch_unwind(AssertUnwindSafe(run)).unwrap_err();
        assert_eq!(*panic.downcast::<String>().unwrap(), format!("it was {bad}"));
        assert_eq!(numbers(&pool, 3, 3), [0, 1, 2]);
    }
    // All threads panic: one panic propagates, and the next call is not affected.
    let all = Barrier::new(3);
    let run = || {
        pool.run(3, &|number| {
            all.wait();
            panic!("it was {number}");
        });
    };
    assert!(panic::catch_unwind(AssertUnwindSafe(run)).is_err());
    assert_eq!(numbers(&pool, 3, 3), [0, 1, 2]);
}

#[test]
fn with_the_last_clone_the_threads_end() {
    /// Counts the threads that have ended.
    struct Ended(Arc<AtomicUsize>);
    impl Drop for Ended {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    thread_local!(static ENDED: RefCell<Option<Ended>> = const { RefCell::new(None) });

    let ended = Arc::new(AtomicUsize::new(0));
    for pause in [0, 5] {
        ended.store(0, Ordering::SeqCst);
        let pool = Pool::new(4).unwrap();
        let all = Barrier::new(4);
        pool.run(4, &|number| {
            if number > 0 {
                ENDED.with_borrow_mut(|it| *it = Some(Ended(Arc::clone(&ended))));
            }
            all.wait();
        });
        let clone = pool.clone();
        drop(pool);
        thread::sleep(Duration::from_millis(pause));
        assert_eq!(ended.load(Ordering::SeqCst), 0);
        drop(clone);
        assert_eq!(ended.load(Ordering::SeqCst), 3);
    }
}
