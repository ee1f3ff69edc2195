//! Self-collision: contacts of cloth and ropes with cloth and ropes.

use std::sync::Arc;

use taut_core::{Duplicates, Particles, Schedule, Step, Sticks};
use taut_scalar::ScalarKernel;
use taut_world::{
    Axes, Cloth, HalfSpace, Model, Path, Rope, Scene, SelfCollision, Solid, Tie, TieEnd, World,
    WorldError,
};

use crate::make::{unconnected, world};

/// The length of a substep, s: 60 steps per second, of 8 substeps each.
const H: f32 = 1.0 / 480.0;

/// The spacing of all sheets, m.
const SPACING: f32 = 0.025;

/// A horizontal square sheet with `side` particles along each side.
fn square(side: usize, settings: SelfCollision) -> Model {
    let width = SPACING * (side - 1) as f32;
    let cloth = Cloth {
        columns: side,
        rows: side,
        width,
        height: width,
        axes: Axes::HORIZONTAL,
        ..Cloth::default()
    };
    Model::cloth(&cloth).unwrap().self_colliding(settings).unwrap()
}

/// A square sheet of 20 cm.
fn sheet(settings: SelfCollision) -> Model {
    square(9, settings)
}

/// A sheet that falls on a larger fixed one, with a speed, m/s.
fn falling_on_a_fixed_sheet([fixed, falling]: [SelfCollision; 2], speed: f32) -> Scene {
    let (fixed, falling) = (square(17, fixed), sheet(falling));
    let mut scene = Scene::new();
    let all = 0..fixed.particles.len() as u32;
    scene.add("fixed", fixed.with_group("all", all).unwrap().pinned("all")).unwrap();
    let falling = falling.moved([0.01, 0.1, 0.01]).moving_at([0.0, -speed, 0.0], H);
    scene.add("falling", falling).unwrap();
    scene
}

/// Three sheets and a rope that fall on the floor and on each other. The upper sheet has an initial
/// speed, m/s, downwards and half of it sideways.
fn heap(speed: f32) -> Scene {
    let mut scene = Scene::new();
    for layer in 0..3 {
        let turned = sheet(SelfCollision::default()).turned([0.0, 1.0, 0.0], 0.3 * layer as f32);
        let offset = [0.0, 0.05 + 0.04 * layer as f32, 0.0];
        let speed = if layer == 2 { speed } else { 0.0 };
        let moving = turned.unwrap().moved(offset).moving_at([0.0, -speed, 0.5 * speed], H);
        scene.add(format!("sheet {layer}"), moving).unwrap();
    }
    let rope = Rope { spacing: 0.02, ..Rope::default() };
    let rope = Model::rope(&[[-0.2, 0.2, 0.0], [0.2, 0.22, 0.03]], &rope).unwrap();
    scene.add("rope", rope.self_colliding(SelfCollision::default()).unwrap()).unwrap();
    let floor = HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0]).unwrap();
    scene.obstacles.push(Arc::new(Solid::new(floor)));
    scene
}

fn lowest(world: &World, model: &str) -> f32 {
    world
        .model(model)
        .unwrap()
        .map(|particle| world.position(particle)[1])
        .fold(f32::INFINITY, f32::min)
}

#[test]
fn a_sheet_stays_above_another_at_any_speed() {
    // At 100 m/s the sheet moves by 8 times its thickness in a substep.
    for speed in [0.0, 2.0, 8.0, 20.0, 100.0] {
        let mut world = world(&falling_on_a_fixed_sheet([SelfCollision::default(); 2], speed));
        for _ in 0..30 {
            assert!(world.step().unwrap().finite);
            assert!(lowest(&world, "falling") > 0.0, "at {speed} m/s");
        }
        let contacts = world.contacts().unwrap();
        assert_eq!(contacts.crossings, 0, "at {speed} m/s");
    }
}

#[test]
fn a_strip_that_begins_in_a_sheet_can_be_pulled_out() {
    let fixed = square(17, SelfCollision::default()).pinned("left").pinned("right");
    let strip = Model::cloth(&Cloth::spaced(5, 13, SPACING)).unwrap();
    let strip = strip.self_colliding(SelfCollision::default()).unwrap();
    // Its middle row is in the plane of the sheet.
    let strip = strip.moved([0.012, 0.0, 0.012]);
    let pull = Path::Linear { velocity: [0.0, 0.2, 0.0] };
    let mut scene = Scene::new();
    scene.add("sheet", fixed).unwrap();
    scene.add("strip", strip.guided("top", pull, None).unwrap()).unwrap();
    scene.settings.step.substeps = 16;
    let mut world = world(&scene);
    assert!(world.step().unwrap().finite);
    assert!(world.contacts().unwrap().crossings > 0);
    for _ in 0..90 {
        assert!(world.step().unwrap().finite);
    }
    assert_eq!(world.contacts().unwrap().crossings, 0);
    assert!(world.diagnostics().unwrap().stretch.max < 0.1);
}

