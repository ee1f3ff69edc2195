//! Why a world in two or three dimensions cannot be created, changed or read.

use alloc::string::String;

#[cfg(feature = "toml")]
use taut_scenes::SceneFileError;
use taut_scenes::{LibraryScene, UnknownScene};
use taut_world::{ModelError, SceneError, SnapshotError, WorldError};

use crate::KernelChoiceError;

/// Why an [`AnyWorld`](crate::AnyWorld) cannot be created, changed or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnyWorldError {
    /// The chosen kernels are not available.
    #[error(transparent)]
    Kernels(#[from] KernelChoiceError),
    /// The library has no such scene.
    #[error("{error}; it has: {names}", names = scene_names())]
    UnknownScene {
        /// The name that is not in the library.
        error: UnknownScene,
    },
    /// The scene text is invalid.
    #[cfg(feature = "toml")]
    #[error(transparent)]
    Text(#[from] SceneFileError),
    /// A model cannot be built.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A scene cannot be built.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The world cannot be created, changed or read: for example, there is no such particle.
    #[error(transparent)]
    World(#[from] WorldError),
    /// The world cannot be restored from a snapshot.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// The bytes are not a snapshot.
    #[error("not a snapshot: {0}")]
    SnapshotText(serde_json::Error),
    /// There is no model of this name.
    #[error("the world has no model '{model}'")]
    NoSuchModel {
        /// The name.
        model: String,
    },
    /// A model has no group of this name.
    #[error("the model '{model}' has no group '{group}'")]
    NoSuchGroup {
        /// The name of the model.
        model: String,
        /// The name of the group.
        group: String,
    },
    /// A slice of the caller has the wrong length.
    #[error("the slice of {what} has the length {found}, expected {expected}")]
    Length {
        /// What the slice is for, as in "positions".
        what: &'static str,
        /// Its length.
        found: usize,
        /// The right length.
        expected: usize,
    },
    /// A component of the wind is NaN or out of range.
    #[error("a component of the wind is {component} m/s; it must be from -1e9 to 1e9")]
    Wind {
        /// The component, m/s.
        component: f32,
    },
    /// The tear factor is not above 1: sticks would tear at their rest length.
    #[error("the tear factor is {factor}; it must be above 1")]
    TearFactor {
        /// The factor.
        factor: f32,
    },
    /// Wind was set in a world in two dimensions.
    #[error("wind needs a world in three dimensions; this one has two")]
    WindInPlane,
}

impl From<UnknownScene> for AnyWorldError {
    fn from(error: UnknownScene) -> Self {
        Self::UnknownScene { error }
    }
}

/// The names of all scenes of the library, separated by commas.
fn scene_names() -> String {
    let names: alloc::vec::Vec<&str> = LibraryScene::ALL.iter().map(|scene| scene.name).collect();
    names.join(", ")
}
