//! Models at rest fall asleep, and wake when something comes near them or changes them.

use std::sync::Arc;

use taut_scalar::ScalarKernel;
use taut_world::{
    Acceleration, Axes, Cloth, Field, Force, Gusts, HalfSpace, LimbContacts, Model, ModelError,
    ParticleState, Place, Ragdoll, Rope, Scene, SelfCollision, Sleep, Solid, Surface, Tie, TieEnd,
    Wind, World, WorldError,
};

use crate::make::{steps, unconnected, world};

pub(crate) fn colliding(model: Model) -> Model {
    model.self_colliding(SelfCollision::default()).unwrap()
}

/// A horizontal square sheet of 10 x 10 particles, `width` m wide.
pub(crate) fn sheet(width: f32) -> Model {
    let axes = Axes::HORIZONTAL;
    let cloth = Cloth {
        columns: 10,
        rows: 10,
        width,
        height: width,
        axes,
        density: 0.5,
        ..Cloth::default()
    };
    Model::cloth(&cloth).unwrap()
}

/// A rope of about 60 cm along x.
fn rope() -> Model {
    let rope = Rope { spacing: 0.03, density: 1.0, ..Rope::default() };
    Model::rope(&[[-0.3, 0.0, 0.0], [0.3, 0.02, 0.1]], &rope).unwrap()
}

fn floor() -> Arc<Solid<HalfSpace>> {
    let floor = Solid::new(HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0]).unwrap());
    Arc::new(floor.with(Surface { friction: 0.5, ..Surface::default() }).unwrap())
}

