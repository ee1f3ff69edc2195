//! Contestants doing the same frames in turn.

use std::collections::BTreeMap;
use std::time::Instant;

use taut::world::{Arranged, Arrangement, ArrangementError, Model, Numbering, Order};
use taut::{
    AnyKernel, Formula, Kernel, ParticleError, Plan, PlanError, ScalarKernel, Step, StepError,
    Stretch, Tally,
};

use crate::row::Row;
use crate::runner::{Runner, State};
use crate::twins::in_double;

/// After how many frames the distance from `f64` is taken (or after all, if there are fewer).
pub const EARLY_FRAME: usize = 10;
/// In how many rounds the timed frames are done: contestants take turns, one round each.
pub const ROUNDS: usize = 8;

pub(crate) const TEXTBOOK: &str = "textbook";
const AUTHORED: Arrangement = Arrangement { order: Order::Authored, numbering: Numbering::Given };

/// A kernel, a formula and an arrangement.
#[derive(Clone, Debug)]
pub struct Contestant {
    /// Who.
    pub kernel: AnyKernel,
    /// With which formula.
    pub formula: Formula,
    /// In which order, on which numbering.
    pub arrangement: Arrangement,
}

/// A scene, a step, and how often. The textbook loop takes part always.
#[derive(Clone, Debug)]
pub struct Contest {
    /// What is relaxed.
    pub scene: Model,
    /// How.
    pub step: Step<3>,
    /// Frames before the clock starts.
    pub warmup: usize,
    /// Frames that are timed, at least one.
    pub frames: usize,
    /// How often these are done, at least once, each time from where the warm-up ended: more times
    /// of short frames without a scene that comes to rest.
    pub repeats: usize,
    /// Who takes part.
    pub contestants: Vec<Contestant>,
}

