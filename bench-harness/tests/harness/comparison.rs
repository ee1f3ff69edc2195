//! Comparisons run the frames that they report, and report what they ran.

use std::collections::BTreeMap;

use taut::world::{Model, StickSet};
use taut::{AnyKernel, Formula, Kernel, Pool, Step};
use taut_bench::{
    ArrangementError, Comparison, ComparisonError, Configuration, EARLY_FRAME, ROUNDS,
    disagreements,
};

use crate::fixtures::{
    all_configurations, arrangement, comparison, overflowing, row_of, run, run_scalar, scalar,
    sheet, shuffled_disc, step,
};

#[test]
fn the_textbook_row_is_first_and_the_configurations_follow_in_order() {
    let model = sheet();
    let configurations = all_configurations(&model, &[Formula::Newton, Formula::Quick]);
    let rows = run(&comparison(model.clone(), configurations.clone()));
    assert_eq!(rows.len(), 1 + configurations.len());
    assert_eq!(rows[0].name(), "textbook/scalar/t1 exact authored");
    assert_eq!(rows[0].lanes, 1);
    for (row, configuration) in rows[1..].iter().zip(&configurations) {
        assert_eq!(row.name(), configuration.name());
        let Configuration { kernel, formula, arrangement } = configuration;
        assert_eq!(row.kernel, Kernel::<3>::name(kernel));
        assert_eq!(row.isa, Kernel::<3>::isa(kernel));
        assert_eq!(row.lanes, Kernel::<3>::lanes(kernel));
        assert_eq!(row.threads, Kernel::<3>::threads(kernel));
        assert_eq!(row.formula, formula.name());
        assert_eq!(row.schedule, arrangement.to_string());
    }
    for row in &rows {
        assert_eq!((row.particles, row.sticks), (model.particles.len(), model.sticks.len()));
        assert_eq!((row.substeps, row.iterations), (step().substeps, step().iterations));
        assert_eq!((row.dt_s, row.frames), (step().dt, 10));
    }
}

#[test]
fn the_textbook_row_is_present_without_configurations() {
    let [textbook] = run(&comparison(sheet(), Vec::new())).try_into().unwrap();
    assert_eq!(textbook.kernel, "textbook");
}

/// In every order and numbering, the hash is that of the positions in the model's own numbering.
#[test]
fn every_hash_is_that_of_the_scalar_kernel() {
    for model in [sheet(), shuffled_disc()] {
        let configurations = all_configurations(&model, &Formula::ALL);
        let rows = run(&comparison(model.clone(), configurations.clone()));
        let mut expected = BTreeMap::new();
        for (row, Configuration { formula, arrangement, .. }) in
            rows[1..].iter().zip(configurations)
        {
            let hash = || run_scalar(&model, arrangement, formula, &step(), 12).hash();
            let expected = expected.entry((formula.name(), arrangement)).or_insert_with(hash);
            assert_eq!(row.hash, *expected, "{}", row.name());
        }
        assert_eq!(disagreements(&rows), []);
    }
}

#[test]
fn in_a_calm_scene_all_configurations_stay_near_f64_and_near_rest() {
    for model in [sheet(), shuffled_disc()] {
        let configurations = all_configurations(&model, &Formula::ALL);
        for row in run(&comparison(model.clone(), configurations)) {
            assert!(row.error_vs_f64 > 0.0 && row.error_vs_f64 < 1e-3, "{row:?}");
            for (rms, max) in
                [(row.stretch_rms, row.stretch_max), (row.compression_rms, row.compression_max)]
            {
                assert!(rms >= 0.0 && max >= rms && max < 1.0, "{row:?}");
            }
            let residual = row.stretch_rms.hypot(row.compression_rms);
            assert!(residual > 0.0 && residual < 0.1, "{row:?}");
            assert!(row.finite && !row.blew_up(), "{row:?}");
        }
    }
}