#[test]
fn categories_and_masks_determine_which_models_collide() {
    let settings = |categories, mask| SelfCollision { categories, mask, ..Default::default() };
    for (one, other, collide) in [
        (settings(1, 1), settings(1, 1), true),
        (settings(1, 2), settings(2, 1), true),
        (settings(1, 2), settings(2, 2), false),
        (settings(1, 1), settings(2, 3), false),
        (settings(0, u32::MAX), settings(1, u32::MAX), false),
    ] {
        let mut world = world(&falling_on_a_fixed_sheet([one, other], 0.0));
        for _ in 0..30 {
            assert!(world.step().unwrap().finite);
        }
        assert_eq!(lowest(&world, "falling") > 0.0, collide, "{one:?}, {other:?}");
    }
}

#[test]
fn contacts_conserve_momentum() {
    let mut scene = Scene::new();
    let throw = |velocity| sheet(SelfCollision::default()).moving_at(velocity, H);
    scene.add("one", throw([0.3, 1.0, 0.0])).unwrap();
    scene.add("other", throw([0.0, -2.0, 0.1]).moved([0.03, 0.08, 0.01])).unwrap();
    scene.settings.step = Step { acceleration: [0.0; 3], damping_rate: 0.0, ..scene.settings.step };
    let mut world = world(&scene);
    let before = world.diagnostics().unwrap();
    let mut contacts_max = 0;
    for _ in 0..20 {
        assert!(world.step().unwrap().finite);
        contacts_max = contacts_max.max(world.contacts().unwrap().touching);
    }
    assert!(contacts_max > 10, "at most {contacts_max} contacts");
    let after = world.diagnostics().unwrap();
    let change = |axis: usize| (after.momentum[axis] - before.momentum[axis]).abs();
    let bound = 1e-4 * before.momentum.iter().map(|component| component.abs()).sum::<f64>();
    assert!((0..3).all(|axis| change(axis) < bound), "{before:?}\n{after:?}");
    assert!(after.kinetic < before.kinetic);
}

/// A particle of 1 kg at rest, which collides as a ball, and 1 m to its left another one, the mover. The
/// mover is guided along x at `speed` m/s, or pinned if that is None. There is no gravity.
fn ball_and_mover(speed: Option<f64>) -> World {
    let ball = |x: f32, inverse_mass: f32| {
        unconnected(&[[x, 0.0, 0.0]], &[inverse_mass])
            .self_colliding(SelfCollision { thickness: Some(0.02), ..SelfCollision::default() })
            .unwrap()
    };
    let mut scene = Scene::new();
    scene.settings.step.acceleration = [0.0; 3];
    scene.add("free", ball(1.0, 1.0)).unwrap();
    let mover = ball(0.0, 1.0).with_group("all", 0..1).unwrap();
    let mover = match speed {
        Some(speed) => {
            mover.guided("all", Path::Linear { velocity: [speed, 0.0, 0.0] }, None).unwrap()
        }
        None => mover.pinned("all"),
    };
    scene.add("mover", mover).unwrap();
    world(&scene)
}

#[test]
fn a_guided_particle_pushes_others_at_any_speed() {
    for speed in [0.5, 2.0, 5.0, 20.0] {
        let mut world = ball_and_mover(Some(speed));
        while world.time() < 1.5 / speed {
            assert!(world.step().unwrap().finite);
        }
        let [free, mover] = [0, 1].map(|particle| world.position(particle)[0]);
        assert!(mover > 1.2 && free > mover, "at {speed} m/s: {free} m, {mover} m");
        // Contacts do not bounce: the free particle moves with the speed of the mover.
        let before = world.position(0)[0];
        assert!(world.step().unwrap().finite);
        let reached = f64::from(world.position(0)[0] - before) * 60.0;
        assert!((reached - speed).abs() < 0.02 * speed, "at {speed} m/s: {reached} m/s");
    }
}

#[test]
fn a_dragged_particle_pushes_others_and_stops() {
    let mut world = ball_and_mover(None);
    for step in 1..=30 {
        world.drag(1, [step as f32 * 0.05, 0.0, 0.0]).unwrap();
        assert!(world.step().unwrap().finite);
    }
    let free = world.position(0)[0];
    assert!(free > 1.5, "{free} m");
    for _ in 0..30 {
        assert!(world.step().unwrap().finite);
    }
    assert_eq!(world.position(1)[0], 1.5);
    assert!(world.position(0)[0] > free + 1.0, "the free particle has no velocity");
}

