//! The implementation of [`Engine`].

use alloc::sync::Arc;

use taut_core::{
    Delta, Engine, Executor, Inline, ParticleView, Particles, PlanError, Real, Residence, Stage,
    Status, Sticks, Substeps,
};

use super::sync::store_point;
use super::{Buffer, SlotKernel, SlotLoop, SlotPlan, axes, check_particles, span, unslotted};

impl<K: SlotKernel<D>, const D: usize> Engine<D> for SlotPlan<K, D> {
    fn executor(&self) -> Option<Arc<dyn Executor>> {
        None
    }

    fn sync_in(&mut self, particles: &mut Particles<D>, sticks: &Sticks) -> Result<(), PlanError> {
        check_particles(particles, self.kernel.particles())?;
        self.refresh(particles, sticks)?;
        self.sync_particles(particles);
        Ok(())
    }

    fn advance(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        sticks: &Sticks,
        substeps: &Substeps<'_, D>,
    ) -> Result<(), PlanError> {
        self.sync_in(particles, sticks)?;
        self.advance_slots(executor, particles, sticks, substeps, false);
        Ok(())
    }

    fn advance_and_write_back(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        sticks: &Sticks,
        substeps: &Substeps<'_, D>,
    ) -> Result<Status, PlanError> {
        self.sync_in(particles, sticks)?;
        self.advance_slots(executor, particles, sticks, substeps, true);
        Ok(self.write_back(executor, particles))
    }

    fn relax(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        sticks: &Sticks,
        inverse_h2: f32,
        iterations: u32,
    ) -> Result<(), PlanError> {
        self.sync_in(particles, sticks)?;
        self.kernel.set_inverse_h2(particles, sticks, inverse_h2);
        self.relax_slots(executor, particles, iterations);
        self.mark_synced(particles);
        Ok(())
    }

    /// Runs the stage on the calling thread: on the columns if they are up to date, else on the
    /// slots.
    fn visit(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        sticks: &Sticks,
        stage: &dyn Stage<D>,
    ) -> Result<(), PlanError> {
        self.sync_in(particles, sticks)?;
        if ![self.position_residence, self.previous_residence].contains(&Residence::WorkingCopy) {
            self.drop_working_copy();
            particles.visit(stage);
            self.mark_synced(particles);
            return Ok(());
        }
        self.fill(executor, particles);
        // The residences are set before the stage runs, because the stage may panic.
        (self.position_residence, self.previous_residence) =
            (Residence::WorkingCopy, Residence::WorkingCopy);
        let Self { kernel, positions, previous, inverse_mass, .. } = &mut *self;
        let slots = kernel.slots();
        stage.run(ParticleView {
            position: axes(positions, slots),
            previous: axes(previous, slots),
            inverse_mass,
            layout: kernel.slot_layout(),
        });
        self.run_unslotted_stage(particles, stage);
        Ok(())
    }

    fn position(&self, particles: &Particles<D>, particle: usize) -> [f32; D] {
        let belongs_to_particles = self.synced_at.is_some_and(|cursor| {
            particles.position_changes().since(cursor) != Delta::ForeignCursor
        });
        let in_slots = belongs_to_particles && self.position_residence == Residence::WorkingCopy;
        if !in_slots || particle >= self.kernel.particles() {
            return particles.position(particle).map(Real::positive_zero);
        }
        let (slot, span) = (self.kernel.slot(particle), span(self.kernel.slots()));
        core::array::from_fn(|axis| self.positions[axis * span + slot])
    }

    fn set_position(&mut self, particles: &mut Particles<D>, particle: usize, point: [f32; D]) {
        assert!(particle < particles.len(), "there is no particle {particle}");
        self.sync_particles(particles);
        // Also turns -0.0 into +0.0 in all other positions, as `set_position` of other kernels does.
        self.fill(&Inline, particles);
        if particle < self.kernel.particles() {
            self.position_residence = Residence::WorkingCopy;
            let point = point.map(Real::positive_zero);
            store_point(&mut self.positions, &self.kernel, particle, point);
        } else {
            for (axis, x) in point.into_iter().enumerate() {
                particles.positions_mut(axis)[particle] = x.positive_zero();
            }
            self.mark_synced(particles);
        }
    }

    fn write_back(&mut self, executor: &dyn Executor, particles: &mut Particles<D>) -> Status {
        self.sync_particles(particles);
        let slotted = self.kernel.particles();
        if self.position_residence == Residence::WorkingCopy {
            let slot_loop = SlotLoop::WriteBack;
            let buffer = Buffer::Positions;
            self.finite = Some(self.run_loop(executor, particles, buffer, slot_loop));
            self.position_residence = Residence::Both;
        }
        let finite = match self.finite {
            Some(finite) => finite & unslotted::normalize_zeros(particles, slotted),
            // The newest positions of all particles are in the columns.
            None => unslotted::normalize_zeros(particles, 0),
        };
        if self.previous_residence == Residence::WorkingCopy {
            self.run_loop(executor, particles, Buffer::Previous, SlotLoop::WriteBack);
            self.previous_residence = Residence::Both;
        }
        self.mark_synced(particles);
        Status { finite }
    }

    fn write_back_inline(&mut self, particles: &mut Particles<D>) {
        let _ = self.write_back(&Inline, particles);
    }
}
