//! Contacts of cloth with limbs and bodies have the same bits on every kernel and number of
//! threads.

use std::sync::Arc;

use taut::world::{
    Axes, BodyContacts, Cloth, LimbContacts, Model, Ragdoll, Rope, Scene, SelfCollision, World,
};
use taut::{AnyKernel, Kernel, Pool, Schedule};

use crate::worlds::kernels;

fn colliding(model: Model) -> Model {
    model.self_colliding(SelfCollision::default()).unwrap()
}

/// A sheet, copies of a rope, boxes and a ragdoll, which are in several islands and fall on each
/// other.
fn scene() -> Scene {
    let mut scene = Scene::new();
    let axes = Axes::HORIZONTAL;
    let cloth = Cloth { columns: 50, rows: 26, width: 2.0, density: 1.0, axes, ..Cloth::default() };
    let sheet = Model::cloth(&cloth).unwrap().pinned("left").pinned("right");
    scene.add("sheet", colliding(sheet)).unwrap();
    let path = [[0.0, 0.12, -0.3], [0.0, 0.12, 0.3]];
    let rope = Model::rope(&path, &Rope { density: 0.5, ..Rope::default() }).unwrap();
    let offsets = (0..7).map(|copy| [0.2 * copy as f32 - 0.6, 0.0, 0.0]);
    scene.add_copies("rope", &colliding(rope), offsets).unwrap();
    for index in 0..2 {
        let cube = Model::rigid_box([0.2; 3], 300.0).unwrap().turned([1.0, 2.0, 3.0], 0.5);
        let position = [0.5, 0.35 + 0.3 * index as f32, 0.1 * index as f32];
        scene.add(format!("box {index}"), colliding(cube.unwrap()).moved(position)).unwrap();
    }
    let doll = Model::<3>::ragdoll(&Ragdoll { height: 0.8, mass: 8.0, ..Ragdoll::default() });
    let doll = doll.unwrap().turned([1.0, 0.0, 0.0], 1.5).unwrap();
    scene.add("doll", colliding(doll).moved([-0.3, 0.4, 0.0])).unwrap();
    scene.obstacles.push(Arc::new(BodyContacts::default()));
    scene.obstacles.push(Arc::new(LimbContacts { own_limbs: true, ..LimbContacts::default() }));
    scene.settings.step.iterations = 2;
    scene
}

/// The hash after half a second with a resumption.
fn run(scene: &Scene, threads: usize, mut kernel_for: impl FnMut(&Schedule) -> AnyKernel) -> u64 {
    let pool = Pool::new(threads).unwrap();
    let mut world = World::new(scene, &mut kernel_for).unwrap();
    assert!(world.islands().len() > 2);
    for step in 0..30 {
        if step == 20 {
            world = World::resume(scene, &mut kernel_for, &world.snapshot()).unwrap();
        }
        assert!(world.step_on(&pool).unwrap().finite);
    }
    let contacts = world.contacts().unwrap();
    assert!(contacts.on_colliders > 20 && contacts.touching > 5, "{contacts:?}");
    world.hash()
}

#[test]
fn contacts_with_bodies_have_the_same_bits_on_every_kernel() {
    let scene = scene();
    let scalar = run(&scene, 1, |_| AnyKernel::named("scalar").unwrap());
    for threads in [1, 3] {
        assert_eq!(run(&scene, threads, AnyKernel::best_for), scalar, "{threads} threads");
    }
    for kernel in kernels() {
        let isa = Kernel::<3>::isa(&kernel);
        assert_eq!(run(&scene, 1, |_| kernel.clone()), scalar, "{isa}");
    }
}

/// Two curtains, one of which swings into the other. The kernel changes every other step, and the
/// curtains are cut once.
#[test]
fn self_collision_continues_with_the_same_bits_on_other_kernels() {
    let curtain = colliding(Model::cloth(&Cloth::spaced(27, 19, 0.04)).unwrap().pinned("top"));
    let mut scene = Scene::new();
    scene.add("still", curtain.clone()).unwrap();
    let swinging = curtain.moved([0.01, 0.02, -0.3]).moving_at([0.0, 0.0, 3.0], 1.0 / 480.0);
    scene.add("swinging", swinging).unwrap();
    let scalar = |_: &Schedule| AnyKernel::named("scalar").unwrap();
    let mut reference = World::new(&scene, scalar).unwrap();
    let mut world = World::new(&scene, AnyKernel::best_for).unwrap();
    let others = AnyKernel::available();
    let mut touching = 0;
    for step in 0..40 {
        let other = &others[step % others.len()];
        let kernel_for = |schedule: &Schedule| {
            if other.runs(schedule) { other.clone() } else { AnyKernel::best_for(schedule) }
        };
        if step % 2 == 1 {
            world.replan(scene.formula, kernel_for).unwrap();
        }
        if step == 15 {
            let blade = |x: f32| [[x, -0.23, -1.0], [x, -0.21, 1.0]];
            assert!(world.cut_swept(blade(-0.3), blade(0.3)) > 0);
            assert!(reference.cut_swept(blade(-0.3), blade(0.3)) > 0);
            assert!(world.reorder(kernel_for).unwrap() > 0);
            assert!(reference.reorder(scalar).unwrap() > 0);
        }
        assert!(world.step().unwrap().finite && reference.step().unwrap().finite);
        assert_eq!(world.hash(), reference.hash(), "step {step}, {}", Kernel::<3>::isa(other));
        touching = touching.max(world.contacts().unwrap().touching);
    }
    assert!(touching > 20, "at most {touching} contacts");
}
