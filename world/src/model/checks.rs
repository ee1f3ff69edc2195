//! Checks of the parameters of builders. In an error, `key` is the name of the parameter, `what`
//! describes it, and `must` describes the allowed values.

use core::ops::{Bound, RangeInclusive};

use taut_core::{PARTICLES_MAX, STICKS_MAX, check_limit};

use super::ModelError;

/// Checks the mass of a particle, kg, and returns its inverse, 1/kg.
pub(super) fn check_inverse_mass(mass: f64) -> Result<f32, ModelError> {
    const RANGE: RangeInclusive<f64> = 1e-9..=1e9;
    let mass =
        ModelError::check("mass", "the mass of a particle, kg,", mass, RANGE, "from 1e-9 to 1e9")?;
    Ok((1.0 / mass) as f32)
}

/// Checks the masses of particles, kg, and returns their inverses, 1/kg.
pub(super) fn check_inverse_masses(masses: &[f64]) -> Result<Vec<f32>, ModelError> {
    let inverse_mass = |(particle, &mass): (usize, &f64)| {
        check_inverse_mass(mass).map_err(|_| ModelError::Mass { particle, mass })
    };
    masses.iter().enumerate().map(inverse_mass).collect()
}

/// Checks that a quantity is above 0 and finite, and returns it in `f64`.
pub(super) fn check_positive(
    key: &'static str,
    what: &'static str,
    value: f32,
) -> Result<f64, ModelError> {
    let range = (Bound::Excluded(0.0), Bound::Unbounded);
    ModelError::check(key, what, f64::from(value), range, "above 0 and finite")
}

/// Checks that a quantity is finite and not below 0, and returns it in `f64`.
pub(super) fn check_not_negative(
    key: &'static str,
    what: &'static str,
    value: f32,
) -> Result<f64, ModelError> {
    ModelError::check(key, what, f64::from(value), 0.0.., "at least 0 and finite")
}

/// Checks that a fraction is from 0 to 1, and returns it in `f64`.
pub(super) fn check_fraction(
    key: &'static str,
    what: &'static str,
    value: f32,
) -> Result<f64, ModelError> {
    ModelError::check(key, what, f64::from(value), 0.0..=1.0, "from 0 to 1")
}

/// Checks that a count is at least `min`, and returns it.
pub(super) fn check_at_least(
    key: &'static str,
    what: &'static str,
    count: usize,
    min: usize,
    must: &'static str,
) -> Result<usize, ModelError> {
    ModelError::check(key, what, count as f64, min as f64.., must)?;
    Ok(count)
}

/// Checks that a number of particles is at most [`PARTICLES_MAX`], before memory is allocated, and
/// returns it.
pub(super) fn check_particles(count: u128) -> Result<usize, ModelError> {
    Ok(check_limit("particles", count, PARTICLES_MAX)?)
}

/// Like [`check_particles`], for the number of particles of a rectangular grid.
pub(super) fn check_rectangle(columns: usize, rows: usize) -> Result<usize, ModelError> {
    check_particles((columns as u128).saturating_mul(rows as u128))
}

/// Checks that a number of sticks is at most [`STICKS_MAX`], before memory is allocated, and returns it.
pub(super) fn check_sticks(count: u128) -> Result<usize, ModelError> {
    Ok(check_limit("sticks", count, STICKS_MAX)?)
}
