//! The implementation of [`Engine`].

use taut_core::{
    Delta, Engine, Executor, Inline, Numbers, ParticleView, Particles, PlanError, Real, Residence,
    Stage, Status, Sticks, Substeps,
};
use taut_lanes::Machine;

use super::sync::store_point;
use super::{Buffer, GridPlan, check_particles};
use crate::non_sheet;
use crate::rows::Pass;

impl<M: Machine, const D: usize> Engine<D> for GridPlan<M, D> {
    fn sync_in(&mut self, particles: &mut Particles<D>, sticks: &Sticks) -> Result<(), PlanError> {
        check_particles(particles, self.layout().particles())?;
        self.refresh(particles, sticks)?;
        self.sync_particles(particles);
        Ok(())
    }

    /// On one thread, all substeps are one time-skewed sweep.
    fn advance(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        sticks: &Sticks,
        substeps: &Substeps<'_, D>,
    ) -> Result<(), PlanError> {
        self.sync_in(particles, sticks)?;
        self.run(executor, particles, sticks, substeps, false);
        Ok(())
    }

    /// On one thread, the sweep of the last two substeps also writes positions and previous
    /// positions back.
    fn advance_and_write_back(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        sticks: &Sticks,
        substeps: &Substeps<'_, D>,
    ) -> Result<Status, PlanError> {
        self.sync_in(particles, sticks)?;
        self.run(executor, particles, sticks, substeps, true);
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
        self.constants.set_inverse_h2(particles, sticks, inverse_h2);
        self.relax_rows(executor, particles, iterations);
        self.mark_synced(particles);
        Ok(())
    }

    /// Runs on the columns if they are up to date; always on the calling thread.
    fn visit(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D>,
        sticks: &Sticks,
        stage: &dyn Stage<D>,
    ) -> Result<(), PlanError> {
        self.sync_in(particles, sticks)?;
        if ![self.positions_are, self.previous_are].contains(&Residence::WorkingCopy) {
            self.forget_working_copy();
            particles.visit(stage);
            self.mark_synced(particles);
            return Ok(());
        }
        self.fill(executor, particles);
        let (span, len) = (self.layout().span(), self.layout().len());
        let [mut positions, mut previous] =
            [&mut self.positions, &mut self.previous].map(|column| column.chunks_exact_mut(span));
        stage.run(ParticleView {
            position: core::array::from_fn(|_| &mut positions.next().unwrap_or_default()[..len]),
            previous: core::array::from_fn(|_| &mut previous.next().unwrap_or_default()[..len]),
            inverse_mass: &self.inverse_mass,
            numbers: Numbers::Rows {
                first_row: 0,
                width: self.constants.layout.width,
                offsets: &self.offsets,
            },
        });
        (self.positions_are, self.previous_are) = (Residence::WorkingCopy, Residence::WorkingCopy);
        non_sheet::visit(particles, self.layout().particles(), stage);
        self.mark_synced(particles);
        Ok(())
    }

    fn position(&self, particles: &Particles<D>, particle: usize) -> [f32; D] {
        let known =
            self.synced.is_some_and(|seen| particles.moves().since(seen) != Delta::DifferentTable);
        let strided = known && self.positions_are == Residence::WorkingCopy;
        if !strided || particle >= self.layout().particles() {
            return particles.position(particle).map(Real::positive_zero);
        }
        let at = self.layout().slot(particle);
        core::array::from_fn(|axis| self.positions[axis * self.layout().span() + at])
    }

    fn set_position(&mut self, particles: &mut Particles<D>, particle: usize, point: [f32; D]) {
        self.sync_particles(particles);
        let layout = self.layout();
        if self.positions_are != Residence::Columns && particle < layout.particles() {
            self.positions_are = Residence::WorkingCopy;
            store_point(&mut self.positions, layout, particle, point.map(Real::positive_zero));
        } else {
            for (axis, x) in point.into_iter().enumerate() {
                particles.positions_mut(axis)[particle] = x.positive_zero();
            }
            self.mark_synced(particles);
        }
    }

    fn write_back(&mut self, executor: &dyn Executor, particles: &mut Particles<D>) -> Status {
        self.sync_particles(particles);
        let sheet = self.layout().particles();
        if self.positions_are == Residence::WorkingCopy {
            let pass = Pass::WriteBack;
            self.finite = Some(self.over_rows(particles, executor, Buffer::Positions, pass));
            self.positions_are = Residence::Both;
        }
        let finite = match self.finite {
            Some(finite) => finite & non_sheet::write_back(particles, sheet),
            None => non_sheet::write_back(particles, 0),
        };
        if self.previous_are == Residence::WorkingCopy {
            self.over_rows(particles, executor, Buffer::Previous, Pass::WriteBack);
            self.previous_are = Residence::Both;
        }
        self.mark_synced(particles);
        Status { finite }
    }

    fn restore(&mut self, particles: &mut Particles<D>) {
        let _ = self.write_back(&Inline, particles);
    }
}
