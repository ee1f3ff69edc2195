//! A scene in two or three dimensions.

use taut_world::{Scene, Warning};

/// A scene in two or three dimensions.
#[derive(Clone, Debug)]
pub enum AnyScene {
    /// A scene in two dimensions.
    Flat(Scene<2>),
    /// A scene in three dimensions.
    Solid(Scene<3>),
}

impl AnyScene {
    /// Number of dimensions: 2 or 3.
    pub fn dimensions(&self) -> usize {
        match self {
            Self::Flat(_) => 2,
            Self::Solid(_) => 3,
        }
    }

    /// The number of particles.
    pub fn particles(&self) -> usize {
        match self {
            Self::Flat(scene) => scene.particles(),
            Self::Solid(scene) => scene.particles(),
        }
    }

    /// As [`Scene::warnings`].
    pub fn warnings(&self) -> Vec<Warning> {
        match self {
            Self::Flat(scene) => scene.warnings(),
            Self::Solid(scene) => scene.warnings(),
        }
    }
}

impl From<Scene<2>> for AnyScene {
    fn from(scene: Scene<2>) -> Self {
        Self::Flat(scene)
    }
}

impl From<Scene<3>> for AnyScene {
    fn from(scene: Scene<3>) -> Self {
        Self::Solid(scene)
    }
}
