//! Compares kernels on whole steps of a world: forces, motion and obstacles as well as sticks.

use std::time::Duration;

use serde::Serialize;
use taut::world::AnyScene;
use taut::{AnyWorld, AnyWorldError, KernelSet, Stretch};

use crate::comparison::{Progress, ROUNDS};
use crate::step_profile::StepProfile;

/// A scene and the kernels to compare.
#[derive(Clone, Debug)]
pub struct WorldComparison {
    /// The scene.
    pub scene: AnyScene,
    /// Frames before timing starts.
    pub warmup: usize,
    /// Timed frames, at least one.
    pub frames: usize,
    /// The kernels.
    pub kernels: Vec<KernelSet>,
}

/// The result of one kernel.
#[derive(Clone, Debug, Serialize)]
pub struct WorldRow {
    /// The kernel; the one for regular sheets if there are two.
    pub kernel: &'static str,
    /// Its instruction set.
    pub isa: &'static str,
    /// Number of threads.
    pub threads: usize,
    /// The median time of a frame, µs.
    pub frame_us_median: f64,
    /// The median time of the sticks in a frame, µs; see [`StepProfile::sticks`].
    pub sticks_us_median: f64,
    /// The median time of all other parts of the step in a frame, µs, such as forces and collisions;
    /// see [`StepProfile::others`].
    pub others_us_median: f64,
    /// Time of the sticks per stick, substep, pass and iteration, ns; NaN if there are no sticks.
    pub ns_per_stick: f64,
    /// Time of all other parts of the step per particle and substep, ns.
    pub others_ns_per_particle: f64,
    /// Root mean square of the stretch after the last frame, as in [`Stretch`].
    pub stretch_rms: f64,
    /// The largest stretch after the last frame.
    pub stretch_max: f64,
    /// Root mean square of the compression after the last frame.
    pub compression_rms: f64,
    /// The largest compression after the last frame.
    pub compression_max: f64,
    /// Whether every position was finite after every frame.
    pub finite: bool,
    /// The hash of the positions after the last frame.
    #[serde(serialize_with = "crate::row::hexadecimal")]
    pub hash: u64,
}

/// One kernel with its world and its results so far.
struct Entry {
    world: AnyWorld,
    /// The profiles of the timed frames.
    profiles: Vec<StepProfile>,
    frames_done: usize,
    finite: bool,
}

impl WorldComparison {
    /// Runs the comparison and returns a row for each kernel, in order.
    ///
    /// # Errors
    /// If a world cannot be built or stepped.
    pub fn run(
        &self,
        mut progress: impl FnMut(Progress<'_>),
    ) -> Result<Vec<WorldRow>, AnyWorldError> {
        let entry = |kernels: &KernelSet| new_entry(&self.scene, kernels);
        let mut entries: Vec<Entry> = self.kernels.iter().map(entry).collect::<Result<_, _>>()?;
        let total = (entries.len() * (self.warmup + self.frames)) as f64;
        let mut done = 0.0;
        for round in 0..=ROUNDS {
            // Round 0 is the warm-up.
            let up_to = self.warmup + self.frames * round / ROUNDS;
            for entry in &mut entries {
                progress(Progress {
                    share: done / total,
                    doing: &entry.world.kernels().to_string(),
                });
                done += (up_to - entry.frames_done) as f64;
                while entry.frames_done < up_to {
                    entry.step(self.warmup)?;
                }
            }
        }
        entries.iter().map(Entry::row).collect()
    }
}

fn new_entry(scene: &AnyScene, kernels: &KernelSet) -> Result<Entry, AnyWorldError> {
    let world = AnyWorld::with_kernels(scene.clone(), kernels.clone())?;
    Ok(Entry { world, profiles: Vec::new(), frames_done: 0, finite: true })
}

impl Entry {
    fn step(&mut self, warmup: usize) -> Result<(), AnyWorldError> {
        let mut profile = StepProfile::default();
        self.finite &= profile.step(&mut self.world)?.finite;
        if self.frames_done >= warmup {
            self.profiles.push(profile);
        }
        self.frames_done += 1;
        Ok(())
    }

    fn row(&self) -> Result<WorldRow, AnyWorldError> {
        let median = |time: fn(&StepProfile) -> Duration| {
            let mut times: Vec<Duration> = self.profiles.iter().map(time).collect();
            times.sort_unstable();
            times.get(times.len() / 2).map_or(f64::NAN, |time| time.as_secs_f64() * 1e6)
        };
        let [sticks_us, others_us] = [StepProfile::sticks, StepProfile::others].map(median);
        let settings = self.world.settings();
        let particle_substeps = self.world.particles() as f64 * f64::from(settings.step.substeps);
        let relaxations = self.world.sticks() as f64
            * f64::from(settings.step.substeps)
            * f64::from(settings.step.iterations)
            * f64::from(settings.passes);
        let stretch: Stretch = self.world.diagnostics()?.stretch;
        let kernels = self.world.kernels();
        Ok(WorldRow {
            kernel: kernels.name(),
            isa: kernels.isa(),
            threads: kernels.threads(),
            frame_us_median: median(StepProfile::total),
            sticks_us_median: sticks_us,
            others_us_median: others_us,
            ns_per_stick: if relaxations > 0.0 { sticks_us * 1e3 / relaxations } else { f64::NAN },
            others_ns_per_particle: others_us * 1e3 / particle_substeps,
            stretch_rms: stretch.rms,
            stretch_max: stretch.max,
            compression_rms: stretch.compression_rms,
            compression_max: stretch.compression_max,
            finite: self.finite,
            hash: self.world.hash(),
        })
    }
}
