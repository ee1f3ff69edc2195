//! Frame times of a world, and the share of each pass.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde::Serialize;
use taut::world::{Outcome, Pass, World, WorldError};
use taut::{Inline, Kernel};

/// One frame in this many is watched: measured pass by pass.
const WATCHED_EVERY: u64 = 8;
/// The maximum number of kept samples; when it is reached, every second one is dropped.
const KEPT_MAX: usize = 1 << 14;

/// Sums the times of passes over steps.
#[derive(Clone, Debug, Default)]
pub struct PassTimes(BTreeMap<Pass, Duration>);

impl PassTimes {
    /// Runs and times a step.
    ///
    /// # Errors
    /// As [`World::step`].
    pub fn step<K: Kernel<D>, const D: usize>(
        &mut self,
        world: &mut World<K, D>,
    ) -> Result<Outcome, WorldError> {
        let mut last = Instant::now();
        world.step_watched(&Inline, &mut |pass| {
            let now = Instant::now();
            *self.0.entry(pass).or_default() += now - last;
            last = now;
        })
    }

    /// Each pass that ran, with its time.
    pub fn each(&self) -> impl Iterator<Item = (Pass, Duration)> {
        self.0.iter().map(|(&pass, &time)| (pass, time))
    }

    /// The time of all passes.
    pub fn total(&self) -> Duration {
        self.0.values().sum()
    }

    /// The relaxation of sticks, and whole substeps that a kernel runs in one call, including
    /// motion.
    pub fn sticks(&self) -> Duration {
        let is_sticks = |pass: &Pass| matches!(pass, Pass::Whole | Pass::Sticks);
        self.0.iter().filter(|(pass, _)| is_sticks(pass)).map(|(_, time)| *time).sum()
    }

    /// All other passes: forces, motion, obstacles, tears.
    pub fn others(&self) -> Duration {
        self.total().saturating_sub(self.sticks())
    }

    /// The share of each pass in the total.
    pub fn shares(&self) -> Shares {
        let total = self.total().as_secs_f64();
        let share = |time: Duration| if total > 0.0 { time.as_secs_f64() / total } else { 0.0 };
        let of = |pass| share(self.0.get(&pass).copied().unwrap_or_default());
        Shares {
            sticks: share(self.sticks()),
            motion: of(Pass::Motion),
            forces: of(Pass::Forces),
            tethers: of(Pass::Tethers),
            obstacles: of(Pass::Obstacles),
            tearing: of(Pass::Tearing),
        }
    }
}

/// The share of each pass in the time of a frame, 0 to 1; the sum is 1, or 0 without measurements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Shares {
    /// The relaxation of sticks, and the motion of particles without forces: there the kernel does
    /// both in one call.
    pub sticks: f64,
    /// The motion of particles on which forces act.
    pub motion: f64,
    /// Forces.
    pub forces: f64,
    /// Tethers, as a separate pass; frames that are not measured pass by pass fuse them with the
    /// motion.
    pub tethers: f64,
    /// Obstacles.
    pub obstacles: f64,
    /// Finding and tearing sticks that are stretched too far.
    pub tearing: f64,
}

impl Shares {
    /// Each share with its name in reports.
    pub fn each(&self) -> [(&'static str, f64); 6] {
        let Self { sticks, motion, forces, tethers, obstacles, tearing } = *self;
        [
            ("sticks", sticks),
            ("motion", motion),
            ("forces", forces),
            ("tethers", tethers),
            ("obstacles", obstacles),
            ("tearing", tearing),
        ]
    }
}

/// Measurements: all of them until there are [`KEPT_MAX`], then every second one, every fourth and
/// so on.
#[derive(Clone, Debug)]
struct Samples<T> {
    kept: Vec<T>,
    /// One sample in this many is kept.
    stride: u64,
    seen: u64,
}

impl<T> Default for Samples<T> {
    fn default() -> Self {
        Self { kept: Vec::new(), stride: 1, seen: 0 }
    }
}

impl<T> Samples<T> {
    fn record(&mut self, sample: T) {
        if self.seen.is_multiple_of(self.stride) {
            self.kept.push(sample);
        }
        self.seen += 1;
        if self.kept.len() == KEPT_MAX {
            let mut nth = 0;
            self.kept.retain(|_| {
                nth += 1;
                nth % 2 == 1
            });
            self.stride *= 2;
        }
    }

    /// The median of `time` over the kept samples, 0 if there are none.
    fn median(&self, time: impl Fn(&T) -> Duration) -> Duration {
        let mut times: Vec<Duration> = self.kept.iter().map(time).collect();
        times.sort_unstable();
        times.get(times.len() / 2).copied().unwrap_or_default()
    }
}

/// Times of the frames of a world. Most frames are plain steps, and only these count as frame
/// times. The second frame and every 8th after it are *watched* ([`World::step_watched`]) and give
/// the shares of the passes.
#[derive(Clone, Debug, Default)]
pub struct FrameTimes {
    frames: u64,
    plain: Samples<Duration>,
    fastest: Option<Duration>,
    watched: Samples<PassTimes>,
}

impl FrameTimes {
    /// Runs the next of `frames` steps. If `frames` is 1, the step is watched, and its time counts
    /// as a frame time, too.
    ///
    /// # Errors
    /// As [`World::step`].
    pub fn step<K: Kernel<D>, const D: usize>(
        &mut self,
        world: &mut World<K, D>,
        frames: u64,
    ) -> Result<Outcome, WorldError> {
        let watched = frames == 1 || self.frames % WATCHED_EVERY == 1;
        self.frames += 1;
        if watched {
            let mut times = PassTimes::default();
            let outcome = times.step(world)?;
            if frames == 1 {
                self.record(times.total());
            }
            self.watched.record(times);
            return Ok(outcome);
        }
        let start = Instant::now();
        let outcome = world.step_on(&Inline)?;
        self.record(start.elapsed());
        Ok(outcome)
    }

    fn record(&mut self, time: Duration) {
        self.fastest = Some(self.fastest.map_or(time, |fastest| fastest.min(time)));
        self.plain.record(time);
    }

    /// The median frame, µs; 0 if there was none.
    pub fn median_us(&self) -> f64 {
        self.plain.median(|&time| time).as_secs_f64() * 1e6
    }

    /// The fastest frame, µs; 0 if there was none.
    pub fn fastest_us(&self) -> f64 {
        self.fastest.map_or(0.0, |time| time.as_secs_f64() * 1e6)
    }

    /// The share of each pass, from its median time over the watched frames. Disturbances of fewer
    /// than half of these frames have no effect, and a pass that runs in fewer than half of them
    /// counts as 0.
    pub fn shares(&self) -> Shares {
        let passes = self.watched.kept.iter().flat_map(|times| times.0.keys());
        let passes: BTreeSet<&Pass> = passes.collect();
        let median = |pass| self.watched.median(|it| it.0.get(pass).copied().unwrap_or_default());
        PassTimes(passes.into_iter().map(|pass| (*pass, median(pass))).collect()).shares()
    }
}