/// Renumbering particles keeps the list of sticks in order, so the order `authored`, which depends
/// only on that list, gives the same bits in every numbering.
#[test]
fn a_numbering_alone_changes_no_bit() {
    for model in [sheet(), shuffled_disc()] {
        let names = ["authored", "authored/rcm", "authored/hilbert"];
        let configurations = names.map(|name| scalar(Formula::Halley, arrangement(name))).to_vec();
        let rows = run(&comparison(model, configurations));
        assert_eq!(rows[1].hash, rows[2].hash);
        assert_eq!(rows[1].hash, rows[3].hash);
    }
}

/// The order `blocked` would differ if it were built after renumbering.
#[test]
fn renumbering_after_scheduling_changes_no_bit() {
    for model in [sheet(), shuffled_disc()] {
        let names = ["blocked", "blocked+rcm", "blocked+hilbert", "blocked/hilbert"];
        let configurations = names.map(|name| scalar(Formula::Halley, arrangement(name))).to_vec();
        let rows = run(&comparison(model, configurations));
        assert_eq!(rows[1].hash, rows[2].hash);
        assert_eq!(rows[1].hash, rows[3].hash);
        assert_ne!(rows[1].hash, rows[4].hash);
    }
}

#[test]
fn different_orders_give_different_results() {
    let names = ["authored", "coloured", "packed", "sheet"];
    let configurations = names.map(|name| scalar(Formula::Halley, arrangement(name))).to_vec();
    let rows = run(&comparison(sheet(), configurations));
    let mut hashes: Vec<_> = rows[1..].iter().map(|row| row.hash).collect();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), names.len());
}

#[test]
fn exactly_the_warm_up_and_the_timed_frames_are_run() {
    let model = sheet();
    let (formula, order) = (Formula::Halley, arrangement("packed"));
    let splits = [(0, 1), (0, ROUNDS), (1, ROUNDS - 1), (0, ROUNDS + 1), (5, 3), (7, 19), (20, 1)];
    for (warmup, frames) in splits {
        let comparison = Comparison {
            warmup,
            frames,
            ..comparison(model.clone(), vec![scalar(formula, order)])
        };
        let row = row_of(&comparison);
        assert_eq!(row.frames, frames);
        let expected = run_scalar(&model, order, formula, &step(), warmup + frames).hash();
        assert_eq!(row.hash, expected, "{warmup} + {frames} frames");
    }
}

#[test]
fn repeated_frames_give_the_same_result() {
    for (warmup, frames) in [(0, 3), (4, ROUNDS + 1)] {
        let configurations = vec![scalar(Formula::Halley, arrangement("blocked/rcm"))];
        let once = Comparison { warmup, frames, ..comparison(shuffled_disc(), configurations) };
        let again = Comparison { repeats: 3, ..once.clone() };
        for (once, again) in run(&once).iter().zip(&run(&again)) {
            assert_eq!(again.hash, once.hash, "{}", again.name());
            assert_eq!(again.error_vs_f64.to_bits(), once.error_vs_f64.to_bits());
        }
    }
}

/// The error is not measured after the last frame, because it would be meaningless for simulations that
/// blow up.
#[test]
fn the_error_against_f64_is_measured_after_frame_10() {
    let configurations = || vec![scalar(Formula::Exact, arrangement("packed/rcm"))];
    let after = |warmup, frames| {
        let comparison = Comparison { warmup, frames, ..comparison(sheet(), configurations()) };
        assert_eq!(comparison.early_frame(), EARLY_FRAME.min(warmup + frames));
        row_of(&comparison).error_vs_f64
    };
    let early = after(0, EARLY_FRAME);
    assert!(early > 0.0);
    for (warmup, frames) in [(EARLY_FRAME - 1, 1), (EARLY_FRAME + 9, 4), (2, EARLY_FRAME)] {
        assert_eq!(after(warmup, frames).to_bits(), early.to_bits(), "{warmup} + {frames} frames");
    }
    // With fewer frames, it is the distance after the last.
    assert!(after(0, 1) < early);
}

