//! Stability surveys: which combinations stay bounded, and what is reported.

use taut::world::{Model, StickSet};
use taut::{Formula, Schedule, Step};
use taut_bench::{Arrangement, BOUND, Stability, Subject, Survey};

use crate::fixtures::{arrangement, overflowing, run_scalar};

fn survey(model: Model, arrangements: Vec<Arrangement>) -> Survey {
    Survey {
        subject: Subject { name: "drape".to_owned(), size: 9, set: StickSet::All, model },
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
fn every_combination_has_one_row_that_names_it() {
    let survey = survey(drape(), Arrangement::orders().collect());
    let rows = run(&survey);
    let mut all: Vec<_> =
        rows.iter().map(|row| (row.arrangement.clone(), row.iterations, row.formula)).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), rows.len());
    assert_eq!(rows.len(), Arrangement::orders().count() * 2 * Formula::ALL.len());
    assert!(rows.iter().all(|row| (row.size, row.sticks, row.frames) == (9, "all", 20)));
}

/// A survey of all orders of a sheet includes its default schedules.
#[test]
fn the_default_schedules_are_among_all_orders_and_are_marked() {
    let model = drape();
    let rows = run(&Survey { frames: 1, ..survey(model.clone(), Arrangement::orders().collect()) });
    let default = |order: &Schedule| {
        *order == Schedule::for_mesh(&model.particles, &model.sticks)
            || *order == model.sheet.as_ref().unwrap().schedule(&model.sticks).unwrap()
    };
    for row in &rows {
        let schedule = arrangement(&row.arrangement).of(&model).unwrap().schedule;
        assert_eq!(row.default_schedule, default(&schedule), "{}", row.arrangement);
        assert_eq!(row.is_default(), row.default_schedule && row.formula == "halley");
    }
    assert_eq!(rows.iter().filter(|row| row.is_default()).count(), 2 * 2, "two orders, two steps");
}

#[test]
fn the_stretch_is_that_of_the_scalar_kernel() {
    let model = drape();
    for row in run(&survey(model.clone(), Arrangement::orders().collect())) {
        let formula = row.formula.parse().unwrap();
        let step = Step { substeps: 1, iterations: row.iterations, ..Step::default() };
        let particles =
            run_scalar(&model, arrangement(&row.arrangement), formula, &step, row.frames);
        // The particles are in the model's numbering, as its sticks are.
        let stretch = taut::Stretch::of(&particles, &model.sticks);
        assert_eq!(row.stretch_rms.to_bits(), stretch.rms.to_bits(), "{row:?}");
        assert_eq!(row.stretch_max.to_bits(), stretch.max.to_bits(), "{row:?}");
        let compression = [stretch.compression_rms, stretch.compression_max];
        let found = [row.compression_rms, row.compression_max];
        assert_eq!(found.map(f64::to_bits), compression.map(f64::to_bits), "{row:?}");
        assert!(row.finite && row.bounded(), "{row:?}");
    }
}

#[test]
fn left_bounds_at_is_the_first_frame_beyond_the_bound() {
    let arrangements = vec![arrangement("sheet")];
    let survey = Survey { formulas: vec![Formula::Halley], ..survey(drape(), arrangements) };
    let steps = vec![Step { substeps: 1, iterations: 1, ..Step::default() }];
    let after = |frames, bound| {
        let [row] = run(&Survey { frames, bound, steps: steps.clone(), ..survey.clone() })
            .try_into()
            .unwrap();
        row
    };
    // The sheet falls, so in the first frames the stretch grows from frame to frame.
    let largest = |frames| {
        let row = after(frames, BOUND);
        row.stretch_max.max(row.compression_max)
    };
    let bound = largest(5);
    assert!(largest(4) < bound && bound < largest(6));
    assert_eq!(after(20, bound).left_bounds_at, Some(6));
    assert_eq!(after(5, bound).left_bounds_at, None);
    assert!(after(20, bound).finite, "the run continues beyond the bound");
}

#[test]
fn a_run_stops_at_the_first_position_that_is_not_finite() {
    for row in run(&survey(overflowing(), vec![arrangement("packed")])) {
        assert_eq!((row.left_bounds_at, row.finite), (Some(1), false), "{row:?}");
        assert!(row.stretch_rms.is_nan() && row.compression_rms.is_nan(), "{row:?}");
    }
}
