//! The systems that pin particles, and move pinned particles with the entities that they follow.

use bevy_ecs::prelude::*;
use bevy_math::Affine3A;
use bevy_transform::helper::TransformHelper;

use crate::bodies::{Pin, SoftBody};
use crate::error::{TautError, TautFailed, report, report_entity};
use crate::motion::{is_usable, transform_of};
use crate::pins::{Pinned, Pins};
use crate::world::TautWorld;

/// The transform at which pins that follow an entity start. It is the transform of the entity in the last tick, so
/// that a change of pins loses no motion, or the current one if no pin of the body has followed the entity before.
fn start_of_motion(
    body: &SoftBody,
    entity: Entity,
    helper: &TransformHelper,
) -> Result<Affine3A, TautError> {
    if let Some((_, last)) = body.followed.iter().find(|(known, _)| *known == entity) {
        return Ok(*last);
    }
    let affine = transform_of(helper, entity)?.affine();
    Some(affine).filter(is_usable).ok_or(TautError::Transform { entity })
}

/// Pins the selected particles of the body with this index, and unpins those that are no longer selected.
/// Particles that follow the same entity as before keep their position in its local space. Pins that
/// are to follow an entity that does not exist stay in place, and an error is reported.
fn pin(
    world: &mut TautWorld,
    index: usize,
    pinned: &[Pinned],
    helper: &TransformHelper,
    failed: &mut MessageWriter<TautFailed>,
) -> Result<(), TautError> {
    let TautWorld { world: Some(world), bodies, .. } = world else { return Ok(()) };
    let body = &mut bodies[index];
    // The entities to follow and their transforms; `None` for an entity that does not exist.
    let mut followed: Vec<(Entity, Option<Affine3A>)> = Vec::new();
    for entity in pinned.iter().copied().flatten().flatten() {
        if followed.iter().any(|(known, _)| *known == entity) {
            continue;
        }
        let affine = match start_of_motion(body, entity, helper) {
            Err(error @ TautError::NoTransform { .. }) => {
                report(failed, Some(body.entity), error);
                None
            }
            affine => Some(affine?),
        };
        followed.push((entity, affine));
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
                let affine = followed.iter().find(|(entity, _)| Some(*entity) == follow);
                let affine = affine.and_then(|(_, affine)| *affine);
                let local = affine.map_or(position, |affine| {
                    affine.inverse().transform_point3(position.into()).to_array()
                });
                // If there is no entity to follow, `local` is the position in the world.
                body.pins.push(Pin {
                    particle,
                    follow: follow.filter(|_| affine.is_some()),
                    local,
                });
            }
        }
    }
    let existing = followed.into_iter().filter_map(|(entity, affine)| Some((entity, affine?)));
    body.followed = existing.collect();
    Ok(())
}

/// Applies the pins of new bodies, and pins that were added, changed or removed.
pub(crate) fn apply_changes(
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
            Some(pins) if pins.is_changed() || !body.pins_applied => {
                pins.resolve(&body.pin_candidates())
            }
            None if !body.pins.is_empty() => Ok(vec![None; body.rest.len()]),
            _ => continue,
        };
        let changed =
            resolved.and_then(|pinned| pin(&mut world, index, &pinned, &helper, &mut failed));
        world.bodies[index].pins_applied = changed.is_ok();
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
            // If the entity was despawned, its pins stay in place.
            let Ok(transform) = helper.compute_global_transform(*entity) else { continue };
            let affine = transform.affine();
            // Pins that follow an entity at rest are not dragged, so that rounding does not move them.
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
