//! Runs the same frames with several configurations, in alternating rounds.

mod configuration;
mod references;

use std::borrow::Cow;
use std::collections::{BTreeMap, btree_map};
use std::iter::repeat_n;
use std::time::Instant;

use serde::Serialize;
use taut::world::{Arranged, Arrangement, ArrangementError, Model, ModelError, Numbering, Order};
use taut::{Formula, Kernel, ParticleError, PlanError, Step, StepError, Stretch, Tally};

use crate::row::{Row, TEXTBOOK};
use crate::runner::{Runner, State};
use references::References;

pub use configuration::{Baselines, Configuration};

/// The frame after which the distance from `f64` is measured (or the last, if there are fewer).
pub const EARLY_FRAME: usize = 10;
/// The number of rounds into which the timed frames are divided: in each round, every configuration
/// runs its share of them.
pub const ROUNDS: usize = 8;

/// The arrangement of the textbook loop.
const AUTHORED: Arrangement = Arrangement { order: Order::Authored, numbering: Numbering::Given };

/// A model, a step, and the configurations to compare.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The model.
    pub model: Model,
    /// How many copies of it are stepped together, side by side; usually 1.
    pub copies: usize,
    /// The step.
    pub step: Step<3>,
    /// Frames before timing starts.
    pub warmup: usize,
    /// Timed frames, at least one.
    pub frames: usize,
    /// How many times the timed frames run, at least once, each time from the state after the
    /// warm-up. Repeating gives more samples of short frames before the model settles.
    pub repeats: usize,
    /// The configurations.
    pub configurations: Vec<Configuration>,
    /// What is measured besides the configurations.
    pub baselines: Baselines,
}

/// One configuration with K iterations in one substep, and with K substeps of one iteration each.
/// There is no baseline, so the speedups are NaN.
#[derive(Clone, Debug, Serialize)]
pub struct SubstepComparison {
    /// Frames of 1 substep of K iterations.
    pub one_substep: Row,
    /// Frames of K substeps of 1 iteration.
    pub substeps_of_one_iteration: Row,
}

/// Why a comparison failed.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ComparisonError {
    /// `frames` or `repeats` is 0.
    #[error("at least one frame must be timed")]
    NoFrames,
    /// `copies` is 0.
    #[error("at least one copy of the model is needed")]
    NoCopies,
    /// The copies cannot be built.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// An arrangement does not suit the model.
    #[error(transparent)]
    Arrangement(#[from] ArrangementError),
    /// The step is invalid.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A plan cannot be built.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The particles are invalid.
    #[error(transparent)]
    Particles(#[from] ParticleError),
}

/// The progress of a measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress<'a> {
    /// The completed fraction, 0 to 1.
    pub share: f64,
    /// The current activity.
    pub doing: &'a str,
}

/// A configuration, with its results so far.
struct Entry {
    row: Row,
    runner: Runner,
    /// Durations of the timed frames, ns.
    nanoseconds: Vec<u64>,
    /// The number of frames that are done in the current repeat, including the warm-up.
    frames_done: usize,
    parameters: Parameters,
}

/// The settings of a configuration that determine the positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Parameters {
    formula: Formula,
    arrangement: Arrangement,
    substeps: u32,
    iterations: u32,
}

/// The model of a comparison in each of its arrangements.
pub(crate) type ArrangedModels = BTreeMap<Arrangement, Arranged>;

