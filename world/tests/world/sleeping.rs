//! Models at rest fall asleep, and wake when something touches or changes them.

use std::sync::Arc;

use taut_core::Kernel;
use taut_scalar::ScalarKernel;
use taut_world::{
    Axes, Cloth, HalfSpace, LimbContacts, Model, Ragdoll, Rope, Scene, SelfCollision, Sleep, Solid,
    Surface, World,
};

use crate::make::{steps, world};

fn colliding(model: Model) -> Model {
    model.self_colliding(SelfCollision::default()).unwrap()
}

/// A horizontal square sheet of 10 x 10 particles.
fn sheet(width: f32) -> Model {
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

/// A rope of 60 cm along x.
fn rope() -> Model {
    let rope = Rope { spacing: 0.03, density: 1.0, ..Rope::default() };
    Model::rope(&[[-0.3, 0.0, 0.0], [0.3, 0.02, 0.1]], &rope).unwrap()
}

fn floor() -> Arc<Solid<HalfSpace>> {
    let floor = Solid::new(HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0]).unwrap());
    Arc::new(floor.with(Surface { friction: 0.5, ..Surface::default() }).unwrap())
}

/// A scene with a floor whose models sleep.
fn scene(models: impl IntoIterator<Item = (&'static str, Model)>) -> Scene {
    let mut scene = Scene::new();
    for (name, model) in models {
        scene.add(name, model).unwrap();
    }
    scene.obstacles.push(floor());
    scene.sleep = Some(Sleep::default());
    scene
}

/// Steps until all models sleep; returns the number of steps.
fn steps_until_asleep<K: Kernel<3>>(world: &mut World<K>) -> usize {
    for step in 1..=1200 {
        assert!(world.step().unwrap().finite);
        if world.sleeping_models().count() == world.drawing().models.len() {
            return step;
        }
    }
    panic!("after 20 s only these sleep: {:?}", world.sleeping_models().collect::<Vec<_>>());
}

fn boxes() -> Scene {
    let dice = |nth: usize| {
        let cube = Model::rigid_box([0.2; 3], 300.0).unwrap().turned([1.0, 2.0, 3.0], 0.1);
        cube.unwrap().moved([0.02 * nth as f32, 0.15 + 0.25 * nth as f32, 0.0])
    };
    let mut scene = scene([("lower", dice(0)), ("upper", dice(1))]);
    #[cfg(feature = "parry")]
    scene.obstacles.insert(0, Arc::new(taut_world::BodyContacts::default()));
    scene.settings.passes = 4;
    scene
}

fn dolls() -> Scene {
    let doll = Model::<3>::ragdoll(&Ragdoll { height: 0.8, mass: 8.0, ..Ragdoll::default() });
    let doll = doll.unwrap().turned([1.0, 0.0, 0.0], 1.4).unwrap().moved([0.0, 0.3, 0.0]);
    let mut scene = scene([("below", doll.clone()), ("above", doll.moved([0.1, 0.4, 0.0]))]);
    scene.obstacles.insert(0, Arc::new(LimbContacts::default()));
    scene.settings.passes = 2;
    scene
}

fn cloths() -> Scene {
    scene([
        ("sheet", colliding(sheet(0.5).moved([0.0, 0.1, 0.0]))),
        ("rope", colliding(rope().moved([0.0, 0.3, 0.0]))),
        ("far", colliding(rope().moved([5.0, 0.3, 0.0]))),
    ])
}

#[test]
fn what_rests_falls_asleep_and_does_not_move() {
    for (name, scene) in [("cloths", cloths()), ("boxes", boxes()), ("dolls", dolls())] {
        let mut world = world(&scene);
        let count = steps_until_asleep(&mut world);
        println!("{name}: asleep after {count} steps");
        let (hash, time) = (world.hash(), world.time());
        steps(&mut world, 60);
        assert_eq!(world.hash(), hash, "{name}");
        assert!((world.time() - time - 1.0).abs() < 1e-5);
    }
    let _ = ScalarKernel;
}
