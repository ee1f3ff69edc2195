//! The benches of `kernels` and `ticks`, generic over the measurement: wall-clock time or ticks.

mod summary;

use std::cell::LazyCell;
use std::env;
use std::time::Duration;

use criterion::measurement::Measurement;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput};
use taut::{Formula, Stretch};
use taut_bench::{BenchCase, RUN_FRAMES, Run, SCENARIOS, Scenario, kernel_label};

use summary::{RunTimes, Summary};

/// The size of the models when the benches run as a smoke test, without measuring.
const SMOKE_SIZE: usize = 12;
/// The name of the textbook loop, which is not a kernel.
const TEXTBOOK: &str = "textbook";

/// Runs all scenarios and prints the summary. `folder`, which is empty or ends in a slash, prefixes
/// the ids of benchmarks, so that criterion compares only runs with the same `measurement`.
pub(crate) fn run<M: Measurement + 'static>(
    criterion: Criterion<M>,
    measurement: &M,
    unit: &'static str,
    folder: &str,
) {
    let mut criterion = criterion
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(600))
        .nresamples(10_000)
        .configure_from_args();
    let mut summary = Summary::new(unit);
    for scenario in SCENARIOS {
        for &formula in scenario.formulas {
            let name = format!("{folder}{}/{formula}", scenario.name);
            let group = criterion.benchmark_group(name);
            run_group(group, measurement, scenario, formula, &mut summary);
        }
    }
    criterion.final_summary();
    if !is_smoke() {
        summary.print();
    }
}

/// Whether the benches run as a smoke test. Criterion decides it in the same way: `--bench`, which
/// `cargo bench` passes, is absent, or `--test` is present.
fn is_smoke() -> bool {
    let has_option = |option: &str| env::args().any(|argument| argument == option);
    !has_option("--bench") || has_option("--test")
}

fn run_group<M: Measurement + 'static>(
    mut group: BenchmarkGroup<'_, M>,
    measurement: &M,
    scenario: &Scenario,
    formula: Formula,
    summary: &mut Summary,
) {
    let sizes = if is_smoke() { &[SMOKE_SIZE] } else { scenario.sizes };
    for &size in sizes {
        let id = |name: &str| scenario.benchmark_id(formula, name, size);
        let model = scenario.model(size).unwrap_or_else(|error| panic!("{}: {error}", id("")));
        let relaxations = scenario.relaxations_per_frame(&model);
        group.throughput(Throughput::Elements(relaxations));
        // Lazy, because the command line may filter out all benches of this case.
        let case = LazyCell::new(|| {
            BenchCase::new(*scenario, model, formula)
                .unwrap_or_else(|error| panic!("{}: {error}", id("")))
        });
        for kernel in scenario.kernels() {
            let name = kernel_label(&kernel);
            let start =
                || case.start_run(&kernel).unwrap_or_else(|error| panic!("{}: {error}", id(&name)));
            let result = bench(&mut group, measurement, &name, size, &id(&name), start);
            summary.add(scenario.name, size, formula, &name, relaxations, result);
        }
        if formula == Formula::Exact {
            let start = || case.start_textbook_run();
            let result = bench(&mut group, measurement, TEXTBOOK, size, &id(TEXTBOOK), start);
            summary.add(scenario.name, size, formula, TEXTBOOK, relaxations, result);
        }
    }
    group.finish();
}

/// One bench: runs of at most [`RUN_FRAMES`] frames, each from the start, each verified. Returns
/// their times and the residual after [`RUN_FRAMES`] frames; `None` if the command line filters this
/// bench out.
fn bench<'a, M: Measurement + 'static>(
    group: &mut BenchmarkGroup<'_, M>,
    measurement: &M,
    name: &str,
    size: usize,
    id: &str,
    start: impl Fn() -> Run<'a>,
) -> Option<(RunTimes, Stretch)> {
    let verify =
        |run: &Run<'_>, frames| run.verify(frames).unwrap_or_else(|error| panic!("{id}: {error}"));
    let mut times = RunTimes::default();
    let mut run = None;
    group.bench_function(BenchmarkId::new(name, size), |bencher| {
        let run = run.get_or_insert_with(&start);
        bencher.iter_custom(|total_frames| {
            let mut total = measurement.zero();
            let mut frames_left =
                usize::try_from(total_frames).expect("the number of frames fits into usize");
            while frames_left > 0 {
                let frames = frames_left.min(RUN_FRAMES);
                run.rewind();
                let started = measurement.start();
                run.run_frames(frames);
                let elapsed = measurement.end(started);
                let _ = verify(run, frames);
                times.add(frames, measurement.to_f64(&elapsed) / frames as f64);
                total = measurement.add(&total, &elapsed);
                frames_left -= frames;
            }
            total
        });
    });
    let mut run = run?;
    run.rewind();
    run.run_frames(RUN_FRAMES);
    let residual = verify(&run, RUN_FRAMES);
    println!(
        "{:24}stretch: rms {:.5}, max {:.4}; compression: rms {:.5}",
        "", residual.rms, residual.max, residual.compression_rms
    );
    Some((times, residual))
}
