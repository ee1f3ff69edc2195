//! Motions match the same closed forms at any number of substeps, because rates, forces and thresholds
//! are in SI units. The number of substeps affects only the accuracy.

use std::sync::Arc;

use taut_core::{Duplicates, Particles, Step, Sticks};
use taut_world::{HalfSpace, Model, Rope, Scene, Solid, Surface, World, free_fall};

use crate::make::{scene, steps, world};

/// Gravity, m/s².
const G: f64 = 9.81;
/// The numbers of substeps that are compared.
const SUBSTEPS: [u32; 3] = [4, 8, 16];

fn step<const D: usize>(substeps: u32, damping_rate: f32) -> Step<D> {
    Step { substeps, iterations: 1, damping_rate, ..Step::default() }
}

/// Asserts that `value`, a function of the number of substeps, has a relative error below `bound` for
/// each of [`SUBSTEPS`].
fn assert_all(what: &str, expected: f64, bound: f64, value: impl Fn(u32) -> f64) {
    let errors = SUBSTEPS.map(|substeps| value(substeps) / expected - 1.0);
    println!("{what}: expected {expected}, relative errors {errors:?}");
    let all_small = errors.iter().all(|error| error.abs() < bound);
    assert!(all_small, "{what}: expected {expected}, relative errors {errors:?}");
}

/// A particle of 1 kg at the origin with the initial velocity `velocity`, m/s. Substeps take `h` s.
fn particle(velocity: [f32; 2], h: f32) -> Model<2> {
    let particles = Particles::new(&[[0.0, 0.0]], &[1.0]).unwrap();
    let sticks = Sticks::with_rests(1, &[], &[], Duplicates::Keep).unwrap();
    Model::new(particles, sticks).moving_at(velocity, h)
}

#[test]
fn a_damped_fall_matches_linear_drag() {
    for rate in [0.603_f64, 4.0] {
        let t = 2.0;
        let expected = G / rate * (t + libm::expm1(-rate * t) / rate);
        assert_all("damped fall, m", expected, 0.012, |substeps| {
            // At rest, so the length of a substep, 1 s here, does not matter.
            let mut scene = scene("stone", particle([0.0, 0.0], 1.0));
            scene.settings.step = step(substeps, rate as f32);
            let mut world = world(&scene);
            steps(&mut world, 120);
            -f64::from(world.position(0)[1])
        });
    }
}

/// Simulates a pendulum of 1 m that starts at `angle`, rad, with the damping rate `rate`, 1/s. Returns
/// the times at which it crosses the lowest point, s, and its largest angle, rad, between the crossing
/// number `crossings` and the next one.
fn pendulum(substeps: u32, rate: f32, angle: f64, crossings: usize) -> (Vec<f64>, f64) {
    let bob = [angle.sin(), -angle.cos()].map(|x| x as f32);
    let rope = Rope { spacing: 2.0, ..Rope::default() };
    let model = Model::<2>::rope(&[[0.0, 0.0], bob], &rope).unwrap().pinned("start");
    let mut scene = scene("pendulum", model);
    scene.settings.step = step(substeps, rate);
    let mut world = world(&scene);
    let (mut times, mut last_x) = (Vec::new(), f64::from(bob[0]));
    let mut largest_angle = 0.0_f64;
    while times.len() <= crossings {
        steps(&mut world, 1);
        let x = f64::from(world.position(1)[0]);
        if (x > 0.0) != (last_x > 0.0) {
            times.push(world.time() - x / (x - last_x) / 60.0);
        }
        if times.len() == crossings {
            let [x, y] = world.position(1).map(f64::from);
            largest_angle = largest_angle.max((x / -y).atan().abs());
        }
        last_x = x;
    }
    (times, largest_angle)
}

#[test]
fn the_period_and_decay_of_a_pendulum_match_closed_forms() {
    for rate in [0.603_f64, 1.5] {
        // The period of small swings: x'' = -g x - rate x', in metres and with a length of 1 m.
        let period = 2.0 * std::f64::consts::PI / (G - 0.25 * rate * rate).sqrt();
        assert_all("period, s", period, 0.002, |substeps| {
            let (times, _) = pendulum(substeps, rate as f32, 0.1, 8);
            (times[8] - times[0]) / 4.0
        });
        // The largest angle after four crossings is the angle after two periods. Projection dissipates
        // some energy, too, in proportion to the length of the substep: 2 % of the angle with 16 substeps.
        let expected = 0.1 * (-0.5 * rate * 2.0 * period).exp();
        assert_all("angle after 2 periods, rad", expected, 0.1, |substeps| {
            pendulum(substeps, rate as f32, 0.1, 4).1
        });
    }
}

