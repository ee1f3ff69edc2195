//! Replacing the sticks of an island, and splitting an island of copies into parts.

use std::iter::repeat_n;
use std::sync::Mutex;

use taut_core::{Copies, Formula, PlanError, Renumbering, Schedule, Sticks};

use super::Island;
use crate::model::Part;
use crate::world::WorldError;
use crate::world::overstretched::TearLimits;
use crate::world::planner::Planner;

impl<const D: usize> Island<D> {
    /// Replaces its schedule and its sticks. `remaining` are the sticks that it keeps, and `kept` the
    /// numbers that they had.
    pub(in crate::world) fn replace_sticks(
        &mut self,
        remaining: Sticks,
        kept: &[u32],
        schedule: Schedule,
        formula: Formula,
        planner: &mut Planner<'_, D>,
    ) -> Result<(), PlanError> {
        self.plan = planner(&self.model.particles, &remaining, &schedule, formula)?;
        self.model.sticks = remaining;
        self.model.sheet = None;
        self.model.select_stick_lists(kept);
        self.tear_limits = TearLimits::new(&self.model.sticks, &self.model.tear_factors);
        if let Some(tethering) = &mut self.tethering {
            tethering.keep_sticks(kept);
            self.tether_cursors = None;
        }
        self.residual = Mutex::default();
        self.schedule = schedule;
        self.reordered = true;
        self.copies_min = None;
        Ok(())
    }

    /// Makes an island of some of the `copies` in this one, with a plan of its own. `particles` are all
    /// particles of these copies, in ascending order; they keep their state. Also returns the numbers
    /// in this island of the sticks of the part.
    pub(in crate::world) fn part(
        &self,
        copies: &Copies,
        particles: &[u32],
        formula: Formula,
        planner: &mut Planner<'_, D>,
    ) -> Result<(Self, Vec<u32>), WorldError> {
        let Part { model, sticks, faces } = self.model.part(particles)?;
        let schedule_of_one = copies.one();
        let count = model.sticks.len() / schedule_of_one.sticks();
        let schedule = Schedule::side_by_side(&model.sticks, repeat_n(schedule_of_one, count))
            .map_err(|_| PlanError::NotCopies)?; // a caller replaced the sticks
        let plan = planner(&model.particles, &model.sticks, &schedule, formula)?;

        // `old`: the numbers of the particles counted model by model, before the renumbering of this
        // island.
        let renumbering = self.renumbering.as_ref();
        let old_of = |new: &u32| renumbering.map_or(*new, |renumbering| renumbering.old_of(*new));
        let old: Vec<u32> = particles.iter().map(old_of).collect();
        let mut ascending = old.clone();
        ascending.sort_unstable();
        let renumbering = self.renumbering.is_some().then(|| {
            let rank = |old: &u32| ascending.partition_point(|other| other < old) as u32;
            let ranks = old.iter().map(rank).collect();
            Renumbering::from_order(ranks).expect("the ranks of distinct numbers")
        });
        let tethering = self.tethering.as_ref().map(|it| it.part(&ascending, &sticks));
        let tethering = tethering.transpose()?;
        // A face that a caller added to the island has no triangle in the world.
        let triangles = faces.iter().filter_map(|&face| self.triangles.get(face as usize));
        let part = Self {
            forces: self.forces.selected(particles),
            step_forces: self.step_forces.selected(particles),
            active_forces: self.active_forces,
            triangles: triangles.copied().collect(),
            ..Self::from_parts(model, schedule, plan, renumbering, tethering)
        };
        Ok((part, sticks))
    }
}
