//! `cargo bench --bench arrangements`: setup cost before the first frame: arranging a model (ordering
//! its sticks, numbering its particles) and building plans.
//!
//! The id of a benchmark is, for example, `arrange/drape-all/512/blocked/hilbert` or
//! `plan/drape-all/512/pulp-avx512`.
#![forbid(unsafe_code)]

use std::time::Duration;

use criterion::{Criterion, Throughput};
use taut::world::{Arranged, Arrangement, Model, StickSet};
use taut::{AnyKernel, Formula, Kernel};
use taut_bench::kernel_label;

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    // As criterion does, run as a test unless `cargo bench` passes `--bench`.
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    for &size in if is_bench { &[128, 512][..] } else { &[12] } {
        let drape = Model::drape(size, StickSet::All).expect("the size suits a sheet");
        let disc = Model::disc(size, StickSet::All).expect("the size suits a disc").shuffled(1);
        measure(&mut criterion, &format!("drape-all/{size}"), &drape);
        measure(&mut criterion, &format!("disc-shuffled/{size}"), &disc);
    }
    criterion.final_summary();
}

fn measure(criterion: &mut Criterion, name: &str, model: &Model) {
    let default = Arrangement::default_of(model);
    let mut arrangements = vec![default];
    for other in ["banded", "packed/rcm", "blocked/hilbert", "starred/rcm"] {
        let other = other.parse().expect("the name of an arrangement");
        if other != default {
            arrangements.push(other);
        }
    }
    let arrange =
        |arrangement: Arrangement| arrangement.of(model).expect("the arrangement suits this model");

    let mut group = criterion.benchmark_group(format!("arrange/{name}"));
    group.throughput(Throughput::Elements(model.sticks.len() as u64));
    for arrangement in arrangements {
        group.bench_function(arrangement.to_string(), |bencher| {
            bencher.iter_with_large_drop(|| arrange(arrangement));
            assert_contains_all_sticks(&arrange(arrangement), model);
        });
    }
    group.finish();

    let Arranged { particles, sticks, schedule, .. } = arrange(default);
    let mut group = criterion.benchmark_group(format!("plan/{name}"));
    group.throughput(Throughput::Elements(sticks.len() as u64));
    let mut kernels = vec![AnyKernel::best_for(&schedule), AnyKernel::best()];
    kernels.dedup_by_key(|kernel| kernel_label(kernel));
    for kernel in kernels {
        let plan = || {
            kernel
                .plan(&particles, &sticks, &schedule, Formula::Halley)
                .expect("the kernel runs this schedule")
        };
        group.bench_function(kernel_label(&kernel), |bencher| bencher.iter_with_large_drop(plan));
    }
    group.finish();
}

/// Checks that the order contains every stick once.
fn assert_contains_all_sticks(arranged: &Arranged, model: &Model) {
    let mut order = arranged.schedule.order().to_vec();
    order.sort_unstable();
    assert!(order.iter().map(|&stick| stick as usize).eq(0..model.sticks.len()));
}
