//! Tests of the plugin in apps without a window. They set transforms, and check the positions of particles and of
//! the vertices of meshes.
#![allow(clippy::float_cmp, reason = "tests compare exact results")]

mod bits;
mod bodies;
mod failures;
mod follow;
#[cfg(feature = "scenes")]
mod scenes;

use std::time::Duration;

use bevy_app::{App, Last, TaskPoolPlugin};
use bevy_asset::{AssetPlugin, Assets, Handle, RenderAssetUsages};
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_mesh::{Indices, Mesh, Mesh3d, MeshPlugin, PrimitiveTopology, VertexAttributeValues};
use bevy_taut::{StickTorn, TautFailed, TautPlugin, TautWorld};
use bevy_time::{Fixed, Time, TimePlugin, TimeUpdateStrategy};
use bevy_transform::TransformPlugin;

/// An app with 60 ticks per second, of which each update runs one.
fn app() -> App {
    let mut app = App::new();
    app.add_plugins((
        TaskPoolPlugin::default(),
        TimePlugin,
        TransformPlugin,
        AssetPlugin::default(),
        MeshPlugin,
        TautPlugin::default(),
    ));
    app.init_resource::<CollectedMessages>().add_systems(Last, collect);
    app.insert_resource(Time::<Fixed>::from_hz(60.0));
    // The first update starts the app without a tick.
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::ZERO));
    app.update();
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app
}

fn run(app: &mut App, ticks: usize) {
    for _ in 0..ticks {
        app.update();
    }
}

fn taut(app: &mut App) -> Mut<'_, TautWorld> {
    app.world_mut().resource_mut::<TautWorld>()
}

/// The positions of the particles of an entity.
fn positions(app: &App, entity: Entity) -> Vec<[f32; 3]> {
    app.world().resource::<TautWorld>().positions(entity).unwrap().to_vec()
}

fn add_mesh(app: &mut App, mesh: Mesh) -> Handle<Mesh> {
    app.world_mut().resource_mut::<Assets<Mesh>>().add(mesh)
}

/// The positions of the vertices of the mesh with this handle.
fn vertices_of(app: &App, mesh: &Handle<Mesh>) -> Vec<[f32; 3]> {
    vertices(app.world().resource::<Assets<Mesh>>().get(mesh).expect("the mesh exists")).to_vec()
}

/// The mesh that is drawn for an entity.
fn mesh(app: &App, entity: Entity) -> &Mesh {
    let handle = app.world().get::<Mesh3d>(entity).expect("it has a mesh");
    app.world().resource::<Assets<Mesh>>().get(&handle.0).expect("the mesh exists")
}

/// The positions of the vertices of a mesh.
fn vertices(mesh: &Mesh) -> &[[f32; 3]] {
    match mesh.attribute(Mesh::ATTRIBUTE_POSITION) {
        Some(VertexAttributeValues::Float32x3(positions)) => positions,
        other => panic!("{other:?}"),
    }
}

/// The messages of all frames that no test has taken yet.
#[derive(Resource, Default)]
struct CollectedMessages {
    failed: Vec<TautFailed>,
    torn: Vec<StickTorn>,
}

fn collect(
    mut collected: ResMut<CollectedMessages>,
    mut failed: MessageReader<TautFailed>,
    mut torn: MessageReader<StickTorn>,
) {
    collected.failed.extend(failed.read().cloned());
    collected.torn.extend(torn.read().copied());
}

/// The failures since the last call, as texts.
fn failures(app: &mut App) -> Vec<String> {
    let mut collected = app.world_mut().resource_mut::<CollectedMessages>();
    collected.failed.drain(..).map(|failure| failure.error.to_string()).collect()
}

/// The torn sticks since the last call.
fn torn(app: &mut App) -> Vec<StickTorn> {
    app.world_mut().resource_mut::<CollectedMessages>().torn.drain(..).collect()
}

/// A triangle mesh.
fn triangle_mesh(positions: Vec<[f32; 3]>, triangles: &[[u32; 3]]) -> Mesh {
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_indices(Indices::U32(triangles.as_flattened().to_vec()))
}

/// A horizontal grid of `side` by `side` vertices in the plane of x and z.
fn grid(side: u32, spacing: f32) -> Mesh {
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for row in 0..side {
        for column in 0..side {
            positions.push([spacing * column as f32, 0.0, spacing * row as f32]);
            if row + 1 < side && column + 1 < side {
                let a = side * row + column;
                let [b, c, d] = [a + 1, a + side, a + side + 1];
                triangles.extend([[a, c, b], [b, c, d]]);
            }
        }
    }
    triangle_mesh(positions, &triangles)
}

/// The mean of positions.
fn mean(positions: &[[f32; 3]]) -> Vec3 {
    let sum: Vec3 = positions.iter().map(|&position| Vec3::from(position)).sum();
    sum / positions.len() as f32
}
