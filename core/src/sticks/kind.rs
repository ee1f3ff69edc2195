//! When a stick acts.

/// When a stick acts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Kind {
    /// Always: it keeps its length (cloth, bodies).
    #[default]
    TwoSided,
    /// Only when shorter than its rest length: it keeps a least distance (joint limits).
    Minimum,
    /// Only when longer: it keeps a greatest distance (ropes, joint limits).
    Maximum,
}

impl Kind {
    /// Whether such a stick acts when it is longer than its rest length.
    pub fn pulls(self) -> bool {
        self != Self::Minimum
    }

    /// Whether such a stick acts when it is shorter than its rest length.
    pub fn pushes(self) -> bool {
        self != Self::Maximum
    }
}
