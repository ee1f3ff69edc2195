//! Effort: the cheapest frame of a scene that keeps its stretch within a bound.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde::Serialize;
use taut::world::{Island, Model, ModelError, Scene, StickSet, Tethers, World};
use taut::{AnyKernel, Duplicates, Engine, Family, Formula, Kernel, KernelSet, Schedule};
use taut::{Step, StickError, Sticks, Stretch};

use super::StudyError;
use crate::comparison::{Progress, ROUNDS};
use crate::textbook::Textbook;

/// Bounds for the root mean square of the stretch.
pub const BOUNDS: [f64; 2] = [0.01, 0.001];
/// Iterations that are tried.
pub const ITERATIONS: [u32; 3] = [1, 2, 4];
/// No more substeps than these are tried.
pub const SUBSTEPS_MAX: u32 = 64;
/// Frames before stretch and time are looked at: the scene has fallen and swings.
const SETTLING_FRAMES: usize = 120;
/// Frames that are looked at and timed.
const JUDGED_FRAMES: usize = 120;
/// Frames of the textbook loop before it is timed. It starts again in every round: with one iteration it
/// blows up later on.
const TEXTBOOK_WARMUP: usize = 16;

/// A scene that hangs.
#[derive(Clone, Debug)]
pub struct EffortSubject {
    /// Its name.
    pub scene: String,
    /// Its size; of a mesh from a file how many particles it has.
    pub size: usize,
    /// Its sticks.
    pub set: StickSet,
    /// What it hangs from.
    pub pins: &'static str,
    /// The model, with its pins.
    pub model: Model,
}

impl EffortSubject {
    /// A square sheet that hangs from its top row, and one that hangs from its two upper corners.
    ///
    /// # Errors
    /// As [`Model::drape`].
    pub fn sheets(size: usize, set: StickSet) -> Result<[Self; 2], ModelError> {
        let from_row = Model::drape(size, set)?;
        let mut from_corners = from_row.clone();
        for particle in 1..size - 1 {
            from_corners.particles.set_inverse_mass(particle, 1.0)?;
        }
        let subject = |pins, model| Self { scene: "drape".to_owned(), size, set, pins, model };
        Ok([subject("top row", from_row), subject("two corners", from_corners)])
    }

    /// Which sticks are structural: rows and columns of a sheet, edges of a mesh.
    fn structural(&self) -> Vec<bool> {
        let Model { sheet, sticks, bending, .. } = &self.model;
        if let Some(sheet) = sheet {
            let is_structural = |family: Family| Family::STRUCTURAL.contains(&family);
            return sheet.numbered().map(|(family, _, _)| is_structural(family)).collect();
        }
        let bends = |stick: usize| bending.get(stick).copied().unwrap_or(false);
        (0..sticks.len()).map(|stick| !bends(stick)).collect()
    }

    /// The name of the order in which its sticks are relaxed.
    fn schedule(&self) -> &'static str {
        let Model { sheet, particles, sticks, .. } = &self.model;
        if sheet.is_some() {
            "sheet"
        } else if Schedule::for_mesh(particles, sticks) == Schedule::banded(sticks) {
            "banded"
        } else {
            "blocked"
        }
    }
}

/// What is looked for, in scenes that hang under gravity, in frames of 1/60 s: for each bound, with tethers
/// and without, the cheapest frame of at most [`SUBSTEPS_MAX`] substeps of one of [`ITERATIONS`].
///
/// The stretch is that of the structural sticks in frames 121 to 240, the root of the mean square over
/// sticks and frames. For each number of iterations the least number of substeps is searched, by doubling
/// and then by bisection. What is found is timed by turns, over the same frames.
#[derive(Clone, Debug)]
pub struct EffortStudy {
    /// The scenes.
    pub subjects: Vec<EffortSubject>,
    /// Who relaxes.
    pub kernels: KernelSet,
    /// By which formula.
    pub formula: Formula,
}

