//! Who is chosen, who is not, and why. No test asserts who is faster.

use std::collections::BTreeSet;
use std::iter::repeat_n;
use std::time::Duration;

use taut::world::{Arranged, Model, StickSet};
use taut::{Fingerprint, Formula, Kernel, Particles, Plan, Step};
use taut_bench::{
    Arrangement, Choice, Fate, JUDGED_FRAMES, NOISE, Trial, Tuning, TuningError, better_half,
    disagreements,
};

use crate::make::{arrangement, by_hand, sheet, shuffled_disc, step};

/// So long that it never matters: these models are done in a moment.
const LONG: Duration = Duration::from_secs(3600);

fn tuning(model: &Model, keep: &str) -> Tuning {
    let keep = arrangement(keep);
    Tuning {
        model: model.clone(),
        copies: 1,
        step: step(),
        formula: Formula::Halley,
        keep,
        any_answer: false,
        max_stretch: None,
        candidates: Tuning::candidates(model, keep, 1, &[1, 2]).unwrap(),
        budget: LONG,
    }
}

fn run(tuning: &Tuning) -> Choice {
    tuning.run(|_| ()).unwrap()
}

/// Explodes in raster order with one iteration.
fn exploding(any_answer: bool) -> Tuning {
    let model = Model::drape(32, StickSet::All).unwrap();
    let step = Step { substeps: 1, iterations: 1, ..Step::default() };
    Tuning { step, formula: Formula::Exact, any_answer, ..tuning(&model, "authored") }
}

#[test]
fn the_better_half_is_the_faster_one_fastest_first() {
    let field = [(7, 3.0), (1, 1.0), (4, f64::INFINITY), (2, 2.0), (9, 5.0)];
    assert_eq!(better_half(&field, 0), [1, 2, 7]);
    assert_eq!(better_half(&field[..4], 0), [1, 2]);
    assert_eq!(better_half(&field, 4), [1, 2, 7, 9]);
    assert_eq!(better_half(&field, usize::MAX), [1, 2, 7, 9, 4]);
    assert_eq!(better_half(&[], 3), [0; 0]);
}

