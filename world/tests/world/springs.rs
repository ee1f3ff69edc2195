//! Springs match closed forms, and substeps that are too long for them are rejected.

use taut_world::{
    Integrator, Model, Oscillator, Scene, Spring, SpringError, Springs, World, WorldError,
};

use super::make::{scene, steps, unconnected, world};

/// A scene of one spring between two particles, without gravity; only the spring is damped. Steps take `dt` s
/// and have one substep.
fn oscillator(points: &[[f32; 3]], inverse_masses: &[f32], spring: Spring, dt: f64) -> Scene {
    let springs = Springs::new(points.len(), &[[0, 1]], &[spring]).unwrap();
    let model = Model { springs, ..unconnected(points, inverse_masses) };
    let mut scene = scene("spring", model);
    scene.settings.step.acceleration = [0.0; 3];
    scene.settings.step.damping_rate = 0.0;
    scene.settings.step.dt = dt as f32;
    scene
}

#[test]
fn a_damped_spring_follows_its_closed_form() {
    // 0.5 kg on 50 N/m: an angular frequency of 10 1/s, damped by 0.4 1/s.
    let spring = Spring { rest: 1.0, stiffness: 50.0, damping: 0.2 };
    // The length of a step, s.
    let h = 1.0 / 2000.0;
    let mut world = world(&oscillator(&[[0.0; 3], [1.2, 0.0, 0.0]], &[0.0, 2.0], spring, h));
    let expected = Oscillator { frequency: 10.0, damping: 0.4 };
    let mut worst = 0.0_f64; // the largest distance from the closed form, m
    for step in 1..=4000 {
        steps(&mut world, 1);
        let x = f64::from(world.position(1)[0]) - 1.0;
        worst = worst.max((x - expected.at([0.2, 0.0], h * f64::from(step))[0]).abs());
    }
    assert!(worst < 1e-3, "{worst} m from the closed form");
}

/// The largest elongation or compression of a spring of 1 m within 2000 steps, m; infinite if a
/// position becomes infinite or NaN.
fn max_elongation(world: &mut World) -> f32 {
    let mut max = 0.0_f32;
    for _ in 0..2000 {
        if !world.step().unwrap().finite {
            return f32::INFINITY;
        }
        max = max.max((world.position(1)[0] - world.position(0)[0] - 1.0).abs());
    }
    max
}

#[test]
fn a_spring_is_bounded_below_its_largest_substep_and_grows_above_it() {
    for (damping, inverse_masses, damping_rate) in [
        (0.0, [0.0, 4.0], 0.0),
        (0.0, [1.0, 3.0], 0.0),
        (2.0, [0.0, 4.0], 0.0),
        (0.0, [0.0, 4.0], 3.0),
        (3.0, [1.0, 3.0], 3.0),
        (3.0, [1.0, 3.0], 100.0),
        (20.0, [2.0, 2.0], 0.0),
    ] {
        let spring = Spring { rest: 1.0, stiffness: 100.0, damping };
        let points = [[0.0; 3], [1.01, 0.0, 0.0]]; // an initial elongation of 0.01 m
        let springs = Springs::new(2, &[[0, 1]], &[spring]).unwrap();
        let largest = springs.largest_substep(&inverse_masses, Integrator::Verlet, damping_rate);

        let mut scene = oscillator(&points, &inverse_masses, spring, 0.995 * largest);
        scene.settings.step.damping_rate = damping_rate;
        let mut bounded = world(&scene);
        let max = max_elongation(&mut bounded);
        assert!(max < 0.3, "{spring:?}: elongation {max} m");

        // A longer substep is rejected by a new world, and by `set_settings`, which then changes nothing.
        scene.settings.step.dt = (1.005 * largest) as f32;
        let error = World::new(&scene, |_| taut_scalar::ScalarKernel).unwrap_err();
        assert!(matches!(error, WorldError::Springs(SpringError::Unstable { .. })), "{error}");
        let before = *bounded.settings();
        let error = bounded.set_settings(scene.settings).unwrap_err();
        assert!(matches!(error, WorldError::Springs(SpringError::Unstable { .. })), "{error}");
        assert_eq!(*bounded.settings(), before);
        // `settings_mut` does not check the substep.
        bounded.settings_mut().step.dt = (1.02 * largest) as f32;
        let max = max_elongation(&mut bounded);
        assert!(max > 0.5, "{spring:?}: elongation {max} m");
    }
}

