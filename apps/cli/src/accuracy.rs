//! `taut accuracy`: measures the accuracy of formulas and schedules.

use std::path::PathBuf;

use clap::Args;
use comfy_table::Table;
use serde::Serialize;
use taut::world::{Model, StickSet};
use taut::{Formula, KernelChoice, Step};
use taut_bench::accuracy::{
    Accuracy, DriftRow, Effort, EffortStudy, EffortSubject, FrameRow, IterationRow, Study,
    StudyPart,
};
use taut_bench::{Arrangement, MachineInfo, Residual};

use crate::Failure;
use crate::input::{self, NamedModel, Shape};
use crate::output::{OutputOptions, machine_sentence, with_progress};
use crate::parsers::{parse, within};
use crate::table;

/// The size of the ball that is the free body: the number of rings of particles between its poles.
const BALL_SIZE: usize = 8;

#[derive(Args, Clone, Debug)]
pub(crate) struct Arguments {
    /// Parts to measure: iterations (stretch over iterations), frames (stretch over frames, and
    /// distance from f64), drift (momentum and energy of a free body), effort (the cheapest frame
    /// that keeps the rms stretch ≤ 1 % and ≤ 0.1 %, with and without tethers, in the default
    /// schedules and with the default formula).
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse::<StudyPart>,
          default_value = "iterations,frames,drift,effort")]
    parts: Vec<StudyPart>,
    /// The scene; the free body of the part drift is a ball.
    #[arg(long, value_name = "NAME", default_value = "drape", conflicts_with = "mesh")]
    scene: Shape,
    /// A mesh file instead of a scene (OBJ, PLY, glTF or GLB), also as the free body.
    #[arg(long, value_name = "FILE")]
    mesh: Option<PathBuf>,
    /// Size of the scene; several sizes work with the part effort only.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "32",
          conflicts_with = "mesh", value_parser = within::<usize>(1..=1024))]
    size: Vec<usize>,
    /// Stick set: structural, shear, or all.
    #[arg(long, value_name = "SET", default_value = "all", value_parser = parse::<StickSet>)]
    sticks: StickSet,
    /// Iterations per substep, in the parts frames and drift, and in the fall before the part
    /// iterations.
    #[arg(long, value_name = "N", default_value_t = 8,
          value_parser = within::<u32>(1..=100_000))]
    iterations: u32,
    /// Substeps per frame of 1/60 s, in the parts frames and drift, and in the fall before the part
    /// iterations.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within::<u32>(1..=1000))]
    substeps: u32,
    /// Number of frames, in the parts frames and drift.
    #[arg(long, value_name = "N", default_value_t = 60,
          value_parser = within::<usize>(1..=100_000))]
    frames: usize,
    /// Formulas, any of: exact, newton, halley, quick.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse::<Formula>,
          default_value = "exact,newton,halley,quick")]
    formulas: Vec<Formula>,
    /// Schedules, as for taut compare. [default: authored, coloured, blocked/hilbert and, for a
    /// regular sheet, sheet]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse::<Arrangement>)]
    schedules: Vec<Arrangement>,
    /// Number of threads, in the part effort.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within::<usize>(1..=1024))]
    threads: usize,
    #[command(flatten)]
    output: OutputOptions,
}

/// The substeps and iterations of a frame in the parts frames and drift.
#[derive(Serialize)]
struct FrameSettings {
    substeps: u32,
    iterations: u32,
}

#[derive(Serialize)]
struct Report<'a> {
    machine: &'a MachineInfo,
    scene: &'a str,
    step: FrameSettings,
    #[serde(flatten)]
    accuracy: &'a Accuracy,
}

/// Runs the study and prints it.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let NamedModel { model, name, notes, .. } = arguments.scene()?;
    let study = arguments.study(model, &name)?;
    let outputs = arguments.output.open()?;
    let accuracy = with_progress(|progress| Ok(study.run(&arguments.parts, progress)?))?;
    let machine = MachineInfo::current();
    let mut lines = notes;
    lines.push(format!("{name}; frames of 1/60 s. {}", machine_sentence(&machine)));
    lines.extend(arguments.parts.iter().map(|part| section(*part, &accuracy, &study)));
    let Step { substeps, iterations, .. } = study.step;
    let step = FrameSettings { substeps, iterations };
    let report = Report { machine: &machine, scene: &name, step, accuracy: &accuracy };
    let text = lines.join("\n") + "\n";
    outputs.write(&report, &accuracy.table_lines(), &text).map_err(Failure::Error)
}

impl Arguments {
    /// The model of the parts iterations and frames: the mesh, or the shape in its first size. The parts drift and
    /// effort also use it if it is the mesh; otherwise they have models of their own.
    ///
    /// # Errors
    /// If several sizes are given, unless all parts are effort; or if the model cannot be built.
    fn scene(&self) -> anyhow::Result<NamedModel> {
        if let Some(path) = &self.mesh {
            return input::load_mesh(path, self.sticks, false);
        }
        let single_size_part = self.parts.iter().find(|part| **part != StudyPart::Effort);
        if let (Some(part), [_, _, ..]) = (single_size_part, &self.size[..]) {
            anyhow::bail!("several sizes (--size) work with the part effort only, not with {part}");
        }
        input::build_shape(self.scene, self.size[0], self.sticks)
    }