#[test]
fn particles_joined_by_a_stick_collide_only_if_it_is_torn_in_the_scene() {
    // The distance of two particles after a step, m, which begins with a distance of 0.01 m. The
    // thickness is 0.05 m.
    let distance = |torn: bool| {
        let particles = Particles::new(&[[0.0; 3], [0.1, 0.0, 0.0]], &[1.0; 2]).unwrap();
        let mut sticks = Sticks::joining(&particles, &[[0, 1]], Duplicates::Keep).unwrap();
        if torn {
            sticks.tear(0).unwrap();
        }
        let settings = SelfCollision { thickness: Some(0.05), ..SelfCollision::default() };
        let model = Model::new(particles, sticks).self_colliding(settings).unwrap();
        let mut scene = Scene::new();
        scene.settings.step.acceleration = [0.0; 3];
        scene.settings.step.iterations = 0;
        scene.add("pair", model).unwrap();
        let mut world = world(&scene);
        world.set_position(1, [0.01, 0.0, 0.0]).unwrap();
        assert!(world.step().unwrap().finite);
        world.position(1)[0] - world.position(0)[0]
    };
    let [joined, torn] = [false, true].map(distance);
    assert!(joined == 0.01 && torn > 0.04, "{joined} m, {torn} m");
}

#[test]
fn tied_particles_do_not_collide() {
    // Two sheets are sewn together along an edge.
    let mut scene = Scene::new();
    scene.settings.step.acceleration = [0.0; 3];
    let first = Model::cloth(&Cloth::spaced(8, 8, 0.05)).unwrap();
    let first = first.self_colliding(SelfCollision::default()).unwrap();
    let second = first.clone().moved([0.35, 0.0, 0.0]);
    scene.add("first", first).unwrap();
    scene.add("second", second).unwrap();
    let sewn = [TieEnd::group("first", "right"), TieEnd::group("second", "left")];
    scene.attach(&Tie::between(sewn)).unwrap();
    let mut world = world(&scene);
    for _ in 0..60 {
        assert!(world.step().unwrap().finite);
    }
    for tie in world.ties() {
        let [a, b] = tie.ends;
        let gap = (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f32>().sqrt();
        assert!(gap < 1e-3, "the sewn sides are apart by {gap} m, with a force of {} N", tie.force);
    }
}

#[test]
fn the_default_thickness_applies_to_settings_that_a_caller_sets_directly() {
    let mut model = sheet(SelfCollision::default());
    let scene_of = |model: &Model| {
        let mut scene = Scene::new();
        scene.add("sheet", model.clone()).unwrap();
        scene
    };
    let thickness = |scene: &Scene| {
        let world = world(scene);
        world.self_collision_settings().next().unwrap().thickness
    };
    let expected = thickness(&scene_of(&model));
    assert!(expected.is_some_and(|it| it > 0.0));
    model.self_collision = Some(SelfCollision::default());
    assert_eq!(thickness(&scene_of(&model)), expected);
    model.self_collision = Some(SelfCollision { friction: -1.0, ..SelfCollision::default() });
    let error = World::new(&scene_of(&model), |_| ScalarKernel).err().unwrap();
    assert!(error.to_string().contains("friction"), "{error}");
}

#[test]
fn a_resumed_world_has_the_same_bits() {
    for speed in [0.0, 6.0] {
        let scene = heap(speed);
        let mut uninterrupted = world(&scene);
        let mut interrupted = world(&scene);
        for step in 0..60 {
            assert!(uninterrupted.step().unwrap().finite && interrupted.step().unwrap().finite);
            if step % 7 == 0 || step < 20 {
                // The resumed world makes a new list of near pairs of particles.
                let snapshot = interrupted.snapshot();
                interrupted =
                    World::resume(&scene, |_: &Schedule| ScalarKernel, &snapshot).unwrap();
            }
            assert_eq!(uninterrupted.hash(), interrupted.hash(), "speed {speed}, step {step}");
        }
        assert!(uninterrupted.contacts().unwrap().touching > 50);
    }
}

#[test]
fn self_collision_without_contacts_changes_no_bit() {
    // The bits of the positions of a sheet. With self-collision there is another sheet far from it.
    let bits = |settings: Option<SelfCollision>| {
        let mut model = sheet(SelfCollision::default()).pinned("left");
        model.self_collision = settings;
        let mut scene = Scene::new();
        scene.add("sheet", model.clone()).unwrap();
        if settings.is_some() {
            scene.add("far", model.moved([5.0, 0.0, 0.0])).unwrap();
        }
        let mut world = world(&scene);
        for _ in 0..10 {
            assert!(world.step().unwrap().finite);
        }
        world
            .model("sheet")
            .unwrap()
            .map(|particle| world.position(particle).map(f32::to_bits))
            .collect()
    };
    let with: Vec<[u32; 3]> =
        bits(Some(SelfCollision { thickness: Some(0.01), ..Default::default() }));
    assert_eq!(with, bits(None));
}

#[test]
fn neighbours_closer_than_the_thickness_at_rest_do_not_collide() {
    let thick = SelfCollision { thickness: Some(0.06), ..SelfCollision::default() };
    let mut scene = Scene::new();
    let mut model = sheet(thick).pinned("corners");
    scene.add("sheet", model.clone()).unwrap();
    let mut with = world(&scene);
    model.self_collision = None;
    let mut scene = Scene::new();
    scene.add("sheet", model).unwrap();
    let mut without = world(&scene);
    for _ in 0..3 {
        assert!(with.step().unwrap().finite && without.step().unwrap().finite);
        assert_eq!(with.hash(), without.hash());
    }
    let contacts = with.contacts().unwrap();
    assert!(contacts.excluded > 0 && contacts.touching == 0, "{contacts:?}");
}

#[test]
fn a_thickness_that_leaves_gaps_gives_a_warning() {
    let warnings = |thickness| {
        let settings = SelfCollision { thickness, ..SelfCollision::default() };
        let mut scene = Scene::new();
        scene.add("sheet", sheet(settings)).unwrap();
        assert_eq!(world(&scene).warnings(), scene.warnings());
        scene.warnings().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert!(warnings(None).is_empty() && warnings(Some(0.018)).is_empty());
    let [warning] = &warnings(Some(0.01))[..] else { panic!("expected one warning") };
    let expected = "model 'sheet': with a self-collision thickness of 0.01 m, particles may pass";
    assert!(warning.starts_with(expected), "{warning}");
}

#[test]
fn settings_out_of_range_are_rejected() {
    let error = |settings| {
        let rope = Model::<3>::rope(&[[0.0; 3], [1.0; 3]], &Rope::default()).unwrap();
        rope.self_colliding(settings).unwrap_err().to_string()
    };
    let thickness = |thickness| SelfCollision { thickness: Some(thickness), ..Default::default() };
    for value in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let error = error(thickness(value));
        assert!(error.starts_with("the thickness of cloth, m, is "), "{error}");
    }
    let friction = SelfCollision { friction: -0.5, ..SelfCollision::default() };
    assert_eq!(error(friction), "the friction of self-collision is -0.5; it must be at least 0");
}

#[test]
fn sheets_in_the_same_place_keep_finite_positions() {
    let mut scene = Scene::new();
    for copy in 0..4 {
        scene.add(format!("sheet {copy}"), sheet(SelfCollision::default())).unwrap();
    }
    let mut world = world(&scene);
    for _ in 0..20 {
        assert!(world.step().unwrap().finite);
    }
}

#[test]
fn a_thickness_larger_than_the_sheet_excludes_all_pairs() {
    let settings = SelfCollision { thickness: Some(10.0), ..SelfCollision::default() };
    let sheet = Model::<3>::cloth(&Cloth::spaced(72, 64, 0.01)).unwrap();
    let mut scene = Scene::new();
    let sticks = sheet.sticks.len();
    scene.add("sheet", sheet.self_colliding(settings).unwrap()).unwrap();
    let contacts = world(&scene).contacts().unwrap();
    // All pairs of the 72 x 64 particles, except those that a stick joins.
    assert_eq!(contacts.excluded, 4608 * 4607 / 2 - sticks);
    assert_eq!(contacts.touching, 0);
}

#[test]
fn a_thickness_with_too_many_close_pairs_is_an_error() {
    let settings = SelfCollision { thickness: Some(10.0), ..SelfCollision::default() };
    let mut sheet = Model::<3>::cloth(&Cloth::spaced(400, 250, 0.01)).unwrap();
    let error = sheet.clone().self_colliding(settings).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the thickness of cloth, m, is 10; it must be so small that at most 16777216 pairs of \
         particles share a cube with this diagonal"
    );
    sheet.self_collision = Some(settings); // not checked
    let mut scene = Scene::new();
    scene.add("sheet", sheet).unwrap();
    assert_eq!(World::new(&scene, |_| ScalarKernel).err(), Some(WorldError::Model(error)));
}
