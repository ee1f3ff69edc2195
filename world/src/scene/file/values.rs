//! Values as they are written.

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use taut_core::{Bending, Family, Kind};

use crate::model::{Axes, Diagonals, Order, StickSet};

/// A point or direction: an array of as many numbers as there are dimensions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vector<const D: usize, T = f32>([T; D]);

impl<'de, const D: usize, T: Deserialize<'de>> Deserialize<'de> for Vector<D, T> {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        let numbers = Vec::<T>::deserialize(deserializer)?;
        let len = numbers.len();
        let array = numbers.try_into();
        array.map(Self).map_err(|_| R::Error::custom(format!("{len} numbers where {D} belong")))
    }
}

impl<const D: usize, T> From<Vector<D, T>> for [T; D] {
    fn from(vector: Vector<D, T>) -> Self {
        vector.0
    }
}

/// One of some words.
macro_rules! words {
    ($(#[$about:meta])* $written:ident => $value:ty { $($word:ident => $meant:expr),* $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub(super) enum $written { $($word),* }

        impl From<$written> for $value {
            fn from(written: $written) -> Self {
                match written { $($written::$word => $meant),* }
            }
        }
    };
}

words! {
    /// A set of sticks, by its name.
    Families => Vec<Family> {
        Structural => StickSet::Structural.families().to_vec(),
        Shear => StickSet::Shear.families().to_vec(),
        All => StickSet::All.families().to_vec(),
    }
}

words! {
    /// A set of sticks, by its name.
    Set => StickSet {
        Structural => StickSet::Structural,
        Shear => StickSet::Shear,
        All => StickSet::All,
    }
}

words! {
    /// Whether a mesh resists bending.
    BendingWord => Bending { Free => Bending::Free, Sticks => Bending::Sticks }
}

words! {
    /// When a stick acts.
    KindWord => Kind {
        TwoSided => Kind::TwoSided,
        Minimum => Kind::Minimum,
        Maximum => Kind::Maximum,
    }
}

words! {
    /// In which order sticks are relaxed.
    OrderWord => Order {
        Authored => Order::Authored,
        Coloured => Order::Coloured,
        Packed => Order::Packed,
        Banded => Order::Banded,
        Blocked => Order::Blocked,
        Sheet => Order::Sheet,
    }
}

words! {
    /// How cells are cut.
    DiagonalsWord => Diagonals {
        Alternating => Diagonals::Alternating,
        Parallel => Diagonals::Parallel,
    }
}

/// How something flat lies.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AxesText<const D: usize> {
    across: Vector<D>,
    down: Vector<D>,
}

impl<const D: usize> From<AxesText<D>> for Axes<D> {
    fn from(AxesText { across, down }: AxesText<D>) -> Self {
        Self { across: across.into(), down: down.into() }
    }
}
