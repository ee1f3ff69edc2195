//! How far sticks are from their rest lengths: the residual.

use crate::particles::Particles;
use crate::real::Real;
use crate::sticks::{Kind, Sticks, length};

/// The residual of a set of sticks: root mean square and maximum of |stretch|, where
/// stretch is (length - rest) / rest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stretch {
    /// Root mean square; NaN if a position is.
    pub rms: f64,
    /// The largest; NaN if a position is.
    pub max: f64,
}

impl Stretch {
    /// Over all sticks, pinned ones too, accumulated in `f64`. Torn sticks do not count, and
    /// one-sided sticks count as 0 on the side on which they do not act. No sticks: 0.
    ///
    /// # Panics
    /// If there are fewer particles than the sticks name.
    pub fn of<const D: usize, S: Real>(particles: &Particles<D, S>, sticks: &Sticks<S>) -> Self {
        let columns: [&[S]; D] = core::array::from_fn(|axis| particles.positions(axis));
        let (mut squares, mut max, mut count) = (0.0, 0.0_f64, 0_usize);
        for (stick, &ends) in sticks.ends().iter().enumerate() {
            if sticks.is_torn(stick) {
                continue;
            }
            let rest = sticks.rest(stick).to_f64();
            let stretch = (length(columns, ends) - rest) / rest;
            let acts = match sticks.kind(stick) {
                Kind::TwoSided => true,
                Kind::Minimum => stretch < 0.0,
                Kind::Maximum => stretch > 0.0,
            };
            count += 1;
            if acts || stretch.is_nan() {
                squares += stretch * stretch;
                max = max.max(stretch.abs());
                if squares.is_nan() {
                    return Self { rms: f64::NAN, max: f64::NAN };
                }
            }
        }
        let mean = if count == 0 { 0.0 } else { squares / count as f64 };
        Self { rms: crate::lane::Lane::sqrt(mean), max }
    }
}