#[test]
fn candidates_are_each_there_once_and_those_of_an_arrangement_together() {
    for (model, keep) in [(sheet(), "sheet"), (sheet(), "packed"), (shuffled_disc(), "blocked/rcm")]
    {
        let candidates = tuning(&model, keep).candidates;
        let names: Vec<_> = candidates
            .iter()
            .map(|it| {
                (
                    it.arrangement.to_string(),
                    Kernel::<3>::name(it.kernel.inside()),
                    Kernel::<3>::threads(&it.kernel),
                )
            })
            .collect();
        assert_eq!(names[0].0, keep);
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
fn the_choice_keeps_the_answer_and_with_time_enough_everybody_was_tried() {
    for (model, keep) in [(sheet(), "sheet"), (shuffled_disc(), "blocked")] {
        let tuning = tuning(&model, keep);
        let choice = run(&tuning);
        let name = choice.name(choice.chosen);
        let Choice {
            tuned,
            rows,
            chosen,
            runner_up,
            unasked,
            other_answer,
            same_answer,
            trials,
            ..
        } = choice;
        assert!(
            name.starts_with(&tuned.kernel) && name.ends_with(&rows[chosen].schedule),
            "{name}"
        );
        assert!(same_answer);
        assert_eq!(tuned.schedule.canonical(), arrangement(keep));
        assert_eq!(tuned.mesh, Fingerprint::of(&model.sticks));
        assert!(trials.iter().all(|it| it.time_ratio.is_some() && it.fate != Fate::NotReached));
        assert!(runner_up.is_some_and(|at| at != chosen && at < rows.len()));
        let as_fast = rows[runner_up.unwrap()].frame_us_median * (1.0 + NOISE);
        assert!(rows[chosen].frame_us_median <= as_fast);

        let frames = rows[chosen].frames + rows[chosen].frames / 3 + 1;
        let same = |at: usize| rows[at].hash == rows[unasked].hash;
        assert!(same(chosen) && same(runner_up.unwrap()) && !other_answer.is_some_and(same));
        let ended = (1..=frames).any(|it| {
            by_hand(&model, tuning.keep, tuning.formula, &step(), it).hash() == rows[chosen].hash
        });
        assert!(ended, "the row is of no frame of the answer to keep");
        assert_eq!(disagreements(&rows), []);

        let judged = by_hand(&model, tuning.keep, tuning.formula, &step(), JUDGED_FRAMES);
        let stretch = taut::Stretch::of(&judged, &model.sticks);
        assert!((tuned.stretch_rms / stretch.residual_rms() - 1.0).abs() < 1e-9, "{tuned:?}");
    }
}

#[test]
fn a_tuning_can_be_used_again_and_relaxes_the_same() {
    let model = shuffled_disc();
    let tuned = run(&tuning(&model, "blocked")).tuned;
    let Arranged { mut particles, sticks, schedule, renumbering } = tuned.arrange(&model).unwrap();
    let kernel = tuned.to_kernel().unwrap();
    assert_eq!(Kernel::<3>::threads(&kernel), tuned.threads);
    let mut plan = kernel.plan(&particles, &sticks, &schedule, tuned.formula).unwrap();
    let _ = plan.step(&mut particles, &sticks, &step()).unwrap();
    let particles = renumbering.map_or(particles.clone(), |it| it.undo(&particles));
    let expected = by_hand(&model, arrangement("blocked"), Formula::Halley, &step(), 1);
    assert_eq!(particles.hash(), expected.hash());
}

#[test]
fn tunings_of_copies_try_the_copies_kernel_and_step_all_copies_alike() {
    let model = shuffled_disc();
    for copies in [2, 17] {
        let one = tuning(&model, "blocked/rcm");
        let candidates = Tuning::candidates(&model, one.keep, copies, &[1, 2]).unwrap();
        let Choice { tuned, trials, rows, same_answer, .. } =
            run(&Tuning { copies, candidates, ..one });
        assert!(same_answer && disagreements(&rows).is_empty());
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
        let alone = by_hand(&model, arrangement("blocked/rcm"), Formula::Halley, &step(), 1);
        let expected = Particles::side_by_side(repeat_n(&alone, copies)).unwrap();
        assert_eq!(particles.hash(), expected.hash());
    }
}

#[test]
fn without_any_time_those_who_keep_the_answer_are_tried_all_the_same() {
    let model = shuffled_disc();
    let choice = run(&Tuning { budget: Duration::ZERO, ..tuning(&model, "blocked") });
    for trial in &choice.trials {
        assert_eq!(trial.time_ratio.is_some(), trial.same_answer, "{trial:?}");
        assert_eq!(trial.fate == Fate::NotReached, !trial.same_answer, "{trial:?}");
    }
    assert!(choice.same_answer && choice.other_answer.is_none());
}

#[test]
fn an_order_that_explodes_is_chosen_by_nobody() {
    let error = exploding(false).run(|_| ()).unwrap_err();
    assert!(matches!(error, TuningError::NothingAccepted { .. }), "{error}");
    assert!(error.to_string().contains("'authored'"), "{error}");

    let Choice { tuned, trials, same_answer, .. } = run(&exploding(true));
    assert!(!same_answer);
    assert_ne!(tuned.schedule.canonical(), arrangement("authored"));
    let of = |schedule: &str| trials.iter().find(|it| it.schedule == schedule).unwrap();
    assert_eq!(of("authored").fate, Fate::NotBounded);
    assert_ne!(of("sheet").fate, Fate::NotBounded);
}

#[test]
fn candidates_with_too_much_stretch_are_rejected() {
    let model = sheet();
    let tight = Tuning { max_stretch: Some(1e-9), ..tuning(&model, "sheet") };
    for any_answer in [false, true] {
        let error = Tuning { any_answer, ..tight.clone() }.run(|_| ()).unwrap_err();
        assert!(matches!(error, TuningError::NothingAccepted { .. }), "{error}");
    }
    // A limit between the stiffest and the slackest order rejects some and accepts the others.
    let stretch = |trial: &Trial| trial.stretch_rms.unwrap();
    let loose = Tuning { any_answer: true, max_stretch: Some(1.0), ..tuning(&model, "sheet") };
    let mut all: Vec<f64> = run(&loose).trials.iter().map(stretch).collect();
    all.sort_by(f64::total_cmp);
    let limit = f64::midpoint(all[0], all[all.len() - 1]);
    let choice = run(&Tuning { max_stretch: Some(limit), ..loose });
    for trial in &choice.trials {
        assert_eq!(trial.fate == Fate::TooSlack, stretch(trial) > limit, "{trial:?}");
    }
    assert!(choice.trials.iter().any(|trial| trial.fate == Fate::TooSlack));
    assert!(choice.tuned.stretch_rms <= limit);
}

#[test]
fn progress_never_goes_back_and_ends_at_the_end() {
    let tuning = tuning(&sheet(), "sheet");
    let mut shares = Vec::new();
    tuning.run(|progress| shares.push(progress.share)).unwrap();
    assert!(shares.windows(2).all(|pair| pair[0] <= pair[1]), "{shares:?}");
    assert_eq!(shares.last().map(|share| share.to_bits()), Some(1.0_f64.to_bits()));
}
