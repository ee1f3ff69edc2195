//! Why a world cannot be resumed from a snapshot.

use taut_core::{ParticleError, ScheduleError, StickError};

use crate::error::ModelError;
use crate::world::WorldError;

/// Why a world cannot be resumed from a snapshot.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// It was taken in a different scene.
    #[error("the snapshot is of a different scene: {what}")]
    OtherScene {
        /// The first difference.
        what: String,
    },
    /// It is of a version whose damping was a share of the velocity per substep.
    #[error(
        "the snapshot is of an older version: it has no damping_rate (1/s); simulate the scene \
         again and take a new one"
    )]
    NoDampingRate,
    /// Something in it is missing or contradicts the rest.
    #[error("the snapshot is damaged: {what}")]
    Damaged {
        /// What is wrong.
        what: &'static str,
    },
    /// A number is not sane.
    #[error("the snapshot is damaged: {0}")]
    Measure(ModelError),
    /// A particle is not sane.
    #[error("the snapshot is damaged: {0}")]
    Particle(ParticleError),
    /// A stick is not sane.
    #[error("the snapshot is damaged: {0}")]
    Stick(StickError),
    /// The order of its sticks is not a schedule.
    #[error("the snapshot is damaged: {0}")]
    Schedule(ScheduleError),
    /// The scene cannot be made into a world, or the step is not sane.
    #[error(transparent)]
    World(#[from] WorldError),
}

// Not `#[from]`: it would set the source, too, and reports would print the text twice.
macro_rules! from {
    ($($variant:ident: $error:ty),*) => { $(
        impl From<$error> for SnapshotError {
            fn from(error: $error) -> Self {
                Self::$variant(error)
            }
        }
    )* };
}
from!(Measure: ModelError, Particle: ParticleError, Stick: StickError, Schedule: ScheduleError);
