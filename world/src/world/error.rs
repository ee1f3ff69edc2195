//! Why a world cannot be made, or go on.

use taut_core::{ParticleError, PlanError, StepError, StickError};

use crate::error::ModelError;
use crate::springs::SpringError;

/// Why a world cannot be made, or go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// The models do not fit into one world.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A kernel cannot relax a part of it.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The substeps are too long for its springs.
    #[error(transparent)]
    Springs(#[from] SpringError),
    /// The step is not sane.
    #[error(transparent)]
    Step(#[from] StepError),
    /// There is no such particle, or it cannot be moved like that.
    #[error(transparent)]
    Particle(#[from] ParticleError),
    /// There is no such stick, or it cannot be changed like that.
    #[error(transparent)]
    Stick(#[from] StickError),
    /// A free particle goes its own way.
    #[error("particle {particle} is free: grab it or pin it before it is dragged")]
    Free {
        /// Which particle.
        particle: usize,
    },
    /// A particle of no known mass cannot be unpinned.
    #[error(
        "particle {particle} was pinned from the beginning: set its inverse mass, and it is free"
    )]
    NeverFree {
        /// Which particle.
        particle: usize,
    },
}
