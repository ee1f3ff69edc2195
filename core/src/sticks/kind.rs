//! Two-sided and one-sided sticks.

/// When a stick acts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Kind {
    /// Always: an equality constraint (cloth, ropes, bodies).
    #[default]
    TwoSided,
    /// Only when shorter than its rest length: a minimum distance (joint limits).
    Minimum,
    /// Only when longer than its rest length: a maximum distance (chains, joint limits).
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
