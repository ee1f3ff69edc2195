//! Merges the schedules of several cloths.

use alloc::vec::Vec;

use super::{Builder, CLOTH_STICKS, Copies, Schedule, ScheduleError};
use crate::column::PADDING;
use crate::real::Real;
use crate::sticks::Sticks;

/// The maximum number of sticks of a bundle: a block that small cloths with short batches share. Its
/// particles fit in the L1 cache, and merged batches fill several registers. (A bundle of one cloth may
/// have more sticks.)
const BUNDLE_STICKS: usize = 1024;

/// The `f32` lanes of the widest register.
const LANES_MAX: usize = PADDING;

/// The schedule of a cloth.
#[derive(Clone, Copy)]
struct ClothSchedule<'a> {
    /// The number of the cloth's first stick in the merged sticks.
    first_stick: u32,
    schedule: &'a Schedule,
}

/// See [`Schedule::side_by_side`].
pub(super) fn merge<S: Real>(
    sticks: &Sticks<S>,
    schedules: &[&Schedule],
) -> Result<Schedule, ScheduleError> {
    let ordered = schedules.iter().map(|schedule| schedule.sticks()).sum();
    if ordered != sticks.len() {
        return Err(ScheduleError::WrongStickCount { ordered, sticks: sticks.len() });
    }
    let mut first_stick = 0;
    let cloths: Vec<ClothSchedule<'_>> = schedules
        .iter()
        .map(|&schedule| {
            let cloth = ClothSchedule { first_stick, schedule };
            first_stick += schedule.sticks() as u32;
            cloth
        })
        .collect();
    check_disjoint(sticks, &cloths)?;

    let (small, large): (Vec<_>, Vec<_>) =
        cloths.into_iter().partition(|cloth| cloth.schedule.sticks() <= CLOTH_STICKS);
    let (short_batched, small): (Vec<_>, Vec<_>) =
        small.into_iter().partition(|cloth| has_short_batches(cloth.schedule));
    let mut builder = Builder::new(sticks.len());
    let mut phases_of_large: Vec<_> =
        large.iter().map(|cloth| (cloth.first_stick, cloth.schedule.phases())).collect();
    let mut is_first_phase = true;
    // Each repetition makes at most one phase: the next phase of each large cloth and, in the first phase, all
    // small cloths. The loop ends when no large cloth has a phase left.
    loop {
        let mut ended = true;
        for (first_stick, phases) in &mut phases_of_large {
            let Some(phase) = phases.next() else { continue };
            for block in phase.blocks() {
                block.batches().for_each(|batch| builder.add_batch(shifted(*first_stick, batch)));
                builder.end_block();
            }
            ended = false;
        }
        if is_first_phase {
            for ClothSchedule { first_stick, schedule } in &small {
                schedule
                    .batches()
                    .for_each(|batch| builder.add_batch(shifted(*first_stick, batch)));
                builder.end_block();
            }
            bundle_all(sticks, &short_batched, &mut builder);
        }
        builder.end_phase();
        if ended {
            let schedule = builder.finish(sticks)?;
            return Ok(Schedule { copies: Copies::of(sticks, schedules), ..schedule });
        }
        is_first_phase = false;
    }
}

/// The sticks of a batch by their numbers in the merged sticks.
fn shifted(first_stick: u32, batch: &[u32]) -> impl Iterator<Item = u32> {
    batch.iter().map(move |stick| first_stick + stick)
}

/// Checks that no particle is in two cloths.
fn check_disjoint<S: Real>(
    sticks: &Sticks<S>,
    cloths: &[ClothSchedule<'_>],
) -> Result<(), ScheduleError> {
    let mut cloth_of = alloc::vec![u32::MAX; sticks.particles()];
    for (index, &ClothSchedule { first_stick, schedule }) in cloths.iter().enumerate() {
        for ends in &sticks.ends()[first_stick as usize..][..schedule.sticks()] {
            for &particle in ends {
                let owner = &mut cloth_of[particle as usize];
                if *owner != u32::MAX && *owner != index as u32 {
                    return Err(ScheduleError::DependentCloths { cloth: index, particle });
                }
                *owner = index as u32;
            }
        }
    }
    Ok(())
}

/// Whether the batches of a schedule are on average too short for the widest register.
fn has_short_batches(schedule: &Schedule) -> bool {
    schedule.sticks() < LANES_MAX * schedule.batch_ends.len()
}

/// Makes bundles of cloths with short batches, each a block.
fn bundle_all<S: Real>(
    sticks: &Sticks<S>,
    mut cloths: &[ClothSchedule<'_>],
    builder: &mut Builder,
) {
    while !cloths.is_empty() {
        let mut sticks_of_bundle = 0;
        let mut count = 0;
        for cloth in cloths {
            sticks_of_bundle += cloth.schedule.sticks();
            if count > 0 && sticks_of_bundle > BUNDLE_STICKS {
                break;
            }
            count += 1;
        }
        let (bundled, others) = cloths.split_at(count);
        bundle(sticks, bundled, builder);
        cloths = others;
    }
}

/// Makes one block of several cloths. Its batches merge the next batches of the cloths, to fill
/// registers. Plain batches are merged with plain ones only, because kernels relax plain batches
/// faster.
fn bundle<S: Real>(sticks: &Sticks<S>, cloths: &[ClothSchedule<'_>], builder: &mut Builder) {
    let is_plain = |first_stick: u32, batch: &[u32]| {
        shifted(first_stick, batch).all(|stick| sticks.is_plain(stick as usize))
    };
    let mut remaining: Vec<_> = cloths
        .iter()
        .map(|cloth| (cloth.first_stick, cloth.schedule.batches().peekable()))
        .collect();
    let mut merged = Vec::new();
    loop {
        let plain = remaining.iter_mut().any(|(first_stick, batches)| {
            batches.peek().is_some_and(|batch| is_plain(*first_stick, batch))
        });
        merged.clear();
        for (first_stick, batches) in &mut remaining {
            if let Some(batch) = batches.next_if(|batch| is_plain(*first_stick, batch) == plain) {
                merged.extend(shifted(*first_stick, batch));
            }
        }
        if merged.is_empty() {
            break;
        }
        builder.add_batch(merged.iter().copied());
    }
    builder.end_block();
}
