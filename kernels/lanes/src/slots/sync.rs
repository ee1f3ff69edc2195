//! Synchronization of columns and slots: which holds the newer values, and what is copied after
//! changes in the columns.

use taut_core::{Delta, Executor, Particles, PlanError, Residence, Sticks};

use super::{Buffer, Changes, SlotKernel, SlotLoop, SlotPlan, span};

/// If there were more changes in the columns than one per this many particles with a slot, all
/// particles are copied into slots, unless the slots hold newer values; otherwise only the changed
/// particles are.
const PARTICLES_PER_SPARSE_CHANGE: usize = 32;

impl<K: SlotKernel<D>, const D: usize> SlotPlan<K, D> {
    /// Updates the constants of the kernel and the inverse masses in slots after changes of sticks
    /// and masses.
    pub(super) fn refresh(
        &mut self,
        particles: &Particles<D>,
        sticks: &Sticks,
    ) -> Result<(), PlanError> {
        let stick_delta = sticks.changes().since(self.stick_cursor);
        if stick_delta == Delta::ForeignCursor {
            sticks.check_ends(&self.ends)?;
        }
        match (stick_delta, particles.mass_changes().since(self.mass_cursor)) {
            (Delta::Entries([]), Delta::Entries([])) => {}
            (Delta::Entries(changed_sticks), Delta::Entries(changed_masses)) => {
                let changes = Changes::Listed { particles: changed_masses, sticks: changed_sticks };
                self.kernel.refresh(particles, sticks, changes);
                if !changed_masses.is_empty() {
                    self.copy_masses(particles);
                }
            }
            _ => {
                self.kernel.refresh(particles, sticks, Changes::Everything);
                self.copy_masses(particles);
            }
        }
        self.stick_cursor = sticks.changes().now();
        self.mass_cursor = particles.mass_changes().now();
        Ok(())
    }

    /// Copies all inverse masses into slots.
    pub(super) fn copy_masses(&mut self, particles: &Particles<D>) {
        let slotted = self.kernel.particles();
        for (particle, &inverse_mass) in particles.inverse_masses()[..slotted].iter().enumerate() {
            self.inverse_mass[self.kernel.slot(particle)] = inverse_mass;
        }
    }

    /// Copies the particles that were changed in the columns into the slots, if it is known which
    /// these are, and if they are few or the slots hold newer values of the other particles.
    /// Otherwise drops the working copy.
    pub(super) fn sync_particles(&mut self, particles: &Particles<D>) {
        let slotted = self.kernel.particles();
        let slots_are_newer =
            [self.position_residence, self.previous_residence].contains(&Residence::WorkingCopy);
        match self.synced_at.map(|cursor| particles.position_changes().since(cursor)) {
            Some(Delta::Entries(moved))
                if slots_are_newer || moved.len() <= slotted / PARTICLES_PER_SPARSE_CHANGE =>
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

    /// Marks all values in slots as outdated.
    pub(super) fn drop_working_copy(&mut self) {
        (self.position_residence, self.previous_residence) =
            (Residence::Columns, Residence::Columns);
        self.finite = None;
    }

    /// Moves the cursor to the end of [`Particles::position_changes`]: the next synchronization
    /// reads only later writes.
    pub(super) fn mark_synced(&mut self, particles: &Particles<D>) {
        self.synced_at = Some(particles.position_changes().now());
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

/// Writes a point into the slot of a particle, in a buffer of the slots of all axes.
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
