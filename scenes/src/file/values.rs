//! Values of keys.

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use taut_core::{Bending, COORDINATE_MAX, Family, Kind};
use taut_world::{Axes, Diagonals, ModelError, Order, StickSet};

/// A point or direction: an array of as many numbers as there are dimensions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vector<const D: usize, T = f32>([T; D]);

impl<'de, const D: usize, T: Deserialize<'de>> Deserialize<'de> for Vector<D, T> {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        let numbers = Vec::<T>::deserialize(deserializer)?;
        let len = numbers.len();
        let array = numbers.try_into();
        array.map(Self).map_err(|_| R::Error::custom(format!("expected {D} numbers, found {len}")))
    }
}

impl<const D: usize, T> From<Vector<D, T>> for [T; D] {
    fn from(vector: Vector<D, T>) -> Self {
        vector.0
    }
}

/// Points as arrays, for builders.
pub(super) fn points<const D: usize, T: Copy>(written: &[Vector<D, T>]) -> Vec<[T; D]> {
    written.iter().map(|point| point.0).collect()
}

/// Checks that a value is finite.
pub(super) fn finite(key: &'static str, what: &'static str, value: f32) -> Result<f32, ModelError> {
    ModelError::check(key, what, value.into(), .., "finite").map(|_| value)
}

/// Checks a point, m.
pub(super) fn place<const D: usize>(
    key: &'static str,
    what: &'static str,
    point: Vector<D>,
) -> Result<[f32; D], ModelError> {
    let sane = -COORDINATE_MAX..=COORDINATE_MAX;
    for along in point.0 {
        ModelError::check(key, what, along.into(), sane.clone(), "from -1e12 to 1e12")?;
    }
    Ok(point.0)
}

/// Checks a direction or velocity.
pub(super) fn vector<const D: usize>(
    key: &'static str,
    what: &'static str,
    vector: Vector<D>,
) -> Result<[f32; D], ModelError> {
    for along in vector.0 {
        ModelError::check(key, what, along.into(), -1e9..=1e9, "from -1e9 to 1e9")?;
    }
    Ok(vector.0)
}

pub(super) fn not_negative(
    key: &'static str,
    what: &'static str,
    value: f32,
) -> Result<f32, ModelError> {
    ModelError::check(key, what, value.into(), 0.0.., "at least 0 and finite").map(|_| value)
}

/// Declares an enumeration by words.
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
    /// Whether a mesh has bending sticks.
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
    /// The order in which sticks are relaxed.
    OrderWord => Order {
        Authored => Order::Authored,
        Coloured => Order::Coloured,
        Packed => Order::Packed,
        Banded => Order::Banded,
        Blocked => Order::Blocked,
        Sheet => Order::Sheet,
        Starred => Order::Starred,
    }
}

words! {
    /// How cells are cut into triangles.
    DiagonalsWord => Diagonals {
        Alternating => Diagonals::Alternating,
        Parallel => Diagonals::Parallel,
    }
}

/// The orientation of a sheet.
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