#[test]
fn operations_are_counted_for_every_stick_iteration_and_substep() {
    for model in [sheet(), shuffled_disc()] {
        let relaxations = model.sticks.len() as u64 * 2 * 3;
        let configurations = all_configurations(&model, &Formula::ALL);
        for row in run(&comparison(model.clone(), configurations)) {
            let expected = match row.formula {
                "exact" => [1, 1, 0],
                "newton" | "halley" => [1, 0, 0],
                "quick" => [0, 0, 1],
                other => panic!("unknown formula {other}"),
            };
            let counted =
                [row.divisions_per_frame, row.square_roots_per_frame, row.estimates_per_frame];
            assert_eq!(
                counted,
                expected.map(|per_stick: u64| per_stick * relaxations),
                "{}",
                row.name()
            );
        }
    }
}

/// Checks only that times are consistent with each other.
#[test]
fn times_are_positive_and_consistent() {
    let model = sheet();
    let relaxations = model.sticks.len() as f64 * 2.0 * 3.0;
    let configurations = all_configurations(&model, &[Formula::Halley]);
    let rows = run(&comparison(model, configurations));
    let near = |one: f64, other: f64| (one / other - 1.0).abs() < 1e-9;
    for row in &rows {
        assert!(0.0 < row.frame_us_fastest && row.frame_us_fastest <= row.frame_us_median);
        assert!(near(row.ns_per_stick_median * relaxations, row.frame_us_median * 1e3), "{row:?}");
        assert!(
            near(row.ns_per_stick_fastest * relaxations, row.frame_us_fastest * 1e3),
            "{row:?}"
        );
        assert!(near(row.million_sticks_per_s() * row.ns_per_stick_median, 1e3), "{row:?}");
        let textbook = rows[0].frame_us_median;
        assert!(near(row.speedup_over_textbook * row.frame_us_median, textbook), "{row:?}");
    }
    let scalar = rows.iter().filter(|row| row.kernel == "scalar");
    let best = scalar.map(|row| row.speedup_over_scalar).max_by(f64::total_cmp);
    assert_eq!(best, Some(1.0));
}

#[test]
fn a_row_on_threads_has_its_inner_kernel_and_its_speedup_over_one_thread() {
    let configuration = |kernel: AnyKernel| Configuration {
        kernel,
        ..scalar(Formula::Halley, arrangement("blocked"))
    };
    let (best, scalar_kernel) = (AnyKernel::best(), AnyKernel::named("scalar").unwrap());
    let name = Kernel::<3>::name(&best);
    let pool = Pool::new(2).unwrap();
    let kernels = [best.clone(), best.on_threads(pool.clone()), scalar_kernel.on_threads(pool)];
    let rows = run(&comparison(sheet(), kernels.map(configuration).to_vec()));
    let [textbook, one, two, scalar_on_two] = rows.try_into().unwrap();
    // `colour` is the kernel that runs plans of another kernel on threads.
    assert_eq!((two.kernel, two.inner, two.threads), ("colour", name, 2));
    assert_eq!((one.kernel, one.inner, one.threads), (name, name, 1));
    let ratio = one.frame_us_median / two.frame_us_median;
    assert_eq!(two.speedup_over_one_thread, Some(ratio));
    assert_eq!(one.speedup_over_one_thread, Some(1.0));
    assert_eq!(textbook.speedup_over_one_thread, Some(1.0));
    let speedup = scalar_on_two.speedup_over_one_thread;
    assert_eq!(speedup, None, "the scalar kernel was not run on one thread");
    let isa = two.isa;
    assert_eq!(two.name(), format!("colour({name})/{isa}/t2 halley blocked"));
}

