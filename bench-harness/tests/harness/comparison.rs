//! What a comparison does and what it says of it.

use std::collections::BTreeMap;

use taut::world::{Model, StickSet};
use taut::{AnyKernel, Formula, Kernel, Pool, Step};
use taut_bench::{
    ArrangementError, Comparison, ComparisonError, Configuration, EARLY_FRAME, ROUNDS,
    disagreements,
};

use crate::make::{
    arrangement, breaking, by_hand, comparison, everybody, row_of, run, scalar, sheet,
    shuffled_disc, step,
};

#[test]
fn the_textbook_comes_first_and_then_each_configuration_in_order() {
    let model = sheet();
    let configurations = everybody(&model, &[Formula::Newton, Formula::Quick]);
    let rows = run(&comparison(model.clone(), configurations.clone()));
    assert_eq!(rows.len(), 1 + configurations.len());
    assert_eq!(rows[0].name(), "textbook/scalar/t1 exact authored");
    assert_eq!(rows[0].lanes, 1);
    for (row, Configuration { kernel, formula, arrangement }) in
        rows[1..].iter().zip(&configurations)
    {
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
fn the_textbook_takes_part_without_any_configuration() {
    let [textbook] = run(&comparison(sheet(), Vec::new())).try_into().unwrap();
    assert_eq!(textbook.kernel, "textbook");
}

/// Whatever order and numbering a row had, its hash is that of the positions by the model's own
/// numbers.
#[test]
fn every_hash_is_that_of_the_scalar_kernel_by_hand() {
    for model in [sheet(), shuffled_disc()] {
        let configurations = everybody(&model, &Formula::ALL);
        let rows = run(&comparison(model.clone(), configurations.clone()));
        let mut expected = BTreeMap::new();
        for (row, Configuration { formula, arrangement, .. }) in
            rows[1..].iter().zip(configurations)
        {
            let by_hand = || by_hand(&model, arrangement, formula, &step(), 12).hash();
            let expected = expected.entry((formula.name(), arrangement)).or_insert_with(by_hand);
            assert_eq!(row.hash, *expected, "{}", row.name());
        }
        assert_eq!(disagreements(&rows), []);
    }
}

#[test]
fn in_a_tame_scene_everybody_stays_near_f64_and_near_rest() {
    for model in [sheet(), shuffled_disc()] {
        let configurations = everybody(&model, &Formula::ALL);
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

/// Sticks keep their order when particles get other numbers, so an order that asks for nothing
/// but the order of the sticks has the same bits on every numbering.
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

/// However much an order would change if it were made on the new numbers.
#[test]
fn a_numbering_after_the_order_changes_no_bit() {
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
fn an_order_is_part_of_the_answer() {
    let names = ["authored", "coloured", "packed", "sheet"];
    let configurations = names.map(|name| scalar(Formula::Halley, arrangement(name))).to_vec();
    let rows = run(&comparison(sheet(), configurations));
    let mut hashes: Vec<_> = rows[1..].iter().map(|row| row.hash).collect();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), names.len());
}

#[test]
fn the_warm_up_and_the_timed_frames_are_all_run_and_no_more() {
    let model = sheet();
    let by = (Formula::Halley, arrangement("packed"));
    let splits = [(0, 1), (0, ROUNDS), (1, ROUNDS - 1), (0, ROUNDS + 1), (5, 3), (7, 19), (20, 1)];
    for (warmup, frames) in splits {
        let comparison =
            Comparison { warmup, frames, ..comparison(model.clone(), vec![scalar(by.0, by.1)]) };
        let row = row_of(&comparison);
        assert_eq!(row.frames, frames);
        let expected = by_hand(&model, by.1, by.0, &step(), warmup + frames).hash();
        assert_eq!(row.hash, expected, "{warmup} + {frames} frames");
    }
}

#[test]
fn frames_done_again_are_the_same_frames() {
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

#[test]
fn the_distance_from_f64_is_taken_early_and_once() {
    let by = || vec![scalar(Formula::Exact, arrangement("packed/rcm"))];
    let after = |warmup, frames| {
        let comparison = Comparison { warmup, frames, ..comparison(sheet(), by()) };
        assert_eq!(comparison.early_frame(), EARLY_FRAME.min(warmup + frames));
        row_of(&comparison).error_vs_f64
    };
    let early = after(0, EARLY_FRAME);
    assert!(early > 0.0);
    for (warmup, frames) in [(EARLY_FRAME - 1, 1), (EARLY_FRAME + 9, 4), (2, EARLY_FRAME)] {
        assert_eq!(after(warmup, frames).to_bits(), early.to_bits(), "{warmup} + {frames} frames");
    }
    // Fewer frames: after the last.
    assert!(after(0, 1) < early);
}

#[test]
fn operations_are_counted_for_every_stick_iteration_and_substep() {
    for model in [sheet(), shuffled_disc()] {
        let relaxed = model.sticks.len() as u64 * 2 * 3;
        let configurations = everybody(&model, &Formula::ALL);
        for row in run(&comparison(model.clone(), configurations)) {
            let expected = match row.formula {
                "exact" => [1, 1, 0],
                "newton" | "halley" => [1, 0, 0],
                "quick" => [0, 0, 1],
                other => panic!("a formula called {other}"),
            };
            let counted =
                [row.divisions_per_frame, row.square_roots_per_frame, row.estimates_per_frame];
            assert_eq!(counted, expected.map(|a_stick: u64| a_stick * relaxed), "{}", row.name());
        }
    }
}

/// Of times it holds only how they hang together.
#[test]
fn times_are_positive_and_follow_from_the_frames() {
    let model = sheet();
    let relaxed = model.sticks.len() as f64 * 2.0 * 3.0;
    let configurations = everybody(&model, &[Formula::Halley]);
    let rows = run(&comparison(model, configurations));
    let near = |one: f64, other: f64| (one / other - 1.0).abs() < 1e-9;
    for row in &rows {
        assert!(0.0 < row.frame_us_fastest && row.frame_us_fastest <= row.frame_us_median);
        assert!(near(row.ns_per_stick_median * relaxed, row.frame_us_median * 1e3), "{row:?}");
        assert!(near(row.ns_per_stick_fastest * relaxed, row.frame_us_fastest * 1e3), "{row:?}");
        assert!(near(row.million_sticks_per_s() * row.ns_per_stick_median, 1e3), "{row:?}");
        let textbook = rows[0].frame_us_median;
        assert!(near(row.speedup_over_textbook * row.frame_us_median, textbook), "{row:?}");
    }
    let scalar = rows.iter().filter(|row| row.kernel == "scalar");
    let best = scalar.map(|row| row.speedup_over_scalar).max_by(f64::total_cmp);
    assert_eq!(best, Some(1.0));
}

#[test]
fn a_row_on_threads_says_what_is_inside_and_what_it_gains_over_one() {
    let by = (Formula::Halley, arrangement("blocked"));
    let on = |kernel: AnyKernel| Configuration { kernel, ..scalar(by.0, by.1) };
    let (best, slow) = (AnyKernel::best(), AnyKernel::named("scalar").unwrap());
    let name = Kernel::<3>::name(&best);
    let two = Pool::new(2).unwrap();
    let configurations = vec![on(best.clone()), on(best.on_threads(two.clone()))];
    let rows = run(&comparison(sheet(), [configurations, vec![on(slow.on_threads(two))]].concat()));
    let [textbook, one, two, lonely] = rows.try_into().unwrap();
    assert_eq!((two.kernel, two.inside, two.threads), ("colour", name, 2));
    assert_eq!((one.kernel, one.inside, one.threads), (name, name, 1));
    let times = one.frame_us_median / two.frame_us_median;
    assert_eq!(two.speedup_over_one_thread, Some(times));
    assert_eq!(one.speedup_over_one_thread, Some(1.0));
    assert_eq!(textbook.speedup_over_one_thread, Some(1.0));
    assert_eq!(lonely.speedup_over_one_thread, None, "the scalar kernel alone did not take part");
    let isa = two.isa;
    assert_eq!(two.name(), format!("colour({name})/{isa}/t2 halley blocked"));
}

/// All sticks of a particle before the next particle's, one iteration: gains energy.
#[test]
fn a_sheet_in_raster_order_blows_up_and_is_seen_to() {
    let model = Model::drape(32, StickSet::All).unwrap();
    let step = Step { substeps: 1, iterations: 1, ..Step::default() };
    let by = (Formula::Exact, arrangement("authored"));
    let best = Configuration { kernel: AnyKernel::best(), ..scalar(by.0, by.1) };
    let in_bands = scalar(Formula::Exact, arrangement("sheet"));
    let configurations = vec![scalar(by.0, by.1), best, in_bands];
    let rows = run(&Comparison {
        model,
        copies: 1,
        step,
        warmup: 299,
        frames: 1,
        repeats: 1,
        configurations,
    });
    let (in_bands, in_raster_order) = rows.split_last().unwrap();
    for row in in_raster_order {
        assert!(row.blew_up() && !row.finite && row.stretch_rms.is_nan(), "{row:?}");
        assert!(row.error_vs_f64 < 1e-3, "early on it was sound: {row:?}");
    }
    assert!(in_bands.finite && !in_bands.blew_up(), "{in_bands:?}");
    // Every NaN is the same to the hash.
    assert_eq!(disagreements(&rows), []);
}

#[test]
fn a_distance_that_is_not_a_number_is_not_hidden_by_a_later_one_that_is() {
    let configurations = everybody(&breaking(), &[Formula::Exact]);
    for row in run(&comparison(breaking(), configurations)) {
        assert!(row.error_vs_f64.is_nan(), "{row:?}");
        assert!(row.stretch_rms.is_nan() && row.compression_max.is_nan(), "{row:?}");
        assert!(!row.finite && row.blew_up(), "{row:?}");
    }
}

#[test]
fn progress_goes_from_nothing_to_all_and_never_back() {
    let model = sheet();
    let configurations = everybody(&model, &[Formula::Halley]);
    let comparison = Comparison { warmup: 1, frames: 3, ..comparison(model, configurations) };
    let mut heard: Vec<(f64, String)> = Vec::new();
    let rows = comparison.run(|progress| heard.push((progress.share, progress.doing.to_owned())));
    assert_eq!(heard[0].0.to_bits(), 0.0_f64.to_bits());
    assert_eq!(heard[heard.len() - 1].0.to_bits(), 1.0_f64.to_bits());
    assert!(heard.windows(2).all(|pair| pair[0].0 <= pair[1].0), "{heard:?}");
    for row in rows.unwrap() {
        assert!(heard.iter().any(|(_, doing)| *doing == row.name()), "{}", row.name());
    }
}

#[test]
fn a_comparison_leaves_its_scene_alone_and_can_be_run_again() {
    let model = shuffled_disc();
    let configurations = everybody(&model, &[Formula::Quick]);
    let comparison = comparison(model.clone(), configurations);
    let hashes = || run(&comparison).iter().map(|row| row.hash).collect::<Vec<_>>();
    assert_eq!(hashes(), hashes());
    assert_eq!(comparison.model.particles.hash(), model.particles.hash());
}

#[test]
fn invalid_comparisons_are_rejected_with_a_reason() {
    let refusal = |comparison: Comparison| comparison.run(|_| ()).unwrap_err();
    let sound = || comparison(shuffled_disc(), vec![scalar(Formula::Exact, arrangement("packed"))]);

    for none in [Comparison { frames: 0, ..sound() }, Comparison { repeats: 0, ..sound() }] {
        let error = refusal(none);
        assert!(matches!(error, ComparisonError::NoFrames), "{error}");
    }

    let error = refusal(Comparison { step: Step { substeps: 0, ..step() }, ..sound() });
    assert!(matches!(error, ComparisonError::Step(_)), "{error}");
    let error = refusal(Comparison { step: Step { dt: f32::NAN, ..step() }, ..sound() });
    assert!(matches!(error, ComparisonError::Step(_)), "{error}");

    let configurations = vec![scalar(Formula::Exact, arrangement("sheet"))];
    let error = refusal(Comparison { configurations, ..sound() });
    assert!(matches!(error, ComparisonError::Arrangement(ArrangementError::NotASheet)), "{error}");
}
