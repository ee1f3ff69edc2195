//! Plans: the interface for callers, and the [`Engine`] trait that kernels implement.

use alloc::sync::Arc;
use core::fmt;

use crate::error::PlanError;
use crate::executor::{Executor, Inline};
use crate::particles::Particles;
use crate::real::Real;
use crate::stage::{PositiveZeros, Stage};
use crate::step::{Motion, Status, Step, StepError};
use crate::sticks::Sticks;

/// Equal substeps, each of which integrates and then relaxes.
#[derive(Clone, Copy)]
pub struct Substeps<'a, const D: usize, S = f32> {
    /// How a free particle moves in each substep.
    pub motion: Motion<D, S>,
    /// How many substeps there are.
    pub count: u32,
    /// How many times each substep relaxes all sticks.
    pub iterations: u32,
    /// Runs between motion and relaxation, for example to apply tethers. A kernel may run it on
    /// some particles before others have moved.
    pub after_motion: Option<&'a dyn Stage<D, S>>,
}

impl<const D: usize, S: Real> fmt::Debug for Substeps<'_, D, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Substeps")
            .field("motion", &self.motion)
            .field("count", &self.count)
            .field("iterations", &self.iterations)
            .field("after_motion", &self.after_motion.is_some())
            .finish()
    }
}

impl<const D: usize, S: Real> Step<D, S> {
    /// Checks the step and converts it to substeps without a stage.
    ///
    /// # Errors
    /// Same as [`Step::motion`].
    pub fn to_substeps(&self) -> Result<Substeps<'static, D, S>, StepError> {
        let motion = self.motion()?;
        let Self { substeps: count, iterations, .. } = *self;
        Ok(Substeps { motion, count, iterations, after_motion: None })
    }
}

/// Where the current values of a particle column are: in the column or in a plan's working copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Residence {
    /// In the columns only.
    Columns,
    /// In both, with equal values.
    Both,
    /// In the working copy only.
    WorkingCopy,
}

/// The trait that plans of kernels implement, and that a wrapper around another plan forwards.
/// Callers use [`Plan`], which every engine implements.
///
/// A plan may keep the particles in a layout of its own (its *working copy*) from one call to the
/// next. The contract:
///
/// - Every method that takes particles and sticks begins as [`sync_in`](Self::sync_in) does: it
///   checks that the sticks have the ends that the plan was made for and that there are enough
///   particles, and reads the changes since the last call. So the methods may be called in any order.
/// - New values may stay in the working copy until [`write_back`](Self::write_back); until then
///   the columns hold older values. A caller must call `write_back` before it changes a position or
///   a previous position in the columns, or adds a particle. Otherwise the plan may discard newer
///   values or combine them with older ones, and kernels differ in the result.
///   ([`set_position`](Self::set_position) needs no `write_back` before it.)
/// - Inverse masses (0: pinned) and everything about sticks except their ends may change between
///   calls.
///
/// No method has a default, because a wrapper could forget to forward it.
pub trait Engine<const D: usize, S: Real = f32> {
    /// The executor that the plan uses instead of the one that a caller passes, if it has its own.
    fn executor(&self) -> Option<Arc<dyn Executor>>;

    /// Reads the changes of particles and sticks since the last call.
    ///
    /// # Errors
    /// If the sticks have other ends than those of the plan, or there are fewer particles than they
    /// need; nothing is changed then. The same holds for all methods that take particles and sticks.
    fn sync_in(
        &mut self,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
    ) -> Result<(), PlanError>;

    /// Runs substeps. In each, free particles move by [`verlet`](crate::verlet), and pinned
    /// particles keep their exact position. The old position becomes the previous one. Then the
    /// stage of `after_motion` runs, and all sticks are relaxed in the order of the schedule.
    ///
    /// # Errors
    /// Same as [`sync_in`](Self::sync_in).
    fn advance(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
        substeps: &Substeps<'_, D, S>,
    ) -> Result<(), PlanError>;

    /// [`advance`](Self::advance), then [`write_back`](Self::write_back).
    ///
    /// # Errors
    /// Same as [`sync_in`](Self::sync_in).
    fn advance_and_write_back(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
        substeps: &Substeps<'_, D, S>,
    ) -> Result<Status, PlanError>;

