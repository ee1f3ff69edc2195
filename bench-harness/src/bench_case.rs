//! Repeats the frames of a bench from the same start, and verifies the result of each run.

use taut::world::{Arranged, ArrangementError, Model};
use taut::{AnyKernel, Formula, Kernel, Plan, PlanError, ScalarKernel, StepError, Stretch};

use crate::runner::{Runner, State};
use crate::scenario::Scenario;

/// The number of frames that a model is simulated before its runs. In them it falls and stretches; the
/// state after them is the start of every run.
pub const WARMUP_FRAMES: usize = 60;
/// The maximum number of frames of a run. A model that settles gets denormal coordinates, which are
/// slow, so runs are short and restart.
pub const RUN_FRAMES: usize = 8;

/// A model of a scenario with one formula: the start of its runs, and the hash of the positions that
/// the scalar kernel computes, after each frame.
#[derive(Debug)]
pub struct BenchCase {
    scenario: Scenario,
    formula: Formula,
    /// The model at the start.
    model: Model,
    /// The start in the scenario's arrangement.
    arranged: Arranged,
    /// The hash of the positions at the start. All hashes of a bench case are of positions in the
    /// model's numbering.
    start_hash: u64,
    /// The hash after each frame of the scalar kernel.
    expected_hashes: [u64; RUN_FRAMES],
}

/// Why a bench case cannot be set up.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchCaseError {
    /// The arrangement does not suit the model.
    #[error(transparent)]
    Arrangement(#[from] ArrangementError),
    /// A plan cannot be built.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The step is invalid.
    #[error(transparent)]
    Step(#[from] StepError),
}

/// Why a run is invalid.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidRun {
    /// A position is NaN or infinite.
    #[error("a position is not finite")]
    NotFinite,
    /// No position changed.
    #[error("no particle moved")]
    NothingMoved,
    /// The result differs from that of the scalar kernel.
    #[error("the positions have hash {found:016x}; expected {expected:016x} (scalar kernel)")]
    DifferentBits {
        /// The hash of the scalar kernel's positions.
        expected: u64,
        /// The hash of this run's positions.
        found: u64,
    },
    /// The residual is above the bound of the scenario.
    #[error("the rms residual is {rms}; expected at most {bound}")]
    ResidualTooLarge {
        /// The residual.
        rms: f64,
        /// The bound.
        bound: f64,
    },
}

impl BenchCase {
    /// Simulates a [model](Scenario::model) of the scenario for [`WARMUP_FRAMES`], then runs the scalar
    /// kernel from there for the expected hashes.
    ///
    /// # Errors
    /// If the arrangement does not suit the model, a plan cannot be made, or the step is invalid.
    pub fn new(
        scenario: Scenario,
        mut model: Model,
        formula: Formula,
    ) -> Result<Self, BenchCaseError> {
        let step = scenario.step();
        let mut arranged = scenario.arrangement.of(&model)?;
        let Arranged { particles, sticks, schedule, renumbering } = &mut arranged;
        // Any kernel can warm up: the bits are the same.
        let mut plan = AnyKernel::best_for(schedule).plan(particles, sticks, schedule, formula)?;
        for _ in 0..WARMUP_FRAMES {
            let _ = plan.step(particles, sticks, &step)?;
        }
        model.particles = match renumbering {
            Some(renumbering) => renumbering.undo(particles),
            None => particles.clone(),
        };
        let scalar = AnyKernel::Scalar(ScalarKernel);
        let mut reference = Runner::kernel(&scalar, &arranged, formula)?;
        let mut expected_hashes = [0; RUN_FRAMES];
        for hash in &mut expected_hashes {
            let _ = reference.step(&step)?;
            *hash = reference.particles(&model).hash();
        }
        let start_hash = model.particles.hash();
        Ok(Self { scenario, formula, model, arranged, start_hash, expected_hashes })
    }

    /// Prepares a run with a kernel, at the start.
    ///
    /// # Errors
    /// If the kernel does not support the schedule.
    pub fn start_run(&self, kernel: &AnyKernel) -> Result<Run<'_>, BenchCaseError> {
        let runner = Runner::kernel(kernel, &self.arranged, self.formula)?;
        Ok(Run { case: self, start: runner.state(), runner, finite: true, checks_bits: true })
    }

    /// Prepares a run with the textbook loop, from the same start. Its order and arithmetic differ, so
    /// its bits are not compared.
    pub fn start_textbook_run(&self) -> Run<'_> {
        let runner = Runner::textbook(&self.model);
        Run { case: self, start: runner.state(), runner, finite: true, checks_bits: false }
    }
}

/// A run of a kernel or of the textbook loop, from the start of a bench case.
#[derive(Debug)]
pub struct Run<'a> {
    case: &'a BenchCase,
    runner: Runner,
    start: State,
    /// Whether all positions were finite since the start; always true for the textbook loop, which does
    /// not check them.
    finite: bool,
    /// Whether [`verify`](Self::verify) compares the bits with those of the scalar kernel.
    checks_bits: bool,
}

impl Run<'_> {
    /// Restores the start.
    pub fn rewind(&mut self) {
        self.runner.rewind(&self.start);
        self.finite = true;
    }

    /// Runs frames. Benches time this call.
    ///
    /// # Panics
    /// Never: `BenchCase::new` has run the same step.
    #[inline]
    pub fn run_frames(&mut self, frames: usize) {
        let step = self.case.scenario.step();
        for _ in 0..frames {
            let status = self.runner.step(&step).expect("`BenchCase::new` has run this step");
            self.finite &= status.finite;
        }
    }

    /// Verifies the result after this number of frames since the start, and returns the stretch.
    ///
    /// # Errors
    /// If the result is invalid.
    ///
    /// # Panics
    /// If `frames` is more than [`RUN_FRAMES`].
    pub fn verify(&self, frames: usize) -> Result<Stretch, InvalidRun> {
        let Self { case, .. } = self;
        let particles = self.runner.particles(&case.model);
        let stretch = Stretch::of(&particles, &case.model.sticks);
        if !self.finite || !stretch.rms.is_finite() {
            return Err(InvalidRun::NotFinite);
        }
        let found = particles.hash();
        if found == case.start_hash {
            return Err(InvalidRun::NothingMoved);
        }
        match frames.checked_sub(1).map(|last| case.expected_hashes[last]) {
            Some(expected) if self.checks_bits && found != expected => {
                return Err(InvalidRun::DifferentBits { expected, found });
            }
            _ => {}
        }
        let bound = case.scenario.residual_rms_max;
        let rms = stretch.residual_rms();
        if rms > bound {
            return Err(InvalidRun::ResidualTooLarge { rms, bound });
        }
        Ok(stretch)
    }
}
