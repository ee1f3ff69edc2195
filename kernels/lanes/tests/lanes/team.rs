//! Jobs run once, and phases in sequence, for every executor.

use std::iter;
use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use taut_core::{Executor, Inline};
use taut_lanes::Team;

type Work<'a> = &'a (dyn Fn(usize) + Sync);

/// An executor with this number of threads and this `run`.
struct Threads<F>(usize, F);

impl<F: Fn(usize, Work<'_>) + Send + Sync> Executor for Threads<F> {
    fn threads(&self) -> usize {
        self.0
    }

    fn run(&self, threads: usize, work: Work<'_>) {
        self.1(threads, work);
    }
}

/// Calls `work` with each thread index, each on a thread of its own.
fn spawn(indices: impl IntoIterator<Item = usize>, work: Work<'_>) {
    thread::scope(|scope| {
        for index in indices {
            scope.spawn(move || work(index));
        }
    });
}

/// The end of the last phase. (Fewer jobs in Miri, which is slow.)
const END: usize = if cfg!(miri) { 68 } else { 200 };
const MANY_THREADS: usize = if cfg!(miri) { 6 } else { 300 };

/// Phases of different widths, one of them empty; the first job does not have index 0.
const PHASES: [Range<usize>; 5] =
    [if cfg!(miri) { 57 } else { 3 }..60, 60..61, 61..61, 61..64, 64..END];
const FIRST_JOB: usize = PHASES[0].start;
const JOBS: usize = END - FIRST_JOB;

/// Runs [`PHASES`], and checks the guarantees of a team in every job.
fn check_guarantees(name: &str, executor: &dyn Executor) {
    let mut team = Team::default();
    // A team can be reused with other arguments.
    for rounds in [7, 1] {
        let (begun, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let run_counts = [(); JOBS].map(|()| AtomicUsize::new(0));
        let job = |job: usize| {
            begun.fetch_add(1, Ordering::SeqCst);
            let round = run_counts[job - FIRST_JOB].fetch_add(1, Ordering::SeqCst);
            let phase = PHASES.into_iter().find(|phase| phase.contains(&job)).unwrap();
            let jobs_before = round * JOBS + phase.start - FIRST_JOB;
            let earlier_ended = ended.load(Ordering::SeqCst) >= jobs_before;
            thread::yield_now();
            let no_later_began = begun.load(Ordering::SeqCst) <= jobs_before + phase.len();
            ended.fetch_add(1, Ordering::SeqCst);
            assert!(earlier_ended, "{name}: job {job} began before the preceding phase ended");
            assert!(no_later_began, "{name}: the next phase began before job {job} ended");
        };
        team.run(executor, executor.threads(), rounds, || PHASES.into_iter(), job);
        assert_eq!(ended.load(Ordering::SeqCst), JOBS * rounds as usize, "{name}: jobs run");
        for (index, count) in run_counts.iter().enumerate() {
            let job = FIRST_JOB + index;
            assert_eq!(count.load(Ordering::SeqCst), rounds as usize, "{name}: runs of job {job}");
        }
    }
}

#[test]
fn a_team_keeps_its_guarantees_on_any_executor() {
    check_guarantees("inline", &Inline);
    for threads in [1, 2, 3, 8, MANY_THREADS] {
        let spawning = Threads(threads, |threads, work: Work<'_>| spawn(0..threads, work));
        check_guarantees(&format!("{threads} threads"), &spawning);
    }
    check_guarantees("the work is never called", &Threads(4, |_, _: Work<'_>| {}));
    check_guarantees("zero threads", &Threads(0, |_, work: Work<'_>| work(0)));
    check_guarantees(
        "only an index out of range",
        &Threads(4, |_, work: Work<'_>| spawn([usize::MAX], work)),
    );
    check_guarantees(
        "the same index five times",
        &Threads(4, |_, work: Work<'_>| spawn([1; 5], work)),
    );
    check_guarantees(
        "more threads than requested",
        &Threads(2, |_, work: Work<'_>| spawn(0..MANY_THREADS.min(40), work)),
    );
    let backwards = |threads, work: Work<'_>| (0..threads).rev().for_each(work);
    check_guarantees("backwards, one by one", &Threads(5, backwards));
    let repeated = |threads, work: Work<'_>| {
        spawn((0..threads).rev(), work);
        spawn(0..threads, work);
        work(0);
    };
    check_guarantees("repeated calls", &Threads(3, repeated));
}

#[test]
fn several_threads_run_jobs() {
    let executor = Threads(4, |threads, work: Work<'_>| spawn(0..threads, work));
    let thread_ids = Mutex::new(Vec::new());
    // Each job waits for another thread, so a single thread would never finish.
    let job = |_| {
        let me = thread::current().id();
        thread_ids.lock().unwrap().push(me);
        while thread_ids.lock().unwrap().iter().all(|&other| other == me) {
            thread::yield_now();
        }
    };
    Team::default().run(&executor, 4, 1, || iter::once(0..8), job);
    assert_eq!(thread_ids.into_inner().unwrap().len(), 8, "jobs run");
}

#[test]
fn each_item_is_changed_once_with_its_index() {
    let executors: [(usize, &dyn Executor); 4] = [
        (1, &Inline),
        (4, &Threads(4, |threads, work: Work<'_>| spawn(0..threads, work))),
        (4, &Threads(4, |_, _: Work<'_>| {})),
        (2, &Threads(2, |_, work: Work<'_>| spawn([1; 5], work))),
    ];
    for (threads, executor) in executors {
        let mut items = [0; 50];
        Team::default().for_each(executor, threads, &mut items, |index, item| *item += 1 + index);
        assert!(items.iter().copied().eq(1..51), "{threads} threads: {items:?}");
        Team::default().for_each(executor, threads, &mut [0; 0], |_, _| panic!("there is no item"));
    }
}

#[test]
fn without_rounds_no_thread_is_called() {
    let unused = Threads(6, |_, _: Work<'_>| panic!("the executor was called without rounds"));
    Team::default().run(&unused, 6, 0, || iter::once(0..9), |_| panic!("a job ran without rounds"));
}

#[test]
fn a_job_that_panics_ends_the_run_and_no_later_phase_begins() {
    let hides_panics = |threads, work: Work<'_>| {
        spawn(0..threads, &|thread| {
            let _ = panic::catch_unwind(AssertUnwindSafe(|| work(thread)));
        });
    };
    let propagates_panics = |threads, work: Work<'_>| spawn(0..threads, work);
    let executors: [&dyn Executor; 3] =
        [&Inline, &Threads(3, propagates_panics), &Threads(3, hides_panics)];
    for executor in executors {
        let later_jobs = AtomicUsize::new(0);
        let mut team = Team::default();
        let run = AssertUnwindSafe(|| {
            team.run(
                executor,
                3,
                2,
                || [0..20, 20..40].into_iter(),
                |job| {
                    assert!(job != 13, "job 13");
                    later_jobs.fetch_add(usize::from(job >= 20), Ordering::SeqCst);
                },
            );
        });
        assert!(panic::catch_unwind(run).is_err(), "the panic of job 13 was lost");
        assert_eq!(later_jobs.into_inner(), 0, "jobs of the next phase that ran");
        check_guarantees("the same executor after a panic", executor);
    }
}
