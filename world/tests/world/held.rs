//! Pinning, grabbing, dragging and releasing particles.

use std::sync::Arc;

use taut_scalar::ScalarKernel;
use taut_world::{Force, Forces, Model, SelfCollision, StepTime, StickSet, World, WorldError};

use crate::make::{scene, steps, world};

/// A force of 0 N. With any force, a step takes another code path.
#[derive(Debug)]
struct ZeroForce;

impl Force for ZeroForce {
    fn add_forces(&self, _: &Model, _: &StepTime, _: &mut Forces) {}
}

#[test]
fn dragged_particles_reach_their_targets_on_all_code_paths() {
    let mut hashes = Vec::new();
    for with_force in [false, true] {
        let mut scene = scene("sheet", Model::drape(9, StickSet::All).unwrap());
        scene.add("ball", Model::sphere(5, StickSet::All).unwrap().moved([3.0, 0.0, 0.0])).unwrap();
        scene.settings.step.substeps = 4;
        scene.settings.step.iterations = 2;
        if with_force {
            scene.forces.push(Arc::new(ZeroForce));
        }
        let mut world = world(&scene);
        let ball = world.model("ball").unwrap().start;
        for particle in [80, ball + 3] {
            world.grab(particle).unwrap();
        }
        for step in 0..40 {
            let target = |x: f32| [x, -0.3, 0.011 * step as f32];
            world.drag(80, target(0.4)).unwrap();
            world.drag(0, target(0.0)).unwrap(); // pinned from the beginning
            world.drag(ball + 3, target(3.0)).unwrap();
            steps(&mut world, 1);
            for (particle, x) in [(80, 0.4), (0, 0.0), (ball + 3, 3.0)] {
                assert_eq!(world.position(particle), target(x));
            }
        }
        assert_eq!(world.grabbed().collect::<Vec<_>>(), [80, ball + 3]);
        let position = world.position(80);
        steps(&mut world, 3);
        assert_eq!(world.position(80), position, "the particle moves after its drag has ended");
        hashes.push(world.hash());
    }
    assert_eq!(hashes[0], hashes[1]);
}

#[test]
fn a_drag_is_spread_over_substeps_and_a_release_keeps_its_velocity() {
    let mut scene =
        scene("unconnected", crate::make::unconnected(&[[0.0; 3], [1.0; 3]], &[0.5, 1.0]));
    scene.settings.step.substeps = 5;
    scene.settings.step.damping_rate = 0.0;
    scene.settings.step.acceleration = [0.0; 3];
    let mut world = world(&scene);
    world.grab(0).unwrap();
    world.drag(0, [0.5, 0.0, -1.0]).unwrap();
    steps(&mut world, 1);
    // The particle moves as far in a free step as in the step in which it was dragged.
    world.release(0).unwrap();
    assert_eq!(world.inverse_mass(0), 0.5);
    steps(&mut world, 1);
    let [x, y, z] = world.position(0);
    assert!((x - 1.0).abs() < 1e-5 && y == 0.0 && (z + 2.0).abs() < 1e-5, "{x} {y} {z}");

    // A particle that was moved to a point after the drag is at rest there.
    world.grab(0).unwrap();
    world.drag(0, [3.0, 0.0, 0.0]).unwrap();
    steps(&mut world, 1);
    world.set_position(0, [0.0, 5.0, 0.0]).unwrap();
    world.release(0).unwrap();
    steps(&mut world, 1);
    assert_eq!(world.position(0), [0.0, 5.0, 0.0]);

    // Released after a step without a drag, the particle is at rest.
    world.grab(0).unwrap();
    steps(&mut world, 1);
    let position = world.position(0);
    world.release(0).unwrap();
    steps(&mut world, 1);
    assert_eq!(world.position(0), position);
}

#[test]
fn a_release_keeps_the_velocity_when_the_substeps_change_before_it() {
    let mut scene = scene("unconnected", crate::make::unconnected(&[[0.0; 3]], &[0.5]));
    scene.settings.step.damping_rate = 0.0;
    scene.settings.step.acceleration = [0.0; 3];
    let mut world = world(&scene);
    world.grab(0).unwrap();
    world.drag(0, [0.5, 0.0, 0.0]).unwrap();
    steps(&mut world, 1);
    let mut finer = *world.settings();
    finer.step.substeps = 4;
    world.set_settings(finer).unwrap();
    world.release(0).unwrap();
    steps(&mut world, 1);
    let [x, ..] = world.position(0);
    assert!((x - 1.0).abs() < 1e-5, "{x}");
}