    /// The subjects of the part effort: the mesh; or the shape in each size. A sheet gives two subjects
    /// per size: one that hangs from its top row, and one that hangs from two corners.
    fn subjects(&self, model: &Model, name: &str) -> anyhow::Result<Vec<EffortSubject>> {
        let set = self.sticks;
        let hanging_subject = |scene: &str, size, model| EffortSubject {
            scene: scene.to_owned(),
            size,
            set,
            pins: "highest 2 %",
            model,
        };
        if self.mesh.is_some() {
            // The name starts with the file name; see `input::load_mesh`.
            let file = name.rsplit_once(',').map_or(name, |(file, _)| file);
            return Ok(vec![hanging_subject(file, model.particles.len(), model.clone())]);
        }
        let mut subjects = Vec::new();
        for &size in &self.size {
            match self.scene {
                Shape::Drape => subjects.extend(EffortSubject::sheets(size, set)?),
                shape => {
                    let model = input::build_shape(shape, size, set)?.model;
                    subjects.push(hanging_subject(shape.name(), size, model));
                }
            }
        }
        Ok(subjects)
    }

    /// The study of all parts; `model` and its `name` are those of [`scene`](Self::scene).
    fn study(&self, model: Model, name: &str) -> anyhow::Result<Study> {
        let mut arrangements = self.schedules.clone();
        if arrangements.is_empty() {
            let sheet = model.sheet.as_ref().map(|_| "sheet");
            let names = ["authored", "coloured", "blocked/hilbert"].into_iter().chain(sheet);
            arrangements = names.map(str::parse).collect::<Result<_, _>>()?;
        }
        let body = match self.mesh {
            Some(_) => model.clone(),
            None => Model::sphere(BALL_SIZE, self.sticks)?,
        };
        let Self { iterations, substeps, frames, .. } = *self;
        let step = Step { iterations, substeps, ..Step::default() };
        step.motion()?; // an error if the step is invalid
        let effort = EffortStudy {
            subjects: self.subjects(&model, name)?,
            kernels: KernelChoice { threads: self.threads, ..KernelChoice::default() }.find()?,
            formula: Formula::default(),
        };
        let formulas = self.formulas.clone();
        Ok(Study { model, body, step, frames, formulas, arrangements, effort })
    }
}

/// The caption and the table of a part.
fn section(part: StudyPart, accuracy: &Accuracy, study: &Study) -> String {
    let Step { substeps, iterations, .. } = study.step;
    let step = format!("{substeps} substep(s) of {iterations} iteration(s)");
    let (caption, table) = match part {
        StudyPart::Iterations => (
            "Over iterations: rms stretch of a falling scene after the motion of one frame and the \
             given number of iterations. For the largest number: percentiles of the stretch, and rms \
             distances from the same iterations in f64 and from 4096 iterations in f64."
                .to_owned(),
            iterations_table(&accuracy.iterations),
        ),
        StudyPart::Frames => (
            format!(
                "Over frames of {step}: rms stretch. For the last frame: percentiles of the \
                 stretch, and the largest distance from f64."
            ),
            frames_table(&accuracy.frames),
        ),
        StudyPart::Drift => (
            format!(
                "Drift of a free, spinning body, {step}: relative growth of its kinetic energy about its centre of mass \
                 after the given number of frames. For the last frame: relative errors of momentum \
                 and angular momentum. (The exact solution has 0 for each.)"
            ),
            drift_table(&accuracy.drift),
        ),
        StudyPart::Effort => (
            "Effort: the cheapest frame that keeps the rms stretch of the structural sticks in \
             frames 121 to 240 at or below 1 % and 0.1 %, with and without tethers. A textbook \
             frame is one iteration of the textbook loop."
                .to_owned(),
            accuracy.effort.as_ref().map_or_else(table::plain, effort_table),
        ),
    };
    format!("\n{caption}\n{table}")
}

fn iterations_table(rows: &[IterationRow]) -> Table {
    let column_name = |row: &IterationRow| row.iterations.to_string();
    let last_columns =
        ["p50", "p90", "p99", "max", "compression\nrms", "from f64\nm", "from 4096 it.\nm"];
    let series =
        rows.chunk_by(|one, other| one.formula == other.formula && one.schedule == other.schedule);
    series_table(series, column_name, &last_columns, |rows| {
        let last = &rows[rows.len() - 1];
        let mut cells = vec![last.schedule.clone(), last.formula.to_owned()];
        cells.extend(rows.iter().map(|row| stretch_text(row.residual.rms)));
        cells.extend(residual_cells(last.residual));
        cells.extend([
            scientific(last.distance_from_f64.rms),
            scientific(last.distance_from_limit.rms),
        ]);
        cells
    })
}

