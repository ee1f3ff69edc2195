//! Stretch and compression of sticks, with percentiles of the stretch.

use serde::Serialize;
use taut::{Particles, Real, Sticks, Stretch};

/// Stretch and compression, as in [`Stretch`], of all sticks that are not torn. The percentiles are
/// of the stretch, which is 0 for a compressed stick. All values are NaN if a position is NaN.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Residual {
    /// Root mean square of the stretch.
    pub rms: f64,
    /// The largest stretch.
    pub max: f64,
    /// Root mean square of the compression.
    pub compression_rms: f64,
    /// The largest compression.
    pub compression_max: f64,
    /// The median stretch.
    pub p50: f64,
    /// The 90th percentile of the stretch.
    pub p90: f64,
    /// The 99th percentile of the stretch.
    pub p99: f64,
}

impl Residual {
    /// Computes the residual; all values are 0 if there are no sticks. The percentiles are
    /// of the stretch of all sticks; for the other values, a one-sided stick counts as 0 on the side
    /// on which it does not act.
    ///
    /// # Panics
    /// If there are fewer particles than the sticks need.
    pub fn of<const D: usize, S: Real>(particles: &Particles<D, S>, sticks: &Sticks<S>) -> Self {
        let Stretch { rms, max, compression_rms, compression_max } = Stretch::of(particles, sticks);
        let position = |end: u32| particles.position(end as usize).map(Real::to_f64);
        let stretch = |(stick, &[a, b]): (usize, &[u32; 2])| {
            let (a, b) = (position(a), position(b));
            let length = (0..D).map(|axis| (b[axis] - a[axis]).powi(2)).sum::<f64>().sqrt();
            (length / sticks.rest(stick).to_f64() - 1.0).max(0.0)
        };
        let intact = sticks.ends().iter().enumerate().filter(|(stick, _)| !sticks.is_torn(*stick));
        let mut stretches: Vec<f64> = intact.map(stretch).collect();
        stretches.sort_unstable_by(f64::total_cmp);
        let percentile = |hundredths: usize| match stretches.len() {
            _ if rms.is_nan() => f64::NAN,
            0 => 0.0,
            len => stretches[(len * hundredths).div_ceil(100).max(1) - 1],
        };
        Self {
            rms,
            max,
            compression_rms,
            compression_max,
            p50: percentile(50),
            p90: percentile(90),
            p99: percentile(99),
        }
    }
}
