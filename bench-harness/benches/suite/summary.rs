//! A summary of all benches.

use taut::{Formula, Stretch};
use taut_bench::COURSE_FRAMES;

use crate::suite::TEXTBOOK;

/// With at least this many whole runs, shorter ones are ignored: more of their frames follow a
/// rewind.
const WHOLE_RUNS: usize = 5;

/// Times per frame of the runs of one bench, in the unit of the measurement.
#[derive(Clone, Debug, Default)]
pub(crate) struct Taken {
    whole: Vec<f64>,
    shorter: Vec<f64>,
}

impl Taken {
    /// Adds a run: its number of frames, and the time of each.
    pub(crate) fn add(&mut self, frames: usize, each: f64) {
        if frames == COURSE_FRAMES { self.whole.push(each) } else { self.shorter.push(each) }
    }

    /// The times per frame, sorted; empty if the bench was filtered out.
    fn frames(mut self) -> Vec<f64> {
        if self.whole.len() < WHOLE_RUNS {
            self.whole.append(&mut self.shorter);
        }
        self.whole.sort_unstable_by(f64::total_cmp);
        self.whole
    }
}

pub(crate) struct Summary {
    unit: &'static str,
    lines: Vec<Line>,
}

/// A bench; times are per stick and iteration.
struct Line {
    table: String,
    engine: String,
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
        engine: &str,
        relaxed_per_frame: u64,
        taken: Option<(Taken, Stretch)>,
    ) {
        let Some((taken, residual)) = taken else { return };
        let frames = taken.frames();
        let a_stick = |frame: f64| frame / relaxed_per_frame as f64;
        self.lines.push(Line {
            table: format!("{scenario}/{size}"),
            engine: engine.to_owned(),
            formula,
            median: a_stick(frames[frames.len() / 2]),
            fastest: a_stick(frames[0]),
            residual,
        });
    }

    /// A table for each scenario and size, best first.
    pub(crate) fn print(mut self) {
        if self.lines.is_empty() {
            return;
        }
        let unit = self.unit;
        println!(
            "\nSummary. Times are of the whole frame, in {unit} a stick and iteration; the stretch is \
             after {COURSE_FRAMES} frames from the start."
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
            let textbook = lines.iter().find(|line| line.engine == TEXTBOOK).map(|it| it.median);
            for Line { engine, formula, median, fastest, residual, .. } in &lines {
                let times = textbook.map_or("-".to_owned(), |it| format!("{:.1}", it / median));
                let Stretch { rms, max, compression_rms, .. } = residual;
                println!(
                    "  {engine:<14} {formula:<8} {median:>9.3} {fastest:>9.3} {times:>10} \
                     {rms:>13.5} {max:>13.4} {compression_rms:>13.5}"
                );
            }
        }
    }
}
