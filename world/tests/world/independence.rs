//! A model has the same bits alone and beside models that it does not collide with.

use std::collections::BTreeMap;
use std::f32::consts::TAU;
use std::sync::Arc;

use taut_core::{Bending, Duplicates, Particles, Schedule, Sticks};
use taut_scenes::{AnyScene, LibraryScene};
#[cfg(feature = "parry")]
use taut_world::BodyContacts;
use taut_world::{
    Arrangement, Cloth, Drag, EmitterSettings, Field, Gusts, HalfSpace, LimbContacts, Model, Order,
    Plant, Ragdoll, Rope, Scene, Simulation, Solid, Source, Sphere, Spring, Springs, StickSet,
    Surface, Wind, World,
};

use super::make::{coarse, steps, unconnected, world};

/// Distance between models along the first axis, m. At this distance they never collide.
const APART: f32 = 40.0;

/// A copy of `environment`, a scene without models, with the chosen models. The position of each
/// model does not depend on the choice.
fn scene<const D: usize>(
    models: &[(&str, Model<D>)],
    is_chosen: impl Fn(&str) -> bool,
    environment: &Scene<D>,
) -> Scene<D> {
    let mut scene = environment.clone();
    for (index, (name, model)) in models.iter().enumerate() {
        let mut offset = [0.0; D];
        offset[0] = APART * index as f32;
        if is_chosen(name) {
            scene.add(*name, model.clone().moved(offset)).unwrap();
        }
    }
    scene
}

/// For each model the bits of its positions after 60 steps. In between, sticks of some models are torn,
/// the world is reordered, and it is resumed from a snapshot.
fn final_bits<const D: usize>(scene: &Scene<D>) -> BTreeMap<String, Vec<u32>>
where
    World<D>: Simulation<D>,
{
    let mut world = world(scene);
    for round in 0..6 {
        steps(&mut world, 10);
        if round == 1 {
            // Tears every seventh stick of these models.
            for torn_model in ["rope", "cloth"] {
                for stick in world.sticks_of(torn_model).into_iter().flatten().skip(2).step_by(7) {
                    world.tear(stick).unwrap();
                }
            }
        }
        if round == 2 || round == 4 {
            world.reorder(|_| taut_scalar::ScalarKernel).unwrap();
        }
        if round == 3 {
            let snapshot = world.snapshot();
            world = World::resume(scene, |_| taut_scalar::ScalarKernel, &snapshot).unwrap();
        }
    }
    let bits = |name: &str| {
        let range = world.model(name).unwrap();
        range.flat_map(|particle| world.position(particle).map(f32::to_bits)).collect()
    };
    scene.models().map(|(name, _)| (name.to_owned(), bits(name))).collect()
}

/// Asserts that each model has the same bits alone and together with the others.
fn assert_own_bits<const D: usize>(mut models: Vec<(&str, Model<D>)>, environment: &Scene<D>)
where
    World<D>: Simulation<D>,
{
    let alone: Vec<Vec<u32>> = models
        .iter()
        .map(|&(name, _)| {
            final_bits(&scene(&models, |other| other == name, environment)).remove(name).unwrap()
        })
        .collect();
    let together = final_bits(&scene(&models, |_| true, environment));
    for ((name, _), alone) in models.iter().zip(&alone) {
        assert!(together[*name] == *alone, "{name}: different bits with other models");
    }
    // Without the last model, the bits of the first stay the same, too.
    let (last, _) = models.pop().unwrap();
    let (first, _) = models[0];
    let fewer = scene(&models, |_| true, environment);
    assert!(final_bits(&fewer)[first] == alone[0], "{first}: different bits without {last}");
}

/// A disc of triangles that all have a common corner, its centre.
fn fan(triangles: u32) -> Model {
    let rim = (0..triangles).map(|i| TAU * i as f32 / triangles as f32);
    let rim = rim.map(|angle| [0.5 * angle.cos(), 3.0 + 0.1 * angle.sin(), 0.5 * angle.sin()]);
    let points: Vec<[f32; 3]> = [[0.0, 3.0, 0.0]].into_iter().chain(rim).collect();
    let faces: Vec<_> = (0..triangles).map(|i| [0, 1 + (i + 1) % triangles, 1 + i]).collect();
    Model::from_triangles(&points, &faces, Bending::Sticks, 0.01).unwrap()
}

/// A scene without models: forces, obstacles and settings.
fn environment_3d() -> Scene {
    let mut environment = Scene::new();
    let gusts = Some(Gusts { strength: 0.6, size: 1.5, seed: 9 });
    environment.forces.push(Arc::new(Wind { gusts, ..Wind::new([3.0, 0.5, 1.0]) }));
    environment.forces.push(Arc::new(Field::new(Drag::linear(1e-3)).on("top")));
    let surface = Surface { friction: 0.4, restitution: 0.5, ..Surface::default() };
    let floor = Solid::new(HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0]).unwrap());
    environment.obstacles.push(Arc::new(floor.with(surface).unwrap()));
    let ball = Sphere::new([0.3, 2.2, 0.2], 0.3).unwrap();
    environment.obstacles.push(Arc::new(Solid::new(ball)));
    environment.obstacles.push(Arc::new(LimbContacts::default()));
    #[cfg(feature = "parry")]
    environment.obstacles.push(Arc::new(BodyContacts { surface, ..BodyContacts::default() }));
    environment.settings.step.substeps = 2;
    environment.settings.step.iterations = 3;
    environment.settings.passes = 2;
    environment
}

