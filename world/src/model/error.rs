//! Why a model cannot be built.

use taut_core::{LimitError, ParticleError, StickError, TriangleError};

use crate::body::BodyError;

/// Why a model cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// By its particles.
    #[error(transparent)]
    Particles(#[from] ParticleError),
    /// By its sticks.
    #[error(transparent)]
    Sticks(#[from] StickError),
    /// By its triangles.
    #[error(transparent)]
    Triangles(#[from] TriangleError),
    /// By its rigid body.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// It would have more of something than [a limit](taut_core::check_limit) allows.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// There is nothing to relax.
    #[error("there is nothing to relax: no stick joins any of the {particles} particle(s)")]
    NoSticks {
        /// How many particles there are.
        particles: usize,
    },
    /// A measure that a builder cannot work with.
    #[error("{what} is {value}; it must be {must}")]
    Measure {
        /// Which, as in "the length of a rope, m".
        what: &'static str,
        /// What it was.
        value: f64,
        /// What it must be, as in "above 0".
        must: &'static str,
    },
}

impl ModelError {
    /// Returns `value` if it is finite and within `sane`.
    ///
    /// ```
    /// use taut_world::ModelError;
    ///
    /// let error = ModelError::check("the length of a rope, m,", -1.0, 0.0.., "at least 0");
    /// assert_eq!(error.unwrap_err().to_string(), "the length of a rope, m, is -1; it must be at least 0");
    /// ```
    ///
    /// # Errors
    /// [`Measure`](Self::Measure) otherwise, which says what it `must` be.
    pub fn check(
        what: &'static str,
        value: f64,
        sane: impl core::ops::RangeBounds<f64>,
        must: &'static str,
    ) -> Result<f64, Self> {
        if value.is_finite() && sane.contains(&value) {
            Ok(value)
        } else {
            Err(Self::Measure { what, value, must })
        }
    }
}
