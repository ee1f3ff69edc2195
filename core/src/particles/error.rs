//! Why there are no such particles.

/// Why particles cannot be what was asked for. `particle` is the number of the first that
/// is at fault, in the order given.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParticleError {
    /// As many inverse masses as points are needed.
    #[error("{points} points came with {inverse_masses} inverse masses; each point needs one")]
    UnequalLengths {
        /// How many points there were.
        points: usize,
        /// How many inverse masses.
        inverse_masses: usize,
    },
    /// A coordinate is NaN, infinite, or larger than [`COORDINATE_MAX`](super::COORDINATE_MAX).
    #[error(
        "particle {particle} is at {value} on axis {axis}; coordinates must be finite and within 1e12 m of the origin"
    )]
    Coordinate {
        /// Which particle.
        particle: usize,
        /// Which axis, 0 for x.
        axis: usize,
        /// What its coordinate was.
        value: f64,
    },
    /// An inverse mass is NaN, negative or beyond sane size.
    #[error(
        "particle {particle} has the inverse mass {value}; it must be 0 (pinned) or from 1e-9 to 1e9 per kg"
    )]
    InverseMass {
        /// Which particle.
        particle: usize,
        /// What its inverse mass was.
        value: f64,
    },
    /// There is no such particle.
    #[error("there is no particle {particle}; there are {particles}")]
    NoSuchParticle {
        /// Which was asked for.
        particle: usize,
        /// How many there are.
        particles: usize,
    },
    /// Particles are numbered with 32 bits.
    #[error("{points} points are more than 32-bit numbers can name")]
    TooMany {
        /// How many points there were.
        points: usize,
    },
}
