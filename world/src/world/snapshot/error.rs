//! Why a world cannot be resumed from a snapshot.

use taut_core::{ParticleError, ScheduleError, StickError};

use crate::error::ModelError;
use crate::world::WorldError;

/// Why a world cannot be resumed from a snapshot.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The snapshot was taken in a different scene.
    #[error("the snapshot is of a different scene: {what}")]
    OtherScene {
        /// The first difference.
        what: String,
    },
    /// The snapshot is of an older version, which stored damping as a fraction of the velocity per
    /// substep.
    #[error(
        "the snapshot is of an older version: it has no damping_rate (1/s); simulate the scene \
         again and take a new one"
    )]
    NoDampingRate,
    /// A part of the snapshot is missing, invalid, or contradicts the rest.
    #[error("the snapshot is damaged: {what}")]
    Damaged {
        /// What is wrong.
        what: &'static str,
    },
    /// A number is out of range.
    #[error("the snapshot is damaged: {0}")]
    OutOfRange(ModelError),
    /// A particle is invalid: the snapshot is damaged, or was taken while a position was not finite.
    #[error("the snapshot has an invalid particle: {0}")]
    Particle(ParticleError),
    /// A stick is invalid.
    #[error("the snapshot is damaged: {0}")]
    Stick(StickError),
    /// A schedule is invalid.
    #[error("the snapshot is damaged: {0}")]
    Schedule(ScheduleError),
    /// A world cannot be created from the scene, or the step is invalid.
    #[error(transparent)]
    World(#[from] WorldError),
}

// Not `#[from]`, which would also make the inner error the source: error reports would print its
// text twice.
macro_rules! from {
    ($($variant:ident: $error:ty),*) => { $(
        impl From<$error> for SnapshotError {
            fn from(error: $error) -> Self {
                Self::$variant(error)
            }
        }
    )* };
}
from!(OutOfRange: ModelError, Particle: ParticleError, Stick: StickError, Schedule: ScheduleError);
