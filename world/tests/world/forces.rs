//! Force fields match their formulas.

use std::sync::Arc;

use proptest::prelude::*;
use taut_world::{Acceleration, Attractor, Drag, Field, Force, ParticleState, Region, Scene};

use super::make::{scene, steps, unconnected, world};

/// A scene of one particle that falls by gravity, under one other force and without damping.
fn falling(inverse_mass: f32, force: impl Force + 'static) -> Scene {
    let mut scene = scene("stone", unconnected(&[[0.0, 0.0, 0.0]], &[inverse_mass]));
    scene.settings.step.damping_rate = 0.0;
    scene.forces.push(Arc::new(force));
    scene
}

#[test]
fn terminal_velocity_matches_the_formula() {
    // A ball of 0.1 kg, 10 cm across.
    let area = 0.25 * std::f32::consts::PI * 0.01;
    let scene = falling(10.0, Field::new(Drag::quadratic(1.2, 0.47, area)));
    let mut world = world(&scene);
    steps(&mut world, 1200);
    let before = world.position(0)[1];
    steps(&mut world, 60);
    let speed = before - world.position(0)[1]; // 60 steps are 1 s
    let expected = (2.0 * 0.1 * 9.81 / (1.2 * 0.47 * area)).sqrt();
    // The tolerance allows for rounding: after a fall of about 400 m, positions are rounded to 0.03 mm, a
    // ten thousandth of the displacement in a substep.
    assert!((speed / expected - 1.0).abs() < 2e-3, "{speed} m/s, expected {expected} m/s");
}

proptest! {
    #[test]
    fn drag_never_reverses_velocity(
        inverse_mass in 1e-3_f32..1e6,
        linear in 0.0_f32..1e6,
        quadratic in 0.0_f32..1e6,
        h in 1e-4_f32..1.0,
        speed in 1e-3_f32..1e3,
        damping_rate in prop_oneof![0.0_f32..1.0, 1.0_f32..1e4],
    ) {
        let drag = Drag { linear, quadratic, air: [0.0; 3] };
        let mut scene = falling(inverse_mass, Field::new(drag));
        scene.settings.step.acceleration = [0.0; 3];
        scene.settings.step.dt = h;
        scene.settings.step.damping_rate = damping_rate;
        let mut world = world(&scene);
        let previous = -speed * h;
        world.islands_mut()[0].model.particles.previous_mut(0)[0] = previous;
        prop_assert!(world.step().unwrap().finite);
        let moved = world.position(0)[0];
        // The particle may not move back by more than 1e-30 m: if damping leaves almost no velocity,
        // products are subnormal and lose digits.
        prop_assert!((-1e-30..=-previous).contains(&moved), "{previous} to {moved}");
    }
}

#[test]
fn regions_and_groups_restrict_a_field() {
    let points = [[0.0, 0.0, 0.0], [5.0, 0.0, 0.0], [0.0, 5.0, 0.0], [5.0, 5.0, 0.0]];
    let mut model = unconnected(&points, &[2.0; 4]);
    model.groups.insert("upper".to_owned(), vec![2, 3]);
    let regions = [
        Region::Ball { centre: [0.0; 3], radius: 6.0 },
        Region::Box { from: [-1.0; 3], to: [6.0, 1.0, 1.0] },
        Region::Behind { normal: [2.0, 0.0, 0.0], offset: 2.0 },
    ];
    let inside =
        [[true, true, true, false], [true, true, false, false], [true, false, true, false]];
    for (region, inside) in regions.into_iter().zip(inside) {
        for group in [false, true] {
            let mut scene = scene("four", model.clone());
            scene.settings.step.acceleration = [0.0; 3];
            let field = Field::new(Acceleration([0.0, 0.0, 36.0])).within(region);
            scene.forces.push(Arc::new(if group { field.on("upper") } else { field }));
            // This force acts on no particle.
            scene
                .forces
                .push(Arc::new(Field::new(|_: &ParticleState| [1.0; 3]).on("no such group")));
            let mut world = world(&scene);
            steps(&mut world, 1);
            // 36 m/s² move a particle by 10 mm in a step of 1/60 s.
            for (particle, is_inside) in inside.into_iter().enumerate() {
                let is_accelerated = is_inside && (!group || particle > 1);
                let z = world.position(particle)[2];
                assert!(
                    (z - if is_accelerated { 0.01 } else { 0.0 }).abs() < 1e-6,
                    "{region:?}, particle {particle}"
                );
            }
        }
    }
}

#[test]
fn an_orbit_keeps_its_radius() {
    // The speed of the orbit with a radius of 2 m around 8 m³/s² is 2 m/s.
    let attractor = Attractor { position: [0.0; 3], strength: 8.0, softening: 1e-3 };
    let mut scene = scene("moon", unconnected(&[[2.0, 0.0, 0.0]], &[3.0]));
    scene.settings.step.acceleration = [0.0; 3];
    scene.settings.step.damping_rate = 0.0;
    scene.settings.step.substeps = 8;
    scene.forces.push(Arc::new(Field::new(attractor)));
    let mut world = world(&scene);
    let h = 1.0 / 480.0;
    let particles = &mut world.islands_mut()[0].model.particles;
    // The position one substep ago, on the circle to second order.
    particles.previous_mut(1)[0] = -2.0 * h;
    particles.previous_mut(0)[0] = 2.0 - h * h;
    for _ in 0..600 {
        steps(&mut world, 1);
        let [x, y, _] = world.position(0);
        assert!((x.hypot(y) - 2.0).abs() < 0.02, "at {x} {y} m");
    }
}

proptest! {
    #[test]
    fn an_attractor_keeps_forces_and_positions_finite(
        softening in prop_oneof![Just(0.0_f32), (-45.0..13.0_f32).prop_map(|x| 10_f32.powf(x))],
        strength in prop_oneof![Just(1.0_f32), -1e24..1e24_f32],
        inverse_mass in prop_oneof![Just(1e-9_f32), Just(1.0), Just(1e9)],
        distance in prop_oneof![Just(0.0_f32), (-45.0..12.0_f32).prop_map(|x| 10_f32.powf(x))],
        place in prop_oneof![Just(0.0_f32), Just(1e12), -1e12..1e12_f32],
        h in prop_oneof![Just(1e-5_f32), Just(10.0)],
    ) {
        let attractor = Attractor { position: [place, 0.0, -0.0], strength, softening };
        let mut scene = falling(inverse_mass, Field::new(attractor));
        scene.settings.step.dt = h;
        let mut world = world(&scene);
        for position in [[place, 0.0, 0.0], [place - distance, distance, 0.0]] {
            let position = position.map(|x| x.clamp(-1e12, 1e12));
            world.set_position(0, position).unwrap();
            let outcome = world.step().unwrap();
            prop_assert!(outcome.finite, "{position:?} to {:?}", world.position(0));
            for axis in 0..3 {
                let force = world.islands()[0].forces().along(axis)[0];
                prop_assert!(force.is_finite(), "{force} N at {position:?}");
                // `Attractor::MAX_ACCELERATION` is 1e9 m/s².
                prop_assert!((force * inverse_mass).abs() <= 1.0001e9, "{force} N at {position:?}");
            }
        }
    }
}