    /// Relaxes all sticks in the order of the schedule, `iterations` times; `inverse_h2` is
    /// `1 / h²` of the substep, 1/s², for compliance.
    ///
    /// # Errors
    /// Same as [`sync_in`](Self::sync_in).
    fn relax(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
        inverse_h2: S,
        iterations: u32,
    ) -> Result<(), PlanError>;

    /// Runs a stage on all particles, in the layout that the plan keeps them in.
    ///
    /// # Errors
    /// Same as [`sync_in`](Self::sync_in).
    fn visit(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
        stage: &dyn Stage<D, S>,
    ) -> Result<(), PlanError>;

    /// The position of a particle after the last call, m.
    ///
    /// # Panics
    /// If there is no such particle.
    fn position(&self, particles: &Particles<D, S>, particle: usize) -> [S; D];

    /// Moves a particle without changing its previous position. -0.0 becomes +0.0.
    ///
    /// # Panics
    /// If there is no such particle, and with some kernels if there are fewer particles than the
    /// sticks need.
    fn set_position(&mut self, particles: &mut Particles<D, S>, particle: usize, point: [S; D]);

    /// Writes the values of the working copy back to the columns of the particles. Returns whether
    /// all positions are finite.
    fn write_back(&mut self, executor: &dyn Executor, particles: &mut Particles<D, S>) -> Status;

    /// [`write_back`](Self::write_back) on the calling thread only. A [`Session`] that is dropped
    /// calls it, because it may be dropped after a panic on the threads of the plan.
    fn write_back_inline(&mut self, particles: &mut Particles<D, S>);
}

/// A plan as callers use it: [`step`](Plan::step), or [`session`](Plan::session) to run code
/// between iterations. Every [`Engine`] implements it.
///
/// Inverse masses (0: pinned) and everything about sticks except their ends may change between
/// steps: each step begins by reading what changed.
pub trait Plan<const D: usize, S: Real = f32>: Engine<D, S> {
    /// One step, on the calling thread (a kernel may have threads of its own).
    ///
    /// # Errors
    /// If a value of the step is out of range, the sticks have other ends than those of the plan, or
    /// there are fewer particles than they need.
    fn step(
        &mut self,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
        step: &Step<D, S>,
    ) -> Result<Status, StepError> {
        self.step_on(&Inline, particles, sticks, step)
    }

    /// One step on the threads of an executor.
    ///
    /// # Errors
    /// Same as [`Plan::step`].
    fn step_on(
        &mut self,
        executor: &dyn Executor,
        particles: &mut Particles<D, S>,
        sticks: &Sticks<S>,
        step: &Step<D, S>,
    ) -> Result<Status, StepError> {
        let substeps = step.to_substeps()?;
        Ok(self.advance_and_write_back(executor, particles, sticks, &substeps)?)
    }

    /// Opens a session, which runs the parts of a step one by one, so that the caller can run
    /// collisions between them without copying the particles each time. Of `step.substeps` only the
    /// length of a substep is used, and `step.iterations` is ignored: the caller decides how many of
    /// each to run.
    ///
    /// # Errors
    /// Same as [`Plan::step`].
    fn session<'a>(
        &'a mut self,
        particles: &'a mut Particles<D, S>,
        sticks: &'a Sticks<S>,
        step: &Step<D, S>,
    ) -> Result<Session<'a, Self, D, S>, StepError>
    where
        Self: Sized,
    {
        let motion = step.motion()?;
        self.sync_in(particles, sticks)?;
        Ok(Session { plan: self, particles, sticks, motion, open: true })
    }
}

impl<P: Engine<D, S> + ?Sized, const D: usize, S: Real> Plan<D, S> for P {}

/// Runs the parts of a step one by one; see [`Plan::session`]. If it is dropped without
/// [`finish`](Session::finish), it still writes the positions back, on the calling thread.
#[derive(Debug)]
pub struct Session<'a, P: Engine<D, S>, const D: usize, S: Real = f32> {
    plan: &'a mut P,
    particles: &'a mut Particles<D, S>,
    sticks: &'a Sticks<S>,
    motion: Motion<D, S>,
    /// Whether [`finish`](Session::finish) has not been called.
    open: bool,
}

