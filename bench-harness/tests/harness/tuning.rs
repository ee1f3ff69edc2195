//! Tunings: which candidate is chosen, and why others are not. No test asserts which is faster.

use std::collections::BTreeSet;
use std::iter::repeat_n;
use std::time::Duration;

use taut::world::{Arranged, Model, StickSet};
use taut::{Fingerprint, Formula, Kernel, Particles, Plan, Step};
use taut_bench::{
    Arrangement, Choice, NOISE, RESIDUAL_CHECK_FRAMES, Trial, TrialOutcome, Tuning, TuningError,
    disagreements, faster_half,
};

use crate::fixtures::{arrangement, run_scalar, sheet, shuffled_disc, step};

/// A budget that these small models never use up.
const LONG: Duration = Duration::from_secs(3600);

fn tuning(model: &Model, reference: &str) -> Tuning {
    let reference = arrangement(reference);
    Tuning {
        model: model.clone(),
        copies: 1,
        step: step(),
        formula: Formula::Halley,
        reference,
        any_schedule: false,
        max_residual: None,
        candidates: Tuning::candidates(model, reference, 1, &[1, 2]).unwrap(),
        budget: LONG,
    }
}

fn run(tuning: &Tuning) -> Choice {
    tuning.run(|_| ()).unwrap()
}

/// A tuning whose reference order, with one iteration, blows up.
fn unstable(any_schedule: bool) -> Tuning {
    let model = Model::drape(32, StickSet::All).unwrap();
    let step = Step { substeps: 1, iterations: 1, ..Step::default() };
    Tuning { step, formula: Formula::Exact, any_schedule, ..tuning(&model, "authored") }
}

#[test]
fn the_faster_half_is_sorted_by_time_and_has_at_least_the_minimum_count() {
    let times = [(7, 3.0), (1, 1.0), (4, f64::INFINITY), (2, 2.0), (9, 5.0)];
    assert_eq!(faster_half(&times, 0), [1, 2, 7]);
    assert_eq!(faster_half(&times[..4], 0), [1, 2]);
    assert_eq!(faster_half(&times, 4), [1, 2, 7, 9]);
    assert_eq!(faster_half(&times, usize::MAX), [1, 2, 7, 9, 4]);
    assert_eq!(faster_half(&[], 3), [0; 0]);
}

#[test]
fn candidates_are_unique_and_grouped_by_arrangement() {
    for (model, reference) in
        [(sheet(), "sheet"), (sheet(), "packed"), (shuffled_disc(), "blocked/rcm")]
    {
        let candidates = tuning(&model, reference).candidates;
        let names: Vec<_> = candidates
            .iter()
            .map(|it| {
                (
                    it.arrangement.to_string(),
                    Kernel::<3>::name(it.kernel.inner()),
                    Kernel::<3>::threads(&it.kernel),
                )
            })
            .collect();
        assert_eq!(names[0].0, reference);
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        let groups = candidates.chunk_by(|one, other| one.arrangement == other.arrangement);
        let arrangements: Vec<Arrangement> = groups.map(|group| group[0].arrangement).collect();
        assert_eq!(arrangements.iter().collect::<BTreeSet<_>>().len(), arrangements.len());
        for candidate in &candidates {
            let Arranged { particles, sticks, schedule, .. } =
                candidate.arrangement.of(&model).unwrap();
            assert!(candidate.kernel.plan(&particles, &sticks, &schedule, Formula::Exact).is_ok());
        }
        assert!(names.iter().any(|(_, kernel, threads)| (*kernel, *threads) == ("wide", 2)));
        assert_eq!(names.iter().any(|(_, kernel, _)| *kernel == "grid"), model.sheet.is_some());
    }
}

