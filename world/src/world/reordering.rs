//! New schedules for the sticks that remain after some have torn.

use std::ops::Range;

use taut_core::{Duplicates, Kernel, Particles, Schedule, StickError, Sticks};

use super::{ModelRange, World, WorldError};
use crate::model::Model;

impl<K: Kernel<D>, const D: usize> World<K, D> {
    /// Removes torn sticks from the islands, and reorders the remaining sticks of their models.
    /// This is worthwhile if many sticks are torn: a torn stick costs time until it is removed.
    /// Returns the number of removed sticks.
    ///
    /// **The result changes**: a different order of the sticks gives different positions. A model
    /// with torn sticks no longer runs as a sheet, and the models of its island no longer run as
    /// copies. Particles and sticks keep their numbers, and removed sticks remain
    /// [torn](Self::is_torn). Models without torn sticks keep their order.
    ///
    /// # Errors
    /// If a kernel cannot run the new schedule of an island. The islands before it have then
    /// already changed.
    pub fn reorder(
        &mut self,
        mut kernel_for: impl FnMut(&Schedule) -> K,
    ) -> Result<usize, WorldError> {
        let mut removed = 0;
        for island_number in 0..self.islands.len() {
            let Model { sticks, tear_factors, .. } = &mut self.islands[island_number].model;
            let len = sticks.len();
            if !tear_factors.is_empty() {
                tear_factors.resize(len, f32::INFINITY);
            }
            let kept: Vec<u32> =
                (0..len as u32).filter(|&stick| !sticks.is_torn(stick as usize)).collect();
            if kept.len() < len {
                let remaining = sticks.selected(&kept)?;
                let models = self.models.iter().filter(|model| model.island == island_number);
                let schedules =
                    models.map(|model| self.schedule_of_remaining(model, &kept, &remaining));
                let schedules: Vec<Schedule> = schedules.collect::<Result<_, _>>()?;
                let island = &mut self.islands[island_number];
                let schedule = island.join_schedules(schedules, &remaining);
                island.replace_sticks(remaining, &kept, schedule, self.formula, &mut kernel_for)?;
                self.sticks.keep_only(island_number, &kept);
                removed += len - kept.len();
            }
        }
        Ok(removed)
    }

    /// The schedule of a model's remaining sticks. It is built from this model alone, in its own
    /// numbering, so it does not depend on the other models of the island. `remaining` are the
    /// sticks of the island that are not torn, `kept` their old numbers.
    fn schedule_of_remaining(
        &self,
        model: &ModelRange,
        kept: &[u32],
        remaining: &Sticks,
    ) -> Result<Schedule, StickError> {
        let island = &self.islands[model.island];
        // As in the world, the sticks of a model are contiguous in its island: `start..end` before
        // the removal, and `kept_start..kept_end` after it.
        let stick_numbers = self.sticks.in_island(model.island);
        let [start, end] = [model.sticks.start, model.sticks.end]
            .map(|stick| stick_numbers.partition_point(|&it| (it as usize) < stick));
        let [kept_start, kept_end] =
            [start, end].map(|stick| kept.partition_point(|&it| (it as usize) < stick));

        let particle_numbers = self.particles.in_island(model.island);
        let number =
            |particle: u32| particle_numbers[particle as usize] - model.particles.start as u32;
        let len = model.particles.len();
        let sticks = renumbered_range(remaining, kept_start..kept_end, len, number)?;
        if end - start == kept_end - kept_start {
            return Ok(part_of_schedule(island.schedule(), start..end, &sticks));
        }
        let mut particles =
            Particles::new(&vec![[0.0; D]; len], &vec![0.0; len]).expect("the origin is valid");
        for (particle, world_number) in model.particles.clone().enumerate() {
            let position = self.position(world_number);
            for (axis, x) in position.into_iter().enumerate() {
                particles.positions_mut(axis)[particle] = x;
            }
        }
        Ok(Schedule::for_mesh(&particles, &sticks))
    }
}

/// A range of sticks whose ends are renumbered by `number`; `particles` is the number of particles.
fn renumbered_range(
    sticks: &Sticks,
    range: Range<usize>,
    particles: usize,
    number: impl Fn(u32) -> u32,
) -> Result<Sticks, StickError> {
    let ends: Vec<[u32; 2]> =
        sticks.ends()[range.clone()].iter().map(|ends| ends.map(&number)).collect();
    let rests = &sticks.rests()[range.clone()];
    let mut renumbered = Sticks::with_rests(particles, &ends, rests, Duplicates::Keep)?;
    for (to, from) in range.enumerate().filter(|&(_, from)| !sticks.is_plain(from)) {
        renumbered.set_kind(to, sticks.kind(from))?;
        renumbered.set_stiffness(to, sticks.stiffness(from))?;
        renumbered.set_compliance(to, sticks.compliance(from))?;
    }
    Ok(renumbered)
}

/// Restricts a schedule to a range of its sticks. `sticks` are the sticks of the range, numbered
/// from 0.
fn part_of_schedule(schedule: &Schedule, range: Range<usize>, sticks: &Sticks) -> Schedule {
    let (first, end) = (range.start as u32, range.end as u32);
    let mut phases = schedule.to_phases();
    for batch in phases.iter_mut().flatten().flatten() {
        batch.retain(|stick| (first..end).contains(stick));
        for stick in batch {
            *stick -= first;
        }
    }
    Schedule::new(sticks, &phases).expect("part of a valid schedule is valid")
}
