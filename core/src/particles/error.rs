//! Errors of particles.

/// Why particles cannot be created or changed. `particle` is the number of the first invalid one,
/// in the order given.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParticleError {
    /// The number of inverse masses is not the number of points.
    #[error("{points} points came with {inverse_masses} inverse masses; each point needs one")]
    UnequalCounts {
        /// How many points there were.
        points: usize,
        /// How many inverse masses there were.
        inverse_masses: usize,
    },
    /// A coordinate is NaN, or its magnitude is above [`COORDINATE_MAX`](super::COORDINATE_MAX).
    #[error(
        "particle {particle} is at {value} on axis {axis}; coordinates must be from -1e12 to 1e12 m"
    )]
    Coordinate {
        /// Which particle.
        particle: usize,
        /// Which axis, 0 for x.
        axis: usize,
        /// The coordinate, m.
        value: f64,
    },
    /// An inverse mass is out of range or NaN.
    #[error(
        "particle {particle} has the inverse mass {value}; it must be 0 (pinned) or from 1e-9 to \
         1e9 per kg"
    )]
    InverseMass {
        /// Which particle.
        particle: usize,
        /// The inverse mass, 1/kg.
        value: f64,
    },
    /// There is no such particle.
    #[error("there is no particle {particle}; there are {particles} particles")]
    NoSuchParticle {
        /// The number given.
        particle: usize,
        /// How many particles there are.
        particles: usize,
    },
    /// Particle numbers have 32 bits.
    #[error("{points} particles are too many; there may be at most 4294967295")]
    TooMany {
        /// How many particles there were; of a list that grows: with the first one too many.
        points: usize,
    },
}
