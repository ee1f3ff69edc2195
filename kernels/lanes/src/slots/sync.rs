//! Synchronization of columns and slots: which holds the newer values, and what is copied after
//! changes in the columns.

use taut_core::{Delta, Executor, Particles, PlanError, Residence, Sticks};

use super::{Buffer, Changed, SlotKernel, SlotLoop, SlotPlan, span};

/// If at most 1 of every `SPARSE_MOVES` particles was changed, only these are copied into slots.
const SPARSE_MOVES: usize = 32;

impl<K: SlotKernel<D>, const D: usize> SlotPlan<K, D> {
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
                self.kernel.refresh(particles, sticks, changed);
                if !masses.is_empty() {
                    self.copy_masses(particles);
                }
            }
            _ => {
                self.kernel.refresh(particles, sticks, Changed::Everything);
                self.copy_masses(particles);
            }
        }
        self.seen_sticks = sticks.changes().now();
        self.seen_masses = particles.mass_changes().now();
        Ok(())
    }

    pub(super) fn copy_masses(&mut self, particles: &Particles<D>) {
        let slotted = self.kernel.particles();
        for (particle, &mass) in particles.inverse_masses()[..slotted].iter().enumerate() {
            self.inverse_mass[self.kernel.slot(particle)] = mass;
        }
    }

    /// If few particles were changed in the columns, or if the slots are newer for the rest, copies
    /// only the changed particles into the slots; otherwise drops the working copy.
    pub(super) fn sync_particles(&mut self, particles: &Particles<D>) {
        let slotted = self.kernel.particles();
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
                    store_point(&mut self.positions, &self.kernel, particle, position);
                    store_point(&mut self.previous, &self.kernel, particle, previous);
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
            self.run_loop(executor, particles, Buffer::Positions, SlotLoop::Fill);
            // Not `Both`: the columns may hold -0.0, which is +0.0 in the slots.
            self.position_residence = Residence::WorkingCopy;
        }
        if self.previous_residence == Residence::Columns {
            self.run_loop(executor, particles, Buffer::Previous, SlotLoop::FillPrevious);
            self.previous_residence = Residence::Both;
        }
    }
}

/// Writes a point into a buffer of slots, which has all axes.
pub(super) fn store_point<K: SlotKernel<D>, const D: usize>(
    buffer: &mut [f32],
    kernel: &K,
    particle: usize,
    point: [f32; D],
) {
    let (slot, span) = (kernel.slot(particle), span(kernel.slots()));
    for (axis, x) in point.into_iter().enumerate() {
        buffer[axis * span + slot] = x;
    }
}