/// The cheapest frame of a scene within a bound.
#[derive(Clone, Debug, Serialize)]
pub struct EffortRow {
    /// The scene.
    pub scene: String,
    /// Its size.
    pub size: usize,
    /// Its sticks.
    pub set: &'static str,
    /// What it hangs from.
    pub pins: &'static str,
    /// The bound for the root mean square of the stretch.
    pub within: f64,
    /// Whether it has tethers.
    pub tethers: bool,
    /// Substeps of the cheapest frame.
    pub substeps: u32,
    /// Iterations of a substep.
    pub iterations: u32,
    /// The kernel.
    pub kernel: &'static str,
    /// Its instruction set.
    pub isa: &'static str,
    /// The formula.
    pub formula: &'static str,
    /// The order of the sticks.
    pub schedule: &'static str,
    /// On how many threads.
    pub threads: usize,
    /// The fastest frame, µs.
    pub frame_us_fastest: f64,
    /// The median frame, µs.
    pub frame_us_median: f64,
    /// Root mean square of the stretch of structural sticks, over all of them and all frames.
    pub stretch_rms: f64,
    /// The largest of these stretches.
    pub stretch_max: f64,
    /// The fastest frame of one iteration of the textbook loop at this size, µs.
    pub textbook_frame_us: f64,
}

/// A bound that no frame that was tried keeps.
#[derive(Clone, Debug, Serialize)]
pub struct NotReached {
    /// The scene.
    pub scene: String,
    /// Its size.
    pub size: usize,
    /// Its sticks.
    pub set: &'static str,
    /// What it hangs from.
    pub pins: &'static str,
    /// The bound for the root mean square of the stretch.
    pub within: f64,
    /// Whether it has tethers.
    pub tethers: bool,
}

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct Effort {
    /// A row for each scene, bound, and with tethers or without, where there is such a frame.
    pub rows: Vec<EffortRow>,
    /// Where there is none.
    pub not_reached: Vec<NotReached>,
    /// The fastest frame of one iteration of the textbook loop, µs, measured by turns with the others.
    pub textbook_frame_us: TextbookFrames,
}

/// The frame of the textbook loop.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum TextbookFrames {
    /// If there is one size, µs.
    One(f64),
    /// By size, µs.
    BySize(BTreeMap<usize, f64>),
}

/// A frame that is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Trial {
    tethers: bool,
    iterations: u32,
    substeps: u32,
}

/// Stretch over the judged frames; infinite if it is beyond all bounds.
#[derive(Clone, Copy, Debug)]
struct Judged {
    rms: f64,
    max: f64,
}

/// A scene with what was found of it.
struct Search<'a> {
    study: &'a EffortStudy,
    subject: &'a EffortSubject,
    structural: Vec<bool>,
    known: BTreeMap<Trial, Judged>,
}