/// In the authored order, one iteration per frame gains energy.
#[test]
fn a_sheet_in_authored_order_blows_up_and_its_rows_say_so() {
    let model = Model::drape(32, StickSet::All).unwrap();
    let step = Step { substeps: 1, iterations: 1, ..Step::default() };
    let scalar_authored = scalar(Formula::Exact, arrangement("authored"));
    let best_authored = Configuration { kernel: AnyKernel::best(), ..scalar_authored.clone() };
    let in_sheet_order = scalar(Formula::Exact, arrangement("sheet"));
    let configurations = vec![scalar_authored, best_authored, in_sheet_order];
    let rows =
        run(&Comparison { step, warmup: 299, frames: 1, ..comparison(model, configurations) });
    let (in_sheet_order, in_authored_order) = rows.split_last().unwrap();
    for row in in_authored_order {
        assert!(row.blew_up() && !row.finite && row.stretch_rms.is_nan(), "{row:?}");
        assert!(row.error_vs_f64 < 1e-3, "the early frame is still accurate: {row:?}");
    }
    assert!(in_sheet_order.finite && !in_sheet_order.blew_up(), "{in_sheet_order:?}");
    // The hash treats all NaN as equal.
    assert_eq!(disagreements(&rows), []);
}

#[test]
fn a_nan_error_of_one_particle_is_not_hidden_by_the_particles_after_it() {
    let configurations = all_configurations(&overflowing(), &[Formula::Exact]);
    for row in run(&comparison(overflowing(), configurations)) {
        assert!(row.error_vs_f64.is_nan(), "{row:?}");
        assert!(row.stretch_rms.is_nan() && row.compression_max.is_nan(), "{row:?}");
        assert!(!row.finite && row.blew_up(), "{row:?}");
    }
}

#[test]
fn progress_rises_from_0_to_1() {
    let model = sheet();
    let configurations = all_configurations(&model, &[Formula::Halley]);
    let comparison = Comparison { warmup: 1, frames: 3, ..comparison(model, configurations) };
    let mut reports: Vec<(f64, String)> = Vec::new();
    let rows = comparison.run(|progress| reports.push((progress.share, progress.doing.to_owned())));
    assert_eq!(reports[0].0.to_bits(), 0.0_f64.to_bits());
    assert_eq!(reports[reports.len() - 1].0.to_bits(), 1.0_f64.to_bits());
    assert!(reports.windows(2).all(|pair| pair[0].0 <= pair[1].0), "{reports:?}");
    for row in rows.unwrap() {
        assert!(reports.iter().any(|(_, doing)| *doing == row.name()), "{}", row.name());
    }
}

#[test]
fn a_comparison_does_not_change_its_model_and_can_run_again() {
    let model = shuffled_disc();
    let configurations = all_configurations(&model, &[Formula::Quick]);
    let comparison = comparison(model.clone(), configurations);
    let hashes = || run(&comparison).iter().map(|row| row.hash).collect::<Vec<_>>();
    assert_eq!(hashes(), hashes());
    assert_eq!(comparison.model.particles.hash(), model.particles.hash());
}

#[test]
fn invalid_comparisons_are_rejected() {
    let error_of = |comparison: Comparison| comparison.run(|_| ()).unwrap_err();
    let valid = || comparison(shuffled_disc(), vec![scalar(Formula::Exact, arrangement("packed"))]);

    for invalid in [Comparison { frames: 0, ..valid() }, Comparison { repeats: 0, ..valid() }] {
        let error = error_of(invalid);
        assert!(matches!(error, ComparisonError::NoFrames), "{error}");
    }

    let error = error_of(Comparison { step: Step { substeps: 0, ..step() }, ..valid() });
    assert!(matches!(error, ComparisonError::Step(_)), "{error}");
    let error = error_of(Comparison { step: Step { dt: f32::NAN, ..step() }, ..valid() });
    assert!(matches!(error, ComparisonError::Step(_)), "{error}");

    let configurations = vec![scalar(Formula::Exact, arrangement("sheet"))];
    let error = error_of(Comparison { configurations, ..valid() });
    assert!(matches!(error, ComparisonError::Arrangement(ArrangementError::NotASheet)), "{error}");
}
