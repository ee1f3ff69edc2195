//! Frame times of a world, and the fraction of each part of a step.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde::Serialize;
use taut::world::{Outcome, StepPart};
use taut::{AnyWorld, AnyWorldError, Inline};

/// Every `WATCHED_EVERY`-th frame is watched: measured part by part.
const WATCHED_EVERY: u64 = 8;
/// The maximum number of kept samples; when it is reached, every second sample is dropped.
const KEPT_MAX: usize = 1 << 14;

/// Sums the times of the parts of a step over steps.
#[derive(Clone, Debug, Default)]
pub struct StepProfile(BTreeMap<StepPart, Duration>);

impl StepProfile {
    /// Runs and times a step.
    ///
    /// # Errors
    /// Same as [`AnyWorld::step`].
    pub fn step(&mut self, world: &mut AnyWorld) -> Result<Outcome, AnyWorldError> {
        let mut last = Instant::now();
        // The world calls the closure after each part.
        world.step_watched(&Inline, &mut |part| {
            let now = Instant::now();
            *self.0.entry(part).or_default() += now - last;
            last = now;
        })
    }

    /// Each part that ran, with its time.
    pub fn each(&self) -> impl Iterator<Item = (StepPart, Duration)> {
        self.0.iter().map(|(&part, &time)| (part, time))
    }

    /// The time of all parts.
    pub fn total(&self) -> Duration {
        self.0.values().sum()
    }

    /// The time of the relaxation of sticks, and of substeps and steps that a kernel runs in one call,
    /// including their motion.
    pub fn sticks(&self) -> Duration {
        let is_sticks = |part: &StepPart| matches!(part, StepPart::Whole | StepPart::Sticks);
        self.0.iter().filter(|(part, _)| is_sticks(part)).map(|(_, time)| *time).sum()
    }

    /// The time of all other parts.
    pub fn others(&self) -> Duration {
        self.total().saturating_sub(self.sticks())
    }

    /// The fraction of each part in the total.
    pub fn shares(&self) -> Shares {
        let total = self.total().as_secs_f64();
        let fraction = |time: Duration| if total > 0.0 { time.as_secs_f64() / total } else { 0.0 };
        let fraction_of = |part| fraction(self.0.get(&part).copied().unwrap_or_default());
        Shares {
            sticks: fraction(self.sticks()),
            motion: fraction_of(StepPart::Motion),
            forces: fraction_of(StepPart::Forces),
            tethers: fraction_of(StepPart::Tethers),
            ties: fraction_of(StepPart::Ties),
            contacts: fraction_of(StepPart::SelfCollision),
            obstacles: fraction_of(StepPart::Obstacles),
            tearing: fraction_of(StepPart::Tearing),
        }
    }
}

/// The fraction of each part in the time of a frame, 0 to 1; the sum is 1, or 0 without measurements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Shares {
    /// The relaxation of sticks, and all of [`StepPart::Whole`], in which a kernel runs motion and
    /// sticks in one call.
    pub sticks: f64,
    /// The motion of particles, except in calls of [`StepPart::Whole`].
    pub motion: f64,
    /// Adding up forces, emitters, and the preparation of obstacles in a substep.
    pub forces: f64,
    /// Tethers, as a separate part; frames that are not watched fuse them with the motion.
    pub tethers: f64,
    /// Ties between models.
    pub ties: f64,
    /// Contacts of models with self-collision: particles with particles, limbs and bodies.
    pub contacts: f64,
    /// Obstacles.
    pub obstacles: f64,
    /// Finding and tearing sticks that are stretched too far.
    pub tearing: f64,
}

impl Shares {
    /// Each fraction with its name in reports.
    pub fn each(&self) -> [(&'static str, f64); 8] {
        let Self { sticks, motion, forces, tethers, ties, contacts, obstacles, tearing } = *self;
        [
            ("sticks", sticks),
            ("motion", motion),
            ("forces", forces),
            ("tethers", tethers),
            ("ties", ties),
            ("contacts", contacts),
            ("obstacles", obstacles),
            ("tearing", tearing),
        ]
    }
}

/// Measurements, thinned out so that fewer than [`KEPT_MAX`] are kept: first all of them, then every
/// second one, then every fourth, and so on.
#[derive(Clone, Debug)]
struct Samples<T> {
    kept: Vec<T>,
    /// Every `stride`-th sample is kept.
    stride: u64,
    /// The number of samples so far, kept or not.
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
            let mut count = 0;
            self.kept.retain(|_| {
                count += 1;
                count % 2 == 1
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
/// times. The second frame and every 8th after it are *watched* ([`AnyWorld::step_watched`]) and give
/// the fractions of the parts.
#[derive(Clone, Debug, Default)]
pub struct FrameTimes {
    /// The number of frames so far.
    frames_done: u64,
    /// Times of the frames that count as frame times.
    plain: Samples<Duration>,
    fastest: Option<Duration>,
    watched: Samples<StepProfile>,
}

impl FrameTimes {
    /// Runs the next step of a run of `frames` steps. If `frames` is 1, the step is watched, and
    /// its time counts as a frame time, too.
    ///
    /// # Errors
    /// Same as [`AnyWorld::step`].
    pub fn step(&mut self, world: &mut AnyWorld, frames: u64) -> Result<Outcome, AnyWorldError> {
        let is_watched = frames == 1 || self.frames_done % WATCHED_EVERY == 1;
        self.frames_done += 1;
        if is_watched {
            let mut profile = StepProfile::default();
            let outcome = profile.step(world)?;
            if frames == 1 {
                self.record(profile.total());
            }
            self.watched.record(profile);
            return Ok(outcome);
        }
        let start = Instant::now();
        let outcome = world.step(1)?;
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

    /// The fraction of each part, from its median time over the watched frames. Disturbances of fewer
    /// than half of these frames have no effect, and a part that runs in fewer than half of them
    /// counts as 0.
    pub fn shares(&self) -> Shares {
        let parts = self.watched.kept.iter().flat_map(|profile| profile.0.keys());
        let parts: BTreeSet<&StepPart> = parts.collect();
        let time_of =
            |profile: &StepProfile, part| profile.0.get(part).copied().unwrap_or_default();
        let median = |part| self.watched.median(|profile| time_of(profile, part));
        StepProfile(parts.into_iter().map(|part| (*part, median(part))).collect()).shares()
    }
}