#[test]
fn a_pinned_and_grabbed_particle_is_free_after_unpin_and_release() {
    let mut world =
        world(&scene("unconnected", crate::make::unconnected(&[[0.0; 3], [1.0; 3]], &[0.5, 0.0])));
    // Released, but still pinned.
    world.grab(0).unwrap();
    world.pin(0).unwrap();
    world.release(0).unwrap();
    steps(&mut world, 5);
    assert_eq!(world.position(0), [0.0; 3]);
    // Unpinned, but still grabbed. The new inverse mass acts from the release on.
    world.grab(0).unwrap();
    world.set_inverse_mass(0, 0.25).unwrap();
    world.unpin(0).unwrap();
    steps(&mut world, 5);
    assert_eq!((world.position(0), world.inverse_mass(0)), ([0.0; 3], 0.0));
    world.release(0).unwrap();
    assert_eq!(world.inverse_mass(0), 0.25);
    assert_eq!(world.drag(0, [0.0; 3]), Err(WorldError::NotHeld { particle: 0 }));
    // Particle 1 is pinned in the scene, so it has no mass to get back.
    assert_eq!(world.unpin(1), Err(WorldError::NoMassToRestore { particle: 1 }));
    world.set_inverse_mass(1, 2.0).unwrap();
    world.unpin(1).unwrap();
    steps(&mut world, 5);
    assert!(world.position(0)[1] < 0.0 && world.position(1)[1] < 1.0);

    // Invalid calls change nothing.
    world.pin(0).unwrap();
    let before = world.hash();
    assert!(world.drag(0, [f32::NAN, 0.0, 0.0]).is_err());
    assert!(world.grab(2).is_err() && world.release(2).is_err() && world.pin(2).is_err());
    assert!(world.set_inverse_mass(0, -1.0).is_err() && world.set_velocity(1, [1e30; 3]).is_err());
    assert_eq!(world.hash(), before);
}

#[test]
fn the_nearest_particle_to_a_point_or_a_ray_is_found() {
    let mut scene = scene("disc", Model::disc(12, StickSet::Structural).unwrap());
    scene.add("sheet", Model::drape(7, StickSet::All).unwrap().moved([0.1, 0.2, 0.3])).unwrap();
    let world = world(&scene);
    for particle in 0..world.len() {
        let [x, y, z] = world.position(particle);
        assert_eq!(world.nearest([x + 0.003, y - 0.003, z], 0.02), Some(particle));
        // A ray through a particle picks this particle, or one near it that is as close to the ray. The
        // opposite ray picks nothing.
        let eye = [0.3, -0.2, 5.0];
        let ray = [x - eye[0], y - eye[1], z - eye[2]];
        let picked = world.nearest_to_ray(eye, ray, 1e-3).unwrap();
        let offset: [f32; 3] =
            core::array::from_fn(|axis| world.position(picked)[axis] - eye[axis]);
        let dot = |a: [f32; 3], b: [f32; 3]| (0..3).map(|i| a[i] * b[i]).sum::<f32>();
        let along = dot(offset, ray) / dot(ray, ray);
        let across: [f32; 3] = core::array::from_fn(|axis| offset[axis] - along * ray[axis]);
        let distance = dot(across, across).sqrt();
        assert!(distance < 1e-5, "picked {picked}, expected {particle}: {distance} m from the ray");
        assert_eq!(world.nearest_to_ray(eye, ray.map(|x| -x), 1e-3), None);
    }
    assert_eq!(world.nearest([9.0, 9.0, 9.0], 0.5), None);
    assert_eq!(world.nearest([f32::NAN; 3], 0.5), None);
    assert_eq!(world.nearest(world.position(0), -0.5), None);
    assert_eq!(world.nearest_to_ray([0.0; 3], [0.0; 3], 100.0), None);
}

#[test]
fn after_a_failed_step_a_snapshot_has_the_dragged_particle() {
    for self_collides in [false, true] {
        let mut sheet = Model::drape(4, StickSet::All).unwrap();
        if self_collides {
            sheet = sheet.self_colliding(SelfCollision::default()).unwrap();
        }
        let mut scene = scene("sheet", sheet);
        scene.settings.step.acceleration = [0.0; 3];
        scene.settings.step.substeps = 4;
        let mut world = world(&scene);
        assert_eq!(world.islands()[0].model.particles.inverse_masses()[0], 0.0);
        let [x, y, z] = world.position(0);
        world.drag(0, [x, y, z + 0.04]).unwrap();
        // With the sticks of another model, the step fails in its first of 4 substeps, after the drag
        // has moved the particle.
        let sticks = world.islands()[0].model.sticks.clone();
        let other = Model::<3>::drape(4, StickSet::Structural).unwrap().sticks;
        world.islands_mut()[0].model.sticks = other;
        assert!(world.step().is_err());
        world.islands_mut()[0].model.sticks = sticks;
        world.set_inverse_mass(0, 1.0).unwrap(); // ends the drag
        assert_eq!(world.position(0)[2], z + 0.01);
        let mut resumed = World::resume(&scene, |_| ScalarKernel, &world.snapshot()).unwrap();
        for world in [&mut world, &mut resumed] {
            steps(world, 1);
        }
        assert_eq!(resumed.hash(), world.hash());
    }
}
