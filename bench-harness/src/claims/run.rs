//! Helpers of the claims: run a model, relax one stick.

use taut::world::{Arranged, Arrangement, Model};
use taut::{Factor, Formula, Kernel, Plan, Step, Stretch, WithFactor, relax};

use super::ClaimError;
use crate::scenario::fastest_in;

/// Runs a model on the fastest kernel (all give the same bits) and returns the final rms residual,
/// infinite if a position is not finite.
pub(super) fn rms_after(
    model: &Model,
    arrangement: &str,
    formula: Formula,
    step: &Step<3>,
    frames: usize,
) -> Result<f64, ClaimError> {
    let arrangement: Arrangement = arrangement.parse()?;
    let Arranged { mut particles, sticks, schedule, .. } = arrangement.of(model)?;
    let kernel = fastest_in(arrangement.order);
    let mut plan = kernel.plan(&particles, &sticks, &schedule, formula)?;
    for _ in 0..frames {
        if !plan.step(&mut particles, &sticks, step)?.finite {
            return Ok(f64::INFINITY);
        }
    }
    Ok(or_infinite(Stretch::of(&particles, &sticks).residual_rms()))
}

/// Replaces NaN, the result of a blow-up, by infinity.
pub(super) fn or_infinite(value: f64) -> f64 {
    if value.is_nan() { f64::INFINITY } else { value }
}

/// A step of one substep with `iterations` iterations.
pub(super) fn one_substep<const D: usize>(iterations: u32) -> Step<D> {
    Step { substeps: 1, iterations, ..Step::default() }
}

/// Relaxes one stick once in `f64`; returns its ends.
pub(super) fn relax_once(
    formula: Formula,
    ends: [[f64; 3]; 2],
    inverse_masses: [f64; 2],
    rest: f64,
) -> [[f64; 3]; 2] {
    formula.dispatch(OneStick { ends, inverse_masses, rest })
}

/// Relaxes a stick once, with the formula that `dispatch` selects.
struct OneStick {
    ends: [[f64; 3]; 2],
    inverse_masses: [f64; 2],
    rest: f64,
}

impl WithFactor for OneStick {
    type Output = [[f64; 3]; 2];

    fn with<F: Factor>(self) -> [[f64; 3]; 2] {
        let Self { ends: [a, b], inverse_masses, rest } = self;
        let weight = F::weight_term(inverse_masses[0] + inverse_masses[1]);
        let (a, b) = relax::<F, f64, 3>(a, b, inverse_masses, F::rest_term(rest), weight, None);
        [a, b]
    }
}

/// The length of a stick of rest length 1 and length `old` after one relaxation.
pub(super) fn new_length(formula: Formula, old: f64) -> f64 {
    let [a, b] = relax_once(formula, [[0.0; 3], [old, 0.0, 0.0]], [1.0; 2], 1.0);
    b[0] - a[0]
}

/// The distance between two points.
pub(super) fn length([a, b]: [[f64; 3]; 2]) -> f64 {
    (0..3).map(|axis| (b[axis] - a[axis]).powi(2)).sum::<f64>().sqrt()
}
