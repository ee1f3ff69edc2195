//! Serde support for particles.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::checks::checked_coordinates;
use super::{Particles, Vec};
use crate::real::Real;

/// The serialized form: `positions` and `previous` are flat, `dimensions` coordinates per particle.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Particles")]
struct FlatParticles<S> {
    dimensions: usize,
    positions: Vec<S>,
    previous: Vec<S>,
    inverse_masses: Vec<S>,
}

/// Serialized as flat lists of positions and of previous positions, `D` coordinates per particle,
/// and a list of inverse masses.
///
/// A text format must read `f64` back exactly: `serde_json` does so with its feature
/// `float_roundtrip`; without it some values are one unit in the last place off.
impl<const D: usize, S: Real + Serialize> Serialize for Particles<D, S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let flat = |columns: &[super::Column<S>; D]| {
            (0..self.len).flat_map(|i| columns.each_ref().map(|column| column[i])).collect()
        };
        FlatParticles {
            dimensions: D,
            positions: flat(&self.position),
            previous: flat(&self.previous),
            inverse_masses: self.inverse_masses().to_vec(),
        }
        .serialize(serializer)
    }
}

/// Every value is checked as by [`Particles::new`].
impl<'de, const D: usize, S: Real + Deserialize<'de>> Deserialize<'de> for Particles<D, S> {
    fn deserialize<T: Deserializer<'de>>(deserializer: T) -> Result<Self, T::Error> {
        let FlatParticles { dimensions, positions, previous, inverse_masses } =
            FlatParticles::<S>::deserialize(deserializer)?;
        if dimensions != D {
            return Err(T::Error::custom(format_args!(
                "the particles have {dimensions} dimensions: expected {D}"
            )));
        }
        if D == 0 || !positions.len().is_multiple_of(D) {
            return Err(T::Error::custom(format_args!(
                "the positions have {} coordinates: expected a multiple of {D}",
                positions.len()
            )));
        }
        if previous.len() != positions.len() {
            return Err(T::Error::custom(format_args!(
                "positions and previous positions differ in number: {} and {} coordinates",
                positions.len(),
                previous.len()
            )));
        }
        let points: Vec<[S; D]> =
            positions.chunks_exact(D).map(|row| core::array::from_fn(|axis| row[axis])).collect();
        let mut particles =
            Self::new_generic(&points, &inverse_masses).map_err(T::Error::custom)?;
        for (i, row) in previous.chunks_exact(D).enumerate() {
            let previous =
                checked_coordinates(i, core::array::from_fn::<S, D, _>(|axis| row[axis]))
                    .map_err(T::Error::custom)?;
            for (axis, x) in previous.into_iter().enumerate() {
                particles.previous[axis][i] = x;
            }
        }
        Ok(particles)
    }
}
