//! The systems that add and remove cloths and ropes, and apply settings and wind.

use std::collections::HashSet;
use std::time::Duration;

use bevy_asset::{AssetId, Assets, Handle};
use bevy_ecs::prelude::*;
use bevy_mesh::{Mesh, Mesh3d};
use bevy_reflect::prelude::*;
use bevy_time::{Fixed, Time};
use bevy_transform::helper::TransformHelper;

use crate::bodies::SoftBody;
use crate::cloth::Cloth;
use crate::collider::ClothCollider;
use crate::draw::WrittenMesh;
use crate::error::{TautError, TautFailed, TautFailure, report, report_entity};
use crate::motion::placement_of;
use crate::pins::Pins;
use crate::rope::Rope;
use crate::settings::{TautSettings, TautWind};
use crate::world::TautWorld;

/// Marks a cloth or rope that is in [`TautWorld`]. The plugin inserts and removes this component.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
#[reflect(Component, Clone, Debug, PartialEq)]
pub struct Simulated {
    /// Number of particles.
    pub particles: usize,
    /// Number of sticks.
    pub sticks: usize,
}

/// Retries failed entities once their components have changed or were removed, or the transform that was invalid has
/// changed.
pub(crate) fn retry(
    mut commands: Commands,
    helper: TransformHelper,
    changed: Query<
        Entity,
        (
            With<TautFailure>,
            Or<(Changed<Cloth>, Changed<Rope>, Changed<Pins>, Changed<ClothCollider>)>,
        ),
    >,
    with_changed_mesh: Query<
        (Entity, &Mesh3d, Option<&WrittenMesh>),
        (With<TautFailure>, Changed<Mesh3d>),
    >,
    mut without_pins: RemovedComponents<Pins>,
    mut without_collider: RemovedComponents<ClothCollider>,
    failures: Query<(Entity, &TautFailure, Has<Cloth>, Has<Rope>)>,
) {
    let removed = without_pins.read().chain(without_collider.read());
    for entity in changed.iter().chain(removed.filter(|&entity| failures.contains(entity))) {
        commands.entity(entity).try_remove::<TautFailure>();
    }
    // Bevy marks `Mesh3d` as changed also when its asset changes, and the plugin changes the meshes that it writes.
    for (entity, mesh, written) in &with_changed_mesh {
        if !WrittenMesh::is_of(mesh, written) {
            commands.entity(entity).try_remove::<TautFailure>();
        }
    }
    // Only failures whose cause can be checked are retried here: other failures would be reported again in each tick.
    // The invalid transform may be that of a followed entity or of an ancestor, which `Changed<Transform>` of this
    // entity would miss.
    for (entity, TautFailure(error), has_cloth, has_rope) in &failures {
        let is_corrected = match error {
            TautError::Transform { entity: moved } | TautError::NoTransform { entity: moved } => {
                placement_of(&helper, *moved).err().as_ref() != Some(error)
            }
            TautError::ClothAndRope => !(has_cloth && has_rope),
            _ => false,
        };
        if is_corrected {
            commands.entity(entity).try_remove::<TautFailure>();
        }
    }
}

/// Reports entities that have both a cloth and a rope.
pub(crate) fn report_ambiguous(
    mut commands: Commands,
    ambiguous: Query<Entity, (With<Cloth>, With<Rope>, Without<TautFailure>)>,
    mut failed: MessageWriter<TautFailed>,
) {
    for entity in &ambiguous {
        report_entity(&mut commands, &mut failed, entity, TautError::ClothAndRope);
    }
}

/// Applies settings if they, or the length of a tick, have changed.
pub(crate) fn apply_settings(
    settings: Res<TautSettings>,
    time: Res<Time<Fixed>>,
    mut world: ResMut<TautWorld>,
    mut threads: Local<Option<usize>>,
    mut last_tick: Local<Option<Duration>>,
    mut failed: MessageWriter<TautFailed>,
) {
    let tick = time.timestep();
    // Returns if nothing has changed, so that invalid settings are tried and reported once, not in each tick.
    if !settings.is_changed() && *last_tick == Some(tick) {
        return;
    }
    *last_tick = Some(tick);
    let new_settings = settings.with_tick(tick);
    if let Err(error) = world.set_settings(new_settings) {
        report(&mut failed, None, error);
    }
    if threads.unwrap_or(1) != settings.threads {
        *threads = Some(settings.threads);
        let changed = world.set_threads(settings.threads).and_then(|()| world.rebuild());
        if let Err(error) = changed {
            report(&mut failed, None, error);
        }
    }
}

/// Applies a changed wind.
pub(crate) fn apply_wind(
    wind: Option<Res<TautWind>>,
    mut world: ResMut<TautWorld>,
    mut failed: MessageWriter<TautFailed>,
) {
    // If the resource was removed, the wind has changed as long as there are forces of the earlier wind.
    let changed = wind.as_ref().map_or(!world.forces.is_empty(), DetectChanges::is_changed);
    if !changed {
        return;
    }
    match wind.map_or(Ok(Vec::new()), |wind| wind.forces()) {
        Ok(forces) => {
            if let Some(world) = &mut world.world {
                world.forces_mut().clone_from(&forces);
            }
            world.forces = forces;
        }
        Err(error) => report(&mut failed, None, error),
    }
}

type Meshes = (Option<&'static Mesh3d>, Option<&'static WrittenMesh>);
type Cloths<'w, 's> = Query<
    'w,
    's,
    (Entity, &'static Cloth, Meshes, Option<&'static Pins>),
    (Without<TautFailure>, Without<Rope>),
