//! Measures which arrangements, formulas and steps stay bounded.

use serde::Serialize;
use taut::world::{Arranged, Arrangement, Model, StickSet};
use taut::{AnyKernel, Formula, Kernel, Plan, Schedule, Step, Stretch};

use crate::comparison::{ComparisonError, Progress};

/// The default bound of stretch and compression. It is far above the stretch of the softest simulations
/// that stay bounded: in docs/stability.md none of them ends with a stick whose stretch is above 57.
pub const BOUND: f64 = 100.0;

/// A model and its name in reports.
#[derive(Clone, Debug)]
pub struct Subject {
    /// `drape`, `disc`, ...
    pub name: String,
    /// Its size as passed to its builder, such as the rows of `drape`.
    pub size: usize,
    /// Its stick set.
    pub set: StickSet,
    /// The model itself.
    pub model: Model,
}

/// Runs a model with every combination of arrangement, formula and step, each from the initial
/// state.
#[derive(Clone, Debug)]
pub struct Survey {
    /// The model.
    pub subject: Subject,
    /// The arrangements.
    pub arrangements: Vec<Arrangement>,
    /// The formulas.
    pub formulas: Vec<Formula>,
    /// The steps.
    pub steps: Vec<Step<3>>,
    /// The number of frames.
    pub frames: usize,
    /// The stretch or compression that no stick may exceed after any frame; see [`BOUND`].
    pub bound: f64,
}

/// The result of one combination.
#[derive(Clone, Debug, Serialize)]
pub struct Stability {
    /// The subject's name.
    #[serde(rename = "scene")]
    pub model: String,
    /// Its size.
    pub size: usize,
    /// The name of its stick set.
    pub sticks: &'static str,
    /// The name of the arrangement.
    #[serde(rename = "schedule")]
    pub arrangement: String,
    /// Whether the schedule is the default: [`Schedule::for_mesh`], or
    /// [`Sheet::schedule`](taut::Sheet::schedule) of a sheet.
    pub default_schedule: bool,
    /// The formula.
    pub formula: &'static str,
    /// The kernel that ran it. All kernels give the same bits.
    pub kernel: &'static str,
    /// Its instruction set.
    pub isa: &'static str,
    /// Substeps per frame.
    pub substeps: u32,
    /// Iterations per substep.
    pub iterations: u32,
    /// The length of a frame, s.
    pub dt_s: f32,
    /// The requested number of frames.
    pub frames: usize,
    /// The bound of stretch and compression.
    pub bound: f64,
    /// The first frame, counted from 1, after which a stick exceeded the bound or a position was
    /// not finite.
    pub left_bounds_at: Option<usize>,
    /// Whether every position was finite after every frame. The run ends after the first frame in
    /// which one was not.
    pub finite: bool,
    /// Root mean square of the stretch at the end of the run, as in [`Stretch`].
    pub stretch_rms: f64,
    /// The largest stretch at the end of the run.
    pub stretch_max: f64,
    /// Root mean square of the compression at the end of the run.
    pub compression_rms: f64,
    /// The largest compression at the end of the run.
    pub compression_max: f64,
}

impl Stability {
    /// Whether it stayed within the bound in all frames.
    pub fn bounded(&self) -> bool {
        self.left_bounds_at.is_none()
    }

    /// Whether it is a default schedule with the default formula.
    pub fn is_default(&self) -> bool {
        self.default_schedule && self.formula == Formula::default().name()
    }
}

impl Survey {
    /// Runs every combination, arrangement by arrangement, step by step and formula by formula,
    /// each on the fastest kernel for its schedule.
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
            let default_schedule = is_default_schedule(model, &arranged.schedule);
            for step in &self.steps {
                for &formula in &self.formulas {
                    let share = rows.len() as f64 / total as f64;
                    let doing = format!("{name} {size} {set}: {arrangement}, {formula}");
                    progress(Progress { share, doing: &doing });
                    let row = Stability {
                        model: name.clone(),
                        size: *size,
                        sticks: set.name(),
                        arrangement: arrangement.to_string(),
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
                    rows.push(row.measured(&arranged, &kernel, formula, step)?);
                }
            }
        }
        progress(Progress { share: 1.0, doing: "done" });
        Ok(rows)
    }
}

impl Stability {
    /// Runs the frames and fills in the results.
    fn measured(
        self,
        arranged: &Arranged,
        kernel: &AnyKernel,
        formula: Formula,
        step: &Step<3>,
    ) -> Result<Self, ComparisonError> {
        let BoundedRun { left_bounds_at, finite, stretch } =
            BoundedRun::simulate(arranged, kernel, formula, step, self.frames, self.bound)?;
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

/// The result of running frames from the initial state against a bound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundedRun {
    /// The first frame, counted from 1, after which a stick exceeded the bound or a position was
    /// not finite.
    pub(crate) left_bounds_at: Option<usize>,
    /// Whether every position was finite after every frame. The run ends after the first frame in
    /// which one was not.
    pub(crate) finite: bool,
    /// The stretch at the end of the run.
    pub(crate) stretch: Stretch,
}

impl BoundedRun {
    /// Simulates the frames on a copy of the particles, up to the first position that is not finite.
    pub(crate) fn simulate(
        arranged: &Arranged,
        kernel: &AnyKernel,
        formula: Formula,
        step: &Step<3>,
        frames: usize,
        bound: f64,
    ) -> Result<Self, ComparisonError> {
        let Arranged { sticks, schedule, .. } = arranged;
        let mut particles = arranged.particles.clone();
        let mut plan = kernel.plan(&particles, sticks, schedule, formula)?;
        let stretch = Stretch::of(&particles, sticks);
        let mut run = Self { left_bounds_at: None, finite: true, stretch };
        for frame in 1..=frames {
            run.finite = plan.step(&mut particles, sticks, step)?.finite;
            run.stretch = Stretch::of(&particles, sticks);
            let is_within = run.finite && run.stretch.residual_max() <= bound;
            if !is_within && run.left_bounds_at.is_none() {
                run.left_bounds_at = Some(frame);
            }
            if !run.finite {
                break;
            }
        }
        Ok(run)
    }
}

fn is_default_schedule(model: &Model, schedule: &Schedule) -> bool {
    let sheet_schedule = model.sheet.as_ref().and_then(|sheet| sheet.schedule(&model.sticks).ok());
    // The particles of the schedule may be renumbered.
    let schedule = schedule.renumbered(&model.sticks).ok();
    schedule.is_some()
        && (schedule == sheet_schedule
            || schedule == Some(Schedule::for_mesh(&model.particles, &model.sticks)))
}

/// The fastest kernel for a schedule: the scalar kernel if every batch is one stick, because such
/// batches use a single lane.
fn fastest_for(schedule: &Schedule) -> AnyKernel {
    let scalar = || AnyKernel::named("scalar").ok();
    let has_only_single_sticks = schedule.batches().all(|batch| batch.len() == 1);
    has_only_single_sticks.then(scalar).flatten().unwrap_or_else(|| AnyKernel::best_for(schedule))
}
