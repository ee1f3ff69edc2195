//! What a model is meant to be seen as.

use core::fmt;

/// What a model is meant to be seen as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Look {
    /// Faces, seen from both sides; their sticks are threads in it.
    Cloth,
    /// Sticks are what is seen: ropes, chains, bridges; planks are faces.
    Rope,
    /// Wood along the sticks, leaves on the faces.
    Plant,
    /// Rigid bodies: the meshes fastened to them, not their sticks.
    Body,
    /// Limbs along the sticks.
    Ragdoll,
    /// Particles alone.
    Grains,
}

impl Look {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Cloth, Self::Rope, Self::Plant, Self::Body, Self::Ragdoll, Self::Grains];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cloth => "cloth",
            Self::Rope => "rope",
            Self::Plant => "plant",
            Self::Body => "body",
            Self::Ragdoll => "ragdoll",
            Self::Grains => "grains",
        }
    }
}

impl fmt::Display for Look {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
