//! How far sticks are from their rest lengths.

use crate::lane::Lane;
use crate::particles::Particles;
use crate::real::Real;
use crate::sticks::{Sticks, length};

/// How far a set of sticks is from its rest lengths. For each stick, d = (length - rest) / rest. Its
/// stretch is d if d is above 0, else 0. Its compression is -d if d is below 0, else 0.
///
/// All four fields are NaN if an end of a stick that is not torn has a NaN position. Both root mean
/// squares are over all sticks that are not torn, so [`residual_rms`](Self::residual_rms) is
/// `sqrt(rms² + compression_rms²)`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stretch {
    /// Root mean square of the stretch.
    pub rms: f64,
    /// The largest stretch.
    pub max: f64,
    /// Root mean square of the compression.
    pub compression_rms: f64,
    /// The largest compression.
    pub compression_max: f64,
}

impl Stretch {
    /// The stretch of all sticks, including those with pinned ends, accumulated in `f64`. Torn
    /// sticks are left out, and one-sided sticks count as 0 on the side on which they do not act.
    /// Without sticks all fields are 0.
    ///
    /// # Panics
    /// If there are fewer particles than the sticks need.
    pub fn of<const D: usize, S: Real>(particles: &Particles<D, S>, sticks: &Sticks<S>) -> Self {
        let columns: [&[S]; D] = core::array::from_fn(|axis| particles.positions(axis));
        let ([mut squares, mut compression_squares], [mut max, mut compression_max]) =
            ([0.0; 2], [0.0; 2]);
        let mut count = 0_usize;
        for (stick, &ends) in sticks.ends().iter().enumerate() {
            if sticks.is_torn(stick) {
                continue;
            }
            let rest = sticks.rest(stick).to_f64();
            let d = (length(columns, ends) - rest) / rest;
            let kind = sticks.kind(stick);
            let acts = (d > 0.0 && kind.pulls()) || (d < 0.0 && kind.pushes());
            count += 1;
            if d.is_nan() {
                return Self::from_sums([f64::NAN; 2], [f64::NAN; 2], count);
            }
            if acts && d < 0.0 {
                compression_squares += d * d;
                compression_max = f64::max(compression_max, -d);
            } else if acts {
                squares += d * d;
                max = f64::max(max, d);
            }
        }
        Self::from_sums([squares, compression_squares], [max, compression_max], count)
    }

    /// Computes the fields from the sums of squares and the largest values over `sticks` sticks. In
    /// both arrays, the first value is of the stretch and the second of the compression. If one of
    /// the values is NaN, all fields are NaN.
    pub fn from_sums(squares: [f64; 2], largest: [f64; 2], sticks: usize) -> Self {
        if squares.iter().chain(&largest).any(|value| value.is_nan()) {
            let nan = f64::NAN;
            return Self { rms: nan, max: nan, compression_rms: nan, compression_max: nan };
        }
        let rms = |sum: f64| if sticks == 0 { 0.0 } else { Lane::sqrt(sum / sticks as f64) };
        let [rms, compression_rms] = squares.map(rms);
        let [max, compression_max] = largest;
        Self { rms, max, compression_rms, compression_max }
    }

    /// The residual: root mean square of |d|, stretch and compression together.
    pub fn residual_rms(&self) -> f64 {
        Lane::sqrt(self.rms * self.rms + self.compression_rms * self.compression_rms)
    }

    /// The largest |d|: the larger of stretch and compression.
    pub fn residual_max(&self) -> f64 {
        if self.compression_max > self.max { self.compression_max } else { self.max }
    }
}
