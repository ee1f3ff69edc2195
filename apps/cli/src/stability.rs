//! `taut stability`: reports which schedules and formulas stay bounded.

use clap::Args;
use comfy_table::{Cell, Color};
use serde::Serialize;
use taut::world::{Numbering, StickSet};
use taut::{Formula, Step};
use taut_bench::{Arrangement, BOUND, MachineInfo, Order, Stability, Subject, Survey};

use crate::Failure;
use crate::input::{self, Shape};
use crate::output::{OutputOptions, machine_sentence, with_progress};
use crate::parsers::{parse, within};
use crate::table;

#[derive(Args, Clone, Debug)]
pub(crate) struct Arguments {
    /// Shapes, any of: drape, disc, sphere.
    #[arg(
        long,
        alias = "scenes",
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "drape"
    )]
    shapes: Vec<Shape>,
    /// Sizes of the shapes.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "64,128",
          value_parser = within::<usize>(1..=4096))]
    sizes: Vec<usize>,
    /// Stick sets, any of: structural, shear, all.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse::<StickSet>,
          default_value = "structural,shear,all")]
    sticks: Vec<StickSet>,
    /// Schedules, named as for taut compare. [default: all that the shape supports, without
    /// renumbering]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse::<Arrangement>)]
    schedules: Vec<Arrangement>,
    /// Formulas, any of: exact, newton, halley, quick.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse::<Formula>,
          default_value = "exact,newton,halley,quick")]
    formulas: Vec<Formula>,
    /// Iterations per substep.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "1",
          value_parser = within::<u32>(1..=100_000))]
    iterations: Vec<u32>,
    /// Substeps per frame.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "1",
          value_parser = within::<u32>(1..=1000))]
    substeps: Vec<u32>,
    /// Durations of a frame, s. [default: 1/60]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    dt: Vec<f32>,
    /// Number of frames of each simulation.
    #[arg(long, value_name = "N", default_value_t = 360,
          value_parser = within::<usize>(1..=1_000_000))]
    frames: usize,
    /// The bound: the largest stretch or compression that a stick may have after a frame.
    #[arg(long, value_name = "X", default_value_t = BOUND)]
    bound: f64,
    #[command(flatten)]
    output: OutputOptions,
}

#[derive(Serialize)]
struct Report<'a> {
    machine: &'a MachineInfo,
    rows: &'a [Stability],
}

/// Runs the survey and prints it.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let surveys = arguments.surveys()?;
    let outputs = arguments.output.open()?;
    let rows = with_progress(|progress| {
        let mut rows = Vec::new();
        for (done, survey) in surveys.iter().enumerate() {
            rows.extend(survey.run(|inner| {
                let share = (done as f64 + inner.share) / surveys.len() as f64;
                progress(taut_bench::Progress { share, ..inner });
            })?);
        }
        Ok(rows)
    })?;
    let machine = MachineInfo::current();
    let text = format!(
        "{}{}\n{}\n{}\n",
        arguments.sentence(),
        machine_sentence(&machine),
        render(&rows, &arguments.formulas),
        verdict(&rows)
    );
    let written = outputs.write(&Report { machine: &machine, rows: &rows }, &rows, &text);
    let is_violation = |row: &&Stability| row.is_default() && !row.bounded();
    let violations: Vec<String> = rows.iter().filter(is_violation).map(violation_message).collect();
    if !violations.is_empty() {
        return Err(Failure::Violations(violations));
    }
    written.map_err(Failure::Error)
}

impl Arguments {
    /// A step for each combination of `--dt`, `--substeps` and `--iterations`.
    fn steps(&self) -> anyhow::Result<Vec<Step<3>>> {
        let default_dt = [Step::<3>::default().dt];
        let mut steps = Vec::new();
        for &dt in if self.dt.is_empty() { &default_dt[..] } else { &self.dt } {
            for &substeps in &self.substeps {
                for &iterations in &self.iterations {
                    let step = Step { dt, substeps, iterations, ..Step::default() };
                    step.motion()?; // an error if the step is invalid
                    steps.push(step);
                }
            }
        }
        Ok(steps)
    }

    /// A sentence about the simulations and the bound, with a line break at its end.
    fn sentence(&self) -> String {
        let Self { iterations, substeps, dt, frames, bound, .. } = self;
        let list =
            |values: &[u32]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let dt = match dt.as_slice() {
            [] => "1/60".to_owned(),
            listed => listed.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        };
        format!(
            "{frames} frames of {dt} s, {} substep(s), {} iteration(s); bounded: no stretch or \
             compression above {bound} after any frame.\n",
            list(substeps),
            list(iterations)
        )
    }

