//! A game wants its memory before it begins: a step takes none.

use allocation_counter::measure;
use taut_scenes::{AnyScene, LibraryScene};
use taut_world::{Scene, normals};

use crate::make::world;

/// Steps of which those count in which nothing tears: what tears is written down.
fn takes_nothing<const D: usize>(name: &str, scene: &Scene<D>) {
    let mut world = world(scene);
    let drawing = world.drawing();
    let mut rows = vec![[0.0_f32; 3]; world.vertices()];
    let mut up = rows.clone();
    let mut counted = 0;
    for step in 0..90 {
        let mut torn = 0;
        let taken = measure(|| {
            let outcome = world.step().unwrap();
            assert!(outcome.finite);
            torn = outcome.torn;
            world.copy_vertices(&mut rows);
            normals(&rows, &drawing.triangles, &mut up);
        });
        if step >= 45 && torn == 0 {
            assert_eq!(taken.count_total, 0, "{name}, step {step}: {taken:?}");
            counted += 1;
        }
    }
    assert!(counted > 5, "{name}");
}

#[test]
fn a_step_of_every_scene_takes_no_memory() {
    assert_eq!(measure(|| drop(vec![0_u8; 1000])).bytes_total, 1000, "is somebody counting?");
    // How deep two boxes are in each other is found by the crate `parry3d`, which takes memory for it.
    for library in LibraryScene::ALL.iter().filter(|it| it.name != "boxes") {
        match library.scene(library.size.min(32)).unwrap() {
            AnyScene::Flat(scene) => takes_nothing(library.name, &scene),
            AnyScene::Solid(scene) => takes_nothing(library.name, &scene),
        }
    }
}
