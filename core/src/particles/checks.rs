//! Range checks for the values of a particle.

use super::{COORDINATE_MAX, INVERSE_MASS_MAX, INVERSE_MASS_MIN, ParticleError};
use crate::real::Real;

/// The position of a particle, m, with -0.0 turned into +0.0, if it is in range.
pub(super) fn checked_coordinates<const D: usize, S: Real>(
    particle: usize,
    point: [S; D],
) -> Result<[S; D], ParticleError> {
    for (axis, value) in point.into_iter().enumerate() {
        let value = value.to_f64();
        if !(-COORDINATE_MAX..=COORDINATE_MAX).contains(&value) {
            return Err(ParticleError::Coordinate { particle, axis, value });
        }
    }
    Ok(point.map(Real::positive_zero))
}

/// The inverse mass of a particle, 1/kg, with -0.0 turned into +0.0, if it is in range.
pub(super) fn checked_inverse_mass<S: Real>(
    particle: usize,
    inverse_mass: S,
) -> Result<S, ParticleError> {
    let value = inverse_mass.to_f64();
    // Compare in S: in f32 the bounds are the f32 nearest to the stated bounds.
    let valid = S::from_f64(INVERSE_MASS_MIN)..=S::from_f64(INVERSE_MASS_MAX);
    if value == 0.0 || valid.contains(&inverse_mass) {
        Ok(inverse_mass.positive_zero())
    } else {
        Err(ParticleError::InverseMass { particle, value })
    }
}

/// The inverse mass in another number type, 1/kg: clamped to the valid range, then rounded; 0 stays 0.
pub(super) fn converted_inverse_mass<S: Real, T: Real>(inverse_mass: S) -> T {
    let value = inverse_mass.to_f64();
    // The minimum in `f32` is below the minimum in `f64`.
    T::from_f64(if value == 0.0 { 0.0 } else { value.clamp(INVERSE_MASS_MIN, INVERSE_MASS_MAX) })
}
