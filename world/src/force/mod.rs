//! Forces on particles. They are added up once per step or in each substep ([`Sampling`]), and act on
//! the motion of the particles in each substep.

mod field;
mod gusts;
mod wind;

use crate::forces::Forces;
use crate::model::Model;
use crate::settings::StepTime;
use core::fmt::Debug;

pub use field::{Acceleration, Attractor, Drag, Field, Law, ParticleState, Region};
pub use gusts::Gusts;
pub use wind::{Wind, WindLaw};

/// How often a force is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sampling {
    /// At the beginning of each step, for all its substeps: for forces that change little within a
    /// step and cost more than a substep, such as wind.
    Step,
    /// In each substep: for forces that change fast, such as springs.
    #[default]
    Substep,
}

/// A force, as a function of the state of particles and of time. It has no state that a step
/// changes, so a world can be resumed at any step.
pub trait Force<const D: usize = 3>: Debug + Send + Sync {
    /// Adds the force on each particle of `model`, N. Called for each island before integration, as
    /// often as [`sampling`](Self::sampling) says. `model` has all models of the island as one, with the
    /// particle indices of the island.
    fn add_forces(&self, model: &Model<D>, now: &StepTime<D>, forces: &mut Forces<D>);

    /// How often the force is computed. By default in each substep.
    fn sampling(&self) -> Sampling {
        Sampling::Substep
    }

    /// Whether the force depends on positions and velocities only, and not on time. A model on which
    /// a force acts that is not steady does not [sleep](crate::Sleep). By default false.
    fn is_steady(&self) -> bool {
        false
    }

    /// Whether the force can act on `model` at any time of a step. The kernel of an island runs a whole
    /// step in one call, which is faster, if no force, spring, guide, emitter, tie or self-collision acts
    /// on the island, and no obstacle may collide with it. By default true.
    fn acts_on(&self, model: &Model<D>) -> bool {
        let _ = model;
        true
    }
}
