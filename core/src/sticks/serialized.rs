//! Serde support for sticks.

use alloc::vec::Vec;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::checks::{checked_compliance, checked_stiffness};
use super::{Duplicates, Kind, Sticks};
use crate::limits::{PARTICLES_MAX, check_limit};
use crate::real::Real;

/// The serialized form: all columns of [`Sticks`].
#[derive(Serialize, Deserialize)]
#[serde(rename = "Sticks")]
struct StickColumns<S> {
    particles: usize,
    ends: Vec<[u32; 2]>,
    rest: Vec<S>,
    stiffness: Vec<S>,
    compliance: Vec<S>,
    kind: Vec<Kind>,
    torn: Vec<bool>,
}

/// Serialized as all columns and the number of particles.
///
/// A text format must read `f64` back exactly: `serde_json` does so with its feature
/// `float_roundtrip`; without it some values are one unit in the last place off.
impl<S: Real + Serialize> Serialize for Sticks<S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        StickColumns {
            particles: self.particles,
            ends: self.ends.to_vec(),
            rest: self.rest.clone(),
            stiffness: self.stiffness.clone(),
            compliance: self.compliance.clone(),
            kind: self.kind.clone(),
            torn: self.torn.clone(),
        }
        .serialize(serializer)
    }
}

/// Every value is checked as by [`Sticks::with_rests`] and the setters. The number of particles
/// may be at most [`PARTICLES_MAX`], or twice the number of sticks if that is more: particles
/// without a stick take no bytes in the input, but schedules allocate memory for them.
impl<'de, S: Real + Deserialize<'de>> Deserialize<'de> for Sticks<S> {
    fn deserialize<T: Deserializer<'de>>(deserializer: T) -> Result<Self, T::Error> {
        let columns = StickColumns::<S>::deserialize(deserializer)?;
        let limit = PARTICLES_MAX.max(columns.ends.len().saturating_mul(2));
        check_limit("particles of the sticks", columns.particles as u128, limit)
            .map_err(T::Error::custom)?;
        let mut sticks =
            Self::with_rests(columns.particles, &columns.ends, &columns.rest, Duplicates::Keep)
                .map_err(T::Error::custom)?;
        let len = sticks.len();
        let lengths = [
            columns.stiffness.len(),
            columns.compliance.len(),
            columns.kind.len(),
            columns.torn.len(),
        ];
        if lengths != [len; 4] {
            return Err(T::Error::custom("the columns of the sticks differ in length"));
        }
        for stick in 0..len {
            sticks.stiffness[stick] =
                checked_stiffness(stick, columns.stiffness[stick]).map_err(T::Error::custom)?;
            sticks.compliance[stick] =
                checked_compliance(stick, columns.compliance[stick]).map_err(T::Error::custom)?;
        }
        sticks.kind = columns.kind;
        sticks.torn = columns.torn;
        Ok(sticks)
    }
}