/// A scene with a floor and with sleeping enabled.
pub(crate) fn scene(models: impl IntoIterator<Item = (&'static str, Model)>) -> Scene {
    let mut scene = Scene::new();
    for (name, model) in models {
        scene.add(name, model).unwrap();
    }
    scene.obstacles.push(floor());
    scene.sleep = Some(Sleep::default());
    scene
}

/// Steps the world until all models sleep, for at most 20 s. Returns the number of steps.
fn steps_until_asleep(world: &mut World) -> usize {
    for step in 1..=1200 {
        assert!(world.step().unwrap().finite);
        if world.sleeping_models().count() == world.drawing().models.len() {
            return step;
        }
    }
    panic!("after 20 s only these models sleep: {:?}", world.sleeping_models().collect::<Vec<_>>());
}

/// Two cubes that fall, one above the other.
fn boxes() -> Scene {
    let cube = |nth: usize| {
        let cube = Model::rigid_box([0.2; 3], 300.0).unwrap().turned([1.0, 2.0, 3.0], 0.1);
        cube.unwrap().moved([0.02 * nth as f32, 0.15 + 0.25 * nth as f32, 0.0])
    };
    let mut scene = scene([("lower", cube(0)), ("upper", cube(1))]);
    #[cfg(feature = "parry")]
    scene.obstacles.insert(0, Arc::new(taut_world::BodyContacts::default()));
    scene.settings.passes = 4;
    scene
}

/// Three sheets that fall, one above the other.
fn stack() -> Scene {
    let layer = |nth: usize| {
        let turned = sheet(0.4).turned([0.0, 1.0, 0.0], 0.3 * nth as f32).unwrap();
        colliding(turned.moved([0.0, 0.1 + 0.06 * nth as f32, 0.0]))
    };
    let mut scene = scene([("lowest", layer(0)), ("middle", layer(1)), ("highest", layer(2))]);
    scene.settings.step.substeps = 16;
    scene
}

/// Two ragdolls that fall, one above the other.
fn dolls() -> Scene {
    let doll = Model::<3>::ragdoll(&Ragdoll { height: 0.8, mass: 8.0, ..Ragdoll::default() });
    let doll = doll.unwrap().turned([1.0, 0.0, 0.0], 1.4).unwrap().moved([0.0, 0.3, 0.0]);
    let mut scene = scene([("below", doll.clone()), ("above", doll.moved([0.1, 0.4, 0.0]))]);
    scene.obstacles.insert(0, Arc::new(LimbContacts::default()));
    scene.settings.passes = 2;
    scene
}

/// A sheet and a rope above it that fall, and a rope far from them.
pub(crate) fn cloths() -> Scene {
    scene([
        ("sheet", colliding(sheet(0.5).moved([0.0, 0.1, 0.0]))),
        ("rope", colliding(rope().moved([0.0, 0.3, 0.0]))),
        ("far", colliding(rope().moved([5.0, 0.3, 0.0]))),
    ])
}

#[test]
fn resting_models_fall_asleep_and_do_not_move() {
    let scenes = [("cloths", cloths()), ("stack", stack()), ("boxes", boxes()), ("dolls", dolls())];
    for (name, scene) in scenes {
        let mut world = world(&scene);
        let count = steps_until_asleep(&mut world);
        // `Sleep::default` needs 0.5 s at rest, which are 30 steps.
        assert!((31..600).contains(&count), "{name}: {count} steps");
        let (hash, time) = (world.hash(), world.time());
        steps(&mut world, 60);
        assert_eq!(world.hash(), hash, "{name}");
        assert!((world.time() - time - 1.0).abs() < 1e-5);
        for island in world.islands() {
            let particles = &island.model.particles;
            for axis in 0..3 {
                assert_eq!(particles.previous(axis), particles.positions(axis), "{name}");
            }
        }
    }
}

#[test]
fn splitting_islands_for_sleep_does_not_change_the_result() {
    let with_sleep = |sleep: Option<Sleep>| {
        let mut scene = cloths();
        let offsets = (0..8).map(|copy| [0.0, 0.2, 2.0 + copy as f32]);
        scene.add_copies("copy", &rope(), offsets).unwrap();
        scene.sleep = sleep;
        let mut world = world(&scene);
        steps(&mut world, 60);
        (world.islands().len(), world.hash())
    };
    let (islands, without) = with_sleep(None);
    // With this time no model falls asleep, but each of the 11 models has an island of its own.
    let (islands_with, with) = with_sleep(Some(Sleep { time: 1e6, ..Sleep::default() }));
    assert_eq!(with, without);
    assert!(islands < islands_with && islands_with == 11);
}

#[test]
fn a_model_sleeps_as_if_it_were_alone() {
    let far = ("far", colliding(rope().moved([5.0, 0.3, 0.0])));
    let (mut alone, mut all) = (world(&scene([far])), world(&cloths()));
    for _ in 0..180 {
        steps(&mut alone, 1);
        steps(&mut all, 1);
        assert_eq!(alone.is_asleep("far"), all.is_asleep("far"));
        // Models that lie on each other fall asleep together.
        assert_eq!(all.is_asleep("sheet"), all.is_asleep("rope"));
        let range = all.model("far").unwrap();
        assert!(alone.positions().eq(range.map(|particle| all.position(particle))));
    }
    assert!(alone.is_asleep("far"));
}

#[test]
fn a_falling_model_wakes_what_it_falls_on() {
    let mut scene = scene([
        ("sheet", colliding(sheet(0.5).moved([0.0, 0.001, 0.0]))),
        ("rope", colliding(rope().moved([0.0, 5.0, 0.0]))),
    ]);
    scene.settings.step.substeps = 16;
    let mut world = world(&scene);
    let (mut slept, mut contacts_on_waking) = (false, None);
    for _ in 0..120 {
        steps(&mut world, 1);
        let contacts = world.contacts().unwrap();
        assert!(contacts.penetration < 0.02, "{contacts:?}");
        slept |= world.is_asleep("sheet");
        if slept && contacts_on_waking.is_none() && !world.is_asleep("sheet") {
            contacts_on_waking = Some(contacts.touching);
        }
    }
    // The sheet wakes before the first contact, so that it can move when the rope hits it.
    assert_eq!(contacts_on_waking, Some(0));
    steps_until_asleep(&mut world);
    let contacts = world.contacts().unwrap();
    assert!(contacts.touching > 0 && contacts.penetration < 5e-3, "{contacts:?}");
}

#[test]
fn a_sleeping_model_does_not_move_in_the_step_that_drags_a_rope_through_it() {
    let mut scene = scene([
        ("sheet", colliding(sheet(0.5).moved([0.0, 0.5, 0.0])).pinned("left").pinned("right")),
        ("rope", colliding(rope().moved([0.0, 5.0, 0.0]))),
    ]);
    scene.sleep = Some(Sleep { time: 0.1, speed: 0.1 });
    let mut world = world(&scene);
    while !world.is_asleep("sheet") {
        steps(&mut world, 1);
    }
    let sheet = world.model("sheet").unwrap();
    let before: Vec<_> = sheet.clone().map(|particle| world.position(particle)).collect();
    // A particle of the rope is dragged from a height of 5 m to below the sheet in one step.
    let particle = world.model("rope").unwrap().start + 10;
    world.grab(particle).unwrap();
    world.drag(particle, [0.0, 0.2, 0.0]).unwrap();
    steps(&mut world, 1);
    let unmoved = sheet.zip(before).all(|(particle, before)| world.position(particle) == before);
    assert!(unmoved && world.is_asleep("sheet"));
    steps(&mut world, 1);
    assert!(!world.is_asleep("sheet"));
}

/// A change of a world.
type Change = fn(&mut World);

#[test]
fn changes_wake_the_models_that_they_affect() {
    let scene = scene([("one", rope()), ("other", rope().moved([0.0, 0.0, 3.0]))]);
    let mut original = world(&scene);
    steps_until_asleep(&mut original);
    let snapshot = original.snapshot();
    // Whether each model sleeps after the change, and after the next step.
    let asleep_after = |change: Change| {
        let mut world = World::resume(&scene, |_| ScalarKernel, &snapshot).unwrap();
        assert_eq!(world.sleeping_models().count(), 2);
        change(&mut world);
        let sleeping = ["one", "other"].map(|model| world.is_asleep(model));
        steps(&mut world, 1);
        assert_eq!(sleeping, ["one", "other"].map(|model| world.is_asleep(model)));
        sleeping
    };
    let waking_one: [Change; 8] = [
        |world| world.grab(3).unwrap(),
        |world| world.pin(3).unwrap(),
        |world| world.set_inverse_mass(3, 2.0).unwrap(),
        |world| world.set_position(3, [0.0, 1.0, 0.0]).unwrap(),
        |world| world.set_velocity(3, [0.0, 1.0, 0.0]).unwrap(),
        |world| assert!(world.tear(3).unwrap()),
        |world| {
            let blade = |z| [[0.0, -1.0, z], [0.0, 1.0, z]];
            assert!(world.cut_swept(blade(0.0), blade(0.4)) > 0);
        },
        |world| world.set_tear_factor(3, 1.5).unwrap(),
    ];
    for change in waking_one {
        assert_eq!(asleep_after(change), [false, true]);
    }
    let waking_all: [Change; 7] = [
        |world| world.wake_all(),
        |world| world.set_tear_factors(|_| 1.5),
        |world| world.settings_mut().step.substeps = 4,
        |world| world.set_settings(*world.settings()).unwrap(),
        |world| world.forces_mut().clear(),
        |world| world.obstacles_mut().clear(),
        |world| assert_eq!(world.islands_mut().len(), 2),
    ];
    for change in waking_all {
        assert_eq!(asleep_after(change), [false, false]);
    }
    let waking_none: [Change; 4] = [
        |world| assert!(world.set_position(3, [f32::NAN; 3]).is_err()),
        |world| assert!(world.drag(3, [0.0; 3]).is_err()),
        |world| world.release(3).unwrap(),
        |world| world.replan(world.formula(), |_| ScalarKernel).unwrap(),
    ];
    for change in waking_none {
        assert_eq!(asleep_after(change), [true, true]);
    }
}

#[test]
fn a_dragged_model_moves_and_falls_asleep_again() {
    let mut world = world(&scene([("rope", rope())]));
    steps_until_asleep(&mut world);
    world.grab(3).unwrap();
    steps_until_asleep(&mut world);
    let [x, y, z] = world.position(3);
    for step in 1..=30 {
        world.drag(3, [x, y + 0.01 * step as f32, z]).unwrap();
        steps(&mut world, 1);
        assert_eq!(world.position(3)[1], y + 0.01 * step as f32);
    }
    assert!(world.position(4)[1] > 0.2);
    world.release(3).unwrap();
    steps_until_asleep(&mut world);
    assert!(world.position(3)[1] < 0.01);
}

#[test]
fn tied_models_wake_together() {
    let tie = |ends: [(&str, u32); 2]| {
        Tie::between(ends.map(|(model, particle)| TieEnd::new(model, Place::Particle(particle))))
    };
    let mut scene = scene([
        ("hook", unconnected(&[[0.0, 2.0, 0.0]], &[0.0])),
        ("upper", unconnected(&[[0.0, 1.5, 0.0]], &[1.0])),
        ("lower", unconnected(&[[0.0, 1.0, 0.0]], &[1.0])),
    ]);
    for ends in [[("hook", 0), ("upper", 0)], [("upper", 0), ("lower", 0)]] {
        scene.attach(&Tie { distance: 0.5, ..tie(ends) }).unwrap();
    }
    let mut world = world(&scene);
    steps_until_asleep(&mut world);
    let force = world.ties().next().unwrap().force;
    assert!((force - 2.0 * 9.81).abs() < 0.2, "{force} N");
    steps(&mut world, 10);
    let mut resumed = World::resume(&scene, |_| ScalarKernel, &world.snapshot()).unwrap();
    steps(&mut resumed, 1);
    for world in [&world, &resumed] {
        assert_eq!(world.ties().next().unwrap().force, force); // the tie still bears the load
    }

    world.set_velocity(2, [0.3, 0.0, 0.0]).unwrap();
    steps(&mut world, 1);
    assert_eq!(world.sleeping_models().count(), 0);
    steps_until_asleep(&mut world);

    assert!(world.break_tie(1).unwrap());
    steps(&mut world, 1);
    // The hook is awake, too: it is tied to `upper`.
    assert_eq!(world.sleeping_models().collect::<Vec<_>>(), Vec::<&str>::new());
    steps(&mut world, 29);
    assert!(world.position(2)[1] < 0.5, "the lower weight does not fall");
    steps_until_asleep(&mut world);
    assert!(!world.break_tie(1).unwrap());
    assert_eq!(world.sleeping_models().count(), 3);
}

#[test]
fn a_tie_that_breaks_wakes_what_it_held() {
    let place = |model| TieEnd::new(model, Place::Particle(0));
    let mut scene = scene([
        ("hook", unconnected(&[[0.0, 2.0, 0.0]], &[0.0])),
        ("weight", unconnected(&[[0.0, 1.0, 0.0]], &[1.0])),
    ]);
    let tie = Tie::between(["hook", "weight"].map(place));
    scene.attach(&Tie { distance: 1.0, breaking_force: Some(12.0), ..tie }).unwrap();
    let mut world = world(&scene);
    // The dragged hook keeps its group awake, although the weight is quiet for long enough to sleep.
    for _ in 0..60 {
        world.drag(0, [0.0, 2.0, 0.0]).unwrap();
        steps(&mut world, 1);
    }
    world.drag(0, [0.0, 2.004, 0.0]).unwrap();
    assert_eq!(world.step().unwrap().broken, 1);
    steps(&mut world, 30);
    assert!(world.position(1)[1] < 0.5, "the weight hangs in the air");
}

#[test]
fn a_model_on_a_sleeping_model_wakes_if_the_lower_one_is_moved_away() {
    let all = 0..100;
    let shelf = sheet(0.5).with_group("all", all.clone()).unwrap().pinned("all");
    let mut scene = scene([
        ("shelf", colliding(shelf.moved([0.0, 1.0, 0.0]))),
        ("rug", colliding(sheet(0.3).moved([0.0, 1.02, 0.0]))),
    ]);
    scene.settings.passes = 2;
    let mut world = world(&scene);
    steps_until_asleep(&mut world);
    let rug = world.model("rug").unwrap();
    assert!(world.position(rug.start)[1] > 0.9);
    // This call wakes both models, before the calls below move the shelf away from the rug.
    world.pin(0).unwrap();
    for particle in all {
        let [x, y, z] = world.position(particle as usize);
        world.set_position(particle as usize, [x, y - 10.0, z]).unwrap();
    }
    steps(&mut world, 30);
    assert!(world.position(rug.start)[1] < 0.5, "the rug hangs in the air");
}

#[test]
fn only_steady_forces_let_models_sleep() {
    let gusts = Some(Gusts { strength: 0.5, size: 1.0, seed: 1 });
    let wind = Wind::new([0.1, 0.0, 0.0]);
    let not_steady = |_: &ParticleState| [0.0; 3]; // a closure does not say that it is steady
    let cases: [(Arc<dyn Force>, bool); 5] = [
        (Arc::new(Field::new(Acceleration([0.1, 0.0, 0.0]))), true),
        (Arc::new(wind), true),
        (Arc::new(Wind { gusts, ..wind }), false),
        (Arc::new(Field::new(not_steady)), false),
        // No model has this group.
        (Arc::new(Field::new(not_steady).on("others")), true),
    ];
    for (force, sleeps) in cases {
        let mut scene = scene([("sheet", sheet(0.5).moved([0.0, 0.01, 0.0]))]);
        scene.forces.push(force);
        let mut world = world(&scene);
        steps(&mut world, 240);
        assert_eq!(world.is_asleep("sheet"), sleeps, "{:?}", scene.forces);
    }
}

#[test]
fn settings_out_of_range_are_rejected() {
    let default = Sleep::default();
    for (sleep, key) in [
        (Sleep { speed: -1.0, ..default }, "speed"),
        (Sleep { speed: f32::NAN, ..default }, "speed"),
        (Sleep { time: 0.0, ..default }, "time"),
        (Sleep { time: f32::INFINITY, ..default }, "time"),
    ] {
        let mut scene = cloths();
        scene.sleep = Some(sleep);
        let error = World::new(&scene, |_| ScalarKernel).unwrap_err();
        let WorldError::Model(ModelError::OutOfRange { key: found, .. }) = error else {
            panic!("{error}");
        };
        assert_eq!(found, key);
    }
}
