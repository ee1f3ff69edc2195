//! Where the newest values are: constants, masses and positions follow what changed in the columns.

use taut_core::{Delta, Executor, Particles, PlanError, Residence, Sticks};
use taut_lanes::Machine;

use super::{Buffer, GridPlan};
use crate::layout::Layout;
use crate::rows::Pass;

/// If at most one particle in this many moved, only moved particles are copied into strides.
const SPARSE_MOVES: usize = 32;

impl<M: Machine, const D: usize> GridPlan<M, D> {
    pub(super) fn refresh(
        &mut self,
        particles: &Particles<D>,
        sticks: &Sticks,
    ) -> Result<(), PlanError> {
        let stick_delta = sticks.changes().since(self.seen_sticks);
        if stick_delta == Delta::DifferentTable {
            sticks.check_ends(&self.ends)?;
        }
        match (stick_delta, particles.mass_changes().since(self.seen_masses)) {
            (Delta::Entries([]), Delta::Entries([])) => {}
            (Delta::Entries(changed), Delta::Entries(reweighed)) => {
                self.constants.refresh_masses(particles, sticks, reweighed);
                self.constants.refresh_sticks(particles, sticks, changed);
                if !reweighed.is_empty() {
                    self.copy_masses(particles);
                }
            }
            _ => {
                self.constants.refresh_all(particles, sticks);
                self.copy_masses(particles);
            }
        }
        self.seen_sticks = sticks.changes().now();
        self.seen_masses = particles.mass_changes().now();
        Ok(())
    }

    pub(crate) fn copy_masses(&mut self, particles: &Particles<D>) {
        let (layout, sheet) = (self.layout(), self.layout().particles());
        for (particle, &mass) in particles.inverse_masses()[..sheet].iter().enumerate() {
            self.inverse_mass[layout.slot(particle)] = mass;
        }
    }

    /// Copies the particles moved in the columns into strides if they are few, or if the strides
    /// hold newer values of the others; otherwise drops the working copy.
    pub(super) fn sync_particles(&mut self, particles: &Particles<D>) {
        let layout = self.layout();
        let ahead = [self.positions_are, self.previous_are].contains(&Residence::WorkingCopy);
        match self.synced.map(|seen| particles.moves().since(seen)) {
            Some(Delta::Entries(moved))
                if ahead || moved.len() <= layout.particles() / SPARSE_MOVES =>
            {
                let moved = moved.iter().map(|&particle| particle as usize);
                for particle in moved.filter(|&particle| particle < layout.particles()) {
                    let previous: [f32; D] =
                        core::array::from_fn(|axis| particles.previous(axis)[particle]);
                    let position = particles.position(particle);
                    store_point(&mut self.positions, layout, particle, position);
                    store_point(&mut self.previous, layout, particle, previous);
                    self.finite = None;
                }
            }
            _ => self.forget_working_copy(),
        }
        self.mark_synced(particles);
    }

    pub(super) fn forget_working_copy(&mut self) {
        (self.positions_are, self.previous_are) = (Residence::Columns, Residence::Columns);
        self.finite = None;
    }

    /// Moves the cursor to the end of the record: only later writes to the columns are read.
    pub(super) fn mark_synced(&mut self, particles: &Particles<D>) {
        self.synced = Some(particles.moves().now());
    }

    /// Copies values that are only in the columns into strides.
    pub(super) fn fill(&mut self, executor: &dyn Executor, particles: &mut Particles<D>) {
        if self.positions_are == Residence::Columns {
            self.over_rows(particles, executor, Buffer::Positions, Pass::Fill);
            // Not `Both`: the columns may hold -0.0.
            self.positions_are = Residence::WorkingCopy;
        }
        if self.previous_are == Residence::Columns {
            self.over_rows(particles, executor, Buffer::Previous, Pass::FillPrevious);
            self.previous_are = Residence::Both;
        }
    }
}

/// Writes a point into strides.
pub(super) fn store_point<const D: usize>(
    strided: &mut [f32],
    layout: Layout,
    particle: usize,
    point: [f32; D],
) {
    let at = layout.slot(particle);
    for (axis, x) in point.into_iter().enumerate() {
        strided[axis * layout.span() + at] = x;
    }
}
