//! Limits on the memory that input may request.
//!
//! A few bytes of input can state any count. Code that allocates memory for such a count, rather
//! than for the size of the input, first passes the count through [`check_limit`].

/// The maximum number of particles that a count in the input may request: for one model, or for all
/// models of a scene together. Serialized [`Sticks`](crate::Sticks) may request this many, or two
/// for each stick if that is more.
pub const PARTICLES_MAX: usize = 1 << 24;
/// The maximum number of sticks and springs of all models of a scene together: a sheet of
/// [`PARTICLES_MAX`] particles with the families [`Family::BEND`](crate::Family::BEND) has almost as
/// many.
pub const STICKS_MAX: usize = 1 << 27;
/// The maximum number of triangles of all models of a scene together, and of all its mesh files.
pub const TRIANGLES_MAX: usize = 1 << 26;

/// A count that is above its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the number of {what} is {requested}; it must be at most {limit}")]
pub struct LimitError {
    /// The counted things, in the plural, such as `particles`.
    pub what: &'static str,
    /// The requested count.
    pub requested: u128,
    /// The largest allowed count.
    pub limit: usize,
}

/// Returns `requested` if it is at most `limit`.
///
/// ```
/// use taut_core::{PARTICLES_MAX, check_limit};
///
/// assert_eq!(check_limit("particles", 1000 * 1000, PARTICLES_MAX)?, 1_000_000);
/// let error = check_limit("particles", 1 << 40, PARTICLES_MAX).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "the number of particles is 1099511627776; it must be at most 16777216"
/// );
/// # Ok::<(), taut_core::LimitError>(())
/// ```
///
/// # Errors
/// If `requested` is above `limit`; the error has both.
pub fn check_limit(what: &'static str, requested: u128, limit: usize) -> Result<usize, LimitError> {
    match usize::try_from(requested) {
        Ok(count) if count <= limit => Ok(count),
        _ => Err(LimitError { what, requested, limit }),
    }
}