impl Comparison {
    /// Runs the comparison and returns the row of the textbook loop, if it is a baseline, then one
    /// for each configuration.
    ///
    /// # Errors
    /// If `copies`, `frames` or `repeats` is 0, a configuration cannot be set up, or the step is invalid.
    pub fn run(&self, mut progress: impl FnMut(Progress<'_>)) -> Result<Vec<Row>, ComparisonError> {
        progress(Progress { share: 0.0, doing: "arranging the model" });
        self.run_arranged(&self.arranged()?, progress)
    }

    /// The model in all arrangements of the comparison.
    pub(crate) fn arranged(&self) -> Result<ArrangedModels, ComparisonError> {
        self.validate()?;
        let Baselines { textbook, double } = self.baselines;
        let reference = (textbook && double).then_some(AUTHORED);
        let all = self.configurations.iter().map(|one| one.arrangement).chain(reference);
        let mut arranged = BTreeMap::new();
        for arrangement in all {
            if let btree_map::Entry::Vacant(vacant) = arranged.entry(arrangement) {
                vacant.insert(arrangement.of_copies(&self.model, self.copies)?);
            }
        }
        Ok(arranged)
    }

    /// Like [`run`](Self::run), with the result of [`arranged`](Self::arranged).
    pub(crate) fn run_arranged(
        &self,
        arranged: &ArrangedModels,
        progress: impl FnMut(Progress<'_>),
    ) -> Result<Vec<Row>, ComparisonError> {
        let valid = self.validate()?;
        let textbook = self.baselines.textbook.then(|| valid.textbook_entry());
        let mut entries: Vec<Entry> = textbook.into_iter().collect();
        for configuration in &self.configurations {
            let arranged = &arranged[&configuration.arrangement];
            entries.push(valid.kernel_entry(configuration, &self.step, arranged)?);
        }
        let mut rows = valid.run_in_rounds(entries, arranged, progress)?;
        set_speedups(&mut rows);
        Ok(rows)
    }

    /// Runs the fastest configuration in two ways, in alternating rounds: with the K iterations of
    /// the step in one substep, and with K substeps of one iteration. `rows` are those of
    /// [`run`](Self::run).
    ///
    /// `None` if the step is not one substep of several iterations, if such substeps are too short
    /// for a [`Step`], or if every configuration [blew up](Row::blew_up).
    ///
    /// # Errors
    /// Same as [`run`](Self::run).
    pub fn compare_substeps(
        &self,
        rows: &[Row],
        progress: impl FnMut(Progress<'_>),
    ) -> Result<Option<SubstepComparison>, ComparisonError> {
        let valid = self.validate()?;
        let as_substeps = Step { substeps: self.step.iterations, iterations: 1, ..self.step };
        let is_one_substep = self.step.substeps == 1 && self.step.iterations > 1;
        if !is_one_substep || as_substeps.motion().is_err() {
            return Ok(None);
        }
        let Some(fastest) = self.fastest(rows) else { return Ok(None) };
        let arranged = fastest.arrangement.of_copies(&self.model, self.copies)?;
        let entries =
            [self.step, as_substeps].map(|step| valid.kernel_entry(fastest, &step, &arranged));
        let entries = entries.into_iter().collect::<Result<_, _>>()?;
        let arranged = BTreeMap::from([(fastest.arrangement, arranged)]);
        let mut rows = valid.run_in_rounds(entries, &arranged, progress)?.into_iter();
        let pair = rows.next().zip(rows.next());
        Ok(pair.map(|(one_substep, substeps_of_one_iteration)| SubstepComparison {
            one_substep,
            substeps_of_one_iteration,
        }))
    }

    /// The fastest configuration that did not blow up.
    fn fastest(&self, rows: &[Row]) -> Option<&Configuration> {
        let rows = rows.iter().skip(usize::from(self.baselines.textbook));
        let bounded = self.configurations.iter().zip(rows).filter(|(_, row)| !row.blew_up());
        bounded
            .min_by(|(_, one), (_, other)| one.frame_us_median.total_cmp(&other.frame_us_median))
            .map(|(configuration, _)| configuration)
    }

    fn validate(&self) -> Result<ValidComparison<'_>, ComparisonError> {
        if self.frames == 0 || self.repeats == 0 {
            return Err(ComparisonError::NoFrames);
        }
        self.step.motion()?;
        Ok(ValidComparison { comparison: self, all_copies: all_copies(&self.model, self.copies)? })
    }

    fn step_of(&self, parameters: Parameters) -> Step<3> {
        Step { substeps: parameters.substeps, iterations: parameters.iterations, ..self.step }
    }

    /// The stick relaxations of a row in all frames, warm-up included.
    pub(crate) fn relaxations_in_all_frames(&self) -> f64 {
        let Step { substeps, iterations, .. } = self.step;
        let frames = self.warmup + self.frames * self.repeats;
        let sticks = self.model.sticks.len() * self.copies;
        sticks as f64 * f64::from(substeps) * f64::from(iterations) * frames as f64
    }

    /// The frame after which the distance from `f64` is measured.
    pub fn early_frame(&self) -> usize {
        EARLY_FRAME.min(self.warmup + self.frames)
    }
}

/// Copies of a model as one model.
pub(crate) fn all_copies(model: &Model, copies: usize) -> Result<Cow<'_, Model>, ComparisonError> {
    Ok(match copies {
        0 => return Err(ComparisonError::NoCopies),
        1 => Cow::Borrowed(model),
        copies => Cow::Owned(Model::side_by_side(repeat_n(model, copies))?),
    })
}

/// A comparison whose counts and step are valid.
struct ValidComparison<'a> {
    comparison: &'a Comparison,
    /// All copies of the model, side by side.
    all_copies: Cow<'a, Model>,
}

