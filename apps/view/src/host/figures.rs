//! Live figures: times, operations, stretch and energy.

use super::Host;
use crate::protocol::Figures;
use crate::session::on;
use crate::step_timer::Times;

/// The largest share of the time that computing stretch and energy may take.
const SHARE_OF_FIGURES: f64 = 0.02;

impl Host {
    /// Updates the figures.
    pub(super) fn update_figures(&mut self) {
        on!(&mut self.session, it => it.end_window());
        let Times { all, sticks } = on!(&self.session, it => it.times());
        let counts = on!(&self.session, it => it.counts());
        let relaxed = on!(&self.session, it => it.relaxations()) as f64 * counts.sticks as f64;
        let [divisions, roots] = on!(&self.session, it => it.operations());
        if self.condition_pause <= 0.0 {
            let start = (self.stopwatch)();
            if let Ok((stretch, [kinetic, potential])) = on!(&self.session, it => it.condition()) {
                self.figures = Figures {
                    rms: stretch.rms,
                    max: stretch.max,
                    compression_rms: stretch.compression_rms,
                    compression_max: stretch.compression_max,
                    kinetic,
                    potential,
                    ..self.figures
                };
            }
            self.condition_pause = ((self.stopwatch)() - start) / SHARE_OF_FIGURES;
        }
        let per = |whole: f64, part: f64| if part > 0.0 { whole / part } else { 0.0 };
        let figures = Figures {
            milliseconds: 1e3 * all,
            sticks_milliseconds: 1e3 * sticks,
            nanoseconds: 1e9 * per(sticks, relaxed),
            sticks_per_second: per(relaxed, sticks),
            divisions,
            roots,
            behind: self.behind,
            torn: counts.torn,
            steps: on!(&self.session, it => it.steps()),
            blown: self.blown,
            race: on!(&self.session, it => it.race_figures()),
            ..self.figures
        };
        if figures != self.figures || self.figures_number == 0 {
            self.figures = figures;
            self.figures_number += 1;
        }
    }
}
