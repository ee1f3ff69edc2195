//! Error codes.

use taut_rs::world::WorldError;
use taut_rs::{AnyWorldError, ParticleError, StickError};

/// How a call ended. `taut_last_error` has the message of the last failure.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The call succeeded.
    Ok = 0,
    /// A pointer that must not be NULL is NULL.
    NullPointer = 1,
    /// An array has the wrong length; or an array, or a pointer to an output, is not aligned.
    WrongLength = 2,
    /// A text is not UTF-8.
    InvalidText = 3,
    /// There is no scene, model, group or kernel with this name.
    UnknownName = 4,
    /// There is no particle, stick or model with this index.
    OutOfRange = 5,
    /// A scene or a mesh is invalid, or no world can be made of it. The message about a scene text has
    /// the line, unless only the scene as a whole is invalid.
    InvalidScene = 6,
    /// A scene file, or a mesh file that it names, cannot be read.
    File = 7,
    /// A value is out of its range, or the world cannot do this.
    InvalidValue = 8,
    /// A snapshot is damaged, or of a different scene.
    InvalidSnapshot = 9,
    /// The kernel is not available, or its threads cannot be started.
    Kernels = 10,
    /// An earlier call panicked in this world; it can only be freed.
    Poisoned = 11,
    /// This call panicked, which is a bug in Taut. Its world is now poisoned.
    Panicked = 12,
}

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    pub(crate) status: Status,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(status: Status, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    /// The failure of a call that creates a world. A value that the world rejects is then one of the scene, not an
    /// argument of the call, so the status is `InvalidScene`, not `InvalidValue`.
    pub(crate) fn of_creation(error: AnyWorldError) -> Self {
        match error {
            AnyWorldError::World(_) => Self::new(Status::InvalidScene, error.to_string()),
            other => other.into(),
        }
    }

    pub(crate) fn null(name: &str) -> Self {
        Self::new(Status::NullPointer, format!("{name} is NULL"))
    }
}

impl From<AnyWorldError> for Failure {
    fn from(error: AnyWorldError) -> Self {
        let status = match &error {
            AnyWorldError::Kernels(_) => Status::Kernels,
            AnyWorldError::UnknownScene { .. }
            | AnyWorldError::NoSuchModel { .. }
            | AnyWorldError::NoSuchGroup { .. } => Status::UnknownName,
            AnyWorldError::World(
                WorldError::Particle(ParticleError::NoSuchParticle { .. })
                | WorldError::Stick(StickError::NoSuchStick { .. }),
            ) => Status::OutOfRange,
            AnyWorldError::Text(_) | AnyWorldError::Model(_) | AnyWorldError::Scene(_) => {
                Status::InvalidScene
            }
            AnyWorldError::Snapshot(_) | AnyWorldError::SnapshotText(_) => Status::InvalidSnapshot,
            AnyWorldError::Length { .. } => Status::WrongLength,
            _ => Status::InvalidValue,
        };
        Self::new(status, error.to_string())
    }
}