#[test]
fn explicit_euler_is_bounded_only_with_damping() {
    let largest = |damping| {
        let spring = Spring { rest: 1.0, stiffness: 100.0, damping };
        let springs = Springs::new(2, &[[0, 1]], &[spring]).unwrap();
        springs.largest_substep(&[0.0, 4.0], Integrator::ExplicitEuler, 0.0)
    };
    assert_eq!(largest(0.0), 0.0);
    for (damping, fraction, grows) in [(2.0, 0.99, false), (2.0, 1.01, true)] {
        let h = fraction * largest(damping);
        let (mut x, mut v) = ([0.01_f64], [0.0]);
        for _ in 0..20_000 {
            // The acceleration: stiffness (100 N/m) and damping, each times the inverse mass, 4 1/kg.
            let a = [-400.0 * x[0] - 4.0 * f64::from(damping) * v[0]];
            Integrator::ExplicitEuler.advance(&mut x, &mut v, &a, h);
        }
        assert_eq!(x[0].abs() > 1.0, grows, "h = {fraction} of the largest substep: {} m", x[0]);
    }
}

#[test]
fn a_net_of_springs_is_bounded_below_its_largest_substep() {
    let n = 6_u32; // particles along each side
    let points: Vec<[f32; 3]> = (0..n * n).map(|i| [(i % n) as f32, (i / n) as f32, 0.0]).collect();
    let inverse_masses: Vec<f32> = (0..n * n).map(|i| (i % 3 + 1) as f32).collect();
    let mut model = unconnected(&points, &inverse_masses);
    let mut pairs = Vec::new();
    for i in 0..n * n {
        if i % n + 1 < n {
            pairs.push([i, i + 1]);
        }
        if i + n < n * n {
            pairs.push([i, i + n]);
        }
    }
    model.springs = Springs::between(&model.particles, &pairs, 200.0, 1.0).unwrap();
    // Displaced particles, so that the springs oscillate.
    for (particle, point) in points.iter().enumerate() {
        let offset = if particle % 2 == 0 { 0.01 } else { -0.01 };
        model
            .particles
            .set_position(particle, [point[0] + offset, point[1] - offset, 0.0])
            .unwrap();
    }
    let largest = model.springs.largest_substep(&inverse_masses, Integrator::Verlet, 0.0);
    let mut scene = scene("net", model);
    scene.settings.step.acceleration = [0.0; 3];
    scene.settings.step.damping_rate = 0.0;
    scene.settings.step.dt = (0.99 * largest) as f32;
    let mut world = world(&scene);
    for _ in 0..500 {
        steps(&mut world, 1);
        for (now, before) in world.positions().zip(&points) {
            assert!((0..3).all(|axis| (now[axis] - before[axis]).abs() < 0.5));
        }
    }
}

#[test]
fn invalid_springs_are_rejected() {
    let spring = Spring { rest: 1.0, stiffness: -1.0, damping: 0.0 };
    let error = Springs::new(2, &[[0, 1]], &[spring]).unwrap_err();
    assert!(matches!(error, SpringError::OutOfRange { what: "stiffness", .. }));
    let valid = Spring { stiffness: 1.0, ..spring };
    let error = Springs::new(2, &[[0, 2]], &[valid]).unwrap_err();
    assert!(matches!(error, SpringError::NoSuchParticle { particle: 2, .. }));
}
