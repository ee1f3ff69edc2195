//! `SizeScaling` runs a comparison for each size and leaves out what would take too long.

use taut::world::{Model, StickSet};
use taut::{AnyKernel, Formula};
use taut_bench::roofline::Peak;
use taut_bench::{
    Arrangement, Baselines, Comparison, ComparisonError, Configuration, SizeScaling,
    SizeScalingPoint,
};

use crate::fixtures::{arrangement, comparison, run};

/// Copies of a small disc, on every kernel that runs them.
fn copies(count: usize) -> Result<Comparison, ComparisonError> {
    let model = Model::disc(6, StickSet::All)?;
    let arrangement: Arrangement = arrangement("blocked");
    let arranged = arrangement.of_copies(&model, count)?;
    let kernels = AnyKernel::available().into_iter().filter(|it| it.runs(&arranged.schedule));
    let configuration = |kernel| Configuration { kernel, formula: Formula::Halley, arrangement };
    let configurations = kernels.map(configuration).collect();
    Ok(Comparison { copies: count, ..comparison(model, configurations) })
}

fn scaling(row_seconds_max: f64) -> Vec<SizeScalingPoint> {
    let scaling = SizeScaling { sizes: vec![1, 3, 17], comparison: copies, row_seconds_max };
    scaling.run(&Peak::measure(0), |_| ()).unwrap()
}

#[test]
fn every_size_has_the_rows_of_its_comparison_with_limits() {
    let points = scaling(f64::INFINITY);
    assert_eq!(points.iter().map(|point| point.size).collect::<Vec<_>>(), [1, 3, 17]);
    for SizeScalingPoint { size, rows } in points {
        let expected = run(&copies(size).unwrap());
        assert_eq!(rows.len(), expected.len());
        for (row, expected) in rows.iter().zip(expected) {
            assert_eq!((row.row.name(), row.row.hash), (expected.name(), expected.hash));
            assert_eq!(row.limit.is_none(), row.row.kernel == "textbook");
            assert!(row.limit.is_none_or(|it| it.limit_ns > 0.0 && it.limit_ns.is_finite()));
        }
    }
}

#[test]
fn rows_that_were_too_slow_at_the_previous_size_are_left_out() {
    let [first, others @ ..] = &scaling(0.0)[..] else { unreachable!() };
    assert_eq!(first.rows.len(), run(&copies(1).unwrap()).len());
    // The kernel `copies` does not run a single copy: its first row is at size 3.
    for row in others.iter().flat_map(|point| &point.rows) {
        assert_eq!(row.row.kernel, "copies");
    }
    // At size 17 nothing is left: `copies` was too slow at size 3.
    assert_eq!((others[0].rows.is_empty(), others[1].rows.is_empty()), (false, true));
}

#[test]
fn progress_names_the_size_and_a_failing_size_ends_the_run() {
    let mut shares = Vec::new();
    let scaling = SizeScaling { sizes: vec![2, 4], comparison: copies, row_seconds_max: 1.0 };
    let ran = scaling.run(&[], |it| {
        assert!(it.doing.starts_with(if it.share < 0.5 { "size 2: " } else { "size " }));
        shares.push(it.share);
    });
    assert!(ran.unwrap().iter().flat_map(|it| &it.rows).all(|row| row.limit.is_none()));
    assert!(shares.is_sorted() && shares.last() == Some(&1.0));
    let scaling = SizeScaling { sizes: vec![0], comparison: copies, row_seconds_max: 1.0 };
    assert!(scaling.run(&[], |_| ()).is_err());
}

#[test]
fn baselines_can_be_left_out() {
    let with = |textbook, double| {
        let baselines = Baselines { textbook, double };
        run(&Comparison { baselines, ..copies(2).unwrap() })
    };
    let all = with(true, true);
    for (textbook, double) in [(true, false), (false, true), (false, false)] {
        let rows = with(textbook, double);
        let expected = &all[usize::from(!textbook)..];
        assert_eq!(rows.len(), expected.len());
        for (row, expected) in rows.iter().zip(expected) {
            assert_eq!((row.name(), row.hash), (expected.name(), expected.hash));
            assert_eq!(row.error_vs_f64.is_nan(), !double);
            assert_eq!(row.speedup_over_textbook.is_nan(), !textbook);
        }
    }
}
