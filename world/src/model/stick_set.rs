//! Sets of sticks for sheets and meshes.

use core::fmt;
use core::str::FromStr;

use taut_core::{Bending, Family};

/// Which sticks a sheet or a mesh gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StickSet {
    /// Rows and columns of a sheet; the edges of a mesh.
    Structural,
    /// Also the diagonals of a sheet; for a mesh the same as [`Structural`](Self::Structural).
    Shear,
    /// Also sticks that resist bending.
    #[default]
    All,
}

/// The name of a stick set is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown stick set: expected structural, shear or all")]
pub struct UnknownStickSet;

impl StickSet {
    /// All sets.
    pub const ALL: [Self; 3] = [Self::Structural, Self::Shear, Self::All];

    /// Its name in tables and on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Structural => "structural",
            Self::Shear => "shear",
            Self::All => "all",
        }
    }

    /// The families of sticks that a sheet gets.
    pub const fn families(self) -> &'static [Family] {
        match self {
            Self::Structural => Family::STRUCTURAL,
            Self::Shear => Family::SHEAR,
            Self::All => Family::BEND,
        }
    }

    /// Whether a mesh gets bending sticks.
    pub const fn bending(self) -> Bending {
        match self {
            Self::Structural | Self::Shear => Bending::Free,
            Self::All => Bending::Sticks,
        }
    }
}

impl fmt::Display for StickSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for StickSet {
    type Err = UnknownStickSet;

    fn from_str(name: &str) -> Result<Self, UnknownStickSet> {
        Self::ALL.into_iter().find(|set| set.name() == name).ok_or(UnknownStickSet)
    }
}
