//! Plans of any kernel as one type.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::fmt;

use crate::error::PlanError;
use crate::executor::Executor;
use crate::particles::Particles;
use crate::plan::{Engine, Substeps};
use crate::real::Real;
use crate::stage::Stage;
use crate::step::Status;
use crate::sticks::Sticks;

/// A plan of any kernel, for code that does not depend on the types of plans.
///
/// ```
/// use taut_core::{BoxedPlan, Formula, Kernel, Particles, PlanError, Schedule, Sticks};
///
/// fn boxed(
///     kernel: &impl Kernel<3>,
///     particles: &Particles<3>,
///     sticks: &Sticks,
/// ) -> Result<BoxedPlan, PlanError> {
///     let schedule = Schedule::for_mesh(particles, sticks);
///     Ok(Box::new(kernel.plan(particles, sticks, &schedule, Formula::Halley)?))
/// }
/// ```
pub type BoxedPlan<const D: usize = 3, S = f32> = Box<dyn Engine<D, S> + Send + Sync>;

impl<const D: usize, S: Real> fmt::Debug for dyn Engine<D, S> + Send + Sync {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").finish_non_exhaustive()
    }
}

impl<const D: usize, S: Real, E: Engine<D, S> + ?Sized> Engine<D, S> for Box<E> {
    fn executor(&self) -> Option<Arc<dyn Executor>> {
        (**self).executor()
    }

    fn sync_in(
        &mut self,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
    ) -> Result<(), PlanError> {
        (**self).sync_in(particles, sticks)
    }

    fn advance(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
        substeps: &Substeps<'_, D, S>,
    ) -> Result<(), PlanError> {
        (**self).advance(executor, particles, sticks, substeps)
    }

    fn advance_and_write_back(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
        substeps: &Substeps<'_, D, S>,
    ) -> Result<Status, PlanError> {
        (**self).advance_and_write_back(executor, particles, sticks, substeps)
    }

    fn relax(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
        inverse_h2: S,
        iterations: u32,
    ) -> Result<(), PlanError> {
        (**self).relax(executor, particles, sticks, inverse_h2, iterations)
    }

    fn visit(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
        stage: &dyn Stage<D, S>,
    ) -> Result<(), PlanError> {
        (**self).visit(executor, particles, sticks, stage)
    }

    fn position(&self, particles: &Particles<D, S>, particle: usize) -> [S; D] {
        (**self).position(particles, particle)
    }

    fn set_position(&mut self, particles: &mut Particles<D, S>, particle: usize, point: [S; D]) {
        (**self).set_position(particles, particle, point);
    }

    fn write_back(&mut self, executor: &dyn Executor, particles: &mut Particles<D, S>) -> Status {
        (**self).write_back(executor, particles)
    }

    fn write_back_inline(&mut self, particles: &mut Particles<D, S>) {
        (**self).write_back_inline(particles);
    }
}
