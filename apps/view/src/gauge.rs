//! What steps take, by a stopwatch.

use std::collections::VecDeque;

use taut::world::Pass;

/// How many of the last windows count.
const WINDOWS: usize = 10;

/// Seconds that passes took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Times {
    pub(crate) all: f64,
    /// The sticks' share: their relaxation, and whole steps of parts that nothing touches.
    pub(crate) sticks: f64,
}

/// What a step takes: the median over some windows of the mean in each. (So a clock that counts
/// in tenths of milliseconds, as browsers have it, still tells hundredths.)
#[derive(Clone, Debug, Default)]
pub(crate) struct Gauge {
    steps: u32,
    window: Times,
    means: VecDeque<Times>,
}

impl Gauge {
    /// Notes what a pass took, s.
    pub(crate) fn pass(&mut self, pass: Pass, seconds: f64) {
        self.window.all += seconds;
        if matches!(pass, Pass::Whole | Pass::Sticks) {
            self.window.sticks += seconds;
        }
    }

    /// A step is done.
    pub(crate) fn step(&mut self) {
        self.steps += 1;
    }

    /// Ends a window.
    pub(crate) fn turn(&mut self) {
        if self.steps > 0 {
            let steps = f64::from(self.steps);
            let Times { all, sticks } = self.window;
            if self.means.len() == WINDOWS {
                self.means.pop_front();
            }
            self.means.push_back(Times { all: all / steps, sticks: sticks / steps });
        }
        (self.steps, self.window) = (0, Times::default());
    }

    /// What a step took lately, s; 0 if there was none.
    pub(crate) fn step_times(&self) -> Times {
        Times {
            all: median(self.means.iter().map(|mean| mean.all)),
            sticks: median(self.means.iter().map(|mean| mean.sticks)),
        }
    }
}

fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}
