//! Drawing styles of models.

use core::fmt;

/// How to draw a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Look {
    /// Cloth: faces, visible from both sides; a renderer that draws sticks draws them as threads.
    Cloth,
    /// Ropes, chains and bridges: the sticks, and planks of bridges as faces.
    Rope,
    /// Plants: wood along the sticks, leaves on the faces.
    Plant,
    /// Rigid bodies: the meshes attached to them, not their sticks.
    Body,
    /// Ragdolls: limbs along the sticks.
    Ragdoll,
    /// Particles only.
    Grains,
}

impl Look {
    /// All values.
    pub const ALL: [Self; 6] =
        [Self::Cloth, Self::Rope, Self::Plant, Self::Body, Self::Ragdoll, Self::Grains];

    /// The name, in lower case.
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
