//! Merges the schedules of several cloths.

use alloc::vec::Vec;

use super::{Builder, CLOTH_STICKS, Copies, Schedule, ScheduleError};
use crate::column::PADDING;
use crate::real::Real;
use crate::sticks::Sticks;

/// The maximum number of sticks of a bundle of narrow cloths (a single cloth may have more). Their
/// particles fit the L1 cache, and merged batches fill several registers.
const BUNDLE_STICKS: usize = 1024;

/// The number of a cloth's first stick in the merged sticks, and the schedule of the cloth.
type Cloth<'a> = (u32, &'a Schedule);

/// See [`Schedule::side_by_side`].
pub(super) fn merge<S: Real>(
    sticks: &Sticks<S>,
    schedules: &[&Schedule],
) -> Result<Schedule, ScheduleError> {
    let ordered = schedules.iter().map(|schedule| schedule.sticks()).sum();
    if ordered != sticks.len() {
        return Err(ScheduleError::Missing { ordered, sticks: sticks.len() });
    }
    let mut first = 0;
    let cloths: Vec<Cloth<'_>> = schedules
        .iter()
        .map(|&schedule| {
            let cloth = (first, schedule);
            first += schedule.sticks() as u32;
            cloth
        })
        .collect();
    check_disjoint(sticks, &cloths)?;

    let (small, large): (Vec<Cloth<'_>>, Vec<Cloth<'_>>) =
        cloths.into_iter().partition(|(_, schedule)| schedule.sticks() <= CLOTH_STICKS);
    let (narrow, small): (Vec<Cloth<'_>>, Vec<Cloth<'_>>) =
        small.into_iter().partition(|(_, schedule)| is_narrow(schedule));
    let mut builder = Builder::new(sticks.len());
    let mut phases_of_large: Vec<_> =
        large.iter().map(|(first, cloth)| (*first, cloth.phases())).collect();
    let mut merged_phases = 0;
    loop {
        let mut ended = true;
        for (first, phases) in &mut phases_of_large {
            let Some(phase) = phases.next() else { continue };
            for block in phase.blocks() {
                block.batches().for_each(|batch| builder.batch(shifted(*first, batch)));
                builder.end_block();
            }
            ended = false;
        }
        if merged_phases == 0 {
            for (first, cloth) in &small {
                cloth.batches().for_each(|batch| builder.batch(shifted(*first, batch)));
                builder.end_block();
            }
            bundle_all(sticks, &narrow, &mut builder);
        }
        builder.end_phase();
        if ended {
            let schedule = builder.finish(sticks)?;
            return Ok(Schedule { copies: Copies::of(sticks, schedules), ..schedule });
        }
        merged_phases += 1;
    }
}

fn shifted(first: u32, batch: &[u32]) -> impl Iterator<Item = u32> {
    batch.iter().map(move |stick| first + stick)
}

/// Checks that no particle is in two cloths.
fn check_disjoint<S: Real>(sticks: &Sticks<S>, cloths: &[Cloth<'_>]) -> Result<(), ScheduleError> {
    let mut cloth_of = alloc::vec![u32::MAX; sticks.particles()];
    for (cloth, &(first, schedule)) in cloths.iter().enumerate() {
        for ends in &sticks.ends()[first as usize..][..schedule.sticks()] {
            for &particle in ends {
                let owner = &mut cloth_of[particle as usize];
                if *owner != u32::MAX && *owner != cloth as u32 {
                    return Err(ScheduleError::DependentCloths { cloth, particle });
                }
                *owner = cloth as u32;
            }
        }
    }
    Ok(())
}

/// Whether its batches are on average too short for the widest register.
fn is_narrow(schedule: &Schedule) -> bool {
    schedule.sticks() < PADDING * schedule.batch_ends.len()
}

/// Makes bundles of narrow cloths, each a block.
fn bundle_all<S: Real>(sticks: &Sticks<S>, mut narrow: &[Cloth<'_>], builder: &mut Builder) {
    while !narrow.is_empty() {
        let mut room = BUNDLE_STICKS;
        let fits = |(_, schedule): &&Cloth<'_>| {
            let left = room.checked_sub(schedule.sticks());
            room = left.unwrap_or(room);
            left.is_some()
        };
        let count = narrow.iter().take_while(fits).count().max(1);
        let (bundled, others) = narrow.split_at(count);
        bundle(sticks, bundled, builder);
        narrow = others;
    }
}

/// Makes one block of several cloths and merges their batches to fill registers. Plain batches
/// are merged with plain ones only, because kernels relax plain batches faster.
fn bundle<S: Real>(sticks: &Sticks<S>, cloths: &[Cloth<'_>], builder: &mut Builder) {
    let is_plain = |first: u32, batch: &[u32]| {
        shifted(first, batch).all(|stick| sticks.is_plain(stick as usize))
    };
    let mut remaining: Vec<_> =
        cloths.iter().map(|(first, cloth)| (*first, cloth.batches().peekable())).collect();
    let mut merged = Vec::new();
    loop {
        let plain = remaining
            .iter_mut()
            .any(|(first, batches)| batches.peek().is_some_and(|batch| is_plain(*first, batch)));
        merged.clear();
        for (first, batches) in &mut remaining {
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
