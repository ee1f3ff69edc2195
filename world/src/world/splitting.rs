//! Splitting copies off their island.

use taut_core::{Copies, PlanError};

use super::planner::Planner;
use super::{World, WorldError, following_range};

impl<const D: usize> World<D> {
    /// The copies in an island that can be [split off](Self::split_off) one by one, and the smallest
    /// number of copies that share an island. None if the models of the island are not copies, or if
    /// it has ties, or had limbs when the world was created.
    pub(super) fn splittable_copies(&self, index: usize) -> Option<(&Copies, usize)> {
        let island = &self.islands[index];
        // Limbs collide only with limbs of the same island, and ties store particle numbers of their
        // islands. An island whose limbs were removed stays whole, so that snapshots can be resumed.
        let tied = self.ties.iter().any(|tie| tie.islands.contains(&index));
        let copies_min = island.copies_min.filter(|_| !tied && !island.model.limbs.had_any())?;
        Some((island.schedule().copies()?, copies_min))
    }

    /// The numbers of the models in an island.
    pub(super) fn models_in(&self, island: usize) -> impl Iterator<Item = usize> {
        (0..self.models.len()).filter(move |&model| self.models[model].island == island)
    }

    /// In an island of copies, the numbers of the models that have torn sticks; none if without these
    /// models too few copies would remain, or if the copies of the island cannot be split off.
    pub(super) fn torn_copies(&self, island: usize) -> Vec<usize> {
        let Some((copies, copies_min)) = self.splittable_copies(island) else { return Vec::new() };
        let sticks = &self.islands[island].model.sticks;
        let is_torn = |&model: &usize| {
            let mut world_numbers = self.models[model].sticks.clone();
            world_numbers.any(|stick| {
                self.sticks.locate(stick).is_some_and(|(_, number)| sticks.is_torn(number))
            })
        };
        let torn: Vec<usize> = self.models_in(island).filter(is_torn).collect();
        if copies.count() < copies_min + torn.len() { Vec::new() } else { torn }
    }

    /// Moves models, given by their numbers in ascending order, from an island of copies to a new
    /// island, which is appended to the islands. Results keep their bits.
    ///
    /// # Errors
    /// If the copies cannot be split off, or a kernel cannot run a schedule. The world is unchanged
    /// then.
    pub(super) fn split_off(
        &mut self,
        island: usize,
        models: &[usize],
        planner: &mut Planner<'_, D>,
    ) -> Result<(), WorldError> {
        self.record_removed();
        let new = self.islands.len();
        let (copies, copies_min) = self.splittable_copies(island).ok_or(PlanError::NotCopies)?;
        let world_numbers = self.particles.in_island(island);
        let is_moved = |&number: &u32| {
            let particle = world_numbers[number as usize] as usize;
            let model = self.models.partition_point(|it| it.particles.end <= particle);
            models.binary_search(&model).is_ok()
        };
        let (moved, kept): (Vec<u32>, Vec<u32>) =
            (0..world_numbers.len() as u32).partition(is_moved);
        let mut part =
            |particles: &[u32]| self.islands[island].part(copies, particles, self.formula, planner);
        let (mut kept_island, kept_sticks) = part(&kept)?;
        let (mut moved_island, moved_sticks) = part(&moved)?;
        kept_island.copies_min = Some(copies_min);
        moved_island.is_split_off = true;

        let has_tethers = self.islands[island].tethering.as_ref().is_some_and(|it| it.count() > 0);
        self.islands[island] = kept_island;
        self.islands.push(moved_island);
        self.particles.split(island, &kept, &moved);
        self.sticks.split(island, &kept_sticks, &moved_sticks);
        if let Some(self_collisions) = &mut self.self_collisions {
            self_collisions.locate(&self.particles);
        }
        if let Some(collider_contacts) = &mut self.collider_contacts {
            collider_contacts.locate(&self.particles);
        }
        if let Some(recorded) = &mut self.recorded {
            recorded.split(island, &kept, &moved);
        }
        for &model in models {
            self.models[model].island = new;
        }
        for island in [island, new] {
            let mut springs = 0..0;
            for model in self.models.iter_mut().filter(|model| model.island == island) {
                springs = following_range(&springs, model.springs.len());
                model.springs = springs.clone();
            }
            if has_tethers {
                // Without this, the new islands would have no tethers until the next step.
                self.refresh_tethers_of(island, false);
            }
        }
        Ok(())
    }
}
