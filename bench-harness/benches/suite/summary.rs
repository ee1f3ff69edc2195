//! A summary of all benches.

use taut::{Formula, Stretch};
use taut_bench::RUN_FRAMES;

use crate::suite::TEXTBOOK;

/// With at least this many full runs, shorter runs are ignored, because a larger fraction of their
/// frames comes right after a rewind.
const FULL_RUNS_MIN: usize = 5;

/// Times per frame of the runs of one bench, in the unit of the measurement.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunTimes {
    /// Of runs of [`RUN_FRAMES`] frames.
    full: Vec<f64>,
    /// Of runs of fewer frames.
    shorter: Vec<f64>,
}

impl RunTimes {
    /// Adds a run: its number of frames and its time per frame.
    pub(crate) fn add(&mut self, frames: usize, per_frame: f64) {
        let runs = if frames == RUN_FRAMES { &mut self.full } else { &mut self.shorter };
        runs.push(per_frame);
    }

    /// The times per frame, sorted; empty if the bench was filtered out.
    fn sorted_times(mut self) -> Vec<f64> {
        if self.full.len() < FULL_RUNS_MIN {
            self.full.append(&mut self.shorter);
        }
        self.full.sort_unstable_by(f64::total_cmp);
        self.full
    }
}

pub(crate) struct Summary {
    unit: &'static str,
    lines: Vec<Line>,
}

/// The result of a bench. Times are per stick and iteration, in the unit of the measurement.
struct Line {
    /// The title of the table that this line belongs to: `scenario/size`.
    table: String,
    kernel: String,
    formula: Formula,
    median: f64,
    fastest: f64,
    residual: Stretch,
}

impl Summary {
    pub(crate) fn new(unit: &'static str) -> Self {
        Self { unit, lines: Vec::new() }
    }

    /// Adds a bench, unless it was filtered out.
    pub(crate) fn add(
        &mut self,
        scenario: &str,
        size: usize,
        formula: Formula,
        kernel: &str,
        relaxations_per_frame: u64,
        result: Option<(RunTimes, Stretch)>,
    ) {
        let Some((times, residual)) = result else { return };
        let times = times.sorted_times();
        let per_stick = |frame_time: f64| frame_time / relaxations_per_frame as f64;
        self.lines.push(Line {
            table: format!("{scenario}/{size}"),
            kernel: kernel.to_owned(),
            formula,
            median: per_stick(times[times.len() / 2]),
            fastest: per_stick(times[0]),
            residual,
        });
    }

    /// Prints a table for each scenario and size, with its lines in the order of their median times.
    pub(crate) fn print(mut self) {
        if self.lines.is_empty() {
            return;
        }
        let unit = self.unit;
        println!(
            "\nSummary. Times are of the whole frame, in {unit} per stick and iteration; the \
             stretch is after {RUN_FRAMES} frames from the start."
        );
        while let Some(table) = self.lines.first().map(|line| line.table.clone()) {
            let (mut lines, rest): (Vec<_>, _) =
                self.lines.into_iter().partition(|line| line.table == table);
            self.lines = rest;
            lines.sort_by(|one, other| one.median.total_cmp(&other.median));
            println!("\n{table}");
            println!(
                "  {:<14} {:<8} {:>9} {:>9} {:>10} {:>13} {:>13} {:>13}",
                "kernel",
                "formula",
                "median",
                "fastest",
                "x textbook",
                "stretch rms",
                "stretch max",
                "compression"
            );
            let textbook_line = lines.iter().find(|line| line.kernel == TEXTBOOK);
            let textbook = textbook_line.map(|line| line.median);
            for Line { kernel, formula, median, fastest, residual, .. } in &lines {
                let speedup =
                    textbook.map_or("-".to_owned(), |time| format!("{:.1}", time / median));
                let Stretch { rms, max, compression_rms, .. } = residual;
                println!(
                    "  {kernel:<14} {formula:<8} {median:>9.3} {fastest:>9.3} {speedup:>10} \
                     {rms:>13.5} {max:>13.4} {compression_rms:>13.5}"
                );
            }
        }
    }
}
