//! Effort: the cheapest frame of a scene that keeps its stretch within a bound.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde::Serialize;
use taut::world::{Arrangement, Island, Model, ModelError, Scene, StickSet, Tethers, World};
use taut::{AnyKernel, Duplicates, Family, Formula, Kernel, KernelSet};
use taut::{Step, StickError, Sticks, Stretch};

use super::StudyError;
use crate::comparison::{Progress, ROUNDS};
use crate::textbook::Textbook;

/// Bounds for the root mean square of the stretch.
pub const BOUNDS: [f64; 2] = [0.01, 0.001];
/// The numbers of iterations per substep that are tried.
pub const ITERATIONS: [u32; 3] = [1, 2, 4];
/// The largest number of substeps that is tried.
pub const SUBSTEPS_MAX: u32 = 64;
/// Frames before the measured ones, in which the model falls. In the measured ones it swings.
const SETTLING_FRAMES: usize = 120;
/// Frames whose stretch and time are measured.
const MEASURED_FRAMES: usize = 120;
/// Frames of the textbook loop before its timed ones. The loop restarts from the state after them
/// in every round, because with one iteration it would blow up later.
const TEXTBOOK_WARMUP: usize = 16;

/// A hanging model.
#[derive(Clone, Debug)]
pub struct EffortSubject {
    /// The name of the scene.
    pub scene: String,
    /// Its size; for a mesh from a file, the number of particles.
    pub size: usize,
    /// Its stick set.
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
    /// Same as [`Model::drape`].
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
            return sheet.stick_locations().map(|(family, _, _)| is_structural(family)).collect();
        }
        let bends = |stick: usize| bending.get(stick).copied().unwrap_or(false);
        (0..sticks.len()).map(|stick| !bends(stick)).collect()
    }
}

/// For models that hang under gravity, with tethers and without, and for each of [`BOUNDS`]: finds
/// the cheapest frame of 1/60 s within the bound, among frames of up to [`SUBSTEPS_MAX`] substeps.
/// All substeps of a frame have the same number of iterations, one of [`ITERATIONS`].
///
/// The stretch is that of the structural sticks: the root mean square over sticks and over frames
/// 121 to 240. For each number of iterations, the smallest number of substeps is found by doubling,
/// then by bisection. The candidates found are timed over the same frames, in alternating
/// rounds. The cheapest candidate is the one whose fastest frame takes the shortest time.
#[derive(Clone, Debug)]
pub struct EffortStudy {
    /// The models.
    pub subjects: Vec<EffortSubject>,
    /// The kernels.
    pub kernels: KernelSet,
    /// The formula.
    pub formula: Formula,
}

/// The cheapest frame of a scene within a bound.
#[derive(Clone, Debug, Serialize)]
pub struct EffortRow {
    /// The scene.
    pub scene: String,
    /// Its size.
    pub size: usize,
    /// Its stick set.
    pub set: &'static str,
    /// What it hangs from.
    pub pins: &'static str,
    /// The bound for the root mean square of the stretch.
    pub within: f64,
    /// Whether it has tethers.
    pub tethers: bool,
    /// Substeps of the cheapest frame.
    pub substeps: u32,
    /// Iterations per substep.
    pub iterations: u32,
    /// The kernel.
    pub kernel: &'static str,
    /// Its instruction set.
    pub isa: &'static str,
    /// The formula.
    pub formula: &'static str,
    /// The order of the sticks.
    pub schedule: String,
    /// Number of threads.
    pub threads: usize,
    /// The fastest frame, µs.
    pub frame_us_fastest: f64,
    /// The median frame, µs.
    pub frame_us_median: f64,
    /// Root mean square of the stretch over all structural sticks and all measured frames.
    pub stretch_rms: f64,
    /// The largest of these stretches.
    pub stretch_max: f64,
    /// The fastest frame of one iteration of the textbook loop at this size, µs.
    pub textbook_frame_us: f64,
}

/// A bound that no tried frame keeps.
#[derive(Clone, Debug, Serialize)]
pub struct UnmetBound {
    /// The scene.
    pub scene: String,
    /// Its size.
    pub size: usize,
    /// Its stick set.
    pub set: &'static str,
    /// What it hangs from.
    pub pins: &'static str,
    /// The bound for the root mean square of the stretch.
    pub within: f64,
    /// Whether it has tethers.
    pub tethers: bool,
}

/// The results of an [`EffortStudy`].
#[derive(Clone, Debug, Serialize)]
pub struct Effort {
    /// The cheapest frames: one for each combination of model, bound, and tethers or none, in which
    /// a tried frame keeps the bound.
    pub rows: Vec<EffortRow>,
    /// The combinations in which no tried frame keeps the bound.
    pub not_reached: Vec<UnmetBound>,
    /// The fastest frame of one iteration of the textbook loop, µs, timed in the same rounds.
    pub textbook_frame_us: TextbookFrames,
}

/// The fastest frame of the textbook loop.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum TextbookFrames {
    /// For a single size, µs.
    One(f64),
    /// By size, µs.
    BySize(BTreeMap<usize, f64>),
}

