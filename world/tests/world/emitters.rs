//! Emitters: the number, lifetimes and paths of emitted particles.

use taut_scalar::ScalarKernel;
use taut_world::{Emitter, EmitterSettings, Model, ModelError, Source, World, free_fall};

use super::make::{scene, steps, world};

fn emitter(world: &World) -> &Emitter {
    &world.islands()[0].model.emitters[0]
}

#[test]
fn particles_follow_their_parabola_from_birth_on() {
    let settings = EmitterSettings {
        source: Source::Point([1.0, 2.0, 3.0]),
        rate: 37.0,
        velocity: [3.0, 7.0, -1.0],
        lifetime: [1.3, 1.3],
        ..EmitterSettings::default()
    };
    for substeps in [1, 3] {
        let mut scene = scene("fountain", Model::emitter(settings.clone()).unwrap());
        scene.settings.step.substeps = substeps;
        scene.settings.step.damping_rate = 0.0;
        let mut world = world(&scene);
        for _ in 0..200 {
            steps(&mut world, 1);
            for living in emitter(&world).particles_at(world.time()) {
                let start = [1.0, 2.0, 3.0];
                let expected = free_fall(start, [3.0, 7.0, -1.0], [0.0, -9.81, 0.0], living.age);
                let found = world.position(living.particle as usize);
                for axis in 0..3 {
                    let error = (f64::from(found[axis]) - expected[axis]).abs();
                    assert!(
                        error < 1e-3,
                        "at the age of {} s: {error} m from the parabola",
                        living.age
                    );
                }
            }
        }
    }
}

#[test]
fn extreme_damping_keeps_positions_finite() {
    for rate in [1e2, 1e3, 5e3, 6e3, 1e4, 1e9] {
        let settings = EmitterSettings { velocity: [3.0, 7.0, -1.0], ..EmitterSettings::default() };
        let mut scene = scene("fountain", Model::emitter(settings).unwrap());
        scene.settings.step.damping_rate = rate;
        let mut world = world(&scene);
        steps(&mut world, 30);
        assert!(world.positions().flatten().all(|x| x.abs() < 1.0), "{rate} 1/s");
    }
}

#[test]
fn a_particle_is_free_exactly_during_its_lifetime() {
    let settings = EmitterSettings {
        rate: 1000.0,
        lifetime: [0.2, 0.6],
        spread: 1.0,
        ..EmitterSettings::default()
    };
    let mut world = world(&scene("sparks", Model::emitter(settings).unwrap()));
    let len = world.len();
    assert_eq!(len, 601); // as many as can be alive at once, 0.6 s at 1000 per second, and one more
    let mut lifetimes = std::collections::BTreeMap::new();
    for step in 1..=240 {
        steps(&mut world, 1);
        let model = &world.islands()[0].model;
        let living: Vec<_> = emitter(&world).particles_at(world.time()).collect();
        // A particle is free if and only if it is alive.
        let free = model.particles.inverse_masses().iter().filter(|w| **w > 0.0).count();
        assert_eq!(living.len(), free);
        for alive in &living {
            assert!((0.0..alive.lifetime).contains(&alive.age));
            assert!(model.particles.inverse_masses()[alive.particle as usize] > 0.0);
            lifetimes.insert(alive.birth, alive.lifetime);
        }
        if step > 60 {
            // 1000 per second, with a mean lifetime of 0.4 s.
            assert!((340..460).contains(&living.len()), "{} are alive", living.len());
        }
    }
    // All of the 4000 births are counted, except the last ones. Lifetimes are distributed uniformly from
    // 0.2 to 0.6 s.
    assert!(lifetimes.len() >= 3998, "{} births", lifetimes.len());
    for quarter in 0..4 {
        let from = 0.2 + 0.1 * f64::from(quarter);
        let within =
            lifetimes.values().filter(|lifetime| (from..from + 0.1).contains(*lifetime)).count();
        assert!((900..1100).contains(&within), "{within} lifetimes from {from} s on");
    }
}

