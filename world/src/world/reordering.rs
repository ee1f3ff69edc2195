//! New schedules for the sticks that remain after some have torn.

use std::ops::Range;

use taut_core::{Kernel, Schedule, Sticks};

use super::planner::{Planner, planner};
use super::{ModelRange, Simulation, World, WorldError};
use crate::error::ModelError;
use crate::model::{Model, sticks_between};

impl<const D: usize> World<D>
where
    Self: Simulation<D>,
{
    /// Removes torn sticks from the islands, and reorders the remaining sticks of their models.
    /// This is worthwhile if many sticks are torn: a torn stick costs time until it is removed.
    /// Returns the number of removed sticks.
    ///
    /// **The result changes**: a different order of the sticks gives different positions. A model
    /// with torn sticks no longer runs as a sheet or as a copy. The copies with torn sticks move from
    /// their island to a new one, and the others remain copies, if the island has no ties and never
    /// had limbs, and at least six others remain (16 for regular sheets of 24 or more columns).
    /// Otherwise none of the models in that island runs as a copy any more. Particles and sticks keep their numbers,
    /// and removed sticks remain [torn](Self::is_torn). Models without torn sticks keep their order,
    /// and so their bits.
    ///
    /// # Errors
    /// If a kernel cannot run the new schedule of an island, or a caller replaced the sticks of an
    /// island of copies. Other islands may then have changed already.
    pub fn reorder<K: Kernel<D>>(
        &mut self,
        kernel_for: impl FnMut(&Schedule) -> K,
    ) -> Result<usize, WorldError> {
        self.reorder_with(&mut planner(kernel_for))
    }
}

impl<const D: usize> World<D> {
    /// Implements [`Simulation::reorder_with`].
    pub(super) fn reorder_generic(
        &mut self,
        planner: &mut Planner<'_, D>,
    ) -> Result<usize, WorldError> {
        for island in 0..self.islands.len() {
            let torn = self.torn_copies(island);
            if !torn.is_empty() {
                self.split_off(island, &torn, planner)?;
            }
        }
        if let Some(self_collisions) = &mut self.self_collisions {
            self_collisions.forget_slots();
        }
        let mut removed = 0;
        for index in 0..self.islands.len() {
            let Model { sticks, tear_factors, .. } = &mut self.islands[index].model;
            let count = sticks.len();
            if !tear_factors.is_empty() {
                tear_factors.resize(count, f32::INFINITY);
            }
            let kept: Vec<u32> =
                (0..count as u32).filter(|&stick| !sticks.is_torn(stick as usize)).collect();
            if kept.len() < count {
                let remaining = sticks.selected(&kept)?;
                let models = self.models.iter().filter(|model| model.island == index);
                let schedules =
                    models.map(|model| self.schedule_of_remaining(model, &kept, &remaining));
                let schedules: Vec<Schedule> = schedules.collect::<Result<_, _>>()?;
                let island = &mut self.islands[index];
                let schedule = island.join_schedules(schedules, &remaining);
                island.replace_sticks(remaining, &kept, schedule, self.formula, planner)?;
                self.sticks.keep_only(index, &kept);
                removed += count - kept.len();
            }
        }
        Ok(removed)
    }

    /// The schedule of a model's remaining sticks. It is built from this model alone, in its own
    /// numbering, so it does not depend on the other models of the island. `remaining` are the
    /// sticks of the island that are not torn, and `kept` the numbers that they have had so far.
    fn schedule_of_remaining(
        &self,
        model: &ModelRange,
        kept: &[u32],
        remaining: &Sticks,
    ) -> Result<Schedule, ModelError> {
        let island = &self.islands[model.island];
        // As in the world, the sticks of a model are contiguous in its island: `start..end` before
        // the removal, and `kept_start..kept_end` after it.
        let world_sticks = self.sticks.in_island(model.island);
        let [start, end] = [model.sticks.start, model.sticks.end]
            .map(|stick| world_sticks.partition_point(|&it| (it as usize) < stick));
        let [kept_start, kept_end] =
            [start, end].map(|stick| kept.partition_point(|&it| (it as usize) < stick));

        let world_particles = self.particles.in_island(model.island);
        let number_in_model =
            |particle: u32| world_particles[particle as usize] - model.particles.start as u32;
        let kept_sticks: Vec<u32> = (kept_start as u32..kept_end as u32).collect();
        let particle_count = model.particles.len();
        let sticks = sticks_between(remaining, &kept_sticks, particle_count, number_in_model)?;
        if end - start == kept_end - kept_start {
            // None of its sticks is torn: they keep their order.
            return Ok(part_of_schedule(island.schedule(), start..end, &sticks));
        }
        let in_island: Vec<u32> =
            model.particles.clone().map(|particle| self.locate(particle).1 as u32).collect();
        Ok(Schedule::for_mesh(&island.model.particles.selected(&in_island)?, &sticks))
    }
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
    Schedule::new(sticks, &phases).expect("a part of a valid schedule is valid")
}
