//! Stretch over iterations and over frames.

use serde::Serialize;
use taut::{AnyKernel, Formula, Kernel, Plan, Schedule, Step, StepError};

use super::{Study, StudyError};
use crate::residual::Residual;
use crate::twins::{Distance, Twins, relaxation};
use taut::world::{Arranged, Arrangement};

/// After how many iterations of one frame it is looked at.
pub const ITERATION_POINTS: &[u32] = &[1, 2, 4, 8, 16, 32, 64, 128, 256];
/// After how many iterations in `f64` a frame is taken for solved.
pub const SOLVED_ITERATIONS: u32 = 4096;
/// Frames before the frame whose iterations are looked at.
const FALL_FRAMES: usize = 30;

/// A frame of a falling model after some iterations.
#[derive(Clone, Debug, Serialize)]
pub struct IterationRow {
    /// The formula.
    pub formula: &'static str,
    /// The arrangement.
    pub schedule: String,
    /// How often all sticks were relaxed.
    pub iterations: u32,
    /// What is left.
    pub residual: Residual,
    /// From the same in `f64`.
    pub off_f64: Distance,
    /// From where the same schedule and formula end in `f64`, after [`SOLVED_ITERATIONS`].
    pub off_solved: Distance,
}

/// A model after some frames.
#[derive(Clone, Debug, Serialize)]
pub struct FrameRow {
    /// The formula.
    pub formula: &'static str,
    /// The arrangement.
    pub schedule: String,
    /// How many frames were done.
    pub frames: usize,
    /// What is left.
    pub residual: Residual,
    /// From the same in `f64`.
    pub off_f64: Distance,
}

impl Study {
    pub(super) fn over_iterations(
        &self,
        (formula, arrangement): (Formula, Arrangement),
    ) -> Result<Vec<IterationRow>, StudyError> {
        let mut model = self.model.clone();
        model.particles = self.falling()?;
        let mut twins = Twins::new(&arrangement.of(&model)?, formula)?;
        let mut after = vec![];
        let mut done = 0;
        for &iterations in ITERATION_POINTS {
            twins.step(&relaxation(iterations - done))?;
            done = iterations;
            after.push((iterations, twins.residual(), twins.apart(), twins.positions()));
        }
        twins.step_double(&relaxation(SOLVED_ITERATIONS - done))?;
        let solved = twins.positions_double();
        let row = |(iterations, residual, off_f64, positions): (u32, _, _, Vec<[f64; 3]>)| {
            let off_solved = Distance::between(&positions, &solved);
            let (formula, schedule) = (formula.name(), arrangement.to_string());
            IterationRow { formula, schedule, iterations, residual, off_f64, off_solved }
        };
        Ok(after.into_iter().map(row).collect())
    }

    /// Where all begin: some frames into the fall, after the motion of one more, before its
    /// relaxation.
    fn falling(&self) -> Result<taut::Particles<3>, StepError> {
        let (mut particles, sticks) = (self.model.particles.clone(), &self.model.sticks);
        let schedule = Schedule::for_mesh(&particles, sticks);
        let mut plan = AnyKernel::best().plan(&particles, sticks, &schedule, Formula::default())?;
        for frame in 0..=FALL_FRAMES {
            let iterations = if frame < FALL_FRAMES { self.step.iterations } else { 0 };
            let _ = plan.step(&mut particles, sticks, &Step { iterations, ..self.step })?;
        }
        Ok(particles)
    }

    pub(super) fn over_frames(
        &self,
        (formula, arrangement): (Formula, Arrangement),
    ) -> Result<Vec<FrameRow>, StudyError> {
        let arranged: Arranged = arrangement.of(&self.model)?;
        let mut twins = Twins::new(&arranged, formula)?;
        let mut rows = Vec::new();
        let mut done = 0;
        for frames in self.checkpoints() {
            for _ in done..frames {
                twins.step(&self.step)?;
            }
            done = frames;
            rows.push(FrameRow {
                formula: formula.name(),
                schedule: arrangement.to_string(),
                frames,
                residual: twins.residual(),
                off_f64: twins.apart(),
            });
        }
        Ok(rows)
    }
}
