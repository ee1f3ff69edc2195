//! `TautScene`: a whole scene of Taut as one entity.

use bevy_app::prelude::*;
use bevy_asset::{Assets, RenderAssetUsages};
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::InternedScheduleLabel;
use bevy_mesh::{Indices, Mesh, Mesh3d, PrimitiveTopology};
use bevy_time::{Fixed, Time};
use bevy_transform::prelude::Transform;
use taut::world::normals;
use taut::{AnyWorld, AnyWorldError, KernelChoice};

use crate::draw::{WrittenMesh, interpolated, rows_of};
use crate::error::{TautError, TautFailed, TautFailure, report_entity};
use crate::geometry::positions;
use crate::plugin::TautSystems;
use crate::settings::TautSettings;

/// A scene of Taut with a world of its own: from the library, from TOML, or any other [`AnyWorld`]. Each fixed
/// tick runs one step of the scene, whose length is that in the scene, not that of the tick. Of [`TautSettings`] only
/// `interpolate` applies, and [`ClothCollider`](crate::ClothCollider)s have no effect.
///
/// If the scene has triangles, the plugin inserts a [`Mesh3d`] with them, in the space of the entity.
///
/// Insert another `TautScene` to replace the scene and its mesh. If a step fails, the entity gets a
/// [`TautFailure`], and the next step is tried when the scene is replaced or changed.
///
/// ```
/// use bevy_taut::TautScene;
///
/// let dolls = TautScene::from_library("ragdolls-3d", Some(2))?;
/// assert_eq!(dolls.world().dimensions(), 3);
/// # Ok::<(), bevy_taut::taut::AnyWorldError>(())
/// ```
#[derive(Component, Debug)]
#[require(Transform)]
pub struct TautScene {
    world: AnyWorld,
    /// Positions before and after the last step, m.
    positions: [Vec<[f32; 3]>; 2],
    normals: Vec<[f32; 3]>,
    /// What was drawn last: the number of steps, the bits of the fraction by which positions were
    /// interpolated between two steps, and the drawing version.
    drawn: Option<(u64, u32, u64)>,
}

impl TautScene {
    /// A scene with this world.
    pub fn new(world: AnyWorld) -> Self {
        let mut positions = vec![[0.0; 3]; world.vertices()];
        // Fails only for a wrong length.
        world.copy_positions(positions.as_flattened_mut()).ok();
        Self {
            world,
            normals: positions.clone(),
            positions: [positions.clone(), positions],
            drawn: None,
        }
    }

    /// A scene of the library of scenes, in its default size or another.
    ///
    /// # Errors
    /// There is no such scene, or it cannot be built in this size.
    pub fn from_library(name: &str, size: Option<usize>) -> Result<Self, AnyWorldError> {
        Ok(Self::new(AnyWorld::from_library(name, size, &KernelChoice::default())?))
    }

    /// A scene in TOML that names no mesh files.
    ///
    /// # Errors
    /// The text is not a scene, or it cannot be built.
    pub fn from_toml(text: &str) -> Result<Self, AnyWorldError> {
        Ok(Self::new(AnyWorld::from_toml(text, &KernelChoice::default())?))
    }

    /// Its world.
    pub fn world(&self) -> &AnyWorld {
        &self.world
    }

    /// Its world, to grab, cut or change settings.
    pub fn world_mut(&mut self) -> &mut AnyWorld {
        &mut self.world
    }

    /// Resizes the buffers and reads positions if the number of vertices has changed: the app may have replaced the
    /// world.
    fn resize_buffers(&mut self) {
        let Self { world, positions, normals, .. } = self;
        let vertices = world.vertices();
        if positions[1].len() != vertices {
            for rows in positions {
                rows.resize(vertices, [0.0; 3]);
                world.copy_positions(rows.as_flattened_mut()).ok();
            }
            normals.resize(vertices, [0.0; 3]);
        }
    }

    /// Whether a mesh has as many vertices and triangles as the scene.
    fn mesh_fits(&self, mesh: &Mesh) -> bool {
        let (vertices, triangles) = (self.positions[1].len(), self.world.drawing().triangles.len());
        positions(mesh).is_ok_and(|rows| rows.len() == vertices)
            && mesh.try_indices().is_ok_and(|indices| indices.len() == 3 * triangles)
    }

    /// A new mesh with the current positions and all triangles.
    fn mesh(&self) -> Mesh {
        let triangles = self.world.drawing().triangles.as_flattened().to_vec();
        Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
            .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, self.positions[1].clone())
            .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, self.normals.clone())
            .with_inserted_indices(Indices::U32(triangles))
    }
}

pub(crate) fn add_systems(app: &mut App, schedule: InternedScheduleLabel) {
    app.add_systems(schedule, step.in_set(TautSystems::Step))
        .add_systems(PostUpdate, (insert_meshes, write_meshes).chain().in_set(TautSystems::Draw));
}