    /// A survey for each shape, size and stick set. Only sheets have the order `sheet`.
    fn surveys(&self) -> anyhow::Result<Vec<Survey>> {
        anyhow::ensure!(self.bound > 0.0, "--bound {}: not a positive number", self.bound);
        let steps = self.steps()?;
        let mut surveys = Vec::new();
        for &shape in &self.shapes {
            for &size in &self.sizes {
                for &set in &self.sticks {
                    let model = input::build_shape(shape, size, set)?.model;
                    let is_supported = |arrangement: &Arrangement| {
                        arrangement.order != Order::Sheet || model.sheet.is_some()
                    };
                    let arrangements = match self.schedules.as_slice() {
                        [] => {
                            // The default may need another numbering than the given one.
                            let default = Arrangement::default_of(&model);
                            let is_other = |it: &Arrangement| it.numbering != Numbering::Given;
                            let orders = Arrangement::orders().filter(is_supported);
                            orders.chain(Some(default).filter(is_other)).collect()
                        }
                        listed => listed.to_vec(),
                    };
                    surveys.push(Survey {
                        subject: Subject { name: shape.name().to_owned(), size, set, model },
                        arrangements,
                        formulas: self.formulas.clone(),
                        steps: steps.clone(),
                        frames: self.frames,
                        bound: self.bound,
                    });
                }
            }
        }
        Ok(surveys)
    }
}

/// A table column for a step parameter: its name, and its value in a row.
type StepColumn = (&'static str, fn(&Stability) -> String);

const STEP_COLUMNS: [StepColumn; 3] = [
    ("dt ms", |row| format!("{:.3}", 1e3 * row.dt_s)),
    ("substeps", |row| row.substeps.to_string()),
    ("iterations", |row| row.iterations.to_string()),
];

/// Renders a table with a row for each shape, size, stick set, schedule and step, and a column for each formula.
fn render(rows: &[Stability], formulas: &[Formula]) -> String {
    // A parameter that is the same in all rows has no column: the sentence above the table states it.
    let varies = |(_, value): &StepColumn| {
        rows.first().is_some_and(|first| rows.iter().any(|row| value(row) != value(first)))
    };
    let step_columns: Vec<StepColumn> = STEP_COLUMNS.into_iter().filter(varies).collect();
    let mut table = table::plain();
    let names = ["shape", "sticks", "schedule"].into_iter();
    let header = names.chain(step_columns.iter().map(|(name, _)| *name));
    table.set_header(header.chain(formulas.iter().map(|formula| formula.name())));
    // The formula is the innermost loop of a survey, so each chunk has all formulas of one schedule and step.
    for group in rows.chunks(formulas.len()) {
        let first = &group[0];
        let default_mark = if first.default_schedule { " (default)" } else { "" };
        let mut cells = vec![
            Cell::new(format!("{} {}", first.model, first.size)),
            Cell::new(first.sticks),
            Cell::new(format!("{}{default_mark}", first.arrangement)),
        ];
        cells.extend(step_columns.iter().map(|(_, value)| Cell::new(value(first))));
        cells.extend(group.iter().map(outcome_cell));
        table.add_row(cells);
    }
    table::align_right(&mut table, 3);
    table.to_string()
}

/// The final rms stretch and compression or, if the simulation left its bounds, the frame after which it was out of
/// bounds, and the final rms of stretch and compression together or `not finite`.
fn outcome_cell(row: &Stability) -> Cell {
    match row.left_bounds_at {
        None => {
            let values = [row.stretch_rms, row.compression_rms];
            Cell::new(values.map(|rms| format!("{rms:.4}")).join(" / ")).fg(Color::Green)
        }
        Some(frame) if row.finite => {
            let rms = row.stretch_rms.hypot(row.compression_rms);
            let rms = if rms < 1e3 { format!("{rms:.4}") } else { format!("{rms:.0e}") };
            Cell::new(format!("out of bounds at frame {frame}: final rms {rms}")).fg(Color::Red)
        }
        Some(frame) => {
            Cell::new(format!("out of bounds at frame {frame}: not finite")).fg(Color::Red)
        }
    }
}

/// Summarizes the table: how many simulations left their bounds.
fn verdict(rows: &[Stability]) -> String {
    let count_unbounded =
        |rows: &mut dyn Iterator<Item = &Stability>| rows.filter(|row| !row.bounded()).count();
    let defaults = || rows.iter().filter(|row| row.is_default());
    let mut lines = vec![format!(
        "{} of {} simulations left their bounds. The table shows the final root mean squares of \
         stretch and compression, or the frame after which a simulation left its bounds and the \
         final root mean square of both.",
        count_unbounded(&mut rows.iter()),
        rows.len()
    )];
    if defaults().next().is_some() {
        lines.push(format!(
            "With a default schedule and the default formula, {} of {} left their bounds.",
            count_unbounded(&mut defaults()),
            defaults().count()
        ));
    }
    lines.join("\n")
}

fn violation_message(row: &Stability) -> String {
    let Stability { model, size, sticks, arrangement, formula, left_bounds_at, .. } = row;
    format!(
        "{model} {size}, {sticks} sticks, blows up with a default schedule and the default formula \
         ({arrangement}, {formula}): it left its bounds at frame {}",
        left_bounds_at.unwrap_or_default()
    )
}
