//! Accuracy: rows are complete, and their numbers are consistent with the physics.

use taut::world::{Model, Scene, StickSet, World};
use taut::{
    Duplicates, Formula, KernelSet, Particles, ScalarKernel, SheetsAndCopies, Step, Sticks, Stretch,
};
use taut_bench::accuracy::{
    Accuracy, BOUNDS, EffortRow, EffortStudy, EffortSubject, ITERATION_POINTS, ITERATIONS,
    SUBSTEPS_MAX, Study, StudyError, StudyPart, TextbookFrames,
};
use taut_bench::{Distance, Residual};

use crate::fixtures::{arrangement, sheet};

fn study() -> Study {
    Study {
        model: sheet(),
        body: Model::sphere(4, StickSet::All).unwrap(),
        step: Step { substeps: 1, iterations: 8, ..Step::default() },
        frames: 12,
        formulas: vec![Formula::Exact, Formula::Halley],
        arrangements: vec![arrangement("coloured"), arrangement("sheet")],
        effort: effort(EffortSubject::sheets(6, StickSet::All).unwrap().into()),
    }
}

fn effort(subjects: Vec<EffortSubject>) -> EffortStudy {
    let kernels = KernelSet::available(SheetsAndCopies::ALL).swap_remove(0);
    EffortStudy { subjects, kernels, formula: Formula::Halley }
}

fn run(parts: &[StudyPart]) -> Accuracy {
    study().run(parts, |_| ()).unwrap()
}

#[test]
fn a_part_has_rows_for_each_formula_and_schedule_and_other_parts_are_empty() {
    let one = run(&[StudyPart::Frames]);
    assert_eq!(one.frames.len(), 4 * 5, "after 1, 2, 4, 8 and 12 frames");
    assert!(one.iterations.is_empty() && one.drift.is_empty() && one.effort.is_none());
    let all = run(&StudyPart::ALL);
    assert_eq!(all.iterations.len(), 4 * ITERATION_POINTS.len());
    // The body is not a sheet, so it has no rows in the order `sheet`.
    assert_eq!(all.drift.len(), 2 * 5, "2 formulas, after 1, 2, 4, 8 and 12 frames");
    assert!(all.drift.iter().all(|row| row.schedule == "coloured"));
    let effort = all.effort.unwrap();
    let cases = 2 * 2 * BOUNDS.len(); // pins, tethers
    assert_eq!(effort.rows.len() + effort.not_reached.len(), cases);
}

#[test]
fn more_iterations_leave_less_stretch_and_are_closer_to_the_solution() {
    for rows in run(&[StudyPart::Iterations]).iterations.chunks(ITERATION_POINTS.len()) {
        for pair in rows.windows(2) {
            assert!(pair[1].iterations > pair[0].iterations);
            assert!(pair[1].residual.rms < pair[0].residual.rms, "{pair:?}");
            assert!(pair[1].distance_from_limit.rms < pair[0].distance_from_limit.rms, "{pair:?}");
        }
        assert!(rows.iter().all(|row| row.distance_from_f64.max < 1e-5), "{rows:?}");
    }
}

#[test]
fn a_hanging_sheet_stays_near_f64_and_its_percentiles_are_in_order() {
    for row in run(&[StudyPart::Frames]).frames {
        let Residual { rms, max, p50, p90, p99, .. } = row.residual;
        assert!(0.0 <= p50 && p50 <= p90 && p90 <= p99 && p99 <= max, "{row:?}");
        assert!(p50 <= rms && rms <= max, "{row:?}");
        assert!(
            row.distance_from_f64.rms > 0.0
                && row.distance_from_f64.rms <= row.distance_from_f64.max,
            "{row:?}"
        );
        assert!(row.distance_from_f64.max < 1e-4, "{row:?}");
    }
}

#[test]
fn a_free_body_conserves_momentum_and_loses_energy() {
    for row in run(&[StudyPart::Drift]).drift {
        assert!(row.momentum_f64 < 1e-12, "{row:?}");
        assert!(row.momentum < 1e-4, "{row:?}");
        assert!(row.energy < 0.0 && row.energy > -1.0, "{row:?}");
        assert!(row.angular_momentum < 1.0, "{row:?}");
    }
}

#[test]
fn the_cheapest_frame_is_within_its_bound() {
    let mesh = EffortSubject {
        scene: "disc".to_owned(),
        size: 6,
        set: StickSet::All,
        pins: "highest 2 %",
        model: Model::disc(6, StickSet::All).unwrap(),
    };
    let sheets = EffortSubject::sheets(8, StickSet::Shear).unwrap();
    for subject in sheets.into_iter().chain([mesh]) {
        let found = effort(vec![subject]).run(|_| ()).unwrap();
        assert!(matches!(found.textbook_frame_us, TextbookFrames::One(frame) if frame > 0.0));
        assert!(!found.rows.is_empty());
        for row in &found.rows {
            assert!(row.stretch_rms <= row.within && row.stretch_rms <= row.stretch_max, "{row:?}");
            assert!((1..=SUBSTEPS_MAX).contains(&row.substeps), "{row:?}");
            assert!(ITERATIONS.contains(&row.iterations), "{row:?}");
            let [fastest, median] = [row.frame_us_fastest, row.frame_us_median];
            assert!(0.0 < fastest && fastest <= median, "{row:?}");
            assert_eq!(row.schedule == "sheet", row.scene == "drape", "{row:?}");
        }
        // Where the tighter bound is reached, so is the looser one.
        for tight in found.rows.iter().filter(|row| row.within < BOUNDS[0]) {
            let is_looser =
                |row: &&EffortRow| row.tethers == tight.tethers && row.within > tight.within;
            assert!(found.rows.iter().any(|row| is_looser(&row)), "{tight:?}");
        }
    }
}

