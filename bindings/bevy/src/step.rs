//! The systems that step the world and report torn sticks.

use bevy_ecs::prelude::*;

use crate::build::Simulated;
use crate::error::{TautError, TautFailed, report, report_entity};
use crate::world::{StickTorn, TautWorld};

/// Runs one step of the world, and sends messages for torn sticks and for errors.
pub(crate) fn step(
    mut commands: Commands,
    mut world: ResMut<TautWorld>,
    mut last_error: Local<Option<TautError>>,
    mut torn: MessageWriter<StickTorn>,
    mut failed: MessageWriter<TautFailed>,
) {
    match world.step() {
        Ok(outcome) => {
            *last_error = None;
            torn.write_batch(world.take_torn());
            if !outcome.finite {
                remove_blown_up(&mut commands, &mut world, &mut failed);
            }
        }
        // An error that occurs again in the next ticks is reported once.
        Err(error) if last_error.as_ref() == Some(&error) => {}
        Err(error) => {
            report(&mut failed, None, error.clone());
            *last_error = Some(error);
        }
    }
}

/// Removes the bodies with positions that are not finite. The other bodies stay.
fn remove_blown_up(
    commands: &mut Commands,
    world: &mut TautWorld,
    failed: &mut MessageWriter<TautFailed>,
) {
    let current = std::mem::take(&mut world.current);
    world.bodies.retain(|body| {
        let finite = current[body.particles.clone()].as_flattened().iter().all(|x| x.is_finite());
        if !finite {
            report_entity(commands, failed, body.entity, TautError::BlownUp);
            commands.entity(body.entity).try_remove::<Simulated>();
        }
        finite
    });
    if let Err(error) = world.rebuild() {
        report(failed, None, error);
    }
}

/// Reports sticks that were torn between ticks.
pub(crate) fn report_torn(mut world: ResMut<TautWorld>, mut torn: MessageWriter<StickTorn>) {
    torn.write_batch(world.take_torn());
}
