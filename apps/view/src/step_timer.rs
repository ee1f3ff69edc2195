//! Measures the time per step.

use std::collections::VecDeque;

use taut::world::StepPart;

/// The number of windows over which the median is taken.
const WINDOWS: usize = 10;

/// Seconds per step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Times {
    pub(crate) all: f64,
    /// Time of relaxing sticks, and of whole substeps that a kernel runs in one call.
    pub(crate) sticks: f64,
}

/// Time per step: the median of the means of several windows. The mean compensates the coarse clock
/// of browsers (0.1 ms).
#[derive(Clone, Debug, Default)]
pub(crate) struct StepTimer {
    steps: u32,
    window: Times,
    means: VecDeque<Times>,
}

impl StepTimer {
    pub(crate) fn add_part(&mut self, part: StepPart, seconds: f64) {
        self.window.all += seconds;
        if matches!(part, StepPart::Whole | StepPart::Sticks) {
            self.window.sticks += seconds;
        }
    }

    pub(crate) fn end_step(&mut self) {
        self.steps += 1;
    }

    pub(crate) fn end_window(&mut self) {
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

    /// Time per step, s; 0 before the first window with a step.
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
