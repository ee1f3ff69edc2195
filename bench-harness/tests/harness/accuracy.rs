//! Accuracy: rows that are complete, and numbers that hang together as the physics says.

use std::collections::HashMap;

use taut::world::{Model, StickSet};
use taut::{Duplicates, Formula, Particles, Step, Sticks, Stretch};
use taut_bench::accuracy::{
    Accuracy, COUNTS, GOAL_RMS, ITERATION_POINTS, Means, Part, Study, StudyError,
};
use taut_bench::{Distance, Residual};

use crate::make::{arrangement, sheet};

fn study() -> Study {
    Study {
        scene: sheet(),
        body: Model::sphere(4, StickSet::All).unwrap(),
        step: Step { substeps: 1, iterations: 8, ..Step::default() },
        frames: 12,
        formulas: vec![Formula::Exact, Formula::Halley],
        arrangements: vec![arrangement("coloured"), arrangement("sheet")],
    }
}

fn found(parts: &[Part]) -> Accuracy {
    study().run(parts, |_| ()).unwrap()
}

#[test]
fn every_part_answers_for_each_formula_and_schedule_and_the_others_are_empty() {
    let one = found(&[Part::Frames]);
    assert_eq!(one.frames.len(), 4 * 5, "after 1, 2, 4, 8 and 12 frames");
    assert!(one.iterations.is_empty() && one.drift.is_empty() && one.effort.is_empty());
    let all = found(&Part::ALL);
    assert_eq!(all.iterations.len(), 4 * ITERATION_POINTS.len());
    // A ball is no sheet.
    assert_eq!(all.drift.len(), 2 * 5);
    assert!(all.drift.iter().all(|row| row.schedule == "coloured"));
    let kernels = |schedule: &str| {
        let rows = all.effort.iter().filter(|row| row.schedule == schedule);
        rows.map(|row| row.kernel.clone()).collect::<std::collections::BTreeSet<_>>()
    };
    assert!(kernels("sheet").len() > kernels("coloured").len(), "grid runs sheets only");
}

#[test]
fn more_iterations_leave_less_stretch_and_come_nearer_to_the_solution() {
    for line in found(&[Part::Iterations]).iterations.chunks(ITERATION_POINTS.len()) {
        for pair in line.windows(2) {
            assert!(pair[1].iterations > pair[0].iterations);
            assert!(pair[1].residual.rms < pair[0].residual.rms, "{pair:?}");
            assert!(pair[1].off_solved.rms < pair[0].off_solved.rms, "{pair:?}");
        }
        assert!(line.iter().all(|row| row.off_f64.max < 1e-5), "{line:?}");
    }
}

#[test]
fn a_hanging_sheet_stays_near_f64_and_its_stretch_is_spread_in_order() {
    for row in found(&[Part::Frames]).frames {
        let Residual { rms, max, p50, p90, p99, .. } = row.residual;
        assert!(0.0 <= p50 && p50 <= p90 && p90 <= p99 && p99 <= max, "{row:?}");
        assert!(p50 <= rms && rms <= max, "{row:?}");
        assert!(row.off_f64.rms > 0.0 && row.off_f64.rms <= row.off_f64.max, "{row:?}");
        assert!(row.off_f64.max < 1e-4, "{row:?}");
    }
}

#[test]
fn a_free_body_keeps_its_momentum_and_loses_energy() {
    for row in found(&[Part::Drift]).drift {
        assert!(row.momentum_f64 < 1e-12, "{row:?}");
        assert!(row.momentum < 1e-4, "{row:?}");
        assert!(row.energy < 0.0 && row.energy > -1.0, "{row:?}");
        assert!(row.angular_momentum < 1.0, "{row:?}");
    }
}

#[test]
fn what_is_enough_holds_the_goal_and_one_less_does_not() {
    let rows = found(&[Part::Effort]).effort;
    for row in &rows {
        assert_eq!(row.count.is_some(), row.stretch_rms <= GOAL_RMS, "{row:?}");
        assert_eq!(row.count.is_some(), row.frame_us.is_some(), "{row:?}");
        assert!(row.count.is_none_or(|count| COUNTS.contains(&count)), "{row:?}");
        assert!(row.frame_us.is_none_or(|frame| frame > 0.0), "{row:?}");
    }
    // On one scene, formula and schedule the count is that of all kernels.
    let mut counts = HashMap::new();
    for row in &rows {
        let of = (row.formula, &row.schedule, row.means == Means::Substeps);
        assert_eq!(*counts.entry(of).or_insert(row.count), row.count, "{row:?}");
    }
}

#[test]
fn the_long_table_has_every_number_of_every_row() {
    let all = found(&Part::ALL);
    let figures = all.figures();
    let of = |part: &str| figures.iter().filter(|figure| figure.part == part).count();
    assert_eq!(of("iterations"), 11 * all.iterations.len());
    assert_eq!(of("frames"), 9 * all.frames.len());
    assert_eq!(of("drift"), 12 * all.drift.len());
    let timed = all.effort.iter().filter(|row| row.frame_us.is_some()).count();
    assert_eq!(of("effort"), all.effort.len() + timed);
    assert!(figures.iter().all(|figure| figure.value.is_finite()));
}

#[test]
fn an_order_that_the_scene_has_not_is_refused() {
    let study = Study { scene: Model::disc(6, StickSet::All).unwrap(), ..study() };
    let refused = study.run(&[Part::Frames], |_| ());
    assert!(matches!(refused, Err(StudyError::Arrangement(_))));
}

#[test]
fn a_part_is_known_by_its_name() {
    for part in Part::ALL {
        assert_eq!(part.to_string().parse(), Ok(part));
    }
    assert!("speed".parse::<Part>().unwrap_err().to_string().contains("effort"));
}

/// Sticks of 1 m, stretched by 1 %, 2 %, ... 100 %.
fn hundred() -> (Particles<1>, Sticks) {
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
fn percentiles_are_of_the_sticks_that_are_whole() {
    let (mut particles, mut sticks) = hundred();
    let near = |one: f64, other: f64| (one - other).abs() < 1e-3;
    let of = Residual::of(&particles, &sticks);
    assert!(near(of.p50, 0.50) && near(of.p90, 0.90) && near(of.p99, 0.99), "{of:?}");
    let Stretch { rms, max, .. } = Stretch::of(&particles, &sticks);
    assert_eq!([of.rms, of.max].map(f64::to_bits), [rms, max].map(f64::to_bits));
    for stick in 50..100 {
        sticks.tear(stick).unwrap();
    }
    assert!(near(Residual::of(&particles, &sticks).p99, 0.50));
    particles.positions_mut(0)[3] = f32::NAN;
    assert!(Residual::of(&particles, &sticks).p50.is_nan());
    for stick in 0..50 {
        sticks.tear(stick).unwrap();
    }
    assert_eq!(Residual::of(&particles, &sticks).max.to_bits(), 0.0_f64.to_bits());
}

#[test]
fn a_distance_hides_no_nan() {
    let (here, there) = ([[0.0; 3]; 2], [[3.0, 4.0, 0.0], [0.0; 3]]);
    let Distance { rms, max } = Distance::between(&here, &there);
    assert!((max - 5.0).abs() < 1e-12 && (rms - 12.5_f64.sqrt()).abs() < 1e-12);
    let Distance { rms, max } = Distance::between(&here, &[[f64::NAN; 3], [1.0; 3]]);
    assert!(rms.is_nan() && max.is_nan());
}