/// Runs one step of each scene.
fn step(
    mut commands: Commands,
    mut scenes: Query<(Entity, &mut TautScene, Option<&TautFailure>)>,
    mut failed: MessageWriter<TautFailed>,
) {
    for (entity, mut scene, failure) in &mut scenes {
        if failure.is_some() && !scene.is_changed() {
            continue;
        }
        // The plugin does not mark scenes as changed, so that change detection finds only changes by the app.
        let scene = scene.bypass_change_detection();
        scene.resize_buffers();
        let TautScene { world, positions: [before, now], .. } = scene;
        // Positions are read before the step, not after the last one, because calls may have moved particles.
        world.copy_positions(before.as_flattened_mut()).ok();
        let outcome = world.step(1);
        world.copy_positions(now.as_flattened_mut()).ok();
        let error = match outcome {
            Ok(outcome) if outcome.finite => None,
            Ok(_) => Some(TautError::BlownUp),
            Err(error) => Some(TautError::AnyWorld { message: error.to_string() }),
        };
        match error {
            None if failure.is_some() => {
                commands.entity(entity).try_remove::<TautFailure>();
            }
            // The same error is reported once, even if the app changes the scene in each tick.
            Some(error) if failure.is_none_or(|failure| failure.0 != error) => {
                report_entity(&mut commands, &mut failed, entity, error);
            }
            _ => {}
        }
    }
}

/// Inserts meshes for new scenes with triangles, and removes the mesh of an entity whose new scene has no
/// triangles. A mesh that the app removed or replaced is not inserted again.
fn insert_meshes(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    scenes: Query<(Entity, &TautScene, Option<&Mesh3d>, Option<&WrittenMesh>), Changed<TautScene>>,
) {
    for (entity, scene, mesh, written) in &scenes {
        let has_mesh = mesh.is_some_and(|mesh| WrittenMesh::is_of(mesh, written));
        let needs_mesh = !scene.world.drawing().triangles.is_empty();
        if needs_mesh && written.is_none() {
            let mesh = meshes.add(scene.mesh());
            commands.entity(entity).try_insert(WrittenMesh::bundle(mesh, None));
        } else if has_mesh && !needs_mesh {
            commands.entity(entity).try_remove::<(Mesh3d, WrittenMesh)>();
        }
    }
}

/// Writes interpolated positions, and their normals and triangles, into the mesh of each scene.
fn write_meshes(
    mut meshes: ResMut<Assets<Mesh>>,
    mut scenes: Query<(&mut TautScene, &Mesh3d, Option<&WrittenMesh>)>,
    time: Res<Time<Fixed>>,
    settings: Res<TautSettings>,
) {
    let fraction = if settings.interpolate { time.overstep_fraction() } else { 1.0 };
    for (mut scene, mesh, written) in &mut scenes {
        let changed = scene.is_changed();
        let scene = scene.bypass_change_detection();
        if changed {
            // The app may have replaced the world by one with the same number of steps and drawing version.
            scene.drawn = None;
            scene.resize_buffers();
        }
        let TautScene { world, drawn, .. } = &*scene;
        let version = world.drawing_version();
        let current = Some((world.steps(), fraction.to_bits(), version));
        if *drawn == current || !WrittenMesh::is_of(mesh, written) {
            continue;
        }
        let triangles_changed = drawn.is_none_or(|(.., drawn_version)| drawn_version != version);
        let Some(mut mesh) = meshes.get_mut(&mesh.0) else { continue };
        if triangles_changed && !scene.mesh_fits(&mesh) {
            *mesh = scene.mesh();
        }
        let TautScene { world, positions: [before, now], normals: normal_rows, drawn } = scene;
        *drawn = current;
        let triangles = &world.drawing().triangles;
        if let Some(positions) = rows_of(&mut mesh, Mesh::ATTRIBUTE_POSITION) {
            for ((to, before), now) in positions.iter_mut().zip(&*before).zip(&*now) {
                *to = interpolated(before, now, fraction).to_array();
            }
            normal_rows.resize(positions.len(), [0.0; 3]);
            normals(positions, triangles, normal_rows);
        }
        if let Some(rows) = rows_of(&mut mesh, Mesh::ATTRIBUTE_NORMAL)
            && rows.len() == normal_rows.len()
        {
            rows.copy_from_slice(normal_rows);
        }
        if triangles_changed && let Ok(Some(Indices::U32(indices))) = mesh.try_indices_mut_option()
        {
            let (mesh_triangles, _) = indices.as_chunks_mut::<3>();
            for (corners, triangle) in mesh_triangles.iter_mut().zip(triangles) {
                // The corners of a removed triangle do not exist, so it is drawn as a point.
                *corners = if triangle[0] == taut::world::REMOVED { [0; 3] } else { *triangle };
            }
        }
    }
}