/// Why there is no result.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContestError {
    /// No frames.
    #[error("at least one frame must be timed")]
    NoFrames,
    /// By an arrangement.
    #[error(transparent)]
    Arrangement(#[from] ArrangementError),
    /// By a step.
    #[error(transparent)]
    Step(#[from] StepError),
    /// By a plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// By particles.
    #[error(transparent)]
    Particles(#[from] ParticleError),
}

/// How far a contest is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress<'a> {
    /// The share that is done, 0 to 1.
    pub share: f64,
    /// What is being done.
    pub doing: &'a str,
}

/// A contestant at work.
struct Entry {
    row: Row,
    runner: Runner,
    nanoseconds: Vec<u64>,
    frames_done: usize,
    reference: (Formula, Arrangement),
}

impl Contest {
    /// Runs it and gives the textbook's row, then one for each contestant in order.
    ///
    /// # Errors
    /// If a contestant cannot be set up, or the step is not sane.
    pub fn run(&self, mut progress: impl FnMut(Progress<'_>)) -> Result<Vec<Row>, ContestError> {
        if self.frames == 0 || self.repeats == 0 {
            return Err(ContestError::NoFrames);
        }
        self.step.motion()?;
        progress(Progress { share: 0.0, doing: "arranging the scene" });
        let mut arranged = BTreeMap::from([(AUTHORED, AUTHORED.of(&self.scene)?)]);
        for &Contestant { arrangement, .. } in &self.contestants {
            if let std::collections::btree_map::Entry::Vacant(vacant) = arranged.entry(arrangement)
            {
                vacant.insert(arrangement.of(&self.scene)?);
            }
        }
        let mut references =
            References { contest: self, arranged: &arranged, known: BTreeMap::new() };
        let mut entries = vec![self.textbook_entry()];
        for contestant in &self.contestants {
            entries.push(self.kernel_entry(contestant, &arranged[&contestant.arrangement])?);
        }
        let total = (entries.len() * (self.warmup + self.frames * self.repeats)) as f64;
        let mut done = 0.0;
        let mut advance = |entry: &mut Entry, up_to| {
            progress(Progress { share: done / total, doing: &entry.row.name() });
            done += (up_to - entry.frames_done) as f64;
            self.advance(entry, up_to, &mut references)
        };
        for entry in &mut entries {
            advance(entry, self.warmup)?;
        }
        let starts: Vec<State> = entries.iter().map(|entry| entry.runner.state()).collect();
        for repeat in 0..self.repeats {
            if repeat > 0 {
                for (entry, start) in entries.iter_mut().zip(&starts) {
                    entry.runner.rewind(start);
                    entry.frames_done = self.warmup;
                }
            }
            for round in 1..=ROUNDS {
                for entry in &mut entries {
                    advance(entry, self.warmup + self.frames * round / ROUNDS)?;
                }
            }
        }
        progress(Progress { share: 1.0, doing: "done" });
        let mut rows = entries.into_iter().map(|entry| self.finished(entry)).collect::<Vec<_>>();
        set_speedups(&mut rows);
        Ok(rows)
    }

    fn textbook_entry(&self) -> Entry {
        let row = Row { kernel: TEXTBOOK, inside: TEXTBOOK, ..self.row(Formula::Exact, AUTHORED) };
        self.entry(row, Runner::textbook(&self.scene), (Formula::Exact, AUTHORED))
    }

    fn kernel_entry(&self, contestant: &Contestant, on: &Arranged) -> Result<Entry, ContestError> {
        let Contestant { kernel, formula, arrangement } = contestant;
        let row = Row {
            kernel: Kernel::<3>::name(kernel),
            inside: Kernel::<3>::name(kernel.inside()),
            isa: Kernel::<3>::isa(kernel),
            lanes: Kernel::<3>::lanes(kernel),
            threads: Kernel::<3>::threads(kernel),
            ..self.row(*formula, *arrangement)
        };
        let runner = Runner::kernel(kernel, on, *formula)?;
        Ok(self.entry(row, runner, (*formula, *arrangement)))
    }

    fn entry(&self, row: Row, runner: Runner, reference: (Formula, Arrangement)) -> Entry {
        let nanoseconds = Vec::with_capacity(self.frames * self.repeats);
        Entry { row, runner, nanoseconds, frames_done: 0, reference }
    }

    /// A row with what is known before the first frame.
    fn row(&self, formula: Formula, arrangement: Arrangement) -> Row {
        let Tally { divisions, square_roots, estimates, .. } =
            taut_scalar::count(&self.scene.particles, &self.scene.sticks, formula);
        let times = u64::from(self.step.substeps) * u64::from(self.step.iterations);
        Row {
            kernel: "",
            inside: "",
            isa: "scalar",
            lanes: 1,
            formula: formula.name(),
            schedule: arrangement.to_string(),
            threads: 1,
            particles: self.scene.particles.len(),
            sticks: self.scene.sticks.len(),
            substeps: self.step.substeps,
            iterations: self.step.iterations,
            dt_s: self.step.dt,
            frames: self.frames,
            frame_us_median: f64::NAN,
            frame_us_fastest: f64::NAN,
            ns_per_stick_median: f64::NAN,
            ns_per_stick_fastest: f64::NAN,
            speedup_over_textbook: f64::NAN,
            speedup_over_scalar: f64::NAN,
            speedup_over_one_thread: None,
            divisions_per_frame: divisions * times,
            square_roots_per_frame: square_roots * times,
            estimates_per_frame: estimates * times,
            stretch_rms: f64::NAN,
            stretch_max: f64::NAN,
            compression_rms: f64::NAN,
            compression_max: f64::NAN,
            error_vs_f64: f64::NAN,
            finite: true,
            hash: 0,
        }
    }

    /// Lets an entry do its frames up to that number, timing those after the warm-up.
    fn advance(
        &self,
        entry: &mut Entry,
        up_to: usize,
        references: &mut References<'_>,
    ) -> Result<(), ContestError> {
        while entry.frames_done < up_to {
            let start = Instant::now();
            let status = entry.runner.step(&self.step)?;
            let elapsed = start.elapsed();
            entry.row.finite &= status.finite;
            if entry.frames_done >= self.warmup {
                entry.nanoseconds.push(u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX));
            }
            entry.frames_done += 1;
            if entry.frames_done == self.early_frame() {
                let reference = references.positions(entry.reference)?;
                entry.row.error_vs_f64 = largest_distance(&entry.runner.positions(), reference);
            }
        }
        Ok(())
    }

    /// After which frame the distance from `f64` is taken.
    pub fn early_frame(&self) -> usize {
        EARLY_FRAME.min(self.warmup + self.frames)
    }

    fn finished(&self, mut entry: Entry) -> Row {
        entry.nanoseconds.sort_unstable();
        let fastest = entry.nanoseconds[0] as f64;
        let median = entry.nanoseconds[entry.nanoseconds.len() / 2] as f64;
        let Row { sticks, iterations, substeps, .. } = entry.row;
        let relaxed = sticks as f64 * f64::from(iterations) * f64::from(substeps);
        let particles = entry.runner.particles(&self.scene);
        let finite = (0..3).all(|axis| particles.positions(axis).iter().all(|x| x.is_finite()));
        let stretch = Stretch::of(&particles, &self.scene.sticks);
        Row {
            frame_us_median: median / 1e3,
            frame_us_fastest: fastest / 1e3,
            ns_per_stick_median: median / relaxed,
            ns_per_stick_fastest: fastest / relaxed,
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

/// Where the scalar kernel in `f64` puts the particles early on, for each formula and
/// arrangement, in the scene's numbering.
struct References<'a> {
    contest: &'a Contest,
    arranged: &'a BTreeMap<Arrangement, Arranged>,
    known: BTreeMap<(Formula, Arrangement), Vec<[f64; 3]>>,
}

impl References<'_> {
    fn positions(&mut self, of: (Formula, Arrangement)) -> Result<&[[f64; 3]], ContestError> {
        if !self.known.contains_key(&of) {
            let positions = self.compute(of)?;
            self.known.insert(of, positions);
        }
        Ok(&self.known[&of])
    }

    fn compute(
        &self,
        (formula, arrangement): (Formula, Arrangement),
    ) -> Result<Vec<[f64; 3]>, ContestError> {
        let on = &self.arranged[&arrangement];
        let (mut particles, sticks) = (on.particles.convert::<f64>(), on.sticks.convert::<f64>());
        let step = in_double(&self.contest.step);
        let mut plan = ScalarKernel.plan(&particles, &sticks, &on.schedule, formula)?;
        for _ in 0..self.contest.early_frame() {
            let _ = plan.step(&mut particles, &sticks, &step)?;
        }
        let particles = on.renumbering.as_ref().map_or(particles.clone(), |it| it.undo(&particles));
        Ok((0..particles.len()).map(|i| particles.position(i)).collect())
    }
}

/// NaN if a position is.
fn largest_distance(positions: &[[f32; 3]], reference: &[[f64; 3]]) -> f64 {
    let distance = |(position, reference): (&[f32; 3], &[f64; 3])| {
        let squared = |axis: usize| (f64::from(position[axis]) - reference[axis]).powi(2);
        (0..3).map(squared).sum::<f64>().sqrt()
    };
    let distances = positions.iter().zip(reference).map(distance);
    // Not `f64::max`, which would hide a NaN.
    distances
        .fold(0.0, |max, distance| if distance <= max || max.is_nan() { max } else { distance })
}

fn set_speedups(rows: &mut [Row]) {
    let best = |kernel: &str| {
        let times = rows.iter().filter(|row| row.kernel == kernel).map(|row| row.frame_us_median);
        times.min_by(f64::total_cmp).unwrap_or(f64::NAN)
    };
    let (textbook, scalar) = (best(TEXTBOOK), best("scalar"));
    // On one thread, `colour` is no more than what is inside.
    let alone: Vec<Row> = rows.iter().filter(|row| row.threads == 1).cloned().collect();
    for row in rows {
        row.speedup_over_textbook = textbook / row.frame_us_median;
        row.speedup_over_scalar = scalar / row.frame_us_median;
        let what = |row: &Row| (row.inside, row.isa, row.formula, row.schedule.clone());
        let one_thread = alone.iter().find(|one| what(one) == what(row));
        row.speedup_over_one_thread =
            one_thread.map(|one| one.frame_us_median / row.frame_us_median);
    }
}
