//! Why a world cannot be created or changed, or a step fails.

use taut_core::{ParticleError, PlanError, StepError, StickError};

use crate::error::ModelError;
use crate::springs::SpringError;

/// Why a world cannot be created or changed, or a step fails.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// The models do not fit into one world.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A kernel cannot relax an island.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The substeps are too long for its springs.
    #[error(transparent)]
    Springs(#[from] SpringError),
    /// The step is invalid.
    #[error(transparent)]
    Step(#[from] StepError),
    /// There is no such particle, or it cannot be moved like that.
    #[error(transparent)]
    Particle(#[from] ParticleError),
    /// There is no such stick, or it cannot be changed like that.
    #[error(transparent)]
    Stick(#[from] StickError),
    /// A free particle cannot be dragged.
    #[error("particle {particle} is free: grab or pin it before dragging it")]
    Free {
        /// The particle.
        particle: usize,
    },
    /// A particle that was always pinned cannot be unpinned.
    #[error("particle {particle} was pinned from the beginning: set its inverse mass to free it")]
    NeverFree {
        /// The particle.
        particle: usize,
    },
}
