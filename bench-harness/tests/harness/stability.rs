//! Who stays bounded, and how that is told.

use taut::world::{Model, StickSet};
use taut::{Formula, Schedule, Step};
use taut_bench::{Arrangement, BOUND, Stability, Subject, Survey};

use crate::make::{arrangement, breaking, by_hand};

fn survey(scene: Model, arrangements: Vec<Arrangement>) -> Survey {
    Survey {
        subject: Subject { name: "it".to_owned(), size: 9, set: StickSet::All, model: scene },
        arrangements,
        formulas: Formula::ALL.to_vec(),
        steps: vec![
            Step { substeps: 1, iterations: 1, ..Step::default() },
            Step { substeps: 1, iterations: 8, ..Step::default() },
        ],
        frames: 20,
        bound: BOUND,
    }
}

fn drape() -> Model {
    Model::drape(9, StickSet::All).unwrap()
}

fn run(survey: &Survey) -> Vec<Stability> {
    survey.run(|_| ()).unwrap()
}

#[test]
fn every_combination_is_run_once_and_says_which_it_is() {
    let survey = survey(drape(), Arrangement::orders().collect());
    let rows = run(&survey);
    let mut all: Vec<_> =
        rows.iter().map(|row| (row.schedule.clone(), row.iterations, row.formula)).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), rows.len());
    assert_eq!(rows.len(), Arrangement::orders().count() * 2 * Formula::ALL.len());
    assert!(rows.iter().all(|row| (row.size, row.sticks, row.frames) == (9, "all", 20)));
}

/// An order that becomes the default must be one that a survey of all orders has.
#[test]
fn the_default_schedules_are_among_all_orders_and_are_told() {
    let scene = drape();
    let rows = run(&Survey { frames: 1, ..survey(scene.clone(), Arrangement::orders().collect()) });
    let default = |order: &Schedule| {
        *order == Schedule::for_mesh(&scene.particles, &scene.sticks)
            || *order == scene.sheet.as_ref().unwrap().schedule(&scene.sticks).unwrap()
    };
    for row in &rows {
        let schedule = arrangement(&row.schedule).of(&scene).unwrap().schedule;
        assert_eq!(row.default_schedule, default(&schedule), "{}", row.schedule);
        assert_eq!(row.is_default(), row.default_schedule && row.formula == "halley");
    }
    assert_eq!(rows.iter().filter(|row| row.is_default()).count(), 2 * 2, "two, in two steps");
}

#[test]
fn the_stretch_is_that_of_the_scalar_kernel_by_hand() {
    let scene = drape();
    for row in run(&survey(scene.clone(), Arrangement::orders().collect())) {
        let formula = row.formula.parse().unwrap();
        let step = Step { substeps: 1, iterations: row.iterations, ..Step::default() };
        let particles = by_hand(&scene, arrangement(&row.schedule), formula, &step, row.frames);
        // By the old numbers, so by the old sticks.
        let stretch = taut::Stretch::of(&particles, &scene.sticks);
        assert_eq!(row.stretch_rms.to_bits(), stretch.rms.to_bits(), "{row:?}");
        assert_eq!(row.stretch_max.to_bits(), stretch.max.to_bits(), "{row:?}");
        let compression = [stretch.compression_rms, stretch.compression_max];
        let found = [row.compression_rms, row.compression_max];
        assert_eq!(found.map(f64::to_bits), compression.map(f64::to_bits), "{row:?}");
        assert!(row.finite && row.bounded(), "{row:?}");
    }
}

#[test]
fn a_bound_is_left_at_the_first_frame_beyond_it() {
    let by = vec![arrangement("sheet")];
    let survey = Survey { formulas: vec![Formula::Halley], ..survey(drape(), by) };
    let step = vec![Step { substeps: 1, iterations: 1, ..Step::default() }];
    let after = |frames, bound| {
        let [row] = run(&Survey { frames, bound, steps: step.clone(), ..survey.clone() })
            .try_into()
            .unwrap();
        row
    };
    // It falls, so at first it stretches more from frame to frame.
    let largest = |frames| {
        let row = after(frames, BOUND);
        row.stretch_max.max(row.compression_max)
    };
    let bound = largest(5);
    assert!(largest(4) < bound && bound < largest(6));
    assert_eq!(after(20, bound).left_bounds_at, Some(6));
    assert_eq!(after(5, bound).left_bounds_at, None);
    assert!(after(20, bound).finite, "and goes on");
}

#[test]
fn a_run_stops_at_the_first_position_that_is_not_finite() {
    for row in run(&survey(breaking(), vec![arrangement("packed")])) {
        assert_eq!((row.left_bounds_at, row.finite), (Some(1), false), "{row:?}");
        assert!(row.stretch_rms.is_nan() && row.compression_rms.is_nan(), "{row:?}");
    }
}