#[test]
fn a_hanging_rope_of_compliant_sticks_sags_by_the_weight_below_each() {
    let (particles, compliance) = (11, 1e-3);
    let rope = Rope { spacing: 0.1, density: 10.0, ..Rope::default() };
    let mut model = Model::<2>::rope(&[[0.0, 0.0], [0.0, -1.0]], &rope).unwrap().pinned("start");
    assert_eq!((model.particles.len(), model.sticks.len()), (particles, particles - 1));
    for stick in 0..model.sticks.len() {
        model.sticks.set_compliance(stick, compliance).unwrap();
    }
    let masses = model.particles.inverse_masses().iter().map(|&w| f64::from(1.0 / w));
    let masses: Vec<f64> = masses.collect();
    let mass_below = |stick: usize| masses[stick + 1..].iter().sum::<f64>();
    let gravity = 1.0; // m/s²
    let sag = |stick| f64::from(compliance) * mass_below(stick) * gravity;
    let sag: f64 = (0..particles - 1).map(sag).sum();
    assert_all("sag, m", sag, 0.02, |substeps| {
        let mut scene = scene("rope", model.clone());
        scene.settings.step = Step { acceleration: [0.0, -gravity as f32], ..step(substeps, 10.0) };
        let mut world = world(&scene);
        steps(&mut world, 600);
        -1.0 - f64::from(world.position(particles - 1)[1])
    });
}

/// The distance that a particle slides along x on the ground in 2 s, m; `rate` is the damping rate,
/// 1/s. A slope is level ground with a tilted `acceleration` of gravity.
fn sliding_distance(
    substeps: u32,
    velocity: f32,
    friction: f32,
    acceleration: [f32; 2],
    rate: f32,
) -> f64 {
    let h = 1.0 / 60.0 / substeps as f32;
    let mut scene = scene("block", particle([velocity, 0.0], h));
    scene.settings.step = Step { acceleration, ..step(substeps, rate) };
    let surface = Surface { friction, ..Surface::default() };
    let ground = HalfSpace::new([0.0, 0.0], [0.0, 1.0]).unwrap();
    scene.obstacles.push(Arc::new(Solid::new(ground).with(surface).unwrap()));
    let mut world = world(&scene);
    steps(&mut world, 120);
    f64::from(world.position(0)[0])
}

#[test]
fn a_block_slides_as_far_as_coulomb_friction_allows() {
    let (v, friction) = (3.0_f32, 0.4_f32);
    let down = [0.0, -G as f32];
    let deceleration = f64::from(friction) * G;
    let stop = f64::from(v).powi(2) / (2.0 * deceleration);
    assert_all("sliding distance, m", stop, 0.008, |n| sliding_distance(n, v, friction, down, 0.0));
    // With damping, dv/dt = -deceleration - rate v. The block stops after `time` s.
    let rate = 2.0;
    let time = (1.0 + rate * f64::from(v) / deceleration).ln() / rate;
    let stop = f64::from(v) / rate - deceleration / rate * time;
    assert_all("sliding distance with damping, m", stop, 0.016, |n| {
        sliding_distance(n, v, friction, down, rate as f32)
    });
    let slope = 0.5_f64;
    let gravity = [G * slope.sin(), -G * slope.cos()].map(|x| x as f32);
    let along_slope = G * (slope.sin() - f64::from(friction) * slope.cos());
    // ½ a t² after 2 s.
    assert_all("sliding distance on a slope, m", 0.5 * along_slope * 4.0, 0.008, |n| {
        sliding_distance(n, 0.0, friction, gravity, 0.0)
    });
}

/// The distance of a ball from the ground, m, 1 s after it hit the ground at `speed`, m/s, with a
/// restitution of 0.8 and without gravity.
fn bounce_distance(substeps: u32, speed: f32) -> f32 {
    let h = 1.0 / 60.0 / substeps as f32;
    let mut scene = scene("ball", particle([0.0, -speed], h));
    scene.settings.step = Step { acceleration: [0.0; 2], ..step(substeps, 0.0) };
    let surface = Surface { restitution: 0.8, ..Surface::default() };
    let ground = HalfSpace::new([0.0, 0.0], [0.0, 1.0]).unwrap();
    scene.obstacles.push(Arc::new(Solid::new(ground).with(surface).unwrap()));
    let mut world = world(&scene);
    steps(&mut world, 60);
    world.position(0)[1]
}

#[test]
fn the_restitution_threshold_is_a_speed() {
    // By default the threshold is 0.1 m/s: slower balls do not bounce.
    for substeps in SUBSTEPS {
        let [slow, fast] = [0.099, 0.101].map(|speed: f32| bounce_distance(substeps, speed));
        let expected = 0.8 * 0.101;
        assert!(slow == 0.0, "{substeps} substeps: {slow} m");
        assert!(
            (fast / expected - 1.0).abs() < 0.01,
            "{substeps} substeps: {fast} m, expected {expected} m"
        );
    }
}

#[test]
fn changing_substeps_keeps_initial_velocities() {
    let expected = free_fall([0.0; 2], [3.0, 4.0], [0.0, -G], 0.5);
    for (axis, expected) in expected.into_iter().enumerate() {
        assert_all("coordinate of a thrown particle, m", expected, 0.016, |substeps| {
            let mut scene = Scene::<2>::new();
            scene.settings.step = step(2, 0.0);
            scene.add("stone", particle([3.0, 4.0], 1.0 / 120.0)).unwrap();
            scene
                .set_settings(taut_world::Settings { step: step(substeps, 0.0), passes: 1 })
                .unwrap();
            let mut world = World::new(&scene, |_| taut_scalar::ScalarKernel).unwrap();
            steps(&mut world, 30);
            f64::from(world.position(0)[axis])
        });
    }
}
