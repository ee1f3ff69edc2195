//! `taut roofline`: compares the times of kernels with lower bounds from the peak rates of the machine.

use clap::Args;
use comfy_table::Cell;
use serde::Serialize;
use taut::world::{Model, StickSet};
use taut::{AnyKernel, Formula, Step};
use taut_bench::roofline::{Peak, RooflineRow, roofline};
use taut_bench::{Arrangement, Baselines, Comparison, Configuration, MachineInfo, Order, Progress};

use crate::Failure;
use crate::input::{self, NamedModel, Shape};
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
        default_value = "drape,disc"
    )]
    shapes: Vec<Shape>,
    /// Sizes of the shapes: drape, a sheet, has N by N particles; other shapes about as many.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "128",
          value_parser = within::<usize>(1..=4096))]
    sizes: Vec<usize>,
    /// Stick set: structural, shear, or all (including bending).
    #[arg(long, value_name = "SET", default_value = "all", value_parser = parse::<StickSet>)]
    sticks: StickSet,
    /// Schedules, as for taut compare. [default: sheet for sheets, starred/rcm for other
    /// shapes]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse::<Arrangement>)]
    schedules: Vec<Arrangement>,
    /// Formulas, any of: exact, newton, halley, quick.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse::<Formula>,
          default_value = "exact,newton,halley,quick")]
    formulas: Vec<Formula>,
    /// Iterations per frame.
    #[arg(long, value_name = "N", default_value_t = 8,
          value_parser = within::<u32>(1..=100_000))]
    iterations: u32,
    /// Number of timed frames.
    #[arg(long, value_name = "N", default_value_t = 60,
          value_parser = within::<usize>(1..=1_000_000))]
    frames: usize,
    /// Number of frames before timing starts.
    #[arg(long, value_name = "N", default_value_t = 20,
          value_parser = within::<usize>(0..=1_000_000))]
    warmup: usize,
    /// Largest working set of the bandwidth measurement, KiB.
    #[arg(long, value_name = "KiB", default_value_t = 256 << 10,
          value_parser = within::<usize>(1..=16 << 20))]
    largest_set: usize,
    #[command(flatten)]
    output: OutputOptions,
}

#[derive(Serialize)]
struct Report<'a> {
    machine: &'a MachineInfo,
    peaks: &'a [Peak],
    rows: &'a [RooflineRow],
}

/// Measures the peak rates of the machine and the times of the kernels, and prints both.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let comparisons = arguments.comparisons()?;
    let outputs = arguments.output.open()?;
    let (peaks, rows) = with_progress(|progress| {
        progress(Progress { share: 0.0, doing: "measuring peak rates" });
        let peaks = Peak::measure(arguments.largest_set << 10);
        let mut rows = Vec::new();
        for (done, (name, comparison)) in comparisons.iter().enumerate() {
            rows.extend(roofline(name, comparison, &peaks, |inner| {
                let share = (done as f64 + inner.share) / comparisons.len() as f64;
                progress(Progress { share, ..inner });
            })?);
        }
        Ok((peaks, rows))
    })?;
    let machine = MachineInfo::current();
    let text = format!(
        "{}\n\nPeak rates of each instruction set, per nanosecond, on one thread:\n{}\n\n\
         Per stick and iteration, at {} iterations per frame, over {} frames:\n{}\n{EXPLANATION}\n",
        machine_sentence(&machine),
        render_peaks(&peaks),
        arguments.iterations,
        arguments.frames,
        render(&rows),
    );
    outputs.write(&Report { machine: &machine, peaks: &peaks, rows: &rows }, &rows, &text)?;
    Ok(())
}

/// The legend below the table of kernels.
const EXPLANATION: &str = "\
limit: the largest of the next four, not their sum, because they may overlap; bottleneck: which of
them that is.
arithmetic: additions and multiplications; divider: divisions and roots; access: loads and stores of
each stick, at first-level cache bandwidth; sweep: all data once per iteration (grid: once in eight
iterations), at the bandwidth measured for a working set of that size. fastest / limit: the fastest
time divided by the limit.
Not included in the limit: shuffles, comparisons, selections and addresses; loads narrower than a register;
loads that wait for stores; the latency between dependent sticks; and, once per frame, motion and copying
particles in and out.";

impl Arguments {
    /// A comparison for each shape and size, with its name.
    fn comparisons(&self) -> anyhow::Result<Vec<(String, Comparison)>> {
        let mut comparisons = Vec::new();
        for &shape in &self.shapes {
            for &size in &self.sizes {
                let NamedModel { model, name, .. } = input::build_shape(shape, size, self.sticks)?;
                let comparison = Comparison {
                    configurations: self.configurations(&model)?,
                    model,
                    copies: 1,
                    step: Step { substeps: 1, iterations: self.iterations, ..Step::default() },
                    warmup: self.warmup,
                    frames: self.frames,
                    repeats: 1,
                    baselines: Baselines::default(),
                };
                comparisons.push((name, comparison));
            }
        }
        Ok(comparisons)
    }

