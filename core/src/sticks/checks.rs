//! Checks of the ends and of the values of sticks.

use super::{COMPLIANCE_MAX, REST_MAX, REST_MIN, StickError};
use crate::real::Real;

/// Checks that the ends of each pair are two different particles below `particles`.
pub(super) fn check_pairs(pairs: &[[u32; 2]], particles: usize) -> Result<(), StickError> {
    for (stick, &[a, b]) in pairs.iter().enumerate() {
        if let Some(particle) = [a, b].into_iter().find(|&end| end as usize >= particles) {
            return Err(StickError::NoSuchParticle { stick, particle, particles });
        }
        if a == b {
            return Err(StickError::SameEnds { stick, particle: a });
        }
    }
    Ok(())
}

/// The rest length of a stick, m, if it is in range.
pub(super) fn checked_rest<S: Real>(stick: usize, rest: S) -> Result<S, StickError> {
    // Compare in S: in f32 the bounds are the f32 nearest to the stated bounds.
    if (S::from_f64(REST_MIN)..=S::from_f64(REST_MAX)).contains(&rest) {
        Ok(rest)
    } else {
        Err(StickError::Rest { stick, value: rest.to_f64() })
    }
}

/// The stiffness of a stick, if it is above 0 and at most 1.
pub(super) fn checked_stiffness<S: Real>(stick: usize, stiffness: S) -> Result<S, StickError> {
    if stiffness > S::ZERO && stiffness <= S::ONE {
        Ok(stiffness)
    } else {
        Err(StickError::Stiffness { stick, value: stiffness.to_f64() })
    }
}

/// The compliance of a stick, m/N, with -0.0 turned into +0.0, if it is in range.
pub(super) fn checked_compliance<S: Real>(stick: usize, compliance: S) -> Result<S, StickError> {
    if (S::ZERO..=S::from_f64(COMPLIANCE_MAX)).contains(&compliance) {
        Ok(compliance.positive_zero())
    } else {
        Err(StickError::Compliance { stick, value: compliance.to_f64() })
    }
}

/// The stiffness in another number type, rounded. A stiffness that would round to 0, which is not
/// valid, becomes the smallest positive `f32`.
pub(super) fn converted_stiffness<S: Real, T: Real>(stiffness: S) -> T {
    let rounded = T::from_f64(stiffness.to_f64());
    if rounded == T::ZERO { T::from_f64(f32::from_bits(1).into()) } else { rounded }
}
