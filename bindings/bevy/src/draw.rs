//! The system that writes positions and normals into meshes.

use bevy_asset::{AssetId, Assets, Handle};
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_mesh::{Indices, Mesh, Mesh3d, VertexAttributeValues};
use bevy_time::{Fixed, Time};
use bevy_transform::prelude::GlobalTransform;
use taut::world::normals;

use crate::bodies::{Drawn, SoftBody};
use crate::motion::is_usable;
use crate::rope::{RING_VERTICES, write_tube};
use crate::settings::TautSettings;
use crate::world::TautWorld;

/// Which mesh of an entity the plugin writes. The entity keeps this component when a cloth is removed. The mesh
/// that was written is deformed, so a cloth that is added again begins with the mesh that the user gave.
#[derive(Component, Clone, Debug)]
pub(crate) struct WrittenMesh {
    written: AssetId<Mesh>,
    /// The mesh that the user gave, if any.
    source: Option<Handle<Mesh>>,
}

impl WrittenMesh {
    /// The components to insert into an entity for which the plugin writes `mesh`.
    pub(crate) fn bundle(mesh: Handle<Mesh>, source: Option<Handle<Mesh>>) -> (Mesh3d, Self) {
        let written = mesh.id();
        (Mesh3d(mesh), Self { written, source })
    }

    /// Whether the plugin writes the mesh that the entity has now.
    pub(crate) fn is_of(mesh: &Mesh3d, written: Option<&Self>) -> bool {
        written.is_some_and(|it| it.written == mesh.0.id())
    }

    /// The mesh that the user gave the entity, if any.
    pub(crate) fn source<'a>(
        mesh: Option<&'a Mesh3d>,
        written: Option<&'a Self>,
    ) -> Option<&'a Handle<Mesh>> {
        let mesh = mesh?;
        match written {
            Some(it) if it.written == mesh.0.id() => it.source.as_ref(),
            _ => Some(&mesh.0),
        }
    }
}

/// Buffers that are reused in each frame.
#[derive(Default)]
pub(crate) struct Buffers {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    /// Vertices of tubes.
    vertices: Vec<[f32; 3]>,
}

/// Writes interpolated positions, and their normals, into the mesh of each cloth and rope, in the
/// space of its entity.
pub(crate) fn write_meshes(
    mut world: ResMut<TautWorld>,
    mut meshes: ResMut<Assets<Mesh>>,
    transforms: Query<&GlobalTransform>,
    time: Res<Time<Fixed>>,
    settings: Res<TautSettings>,
    mut buffers: Local<Buffers>,
) {
    let steps = world.steps();
    let fraction = if settings.interpolate { time.overstep_fraction() } else { 1.0 };
    let TautWorld { bodies, previous, current, .. } = &mut *world;
    for body in bodies {
        let (Some(mesh), Ok(transform)) = (&body.mesh, transforms.get(body.entity)) else {
            continue;
        };
        let affine = transform.affine();
        let drawn = Some((steps, fraction.to_bits(), affine));
        let is_up_to_date = body.last_drawn == drawn && body.torn_triangles.is_empty();
        if is_up_to_date || !is_usable(&affine) {
            continue;
        }
        let Some(mut mesh) = meshes.get_mut(mesh) else { continue };
        body.last_drawn = drawn;
        let range = body.particles.clone();
        let pairs = previous[range.clone()].iter().zip(&current[range]);
        let to_local = affine.inverse();
        buffers.positions.clear();
        buffers.positions.extend(pairs.map(|(before, now)| {
            to_local.transform_point3(interpolated(before, now, fraction)).to_array()
        }));
        write(body, &mut mesh, &mut buffers);
        collapse(&mut mesh, &mut body.torn_triangles);
    }
}

/// A position interpolated between two steps. With a fraction of 1 it is `now`, without rounding.
pub(crate) fn interpolated(before: &[f32; 3], now: &[f32; 3], fraction: f32) -> Vec3 {
    let (before, now) = (Vec3::from(*before), Vec3::from(*now));
    if fraction < 1.0 { before + (now - before) * fraction } else { now }
}

/// The rows of an attribute, one vector for each vertex, to be written in place.
pub(crate) fn rows_of(
    mesh: &mut Mesh,
    attribute: bevy_mesh::MeshVertexAttribute,
) -> Option<&mut Vec<[f32; 3]>> {
    match mesh.try_attribute_mut_option(attribute) {
        Ok(Some(VertexAttributeValues::Float32x3(rows))) => Some(rows),
        // The app has removed the attribute or given it another format: the plugin does not write it.
        _ => None,
    }
}

/// Writes the positions in `buffers`, and their normals, into the mesh of a body.
fn write(body: &SoftBody, mesh: &mut Mesh, buffers: &mut Buffers) {
    let Buffers { positions, normals: normal_rows, vertices } = buffers;
    if let Drawn::Tube(radius) = body.drawn {
        for rows in [&mut *normal_rows, vertices] {
            rows.resize(RING_VERTICES * positions.len(), [0.0; 3]);
        }
        write_tube(positions, radius, vertices, normal_rows);
        copy(vertices, rows_of(mesh, Mesh::ATTRIBUTE_POSITION), Some);
        copy(normal_rows, rows_of(mesh, Mesh::ATTRIBUTE_NORMAL), Some);
        return;
    }
    normal_rows.resize(positions.len(), [0.0; 3]);
    normals(positions, &body.faces, normal_rows);
    let particle_of = |vertex| body.particle_of(vertex);
    copy(positions, rows_of(mesh, Mesh::ATTRIBUTE_POSITION), particle_of);
    copy(normal_rows, rows_of(mesh, Mesh::ATTRIBUTE_NORMAL), particle_of);
}

/// Copies `rows[row_of(vertex)]` to each vertex. A vertex without a row is not written.
fn copy(
    rows: &[[f32; 3]],
    to: Option<&mut Vec<[f32; 3]>>,
    row_of: impl Fn(usize) -> Option<usize>,
) {
    for (vertex, to) in to.into_iter().flatten().enumerate() {
        if let Some(row) = row_of(vertex).and_then(|row| rows.get(row)) {
            *to = *row;
        }
    }
}

/// Gives torn triangles three equal corners, so that the number of indices stays the same.
fn collapse(mesh: &mut Mesh, triangles: &mut Vec<usize>) {
    fn collapse<T: Copy>(indices: &mut [T], triangles: impl Iterator<Item = usize>) {
        for triangle in triangles {
            if let Some([first, rest @ ..]) = indices.get_mut(3 * triangle..3 * triangle + 3) {
                rest.fill(*first);
            }
        }
    }
    match mesh.try_indices_mut_option() {
        Ok(Some(Indices::U16(indices))) => collapse(indices, triangles.drain(..)),
        Ok(Some(Indices::U32(indices))) => collapse(indices, triangles.drain(..)),
        _ => triangles.clear(),
    }
}