#[test]
fn dead_particles_do_not_move_and_a_resumed_emitter_continues() {
    let settings = EmitterSettings {
        rate: 90.0,
        lifetime: [0.1, 0.4],
        spread: 2.0,
        seed: 11,
        ..EmitterSettings::default()
    };
    let scene = scene("sparks", Model::emitter(settings).unwrap());
    let mut world = world(&scene);
    steps(&mut world, 50);
    let snapshot = world.snapshot();
    let mut resumed = World::resume(&scene, |_| ScalarKernel, &snapshot).unwrap();
    for _ in 0..50 {
        let dead: Vec<_> = (0..world.len())
            .filter(|&i| world.islands()[0].model.particles.inverse_masses()[i] == 0.0)
            .map(|particle| (particle, world.position(particle)))
            .collect();
        steps(&mut world, 1);
        steps(&mut resumed, 1);
        assert_eq!(world.hash(), resumed.hash());
        for (particle, position) in dead {
            let is_reborn = emitter(&world)
                .particles_at(world.time())
                .any(|living| living.particle as usize == particle);
            assert!(is_reborn || world.position(particle) == position);
        }
    }
}

/// With these steps, the lengths of the substeps add up, with rounding, to a little more or a little less
/// than the step; and births take place at the ends of steps.
#[test]
fn an_emitter_resumes_between_any_two_steps() {
    for (dt, substeps, rate) in
        [(0.01, 9, 100.0), (0.02, 9, 50.0), (0.02, 11, 100.0), (0.1, 3, 10.0)]
    {
        let settings = EmitterSettings { rate, ..EmitterSettings::default() };
        let mut scene = scene("drops", Model::emitter(settings).unwrap());
        scene.settings.step.dt = dt;
        scene.settings.step.substeps = substeps;
        let mut world = world(&scene);
        for step in 0..40 {
            let mut resumed = World::resume(&scene, |_| ScalarKernel, &world.snapshot()).unwrap();
            let living = |world: &World| -> Vec<_> {
                let living = emitter(world).particles_at(world.time());
                living.map(|alive| (alive.birth, alive.particle, alive.age.to_bits())).collect()
            };
            assert_eq!(living(&resumed), living(&world), "before step {step} of {dt} s");
            steps(&mut world, 1);
            steps(&mut resumed, 1);
            assert_eq!(living(&resumed), living(&world), "after step {step} of {dt} s");
            assert_eq!(resumed.hash(), world.hash(), "after step {step} of {dt} s");
        }
    }
}

#[test]
fn polygons_emit_by_area_along_their_normals() {
    // Two triangles in the plane y = 1, counter-clockwise from above. One is three times as large as the
    // other.
    let small = [[0.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 1.0, 0.0]];
    let large = [[5.0, 1.0, 0.0], [5.0, 1.0, 1.0], [8.0, 1.0, 0.0]];
    let model = Model::emitter(EmitterSettings {
        source: Source::Polygons(vec![small, large]),
        rate: 8000.0,
        normal_speed: 60.0,
        lifetime: [1.0, 1.0],
        ..EmitterSettings::default()
    });
    let mut scene = scene("floor", model.unwrap());
    scene.settings.step.acceleration = [0.0; 3];
    scene.settings.step.damping_rate = 0.0;
    let mut world = world(&scene);
    steps(&mut world, 30);
    let (mut on_small, mut all) = (0, 0);
    for living in emitter(&world).particles_at(world.time()) {
        let [x, y, z] = world.position(living.particle as usize);
        assert!((f64::from(y) - 1.0 - 60.0 * living.age).abs() < 1e-3);
        let inside = |x: f32, width: f32| x >= -1e-5 && z >= -1e-5 && x / width + z <= 1.0 + 1e-5;
        assert!(inside(x, 1.0) || inside(x - 5.0, 3.0), "x = {x} m, z = {z} m");
        on_small += usize::from(x < 2.0);
        all += 1;
    }
    assert_eq!(all, 4000);
    assert!((900..1100).contains(&on_small), "{on_small} on the small triangle");
}

