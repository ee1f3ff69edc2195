//! The accuracy of formulas and schedules: stretch, the distance of positions in `f32` from those in
//! `f64` and from the converged solution, drift of free bodies, and the cost of a given accuracy.
//!
//! A [`Study`] returns rows of plain data, one kind for each part. Except for times, the results for a
//! formula and a schedule hold for every kernel: the bits are the same.

mod convergence;
mod drift;
mod effort;
mod table_line;

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use taut::world::{Arrangement, ArrangementError, Model};
use taut::{Formula, PlanError, Step, StepError};

use crate::comparison::Progress;

pub use convergence::{FALL_FRAMES, FrameRow, ITERATION_POINTS, IterationRow, SOLVED_ITERATIONS};
pub use drift::DriftRow;
pub use effort::{
    BOUNDS, Effort, EffortRow, EffortStudy, EffortSubject, ITERATIONS, SUBSTEPS_MAX,
    TextbookFrames, UnmetBound,
};
pub use table_line::TableLine;

/// Models and settings for measurements of accuracy.
#[derive(Clone, Debug)]
pub struct Study {
    /// A hanging model.
    pub model: Model,
    /// A body for [`StudyPart::Drift`]; its pins are removed.
    pub body: Model,
    /// The step of a frame.
    pub step: Step<3>,
    /// The number of frames.
    pub frames: usize,
    /// The formulas.
    pub formulas: Vec<Formula>,
    /// The orders and numberings.
    pub arrangements: Vec<Arrangement>,
    /// The study of [`StudyPart::Effort`]. It has models of its own, in their default orders, and does
    /// not use the other fields.
    pub effort: EffortStudy,
}

/// A part of a [`Study`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StudyPart {
    /// Stretch, compression and the distances of `f32` positions from `f64` positions and from the
    /// solution, over the iterations of one frame.
    Iterations,
    /// Stretch, compression and the distance of `f32` from `f64` positions, over frames.
    Frames,
    /// Momentum and energy of a free body.
    Drift,
    /// The cheapest frame within a given stretch: an [`EffortStudy`].
    Effort,
}

/// A name that is not the name of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown part: expected iterations, frames, drift or effort")]
pub struct UnknownPart;

impl StudyPart {
    /// All parts.
    pub const ALL: [Self; 4] = [Self::Iterations, Self::Frames, Self::Drift, Self::Effort];

    /// Its name in tables and on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Iterations => "iterations",
            Self::Frames => "frames",
            Self::Drift => "drift",
            Self::Effort => "effort",
        }
    }
}

impl fmt::Display for StudyPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for StudyPart {
    type Err = UnknownPart;

    fn from_str(name: &str) -> Result<Self, UnknownPart> {
        Self::ALL.into_iter().find(|part| part.name() == name).ok_or(UnknownPart)
    }
}

/// The results of a study; parts that were not requested are empty.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Accuracy {
    /// See [`StudyPart::Iterations`].
    pub iterations: Vec<IterationRow>,
    /// See [`StudyPart::Frames`].
    pub frames: Vec<FrameRow>,
    /// See [`StudyPart::Drift`].
    pub drift: Vec<DriftRow>,
    /// See [`StudyPart::Effort`].
    #[serde(flatten)]
    pub effort: Option<Effort>,
}

/// Why a study failed.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// An arrangement does not suit a model.
    #[error(transparent)]
    Arrangement(#[from] ArrangementError),
    /// A plan cannot be built.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A step is invalid.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The particles of the body are invalid.
    #[error(transparent)]
    Particles(#[from] taut::ParticleError),
    /// The effort study cannot add tethers to a model.
    #[error(transparent)]
    Model(#[from] taut::world::ModelError),
    /// A scene is invalid.
    #[error(transparent)]
    Scene(#[from] taut::world::SceneError),
    /// Sticks are invalid.
    #[error(transparent)]
    Sticks(#[from] taut::StickError),
    /// A world cannot be built or stepped.
    #[error(transparent)]
    World(#[from] taut::world::WorldError),
}

impl Study {
    /// Runs the requested parts.
    ///
    /// # Errors
    /// If an arrangement does not suit the model, the step is invalid, or [`EffortStudy::run`] fails.
    pub fn run(
        &self,
        parts: &[StudyPart],
        mut progress: impl FnMut(Progress<'_>),
    ) -> Result<Accuracy, StudyError> {
        let mut accuracy = Accuracy::default();
        let pairs = (self.arrangements.len() * self.formulas.len()).max(1);
        let total = (parts.len() * pairs) as f64;
        let mut done = 0.0;
        for part in parts {
            if *part == StudyPart::Effort {
                accuracy.effort = Some(self.effort.run(|part_progress| {
                    let share = (done + part_progress.share * pairs as f64) / total;
                    progress(Progress { share, ..part_progress });
                })?);
                done += pairs as f64;
                continue;
            }
            for &arrangement in &self.arrangements {
                for &formula in &self.formulas {
                    let doing = format!("{part}: {formula} {arrangement}");
                    progress(Progress { share: done / total, doing: &doing });
                    let pair = (formula, arrangement);
                    match part {
                        StudyPart::Iterations => {
                            accuracy.iterations.extend(self.iteration_rows(pair)?);
                        }
                        StudyPart::Frames => accuracy.frames.extend(self.frame_rows(pair)?),
                        // An order that does not suit the body, such as `sheet`, has no rows.
                        StudyPart::Drift => {
                            if let Ok(arranged) = arrangement.of(&self.body) {
                                accuracy.drift.extend(self.drift_rows(pair, &arranged)?);
                            }
                        }
                        StudyPart::Effort => {}
                    }
                    done += 1.0;
                }
            }
        }
        progress(Progress { share: 1.0, doing: "done" });
        Ok(accuracy)
    }

    /// The numbers of frames after which rows are made: the powers of two below `frames`, and
    /// `frames`.
    fn checkpoints(&self) -> Vec<usize> {
        let powers = (0..).map(|power| 1 << power).take_while(|&frame| frame < self.frames);
        powers.chain([self.frames]).collect()
    }
}
