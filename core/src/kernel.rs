//! What a kernel is.

use crate::error::PlanError;
use crate::formula::Formula;
use crate::particles::Particles;
use crate::plan::Engine;
use crate::real::Real;
use crate::schedule::Schedule;
use crate::sticks::Sticks;

/// A way to relax sticks.
///
/// Every kernel gives, bit for bit, what the scalar kernel gives on the same schedule.
pub trait Kernel<const D: usize, S: Real = f32> {
    /// What it makes of a schedule.
    type Plan: Engine<D, S>;

    /// Its name in tables and on command lines.
    fn name(&self) -> &'static str;
    /// The instruction set that it uses on this machine, as tables call it.
    fn isa(&self) -> &'static str;
    /// How many sticks it relaxes with one instruction.
    fn lanes(&self) -> usize;
    /// On how many threads.
    fn threads(&self) -> usize {
        1
    }

    /// Lays out sticks, schedule and formula for this machine, once.
    ///
    /// # Errors
    /// If they do not belong together, or the kernel cannot run such a schedule.
    fn plan(
        &self,
        particles: &Particles<D, S>,
        sticks: &Sticks<S>,
        schedule: &Schedule,
        formula: Formula,
    ) -> Result<Self::Plan, PlanError>;
}
