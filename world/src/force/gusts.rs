//! Wind that comes and goes.

use super::lattice::{Lattice, mixed};
use crate::model::ModelError;

/// How a wind varies: by a smooth noise in space that the wind carries along (G. I. Taylor, "The
/// Spectrum of Turbulence", 1938: eddies pass faster than they change). It is a function of place
/// and time, the same on every machine, and nothing remembers it.
///
/// The noise is that of a cubic lattice with a number in (-1, 1) at each corner, made of the corner's
/// coordinates and the seed, and between the corners a smooth blend of the eight around.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gusts {
    /// By what share the wind is stronger or weaker, at most. From 1 on it also turns around.
    pub strength: f32,
    /// From one corner of the lattice to the next, m: a gust is about twice as long. Less than
    /// [`LEAST_SIZE`](Self::LEAST_SIZE) acts as that.
    pub size: f32,
    /// Another seed makes other gusts.
    pub seed: u64,
}

impl Gusts {
    /// The least size, m. (One over a size so small that it is infinite would make NaN of a
    /// coordinate of 0.)
    pub const LEAST_SIZE: f32 = 1e-6;

    /// Gusts of a strength, a size, m, and a seed.
    ///
    /// # Errors
    /// If the strength is not from 0 to 1e6, or the size is below [`LEAST_SIZE`](Self::LEAST_SIZE) or
    /// not finite.
    pub fn new(strength: f32, size: f32, seed: u64) -> Result<Self, ModelError> {
        let (sane, must) = (0.0..=1e6, "from 0 to 1e6");
        ModelError::check("the strength of gusts", strength.into(), sane, must)?;
        let (least, what) = (f64::from(Self::LEAST_SIZE), "the size of gusts, m,");
        ModelError::check(what, size.into(), least.., "at least 1e-6 and finite")?;
        Ok(Self { strength, size, seed })
    }

    /// By what a wind of a velocity, m/s, is multiplied at a place, m, and a time, s.
    ///
    /// ```
    /// let gusts = taut_world::Gusts { strength: 0.5, size: 2.0, seed: 1 };
    /// let now = gusts.at([1.0, 2.0, 3.0], [4.0, 0.0, 0.0], 10.0);
    /// assert!((0.5..=1.5).contains(&now));
    /// // A second later, the wind has carried it 4 m.
    /// let later = gusts.at([5.0, 2.0, 3.0], [4.0, 0.0, 0.0], 11.0);
    /// assert!((now - later).abs() < 1e-5);
    /// ```
    pub fn at(&self, place: [f32; 3], velocity: [f32; 3], time: f64) -> f32 {
        self.lattice(velocity, time).factor(place)
    }

    /// The lattice as the wind has carried it since time began; `velocity` in m/s, `time` in s.
    #[allow(clippy::cast_sign_loss, reason = "cells are told apart by their last 32 bits")]
    pub(super) fn lattice(&self, velocity: [f32; 3], time: f64) -> Lattice {
        let size = f64::from(self.size.max(Self::LEAST_SIZE));
        let carried = velocity.map(|along| -f64::from(along) * time / size);
        let whole = carried.map(libm::floor);
        Lattice {
            strength: self.strength,
            per_size: (1.0 / size) as f32,
            whole: whole.map(|whole| whole as i64 as u32),
            rest: core::array::from_fn(|axis| (carried[axis] - whole[axis]) as f32),
            salt: mixed((self.seed as u32) ^ mixed((self.seed >> 32) as u32)),
        }
    }
}
