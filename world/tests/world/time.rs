//! A clock converts elapsed time to steps, and reports dropped time.

use proptest::prelude::*;
use taut_core::{Step, StepError};
use taut_world::{Clock, Model, StickSet};

use crate::make::{scene, steps, world};

proptest! {
    #[test]
    fn elapsed_time_is_simulated_carried_over_or_dropped(
        frame_times in prop::collection::vec(prop_oneof![0.0..0.05_f64, 0.0..2.0], 1..200),
        dt in 1e-3..0.1_f32,
        limit in 0..20_u32,
    ) {
        let mut clock = Clock::new(dt).unwrap().with_max_steps(limit);
        let dt = f64::from(dt);
        let (mut elapsed, mut accounted) = (0.0, 0.0);
        for frame_time in frame_times {
            elapsed += frame_time;
            let due = clock.advance(frame_time);
            prop_assert!(due.steps <= limit);
            prop_assert!((0.0..=1.0).contains(&due.fraction));
            // Time is dropped only where the limit of steps is reached.
            prop_assert!(due.dropped == 0.0 || due.steps == limit);
            accounted += f64::from(due.steps) * dt + due.dropped;
            let remainder = f64::from(due.fraction) * dt;
            let error = (elapsed - accounted - remainder).abs();
            prop_assert!(
                error < 1e-6,
                "{elapsed} s elapsed, {accounted} s simulated or dropped, {remainder} s left"
            );
        }
    }
}

#[test]
fn negative_time_and_nan_count_as_zero_and_infinite_time_is_capped() {
    let mut clock = Clock::new(0.01).unwrap();
    for elapsed in [0.0, -0.0, -1.0, f64::NAN, f64::NEG_INFINITY] {
        let frame = clock.advance(elapsed);
        assert_eq!((frame.steps, frame.fraction, frame.dropped), (0, 0.0, 0.0));
    }
    // Infinite time counts as `u32::MAX` seconds; by default at most 8 steps are due.
    let frame = clock.advance(f64::INFINITY);
    assert!(frame.steps == 8 && frame.dropped > 1e9 && frame.dropped.is_finite());
    for dt in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(Clock::new(dt).is_err());
    }
}

#[test]
fn interpolated_positions_lie_between_the_last_two_steps() {
    let mut scene = scene("disc", Model::disc(9, StickSet::All).unwrap());
    scene.settings.step.substeps = 3;
    let [mut before, mut after] = [world(&scene), world(&scene)];
    steps(&mut before, 4);
    steps(&mut after, 5);

    let mut world = world(&scene);
    let dt = f64::from(world.settings().step.dt);
    let mut clock = Clock::new(0.5).unwrap(); // `advance` gives it the step length of the world
    let (frame, outcome) = world.advance(&mut clock, 5.25 * dt).unwrap();
    assert!(frame.steps == 5 && outcome.finite && (frame.fraction - 0.25).abs() < 1e-4);
    for particle in 0..world.len() {
        let [then, now] = [before.position(particle), after.position(particle)];
        assert_eq!(world.interpolated(particle, 0.0), then);
        let interpolated = world.interpolated(particle, frame.fraction);
        for axis in 0..3 {
            let expected = then[axis] + (now[axis] - then[axis]) * frame.fraction;
            assert_eq!(interpolated[axis], expected);
        }
    }
    // A frame too short for a step interpolates between the same two steps.
    let (frame, _) = world.advance(&mut clock, 0.5 * dt).unwrap();
    assert!(frame.steps == 0 && (frame.fraction - 0.75).abs() < 1e-4);
    assert_eq!(world.interpolated(7, 0.0), before.position(7));
    // After a step without the clock, positions are not interpolated.
    steps(&mut world, 1);
    assert_eq!(world.interpolated(7, 0.0), world.position(7));
}

proptest! {
    #[test]
    fn a_clock_accepts_every_step_that_a_world_accepts(
        h in prop_oneof![1e-5..10.0_f32, Just(1e-5), Just(10.0)],
        substeps in prop_oneof![1..1000_u32, Just(u32::MAX)],
    ) {
        let dt = h * substeps as f32;
        // A world rejects a step for which `Step::motion` returns an error.
        if (Step::<3> { dt, substeps, ..Step::default() }).motion().is_ok() {
            prop_assert!(Clock::new(dt).is_ok(), "{dt} s of {substeps} substeps");
        }
    }
}

#[test]
fn a_clock_advances_a_world_with_long_steps_and_rejects_too_short_ones() {
    let mut scene = scene("disc", Model::disc(4, StickSet::All).unwrap());
    (scene.settings.step.dt, scene.settings.step.substeps) = (20.0, 4);
    let mut world = world(&scene);
    let mut clock = Clock::new(20.0).unwrap();
    let (frame, outcome) = world.advance(&mut clock, 50.0).unwrap();
    assert!(frame.steps == 2 && frame.fraction == 0.5 && outcome.finite);
    // No substep may be shorter than 1e-5 s.
    assert_eq!(Clock::new(9e-6), Err(StepError::Length { dt: f64::from(9e-6_f32) }));
}

#[test]
fn a_world_that_has_blown_up_is_not_finite_without_a_step() {
    let mut world = world(&scene("disc", Model::disc(4, StickSet::All).unwrap()));
    let mut clock = Clock::new(world.settings().step.dt).unwrap();
    let (frame, outcome) = world.advance(&mut clock, 1e-4).unwrap();
    assert!(frame.steps == 0 && outcome.finite);
    world.islands_mut()[0].model.particles.positions_mut(1)[3] = f32::NAN;
    let (frame, outcome) = world.advance(&mut clock, 1e-4).unwrap();
    assert!(frame.steps == 0 && !outcome.finite);
}