#[test]
fn invalid_emitter_settings_are_rejected() {
    let invalid = [
        EmitterSettings { rate: 0.0, ..EmitterSettings::default() },
        EmitterSettings { rate: 1e9, ..EmitterSettings::default() },
        EmitterSettings { lifetime: [2.0, 1.0], ..EmitterSettings::default() },
        EmitterSettings { mass: 0.0, ..EmitterSettings::default() },
        EmitterSettings { spread: f32::NAN, ..EmitterSettings::default() },
        EmitterSettings { source: Source::Polygons(Vec::new()), ..EmitterSettings::default() },
    ];
    for settings in invalid {
        let error = Model::<3>::emitter(settings).unwrap_err();
        let expected = matches!(error, ModelError::OutOfRange { .. } | ModelError::Limit(_));
        assert!(expected, "{error}");
    }
}

#[test]
fn turning_a_model_turns_the_source_and_velocity_of_its_emitter() {
    let close = |a: [f32; 3], b: [f32; 3]| (0..3).all(|axis| (a[axis] - b[axis]).abs() < 1e-6);
    let turned = |source| {
        let settings =
            EmitterSettings { source, velocity: [4.0, 5.0, 6.0], ..EmitterSettings::default() };
        // A third of a turn about the diagonal permutes the axes cyclically.
        let third = core::f32::consts::TAU / 3.0;
        let model = Model::emitter(settings).unwrap().turned([1.0; 3], third).unwrap();
        let settings = model.emitters[0].settings().clone();
        assert!(close(settings.velocity, [6.0, 4.0, 5.0]));
        settings.source
    };
    // The rotation maps (x, y, z) to (z, x, y).
    let [a, b, c] = [[1.0, 2.0, 3.0], [2.0, 2.0, 3.0], [1.0, 4.0, 3.0]];
    let Source::Point(point) = turned(Source::Point(a)) else { panic!("expected a point") };
    assert!(close(point, [3.0, 1.0, 2.0]));
    let disc = Source::Disc { centre: a, axes: [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]] };
    let Source::Disc { centre, axes: [p, q] } = turned(disc) else { panic!("expected a disc") };
    assert!(close(centre, [3.0, 1.0, 2.0]));
    assert!(close(p, [0.0, 1.0, 0.0]) && close(q, [0.0, 0.0, 2.0]));
    let Source::Polygons(triangles) = turned(Source::Polygons(vec![[a, b, c]])) else {
        panic!("expected polygons")
    };
    let expected = [[3.0, 1.0, 2.0], [3.0, 2.0, 2.0], [3.0, 1.0, 4.0]];
    assert!((0..3).all(|corner| close(triangles[0][corner], expected[corner])));
}

#[test]
fn the_smallest_and_the_largest_mass_are_valid() {
    for mass in [1e-9, 1e9] {
        let settings = EmitterSettings { mass, ..EmitterSettings::<3>::default() };
        assert!(Model::emitter(settings).is_ok(), "{mass} kg");
    }
    let settings = EmitterSettings { mass: 0.9e-9, ..EmitterSettings::<3>::default() };
    assert!(Model::emitter(settings).is_err());
}

#[test]
fn a_held_particle_is_free_once_it_is_emitted() {
    let settings = EmitterSettings {
        rate: 30.0,
        velocity: [3.0, 7.0, -1.0],
        lifetime: [0.5, 0.5],
        ..EmitterSettings::default()
    };
    let scene = scene("fountain", Model::emitter(settings).unwrap());
    let (mut held, mut other) = (world(&scene), world(&scene));
    let first = 0;
    held.grab(first).unwrap(); // it has not been emitted yet, and has no mass
    held.drag(first, [5.0; 3]).unwrap();
    for world in [&mut held, &mut other] {
        steps(world, 5);
    }
    let free = 1.0 / emitter(&held).settings().mass;
    assert_eq!(held.inverse_mass(first), free);
    assert_eq!(held.position(first), other.position(first));
    held.release(first).unwrap();
    assert_eq!(held.inverse_mass(first), free, "it is not pinned by the release");
    // Grabbed again, it keeps the mass that the emitter gave it.
    held.grab(first).unwrap();
    assert_eq!(held.inverse_mass(first), 0.0);
    held.release(first).unwrap();
    assert_eq!(held.inverse_mass(first), free);
}
