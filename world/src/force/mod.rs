//! What pushes particles: forces are added up, then turned into motion, then cleared.

mod field;
mod gusts;
mod wind;

use crate::forces::Forces;
use crate::model::Model;
use crate::settings::Moment;
use core::fmt::Debug;

pub use field::{Acceleration, Attractor, Drag, Field, Law, Region, Subject};
pub use gusts::Gusts;
pub use wind::{Wind, WindLaw};

/// How often a force is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sampling {
    /// At the beginning of each step, for all of its substeps: for forces that change little in a step
    /// and cost more than a substep does, as wind.
    Step,
    /// In each substep: for forces that change fast, as springs.
    #[default]
    Substep,
}

/// Something that pushes particles, as a function of where they are and of time: it has no state
/// that a step changes, so a world can be resumed at any step.
pub trait Force<const D: usize = 3>: Debug + Send + Sync {
    /// Adds what it does to each particle of `matter`, N. Called as often as
    /// [`sampling`](Self::sampling) says, for each part of the world, before the motion.
    fn push(&self, matter: &Model<D>, moment: &Moment<D>, forces: &mut Forces<D>);

    /// How often it is computed. By default in each substep.
    fn sampling(&self) -> Sampling {
        Sampling::Substep
    }

    /// Whether it can push anything of `matter` at all, at any time of a step. A part of the world
    /// that nothing touches is stepped by its kernel in one go, which is faster. By default it can.
    fn touches(&self, matter: &Model<D>) -> bool {
        let _ = matter;
        true
    }
}
