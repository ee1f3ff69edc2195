//! Result files. Each has one part of the report of one machine.
//!
//! Files have all fields of the rows of `taut-bench`; reading keeps those that the report page and
//! the tables of the README need.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use taut::Formula;
use taut_bench::MachineInfo;

use super::line_formatter::LineFormatter;
use crate::summary::SummaryRow;

/// A part of a report; each has its own file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Part {
    /// Time by the size of a regular sheet.
    Sheets,
    /// Time by the size of a mesh with shuffled numbering.
    Meshes,
    /// Time by the number of copies of a mesh.
    Copies,
    /// Time by size, from the smallest to the largest sheets, meshes and numbers of copies, and the
    /// limit of the roofline model.
    Growth,
    /// Kernels, formulas and schedules on one sheet: the table of the README.
    Comparison,
    /// Frame time against stretch.
    Tradeoff,
    /// Which schedules and formulas stay bounded.
    Stability,
    /// Stretch over the iterations of a frame.
    Iterations,
    /// Stretch over frames.
    Frames,
    /// The cheapest frames that keep the rms stretch within 1 % and within 0.1 %.
    Effort,
}

/// The subject of a chart by size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Subject {
    /// Regular sheets; the size is the number of particles along an edge.
    Sheets,
    /// Irregular meshes; the size is the square root of the number of particles.
    Meshes,
    /// Copies of one mesh; the size is their number.
    Copies,
}

/// The longest time, s, that the frames of a row of the part `growth` may take together. A row is
/// skipped at sizes for which a longer time is predicted.
pub(crate) const ROW_SECONDS_MAX: f64 = 1.5;

/// The version of the file format. Other versions are rejected.
const FORMAT: u32 = 1;

/// The content of a result file.
#[derive(Serialize)]
struct ResultFile<'a, R> {
    format: u32,
    part: Part,
    quick: bool,
    machine: &'a MachineInfo,
    rows: &'a [R],
}

/// Serializes a part, with one row per line.
pub(crate) fn to_json<R: Serialize>(
    part: Part,
    quick: bool,
    machine: &MachineInfo,
    rows: &[R],
) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let formatter = LineFormatter::default();
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
    ResultFile { format: FORMAT, part, quick, machine, rows }.serialize(&mut serializer)?;
    bytes.push(b'\n');
    Ok(String::from_utf8(bytes)?)
}

/// The results of one machine, compiler, target and set of flags; the commits may differ. Parts that
/// were not measured are empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct Results {
    pub(crate) machine: Machine,
    /// The commits at which parts were measured, each once.
    pub(crate) commits: Vec<String>,
    /// Whether any part was measured with `--quick`.
    pub(crate) quick: bool,
    pub(crate) sheets: Vec<Timing>,
    pub(crate) meshes: Vec<Timing>,
    /// The size is the number of copies.
    pub(crate) copies: Vec<Timing>,
    pub(crate) growth: Vec<Timing>,
    pub(crate) comparison: Vec<Timing>,
    pub(crate) tradeoff: Vec<Timing>,
    pub(crate) stability: Vec<Outcome>,
    pub(crate) iterations: Vec<IterationRow>,
    pub(crate) frames: Vec<FrameRow>,
    pub(crate) effort: Vec<EffortRow>,
}

/// The fields of [`MachineInfo`].
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Machine {
    pub(crate) cpu: String,
    pub(crate) features: Vec<String>,
    pub(crate) cores: usize,
    pub(crate) rustc: String,
    pub(crate) target: String,
    pub(crate) flags: String,
    pub(crate) commit: String,
}

/// Fields of [`taut_bench::Row`], and its scene. Numbers that are not finite are `None`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Timing {
    pub(crate) scene: String,
    pub(crate) size: usize,
    /// The name of the stick set.
    pub(crate) set: String,
    pub(crate) kernel: String,
    pub(crate) isa: String,
    pub(crate) formula: String,
    pub(crate) schedule: String,
    pub(crate) threads: usize,
    pub(crate) particles: usize,
    pub(crate) sticks: usize,
    pub(crate) substeps: u32,
    pub(crate) iterations: u32,
    pub(crate) frames: usize,
    pub(crate) frame_us_median: f64,
    /// The median frame time over the number of relaxations of sticks in a frame, ns.
    #[serde(rename = "ns_per_stick_median")]
    pub(crate) ns_per_relaxation_median: f64,
    /// `None` if the textbook loop was not measured.
    pub(crate) speedup_over_textbook: Option<f64>,
    /// `None` if the scalar kernel was not measured.
    pub(crate) speedup_over_scalar: Option<f64>,
    pub(crate) divisions_per_frame: u64,
    pub(crate) square_roots_per_frame: u64,
    pub(crate) estimates_per_frame: u64,
    pub(crate) stretch_rms: Option<f64>,
    pub(crate) compression_rms: Option<f64>,
    pub(crate) error_vs_f64: Option<f64>,
    pub(crate) finite: bool,
    /// `None` in older results, in which each part had a single subject.
    pub(crate) subject: Option<Subject>,
    /// The lower bound of [`ns_per_relaxation_median`](Self::ns_per_relaxation_median) by the roofline model,
    /// in the part `growth`.
    pub(crate) limit_ns: Option<f64>,
}

