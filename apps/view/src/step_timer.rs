//! Averages the times of steps, as pages show them.

use std::collections::VecDeque;

use taut::world::StepPart;

/// How many windows the median is taken over.
const WINDOWS: usize = 10;

/// Seconds per step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StepTimes {
    /// Time of a whole step.
    pub(crate) step_s: f64,
    /// Time in which sticks are relaxed. Includes the motion of particles where a kernel computes motion and sticks
    /// in one call (`StepPart::Whole`).
    pub(crate) sticks_s: f64,
}

/// Computes the time per step: the median of the means of the last windows. A window has several steps, because the
/// clock of browsers is coarse (0.1 ms).
#[derive(Clone, Debug, Default)]
pub(crate) struct StepTimer {
    /// The number of steps in the current window.
    steps: u32,
    /// The sums over the current window, s.
    window: StepTimes,
    /// The means of the last windows.
    means: VecDeque<StepTimes>,
}

impl StepTimer {
    /// Adds the time of a part of the current step.
    pub(crate) fn add_part(&mut self, part: StepPart, seconds: f64) {
        self.window.step_s += seconds;
        if matches!(part, StepPart::Whole | StepPart::Sticks) {
            self.window.sticks_s += seconds;
        }
    }

    /// Ends the current step.
    pub(crate) fn end_step(&mut self) {
        self.steps += 1;
    }

    /// Ends the current window and keeps its means; a window without steps is ignored.
    pub(crate) fn end_timing_window(&mut self) {
        if self.steps > 0 {
            let steps = f64::from(self.steps);
            let StepTimes { step_s, sticks_s } = self.window;
            if self.means.len() == WINDOWS {
                self.means.pop_front();
            }
            self.means.push_back(StepTimes { step_s: step_s / steps, sticks_s: sticks_s / steps });
        }
        (self.steps, self.window) = (0, StepTimes::default());
    }

    /// Time per step, s; 0 before the first window with a step.
    pub(crate) fn step_times(&self) -> StepTimes {
        StepTimes {
            step_s: median(self.means.iter().map(|mean| mean.step_s)),
            sticks_s: median(self.means.iter().map(|mean| mean.sticks_s)),
        }
    }
}

/// The median, of an even number of values the upper one; 0 if there are no values.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
