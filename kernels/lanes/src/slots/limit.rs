//! A limit on the padding of a plan.

use taut_core::{LimitError, check_limit};

/// A column of up to this many values (16 MiB) may be mostly padding.
const PADDED_MAX: usize = 1 << 22;
/// A longer column may have at most this many values per particle. (4 copies are padded to 16.)
const PADDED_PER_PARTICLE: usize = 4;

/// Rejects a layout whose padding dominates the memory of the plan. `what` describes the slots, in
/// the plural.
///
/// # Errors
/// If there are more than 2²² slots, and more than 4 per particle.
pub fn check_slots(what: &'static str, slots: u128, particles: usize) -> Result<(), LimitError> {
    let limit = PADDED_MAX.max(particles.saturating_mul(PADDED_PER_PARTICLE));
    check_limit(what, slots, limit).map(|_| ())
}
