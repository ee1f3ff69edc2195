//! `cargo bench --bench cloths`: many small cloths side by side in one plan, on one thread and on
//! several.
//!
//! Paths are `cloths/256x32/copies-avx512/1`: 256 sheets of 32 by 32 particles on the kernel
//! `copies`, on one thread. The same cloths also run on the best kernel that runs every schedule.
#![forbid(unsafe_code)]

use std::iter::repeat_n;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput};
use taut::world::{Model, StickSet};
use taut::{AnyKernel, BoxedPlan, Formula, Kernel, Particles, Plan, Pool, Schedule, Step, Sticks};
use taut_bench::kernel_path;

/// Frames until the cloths are reset, before they come to rest.
const FRAMES: u64 = 8;
const SIZE: usize = 32;

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    // As in criterion: without `--bench`, which `cargo bench` passes, this is a test.
    let cloths = if std::env::args().any(|word| word == "--bench") { 256 } else { 7 };

    let cloth = Model::drape(SIZE, StickSet::All).expect("a sheet");
    let one_schedule = Schedule::for_mesh(&cloth.particles, &cloth.sticks);
    let start = Particles::side_by_side(repeat_n(&cloth.particles, cloths)).expect("particles");
    let sticks = Sticks::side_by_side(repeat_n(&cloth.sticks, cloths)).expect("sticks");
    let schedule =
        Schedule::side_by_side(&sticks, repeat_n(&one_schedule, cloths)).expect("a schedule");
    let step = Step { substeps: 1, iterations: 8, ..Step::default() };

    // Resets the cloths, runs frames, and returns their time.
    let run_frames = |plan: &mut BoxedPlan, particles: &mut Particles<3>, frames| {
        for axis in 0..3 {
            particles.positions_mut(axis).copy_from_slice(start.positions(axis));
            particles.previous_mut(axis).copy_from_slice(start.previous(axis));
        }
        let started = Instant::now();
        for _ in 0..frames {
            assert!(plan.step(particles, &sticks, &step).expect("a valid step").finite);
        }
        started.elapsed()
    };

    let cores = available_parallelism().map_or(1, usize::from);
    let powers = (0..).map(|power| 1 << power).take_while(|&threads| threads <= cores);
    let mut group = criterion.benchmark_group(format!("cloths/{cloths}x{SIZE}"));
    group.throughput(Throughput::Elements(sticks.len() as u64 * u64::from(step.iterations)));
    let mut kernels = vec![AnyKernel::best_for(&schedule), AnyKernel::best()];
    kernels.dedup_by_key(|kernel| kernel_path(kernel));
    let cases = powers.flat_map(|threads| kernels.iter().map(move |it| (threads, it.clone())));
    for (threads, kernel) in cases {
        let name = kernel_path(&kernel);
        let kernel = match threads {
            1 => kernel,
            more => kernel.on_threads(Pool::new(more).expect("threads")),
        };
        let plan = || kernel.plan(&start, &sticks, &schedule, Formula::Halley).expect("a plan");
        let mut state = None; // made once, because criterion calls the closure for each sample
        group.bench_function(BenchmarkId::new(name, threads), |bencher| {
            let (plan, particles) = state.get_or_insert_with(|| (plan(), start.clone()));
            bencher.iter_custom(|frames| {
                let full_runs = (0..frames / FRAMES).map(|_| run_frames(plan, particles, FRAMES));
                full_runs.sum::<Duration>() + run_frames(plan, particles, frames % FRAMES)
            });
        });
        if let Some((mut plan, mut particles)) = state {
            let _ = run_frames(&mut plan, &mut particles, FRAMES);
            assert_same_bits_alone(&particles, &cloth, &one_schedule, &step);
        }
    }
    group.finish();
    criterion.final_summary();
}

/// Checks that each cloth has the same bits as one cloth alone on the scalar kernel.
fn assert_same_bits_alone(all: &Particles<3>, cloth: &Model, schedule: &Schedule, step: &Step<3>) {
    let Model { mut particles, sticks, .. } = cloth.clone();
    let scalar = AnyKernel::named("scalar").expect("the scalar kernel");
    let mut plan = scalar.plan(&particles, &sticks, schedule, Formula::Halley).expect("a plan");
    for _ in 0..FRAMES {
        assert!(plan.step(&mut particles, &sticks, step).expect("a valid step").finite);
    }
    let bits = |column: &[f32]| column.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    for axis in 0..3 {
        let expected = bits(particles.positions(axis));
        for cloth in all.positions(axis).chunks(particles.len()) {
            assert_eq!(bits(cloth), expected);
        }
    }
}