#[test]
fn a_model_in_3d_has_the_same_bits_alone_and_together() {
    // A rope from its pinned start to a point `x` m beside it.
    let rope = |x: f32| {
        let path = [[0.0, 3.0, 0.0], [x, 3.2, 0.1]];
        Model::rope(&path, &Rope::default()).unwrap().pinned("start")
    };
    let cloth = Model::disc(14, StickSet::All).unwrap().shuffled(3).moved([0.0, 3.0, 0.0]);
    let faces = Model::from_triangles(
        &[[0.0, 2.5, 0.0], [1.0, 2.6, 0.0], [1.2, 2.5, 1.1], [0.1, 2.7, 0.9], [0.6, 2.9, 0.4]],
        &[[0, 4, 1], [1, 4, 2], [2, 4, 3], [3, 4, 0]],
        Bending::Sticks,
        0.02,
    );
    let sheet = Cloth { columns: 30, rows: 20, ..Cloth::default() };
    let sheet = Model::cloth(&sheet).unwrap().pinned("top").moved([0.0, 3.0, 0.0]);
    // The flag is so light that the wind force is limited.
    let mut flag = Model::cloth(&Cloth { columns: 9, rows: 7, density: 0.005, ..Cloth::default() })
        .unwrap()
        .pinned("left")
        .moved([0.0, 3.0, 0.0]);
    flag.sheet = None; // so that the flag shares an island with other models
    let ragdoll = Model::<3>::ragdoll(&Ragdoll::default()).unwrap().moved([0.0, 0.5, 0.0]);
    let dolls = {
        let other = ragdoll.clone().turned([1.0, 0.2, 0.1], 1.3).unwrap().moved([0.1, 0.7, 0.0]);
        Model::side_by_side([&ragdoll, &other]).unwrap()
    };
    let rubber = rope(0.8).sprung(30.0, 0.01).unwrap();
    let fountain = Model::emitter(EmitterSettings {
        source: Source::Point([0.0, 1.0, 0.0]),
        rate: 30.0,
        spread: 1.0,
        ..EmitterSettings::default()
    });
    let cube = |height| Model::rigid_box([0.3; 3], 300.0).unwrap().moved([0.0, height, 0.0]);
    let models = vec![
        ("plant", Model::plant(&Plant::default()).unwrap()),
        ("rope", rope(0.8)),
        ("other rope", rope(2.3)),
        ("cloth", cloth),
        ("faces", faces.unwrap()),
        ("sheet", sheet),
        ("flag", flag),
        ("fan", fan(31)),
        ("dolls", dolls),
        ("rubber", rubber),
        ("fountain", fountain.unwrap()),
        ("lying cube", cube(0.149)),
        ("cubes", Model::side_by_side([&cube(0.6), &cube(1.1)]).unwrap()),
    ];
    assert_own_bits(models, &environment_3d());
}

#[test]
fn a_model_has_the_same_bits_in_a_renumbered_island() {
    let rope = Model::rope(&[[0.0, 3.0, 0.0], [2.0, 3.0, 0.0]], &Rope::default()).unwrap();
    let disc = Model::disc(40, StickSet::Structural).unwrap().moved([0.0, 3.0, 0.0]);
    let models = vec![
        ("rope", rope.pinned("start")),
        ("disc with runs", disc.clone()),
        ("cloth", disc.shuffled(1)),
    ];
    // Of these models, only the last is renumbered.
    let mut scene = Scene::new();
    for (name, model) in &models {
        scene.add(*name, model.clone()).unwrap();
    }
    let world = world(&scene);
    let [island] = world.islands() else { panic!("several islands") };
    for (name, _) in &models {
        let mut numbers = world.model(name).unwrap();
        let keeps = numbers.all(|number| island.number_of(number as u32) == number as u32);
        assert_eq!(keeps, *name != "cloth", "{name}");
    }
    let mut environment = environment_3d();
    environment.obstacles.clear();
    assert_own_bits(models, &environment);
}

#[test]
fn a_request_for_the_default_order_changes_nothing() {
    let disc = Model::disc(40, StickSet::All).unwrap();
    for (model, order) in [(disc.clone(), Order::Banded), (disc.shuffled(1), Order::Starred)] {
        assert_eq!(Arrangement::default_of(&model).order, order);
        let mut scene = Scene::new();
        scene.add("disc", model).unwrap();
        let default = world(&scene);
        scene.order = Some(order);
        assert_eq!(world(&scene).islands()[0].schedule(), default.islands()[0].schedule());
    }
}

