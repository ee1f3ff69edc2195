//! Models fall asleep and wake with the same bits on every kernel and number of threads.

use std::sync::Arc;

use taut::world::{
    Axes, Cloth, HalfSpace, LimbContacts, Model, Ragdoll, Rope, Scene, SelfCollision, Sleep, Solid,
    World,
};
use taut::{AnyKernel, Kernel, Pool, Schedule};

use crate::worlds::kernels;

fn colliding(model: Model) -> Model {
    model.self_colliding(SelfCollision::default()).unwrap()
}

/// A wide sheet on which a ragdoll falls, ropes on each other, and a box, all on a floor.
fn scene() -> Scene {
    let mut scene = Scene::new();
    let axes = Axes::HORIZONTAL;
    let cloth = Cloth { columns: 50, rows: 26, width: 2.0, density: 1.0, axes, ..Cloth::default() };
    let sheet = Model::cloth(&cloth).unwrap().moved([0.0, 0.01, 0.0]);
    scene.add("sheet", colliding(sheet)).unwrap();
    let path = [[0.0, 0.1, 2.0], [0.1, 0.1, 2.6]];
    let rope = Model::rope(&path, &Rope { density: 0.5, ..Rope::default() }).unwrap();
    let offsets = (0..7).map(|copy| [0.02 * copy as f32, 0.05 * copy as f32, 0.0]);
    scene.add_copies("rope", &colliding(rope), offsets).unwrap();
    let cube = Model::rigid_box([0.2; 3], 300.0).unwrap().turned([1.0, 2.0, 3.0], 0.5).unwrap();
    scene.add("box", colliding(cube.moved([3.0, 0.2, 0.0]))).unwrap();
    let doll = Model::<3>::ragdoll(&Ragdoll { height: 0.8, mass: 8.0, ..Ragdoll::default() });
    let doll = doll.unwrap().turned([1.0, 0.0, 0.0], 1.5).unwrap();
    scene.add("doll", colliding(doll.moved([0.3, 5.5, 0.0]))).unwrap();
    scene.obstacles.push(Arc::new(LimbContacts { own_limbs: true, ..LimbContacts::default() }));
    let floor = HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0]).unwrap();
    scene.obstacles.push(Arc::new(Solid::new(floor)));
    scene.settings.step.iterations = 2;
    scene.sleep = Some(Sleep { speed: 0.02, time: 0.25 });
    scene
}

/// The hash and the number of sleeping models after each step, with resumptions and a change of
/// velocity that wakes a model.
fn run(
    scene: &Scene,
    threads: usize,
    mut kernel_for: impl FnMut(&Schedule) -> AnyKernel,
) -> Vec<(u64, usize)> {
    let pool = Pool::new(threads).unwrap();
    let mut world = World::new(scene, &mut kernel_for).unwrap();
    let result_of_step = |step: usize| {
        if step % 50 == 49 {
            world = World::resume(scene, &mut kernel_for, &world.snapshot()).unwrap();
        }
        if step == 115 {
            let model = world.sleeping_models().next().unwrap().to_owned();
            let particle = world.model(&model).unwrap().start;
            world.set_velocity(particle, [0.0, 2.0, 0.0]).unwrap();
        }
        assert!(world.step_on(&pool).unwrap().finite);
        (world.hash(), world.sleeping_models().count())
    };
    (0..130).map(result_of_step).collect()
}

#[test]
fn sleeping_has_the_same_bits_on_every_kernel() {
    let scene = scene();
    let scalar = run(&scene, 1, |_| AnyKernel::named("scalar").unwrap());
    let counts: Vec<usize> = scalar.iter().map(|(_, sleeping)| *sleeping).collect();
    assert!(counts.windows(2).any(|pair| pair[1] > pair[0]), "no model falls asleep: {counts:?}");
    assert!(counts.windows(2).any(|pair| pair[1] < pair[0]), "no model wakes: {counts:?}");
    for threads in [1, 3] {
        assert_eq!(run(&scene, threads, AnyKernel::best_for), scalar, "{threads} threads");
    }
    for kernel in kernels() {
        let isa = Kernel::<3>::isa(&kernel);
        assert_eq!(run(&scene, 1, |_| kernel.clone()), scalar, "{isa}");
    }
}
