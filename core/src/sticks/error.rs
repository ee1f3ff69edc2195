//! Why there are no such sticks.

/// Why sticks cannot be what was asked for. `stick` is the number of the first that is at
/// fault, in the order given.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StickError {
    /// An end is not a particle.
    #[error("stick {stick} ends at particle {particle}, but there are only {particles}")]
    NoSuchParticle {
        /// Which stick.
        stick: usize,
        /// The end.
        particle: u32,
        /// How many particles there are.
        particles: usize,
    },
    /// Both ends are the same particle.
    #[error("stick {stick} has particle {particle} at both ends")]
    SameEnds {
        /// Which stick.
        stick: usize,
        /// The particle.
        particle: u32,
    },
    /// A rest length is NaN, not positive or beyond sane size.
    #[error("stick {stick} has the rest length {value}; it must be from 1e-15 to 1e10 m")]
    Rest {
        /// Which stick.
        stick: usize,
        /// Its rest length.
        value: f64,
    },
    /// A stiffness is outside (0, 1].
    #[error("stick {stick} has the stiffness {value}; it must be above 0 and at most 1")]
    Stiffness {
        /// Which stick.
        stick: usize,
        /// Its stiffness.
        value: f64,
    },
    /// A compliance is negative, NaN or too large.
    #[error("stick {stick} has the compliance {value}; it must be from 0 to 100 m/N")]
    Compliance {
        /// Which stick.
        stick: usize,
        /// Its compliance.
        value: f64,
    },
    /// As many rest lengths as pairs are needed.
    #[error("{pairs} pairs came with {rests} rest lengths; each pair needs one")]
    UnequalLengths {
        /// How many pairs there were.
        pairs: usize,
        /// How many rest lengths.
        rests: usize,
    },
    /// There is no such stick.
    #[error("there is no stick {stick}; there are {sticks}")]
    NoSuchStick {
        /// Which was asked for.
        stick: usize,
        /// How many there are.
        sticks: usize,
    },
    /// Sticks and particles are numbered with 32 bits.
    #[error("{pairs} pairs of {particles} particles are more than 32-bit numbers can name")]
    TooMany {
        /// How many pairs there were.
        pairs: usize,
        /// How many particles.
        particles: usize,
    },
}