/// The message of an `expect` on a call in a session. The sticks are those that the session was opened
/// with, so the call fails only if [`Session::particles_mut`] was used to replace the particles by
/// too few.
const TOO_FEW_PARTICLES: &str =
    "the particles of the session have become fewer than its sticks need";

impl<P: Engine<D, S>, const D: usize, S: Real> Session<'_, P, D, S> {
    /// Moves all particles by one substep.
    ///
    /// # Panics
    /// If there are fewer particles than the sticks need: see
    /// [`particles_mut`](Self::particles_mut). If the executor of the plan panics; then only some of
    /// the positions are updated. The same holds for the other methods that change all particles.
    pub fn integrate(&mut self) {
        self.advance(1, 0, None);
    }

    /// Relaxes all sticks `iterations` times.
    ///
    /// # Panics
    /// Same as [`integrate`](Self::integrate).
    pub fn relax(&mut self, iterations: u32) {
        let inverse_h2 = self.motion.inverse_h2;
        self.plan
            .relax(&Inline, self.particles, self.sticks, inverse_h2, iterations)
            .expect(TOO_FEW_PARTICLES);
    }

    /// Runs `count` substeps. Each substep moves all particles, runs the stage, if there is one, and
    /// relaxes all sticks `iterations` times. The bits are the same as with
    /// [`integrate`](Self::integrate), [`visit`](Self::visit) and [`relax`](Self::relax) in this
    /// order, once per substep, and one call may be faster.
    ///
    /// # Panics
    /// Same as [`integrate`](Self::integrate), or if the stage panics.
    pub fn advance(&mut self, count: u32, iterations: u32, after_motion: Option<&dyn Stage<D, S>>) {
        let stage = after_motion.map(PositiveZeros);
        let after_motion = stage.as_ref().map(|stage| stage as &dyn Stage<D, S>);
        let substeps = Substeps { motion: self.motion, count, iterations, after_motion };
        self.plan
            .advance(&Inline, self.particles, self.sticks, &substeps)
            .expect(TOO_FEW_PARTICLES);
    }

    /// Runs a stage on all particles, in the layout that the plan keeps them in. Positions of -0.0
    /// become +0.0.
    ///
    /// # Panics
    /// Same as [`integrate`](Self::integrate), or if the stage panics.
    pub fn visit(&mut self, stage: &dyn Stage<D, S>) {
        let stage = PositiveZeros(stage);
        self.plan.visit(&Inline, self.particles, self.sticks, &stage).expect(TOO_FEW_PARTICLES);
    }

    /// Writes the positions back and returns the particles. The next call of the session reads what
    /// the caller changes in them. They may be replaced by other particles, but not by fewer than the
    /// sticks need: then the methods that change particles panic.
    pub fn particles_mut(&mut self) -> &mut Particles<D, S> {
        let _ = self.plan.write_back(&Inline, self.particles);
        self.particles
    }

    /// The number of particles.
    pub fn len(&self) -> usize {
        self.particles.len()
    }

    /// Whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.particles.is_empty()
    }

    /// The position of a particle, m.
    ///
    /// # Panics
    /// If there is no such particle.
    pub fn position(&self, particle: usize) -> [S; D] {
        self.plan.position(self.particles, particle)
    }

    /// Moves a particle without changing its previous position, so that its velocity changes, as a
    /// collision response does. The point is not checked; [`finish`](Self::finish) reports
    /// positions that are not finite. -0.0 becomes +0.0.
    ///
    /// # Panics
    /// If there is no such particle, and with some kernels if there are fewer particles than the
    /// sticks need: see [`particles_mut`](Self::particles_mut).
    pub fn set_position(&mut self, particle: usize, point: [S; D]) {
        self.plan.set_position(self.particles, particle, point.map(Real::positive_zero));
    }

    /// Writes the positions back to the particles, and returns whether all of them are finite.
    pub fn finish(mut self) -> Status {
        let status = self.plan.write_back(&Inline, self.particles);
        self.open = false;
        status
    }
}

impl<P: Engine<D, S>, const D: usize, S: Real> Drop for Session<'_, P, D, S> {
    fn drop(&mut self) {
        if self.open {
            self.plan.write_back_inline(self.particles);
        }
    }
}
