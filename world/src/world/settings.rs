//! How a world moves.

use taut_core::{Motion, Step};

/// How a world moves: the step, and how relaxation and obstacles take turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings<const D: usize = 3> {
    /// Step length, substeps, iterations of a pass, gravity, damping.
    pub step: Step<D>,
    /// How often a substep relaxes the sticks (`step.iterations` times) and then lets obstacles
    /// keep particles out. Default: 1. Bodies that must stay out and rigid at once want 3 or 4
    /// passes of one iteration (Jakobsen 2001).
    pub passes: u32,
}

impl<const D: usize> Default for Settings<D> {
    fn default() -> Self {
        Self { step: Step::default(), passes: 1 }
    }
}

/// A substep, as forces and obstacles see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment<const D: usize = 3> {
    /// The time at its end since the world began, s.
    pub time: f64,
    /// Its length, s.
    pub h: f32,
    /// What it does to a free particle.
    pub motion: Motion<D>,
}
