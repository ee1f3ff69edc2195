//! Steps do not allocate.

use std::sync::Arc;

use allocation_counter::measure;
use taut_scenes::{AnyScene, LibraryScene};
use taut_world::{
    Axes, Cloth, Cuboid, EmitterSettings, Model, Rope, Scene, Simulation, Solid, Tethers, World,
    normals,
};

use crate::make::world;

/// Asserts that steps and the vertices and normals for drawing allocate no memory after the first 45
/// steps. Steps in which sticks tear are left out, because recording the tears allocates.
fn assert_no_allocation<const D: usize>(name: &str, scene: &Scene<D>)
where
    World<D>: Simulation<D>,
{
    let mut world = world(scene);
    let drawing = world.drawing();
    let mut vertices = vec![[0.0_f32; 3]; world.vertices()];
    let mut vertex_normals = vertices.clone();
    let mut counted = 0;
    for step in 0..90 {
        let mut torn = 0;
        let allocations = measure(|| {
            let outcome = world.step().unwrap();
            assert!(outcome.finite);
            torn = outcome.torn;
            world.copy_vertices(&mut vertices);
            normals(&vertices, &drawing.triangles, &mut vertex_normals);
        });
        if step >= 45 && torn == 0 {
            assert_eq!(allocations.count_total, 0, "{name}, step {step}: {allocations:?}");
            counted += 1;
        }
    }
    assert!(counted > 5, "{name}: sticks tear in nearly all steps");
}

#[test]
fn steps_of_library_scenes_do_not_allocate() {
    assert_eq!(measure(|| drop(vec![0_u8; 1000])).bytes_total, 1000, "allocations are not counted");
    // Scenes with contacts of boxes are left out: the crate `parry3d` allocates to compute the depth of
    // such a contact.
    let has_box_contacts =
        |library: &&LibraryScene| ["boxes", "trampoline", "laundry"].contains(&library.name);
    for library in LibraryScene::ALL.iter().filter(|library| !has_box_contacts(library)) {
        match library.scene(library.size.min(32)).unwrap() {
            AnyScene::TwoD(scene) => assert_no_allocation(library.name, &scene),
            AnyScene::ThreeD(scene) => assert_no_allocation(library.name, &scene),
        }
    }
}

#[test]
fn steps_with_swept_obstacles_and_edges_do_not_allocate() {
    let cloth = Cloth { columns: 8, rows: 8, axes: Axes::HORIZONTAL, ..Cloth::default() };
    let mut scene = Scene::new();
    scene.add("cloth", Model::cloth(&cloth).unwrap().moved([0.0, 0.1, 0.0])).unwrap();
    let table = Cuboid::new([-0.3, -0.01, -0.3], [0.3, 0.0, 0.3]).unwrap();
    scene.obstacles.push(Arc::new(Solid::new(table).swept().with_edges()));
    assert_no_allocation("cloth on a table", &scene);
}

#[test]
fn births_beside_a_tethered_rope_do_not_allocate() {
    let rope = Model::rope(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], &Rope::default()).unwrap();
    let mut scene = Scene::new();
    scene.add("rope", rope.pinned("start").tethered(Tethers::default()).unwrap()).unwrap();
    scene.add("drops", Model::emitter(EmitterSettings::default()).unwrap()).unwrap();
    assert_no_allocation("a rope beside an emitter", &scene);
}