#[test]
fn a_model_in_2d_has_the_same_bits_alone_and_together() {
    let rope = Model::rope(&[[0.0, 3.0], [1.5, 3.1]], &Rope::default()).unwrap().pinned("start");
    let points: Vec<[f32; 2]> =
        (0..24).map(|i| [0.1 * (i % 5) as f32, 2.0 + 0.1 * (i / 5) as f32]).collect();
    let net = Particles::new(&points, &[2.0; 24]).unwrap();
    let pairs: Vec<[u32; 2]> = (0..18).flat_map(|i| [[i, i + 5], [i, i + 1]]).collect();
    let sticks = Sticks::joining(&net, &pairs, Duplicates::Keep).unwrap();
    let models = vec![
        ("plant", Model::<2>::plant(&Plant::default()).unwrap()),
        ("rope", rope),
        ("cloth", Model::new(net, sticks)),
        ("ragdoll", Model::<2>::ragdoll(&Ragdoll::default()).unwrap().moved([0.0, 0.4])),
        ("sheet", Model::<2>::cloth(&Cloth::spaced(9, 8, 0.1)).unwrap().moved([0.0, 3.0])),
    ];
    let mut environment = Scene::<2>::new();
    environment.forces.push(Arc::new(Field::new(Drag::linear(0.01))));
    let surface = Surface { friction: 0.4, restitution: 0.2, ..Surface::default() };
    let floor = Solid::new(HalfSpace::new([0.0; 2], [0.1, 1.0]).unwrap());
    environment.obstacles.push(Arc::new(floor.with(surface).unwrap()));
    environment.obstacles.push(Arc::new(LimbContacts::default()));
    environment.settings.step.substeps = 2;
    environment.settings.step.iterations = 2;
    assert_own_bits(models, &environment);
}

#[test]
fn the_largest_substep_of_springs_is_that_of_each_model_alone() {
    // One model is almost too stiff for the substep, the other almost too damped. Both springs in one
    // model would be rejected.
    let spring = |stiffness: f32, damping: f32| {
        let spring = Spring { rest: 1.0, stiffness, damping };
        let springs = Springs::new(2, &[[0, 1]], &[spring]).unwrap();
        let model = unconnected(&[[0.0; 3], [0.0, -1.0, 0.0]], &[0.0, 1.0]);
        Model { springs, ..model }
    };
    let (stiff, damped) = (spring(1.2e4, 0.0), spring(1.0, 100.0));
    let mut scene = Scene::new();
    scene.settings.step = coarse();
    scene.add("stiff", stiff).unwrap();
    scene.add("damped", damped.moved([APART, 0.0, 0.0])).unwrap();
    let mut world = world(&scene);
    let settings = *world.settings();
    world.set_settings(settings).unwrap(); // checks the length of the substep again
    steps(&mut world, 60);
}

#[test]
fn sticks_may_be_made_for_fewer_particles_than_their_model_has() {
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
    let pair = |particles| Sticks::with_rests(particles, &[[0, 1]], &[0.5], Duplicates::Keep);
    let three = || Particles::new(&points, &[1.0; 3]).unwrap();
    let models = vec![
        ("two of three", Model::new(three(), pair(2).unwrap())),
        ("all", Model::new(three(), pair(3).unwrap())),
    ];
    assert_own_bits(models.clone(), &Scene::new());

    // Sticks of particles that do not exist are rejected, even if another model follows.
    let (_, mut model) = models[1].clone();
    model.sticks = pair(4).unwrap();
    let mut scene = Scene::new();
    scene.add("three of four", model.clone()).unwrap();
    scene.add("all", models[1].1.clone()).unwrap();
    let error = World::new(&scene, |_| taut_scalar::ScalarKernel).unwrap_err();
    assert!(error.to_string().contains("the sticks need 4 particles"), "{error}");
    assert!(Model::side_by_side([&model, &model]).is_err());
}

#[test]
fn joined_schedules_of_small_models_need_few_more_registers_than_one_schedule() {
    /// The schedule of an island, which is joined from the schedules of its models, and a schedule that
    /// is made for all of its sticks at once.
    fn schedules<const D: usize>(scene: &Scene<D>) -> (Schedule, Schedule)
    where
        World<D>: Simulation<D>,
    {
        let world = world(scene);
        let island = &world.islands()[0];
        let Model { particles, sticks, .. } = &island.model;
        (island.schedule().clone(), Schedule::for_mesh(particles, sticks))
    }
    // The number of registers that the batches of a schedule fill, the last of each batch partly.
    let registers = |schedule: &Schedule, lanes: usize| -> usize {
        schedule.batches().map(|batch| batch.len().div_ceil(lanes)).sum()
    };
    for name in ["plants", "ragdolls", "ragdolls-3d", "boxes"] {
        let listed = LibraryScene::named(name).unwrap();
        let (joined, at_once) = match listed.scene(listed.size).unwrap() {
            AnyScene::TwoD(scene) => schedules(&scene),
            AnyScene::ThreeD(scene) => schedules(&scene),
        };
        for lanes in [8, 16] {
            let [joined, at_once] = [&joined, &at_once].map(|schedule| registers(schedule, lanes));
            // At most a quarter more.
            assert!(
                4 * joined <= 5 * at_once,
                "{name}, {lanes} lanes: {joined} registers, {at_once} if made at once"
            );
        }
    }
}
