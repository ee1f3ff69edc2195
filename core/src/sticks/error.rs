//! Errors of sticks.

/// Why sticks cannot be created or changed. `stick` is the number of the first stick with this error.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StickError {
    /// An end is not a particle.
    #[error("stick {stick} ends at particle {particle}, but there are only {particles} particles")]
    NoSuchParticle {
        /// Which stick.
        stick: usize,
        /// The number given as an end.
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
    /// A rest length is out of range or NaN.
    #[error("stick {stick} has the rest length {value}; it must be from 1e-15 to 1e10 m")]
    Rest {
        /// Which stick.
        stick: usize,
        /// Its rest length, m.
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
        /// Its compliance, m/N.
        value: f64,
    },
    /// The number of rest lengths is not the number of pairs.
    #[error("{pairs} pairs came with {rests} rest lengths; each pair needs one")]
    UnequalCounts {
        /// How many pairs there were.
        pairs: usize,
        /// How many rest lengths there were.
        rests: usize,
    },
    /// There is no such stick.
    #[error("there is no stick {stick}; there are {sticks} sticks")]
    NoSuchStick {
        /// The number given.
        stick: usize,
        /// How many sticks there are.
        sticks: usize,
    },
    /// There are too many sticks or particles: each has a number of 32 bits.
    #[error("{pairs} pairs, {particles} particles: too many to be numbered with 32 bits")]
    TooMany {
        /// How many pairs there were.
        pairs: usize,
        /// How many particles there were.
        particles: usize,
    },
}
