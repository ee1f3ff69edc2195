//! `cargo bench --bench cloths`: many small cloths side by side in one plan, on one thread and on
//! several.
//!
//! The id of a benchmark is, for example, `cloths/256x32/copies-avx512/1`: 256 sheets of 32 by 32
//! particles on the kernel `copies`, on one thread. The same cloths also run on the best general
//! kernel.
#![forbid(unsafe_code)]

use std::iter::repeat_n;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput};
use taut::world::{Model, StickSet};
use taut::{AnyKernel, BoxedPlan, Formula, Kernel, Particles, Plan, Pool, Schedule, Step, Sticks};
use taut_bench::kernel_label;

/// Frames per run. Each run starts from the initial state, so that the cloths do not come to rest.
const RUN_FRAMES: u64 = 8;
/// Particles along each side of a cloth.
const SIZE: usize = 32;

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    // As criterion does, run as a test unless `cargo bench` passes `--bench`. A test has 7 cloths, which
    // leave lanes of a register empty.
    let cloths = if std::env::args().any(|argument| argument == "--bench") { 256 } else { 7 };

    let cloth = Model::drape(SIZE, StickSet::All).expect("the size suits a sheet");
    let one_schedule = Schedule::for_mesh(&cloth.particles, &cloth.sticks);
    let start = Particles::side_by_side(repeat_n(&cloth.particles, cloths))
        .expect("the particles are within the limit");
    let sticks = Sticks::side_by_side(repeat_n(&cloth.sticks, cloths))
        .expect("the sticks are within the limit");
    let schedule = Schedule::side_by_side(&sticks, repeat_n(&one_schedule, cloths))
        .expect("the cloths share no particle");
    let step = Step { substeps: 1, iterations: 8, ..Step::default() };

    // Resets the cloths, runs frames, and returns the time of the frames.
    let reset_and_run = |plan: &mut BoxedPlan, particles: &mut Particles<3>, frames| {
        for axis in 0..3 {
            particles.positions_mut(axis).copy_from_slice(start.positions(axis));
            particles.previous_mut(axis).copy_from_slice(start.previous(axis));
        }
        let started = Instant::now();
        for _ in 0..frames {
            assert!(plan.step(particles, &sticks, &step).expect("the step is valid").finite);
        }
        started.elapsed()
    };

    let cores = available_parallelism().map_or(1, usize::from);
    let thread_counts = (0..).map(|power| 1 << power).take_while(|&threads| threads <= cores);
    let mut group = criterion.benchmark_group(format!("cloths/{cloths}x{SIZE}"));
    group.throughput(Throughput::Elements(sticks.len() as u64 * u64::from(step.iterations)));
    let mut kernels = vec![AnyKernel::best_for(&schedule), AnyKernel::best()];
    kernels.dedup_by_key(|kernel| kernel_label(kernel));
    let cases = thread_counts
        .flat_map(|threads| kernels.iter().map(move |kernel| (threads, kernel.clone())));
    for (threads, kernel) in cases {
        let name = kernel_label(&kernel);
        let kernel = match threads {
            1 => kernel,
            threads => kernel.on_threads(Pool::new(threads).expect("threads start")),
        };
        let plan = || {
            kernel
                .plan(&start, &sticks, &schedule, Formula::Halley)
                .expect("the kernel runs this schedule")
        };
        let mut state = None; // made once, because criterion calls the closure for each sample
        group.bench_function(BenchmarkId::new(name, threads), |bencher| {
            let (plan, particles) = state.get_or_insert_with(|| (plan(), start.clone()));
            bencher.iter_custom(|frames| {
                let full_runs =
                    (0..frames / RUN_FRAMES).map(|_| reset_and_run(plan, particles, RUN_FRAMES));
                full_runs.sum::<Duration>() + reset_and_run(plan, particles, frames % RUN_FRAMES)
            });
        });
        if let Some((mut plan, mut particles)) = state {
            let _ = reset_and_run(&mut plan, &mut particles, RUN_FRAMES);
            assert_equal_to_single_cloth(&particles, &cloth, &one_schedule, &step);
        }
    }
    group.finish();
    criterion.final_summary();
}

/// Checks that each cloth has the same bits as one cloth alone on the scalar kernel.
fn assert_equal_to_single_cloth(
    all: &Particles<3>,
    cloth: &Model,
    schedule: &Schedule,
    step: &Step<3>,
) {
    let Model { mut particles, sticks, .. } = cloth.clone();
    let scalar = AnyKernel::named("scalar").expect("this build has the scalar kernel");
    let mut plan = scalar
        .plan(&particles, &sticks, schedule, Formula::Halley)
        .expect("the scalar kernel runs every schedule");
    for _ in 0..RUN_FRAMES {
        assert!(plan.step(&mut particles, &sticks, step).expect("the step is valid").finite);
    }
    let bits = |column: &[f32]| column.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    for axis in 0..3 {
        let expected = bits(particles.positions(axis));
        for cloth in all.positions(axis).chunks(particles.len()) {
            assert_eq!(bits(cloth), expected);
        }
    }
}
