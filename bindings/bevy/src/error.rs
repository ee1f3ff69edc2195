//! What is wrong with an entity or a setting, and how the plugin reports it.

use bevy_ecs::prelude::*;
use bevy_mesh::PrimitiveTopology;
use taut::world::{ModelError, SceneError, WorldError};

/// Why an entity cannot be simulated, or a setting is not used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TautError {
    /// An entity has both a cloth and a rope.
    #[error("the entity has both a Cloth and a Rope; remove one of them")]
    ClothAndRope,
    /// A cloth without a size has no mesh to be made from.
    #[error("a cloth without a size needs the component Mesh3d; add it, or use Cloth::sheet")]
    NoMesh,
    /// The data of the mesh is not in the main world.
    #[error("the mesh is in the render world only; its asset usage must include MAIN_WORLD")]
    NotInMainWorld,
    /// The mesh has no positions, or positions that are not three `f32`.
    #[error("the mesh needs the attribute Vertex_Position, as Float32x3; it has {found}")]
    Positions {
        /// What it has instead.
        found: String,
    },
    /// The mesh does not consist of a list of triangles.
    #[error("the mesh needs the topology TriangleList; it has {found:?}")]
    Topology {
        /// Its topology.
        found: PrimitiveTopology,
    },
    /// A corner of a triangle is not a vertex.
    #[error(
        "triangle {triangle} of the mesh has the corner {corner}, but there are only {vertices} vertices"
    )]
    NoSuchVertex {
        /// The triangle.
        triangle: usize,
        /// Its corner.
        corner: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// The mesh has no triangle with three distinct corners.
    #[error(
        "the mesh has no triangle with three distinct corners: {triangles} triangle(s) before vertices at the same position are welded"
    )]
    NoTriangles {
        /// Number of triangles.
        triangles: usize,
    },
    /// A transform has a number that is not finite, or its scale is 0.
    #[error("the transform of entity {entity} is not finite or has a scale of 0")]
    Transform {
        /// The entity with the transform.
        entity: Entity,
    },
    /// There is no such entity, or it or one of its ancestors has no `Transform`.
    #[error("entity {entity} no longer exists, or it or one of its ancestors has no Transform")]
    NoTransform {
        /// The entity.
        entity: Entity,
    },
    /// The `Pins` of an entity name a particle that does not exist.
    #[error("Pins: there is no particle {particle}; there are {particles} particles")]
    NoSuchPinnedParticle {
        /// The particle.
        particle: usize,
        /// Number of particles.
        particles: usize,
    },
    /// The `Pins` of an entity name a vertex that does not exist, or that is in no triangle.
    #[error(
        "Pins: vertex {vertex} does not exist or is in no triangle; the mesh has {vertices} vertices"
    )]
    NoSuchPinnedVertex {
        /// The vertex.
        vertex: usize,
        /// Number of vertices.
        vertices: usize,
    },
    /// The `Pins` of an entity name a group that does not exist.
    #[error("Pins: there is no group '{group}'; there are: {groups}")]
    NoSuchGroup {
        /// The group.
        group: String,
        /// The groups, separated by commas.
        groups: String,
    },
    /// The plugin does not simulate an entity.
    #[error(
        "entity {entity} is not simulated: it has no Cloth or Rope, has a TautFailure, or has not been added yet"
    )]
    NotSimulated {
        /// The entity.
        entity: Entity,
    },
    /// A particle of an entity does not exist.
    #[error("entity {entity} has no particle {particle}; it has {particles} particles")]
    NoSuchParticle {
        /// The entity.
        entity: Entity,
        /// The particle.
        particle: usize,
        /// Number of particles.
        particles: usize,
    },
    /// A stick of an entity does not exist.
    #[error("entity {entity} has no stick {stick}; it has {sticks} sticks")]
    NoSuchStick {
        /// The entity.
        entity: Entity,
        /// The stick.
        stick: usize,
        /// Number of sticks.
        sticks: usize,
    },
    /// The positions of a cloth, rope or scene are no longer finite. The plugin no longer simulates it.
    #[error("positions are no longer finite: use more substeps or lower velocities")]
    BlownUp,
    /// The tear factor is invalid.
    #[error("the tear factor is {factor}; it must be above 1")]
    TearFactor {
        /// The factor.
        factor: f32,
    },
    /// The wind is invalid.
    #[error("TautWind: {what} is {value}; it must be finite")]
    Wind {
        /// The field.
        what: &'static str,
        /// Its value.
        value: f32,
    },
    /// This build or machine has no such kernel, or the number of threads is out of range.
    #[error("TautSettings: {message}")]
    Kernels {
        /// What is wrong.
        message: String,
    },
    /// A cloth, rope, collider or setting has a value out of range.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// All cloths and ropes together exceed a limit.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A step of a `TautScene` failed.
    #[cfg(feature = "scenes")]
    #[error("{message}")]
    AnyWorld {
        /// What is wrong.
        message: String,
    },
    /// The plugin's world of all cloths and ropes cannot be made, changed or stepped.
    #[error(transparent)]
    World(#[from] WorldError),
}

/// Why this entity is not simulated. The plugin inserts this component into the entity. When the components of the
/// entity change, or once an invalid transform has become valid, the plugin removes this component and tries again.
/// If a `TautScene` is changed or replaced, the plugin tries a step, and removes this component if the step succeeds.
#[derive(Component, Clone, Debug, PartialEq)]
pub struct TautFailure(pub TautError);

/// The Bevy message that an entity, the settings, the wind, or a step of the plugin's world has an error. The plugin
/// also logs the error. If the entity got no [`TautFailure`], it is still simulated: for example if its pins are to
/// follow an entity that does not exist.
#[derive(Message, Clone, Debug, PartialEq)]
pub struct TautFailed {
    /// The entity; `None` for settings, wind, and steps of the plugin's world.
    pub entity: Option<Entity>,
    /// What is wrong.
    pub error: TautError,
}

/// Logs an error and sends the message [`TautFailed`].
pub(crate) fn report(
    failures: &mut MessageWriter<TautFailed>,
    entity: Option<Entity>,
    error: TautError,
) {
    if let Some(entity) = entity {
        tracing::error!("entity {entity}: {error}");
    } else {
        tracing::error!("{error}");
    }
    failures.write(TautFailed { entity, error });
}

/// Reports an error of an entity, and inserts [`TautFailure`] into the entity.
pub(crate) fn report_entity(
    commands: &mut Commands,
    failures: &mut MessageWriter<TautFailed>,
    entity: Entity,
    error: TautError,
) {
    report(failures, Some(entity), error.clone());
    commands.entity(entity).try_insert(TautFailure(error));
}
