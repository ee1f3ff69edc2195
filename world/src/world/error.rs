//! Why a world cannot be created or changed, or a step fails.

use taut_core::{ParticleError, PlanError, StepError, StickError};

use crate::error::ModelError;
use crate::springs::SpringError;

/// Why a world cannot be created or changed, or a step fails.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// The models are too large for one world; a position, or a setting of [`Sleep`](crate::Sleep), is out
    /// of range; or a model is so thick that too many pairs of its particles start closer than its
    /// thickness.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A kernel cannot relax an island, a model has fewer particles than its sticks need, or the sticks
    /// of an island were replaced in the middle of a step.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The substeps are too long for the springs of the world.
    #[error(transparent)]
    Springs(#[from] SpringError),
    /// The step is invalid.
    #[error(transparent)]
    Step(#[from] StepError),
    /// There is no such particle, or its new state is invalid.
    #[error(transparent)]
    Particle(#[from] ParticleError),
    /// There is no such stick, or its new property is invalid.
    #[error(transparent)]
    Stick(#[from] StickError),
    /// There is no such tie.
    #[error("there is no tie {tie}: the world has {ties} tie(s)")]
    NoSuchTie {
        /// The index of the missing tie.
        tie: usize,
        /// Number of ties.
        ties: usize,
    },
    /// The particle to drag is free: only grabbed or pinned particles can be dragged.
    #[error("particle {particle} is free: grab or pin it before dragging it")]
    NotHeld {
        /// The index of the particle.
        particle: usize,
    },
    /// The particle to unpin has no mass to restore.
    #[error("particle {particle} has no mass to restore: set its inverse mass, then unpin it")]
    NoMassToRestore {
        /// The index of the particle.
        particle: usize,
    },
}