#[test]
fn the_choice_keeps_the_result_and_with_enough_time_all_candidates_are_timed() {
    for (model, reference) in [(sheet(), "sheet"), (shuffled_disc(), "blocked")] {
        let tuning = tuning(&model, reference);
        let choice = run(&tuning);
        let name = choice.name(choice.chosen);
        let Choice {
            tuned,
            rows,
            chosen,
            runner_up,
            default_choice,
            other_result,
            same_result,
            trials,
            ..
        } = choice;
        assert!(
            name.starts_with(&tuned.kernel) && name.ends_with(&rows[chosen].schedule),
            "{name}"
        );
        assert!(same_result);
        // Small meshes have the same order under several names.
        let order = |it: Arrangement| it.canonical().of(&model).unwrap().schedule.order().to_vec();
        assert_eq!(order(tuned.schedule), order(arrangement(reference)));
        assert_eq!(tuned.mesh, Fingerprint::of(&model.sticks));
        assert!(
            trials
                .iter()
                .all(|it| it.time_ratio.is_some() && it.outcome != TrialOutcome::NotReached)
        );
        assert!(runner_up.is_some_and(|row| row != chosen && row < rows.len()));
        let as_fast = rows[runner_up.unwrap()].frame_us_median * (1.0 + NOISE);
        assert!(rows[chosen].frame_us_median <= as_fast);

        // At least as many frames as were run: the timed ones, and a third as many for the warm-up.
        let frames = rows[chosen].frames + rows[chosen].frames / 3 + 1;
        let same = |row: usize| rows[row].hash == rows[default_choice].hash;
        assert!(same(chosen) && same(runner_up.unwrap()) && !other_result.is_some_and(same));
        let is_reference_result = (1..=frames).any(|frame| {
            run_scalar(&model, tuning.reference, tuning.formula, &step(), frame).hash()
                == rows[chosen].hash
        });
        assert!(is_reference_result, "no frame of the reference order has this hash");
        assert_eq!(disagreements(&rows), []);

        let checked =
            run_scalar(&model, tuning.reference, tuning.formula, &step(), RESIDUAL_CHECK_FRAMES);
        let stretch = taut::Stretch::of(&checked, &model.sticks);
        assert!((tuned.residual_rms / stretch.residual_rms() - 1.0).abs() < 1e-9, "{tuned:?}");
    }
}

#[test]
fn a_plan_from_a_tuning_gives_the_reference_result() {
    let model = shuffled_disc();
    let tuned = run(&tuning(&model, "blocked")).tuned;
    let Arranged { mut particles, sticks, schedule, renumbering } = tuned.arrange(&model).unwrap();
    let kernel = tuned.to_kernel().unwrap();
    assert_eq!(Kernel::<3>::threads(&kernel), tuned.threads);
    let mut plan = kernel.plan(&particles, &sticks, &schedule, tuned.formula).unwrap();
    let _ = plan.step(&mut particles, &sticks, &step()).unwrap();
    let particles = renumbering.map_or(particles.clone(), |it| it.undo(&particles));
    let expected = run_scalar(&model, arrangement("blocked"), Formula::Halley, &step(), 1);
    assert_eq!(particles.hash(), expected.hash());
}

#[test]
fn tunings_of_copies_try_the_copies_kernel_and_step_all_copies_alike() {
    let model = shuffled_disc();
    for copies in [2, 17] {
        let one = tuning(&model, "blocked/rcm");
        let candidates = Tuning::candidates(&model, one.reference, copies, &[1, 2]).unwrap();
        let Choice { tuned, trials, rows, same_result, .. } =
            run(&Tuning { copies, candidates, ..one });
        assert!(same_result && disagreements(&rows).is_empty());
        let tried = |schedule: &str, threads: usize| {
            trials
                .iter()
                .any(|it| (it.kernel, &*it.schedule, it.threads) == ("copies", schedule, threads))
        };
        assert!(tried("blocked/rcm", 1) && tried("blocked/rcm", 2) && tried("authored", 1));
        assert!(trials.iter().all(|it| it.kernel != "grid" && it.time_ratio.is_some()));

        assert_eq!((tuned.copies, tuned.mesh), (copies, Fingerprint::of(&model.sticks)));
        let Arranged { mut particles, sticks, schedule, renumbering } =
            tuned.arrange(&model).unwrap();
        assert_eq!(schedule.copies().map(taut::Copies::count), Some(copies));
        let kernel = tuned.to_kernel().unwrap();
        let mut plan = kernel.plan(&particles, &sticks, &schedule, tuned.formula).unwrap();
        let _ = plan.step(&mut particles, &sticks, &step()).unwrap();
        let particles = renumbering.unwrap().undo(&particles);
        let alone = run_scalar(&model, arrangement("blocked/rcm"), Formula::Halley, &step(), 1);
        let expected = Particles::side_by_side(repeat_n(&alone, copies)).unwrap();
        assert_eq!(particles.hash(), expected.hash());
    }
}

