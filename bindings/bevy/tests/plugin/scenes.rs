//! `TautScene`: scenes whose steps fail, and scenes that are replaced.

use std::sync::Arc;

use super::*;
use bevy_taut::taut::world::{Cloth, Model, Scene, Wind, WindLaw};
use bevy_taut::taut::{AnyWorld, KernelChoice};
use bevy_taut::{TautError, TautFailure, TautScene};

fn library(name: &str, size: usize) -> TautScene {
    TautScene::from_library(name, Some(size)).unwrap()
}

fn scene(app: &mut App, entity: Entity) -> Mut<'_, TautScene> {
    app.world_mut().get_mut::<TautScene>(entity).unwrap()
}

/// A sheet in a wind whose force exceeds the largest `f32`.
fn failing() -> TautScene {
    let law = WindLaw::Plate { density: 1.2, drag: 1.3, lift: 2.0 };
    let mut scene = Scene::<3>::new();
    scene.forces.push(Arc::new(Wind { law, ..Wind::new([1e38; 3]) }));
    scene.add("sheet", Model::cloth(&Cloth::default()).unwrap()).unwrap();
    TautScene::new(AnyWorld::new(scene, &KernelChoice::default()).unwrap())
}

/// Runs 10 ticks and asserts that the failure of the scene was reported exactly once.
fn check_failed(app: &mut App, entity: Entity) {
    run(app, 10);
    assert_eq!(app.world().get::<TautFailure>(entity), Some(&TautFailure(TautError::BlownUp)));
    assert_eq!(failures(app).len(), 1);
}

/// Asserts that the scene is stepped and that its mesh is that of its world.
fn check_simulated(app: &mut App, entity: Entity) {
    let steps = app.world().get::<TautScene>(entity).unwrap().world().steps();
    run(app, 3);
    assert!(app.world().get::<TautFailure>(entity).is_none());
    assert!(failures(app).is_empty());
    let world = app.world().get::<TautScene>(entity).unwrap().world();
    assert_eq!(world.steps(), steps + 3);
    let mesh = mesh(app, entity);
    assert_eq!(vertices(mesh).len(), world.vertices());
    assert!(vertices(mesh).as_flattened().iter().all(|x| x.is_finite()));
    let drawn: Vec<usize> = mesh.indices().unwrap().iter().collect();
    let expected: Vec<usize> = world.triangles().flatten().map(|corner| corner as usize).collect();
    assert_eq!(drawn, expected);
    let mut positions = vec![[0.0; 3]; world.vertices()];
    world.copy_positions(positions.as_flattened_mut()).unwrap();
    // The mesh shows positions between the last two steps.
    assert!(mean(vertices(mesh)).distance(mean(&positions)) < 0.1);
}

#[test]
fn a_scene_that_failed_is_tried_again_when_it_is_changed_or_replaced() {
    let mut app = app();
    let scene_at_start = failing();
    let snapshot = scene_at_start.world().snapshot();
    let entity = app.world_mut().spawn(scene_at_start).id();
    check_failed(&mut app, entity);
    let mut changed = scene(&mut app, entity);
    changed.world_mut().set_wind(None).unwrap();
    changed.world_mut().restore(&snapshot).unwrap();
    check_simulated(&mut app, entity);

    app.world_mut().entity_mut(entity).insert(failing());
    check_failed(&mut app, entity);
    app.world_mut().entity_mut(entity).insert(library("flag", 12));
    check_simulated(&mut app, entity);
}

#[test]
fn replacing_a_scene_replaces_its_mesh() {
    let mut app = app();
    let entity = app.world_mut().spawn(library("flag", 12)).id();
    check_simulated(&mut app, entity);
    for (name, size) in [("flag", 8), ("drape", 12), ("curtain", 12)] {
        app.world_mut().entity_mut(entity).insert(library(name, size));
        check_simulated(&mut app, entity);
    }
    // Another world in the same component.
    let kernels = KernelChoice::default();
    let world = AnyWorld::from_library("drape", Some(16), &kernels).unwrap();
    *scene(&mut app, entity).world_mut() = world;
    check_simulated(&mut app, entity);
    // A scene without triangles has no mesh.
    let rope = "[[model]]\nname = 'rope'\nrope = { path = [[0, 0, 0], [1, 0, 0]], spacing = 0.1 }";
    app.world_mut().entity_mut(entity).insert(TautScene::from_toml(rope).unwrap());
    run(&mut app, 3);
    assert!(scene(&mut app, entity).world().drawing().triangles.is_empty());
    assert!(app.world().get::<Mesh3d>(entity).is_none());
    app.world_mut().entity_mut(entity).insert(library("flag", 8));
    check_simulated(&mut app, entity);
}