/// Fields of [`taut_bench::Stability`].
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) scene: String,
    pub(crate) size: usize,
    /// The name of the stick set.
    #[serde(rename = "sticks")]
    pub(crate) set: String,
    pub(crate) schedule: String,
    pub(crate) default_schedule: bool,
    pub(crate) formula: String,
    pub(crate) iterations: u32,
    pub(crate) dt_s: f32,
    pub(crate) frames: usize,
    pub(crate) bound: f64,
    /// The first frame, counted from 1, after which the simulation was out of its bounds; `None` if it
    /// stayed bounded.
    pub(crate) left_bounds_at: Option<usize>,
    pub(crate) stretch_rms: Option<f64>,
}

/// The field `rms` of [`taut_bench::Residual`], which is the rms of the stretch alone; `None` if it is
/// not finite.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct StretchRms {
    pub(crate) rms: Option<f64>,
}

/// Fields of [`taut_bench::accuracy::IterationRow`], and its scene.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct IterationRow {
    pub(crate) scene: String,
    pub(crate) size: usize,
    pub(crate) set: String,
    pub(crate) formula: String,
    pub(crate) schedule: String,
    pub(crate) iterations: u32,
    pub(crate) residual: StretchRms,
}

/// Fields of [`taut_bench::accuracy::FrameRow`], and its scene.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct FrameRow {
    pub(crate) scene: String,
    pub(crate) size: usize,
    pub(crate) set: String,
    pub(crate) formula: String,
    pub(crate) schedule: String,
    pub(crate) frames: usize,
    pub(crate) residual: StretchRms,
}

/// Fields of [`taut_bench::accuracy::EffortRow`].
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct EffortRow {
    pub(crate) scene: String,
    pub(crate) size: usize,
    pub(crate) set: String,
    /// What the cloth hangs from.
    pub(crate) pins: String,
    /// The bound of the rms stretch.
    pub(crate) within: f64,
    pub(crate) tethers: bool,
    pub(crate) substeps: u32,
    pub(crate) iterations: u32,
    pub(crate) kernel: String,
    pub(crate) isa: String,
    pub(crate) frame_us_fastest: f64,
    pub(crate) textbook_frame_us: f64,
    pub(crate) stretch_rms: f64,
    pub(crate) stretch_max: f64,
}

/// The field that is read first, because other formats may have other fields.
#[derive(Deserialize)]
struct Header {
    format: u32,
}

/// The other fields of a result file.
#[derive(Deserialize)]
struct Document {
    quick: bool,
    machine: Machine,
    #[serde(flatten)]
    part: Rows,
}

/// The rows of a part, by its name in the file.
#[derive(Deserialize)]
#[serde(tag = "part", content = "rows", rename_all = "lowercase")]
enum Rows {
    Sheets(Vec<Timing>),
    Meshes(Vec<Timing>),
    Copies(Vec<Timing>),
    Growth(Vec<Timing>),
    Comparison(Vec<Timing>),
    Tradeoff(Vec<Timing>),
    Stability(Vec<Outcome>),
    Iterations(Vec<IterationRow>),
    Frames(Vec<FrameRow>),
    Effort(Vec<EffortRow>),
}

impl Timing {
    /// The frame time divided by the number of sticks, ns: the time of all relaxations of a stick in a frame.
    pub(crate) fn ns_per_stick_and_frame(&self) -> f64 {
        1e3 * self.frame_us_median / self.sticks as f64
    }

    /// Whether the formula is the default one. Also true for the textbook loop, which has only one formula.
    pub(crate) fn is_default_formula(&self) -> bool {
        self.formula == Formula::default().name() || self.kernel == "textbook"
    }

    /// The rms stretch; `None` if the simulation blew up, as in [`taut_bench::Row::blew_up`]: if a position was
    /// not finite, or the rms residual is above 10.
    pub(crate) fn stretch(&self) -> Option<f64> {
        let compression = self.compression_rms.unwrap_or(0.0);
        self.stretch_rms.filter(|&rms| self.finite && rms.hypot(compression) <= 10.0)
    }
}

impl From<&Timing> for SummaryRow {
    fn from(row: &Timing) -> Self {
        Self {
            kernel: row.kernel.clone(),
            isa: row.isa.clone(),
            threads: row.threads,
            formula: row.formula.clone(),
            schedule: row.schedule.clone(),
            ns_per_stick: row.ns_per_relaxation_median,
            speedup_over_textbook: row.speedup_over_textbook,
            speedup_over_scalar: row.speedup_over_scalar,
            divisions_per_frame: row.divisions_per_frame,
            square_roots_per_frame: row.square_roots_per_frame,
            stretch_rms: row.stretch(),
            error_vs_f64: row.error_vs_f64,
        }
    }
}