/// The settings of a tried frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Trial {
    tethers: bool,
    iterations: u32,
    substeps: u32,
}

/// The stretch over the measured frames; infinite if its rms exceeds all [`BOUNDS`], or if a position
/// is not finite.
#[derive(Clone, Copy, Debug)]
struct MeasuredStretch {
    rms: f64,
    max: f64,
}

/// The search for one model.
struct Search<'a> {
    study: &'a EffortStudy,
    subject: &'a EffortSubject,
    /// For each stick of the model, whether it is structural.
    structural: Vec<bool>,
    /// The results so far.
    measured: BTreeMap<Trial, MeasuredStretch>,
}

impl EffortStudy {
    /// Runs the study.
    ///
    /// # Errors
    /// If a model cannot have tethers, or a world cannot be built from it.
    pub fn run(&self, mut progress: impl FnMut(Progress<'_>)) -> Result<Effort, StudyError> {
        let (mut rows, mut not_reached) = (Vec::new(), Vec::new());
        let mut textbook_us_by_size: BTreeMap<usize, f64> = BTreeMap::new();
        let subjects = self.subjects.len() as f64;
        for (index, subject) in self.subjects.iter().enumerate() {
            let EffortSubject { scene, size, set, pins, .. } = subject;
            let doing = format!("effort: {scene} {size}, {pins}");
            let mut search = Search {
                study: self,
                subject,
                structural: subject.structural(),
                measured: BTreeMap::new(),
            };
            // A search for each combination of tethers and iterations, then the timing.
            let activities = (2 * ITERATIONS.len() + 1) as f64;
            let mut done = 0.0;
            let mut advance = || {
                let share = (index as f64 + done / activities) / subjects;
                progress(Progress { share, doing: &doing });
                done += 1.0;
            };
            // Pairs of a bound and a trial that keeps it.
            let mut found = Vec::new();
            for tethers in [false, true] {
                for iterations in ITERATIONS {
                    advance();
                    for within in BOUNDS {
                        let trial = search.fewest_substeps(tethers, iterations, within)?;
                        found.extend(trial.map(|trial| (within, trial)));
                    }
                }
            }
            advance();
            let mut trials: Vec<Trial> = found.iter().map(|&(_, trial)| trial).collect();
            trials.sort_unstable();
            trials.dedup();
            let (times, textbook_us) = search.time(&trials)?;
            let fastest = textbook_us_by_size.entry(*size).or_insert(textbook_us);
            *fastest = fastest.min(textbook_us);
            for within in BOUNDS {
                for tethers in [false, true] {
                    let is_wanted = |&&(bound, trial): &&(f64, Trial)| {
                        bound.to_bits() == within.to_bits() && trial.tethers == tethers
                    };
                    let candidates = found.iter().filter(is_wanted).map(|(_, trial)| {
                        let trial_index = trials.binary_search(trial).unwrap_or_default();
                        search.row(within, *trial, &times[trial_index])
                    });
                    let by_time = |a: &EffortRow, b: &EffortRow| {
                        a.frame_us_fastest.total_cmp(&b.frame_us_fastest)
                    };
                    match candidates.min_by(by_time) {
                        Some(row) => rows.push(row),
                        None => not_reached.push(UnmetBound {
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
            row.textbook_frame_us = textbook_us_by_size[&row.size];
        }
        let textbook_frame_us = match textbook_us_by_size.values().collect::<Vec<_>>()[..] {
            [&one] => TextbookFrames::One(one),
            _ => TextbookFrames::BySize(textbook_us_by_size),
        };
        Ok(Effort { rows, not_reached, textbook_frame_us })
    }
}

impl Search<'_> {
    fn world(&self, trial: Trial) -> Result<World, StudyError> {
        let Trial { tethers, iterations, substeps } = trial;
        let mut scene = Scene::new();
        let model = self.subject.model.clone();
        let model = if tethers { model.tethered(Tethers::default())? } else { model };
        scene.add("model", model)?;
        scene.formula = self.study.formula;
        scene.settings.step = Step { substeps, iterations, ..Step::default() };
        Ok(World::new(&scene, |schedule| self.study.kernels.kernel_for(schedule))?)
    }

    /// The trial with the smallest number of substeps within a bound; `None` if that number is
    /// above [`SUBSTEPS_MAX`].
    fn fewest_substeps(
        &mut self,
        tethers: bool,
        iterations: u32,
        within: f64,
    ) -> Result<Option<Trial>, StudyError> {
        let mut is_enough = |substeps| {
            let stretch = self.stretch(Trial { tethers, iterations, substeps })?;
            Ok::<_, StudyError>(stretch.rms <= within)
        };
        let mut enough = 1;
        while !is_enough(enough)? {
            if enough == SUBSTEPS_MAX {
                return Ok(None);
            }
            enough *= 2;
        }
        let mut too_few = enough / 2;
        while enough - too_few > 1 {
            let middle = too_few + (enough - too_few) / 2;
            if is_enough(middle)? {
                enough = middle;
            } else {
                too_few = middle;
            }
        }
        Ok(Some(Trial { tethers, iterations, substeps: enough }))
    }

    /// The stretch of a trial; it is measured only once.
    fn stretch(&mut self, trial: Trial) -> Result<MeasuredStretch, StudyError> {
        if let Some(&stretch) = self.measured.get(&trial) {
            return Ok(stretch);
        }
        let stretch = self.measure_stretch(trial)?;
        self.measured.insert(trial, stretch);
        Ok(stretch)
    }

    fn measure_stretch(&self, trial: Trial) -> Result<MeasuredStretch, StudyError> {
        let mut world = self.world(trial)?;
        let structural = structural_sticks(&world.islands()[0], &self.structural)?;
        let above_bounds = MeasuredStretch { rms: f64::INFINITY, max: f64::INFINITY };
        let (mut squares, mut max) = (0.0, 0.0_f64);
        // The sum at which the rms over the measured frames equals the larger bound.
        let squares_max = BOUNDS[0] * BOUNDS[0] * MEASURED_FRAMES as f64;
        for frame in 0..SETTLING_FRAMES + MEASURED_FRAMES {
            if !world.step()?.finite {
                return Ok(above_bounds);
            }
            if frame >= SETTLING_FRAMES {
                let stretch = Stretch::of(&world.islands()[0].model.particles, &structural);
                squares += stretch.rms * stretch.rms;
                max = max.max(stretch.max);
                // Later frames only add to the sum.
                if squares.is_nan() || squares > squares_max {
                    return Ok(above_bounds);
                }
            }
        }
        Ok(MeasuredStretch { rms: (squares / MEASURED_FRAMES as f64).sqrt(), max })
    }

    /// Times frames in alternating rounds; also returns the fastest frame of the textbook loop, µs.
    fn time(&self, trials: &[Trial]) -> Result<(Vec<Vec<Duration>>, f64), StudyError> {
        let mut worlds: Vec<World> =
            trials.iter().map(|&trial| self.world(trial)).collect::<Result<_, _>>()?;
        for world in &mut worlds {
            for _ in 0..SETTLING_FRAMES {
                let _ = world.step()?;
            }
        }
        let step = Step { substeps: 1, iterations: 1, ..Step::default() };
        let mut textbook_start =
            Textbook::new(&self.subject.model.particles, &self.subject.model.sticks);
        for _ in 0..TEXTBOOK_WARMUP {
            textbook_start.step(&step);
        }
        let mut textbook_fastest = Duration::MAX;
        let mut times = vec![Vec::with_capacity(MEASURED_FRAMES); trials.len()];
        for _ in 0..ROUNDS {
            for (world, times) in worlds.iter_mut().zip(&mut times) {
                for _ in 0..MEASURED_FRAMES / ROUNDS {
                    let start = Instant::now();
                    let _ = world.step()?;
                    times.push(start.elapsed());
                }
            }
            let mut textbook = textbook_start.clone();
            for _ in 0..MEASURED_FRAMES / ROUNDS {
                let start = Instant::now();
                textbook.step(&step);
                textbook_fastest = textbook_fastest.min(start.elapsed());
            }
        }
        for times in &mut times {
            times.sort_unstable();
        }
        Ok((times, microseconds(textbook_fastest)))
    }

    /// The row of a trial. `times` are its frame times, shortest first.
    fn row(&self, within: f64, trial: Trial, times: &[Duration]) -> EffortRow {
        let EffortSubject { scene, size, set, pins, model } = self.subject;
        let kernels = &self.study.kernels;
        let suits_grid = model.sheet.as_ref().is_some_and(AnyKernel::suits_grid);
        let kernel = if suits_grid { &kernels.sheets } else { &kernels.others };
        let MeasuredStretch { rms, max } = self.measured[&trial];
        EffortRow {
            scene: scene.clone(),
            size: *size,
            set: set.name(),
            pins,
            within,
            tethers: trial.tethers,
            substeps: trial.substeps,
            iterations: trial.iterations,
            kernel: Kernel::<3>::name(kernel.inner()),
            isa: Kernel::<3>::isa(kernel),
            formula: self.study.formula.name(),
            schedule: Arrangement::default_of(model).to_string(),
            threads: kernels.threads(),
            frame_us_fastest: microseconds(times[0]),
            frame_us_median: microseconds(times[times.len() / 2]),
            stretch_rms: rms,
            stretch_max: max,
            textbook_frame_us: f64::NAN, // set when all models of this size are timed
        }
    }
}

fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// The structural sticks of an island that holds the whole model, in the island's numbering.
fn structural_sticks(island: &Island, structural: &[bool]) -> Result<Sticks, StickError> {
    let sticks = &island.model.sticks;
    let is_structural = |&stick: &usize| structural[stick];
    let (pairs, rests): (Vec<_>, Vec<_>) = (0..sticks.len())
        .filter(is_structural)
        .map(|stick| (sticks.ends()[stick], sticks.rest(stick)))
        .unzip();
    Sticks::with_rests(island.model.particles.len(), &pairs, &rests, Duplicates::Keep)
}
