//! Why a world cannot be made, or go on.

use taut_core::{ParticleError, PlanError, StepError, StickError};

use crate::model::ModelError;

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
    /// The step is not sane.
    #[error(transparent)]
    Step(#[from] StepError),
    /// There is no such particle, or it cannot be moved like that.
    #[error(transparent)]
    Particle(#[from] ParticleError),
    /// There is no such stick, or it cannot be changed like that.
    #[error(transparent)]
    Stick(#[from] StickError),
}
