//! What the passes of a world's step take.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use taut::world::{Outcome, Pass, World, WorldError};
use taut::{Inline, Kernel};

/// Adds up what the passes of steps take.
#[derive(Clone, Debug, Default)]
pub struct PassTimes(BTreeMap<Pass, Duration>);

impl PassTimes {
    /// Does a step, by the clock.
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

    /// Each pass that there was, with its time.
    pub fn each(&self) -> impl Iterator<Item = (Pass, Duration)> {
        self.0.iter().map(|(&pass, &time)| (pass, time))
    }

    /// All of them.
    pub fn total(&self) -> Duration {
        self.0.values().sum()
    }

    /// The sticks' share: their relaxation, and whole steps of parts that nothing touches, whose
    /// motion is part of the kernel's work.
    pub fn sticks(&self) -> Duration {
        let is_of_sticks = |pass: &Pass| matches!(pass, Pass::Whole | Pass::Sticks);
        self.0.iter().filter(|(pass, _)| is_of_sticks(pass)).map(|(_, time)| *time).sum()
    }

    /// The share of all else: forces, motion, obstacles, tears.
    pub fn others(&self) -> Duration {
        self.total().saturating_sub(self.sticks())
    }
}