/// Reads result files, and all `.json` files in folders, recursively.
///
/// # Errors
/// If a file cannot be read or is not a result file, or if no file with results is found.
pub(crate) fn read(paths: &[PathBuf]) -> anyhow::Result<Vec<Results>> {
    let mut files = Vec::new();
    for path in paths {
        collect_files(path, &mut files)?;
    }
    let mut all = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file)
            .with_context(|| format!("{}: cannot be read", file.display()))?;
        // An interrupted `taut report --save` leaves new files of parts that it did not measure empty.
        if text.is_empty() && !paths.contains(file) {
            continue;
        }
        add(&mut all, &text).with_context(|| file.display().to_string())?;
    }
    anyhow::ensure!(!all.is_empty(), "--from: found no .json file with results");
    Ok(all)
}

/// Collects a file, or the `.json` files in a folder, in the order of their names.
fn collect_files(path: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let entries = fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let entries = entries.with_context(|| format!("{}: cannot be read", path.display()))?;
    let mut children: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
    children.sort();
    children.retain(|path| {
        path.is_dir() || path.extension().is_some_and(|extension| extension == "json")
    });
    children.iter().try_for_each(|path| collect_files(path, files))
}

/// Adds the part in `text` to the first results of the same machine, compiler, target and flags that lack this part,
/// or else to new results. So two measurements of a part on one machine are shown side by side.
///
/// # Errors
/// If the text is not a result file.
pub(crate) fn add(all: &mut Vec<Results>, text: &str) -> anyhow::Result<()> {
    let invalid = "not a result file of this version of taut report";
    let Header { format } = serde_json::from_str(text).context(invalid)?;
    anyhow::ensure!(format == FORMAT, "{invalid}: expected format {FORMAT}, found {format}");
    let Document { quick, machine, part } = serde_json::from_str(text).context(invalid)?;
    let index = all
        .iter()
        .position(|results| results.machine.has_equal_setup(&machine) && !results.has(&part));
    let index = index.unwrap_or_else(|| {
        all.push(Results { machine: machine.clone(), ..Results::default() });
        all.len() - 1
    });
    let results = &mut all[index];
    results.quick |= quick;
    if !results.commits.contains(&machine.commit) {
        results.commits.push(machine.commit);
    }
    match part {
        Rows::Sheets(rows) => results.sheets = rows,
        Rows::Meshes(rows) => results.meshes = rows,
        Rows::Copies(rows) => results.copies = rows,
        Rows::Growth(rows) => results.growth = rows,
        Rows::Comparison(rows) => results.comparison = rows,
        Rows::Tradeoff(rows) => results.tradeoff = rows,
        Rows::Stability(rows) => results.stability = rows,
        Rows::Iterations(rows) => results.iterations = rows,
        Rows::Frames(rows) => results.frames = rows,
        Rows::Effort(rows) => results.effort = rows,
    }
    Ok(())
}

impl Results {
    /// Whether the part was measured.
    fn has(&self, part: &Rows) -> bool {
        !match part {
            Rows::Sheets(_) => self.sheets.is_empty(),
            Rows::Meshes(_) => self.meshes.is_empty(),
            Rows::Copies(_) => self.copies.is_empty(),
            Rows::Growth(_) => self.growth.is_empty(),
            Rows::Comparison(_) => self.comparison.is_empty(),
            Rows::Tradeoff(_) => self.tradeoff.is_empty(),
            Rows::Stability(_) => self.stability.is_empty(),
            Rows::Iterations(_) => self.iterations.is_empty(),
            Rows::Frames(_) => self.frames.is_empty(),
            Rows::Effort(_) => self.effort.is_empty(),
        }
    }
}

impl Machine {
    /// Whether the processor, the number of cores, the target, the flags and the compiler are the same. The commits
    /// may differ.
    fn has_equal_setup(&self, other: &Self) -> bool {
        let key = |machine: &Self| {
            let Self { cpu, cores, target, flags, rustc, .. } = machine.clone();
            (cpu, cores, target, flags, rustc)
        };
        key(self) == key(other)
    }

    /// The folder name of a processor: `intel-xeon-family-6-model-207-stepping-2`.
    pub(crate) fn folder_name(cpu: &str) -> String {
        let lower = cpu.to_lowercase().replace("(r)", " ").replace("(tm)", " ");
        let words = lower.split(|letter: char| !letter.is_ascii_alphanumeric());
        let kept = words.filter(|word| !matches!(*word, "" | "cpu" | "processor"));
        let name = kept.collect::<Vec<_>>().join("-");
        if name.is_empty() { "unknown".to_owned() } else { name }
    }
}
