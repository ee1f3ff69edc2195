//! Measures which orders, formulas and steps stay bounded.

use serde::Serialize;
use taut::world::{Arranged, Arrangement, Model, StickSet};
use taut::{AnyKernel, Formula, Kernel, Plan, Schedule, Step, Stretch};

use crate::comparison::{ComparisonError, Progress};

/// The default bound of |stretch|: far above that of the softest bounded simulation (a sheet of
/// 128 rows with one iteration a frame).
pub const BOUND: f64 = 100.0;

/// A model and its name in reports.
#[derive(Clone, Debug)]
pub struct Subject {
    /// `drape`, `disc`, ...
    pub name: String,
    /// Its size, in the unit of its builder.
    pub size: usize,
    /// Its sticks.
    pub set: StickSet,
    /// The model itself.
    pub model: Model,
}

/// A model in every combination of these, each run from the start.
#[derive(Clone, Debug)]
pub struct Survey {
    /// The model.
    pub subject: Subject,
    /// The orders and numberings.
    pub arrangements: Vec<Arrangement>,
    /// The formulas.
    pub formulas: Vec<Formula>,
    /// How.
    pub steps: Vec<Step<3>>,
    /// The number of frames.
    pub frames: usize,
    /// The |stretch| that no stick may exceed after any frame; see [`BOUND`].
    pub bound: f64,
}

/// The result of one combination.
#[derive(Clone, Debug, Serialize)]
pub struct Stability {
    /// The subject's name.
    pub scene: String,
    /// Its size.
    pub size: usize,
    /// The name of its set of sticks.
    pub sticks: &'static str,
    /// The arrangement.
    pub schedule: String,
    /// Whether the schedule is the default: [`Schedule::for_mesh`], or
    /// [`Sheet::schedule`](taut::Sheet::schedule) of a sheet.
    pub default_schedule: bool,
    /// The formula.
    pub formula: &'static str,
    /// The kernel that ran it; its bits are those of all kernels.
    pub kernel: &'static str,
    /// Its instruction set.
    pub isa: &'static str,
    /// Substeps a frame.
    pub substeps: u32,
    /// Iterations a substep.
    pub iterations: u32,
    /// The length of a frame, s.
    pub dt_s: f32,
    /// The requested number of frames.
    pub frames: usize,
    /// The bound of |stretch|.
    pub bound: f64,
    /// After which frame (the first is 1) a stick exceeded it, or a position was not finite.
    pub left_bounds_at: Option<usize>,
    /// Whether every position was finite after every frame; the first that is not ends the run.
    pub finite: bool,
    /// Root mean square of the stretch at the end, as in [`Stretch`]; likewise below.
    pub stretch_rms: f64,
    /// The largest stretch.
    pub stretch_max: f64,
    /// Root mean square of the compression.
    pub compression_rms: f64,
    /// The largest compression.
    pub compression_max: f64,
}

impl Stability {
    /// Whether it stayed within bounds in all frames.
    pub fn bounded(&self) -> bool {
        self.left_bounds_at.is_none()
    }

    /// Whether it is a default schedule with the default formula.
    pub fn is_default(&self) -> bool {
        self.default_schedule && self.formula == Formula::default().name()
    }
}

impl Survey {
    /// Runs it: arrangement by arrangement, step by step, formula by formula, each on the
    /// fastest kernel that runs it.
    ///
    /// # Errors
    /// If a combination cannot be set up, or a step is invalid.
    pub fn run(
        &self,
        mut progress: impl FnMut(Progress<'_>),
    ) -> Result<Vec<Stability>, ComparisonError> {
        let Subject { name, size, set, model } = &self.subject;
        let total = self.arrangements.len() * self.steps.len() * self.formulas.len();
        let mut rows = Vec::with_capacity(total);
        for &arrangement in &self.arrangements {
            let arranged = arrangement.of(model)?;
            let kernel = fastest_for(&arranged.schedule);
            let default_schedule = is_default(model, &arranged.schedule);
            for step in &self.steps {
                for &formula in &self.formulas {
                    let share = rows.len() as f64 / total as f64;
                    let doing = format!("{name} {size} {set}: {arrangement}, {formula}");
                    progress(Progress { share, doing: &doing });
                    let before = Stability {
                        scene: name.clone(),
                        size: *size,
                        sticks: set.name(),
                        schedule: arrangement.to_string(),
                        default_schedule,
                        formula: formula.name(),
                        kernel: Kernel::<3>::name(&kernel),
                        isa: Kernel::<3>::isa(&kernel),
                        substeps: step.substeps,
                        iterations: step.iterations,
                        dt_s: step.dt,
                        frames: self.frames,
                        bound: self.bound,
                        left_bounds_at: None,
                        finite: true,
                        stretch_rms: f64::NAN,
                        stretch_max: f64::NAN,
                        compression_rms: f64::NAN,
                        compression_max: f64::NAN,
                    };
                    rows.push(before.after(&arranged, &kernel, formula, step)?);
                }
            }
        }
        progress(Progress { share: 1.0, doing: "done" });
        Ok(rows)
    }
}

impl Stability {
    fn after(
        self,
        on: &Arranged,
        kernel: &AnyKernel,
        formula: Formula,
        step: &Step<3>,
    ) -> Result<Self, ComparisonError> {
        let Watched { left_bounds_at, finite, stretch } =
            Watched::run(on, kernel, formula, step, self.frames, self.bound)?;
        Ok(Self {
            left_bounds_at,
            finite,
            stretch_rms: stretch.rms,
            stretch_max: stretch.max,
            compression_rms: stretch.compression_rms,
            compression_max: stretch.compression_max,
            ..self
        })
    }
}

/// The result of some frames from the start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watched {
    /// After which frame (the first is 1) a stick's |stretch| exceeded the bound, or a position
    /// was not finite.
    pub(crate) left_bounds_at: Option<usize>,
    /// Whether every position was finite after every frame; the first that is not ends the run.
    pub(crate) finite: bool,
    /// At the end.
    pub(crate) stretch: Stretch,
}

impl Watched {
    pub(crate) fn run(
        on: &Arranged,
        kernel: &AnyKernel,
        formula: Formula,
        step: &Step<3>,
        frames: usize,
        bound: f64,
    ) -> Result<Self, ComparisonError> {
        let mut particles = on.particles.clone();
        let mut plan = kernel.plan(&particles, &on.sticks, &on.schedule, formula)?;
        let stretch = Stretch::of(&particles, &on.sticks);
        let mut watched = Self { left_bounds_at: None, finite: true, stretch };
        for frame in 1..=frames {
            watched.finite = plan.step(&mut particles, &on.sticks, step)?.finite;
            watched.stretch = Stretch::of(&particles, &on.sticks);
            let within = watched.finite && watched.stretch.residual_max() <= bound;
            if !within && watched.left_bounds_at.is_none() {
                watched.left_bounds_at = Some(frame);
            }
            if !watched.finite {
                break;
            }
        }
        Ok(watched)
    }
}

fn is_default(model: &Model, schedule: &Schedule) -> bool {
    let of_sheet = model.sheet.as_ref().and_then(|sheet| sheet.schedule(&model.sticks).ok());
    of_sheet.as_ref() == Some(schedule)
        || *schedule == Schedule::for_mesh(&model.particles, &model.sticks)
}

fn fastest_for(schedule: &Schedule) -> AnyKernel {
    // Batches of one stick use a single lane.
    let scalar = || AnyKernel::named("scalar").ok();
    let lonely = schedule.batches().all(|batch| batch.len() == 1);
    lonely.then(scalar).flatten().unwrap_or_else(|| AnyKernel::best_for(schedule))
}