#[test]
fn with_a_budget_of_0_only_candidates_that_keep_the_result_are_timed() {
    let model = shuffled_disc();
    let choice = run(&Tuning { budget: Duration::ZERO, ..tuning(&model, "blocked") });
    for trial in &choice.trials {
        assert_eq!(trial.time_ratio.is_some(), trial.same_result, "{trial:?}");
        assert_eq!(trial.outcome == TrialOutcome::NotReached, !trial.same_result, "{trial:?}");
    }
    assert!(choice.same_result && choice.other_result.is_none());
}

#[test]
fn an_order_that_blows_up_is_not_chosen() {
    let error = unstable(false).run(|_| ()).unwrap_err();
    assert!(matches!(error, TuningError::NothingAccepted { .. }), "{error}");
    assert!(error.to_string().contains("'authored'"), "{error}");

    let Choice { tuned, trials, same_result, .. } = run(&unstable(true));
    assert!(!same_result);
    assert_ne!(tuned.schedule.canonical(), arrangement("authored"));
    let outcome =
        |schedule: &str| trials.iter().find(|it| it.schedule == schedule).unwrap().outcome;
    assert_eq!(outcome("authored"), TrialOutcome::BlewUp);
    assert_ne!(outcome("sheet"), TrialOutcome::BlewUp);
}

#[test]
fn candidates_above_the_residual_limit_are_rejected() {
    let model = sheet();
    let tight = Tuning { max_residual: Some(1e-9), ..tuning(&model, "sheet") };
    for any_schedule in [false, true] {
        let error = Tuning { any_schedule, ..tight.clone() }.run(|_| ()).unwrap_err();
        assert!(matches!(error, TuningError::NothingAccepted { .. }), "{error}");
    }
    // A limit between the smallest and the largest residual rejects some orders and accepts the others.
    let residual = |trial: &Trial| trial.residual_rms.unwrap();
    let loose = Tuning { any_schedule: true, max_residual: Some(1.0), ..tuning(&model, "sheet") };
    let mut all: Vec<f64> = run(&loose).trials.iter().map(residual).collect();
    all.sort_by(f64::total_cmp);
    let limit = f64::midpoint(all[0], all[all.len() - 1]);
    let choice = run(&Tuning { max_residual: Some(limit), ..loose });
    for trial in &choice.trials {
        assert_eq!(
            trial.outcome == TrialOutcome::AboveResidualLimit,
            residual(trial) > limit,
            "{trial:?}"
        );
    }
    assert!(choice.trials.iter().any(|trial| trial.outcome == TrialOutcome::AboveResidualLimit));
    assert!(choice.tuned.residual_rms <= limit);
}

#[test]
fn progress_never_falls_and_ends_at_1() {
    let tuning = tuning(&sheet(), "sheet");
    let mut shares = Vec::new();
    tuning.run(|progress| shares.push(progress.share)).unwrap();
    assert!(shares.windows(2).all(|pair| pair[0] <= pair[1]), "{shares:?}");
    assert_eq!(shares.last().map(|share| share.to_bits()), Some(1.0_f64.to_bits()));
}