impl ValidComparison<'_> {
    /// Runs all frames of the entries, in rounds, and returns a row without speedups for each.
    fn run_in_rounds(
        &self,
        mut entries: Vec<Entry>,
        arranged: &ArrangedModels,
        mut progress: impl FnMut(Progress<'_>),
    ) -> Result<Vec<Row>, ComparisonError> {
        let &Comparison { warmup, frames, repeats, .. } = self.comparison;
        let mut references = References::new(self.comparison, arranged);
        let total = (entries.len() * (warmup + frames * repeats)) as f64;
        let mut done = 0.0;
        let mut advance = |entry: &mut Entry, up_to| {
            progress(Progress { share: done / total, doing: &entry.row.name() });
            done += (up_to - entry.frames_done) as f64;
            self.advance(entry, up_to, &mut references)
        };
        for entry in &mut entries {
            advance(entry, warmup)?;
        }
        let starts: Vec<State> = entries.iter().map(|entry| entry.runner.state()).collect();
        for repeat in 0..repeats {
            if repeat > 0 {
                for (entry, start) in entries.iter_mut().zip(&starts) {
                    entry.runner.rewind(start);
                    entry.frames_done = warmup;
                }
            }
            for round in 1..=ROUNDS {
                for entry in &mut entries {
                    advance(entry, warmup + frames * round / ROUNDS)?;
                }
            }
        }
        progress(Progress { share: 1.0, doing: "done" });
        Ok(entries.into_iter().map(|entry| self.finished_row(entry)).collect())
    }

    fn textbook_entry(&self) -> Entry {
        let parameters = Parameters::new(Formula::Exact, AUTHORED, &self.comparison.step);
        let row = Row { kernel: TEXTBOOK, inner: TEXTBOOK, ..self.row(parameters) };
        self.entry(row, Runner::textbook(&self.all_copies), parameters)
    }

    fn kernel_entry(
        &self,
        configuration: &Configuration,
        step: &Step<3>,
        arranged: &Arranged,
    ) -> Result<Entry, ComparisonError> {
        let &Configuration { ref kernel, formula, arrangement } = configuration;
        let parameters = Parameters::new(formula, arrangement, step);
        let row = Row {
            kernel: Kernel::<3>::name(kernel),
            inner: Kernel::<3>::name(kernel.inner()),
            isa: Kernel::<3>::isa(kernel),
            lanes: Kernel::<3>::lanes(kernel),
            threads: Kernel::<3>::threads(kernel),
            ..self.row(parameters)
        };
        Ok(self.entry(row, Runner::kernel(kernel, arranged, formula)?, parameters))
    }

    fn entry(&self, row: Row, runner: Runner, parameters: Parameters) -> Entry {
        let nanoseconds = Vec::with_capacity(self.comparison.frames * self.comparison.repeats);
        Entry { row, runner, nanoseconds, frames_done: 0, parameters }
    }

    /// A row with the values that are known before the first frame.
    fn row(&self, parameters: Parameters) -> Row {
        let Parameters { formula, arrangement, substeps, iterations } = parameters;
        let Model { particles, sticks, .. } = &*self.all_copies;
        let Tally { divisions, square_roots, estimates, .. } =
            taut_scalar::count_operations(particles, sticks, formula);
        let iterations_per_frame = u64::from(substeps) * u64::from(iterations);
        Row {
            kernel: "",
            inner: "",
            isa: "scalar",
            lanes: 1,
            formula: formula.name(),
            schedule: arrangement.to_string(),
            threads: 1,
            particles: particles.len(),
            sticks: sticks.len(),
            substeps,
            iterations,
            dt_s: self.comparison.step.dt,
            frames: self.comparison.frames,
            frame_us_median: f64::NAN,
            frame_us_fastest: f64::NAN,
            ns_per_stick_median: f64::NAN,
            ns_per_stick_fastest: f64::NAN,
            speedup_over_textbook: f64::NAN,
            speedup_over_scalar: f64::NAN,
            speedup_over_one_thread: None,
            divisions_per_frame: divisions * iterations_per_frame,
            square_roots_per_frame: square_roots * iterations_per_frame,
            estimates_per_frame: estimates * iterations_per_frame,
            stretch_rms: f64::NAN,
            stretch_max: f64::NAN,
            compression_rms: f64::NAN,
            compression_max: f64::NAN,
            error_vs_f64: f64::NAN,
            finite: true,
            hash: 0,
        }
    }

    /// Runs an entry until `up_to` frames are done; times those after the warm-up.
    fn advance(
        &self,
        entry: &mut Entry,
        up_to: usize,
        references: &mut References<'_>,
    ) -> Result<(), ComparisonError> {
        let step = self.comparison.step_of(entry.parameters);
        while entry.frames_done < up_to {
            let start = Instant::now();
            let status = entry.runner.step(&step)?;
            let elapsed = start.elapsed();
            entry.row.finite &= status.finite;
            if entry.frames_done >= self.comparison.warmup {
                entry.nanoseconds.push(u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX));
            }
            entry.frames_done += 1;
            let is_early_frame = entry.frames_done == self.comparison.early_frame();
            if is_early_frame && self.comparison.baselines.double {
                let positions = entry.runner.positions();
                entry.row.error_vs_f64 =
                    references.largest_distance(entry.parameters, &positions)?;
            }
        }
        Ok(())
    }

    fn finished_row(&self, mut entry: Entry) -> Row {
        entry.nanoseconds.sort_unstable();
        let fastest = entry.nanoseconds[0] as f64;
        let median = entry.nanoseconds[entry.nanoseconds.len() / 2] as f64;
        let Row { sticks, iterations, substeps, .. } = entry.row;
        let relaxations = sticks as f64 * f64::from(iterations) * f64::from(substeps);
        let particles = entry.runner.particles(&self.all_copies);
        let finite = (0..3).all(|axis| particles.positions(axis).iter().all(|x| x.is_finite()));
        let stretch = Stretch::of(&particles, &self.all_copies.sticks);
        Row {
            frame_us_median: median / 1e3,
            frame_us_fastest: fastest / 1e3,
            ns_per_stick_median: median / relaxations,
            ns_per_stick_fastest: fastest / relaxations,
            stretch_rms: stretch.rms,
            stretch_max: stretch.max,
            compression_rms: stretch.compression_rms,
            compression_max: stretch.compression_max,
            finite: entry.row.finite && finite,
            hash: particles.hash(),
            ..entry.row
        }
    }
}

impl Parameters {
    fn new(formula: Formula, arrangement: Arrangement, step: &Step<3>) -> Self {
        let &Step { substeps, iterations, .. } = step;
        Self { formula, arrangement, substeps, iterations }
    }
}

fn set_speedups(rows: &mut [Row]) {
    let best_median = |kernel: &str| {
        let times = rows.iter().filter(|row| row.kernel == kernel).map(|row| row.frame_us_median);
        times.min_by(f64::total_cmp).unwrap_or(f64::NAN)
    };
    let (textbook, scalar) = (best_median(TEXTBOOK), best_median("scalar"));
    // On one thread, the kernel `colour` does the work of its inner kernel, so rows are matched by `inner`.
    let single_threaded: Vec<Row> = rows.iter().filter(|row| row.threads == 1).cloned().collect();
    for row in rows {
        row.speedup_over_textbook = textbook / row.frame_us_median;
        row.speedup_over_scalar = scalar / row.frame_us_median;
        let variant = |row: &Row| (row.inner, row.isa, row.formula, row.schedule.clone());
        let one_thread = single_threaded.iter().find(|one| variant(one) == variant(row));
        row.speedup_over_one_thread =
            one_thread.map(|one| one.frame_us_median / row.frame_us_median);
    }
}
