//! The [`Kernel`] trait.

use crate::error::PlanError;
use crate::formula::Formula;
use crate::particles::Particles;
use crate::plan::Engine;
use crate::real::Real;
use crate::schedule::Schedule;
use crate::sticks::Sticks;

/// A kernel makes plans, which relax sticks in the order of a schedule.
///
/// Every kernel gives the same bits as the scalar kernel on the same schedule.
pub trait Kernel<const D: usize, S: Real = f32> {
    /// The type of the plans that this kernel makes.
    type Plan: Engine<D, S> + Send + Sync + 'static;

    /// The name of the kernel in tables and on command lines.
    fn name(&self) -> &'static str;
    /// The name of the instruction set that the kernel uses on this machine.
    fn isa(&self) -> &'static str;
    /// How many sticks the kernel relaxes with one instruction.
    fn lanes(&self) -> usize;
    /// How many threads the kernel uses.
    fn threads(&self) -> usize {
        1
    }

    /// Makes a plan of sticks, schedule and formula for this machine.
    ///
    /// # Errors
    /// If particles, sticks and schedule do not fit together, or the kernel does not support the
    /// schedule.
    fn plan(
        &self,
        particles: &Particles<D, S>,
        sticks: &Sticks<S>,
        schedule: &Schedule,
        formula: Formula,
    ) -> Result<Self::Plan, PlanError>;
}
