//! A scene in two or three dimensions.

use taut_world::{Scene, Warning};

/// A scene in two or three dimensions.
#[derive(Clone, Debug)]
pub enum AnyScene {
    /// A scene in two dimensions.
    TwoD(Scene<2>),
    /// A scene in three dimensions.
    ThreeD(Scene<3>),
}

impl AnyScene {
    /// Number of dimensions: 2 or 3.
    pub fn dimensions(&self) -> usize {
        match self {
            Self::TwoD(_) => 2,
            Self::ThreeD(_) => 3,
        }
    }

    /// The number of particles of all models.
    pub fn particles(&self) -> usize {
        match self {
            Self::TwoD(scene) => scene.particles(),
            Self::ThreeD(scene) => scene.particles(),
        }
    }

    /// See [`Scene::warnings`].
    pub fn warnings(&self) -> Vec<Warning> {
        match self {
            Self::TwoD(scene) => scene.warnings(),
            Self::ThreeD(scene) => scene.warnings(),
        }
    }
}

impl From<Scene<2>> for AnyScene {
    fn from(scene: Scene<2>) -> Self {
        Self::TwoD(scene)
    }
}

impl From<Scene<3>> for AnyScene {
    fn from(scene: Scene<3>) -> Self {
        Self::ThreeD(scene)
    }
}