fn frames_table(rows: &[FrameRow]) -> Table {
    let column_name = |row: &FrameRow| row.frames.to_string();
    let last_columns = ["p50", "p90", "p99", "max", "compression\nrms", "from f64\nm"];
    let series =
        rows.chunk_by(|one, other| one.formula == other.formula && one.schedule == other.schedule);
    series_table(series, column_name, &last_columns, |rows| {
        let last = &rows[rows.len() - 1];
        let mut cells = vec![last.schedule.clone(), last.formula.to_owned()];
        cells.extend(rows.iter().map(|row| stretch_text(row.residual.rms)));
        cells.extend(residual_cells(last.residual));
        cells.push(scientific(last.distance_from_f64.max));
        cells
    })
}

fn drift_table(rows: &[DriftRow]) -> Table {
    let column_name = |row: &DriftRow| row.frames.to_string();
    let last_columns =
        ["momentum\nf32", "f64", "angular\nf32", "f64", "stretch\nrms", "compression\nrms"];
    let series =
        rows.chunk_by(|one, other| one.formula == other.formula && one.schedule == other.schedule);
    series_table(series, column_name, &last_columns, |rows| {
        let last = &rows[rows.len() - 1];
        let mut cells = vec![last.schedule.clone(), last.formula.to_owned()];
        cells.extend(rows.iter().map(|row| format!("{:+.2} %", 100.0 * row.energy)));
        let errors =
            [last.momentum, last.momentum_f64, last.angular_momentum, last.angular_momentum_f64];
        cells.extend(errors.map(scientific));
        cells.extend([last.residual.rms, last.residual.compression_rms].map(stretch_text));
        cells
    })
}

/// A table with one row for each item of `series`, which has all rows of one formula and schedule. It has a column for
/// each number of iterations or frames, then `last_columns`, whose values are measured at the largest of these numbers.
fn series_table<'a, R: 'a>(
    series: impl Iterator<Item = &'a [R]>,
    column_name: impl Fn(&R) -> String,
    last_columns: &[&str],
    cells: impl Fn(&[R]) -> Vec<String>,
) -> Table {
    let mut table = table::plain();
    for rows in series {
        if table.header().is_none() {
            let first_columns = ["schedule", "formula"].map(str::to_owned).into_iter();
            let middle_columns = rows.iter().map(&column_name);
            let last_columns = last_columns.iter().map(|&name| name.to_owned());
            table.set_header(first_columns.chain(middle_columns).chain(last_columns));
        }
        table.add_row(cells(rows));
    }
    table::align_right(&mut table, 2);
    table
}

/// A table row for each scene and bound, with and without tethers.
fn effort_table(effort: &Effort) -> Table {
    let mut table = table::plain();
    table.set_header([
        "scene",
        "pins",
        "rms\nstretch ≤",
        "tethers",
        "substeps x\niterations",
        "frame, µs\nfastest",
        "frame, µs\nmedian",
        "textbook\nframes",
        "stretch\nrms",
        "stretch\nmax",
        "kernel",
        "schedule",
    ]);
    let on_off = |tethers| if tethers { "on" } else { "off" }.to_owned();
    let percent = |bound: f64| format!("{} %", 100.0 * bound);
    for row in &effort.rows {
        table.add_row([
            format!("{} {}, {}", row.scene, row.size, row.set),
            row.pins.to_owned(),
            percent(row.within),
            on_off(row.tethers),
            format!("{} x {}", row.substeps, row.iterations),
            format!("{:.1}", row.frame_us_fastest),
            format!("{:.1}", row.frame_us_median),
            format!("{:.3}", row.frame_us_fastest / row.textbook_frame_us),
            format!("{:.5}", row.stretch_rms),
            format!("{:.4}", row.stretch_max),
            format!("{} {}", row.kernel, row.isa),
            row.schedule.clone(),
        ]);
    }
    for row in &effort.not_reached {
        table.add_row([
            format!("{} {}, {}", row.scene, row.size, row.set),
            row.pins.to_owned(),
            percent(row.within),
            on_off(row.tethers),
            "not reached".to_owned(),
        ]);
    }
    table::align_right(&mut table, 4);
    table
}

/// Formats a stretch with 4 decimals, or in scientific notation if it is below 1e-4 or at least 1000.
fn stretch_text(value: f64) -> String {
    match value {
        _ if !value.is_finite() => "not finite".to_owned(),
        1e-4..1e3 => format!("{value:.4}"),
        _ => format!("{value:.0e}"),
    }
}

/// The percentiles and maximum of the stretch, and the rms compression.
fn residual_cells(residual: Residual) -> [String; 5] {
    let Residual { p50, p90, p99, max, compression_rms, .. } = residual;
    [p50, p90, p99, max, compression_rms].map(stretch_text)
}

/// Formats a value in scientific notation with one digit.
fn scientific(value: f64) -> String {
    format!("{value:.0e}")
}
