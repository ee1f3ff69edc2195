//! Systems that pin particles, and move pinned particles with the entities that they follow.

use bevy_ecs::prelude::*;
use bevy_math::Affine3A;
use bevy_transform::helper::TransformHelper;

use crate::bodies::Pin;
use crate::error::{TautError, TautFailed, report_entity};
use crate::motion::is_usable;
use crate::pins::{Pinned, Pins};
use crate::world::TautWorld;

/// Pins the particles of the body with this index, and unpins those that are no longer selected.
/// Particles that follow the same entity as before keep their position in its local space.
pub(crate) fn pin(
    world: &mut TautWorld,
    index: usize,
    pinned: &[Pinned],
    helper: &TransformHelper,
) -> Result<(), TautError> {
    let TautWorld { world: Some(world), bodies, .. } = world else { return Ok(()) };
    let body = &mut bodies[index];
    let mut followed: Vec<(Entity, Affine3A)> = Vec::new();
    for entity in pinned.iter().copied().flatten().flatten() {
        if followed.iter().all(|(known, _)| *known != entity) {
            let transform = helper.compute_global_transform(entity);
            let affine = transform.map(|transform| transform.affine()).ok().filter(is_usable);
            followed.push((entity, affine.ok_or(TautError::Transform { entity })?));
        }
    }
    let before = std::mem::take(&mut body.pins);
    let mut before = before.into_iter().peekable();
    for (particle, pinned) in pinned.iter().enumerate() {
        let old = before.next_if(|pin| pin.particle == particle);
        let in_world = body.particles.start + particle;
        match (old, *pinned) {
            (None, None) => {}
            (Some(_), None) => world.unpin(in_world)?,
            (Some(pin), Some(follow)) if pin.follow == follow => body.pins.push(pin),
            (_, Some(follow)) => {
                world.pin(in_world)?;
                let position = world.position(in_world);
                let followed_entity = followed.iter().find(|(entity, _)| Some(*entity) == follow);
                let local = followed_entity.map_or(position, |(_, affine)| {
                    affine.inverse().transform_point3(position.into()).to_array()
                });
                body.pins.push(Pin { particle, follow, local });
            }
        }
    }
    body.followed = followed;
    Ok(())
}

/// Applies pins that were added, changed or removed.
pub(crate) fn change(
    mut commands: Commands,
    mut world: ResMut<TautWorld>,
    pins: Query<Option<Ref<Pins>>>,
    helper: TransformHelper,
    mut failed: MessageWriter<TautFailed>,
) {
    for index in 0..world.bodies.len() {
        let body = &world.bodies[index];
        let entity = body.entity;
        let Ok(pins) = pins.get(entity) else { continue };
        let resolved = match pins {
            Some(pins) if pins.is_changed() => pins.resolve(&body.pin_candidates()),
            None if !body.pins.is_empty() => Ok(vec![None; body.rest.len()]),
            _ => continue,
        };
        let changed = resolved.and_then(|pinned| pin(&mut world, index, &pinned, &helper));
        if let Err(error) = changed {
            report_entity(&mut commands, &mut failed, entity, error);
        }
    }
}

/// Moves pinned particles with the entities that they follow.
pub(crate) fn follow(
    mut commands: Commands,
    mut world: ResMut<TautWorld>,
    helper: TransformHelper,
    mut failed: MessageWriter<TautFailed>,
) {
    let TautWorld { world: Some(world), bodies, .. } = &mut *world else { return };
    for body in bodies {
        for (entity, last) in &mut body.followed {
            // An entity that was despawned leaves its pins where they are.
            let Ok(transform) = helper.compute_global_transform(*entity) else { continue };
            let affine = transform.affine();
            // While the entity is at rest nothing is dragged, so that rounding does not move pins.
            if affine == *last {
                continue;
            }
            if !is_usable(&affine) {
                let error = TautError::Transform { entity: *entity };
                report_entity(&mut commands, &mut failed, body.entity, error);
                break;
            }
            *last = affine;
            for pin in body.pins.iter().filter(|pin| pin.follow == Some(*entity)) {
                let to = affine.transform_point3(pin.local.into()).to_array();
                if let Err(error) = world.drag(body.particles.start + pin.particle, to) {
                    report_entity(&mut commands, &mut failed, body.entity, error.into());
                    break;
                }
            }
        }
    }
}
