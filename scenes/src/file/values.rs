//! Types of values in scene files, and their checks.

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use taut_core::{Bending, COORDINATE_MAX, Family, Kind};
use taut_world::{Axes, Diagonals, ModelError, Order, StickSet};

/// A point or direction: an array of as many numbers as the scene has dimensions.
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

/// Converts vectors to arrays, for builders.
pub(super) fn points<const D: usize, T: Copy>(vectors: &[Vector<D, T>]) -> Vec<[T; D]> {
    vectors.iter().map(|vector| vector.0).collect()
}

/// Checks that a value is finite. In the error, here and below, `key` is the key of the value, and
/// `what` describes it.
pub(super) fn finite(key: &'static str, what: &'static str, value: f32) -> Result<f32, ModelError> {
    ModelError::check(key, what, value.into(), .., "finite").map(|_| value)
}

/// Checks a position, m: coordinates are from -1e12 to 1e12 ([`COORDINATE_MAX`]).
pub(super) fn position<const D: usize>(
    key: &'static str,
    what: &'static str,
    point: Vector<D>,
) -> Result<[f32; D], ModelError> {
    let range = -COORDINATE_MAX..=COORDINATE_MAX;
    for coordinate in point.0 {
        ModelError::check(key, what, coordinate.into(), range.clone(), "from -1e12 to 1e12")?;
    }
    Ok(point.0)
}

/// Checks a direction, velocity or acceleration: components are from -1e9 to 1e9.
pub(super) fn vector<const D: usize>(
    key: &'static str,
    what: &'static str,
    vector: Vector<D>,
) -> Result<[f32; D], ModelError> {
    for coordinate in vector.0 {
        ModelError::check(key, what, coordinate.into(), -1e9..=1e9, "from -1e9 to 1e9")?;
    }
    Ok(vector.0)
}

/// Checks that a value is finite and not negative.
pub(super) fn non_negative(
    key: &'static str,
    what: &'static str,
    value: f32,
) -> Result<f32, ModelError> {
    ModelError::check(key, what, value.into(), 0.0.., "at least 0 and finite").map(|_| value)
}

/// Declares an enum whose variants are words in scene files, and converts each to the value after it.
macro_rules! words {
    ($(#[$about:meta])* $name:ident => $type:ty { $($word:ident => $value:expr),* $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub(super) enum $name { $($word),* }

        impl From<$name> for $type {
            fn from(word: $name) -> Self {
                match word { $($name::$word => $value),* }
            }
        }
    };
}

words! {
    /// The families of sticks of a sheet, by the name of their [`StickSet`].
    FamiliesWord => Vec<Family> {
        Structural => StickSet::Structural.families().to_vec(),
        Shear => StickSet::Shear.families().to_vec(),
        All => StickSet::All.families().to_vec(),
    }
}

words! {
    /// A [`StickSet`], by its name.
    StickSetWord => StickSet {
        Structural => StickSet::Structural,
        Shear => StickSet::Shear,
        All => StickSet::All,
    }
}

words! {
    /// [`Bending`]: whether a mesh has bending sticks.
    BendingWord => Bending { Free => Bending::Free, Sticks => Bending::Sticks }
}

words! {
    /// Whether a stick resists stretch, compression or both.
    KindWord => Kind {
        TwoSided => Kind::TwoSided,
        Minimum => Kind::Minimum,
        Maximum => Kind::Maximum,
    }
}

words! {
    /// [`Order`]: the order in which sticks are relaxed.
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
    /// [`Diagonals`]: how the cells of a cloth are cut into triangles.
    DiagonalsWord => Diagonals {
        Alternating => Diagonals::Alternating,
        Parallel => Diagonals::Parallel,
    }
}

/// [`Axes`]: the orientation of a sheet.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AxesTable<const D: usize> {
    across: Vector<D>,
    down: Vector<D>,
}

impl<const D: usize> From<AxesTable<D>> for Axes<D> {
    fn from(AxesTable { across, down }: AxesTable<D>) -> Self {
        Self { across: across.into(), down: down.into() }
    }
}
