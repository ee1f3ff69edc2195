//! Stretch over iterations and over frames.

use serde::Serialize;
use taut::world::Arrangement;
use taut::{AnyKernel, Formula, Kernel, Plan, Schedule, Step, StepError};

use super::{Study, StudyError};
use crate::precision_pair::{Distance, PrecisionPair, relaxation};
use crate::residual::Residual;

/// The numbers of iterations after which a frame is measured.
pub const ITERATION_POINTS: &[u32] = &[1, 2, 4, 8, 16, 32, 64, 128, 256];
/// The number of iterations in `f64` after which a frame counts as solved.
pub const SOLVED_ITERATIONS: u32 = 4096;
/// The number of frames in which the model falls, before the frame whose iterations are measured.
pub const FALL_FRAMES: usize = 30;

/// A frame of a falling model after a number of iterations.
#[derive(Clone, Debug, Serialize)]
pub struct IterationRow {
    /// The formula.
    pub formula: &'static str,
    /// The arrangement.
    pub schedule: String,
    /// The number of iterations.
    pub iterations: u32,
    /// The residual after them.
    pub residual: Residual,
    /// The distance of the `f32` positions from those after the same iterations in `f64`.
    pub distance_from_f64: Distance,
    /// The distance from the solution: the same schedule and formula in `f64` after
    /// [`SOLVED_ITERATIONS`].
    pub distance_from_limit: Distance,
}

/// A model after a number of frames.
#[derive(Clone, Debug, Serialize)]
pub struct FrameRow {
    /// The formula.
    pub formula: &'static str,
    /// The arrangement.
    pub schedule: String,
    /// The number of frames.
    pub frames: usize,
    /// The residual after them.
    pub residual: Residual,
    /// The distance of the `f32` positions from those after the same frames in `f64`.
    pub distance_from_f64: Distance,
}

impl Study {
    pub(super) fn iteration_rows(
        &self,
        (formula, arrangement): (Formula, Arrangement),
    ) -> Result<Vec<IterationRow>, StudyError> {
        let mut model = self.model.clone();
        model.particles = self.falling_particles()?;
        let mut pair = PrecisionPair::new(&arrangement.of(&model)?, formula)?;
        let mut measured = vec![];
        let mut done = 0;
        for &iterations in ITERATION_POINTS {
            pair.step(&relaxation(iterations - done))?;
            done = iterations;
            measured.push((iterations, pair.residual(), pair.distance(), pair.positions()));
        }
        pair.step_double(&relaxation(SOLVED_ITERATIONS - done))?;
        let solved = pair.positions_double();
        let row =
            |(iterations, residual, distance_from_f64, positions): (u32, _, _, Vec<[f64; 3]>)| {
                let distance_from_limit = Distance::between(&positions, &solved);
                let (formula, schedule) = (formula.name(), arrangement.to_string());
                IterationRow {
                    formula,
                    schedule,
                    iterations,
                    residual,
                    distance_from_f64,
                    distance_from_limit,
                }
            };
        Ok(measured.into_iter().map(row).collect())
    }

    /// The particles from which every number of iterations starts: after [`FALL_FRAMES`] frames and
    /// the motion of the next frame, before its relaxation.
    fn falling_particles(&self) -> Result<taut::Particles<3>, StepError> {
        let (mut particles, sticks) = (self.model.particles.clone(), &self.model.sticks);
        let schedule = Schedule::for_mesh(&particles, sticks);
        let mut plan = AnyKernel::best().plan(&particles, sticks, &schedule, Formula::default())?;
        for frame in 0..=FALL_FRAMES {
            let iterations = if frame < FALL_FRAMES { self.step.iterations } else { 0 };
            let _ = plan.step(&mut particles, sticks, &Step { iterations, ..self.step })?;
        }
        Ok(particles)
    }

    pub(super) fn frame_rows(
        &self,
        (formula, arrangement): (Formula, Arrangement),
    ) -> Result<Vec<FrameRow>, StudyError> {
        let mut pair = PrecisionPair::new(&arrangement.of(&self.model)?, formula)?;
        let mut rows = Vec::new();
        let mut done = 0;
        for frames in self.checkpoints() {
            for _ in done..frames {
                pair.step(&self.step)?;
            }
            done = frames;
            rows.push(FrameRow {
                formula: formula.name(),
                schedule: arrangement.to_string(),
                frames,
                residual: pair.residual(),
                distance_from_f64: pair.distance(),
            });
        }
        Ok(rows)
    }
}
