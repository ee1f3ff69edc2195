//! The system that moves colliders.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use bevy_transform::helper::TransformHelper;
use taut::world::Obstacle;

use crate::collider::ClothCollider;
use crate::error::{TautFailed, TautFailure, report_entity};
use crate::motion::{Placement, placement_of};
use crate::world::TautWorld;

/// A collider in the world.
pub(crate) struct PlacedCollider {
    entity: Entity,
    collider: ClothCollider,
    placement: Placement,
    /// Whether it moves in this tick; until `update` has run, whether it moved in the last tick.
    moves: bool,
    obstacle: Arc<dyn Obstacle>,
}

/// Adds and removes colliders. Replaces the obstacle of each collider that moves by one that moves within the tick
/// from the placement of the last tick to the current one.
pub(crate) fn update(
    mut commands: Commands,
    mut world: ResMut<TautWorld>,
    helper: TransformHelper,
    colliders: Query<(Entity, &ClothCollider), Without<TautFailure>>,
    mut placed: Local<Vec<PlacedCollider>>,
    mut failed: MessageWriter<TautFailed>,
) {
    let start = world.world.as_ref().map_or(0.0, taut::world::World::time);
    let times = [start, start + f64::from(world.settings.step.dt)];
    let before = placed.len();
    placed.retain(|item| colliders.contains(item.entity));
    let mut changed = placed.len() != before;

    for item in &mut *placed {
        let Ok((entity, collider)) = colliders.get(item.entity) else { continue };
        let moved = placement_of(&helper, entity).and_then(|to| {
            let moves = to != item.placement;
            // The obstacle of a collider that has just stopped is replaced, too: it would move on.
            if moves || item.moves || *collider != item.collider {
                item.obstacle = collider.obstacle(&item.placement, &to, times)?;
                (item.collider, item.placement, item.moves) = (*collider, to, moves);
                changed = true;
            }
            Ok(())
        });
        if let Err(error) = moved {
            report_entity(&mut commands, &mut failed, entity, error);
        }
    }
    let mut new: Vec<_> = colliders
        .iter()
        .filter(|(entity, _)| placed.iter().all(|item| item.entity != *entity))
        .collect();
    // Obstacles are resolved in the order of the list, which must not depend on the order of the query.
    new.sort_by_key(|(entity, _)| *entity);
    for (entity, collider) in new {
        let added = placement_of(&helper, entity).and_then(|placement| {
            let obstacle = collider.obstacle(&placement, &placement, times)?;
            Ok(PlacedCollider { entity, collider: *collider, placement, moves: false, obstacle })
        });
        match added {
            Ok(added) => {
                placed.push(added);
                changed = true;
            }
            Err(error) => report_entity(&mut commands, &mut failed, entity, error),
        }
    }
    if changed {
        let obstacles: Vec<_> = placed.iter().map(|item| item.obstacle.clone()).collect();
        if let Some(world) = &mut world.world {
            world.obstacles_mut().clone_from(&obstacles);
        }
        world.obstacles = obstacles;
    }
}
