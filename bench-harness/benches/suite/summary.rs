//! What all benches found, on one page.

use taut::{Formula, Stretch};

use crate::suite::TEXTBOOK;

/// What the longest runs of one bench took, a frame each, in the unit of the measurement.
#[derive(Clone, Debug, Default)]
pub(crate) struct Taken {
    frames: usize,
    each: Vec<f64>,
    residual: Option<Stretch>,
}

impl Taken {
    /// A run. Shorter ones than others count no more: their frames follow a rewind.
    pub(crate) fn add(&mut self, frames: usize, each: f64, residual: Stretch) {
        if frames > self.frames {
            (self.frames, self.residual) = (frames, Some(residual));
            self.each.clear();
        }
        if frames == self.frames {
            self.each.push(each);
        }
    }
}

pub(crate) struct Summary {
    unit: &'static str,
    lines: Vec<Line>,
}

/// A bench; times are by the stick and iteration.
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

    /// Nothing, if it was filtered out.
    pub(crate) fn add(
        &mut self,
        scenario: &str,
        size: usize,
        formula: Formula,
        engine: &str,
        relaxed_per_frame: u64,
        Taken { mut each, residual, .. }: Taken,
    ) {
        let Some(residual) = residual else { return };
        each.sort_unstable_by(f64::total_cmp);
        let a_stick = |frame: f64| frame / relaxed_per_frame as f64;
        self.lines.push(Line {
            table: format!("{scenario}/{size}"),
            engine: engine.to_owned(),
            formula,
            median: a_stick(each[each.len() / 2]),
            fastest: a_stick(each[0]),
            residual,
        });
    }

    /// A table for each scenario and size, best first.
    pub(crate) fn print(mut self) {
        if self.lines.is_empty() {
            return;
        }
        let unit = self.unit;
        println!("\nSummary. Times are of the whole frame, in {unit} a stick and iteration.");
        while let Some(table) = self.lines.first().map(|line| line.table.clone()) {
            let (mut lines, rest): (Vec<_>, _) =
                self.lines.into_iter().partition(|line| line.table == table);
            self.lines = rest;
            lines.sort_by(|one, other| one.median.total_cmp(&other.median));
            println!("\n{table}");
            println!(
                "  {:<14} {:<8} {:>9} {:>9} {:>10} {:>13} {:>13}",
                "kernel",
                "formula",
                "median",
                "fastest",
                "x textbook",
                "stretch rms",
                "stretch max"
            );
            let textbook = lines.iter().find(|line| line.engine == TEXTBOOK).map(|it| it.median);
            for Line { engine, formula, median, fastest, residual, .. } in &lines {
                let times = textbook.map_or("-".to_owned(), |it| format!("{:.1}", it / median));
                let Stretch { rms, max } = residual;
                println!(
                    "  {engine:<14} {formula:<8} {median:>9.3} {fastest:>9.3} {times:>10} \
                     {rms:>13.5} {max:>13.4}"
                );
            }
        }
    }
}
