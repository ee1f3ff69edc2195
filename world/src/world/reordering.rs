//! New schedules for the sticks that remain after tears.

use std::ops::Range;

use taut_core::{Duplicates, Kernel, Particles, Schedule, StickError, Sticks};

use super::{ModelRange, World, WorldError};
use crate::model::Model;

impl<K: Kernel<D>, const D: usize> World<K, D> {
    /// Leaves out torn sticks and reorders the remaining sticks of their models. This pays when
    /// many are torn, since torn sticks cost time until they are left out. Returns how many were
    /// left out.
    ///
    /// **The result changes**: another order of the sticks relaxes to other positions, and the
    /// kernels for sheets and for copies no longer treat the model as a sheet, and the models of its
    /// island as copies. Particles and sticks keep their
    /// numbers: torn ones stay [torn](Self::is_torn). Models without torn sticks keep their order.
    ///
    /// # Errors
    /// If a kernel cannot run the new schedule; the islands before it have changed then.
    pub fn reorder(
        &mut self,
        mut kernel_for: impl FnMut(&Schedule) -> K,
    ) -> Result<usize, WorldError> {
        let mut gone = 0;
        for at in 0..self.islands.len() {
            let Model { sticks, tear_factors, .. } = &mut self.islands[at].matter;
            let len = sticks.len();
            if !tear_factors.is_empty() {
                tear_factors.resize(len, f32::INFINITY);
            }
            let kept: Vec<u32> =
                (0..len as u32).filter(|&stick| !sticks.is_torn(stick as usize)).collect();
            if kept.len() < len {
                let left = sticks.selected(&kept)?;
                let parts = self.models.iter().filter(|part| part.island == at);
                let schedules = parts.map(|part| self.schedule_of_left(part, &kept, &left));
                let schedules: Vec<Schedule> = schedules.collect::<Result<_, _>>()?;
                let island = &mut self.islands[at];
                let schedule = island.joined(schedules, &left);
                island.replace_sticks(left, &kept, schedule, self.formula, &mut kernel_for)?;
                self.sticks.keep(at, &kept);
                gone += len - kept.len();
            }
        }
        Ok(gone)
    }

    /// The schedule of a model's remaining sticks. It is made from that model alone, in its own
    /// numbering, so other models of the island do not change it. `left` are the untorn sticks of
    /// the island, `kept` their old numbers.
    fn schedule_of_left(
        &self,
        part: &ModelRange,
        kept: &[u32],
        left: &Sticks,
    ) -> Result<Schedule, StickError> {
        let island = &self.islands[part.island];
        // The sticks of a model are contiguous in an island, too.
        let names = self.sticks.of(part.island);
        let [before, after] = [part.sticks.start, part.sticks.end]
            .map(|name| names.partition_point(|&it| (it as usize) < name));
        let [first, end] =
            [before, after].map(|stick| kept.partition_point(|&it| (it as usize) < stick));

        let names = self.particles.of(part.island);
        let number = |particle: u32| names[particle as usize] - part.particles.start as u32;
        let sticks = renumbered_range(left, first..end, part.particles.len(), number)?;
        if after - before == end - first {
            return Ok(part_of_schedule(island.schedule(), before..after, &sticks));
        }
        let len = part.particles.len();
        let mut particles =
            Particles::new(&vec![[0.0; D]; len], &vec![0.0; len]).expect("the origin is sane");
        for (particle, name) in part.particles.clone().enumerate() {
            let position = self.position(name);
            for (axis, x) in position.into_iter().enumerate() {
                particles.positions_mut(axis)[particle] = x;
            }
        }
        Ok(Schedule::for_mesh(&particles, &sticks))
    }
}

/// A range of sticks with renumbered ends.
fn renumbered_range(
    sticks: &Sticks,
    range: Range<usize>,
    particles: usize,
    number: impl Fn(u32) -> u32,
) -> Result<Sticks, StickError> {
    let ends: Vec<[u32; 2]> =
        sticks.ends()[range.clone()].iter().map(|ends| ends.map(&number)).collect();
    let rests = &sticks.rests()[range.clone()];
    let mut selected = Sticks::with_rests(particles, &ends, rests, Duplicates::Keep)?;
    for (to, from) in range.enumerate().filter(|&(_, from)| !sticks.is_plain(from)) {
        selected.set_kind(to, sticks.kind(from))?;
        selected.set_stiffness(to, sticks.stiffness(from))?;
        selected.set_compliance(to, sticks.compliance(from))?;
    }
    Ok(selected)
}

/// The part of a schedule for a range of its sticks; `sticks` are those of the range.
fn part_of_schedule(schedule: &Schedule, range: Range<usize>, sticks: &Sticks) -> Schedule {
    let (first, end) = (range.start as u32, range.end as u32);
    let mut phases = schedule.to_phases();
    for batch in phases.iter_mut().flatten().flatten() {
        batch.retain(|stick| (first..end).contains(stick));
        for stick in batch {
            *stick -= first;
        }
    }
    Schedule::new(sticks, &phases).expect("a part of a schedule is one")
}