    /// Every kernel on every instruction set but the fallbacks, in every schedule that it runs, with every
    /// formula.
    fn configurations(&self, model: &Model) -> anyhow::Result<Vec<Configuration>> {
        let default_schedule = if model.sheet.is_some() { "sheet" } else { "starred/rcm" };
        let arrangements = match self.schedules.as_slice() {
            [] => vec![default_schedule.parse()?],
            listed => listed.to_vec(),
        };
        let mut configurations = Vec::new();
        for &arrangement in &arrangements {
            for kernel in AnyKernel::available().into_iter().filter(|kernel| !kernel.is_fallback())
            {
                let for_sheets = kernel.is_for_sheets() && arrangement.order == Order::Sheet;
                if kernel.is_general() || for_sheets {
                    configurations.extend(self.formulas.iter().map(|&formula| Configuration {
                        kernel: kernel.clone(),
                        formula,
                        arrangement,
                    }));
                }
            }
        }
        Ok(configurations)
    }
}

/// The table of peak rates: a row for each instruction set, a column for each rate and working set.
fn render_peaks(peaks: &[Peak]) -> String {
    let mut table = table::plain();
    let working_sets = peaks.first().map_or(&[][..], |peak| &peak.bandwidths);
    let header = ["isa", "+ and *", "/", "sqrt"].map(str::to_owned).into_iter();
    let header = header.chain(
        working_sets.iter().map(|set| format!("bytes,\n{} set", binary_size(set.set_bytes))),
    );
    table.set_header(header);
    for peak in peaks {
        let mut cells =
            vec![Cell::new(peak.isa), Cell::new(format!("{:.1}", peak.arithmetic_per_ns))];
        let divider_rates = [peak.divisions_per_ns, peak.square_roots_per_ns];
        cells.extend(divider_rates.map(|rate| Cell::new(format!("{rate:.2}"))));
        let bandwidths = peak.bandwidths.iter();
        cells.extend(bandwidths.map(|set| Cell::new(format!("{:.0}", set.bytes_per_ns))));
        table.add_row(cells);
    }
    table::align_right(&mut table, 1);
    table.to_string()
}

/// Formats a number of bytes in MiB, or in KiB if it is below 1 MiB; rounded down.
fn binary_size(bytes: usize) -> String {
    match bytes >> 20 {
        0 => format!("{} KiB", bytes >> 10),
        mebibytes => format!("{mebibytes} MiB"),
    }
}

/// The table of kernels: the rows of each shape and size, the fastest first.
fn render(rows: &[RooflineRow]) -> String {
    let mut table = table::plain();
    table.set_header([
        "shape",
        "schedule",
        "kernel",
        "isa",
        "formula",
        "+ and *",
        "/ and\nsqrt",
        "access\nbytes",
        "sweep\nbytes",
        "arithmetic\nns",
        "divider\nns",
        "access\nns",
        "sweep\nns",
        "limit\nns",
        "bottleneck",
        "fastest\nns",
        "median\nns",
        "fastest\n/ limit",
        "speedup over\ntextbook",
    ]);
    for shape_rows in rows.chunk_by(|one, other| one.scene == other.scene) {
        let mut sorted: Vec<&RooflineRow> = shape_rows.iter().collect();
        sorted.sort_by(|one, other| one.ns_fastest.total_cmp(&other.ns_fastest));
        for row in sorted {
            let names = [row.scene.as_str(), &row.schedule, row.kernel, row.isa, row.formula];
            let mut cells = names.map(Cell::new).to_vec();
            let divider_operations = row.divisions + row.square_roots;
            cells.push(Cell::new(format!("{:.1}", row.arithmetic)));
            cells.push(Cell::new(format!("{divider_operations:.2}")));
            let bytes = [row.accessed_bytes, row.swept_bytes];
            cells.extend(bytes.map(|bytes| Cell::new(format!("{bytes:.0}"))));
            let times = [row.arithmetic_ns, row.divider_ns, row.access_ns, row.sweep_ns];
            let ns = |time: f64| Cell::new(format!("{time:.3}"));
            cells.extend(times.map(ns));
            cells.push(ns(row.limit_ns));
            cells.push(Cell::new(row.bottleneck));
            cells.extend([row.ns_fastest, row.ns_median].map(ns));
            cells.push(Cell::new(format!("{:.1}", row.time_over_limit)));
            cells.push(Cell::new(format!("{:.1}", row.speedup_over_textbook)));
            table.add_row(cells);
        }
    }
    table::align_right(&mut table, 5);
    table.to_string()
}
