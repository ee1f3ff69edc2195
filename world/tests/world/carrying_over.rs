//! `World::carry_over`: the state of shared models in a world with other models.

use std::sync::Arc;

use taut_core::Step;
use taut_world::{
    Cloth, EmitterSettings, Gusts, Model, Scene, Settings, StickSet, Tethers, Wind, World,
};

use crate::make::{steps, world};

#[test]
fn a_world_with_other_models_carries_over_the_state_of_those_it_shares() {
    let sheet = || Model::cloth(&Cloth::spaced(12, 9, 0.05)).unwrap().pinned("top").tearing_at(1.4);
    let disc = || Model::disc(4, StickSet::All).unwrap().moved([5.0, 0.0, 0.0]);
    let scene = |discs: usize, wider: bool| {
        let mut scene = Scene::<3>::new();
        for index in 0..discs {
            scene.add(format!("disc {index}"), disc()).unwrap();
        }
        scene.add("sheet", sheet().tethered(Tethers::default()).unwrap()).unwrap();
        let columns = if wider { 5 } else { 4 };
        scene.add("other", Model::cloth(&Cloth::spaced(columns, 4, 0.1)).unwrap()).unwrap();
        scene.forces.push(Arc::new(Wind {
            gusts: Some(Gusts { strength: 1.0, size: 1.0, seed: 3 }),
            ..Wind::new([0.0, 0.0, 5.0])
        }));
        scene
    };
    // The final positions of the sheet. In the world that replaces the first one, there are seven discs,
    // which are relaxed as copies, and the particles of the sheet have other indices.
    let final_positions = |replaced: bool| {
        let mut world = world(&scene(1, false));
        let sheet_start = |world: &World<3>| world.model("sheet").unwrap().start;
        let particle = sheet_start(&world) + 107; // the last of the sheet
        steps(&mut world, 5);
        world.grab(particle).unwrap();
        world.pin(particle - 20).unwrap();
        world.drag(particle, [0.9, -0.2, 0.3]).unwrap();
        steps(&mut world, 3);
        let torn = world.torn();
        assert!(torn > 0);
        // The particle has not yet reached this target when the world is replaced.
        world.drag(particle, [0.95, -0.2, 0.3]).unwrap();
        if replaced {
            let mut next = crate::make::world(&scene(7, true));
            assert_eq!(next.carry_over(&world), 2); // the sheet and a disc; the other model differs
            assert_eq!((next.steps(), next.time(), next.torn()), (8, world.time(), torn));
            assert_eq!(next.removed().sticks.len(), torn);
            assert_eq!(next.removed().triangles.len(), world.removed().triangles.len());
            world = next;
        }
        let particle = sheet_start(&world) + 107;
        steps(&mut world, 2);
        world.release(particle).unwrap();
        world.unpin(particle - 20).unwrap();
        steps(&mut world, 20);
        let range = world.model("sheet").unwrap();
        range.map(|particle| world.position(particle)).collect::<Vec<_>>()
    };
    assert_eq!(final_positions(false), final_positions(true));
}

#[test]
fn emitted_particles_are_carried_over() {
    let drops = |rate: f64| {
        let settings = EmitterSettings { rate, lifetime: [0.2, 0.5], ..EmitterSettings::default() };
        Model::emitter(settings).unwrap()
    };
    let mut scene = Scene::<3>::new();
    scene.add("drops", drops(60.0)).unwrap();
    let mut world = world(&scene);
    steps(&mut world, 50);
    let mut other_scene = Scene::<3>::new();
    other_scene.add("other drops", drops(90.0)).unwrap();
    other_scene.add("drops", drops(60.0)).unwrap();
    let mut next = crate::make::world(&other_scene);
    assert_eq!(next.carry_over(&world), 1);
    let state = |world: &World<3>| {
        let range = world.model("drops").unwrap();
        let hidden = world.hidden_particles().filter(|particle| range.contains(particle));
        let hidden: Vec<_> = hidden.map(|particle| particle - range.start).collect();
        (hidden, range.map(|particle| world.position(particle)).collect::<Vec<_>>())
    };
    for step in 0..20 {
        let (hidden, positions) = state(&world);
        assert!(hidden.len() < positions.len(), "all are hidden");
        assert_eq!(state(&next), (hidden, positions), "after {step} steps");
        steps(&mut world, 1);
        steps(&mut next, 1);
    }
}

#[test]
fn an_emitter_that_is_new_starts_at_the_time_of_the_other_world() {
    let mut scene = Scene::<3>::new();
    scene.add("sheet", Model::cloth(&Cloth::spaced(4, 4, 0.1)).unwrap()).unwrap();
    let mut world = world(&scene);
    steps(&mut world, 50);
    let settings =
        EmitterSettings { rate: 60.0, lifetime: [1.0, 1.0], ..EmitterSettings::default() };
    scene.add("drops", Model::emitter(settings).unwrap()).unwrap();
    let mut next = crate::make::world(&scene);
    assert_eq!(next.carry_over(&world), 1);
    let alive = |world: &World<3>| {
        let drops = world.model("drops").unwrap();
        drops.len() - world.hidden_particles().filter(|it| drops.contains(it)).count()
    };
    let snapshot = next.snapshot();
    let mut resumed = World::resume(&scene, |_| taut_scalar::ScalarKernel, &snapshot).unwrap();
    for step in 0..30 {
        assert!(alive(&next) <= step + 1, "{} drops after {step} steps", alive(&next));
        assert_eq!((alive(&next), next.hash()), (alive(&resumed), resumed.hash()));
        steps(&mut next, 1);
        steps(&mut resumed, 1);
    }
    assert!(alive(&next) > 20);
}

#[test]
fn particles_that_are_free_in_the_other_world_are_no_longer_held() {
    let mut scene = Scene::<3>::new();
    scene.add("sheet", Model::cloth(&Cloth::spaced(4, 4, 0.1)).unwrap()).unwrap();
    let (from, mut to) = (world(&scene), world(&scene));
    to.grab(5).unwrap();
    to.drag(5, [0.0; 3]).unwrap();
    assert_eq!(to.carry_over(&from), 1);
    assert_eq!(to.grabbed().count(), 0);
    to.set_inverse_mass(5, 2.0).unwrap();
    assert_eq!(to.inverse_mass(5), 2.0);
    steps(&mut to, 1);
    assert_ne!(to.position(5), [0.0; 3]);
}

#[test]
fn velocities_are_kept_if_the_substeps_have_another_length() {
    let mut scene = Scene::<3>::new();
    scene.add("sheet", Model::cloth(&Cloth::spaced(4, 4, 0.1)).unwrap()).unwrap();
    scene.settings.step.substeps = 8;
    let mut world = world(&scene);
    let settings = *world.settings();
    world
        .set_settings(Settings { step: Step { substeps: 2, ..settings.step }, ..settings })
        .unwrap();
    let fall = |world: &mut World| {
        let before = world.position(5)[1];
        steps(world, 1);
        world.position(5)[1] - before
    };
    steps(&mut world, 30);
    let mut next = crate::make::world(&scene);
    assert_eq!(next.carry_over(&world), 1);
    let [expected, actual] = [fall(&mut world), fall(&mut next)];
    assert!((actual - expected).abs() < 0.02 * expected.abs(), "{actual} m, not {expected} m");
}
