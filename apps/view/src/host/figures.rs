//! Updates the figures: live numbers that pages show, such as times, operations, stretch and energy.

use super::Host;
use crate::protocol::Figures;
use crate::step_timer::StepTimes;

/// The maximum fraction of real time that may be spent on computing stretch and energy: so little that it hardly
/// slows the simulation down.
const DIAGNOSTICS_FRACTION_MAX: f64 = 0.02;

impl Host {
    /// Ends the current window of the step timers, and updates the figures. Increments their version if they changed,
    /// and at the first call. Stretch and energy keep their values until they may be computed again.
    pub(super) fn update_figures(&mut self) {
        self.session.end_timing_window();
        let StepTimes { step_s, sticks_s } = self.session.step_times();
        let counts = self.session.counts();
        let relaxations = self.session.iterations_per_step() as f64 * counts.sticks as f64;
        let [divisions, roots] = self.session.operations();
        if self.diagnostics_pause <= 0.0 {
            let start = (self.stopwatch)();
            if let Ok((stretch, [kinetic, potential])) = self.session.diagnostics() {
                self.figures = Figures {
                    stretch_rms: stretch.rms,
                    stretch_max: stretch.max,
                    compression_rms: stretch.compression_rms,
                    compression_max: stretch.compression_max,
                    kinetic,
                    potential,
                    ..self.figures
                };
            }
            self.diagnostics_pause = ((self.stopwatch)() - start) / DIAGNOSTICS_FRACTION_MAX;
        }
        let ratio =
            |dividend: f64, divisor: f64| if divisor > 0.0 { dividend / divisor } else { 0.0 };
        let figures = Figures {
            step_milliseconds: 1e3 * step_s,
            sticks_milliseconds: 1e3 * sticks_s,
            nanoseconds_per_relaxation: 1e9 * ratio(sticks_s, relaxations),
            relaxations_per_second: ratio(relaxations, sticks_s),
            divisions,
            roots,
            dropped_time: self.dropped_time,
            torn: counts.torn,
            models: self.session.model_count(),
            asleep: self.session.sleeping_count(),
            steps: self.session.steps(),
            blew_up: self.blew_up,
            comparison: self.session.comparison_figures(),
            ..self.figures
        };
        if figures != self.figures || self.figures_version == 0 {
            self.figures = figures;
            self.figures_version += 1;
        }
    }
}
