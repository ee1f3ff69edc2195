//! A world moves as its parts would.

use std::sync::Arc;

use taut_core::{Kernel, Plan, Step};
use taut_scalar::ScalarKernel;
use taut_world::{Force, Forces, Model, Moment, Scene, StickSet, World};

/// Pushes every particle up as hard as gravity pulls.
#[derive(Debug)]
struct Float;

impl Force for Float {
    fn push(&self, matter: &Model, _: &Moment, forces: &mut Forces) {
        for (particle, w) in matter.particles.inverse_masses().iter().enumerate() {
            if *w > 0.0 {
                forces.add(particle, [0.0, 9.81 / w, 0.0]);
            }
        }
    }
}

#[test]
fn a_world_of_one_model_is_that_model_relaxed() {
    let model = Model::drape(9, StickSet::All).unwrap();
    let mut scene = Scene::new();
    scene.add("sheet", model.clone()).unwrap();
    let mut world = World::new(&scene, |_| ScalarKernel).unwrap();

    let Model { mut particles, sticks, sheet, .. } = model;
    let schedule = sheet.unwrap().schedule(&sticks).unwrap();
    let mut plan = ScalarKernel.plan(&particles, &sticks, &schedule, scene.formula).unwrap();
    for _ in 0..20 {
        assert!(world.step().unwrap().finite);
        assert!(plan.step(&mut particles, &sticks, &Step::default()).unwrap().finite);
    }
    assert_eq!(world.hash(), particles.hash());
}

#[test]
fn a_force_that_bears_the_weight_keeps_particles_where_they_are() {
    let mut scene = Scene::new();
    scene.add("sheet", Model::drape(9, StickSet::All).unwrap()).unwrap();
    scene.forces.push(Arc::new(Float));
    let mut world = World::new(&scene, |_| ScalarKernel).unwrap();
    let before: Vec<_> = (0..world.len()).map(|particle| world.position(particle)).collect();
    for _ in 0..20 {
        assert!(world.step().unwrap().finite);
    }
    for (particle, before) in before.into_iter().enumerate() {
        let [dx, dy, dz] = [0, 1, 2].map(|axis| world.position(particle)[axis] - before[axis]);
        // The sheet is a little uneven to begin with, and smooths itself.
        assert!(dx.hypot(dy).hypot(dz) < 2e-3, "particle {particle} moved {dx} {dy} {dz}");
    }
}

#[test]
fn another_length_of_the_step_keeps_velocities() {
    let mut scene = crate::make::scene("ball", crate::make::loose(&[[0.0; 3]], &[1.0]));
    scene.settings.step.acceleration = [0.0; 3];
    scene.settings.step.damping = 0.0;
    let mut world = World::new(&scene, |_| ScalarKernel).unwrap();
    world.set_velocity(0, [3.0, 0.0, -1.0]).unwrap();
    for (dt, substeps) in [(0.01, 1), (0.02, 4), (0.05, 1)] {
        let mut settings = *world.settings();
        (settings.step.dt, settings.step.substeps) = (dt, substeps);
        world.set_settings(settings).unwrap();
        for _ in 0..10 {
            assert!(world.step().unwrap().finite);
        }
        let [x, _, z] = world.position(0).map(f64::from);
        let t = world.time();
        assert!((x - 3.0 * t).abs() < 1e-4 && (z + t).abs() < 1e-4, "{x} {z} after {t} s");
    }
    let mut nonsense = *world.settings();
    nonsense.step.substeps = 0;
    assert!(world.set_settings(nonsense).is_err());
}

#[test]
fn a_force_that_goes_pushes_no_more() {
    let mut scene = Scene::new();
    scene.add("ball", crate::make::loose(&[[0.0; 3]], &[1.0])).unwrap();
    scene.forces.push(Arc::new(Float));
    let mut world = World::new(&scene, |_| ScalarKernel).unwrap();
    crate::make::steps(&mut world, 5);
    assert!(world.position(0)[1].abs() < 1e-5);
    world.forces_mut().clear();
    crate::make::steps(&mut world, 60);
    assert!(world.position(0)[1] < -3.0);
}
