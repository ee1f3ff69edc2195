//! Kinds of models.

use core::fmt;

/// The kind of a model. It decides how the model is drawn and has no effect on the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModelKind {
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

impl ModelKind {
    /// All kinds.
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

impl fmt::Display for ModelKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
