//! Diagnostics of worlds, compared with known values.

use proptest::prelude::*;
use taut_core::{Duplicates, Formula, Particles, Sticks};
use taut_world::{Diagnostics, Model, Scene, StickSet};

use crate::make::{scene, steps, unconnected, world};

/// Removes gravity and damping from a scene.
fn weightless(mut scene: Scene) -> Scene {
    scene.settings.step.acceleration = [0.0; 3];
    scene.settings.step.damping_rate = 0.0;
    scene
}

fn near(one: f64, other: f64, tolerance: f64) -> bool {
    (one - other).abs() <= tolerance
}

#[test]
fn diagnostics_match_their_definitions() {
    let mut scene = weightless(scene(
        "unconnected",
        unconnected(&[[1.0, 0.0, 0.0], [0.0, 2.0, 3.0], [9.0; 3]], &[0.5, 0.25, 0.0]),
    ));
    scene.settings.step.acceleration = [0.0, -10.0, 0.0];
    scene.settings.step.dt = 0.25;
    let mut world = world(&scene);
    // Without an acceleration, `set_velocity` makes previous positions whose difference from the
    // positions is exactly the velocity times h.
    world.settings_mut().step.acceleration = [0.0; 3];
    world.set_velocity(0, [0.0, 2.0, 0.0]).unwrap();
    world.set_velocity(1, [1.0, 0.0, -1.0]).unwrap();
    world.settings_mut().step.acceleration = [0.0, -10.0, 0.0];
    let Diagnostics { kinetic, potential, momentum, angular_momentum, stretch, depth, torn } =
        world.diagnostics().unwrap();
    assert_eq!(kinetic, 0.5 * 2.0 * 4.0 + 0.5 * 4.0 * 2.0);
    assert_eq!(potential, 4.0 * 10.0 * 2.0);
    assert_eq!(momentum, [4.0, 4.0, -4.0]);
    // The cross products of positions and momenta: (1, 0, 0) x (0, 4, 0) + (0, 2, 3) x (4, 0, -4).
    assert_eq!(angular_momentum, [-8.0, 12.0, 4.0 - 8.0]);
    assert_eq!((stretch.residual_rms(), depth, torn), (0.0, 0.0, 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_thrown_particle_flies_along_its_parabola(
        velocity in [-10.0..10.0_f32, -10.0..10.0_f32, -10.0..10.0_f32],
        acceleration in [-1.0..1.0_f32, -20.0..0.0_f32, -1.0..1.0_f32],
        substeps in 1..5_u32,
    ) {
        let mut scene = weightless(scene("ball", unconnected(&[[0.0; 3]], &[1.0])));
        scene.settings.step.acceleration = acceleration;
        scene.settings.step.substeps = substeps;
        let mut world = world(&scene);
        world.set_velocity(0, velocity).unwrap();
        steps(&mut world, 60);
        let t = world.time();
        for axis in 0..3 {
            let [v, a] = [velocity[axis], acceleration[axis]].map(f64::from);
            let expected = v * t + 0.5 * a * t * t;
            // The tolerance allows for rounding to f32: in up to 240 substeps, half an ulp of about 15 m,
            // which persists as a velocity. (An initial velocity that is off by half a substep of 20 m/s²
            // would give an error of at least 0.04 m.)
            let x = f64::from(world.position(0)[axis]);
            prop_assert!(near(x, expected, 1e-2), "{x} m, expected {expected} m");
        }
    }
}

#[test]
fn a_particle_released_at_rest_falls_half_a_substep_further() {
    // Verlet integration from equal positions and previous positions gives x = ½ a t (t + h).
    let mut scene = scene("ball", unconnected(&[[0.0; 3]], &[1.0]));
    scene.settings.step.damping_rate = 0.0;
    let mut world = world(&scene);
    steps(&mut world, 60);
    let (t, h) = (world.time(), f64::from(world.settings().step.dt));
    let expected = -0.5 * 9.81 * t * (t + h);
    assert!(near(f64::from(world.position(0)[1]), expected, 1e-4));
}

#[test]
fn relaxation_conserves_momentum_and_adds_no_energy() {
    for formula in Formula::ALL {
        let mut scene = weightless(scene("ball", Model::sphere(9, StickSet::All).unwrap()));
        scene.formula = formula;
        scene.settings.step.iterations = 3;
        let mut world = world(&scene);
        for particle in 0..world.len() {
            world.set_inverse_mass(particle, 0.5 + (particle % 7) as f32).unwrap();
            let v = (particle % 5) as f32 - 2.0;
            world.set_velocity(particle, [0.3 * v, 1.0 - v, 0.2]).unwrap();
        }
        let before = world.diagnostics().unwrap();
        steps(&mut world, 120);
        let after = world.diagnostics().unwrap();
        let mass: f64 = (0..world.len()).map(|i| 1.0 / f64::from(world.inverse_mass(i))).sum();
        for axis in 0..3 {
            let [p, q] = [before, after].map(|diagnostics| diagnostics.momentum[axis] / mass);
            assert!(near(p, q, 1e-4), "{formula}: {p} m/s before, {q} m/s after, on axis {axis}");
        }
        assert!(after.kinetic < before.kinetic, "{formula}: relaxation added energy");
    }
}

/// The fraction of its angular momentum that a ball of sticks, which rotates without gravity and
/// damping, loses in a second.
fn lost_angular_momentum(substeps: u32) -> f64 {
    let mut scene = weightless(scene("ball", Model::sphere(9, StickSet::All).unwrap()));
    scene.settings.step.substeps = substeps;
    scene.settings.step.iterations = 4;
    let mut world = world(&scene);
    for particle in 0..world.len() {
        world.set_inverse_mass(particle, 1.0).unwrap();
        let [x, _, z] = world.position(particle);
        world.set_velocity(particle, [3.0 * z, 0.0, -3.0 * x]).unwrap();
    }
    let about_y = |diagnostics: Diagnostics| diagnostics.angular_momentum[1];
    let before = about_y(world.diagnostics().unwrap());
    steps(&mut world, 60);
    (about_y(world.diagnostics().unwrap()) - before).abs() / before
}

#[test]
fn shorter_substeps_lose_less_angular_momentum() {
    // A stick is corrected along its direction after the motion, when its ends have already rotated: this
    // removes angular momentum.
    let [coarse, fine] = [1, 8].map(lost_angular_momentum);
    assert!(coarse < 0.15 && fine < coarse / 4.0, "lost: {coarse} with 1 substep, {fine} with 8");
}

#[test]
fn the_stretch_includes_all_islands_and_excludes_torn_sticks() {
    let points = [[0.0; 3], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0], [2.5, 0.0, 0.0]];
    let particles = Particles::new(&points, &[1.0; 4]).unwrap();
    // Stick 1 is stretched by 1, and stick 2 is compressed by 0.5, as fractions of the rest length. Stick
    // 0 and the four sticks of the sheet have nearly their rest lengths.
    let rests = [1.0; 3];
    let sticks =
        Sticks::with_rests(4, &[[0, 1], [1, 2], [2, 3]], &rests, Duplicates::Keep).unwrap();
    let mut scene = scene("rope", Model::new(particles, sticks));
    scene.add("sheet", Model::drape(2, StickSet::Structural).unwrap()).unwrap();
    let mut world = world(&scene);
    let stretch = world.diagnostics().unwrap().stretch;
    assert!(near(stretch.max, 1.0, 1e-6) && near(stretch.rms, (1.0_f64 / 7.0).sqrt(), 1e-3));
    assert!(near(stretch.compression_max, 0.5, 1e-6));
    assert!(near(stretch.compression_rms, (0.25_f64 / 7.0).sqrt(), 1e-3));
    world.tear(1).unwrap();
    let after = world.diagnostics().unwrap();
    assert!(after.stretch.max < 1e-2 && after.torn == 1);
    assert!(near(after.stretch.compression_rms, (0.25_f64 / 6.0).sqrt(), 1e-3));
    world.tear(2).unwrap();
    assert!(world.diagnostics().unwrap().stretch.residual_max() < 1e-2);
}
