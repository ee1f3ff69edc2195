//! The reference in `f64`.

use std::collections::BTreeMap;

use taut::world::Arranged;
use taut::{Kernel, Plan, ScalarKernel};

use super::{ArrangedModels, Comparison, ComparisonError, Parameters};
use crate::precision_pair::in_double;

/// Positions of the scalar kernel in `f64` after the early frame, in the model's numbering,
/// computed once for each set of parameters.
pub(super) struct References<'a> {
    comparison: &'a Comparison,
    arranged: &'a ArrangedModels,
    computed: BTreeMap<Parameters, Vec<[f64; 3]>>,
}

impl<'a> References<'a> {
    pub(super) fn new(comparison: &'a Comparison, arranged: &'a ArrangedModels) -> Self {
        Self { comparison, arranged, computed: BTreeMap::new() }
    }

    /// The largest distance of these positions, computed with `parameters`, from those in `f64`.
    pub(super) fn largest_distance(
        &mut self,
        parameters: Parameters,
        positions: &[[f32; 3]],
    ) -> Result<f64, ComparisonError> {
        Ok(largest_distance(positions, self.positions(parameters)?))
    }

    fn positions(&mut self, parameters: Parameters) -> Result<&[[f64; 3]], ComparisonError> {
        if !self.computed.contains_key(&parameters) {
            let positions = self.compute(parameters)?;
            self.computed.insert(parameters, positions);
        }
        Ok(&self.computed[&parameters])
    }

    fn compute(&self, parameters: Parameters) -> Result<Vec<[f64; 3]>, ComparisonError> {
        let Parameters { formula, arrangement, .. } = parameters;
        let Arranged { particles, sticks, schedule, renumbering } = &self.arranged[&arrangement];
        let (mut particles, sticks) = (particles.convert::<f64>(), sticks.convert::<f64>());
        let step = in_double(&self.comparison.step_of(parameters));
        let mut plan = ScalarKernel.plan(&particles, &sticks, schedule, formula)?;
        for _ in 0..self.comparison.early_frame() {
            let _ = plan.step(&mut particles, &sticks, &step)?;
        }
        let particles = match renumbering {
            Some(renumbering) => renumbering.undo(&particles),
            None => particles,
        };
        Ok((0..particles.len()).map(|i| particles.position(i)).collect())
    }
}

/// The largest distance between positions with the same index; NaN if a position is NaN.
fn largest_distance(positions: &[[f32; 3]], reference: &[[f64; 3]]) -> f64 {
    let distance = |(position, reference): (&[f32; 3], &[f64; 3])| {
        let squared = |axis: usize| (f64::from(position[axis]) - reference[axis]).powi(2);
        (0..3).map(squared).sum::<f64>().sqrt()
    };
    // `f64::max` would drop a NaN.
    let larger = |max: f64, new: f64| if new <= max || max.is_nan() { max } else { new };
    positions.iter().zip(reference).map(distance).fold(0.0, larger)
}
