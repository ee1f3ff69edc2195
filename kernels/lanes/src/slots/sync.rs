//! Synchronization of columns and slots: which holds the newer values, and what is copied after
//! changes in the columns.

use taut_core::{Delta, Executor, Particles, PlanError, Residence, Sticks};

use super::{Buffer, Changed, SlotEngine, SlotPass, SlotPlan, span};

/// If at most 1 of every `SPARSE_MOVES` particles moved, only the moved ones are copied into slots.
const SPARSE_MOVES: usize = 32;

impl<E: SlotEngine<D>, const D: usize> SlotPlan<E, D> {
    pub(super) fn refresh(
        &mut self,
        particles: &Particles<D>,
        sticks: &Sticks,
    ) -> Result<(), PlanError> {
        let stick_delta = sticks.changes().since(self.seen_sticks);
        if stick_delta == Delta::ForeignCursor {
            sticks.check_ends(&self.ends)?;
        }
        match (stick_delta, particles.mass_changes().since(self.seen_masses)) {
            (Delta::Entries([]), Delta::Entries([])) => {}
            (Delta::Entries(changed_sticks), Delta::Entries(masses)) => {
                let changed = Changed::Listed { particles: masses, sticks: changed_sticks };
                self.engine.refresh(particles, sticks, changed);
                if !masses.is_empty() {
                    self.copy_masses(particles);
                }
            }
            _ => {
                self.engine.refresh(particles, sticks, Changed::Everything);
                self.copy_masses(particles);
            }
        }
        self.seen_sticks = sticks.changes().now();
        self.seen_masses = particles.mass_changes().now();
        Ok(())
    }

    pub(super) fn copy_masses(&mut self, particles: &Particles<D>) {
        let slotted = self.engine.particles();
        for (particle, &mass) in particles.inverse_masses()[..slotted].iter().enumerate() {
            self.inverse_mass[self.engine.slot(particle)] = mass;
        }
    }

    /// Copies the particles moved in the columns into slots if they are few, or if the slots hold
    /// newer values of the others; otherwise drops the working copy.
    pub(super) fn sync_particles(&mut self, particles: &Particles<D>) {
        let slotted = self.engine.particles();
        let slots_are_newer =
            [self.position_residence, self.previous_residence].contains(&Residence::WorkingCopy);
        match self.synced.map(|seen| particles.position_changes().since(seen)) {
            Some(Delta::Entries(moved))
                if slots_are_newer || moved.len() <= slotted / SPARSE_MOVES =>
            {
                let moved = moved.iter().map(|&particle| particle as usize);
                for particle in moved.filter(|&particle| particle < slotted) {
                    let previous: [f32; D] =
                        core::array::from_fn(|axis| particles.previous(axis)[particle]);
                    let position = particles.position(particle);
                    store_point(&mut self.positions, &self.engine, particle, position);
                    store_point(&mut self.previous, &self.engine, particle, previous);
                    self.finite = None;
                }
            }
            _ => self.drop_working_copy(),
        }
        self.mark_synced(particles);
    }

    pub(super) fn drop_working_copy(&mut self) {
        (self.position_residence, self.previous_residence) =
            (Residence::Columns, Residence::Columns);
        self.finite = None;
    }

    /// Moves the cursor to the end of [`Particles::position_changes`]: only later writes are read.
    pub(super) fn mark_synced(&mut self, particles: &Particles<D>) {
        self.synced = Some(particles.position_changes().now());
    }

    /// Copies values that are only in the columns into slots.
    pub(super) fn fill(&mut self, executor: &dyn Executor, particles: &mut Particles<D>) {
        if self.position_residence == Residence::Columns {
            self.pass(executor, particles, Buffer::Positions, SlotPass::Fill);
            // Not `Both`: the columns may hold -0.0, which is +0.0 in the slots.
            self.position_residence = Residence::WorkingCopy;
        }
        if self.previous_residence == Residence::Columns {
            self.pass(executor, particles, Buffer::Previous, SlotPass::FillPrevious);
            self.previous_residence = Residence::Both;
        }
    }
}

/// Writes a point into slots.
pub(super) fn store_point<E: SlotEngine<D>, const D: usize>(
    column: &mut [f32],
    engine: &E,
    particle: usize,
    point: [f32; D],
) {
    let (slot, span) = (engine.slot(particle), span(engine.slots()));
    for (axis, x) in point.into_iter().enumerate() {
        column[axis * span + slot] = x;
    }
}