impl EffortStudy {
    /// Finds it.
    ///
    /// # Errors
    /// If a model cannot have tethers, or a world cannot be made of it.
    pub fn run(&self, mut progress: impl FnMut(Progress<'_>)) -> Result<Effort, StudyError> {
        let (mut rows, mut not_reached) = (Vec::new(), Vec::new());
        let mut textbook: BTreeMap<usize, f64> = BTreeMap::new();
        let parts = self.subjects.len() as f64;
        for (nth, subject) in self.subjects.iter().enumerate() {
            let EffortSubject { scene, size, set, pins, .. } = subject;
            let doing = format!("effort: {scene} {size}, {pins}");
            let mut search = Search {
                study: self,
                subject,
                structural: subject.structural(),
                known: BTreeMap::new(),
            };
            // The last share is that of the timing.
            let steps = (2 * ITERATIONS.len() + 1) as f64;
            let mut done = 0.0;
            let mut advance = || {
                let share = (nth as f64 + done / steps) / parts;
                progress(Progress { share, doing: &doing });
                done += 1.0;
            };
            let mut found = Vec::new();
            for tethers in [false, true] {
                for iterations in ITERATIONS {
                    advance();
                    for within in BOUNDS {
                        let least = search.least_substeps(tethers, iterations, within)?;
                        found.extend(least.map(|trial| (within, trial)));
                    }
                }
            }
            advance();
            let mut trials: Vec<Trial> = found.iter().map(|&(_, trial)| trial).collect();
            trials.sort_unstable();
            trials.dedup();
            let (times, textbook_us) = search.time(&trials)?;
            let known = textbook.entry(*size).or_insert(textbook_us);
            *known = known.min(textbook_us);
            for within in BOUNDS {
                for tethers in [false, true] {
                    let fits = |&&(bound, trial): &&(f64, Trial)| {
                        bound.to_bits() == within.to_bits() && trial.tethers == tethers
                    };
                    let rows_of = found.iter().filter(fits).map(|(_, trial)| {
                        let nth = trials.binary_search(trial).unwrap_or_default();
                        search.row(within, *trial, &times[nth])
                    });
                    let by_time = |a: &EffortRow, b: &EffortRow| {
                        a.frame_us_fastest.total_cmp(&b.frame_us_fastest)
                    };
                    match rows_of.min_by(by_time) {
                        Some(row) => rows.push(row),
                        None => not_reached.push(NotReached {
                            scene: scene.clone(),
                            size: *size,
                            set: set.name(),
                            pins,
                            within,
                            tethers,
                        }),
                    }
                }
            }
        }
        progress(Progress { share: 1.0, doing: "done" });
        for row in &mut rows {
            row.textbook_frame_us = textbook[&row.size];
        }
        let textbook_frame_us = match textbook.values().collect::<Vec<_>>()[..] {
            [&one] => TextbookFrames::One(one),
            _ => TextbookFrames::BySize(textbook),
        };
        Ok(Effort { rows, not_reached, textbook_frame_us })
    }
}

impl Search<'_> {
    fn world(&self, trial: Trial) -> Result<World<AnyKernel>, StudyError> {
        let Trial { tethers, iterations, substeps } = trial;
        let mut scene = Scene::new();
        let model = self.subject.model.clone();
        let model = if tethers { model.tethered(Tethers::default())? } else { model };
        scene.add("it", model)?;
        scene.formula = self.study.formula;
        scene.settings.step = Step { substeps, iterations, ..Step::default() };
        Ok(World::new(&scene, |schedule| self.study.kernels.kernel_for(schedule))?)
    }

    /// The least substeps within a bound.
    fn least_substeps(
        &mut self,
        tethers: bool,
        iterations: u32,
        within: f64,
    ) -> Result<Option<Trial>, StudyError> {
        let mut is_enough = |substeps| {
            let judged = self.judge(Trial { tethers, iterations, substeps })?;
            Ok::<_, StudyError>(judged.rms <= within)
        };
        let mut enough = 1;
        while !is_enough(enough)? {
            if enough == SUBSTEPS_MAX {
                return Ok(None);
            }
            enough *= 2;
        }
        let mut few = enough / 2;
        while enough - few > 1 {
            let middle = few + (enough - few) / 2;
            if is_enough(middle)? {
                enough = middle;
            } else {
                few = middle;
            }
        }
        Ok(Some(Trial { tethers, iterations, substeps: enough }))
    }

    fn judge(&mut self, trial: Trial) -> Result<Judged, StudyError> {
        if let Some(&judged) = self.known.get(&trial) {
            return Ok(judged);
        }
        let judged = self.judged(trial)?;
        self.known.insert(trial, judged);
        Ok(judged)
    }