/// The stretch is recomputed here, and one substep fewer leaves more than the bound.
#[test]
fn the_stretch_of_effort_is_that_of_the_structural_sticks() {
    let [subject, _] = EffortSubject::sheets(8, StickSet::All).unwrap();
    let found = effort(vec![subject.clone()]).run(|_| ()).unwrap();
    let row = found.rows.iter().find(|row| !row.tethers).unwrap();
    let stretch_rms = |substeps| {
        let mut scene = Scene::new();
        scene.add("sheet", subject.model.clone()).unwrap();
        scene.settings.step = Step { substeps, iterations: row.iterations, ..Step::default() };
        let mut world = World::new(&scene, |_| ScalarKernel).unwrap();
        let (mut squares, mut sticks) = (0.0, 0.0);
        for frame in 1..=240 {
            assert!(world.step().unwrap().finite);
            let model = &world.islands()[0].model;
            for (stick, &[a, b]) in model.sticks.ends().iter().enumerate() {
                // Structural sticks join neighbours in a row (b - a = 1) or a column (b - a = 8).
                if b - a > 8 || (b - a > 1 && b - a < 8) || frame <= 120 {
                    continue;
                }
                let [a, b] = [a, b].map(|end| model.particles.position(end as usize));
                let squared_length =
                    (0..3).map(|axis| f64::from(b[axis] - a[axis]).powi(2)).sum::<f64>();
                let stretch = squared_length.sqrt() / f64::from(model.sticks.rest(stick)) - 1.0;
                squares += stretch.max(0.0).powi(2);
                sticks += 1.0;
            }
        }
        f64::sqrt(squares / sticks)
    };
    assert!((stretch_rms(row.substeps) / row.stretch_rms - 1.0).abs() < 1e-3, "{row:?}");
    if row.substeps > 1 {
        assert!(stretch_rms(row.substeps - 1) > row.within, "{row:?}");
    }
}

#[test]
fn the_long_table_has_a_line_for_each_measured_value_of_each_row() {
    let all = run(&StudyPart::ALL);
    let lines = all.table_lines();
    let count_of = |part: &str| lines.iter().filter(|line| line.part == part).count();
    // Each factor is the number of measured values of a row of that part.
    assert_eq!(count_of("iterations"), 11 * all.iterations.len());
    assert_eq!(count_of("frames"), 9 * all.frames.len());
    assert_eq!(count_of("drift"), 12 * all.drift.len());
    assert_eq!(count_of("effort"), 5 * all.effort.as_ref().unwrap().rows.len());
    assert!(lines.iter().all(|line| line.value.is_finite()));
}

#[test]
fn an_order_that_does_not_suit_the_model_is_rejected() {
    let study = Study { model: Model::disc(6, StickSet::All).unwrap(), ..study() };
    let result = study.run(&[StudyPart::Frames], |_| ());
    assert!(matches!(result, Err(StudyError::Arrangement(_))));
}

#[test]
fn a_part_is_parsed_from_its_name() {
    for part in StudyPart::ALL {
        assert_eq!(part.to_string().parse(), Ok(part));
    }
    assert!("speed".parse::<StudyPart>().unwrap_err().to_string().contains("effort"));
}

/// Sticks of 1 m, stretched by 1 %, 2 %, ... 100 %.
fn stretched_by_percents() -> (Particles<1>, Sticks) {
    let mut points = Vec::new();
    for stick in 0..100_u16 {
        let start = 10.0 * f32::from(stick);
        points.extend([[start], [start + 1.0 + f32::from(stick + 1) / 100.0]]);
    }
    let particles = Particles::new(&points, &[1.0; 200]).unwrap();
    let pairs: Vec<[u32; 2]> = (0..100).map(|stick| [2 * stick, 2 * stick + 1]).collect();
    let sticks = Sticks::with_rests(200, &pairs, &[1.0; 100], Duplicates::Keep).unwrap();
    (particles, sticks)
}

#[test]
fn percentiles_ignore_torn_sticks() {
    let (mut particles, mut sticks) = stretched_by_percents();
    let near = |one: f64, other: f64| (one - other).abs() < 1e-3;
    let residual = Residual::of(&particles, &sticks);
    let Residual { p50, p90, p99, .. } = residual;
    assert!(near(p50, 0.50) && near(p90, 0.90) && near(p99, 0.99), "{residual:?}");
    let Stretch { rms, max, .. } = Stretch::of(&particles, &sticks);
    assert_eq!([residual.rms, residual.max].map(f64::to_bits), [rms, max].map(f64::to_bits));
    for stick in 50..100 {
        sticks.tear(stick).unwrap();
    }
    assert!(near(Residual::of(&particles, &sticks).p99, 0.50));
    particles.positions_mut(0)[3] = f32::NAN;
    assert!(Residual::of(&particles, &sticks).p50.is_nan());
    // Without a stick that is not torn, all values are 0.
    for stick in 0..50 {
        sticks.tear(stick).unwrap();
    }
    assert_eq!(Residual::of(&particles, &sticks).max.to_bits(), 0.0_f64.to_bits());
}

#[test]
fn a_distance_to_nan_is_nan() {
    let (here, there) = ([[0.0; 3]; 2], [[3.0, 4.0, 0.0], [0.0; 3]]);
    let Distance { rms, max } = Distance::between(&here, &there);
    assert!((max - 5.0).abs() < 1e-12 && (rms - 12.5_f64.sqrt()).abs() < 1e-12);
    let Distance { rms, max } = Distance::between(&here, &[[f64::NAN; 3], [1.0; 3]]);
    assert!(rms.is_nan() && max.is_nan());
}
