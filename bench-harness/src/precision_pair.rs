//! The same simulation in `f32` on the best kernel and in `f64` on the scalar kernel.

use serde::Serialize;
use taut::world::Arranged;
use taut::{
    AnyKernel, BoxedPlan, Formula, Kernel, Particles, Plan, PlanError, ScalarKernel, ScalarPlan,
    Step, StepError, Sticks,
};

use crate::residual::Residual;

/// Two simulations of one arrangement and formula, in `f32` and in `f64`.
#[derive(Debug)]
pub struct PrecisionPair {
    /// The particles in `f32`.
    pub single: Particles<3>,
    /// The particles in `f64`.
    pub double: Particles<3, f64>,
    sticks: Sticks,
    sticks_double: Sticks<f64>,
    plan: BoxedPlan,
    plan_double: ScalarPlan<3, f64>,
}

/// The distance between two sets of positions, m; NaN if a position is NaN.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Distance {
    /// Root mean square over all particles.
    pub rms: f64,
    /// The largest distance of one particle.
    pub max: f64,
}

impl Distance {
    /// The distance between positions with the same index.
    pub fn between(positions: &[[f64; 3]], others: &[[f64; 3]]) -> Self {
        let (mut squares, mut max) = (0.0, 0.0_f64);
        for (one, other) in positions.iter().zip(others) {
            let square = (0..3).map(|axis| (one[axis] - other[axis]).powi(2)).sum::<f64>();
            squares += square;
            max = max.max(square.sqrt());
        }
        // `f64::max` drops a NaN; the sum keeps it.
        let rms = (squares / positions.len().max(1) as f64).sqrt();
        Self { rms, max: if rms.is_nan() { f64::NAN } else { max } }
    }
}

/// The same step, its `f32` numbers converted to `f64`.
pub(crate) fn in_double(step: &Step<3>) -> Step<3, f64> {
    let &Step { dt, substeps, iterations, acceleration, damping_rate } = step;
    Step {
        dt: f64::from(dt),
        substeps,
        iterations,
        acceleration: acceleration.map(f64::from),
        damping_rate: f64::from(damping_rate),
    }
}

/// A step of relaxation only: the largest damping rate removes the velocity, so motion leaves the
/// positions bit-identical.
pub fn relaxation(iterations: u32) -> Step<3> {
    let damping_rate = Step::<3>::DAMPING_RATE_MAX as f32;
    Step { substeps: 1, iterations, acceleration: [0.0; 3], damping_rate, ..Step::default() }
}

impl PrecisionPair {
    /// Both simulations start from the arranged particles.
    ///
    /// # Errors
    /// If the schedule was built for different sticks.
    pub fn new(arranged: &Arranged, formula: Formula) -> Result<Self, PlanError> {
        let Arranged { particles, sticks, schedule, .. } = arranged;
        let kernel = AnyKernel::best_for(schedule);
        let (double, sticks_double) = (particles.convert(), sticks.convert());
        Ok(Self {
            plan: kernel.plan(particles, sticks, schedule, formula)?,
            plan_double: ScalarKernel.plan(&double, &sticks_double, schedule, formula)?,
            single: particles.clone(),
            double,
            sticks: sticks.clone(),
            sticks_double,
        })
    }

    /// Steps both simulations.
    ///
    /// # Errors
    /// If the step is invalid.
    pub fn step(&mut self, step: &Step<3>) -> Result<(), StepError> {
        let _ = self.plan.step(&mut self.single, &self.sticks, step)?;
        let step = in_double(step);
        let _ = self.plan_double.step(&mut self.double, &self.sticks_double, &step)?;
        Ok(())
    }

    /// Steps only the simulation in `f64`.
    ///
    /// # Errors
    /// If the step is invalid.
    pub fn step_double(&mut self, step: &Step<3>) -> Result<(), StepError> {
        let step = in_double(step);
        let _ = self.plan_double.step(&mut self.double, &self.sticks_double, &step)?;
        Ok(())
    }

    /// The residual in `f32`.
    pub fn residual(&self) -> Residual {
        Residual::of(&self.single, &self.sticks)
    }

    /// The positions in `f32`, converted to `f64`.
    pub fn positions(&self) -> Vec<[f64; 3]> {
        let position = |particle| self.single.position(particle).map(f64::from);
        (0..self.single.len()).map(position).collect()
    }

    /// The positions in `f64`.
    pub fn positions_double(&self) -> Vec<[f64; 3]> {
        (0..self.double.len()).map(|particle| self.double.position(particle)).collect()
    }

    /// The distance between the two simulations.
    pub fn distance(&self) -> Distance {
        Distance::between(&self.positions(), &self.positions_double())
    }
}