    fn judged(&self, trial: Trial) -> Result<Judged, StudyError> {
        let mut world = self.world(trial)?;
        let structural = structural_sticks(&world.islands()[0], &self.structural)?;
        let beyond = Judged { rms: f64::INFINITY, max: f64::INFINITY };
        let (mut squares, mut max) = (0.0, 0.0_f64);
        let enough = BOUNDS[0] * BOUNDS[0] * JUDGED_FRAMES as f64;
        for frame in 0..SETTLING_FRAMES + JUDGED_FRAMES {
            if !world.step()?.finite {
                return Ok(beyond);
            }
            if frame >= SETTLING_FRAMES {
                let stretch = Stretch::of(&world.islands()[0].matter.particles, &structural);
                squares += stretch.rms * stretch.rms;
                max = max.max(stretch.max);
                // The bound is exceeded for good.
                if squares.is_nan() || squares > enough {
                    return Ok(beyond);
                }
            }
        }
        Ok(Judged { rms: (squares / JUDGED_FRAMES as f64).sqrt(), max })
    }

    /// Times frames by turns; also the frame of the textbook loop, µs.
    fn time(&self, trials: &[Trial]) -> Result<(Vec<Vec<Duration>>, f64), StudyError> {
        let mut worlds: Vec<World<AnyKernel>> =
            trials.iter().map(|&trial| self.world(trial)).collect::<Result<_, _>>()?;
        for world in &mut worlds {
            for _ in 0..SETTLING_FRAMES {
                let _ = world.step()?;
            }
        }
        let step = Step { substeps: 1, iterations: 1, ..Step::default() };
        let mut start = Textbook::new(&self.subject.model.particles, &self.subject.model.sticks);
        for _ in 0..TEXTBOOK_WARMUP {
            start.step(&step);
        }
        let mut fastest = Duration::MAX;
        let mut times = vec![Vec::with_capacity(JUDGED_FRAMES); trials.len()];
        for _ in 0..ROUNDS {
            for (world, times) in worlds.iter_mut().zip(&mut times) {
                for _ in 0..JUDGED_FRAMES / ROUNDS {
                    let start = Instant::now();
                    let _ = world.step()?;
                    times.push(start.elapsed());
                }
            }
            let mut textbook = start.clone();
            for _ in 0..JUDGED_FRAMES / ROUNDS {
                let start = Instant::now();
                textbook.step(&step);
                fastest = fastest.min(start.elapsed());
            }
        }
        for times in &mut times {
            times.sort_unstable();
        }
        Ok((times, microseconds(fastest)))
    }

    /// `times` are sorted.
    fn row(&self, within: f64, trial: Trial, times: &[Duration]) -> EffortRow {
        let EffortSubject { scene, size, set, pins, model } = self.subject;
        let kernels = &self.study.kernels;
        let suits = model.sheet.as_ref().is_some_and(AnyKernel::suits_grid);
        let kernel = if suits { &kernels.sheets } else { &kernels.others };
        let Judged { rms, max } = self.known[&trial];
        EffortRow {
            scene: scene.clone(),
            size: *size,
            set: set.name(),
            pins,
            within,
            tethers: trial.tethers,
            substeps: trial.substeps,
            iterations: trial.iterations,
            kernel: Kernel::<3>::name(kernel.inside()),
            isa: Kernel::<3>::isa(kernel),
            formula: self.study.formula.name(),
            schedule: self.subject.schedule(),
            threads: kernels.threads(),
            frame_us_fastest: microseconds(times[0]),
            frame_us_median: microseconds(times[times.len() / 2]),
            stretch_rms: rms,
            stretch_max: max,
            textbook_frame_us: f64::NAN, // measured with other scenes of this size
        }
    }
}

fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// The structural sticks of a model, by the numbers of its island.
fn structural_sticks<P: Engine<3>>(
    piece: &Island<P>,
    structural: &[bool],
) -> Result<Sticks, StickError> {
    let sticks = &piece.matter.sticks;
    let kept = |&stick: &usize| structural[stick];
    let (pairs, rests): (Vec<_>, Vec<_>) =
        (0..sticks.len()).filter(kept).map(|it| (sticks.ends()[it], sticks.rest(it))).unzip();
    Sticks::with_rests(piece.matter.particles.len(), &pairs, &rests, Duplicates::Keep)
}
