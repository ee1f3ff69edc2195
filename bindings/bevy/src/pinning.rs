//! Systems that pin particles, and move pinned particles with the entities that they follow.

use bevy_ecs::prelude::*;
use bevy_math::Affine3A;
use bevy_transform::helper::TransformHelper;

use crate::bodies::Pin;
use crate::error::{TautError, TautFailed, report_entity};
use crate::motion::is_usable;
use crate::pins::{Pinned, Pins};
use crate::world::TautWorld;

/// Pins the particles of a body, and frees those that are no longer pinned. Particles that follow the
/// same entity as before keep their place in its space.
pub(crate) fn pin(
    world: &mut TautWorld,
    number: usize,
    pinned: &[Pinned],
    helper: &TransformHelper,
) -> Result<(), TautError> {
    let TautWorld { world: Some(world), bodies, .. } = world else { return Ok(()) };
    let body = &mut bodies[number];
    let mut followed: Vec<(Entity, Affine3A)> = Vec::new();
    for entity in pinned.iter().copied().flatten().flatten() {
        if followed.iter().all(|(known, _)| *known != entity) {
            let transform = helper.compute_global_transform(entity);
            let affine = transform.map(|it| it.affine()).ok().filter(is_usable);
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
                let at = world.position(in_world);
                let of_follow = followed.iter().find(|(entity, _)| Some(*entity) == follow);
                let local = of_follow.map_or(at, |(_, affine)| {
                    affine.inverse().transform_point3(at.into()).to_array()
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
    for number in 0..world.bodies.len() {
        let body = &world.bodies[number];
        let entity = body.entity;
        let Ok(pins) = pins.get(entity) else { continue };
        let resolved = match pins {
            Some(pins) if pins.is_changed() => pins.resolve(&body.pinned_shape()),
            None if !body.pins.is_empty() => Ok(vec![None; body.rest.len()]),
            _ => continue,
        };
        let changed = resolved.and_then(|pinned| pin(&mut world, number, &pinned, &helper));
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
            // At rest nothing is dragged, so that rounding does not move pins.
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
