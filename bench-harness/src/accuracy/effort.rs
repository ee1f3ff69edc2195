//! What it costs to keep sticks near rest: by more iterations, or by smaller substeps.

use std::time::Instant;

use serde::Serialize;
use taut::{AnyKernel, Formula, Kernel, Plan, Step, StepError, Stretch};

use super::{Study, StudyError};
use crate::scenario::{engine_name, engines_in, fastest_in};
use taut::world::{Arranged, Arrangement};

/// Near enough: an rms stretch of 1 %.
pub const GOAL_RMS: f64 = 0.01;
/// How many iterations or substeps are tried, in this order.
pub const COUNTS: &[u32] = &[1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];
/// How many frames are timed; the median counts.
const TIMED_FRAMES: usize = 15;

/// What there is more of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Means {
    /// One substep of n iterations.
    Iterations,
    /// n substeps of one iteration.
    Substeps,
}

/// What a kernel needs to keep the rms stretch at or below [`GOAL_RMS`] in all frames of the
/// second half.
#[derive(Clone, Debug, Serialize)]
pub struct EffortRow {
    /// The kernel and its instruction set.
    pub kernel: String,
    /// The formula.
    pub formula: &'static str,
    /// The arrangement.
    pub schedule: String,
    /// What there is more of.
    pub means: Means,
    /// How many of [`COUNTS`] suffice; none, if the last does not.
    pub count: Option<u32>,
    /// The largest rms stretch of the second half then, or with the last.
    pub stretch_rms: f64,
    /// The median frame then, µs.
    pub frame_us: Option<f64>,
}

impl Means {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Iterations, Self::Substeps];

    fn step(self, step: &Step<3>, count: u32) -> Step<3> {
        match self {
            Self::Iterations => Step { substeps: 1, iterations: count, ..*step },
            Self::Substeps => Step { substeps: count, iterations: 1, ..*step },
        }
    }
}

impl Study {
    pub(super) fn effort(
        &self,
        (formula, arrangement): (Formula, Arrangement),
    ) -> Result<Vec<EffortRow>, StudyError> {
        let on = arrangement.of(&self.scene)?;
        let fastest = fastest_in(arrangement.order);
        let mut rows = Vec::new();
        for means in Means::ALL {
            let (mut count, mut stretch_rms) = (None, f64::NAN);
            for &tried in COUNTS {
                stretch_rms =
                    self.worst_rms(&fastest, &on, formula, &means.step(&self.step, tried))?;
                if stretch_rms <= GOAL_RMS {
                    count = Some(tried);
                    break;
                }
            }
            for kernel in engines_in(arrangement.order) {
                let time = |count| frame_us(&kernel, &on, formula, &means.step(&self.step, count));
                rows.push(EffortRow {
                    kernel: engine_name(&kernel),
                    formula: formula.name(),
                    schedule: arrangement.to_string(),
                    means,
                    count,
                    stretch_rms,
                    frame_us: count.map(time).transpose()?,
                });
            }
        }
        Ok(rows)
    }

    /// Of the frames of the second half; NaN if a position was.
    fn worst_rms(
        &self,
        kernel: &AnyKernel,
        on: &Arranged,
        formula: Formula,
        step: &Step<3>,
    ) -> Result<f64, StudyError> {
        let Arranged { particles, sticks, schedule, .. } = on;
        let mut particles = particles.clone();
        let mut plan = kernel.plan(&particles, sticks, schedule, formula)?;
        let mut worst = 0.0;
        for frame in 0..self.frames {
            let status = plan.step(&mut particles, sticks, step)?;
            if !status.finite {
                return Ok(f64::NAN);
            }
            if frame >= self.frames / 2 {
                worst = Stretch::of(&particles, sticks).rms.max(worst);
            }
        }
        Ok(worst)
    }
}

/// The median of a few frames from rest.
fn frame_us(
    kernel: &AnyKernel,
    on: &Arranged,
    formula: Formula,
    step: &Step<3>,
) -> Result<f64, StepError> {
    let Arranged { particles, sticks, schedule, .. } = on;
    let mut particles = particles.clone();
    let mut plan = kernel.plan(&particles, sticks, schedule, formula)?;
    let mut frame = || {
        let start = Instant::now();
        let _ = plan.step(&mut particles, sticks, step)?;
        Ok(start.elapsed().as_secs_f64() * 1e6)
    };
    frame()?; // the first touches the memory
    let mut frames = (0..TIMED_FRAMES).map(|_| frame()).collect::<Result<Vec<_>, StepError>>()?;
    frames.sort_unstable_by(f64::total_cmp);
    Ok(frames[TIMED_FRAMES / 2])
}
