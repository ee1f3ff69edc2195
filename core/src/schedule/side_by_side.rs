//! Merges the schedules of several cloths.

use alloc::vec::Vec;

use super::{Builder, CLOTH_STICKS, Copies, Schedule, ScheduleError};
use crate::column::PADDING;
use crate::real::Real;
use crate::sticks::Sticks;

/// The most sticks of a bundle of narrow cloths, unless a single cloth has more: their particles
/// fit the L1 cache, and merged batches fill several registers.
const BUNDLE_STICKS: usize = 1024;

/// The number of a cloth's first stick in the merged sticks, and the schedule of the cloth.
type Part<'a> = (u32, &'a Schedule);

/// See [`Schedule::side_by_side`].
pub(super) fn join<S: Real>(
    sticks: &Sticks<S>,
    schedules: &[&Schedule],
) -> Result<Schedule, ScheduleError> {
    let ordered = schedules.iter().map(|schedule| schedule.sticks()).sum();
    if ordered != sticks.len() {
        return Err(ScheduleError::Missing { ordered, sticks: sticks.len() });
    }
    let mut first = 0;
    let parts: Vec<Part<'_>> = schedules
        .iter()
        .map(|&schedule| {
            let part = (first, schedule);
            first += schedule.sticks() as u32;
            part
        })
        .collect();
    check_apart(sticks, &parts)?;

    let (small, large): (Vec<Part<'_>>, Vec<Part<'_>>) =
        parts.into_iter().partition(|(_, schedule)| schedule.sticks() <= CLOTH_STICKS);
    let (narrow, small): (Vec<Part<'_>>, Vec<Part<'_>>) =
        small.into_iter().partition(|(_, schedule)| is_narrow(schedule));
    let mut builder = Builder::new(sticks.len());
    let mut phases: Vec<_> = large.iter().map(|(first, part)| (*first, part.phases())).collect();
    let mut phase = 0;
    loop {
        let mut ended = true;
        for (first, phases) in &mut phases {
            let Some(phase) = phases.next() else { continue };
            for block in phase.blocks() {
                block.batches().for_each(|batch| builder.batch(shifted(*first, batch)));
                builder.end_block();
            }
            ended = false;
        }
        if phase == 0 {
            for (first, part) in &small {
                part.batches().for_each(|batch| builder.batch(shifted(*first, batch)));
                builder.end_block();
            }
            bundle_all(sticks, &narrow, &mut builder);
        }
        builder.end_phase();
        if ended {
            let schedule = builder.finish(sticks)?;
            return Ok(Schedule { copies: Copies::of(sticks, schedules), ..schedule });
        }
        phase += 1;
    }
}

fn shifted(first: u32, batch: &[u32]) -> impl Iterator<Item = u32> {
    batch.iter().map(move |stick| first + stick)
}

/// Checks that no particle is in two cloths.
fn check_apart<S: Real>(sticks: &Sticks<S>, parts: &[Part<'_>]) -> Result<(), ScheduleError> {
    let mut part_of = alloc::vec![u32::MAX; sticks.particles()];
    for (part, &(first, schedule)) in parts.iter().enumerate() {
        for ends in &sticks.ends()[first as usize..][..schedule.sticks()] {
            for &particle in ends {
                let known = &mut part_of[particle as usize];
                if *known != u32::MAX && *known != part as u32 {
                    return Err(ScheduleError::DependentParts { part, particle });
                }
                *known = part as u32;
            }
        }
    }
    Ok(())
}

/// Whether its batches are on average too short for the widest register.
fn is_narrow(schedule: &Schedule) -> bool {
    schedule.sticks() < PADDING * schedule.batch_ends.len()
}

/// Bundles of narrow cloths, each a block.
fn bundle_all<S: Real>(sticks: &Sticks<S>, mut narrow: &[Part<'_>], builder: &mut Builder) {
    while !narrow.is_empty() {
        let mut room = BUNDLE_STICKS;
        let fits = |(_, schedule): &&Part<'_>| {
            let left = room.checked_sub(schedule.sticks());
            room = left.unwrap_or(room);
            left.is_some()
        };
        let count = narrow.iter().take_while(fits).count().max(1);
        let (bundled, rest) = narrow.split_at(count);
        bundle(sticks, bundled, builder);
        narrow = rest;
    }
}

/// Makes one block of several cloths and merges their batches to fill registers. Plain batches
/// are merged with plain ones only, because kernels relax these faster.
fn bundle<S: Real>(sticks: &Sticks<S>, parts: &[Part<'_>], builder: &mut Builder) {
    let is_plain = |first: u32, batch: &[u32]| {
        shifted(first, batch).all(|stick| sticks.is_plain(stick as usize))
    };
    let mut left: Vec<_> =
        parts.iter().map(|(first, part)| (*first, part.batches().peekable())).collect();
    let mut merged = Vec::new();
    loop {
        let plain = left
            .iter_mut()
            .any(|(first, batches)| batches.peek().is_some_and(|batch| is_plain(*first, batch)));
        merged.clear();
        for (first, batches) in &mut left {
            if let Some(batch) = batches.next_if(|batch| is_plain(*first, batch) == plain) {
                merged.extend(shifted(*first, batch));
            }
        }
        if merged.is_empty() {
            break;
        }
        builder.batch(merged.iter().copied());
    }
    builder.end_block();
}
