//! What one bench does, over and over from the same start, and how it is known that it did.

use taut::world::Model;
use taut::{AnyKernel, Formula, Kernel, Plan, PlanError, ScalarKernel, StepError, Stretch};

use crate::runner::{Runner, State};
use crate::scenario::Scenario;
use taut::world::{Arranged, ArrangementError};

/// Frames before the start: a scene that has begun to fall and stretch.
pub const WARMUP_FRAMES: usize = 60;
/// How many frames a run has at most. Then it starts again: left alone, a scene would come to
/// rest, and its smallest coordinates would become denormal numbers, which are slow.
pub const COURSE_FRAMES: usize = 8;

/// A scene of a scenario with one formula: where its runs start, and what the scalar kernel
/// gives after each frame.
#[derive(Debug)]
pub struct Course {
    scenario: Scenario,
    formula: Formula,
    /// At the start.
    scene: Model,
    /// The same in the scenario's arrangement.
    arranged: Arranged,
    start_hash: u64,
    expected: [u64; COURSE_FRAMES],
}

/// Why there is no course.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CourseError {
    /// By the arrangement.
    #[error(transparent)]
    Arrangement(#[from] ArrangementError),
    /// By a plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// By the step.
    #[error(transparent)]
    Step(#[from] StepError),
}

/// What is wrong with a run.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsound {
    /// A position is NaN or infinite.
    #[error("a position is not finite")]
    NotFinite,
    /// As if nothing had been done.
    #[error("no particle moved")]
    NothingMoved,
    /// Another answer than the scalar kernel's.
    #[error("the positions have hash {found:016x}; the scalar kernel's have {expected:016x}")]
    OtherBits {
        /// The scalar kernel's.
        expected: u64,
        /// This one's.
        found: u64,
    },
    /// The sticks are not relaxed.
    #[error("the rms residual is {rms}, and {bound} at most is stated")]
    Stretched {
        /// What it is.
        rms: f64,
        /// What is stated.
        bound: f64,
    },
}

impl Course {
    /// Lets a [scene](Scenario::scene) of the scenario run to the start, and the scalar kernel
    /// on from there.
    ///
    /// # Errors
    /// If the scene cannot be arranged so, or the step is not sane.
    pub fn new(
        scenario: Scenario,
        mut scene: Model,
        formula: Formula,
    ) -> Result<Self, CourseError> {
        let step = scenario.step();
        let mut arranged = scenario.arrangement.of(&scene)?;
        let Arranged { particles, sticks, schedule, renumbering } = &mut arranged;
        // Whoever warms up: the bits are the same.
        let mut plan = AnyKernel::best_for(schedule).plan(particles, sticks, schedule, formula)?;
        for _ in 0..WARMUP_FRAMES {
            let _ = plan.step(particles, sticks, &step)?;
        }
        scene.particles = renumbering.as_ref().map_or(particles.clone(), |it| it.undo(particles));
        let scalar = AnyKernel::Scalar(ScalarKernel);
        let mut reference = Runner::kernel(&scalar, &arranged, formula)?;
        let mut expected = [0; COURSE_FRAMES];
        for hash in &mut expected {
            let _ = reference.step(&step)?;
            *hash = reference.particles(&scene).hash();
        }
        let start_hash = scene.particles.hash();
        Ok(Self { scenario, formula, scene, arranged, start_hash, expected })
    }

    /// A kernel on it.
    ///
    /// # Errors
    /// If the kernel refuses the schedule.
    pub fn run(&self, kernel: &AnyKernel) -> Result<Run<'_>, CourseError> {
        let runner = Runner::kernel(kernel, &self.arranged, self.formula)?;
        Ok(Run { course: self, start: runner.state(), runner, finite: true, expects_bits: true })
    }

    /// The textbook loop on it, from the same start. It has an order and an arithmetic of its
    /// own, so its bits are its own.
    pub fn run_textbook(&self) -> Run<'_> {
        let runner = Runner::textbook(&self.scene);
        Run { course: self, start: runner.state(), runner, finite: true, expects_bits: false }
    }
}

/// Somebody on a course.
#[derive(Debug)]
pub struct Run<'a> {
    course: &'a Course,
    runner: Runner,
    start: State,
    finite: bool,
    expects_bits: bool,
}

impl Run<'_> {
    /// Back to the start.
    pub fn rewind(&mut self) {
        self.runner.rewind(&self.start);
        self.finite = true;
    }

    /// Does frames: this is what is timed.
    ///
    /// # Panics
    /// Never: the course has done such steps.
    #[inline]
    pub fn frames(&mut self, frames: usize) {
        let step = self.course.scenario.step();
        for _ in 0..frames {
            let status = self.runner.step(&step).expect("the course has done such steps");
            self.finite &= status.finite;
        }
    }

    /// Whether the frames since the start were done, and how far the sticks are from rest.
    ///
    /// # Errors
    /// What is wrong.
    ///
    /// # Panics
    /// If more than [`COURSE_FRAMES`] are asked for.
    pub fn verified(&self, frames: usize) -> Result<Stretch, Unsound> {
        let Self { course, .. } = self;
        let particles = self.runner.particles(&course.scene);
        let stretch = Stretch::of(&particles, &course.scene.sticks);
        if !self.finite || !stretch.rms.is_finite() {
            return Err(Unsound::NotFinite);
        }
        let found = particles.hash();
        if found == course.start_hash {
            return Err(Unsound::NothingMoved);
        }
        match frames.checked_sub(1).map(|last| course.expected[last]) {
            Some(expected) if self.expects_bits && found != expected => {
                return Err(Unsound::OtherBits { expected, found });
            }
            _ => {}
        }
        let bound = course.scenario.stretch_rms_bound;
        let rms = stretch.residual_rms();
        if rms > bound {
            return Err(Unsound::Stretched { rms, bound });
        }
        Ok(stretch)
    }
}
