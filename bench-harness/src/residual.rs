//! How far sticks are from rest, with the distribution of the stretch.

use serde::Serialize;
use taut::{Particles, Real, Sticks, Stretch};

/// Stretch and compression, as in [`Stretch`], of all sticks that are not torn; the percentiles are
/// of the stretch, which is 0 for a stick that is too short. All are NaN if a position is.
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
    /// Half of the sticks are at or below this.
    pub p50: f64,
    /// Nine tenths of them.
    pub p90: f64,
    /// All but a hundredth of them.
    pub p99: f64,
}

impl Residual {
    /// Of two-sided sticks (a one-sided stick counts as two-sided in the percentiles). No
    /// sticks: 0.
    ///
    /// # Panics
    /// If there are fewer particles than the sticks name.
    pub fn of<const D: usize, S: Real>(particles: &Particles<D, S>, sticks: &Sticks<S>) -> Self {
        let stretch = Stretch::of(particles, sticks);
        let Stretch { rms, max, compression_rms, compression_max } = stretch;
        let place = |end: u32| particles.position(end as usize).map(Real::to_f64);
        let stretch = |(stick, &[a, b]): (usize, &[u32; 2])| {
            let (a, b) = (place(a), place(b));
            let length = (0..D).map(|axis| (b[axis] - a[axis]).powi(2)).sum::<f64>().sqrt();
            (length / sticks.rest(stick).to_f64() - 1.0).max(0.0)
        };
        let whole = sticks.ends().iter().enumerate().filter(|(stick, _)| !sticks.is_torn(*stick));
        let mut all: Vec<f64> = whole.map(stretch).collect();
        all.sort_unstable_by(f64::total_cmp);
        let at = |hundredths: usize| match all.len() {
            _ if rms.is_nan() => f64::NAN,
            0 => 0.0,
            len => all[(len * hundredths).div_ceil(100).max(1) - 1],
        };
        Self { rms, max, compression_rms, compression_max, p50: at(50), p90: at(90), p99: at(99) }
    }
}