>;
type Ropes<'w, 's> = Query<
    'w,
    's,
    (Entity, &'static Rope, Meshes, Option<&'static Pins>),
    (Without<TautFailure>, Without<Cloth>),
>;

/// Adds new cloths and ropes to the world. Removes those that are gone or have failed, and those that were changed,
/// which are then added again.
#[expect(
    clippy::too_many_arguments,
    reason = "the parameters of a system are what it reads and writes"
)]
pub(crate) fn update_bodies(
    mut commands: Commands,
    mut world: ResMut<TautWorld>,
    mut meshes: ResMut<Assets<Mesh>>,
    helper: TransformHelper,
    cloths: Cloths,
    ropes: Ropes,
    changed: Query<(), Or<(Changed<Cloth>, Changed<Rope>)>>,
    entities: Query<()>,
    mut failed: MessageWriter<TautFailed>,
) {
    // The mesh, if any, of an entity that is simulated as a cloth or rope; `None` for others, and for failed ones.
    let mesh_of = |entity: Entity| -> Option<Option<AssetId<Mesh>>> {
        let of_cloth = cloths.get(entity).map(|(_, _, (mesh, _), _)| mesh);
        let mesh = of_cloth.or_else(|_| ropes.get(entity).map(|(_, _, (mesh, _), _)| mesh));
        mesh.ok().map(|mesh| mesh.map(|mesh| mesh.0.id()))
    };
    let before = world.bodies.len();
    world.bodies.retain(|body| {
        let mesh = mesh_of(body.entity).filter(|_| !changed.contains(body.entity));
        let Some(mesh) = mesh.filter(|mesh| body.still_matches(*mesh)) else {
            if entities.contains(body.entity) {
                commands.entity(body.entity).try_remove::<Simulated>();
            }
            return false;
        };
        if let Some(mesh) = body.mesh_to_restore(mesh) {
            commands.entity(body.entity).try_insert(Mesh3d(mesh.clone()));
        }
        true
    });
    let mut stale = world.bodies.len() != before;

    let mut new: Vec<Result<SoftBody, (Entity, TautError)>> = Vec::new();
    let known: HashSet<Entity> = world.entities().collect();
    for (entity, cloth, (mesh, written), pins) in &cloths {
        let source = WrittenMesh::source(mesh, written);
        let loading = |source: &Handle<Mesh>| !meshes.contains(source);
        if known.contains(&entity) || (cloth.sheet.is_none() && source.is_some_and(loading)) {
            continue;
        }
        let name = world.new_name();
        let body = placement_of(&helper, entity).and_then(|placement| {
            SoftBody::of_cloth(entity, name, cloth, source, &mut meshes, &placement)
        });
        new.push(with_valid_pins(body, pins).map_err(|error| (entity, error)));
    }
    for (entity, rope, (mesh, written), pins) in &ropes {
        if known.contains(&entity) {
            continue;
        }
        let source = WrittenMesh::source(mesh, written);
        let name = world.new_name();
        let body = placement_of(&helper, entity).and_then(|placement| {
            SoftBody::of_rope(entity, name, rope, source, &mut meshes, &placement)
        });
        new.push(with_valid_pins(body, pins).map_err(|error| (entity, error)));
    }
    let mut added = Vec::new();
    for body in new {
        match body {
            Ok(body) => {
                added.push(body.entity);
                world.bodies.push(body);
                stale = true;
            }
            Err((entity, error)) => report_entity(&mut commands, &mut failed, entity, error),
        }
    }
    if !stale {
        return;
    }
    if let Err(error) = world.rebuild() {
        // The world cannot be built with the new bodies. It is built again without them.
        for entity in added.drain(..) {
            report_entity(&mut commands, &mut failed, entity, error.clone());
            world.bodies.retain(|body| body.entity != entity);
        }
        if let Err(error) = world.rebuild() {
            report(&mut failed, None, error);
        }
    }
    for entity in added {
        if let Some(&index) = world.index.get(&entity) {
            insert_components(&mut commands, &world.bodies[index], &ropes);
        }
    }
}

/// Inserts the components of a body that was added to the world. If it is a rope that is no longer drawn, replaces
/// its tube by the mesh of the user, if there is one.
fn insert_components(commands: &mut Commands, body: &SoftBody, ropes: &Ropes) {
    let (particles, sticks) = (body.particles.len(), body.sticks.len());
    let mut entity = commands.entity(body.entity);
    entity.try_insert(Simulated { particles, sticks });
    if let Some(mesh) = &body.mesh {
        entity.try_insert(WrittenMesh::bundle(mesh.clone(), body.source.clone()));
    } else if let Ok((_, _, (Some(mesh), written), _)) = ropes.get(body.entity)
        && WrittenMesh::is_of(mesh, written)
    {
        match &body.source {
            Some(source) => entity.try_insert(Mesh3d(source.clone())),
            None => entity.try_remove::<Mesh3d>(),
        };
        entity.try_remove::<WrittenMesh>();
    }
}

/// The body, if all particles that the pins name exist. The particles are pinned later in the same tick.
fn with_valid_pins(
    body: Result<SoftBody, TautError>,
    pins: Option<&Pins>,
) -> Result<SoftBody, TautError> {
    let body = body?;
    if let Some(pins) = pins {
        pins.resolve(&body.pin_candidates())?;
    }
    Ok(body)
}
