//! `taut compare`.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::Context;
use clap::Args;
use clap::builder::RangedU64ValueParser;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use taut::world::StickSet;
use taut::{AnyKernel, Formula, Kernel, Pool, Step};
use taut_bench::{
    Arrangement, Contest, Contestant, MachineInfo, Order, Progress, Row, disagreements,
};

use crate::Failure;
use crate::input::{self, Named, Shape};
use crate::table;

/// The kernels, as `--kernels` names them.
const KERNELS: [&str; 5] = ["scalar", "wide", "pulp", "grid", "colour"];

#[derive(Args, Clone, Debug)]
pub(crate) struct Arguments {
    /// The scene: a shape of its own making.
    #[arg(long, value_name = "NAME", default_value = "drape", conflicts_with = "mesh")]
    scene: Shape,
    /// A mesh instead: OBJ, PLY, glTF or GLB. It is pinned at its highest 2 % of vertices.
    #[arg(long, value_name = "FILE")]
    mesh: Option<PathBuf>,
    /// How large the scene is: a sheet of N by N particles, and others of about as many.
    #[arg(long, value_name = "N", default_value_t = 128, conflicts_with = "mesh",
          value_parser = within::<usize>(1..=4096))]
    size: usize,
    /// Which sticks: structural, shear, or all (with those against bending).
    #[arg(long, value_name = "SET", default_value = "all", value_parser = parse::<StickSet>)]
    sticks: StickSet,
    /// Leave a mesh as large as it is. Otherwise its mean edge becomes 0.05 m.
    #[arg(long, requires = "mesh", conflicts_with_all = ["scene", "size"])]
    keep_scale: bool,
    /// Number particles and sticks at random first, by this seed: the honest hard case.
    #[arg(long, value_name = "SEED")]
    shuffle: Option<u64>,
    /// How often a substep relaxes all sticks.
    #[arg(long, value_name = "K", default_value_t = 8,
          value_parser = within::<u32>(1..=100_000))]
    iterations: u32,
    /// Into how many substeps a frame of 1/60 s is cut.
    #[arg(long, value_name = "n", default_value_t = 1, value_parser = within::<u32>(1..=1000))]
    substeps: u32,
    /// How many frames are timed.
    #[arg(long, value_name = "F", default_value_t = 60,
          value_parser = within::<usize>(1..=1_000_000))]
    frames: usize,
    /// How many frames run before the clock starts.
    #[arg(long, value_name = "W", default_value_t = 60,
          value_parser = within::<usize>(0..=1_000_000))]
    warmup: usize,
    /// Which kernels, of: scalar, wide, pulp, grid (regular sheets only), colour (threads around
    /// the best of the others).
    /// The textbook loop and the scalar kernel are always there.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = KERNELS)]
    kernels: Vec<String>,
    /// Which formulas, of: exact, newton, halley, quick.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse::<Formula>,
          default_value = "exact,newton,halley,quick")]
    formulas: Vec<Formula>,
    /// Which schedules, of: authored, coloured, packed, banded, blocked, sheet; each, if you like, after
    /// a renumbering of the particles: packed/rcm, blocked/hilbert.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse::<Arrangement>)]
    schedules: Vec<Arrangement>,
    /// Which instruction sets kernels may use, of those that this machine has (avx512, avx2,
    /// sse2, neon, scalar, ...).
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    isa: Vec<String>,
    /// On how many threads: above 1 it is the kernel colour that runs.
    #[arg(long, value_name = "LIST", value_delimiter = ',',
          value_parser = within::<usize>(1..=1024))]
    threads: Vec<usize>,
    /// Write the result as JSON, to a file or with - to the standard output (the table then
    /// goes to the standard error).
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the rows as CSV, likewise.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

fn parse<T: std::str::FromStr<Err: std::fmt::Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

/// A number that is sane: past it there is no memory, or no end.
fn within<T: TryFrom<u64>>(range: RangeInclusive<u64>) -> RangedU64ValueParser<T> {
    RangedU64ValueParser::new().range(range)
}

/// What the program does when it is asked for nothing.
pub(crate) fn run_default() -> Result<(), Failure> {
    let arguments = Arguments::default_selection();
    run(&arguments)?;
    writeln!(
        io::stdout(),
        "\nTry next:\n  \
         taut compare --mesh FILE       your own mesh (OBJ, PLY, glTF), all kernels\n  \
         taut compare --shuffle 1       numbered at random: what a good order is worth\n  \
         taut compare --iterations 1    the cheapest step: see which schedules blow up\n  \
         taut compare --help            everything else"
    )?;
    Ok(())
}

/// Runs the comparison and prints it.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let (Some(json), Some(csv)) = (&arguments.json, &arguments.csv)
        && json == csv
    {
        let both = if json == Path::new("-") {
            "the standard output".to_owned()
        } else {
            json.display().to_string()
        };
        return Err(anyhow::anyhow!("only one of --json and --csv can go to {both}").into());
    }
    let named = arguments.scene()?;
    let contest = arguments.contest(&named)?;
    let json = arguments.json.as_deref().map(Output::open).transpose()?;
    let csv = arguments.csv.as_deref().map(Output::open).transpose()?;
    let pure = [&json, &csv].into_iter().any(|output| matches!(output, Some(Output::Standard)));

    let rows = with_progress(&contest)?;

    let machine = MachineInfo::current();
    let description = Description::new(arguments, &named, &contest);
    let disagreements = disagreements(&rows);
    let mut lines = named.notes.clone();
    lines.push(description.sentence());
    lines.push(machine_sentence(&machine));
    lines.push(table::render(&rows));
    lines.push(table::verdict(&rows));
    if disagreements.is_empty() {
        lines.push("Bits: all rows of the same formula and schedule agree.".to_owned());
    }
    let text = lines.join("\n") + "\n";

    // One failing does not keep the others from what took so long to measure.
    let report = Report { machine: &machine, scene: &description, rows: &rows };
    let written = [
        json.map_or(Ok(()), |output| output.write(&report.json()?)),
        csv.map_or(Ok(()), |output| output.write(&report.csv()?)),
        if pure {
            io::stderr().write_all(text.as_bytes()).context("the table was not written")
        } else {
            Output::Standard.write(text.as_bytes())
        },
    ];
    if !disagreements.is_empty() {
        return Err(Failure::Disagreement(disagreements));
    }
    written.into_iter().collect::<anyhow::Result<()>>().map_err(Failure::Input)
}

impl Arguments {
    /// As `taut compare`, with fewer schedules: done in well under a minute.
    fn default_selection() -> Self {
        #[derive(clap::Parser)]
        struct Compare {
            #[command(flatten)]
            arguments: Arguments,
        }
        let schedules = "--schedules=authored,packed,blocked/hilbert,sheet";
        <Compare as clap::Parser>::parse_from(["taut", schedules]).arguments
    }

    fn scene(&self) -> anyhow::Result<Named> {
        let mut named = match &self.mesh {
            Some(path) => input::mesh(path, self.sticks, self.keep_scale)?,
            None => input::shape(self.scene, self.size, self.sticks)?,
        };
        if let Some(seed) = self.shuffle {
            named.scene = named.scene.shuffled(seed);
            named.name = format!("{}, shuffled by seed {seed}", named.name);
        }
        Ok(named)
    }

    fn contest(&self, named: &Named) -> anyhow::Result<Contest> {
        let arrangements = if self.schedules.is_empty() {
            Arrangement::usual(&named.scene)
        } else {
            self.schedules.clone()
        };
        let kernels = self.kernels()?;
        let mut contestants = Vec::new();
        for &arrangement in &arrangements {
            for &formula in &self.formulas {
                let fitting = kernels.iter().filter(|kernel| self.fits(kernel, arrangement));
                contestants.extend(fitting.map(|kernel| Contestant {
                    kernel: kernel.clone(),
                    formula,
                    arrangement,
                }));
            }
        }
        for wanted in &self.kernels {
            anyhow::ensure!(
                contestants.iter().any(|it| Kernel::<3>::name(&it.kernel) == wanted),
                "the kernel {wanted} runs none of the schedules chosen on this scene{}",
                if wanted == "grid" {
                    ": it is for regular sheets, in the schedule 'sheet'"
                } else {
                    ""
                }
            );
        }
        Ok(Contest {
            scene: named.scene.clone(),
            step: Step { iterations: self.iterations, substeps: self.substeps, ..Step::default() },
            warmup: self.warmup,
            frames: self.frames,
            contestants,
        })
    }

    fn wants(&self, kernel: &str) -> bool {
        self.kernels.is_empty() || self.kernels.iter().any(|wanted| wanted == kernel)
    }

    /// The kernels that take part; the scalar one always does, as a baseline.
    fn kernels(&self) -> anyhow::Result<Vec<AnyKernel>> {
        let available = AnyKernel::available();
        let isa = |kernel: &AnyKernel| Kernel::<3>::isa(kernel);
        for wanted in &self.isa {
            anyhow::ensure!(
                available.iter().any(|kernel| isa(kernel) == wanted),
                "no kernel of this build uses the instruction set '{wanted}' on this machine; \
                 there are: {}",
                MachineInfo::current().features.join(", ")
            );
        }
        let mut kernels: Vec<AnyKernel> = available
            .into_iter()
            .filter(|kernel| {
                let name = Kernel::<3>::name(kernel);
                let wanted_isa = if self.isa.is_empty() {
                    // One lane is what the kernel falls back to; the scalar one shows it.
                    name == "scalar" || isa(kernel) != "scalar"
                } else {
                    self.isa.iter().any(|wanted| wanted == isa(kernel))
                };
                name == "scalar" || (wanted_isa && (self.wants(name) || self.kernels == ["colour"]))
            })
            .collect();
        anyhow::ensure!(
            self.isa.is_empty()
                || self.kernels == ["colour"]
                || kernels.iter().any(|kernel| self.wants(Kernel::<3>::name(kernel))),
            "none of --kernels {} uses any of --isa {}",
            self.kernels.join(","),
            self.isa.join(",")
        );
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let threads = match self.threads.as_slice() {
            [] if !self.wants("colour") => vec![1],
            [] if self.kernels == ["colour"] => vec![cores],
            [] => vec![1, cores],
            threads => threads.to_vec(),
        };
        // Not the kernel for sheets: the threads are for every schedule.
        let general = |kernel: &&AnyKernel| can_run(kernel, Order::Authored);
        let best = kernels.iter().find(general).unwrap_or(&kernels[0]).clone();
        if !threads.contains(&1) || self.kernels == ["colour"] {
            kernels.retain(|kernel| Kernel::<3>::name(kernel) == "scalar");
        }
        for &threads in threads.iter().filter(|&&threads| threads > 1) {
            kernels.push(best.clone().on_threads(Pool::new(threads)?));
        }
        Ok(kernels)
    }

    /// Whether the pair is worth a row. What is asked for by name always is.
    fn fits(&self, kernel: &AnyKernel, arrangement: Arrangement) -> bool {
        match arrangement.order {
            order if !can_run(kernel, order) => false,
            _ if !self.kernels.is_empty() => true,
            // Batches of one stick leave all lanes but one empty.
            Order::Authored => Kernel::<3>::name(kernel) == "scalar",
            // One block is one thread's work.
            Order::Packed | Order::Sheet => Kernel::<3>::threads(kernel) == 1,
            Order::Coloured | Order::Banded | Order::Blocked => true,
        }
    }
}

/// Whether the kernel takes schedules of that order at all.
fn can_run(kernel: &AnyKernel, order: Order) -> bool {
    Kernel::<3>::name(kernel) != "grid" || order == Order::Sheet
}

/// Runs the contest, with a bar on the standard error if somebody may be looking.
fn with_progress(contest: &Contest) -> anyhow::Result<Vec<Row>> {
    let style = ProgressStyle::with_template(
        "{bar:30} {percent:>3} %  {elapsed} of ~{duration}  {wide_msg}",
    )?;
    let bar =
        if io::stderr().is_terminal() { ProgressBar::new(1000) } else { ProgressBar::hidden() };
    bar.set_style(style);
    let rows = contest.run(|Progress { share, doing }| {
        #[allow(clippy::cast_sign_loss, reason = "a share is not negative")]
        bar.set_position((share * 1000.0) as u64);
        bar.set_message(doing.to_owned());
    })?;
    bar.finish_and_clear();
    Ok(rows)
}

/// What was run.
#[derive(Serialize)]
struct Description {
    name: String,
    particles: usize,
    pinned: usize,
    sticks: usize,
    shuffle_seed: Option<u64>,
    substeps: u32,
    iterations: u32,
    dt_s: f32,
    warmup_frames: usize,
    timed_frames: usize,
    error_vs_f64_frame: usize,
}

#[derive(Serialize)]
struct Report<'a> {
    machine: &'a MachineInfo,
    scene: &'a Description,
    rows: &'a [Row],
}

impl Report<'_> {
    fn json(&self) -> anyhow::Result<Vec<u8>> {
        let mut text = serde_json::to_vec_pretty(self)?;
        text.push(b'\n');
        Ok(text)
    }

    fn csv(&self) -> anyhow::Result<Vec<u8>> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in self.rows {
            writer.serialize(row)?;
        }
        writer.into_inner().context("the CSV was not written")
    }
}

impl Description {
    fn new(arguments: &Arguments, named: &Named, contest: &Contest) -> Self {
        let masses = named.scene.particles.inverse_masses();
        Self {
            name: named.name.clone(),
            particles: masses.len(),
            pinned: masses.iter().filter(|&&mass| mass == 0.0).count(),
            sticks: named.scene.sticks.len(),
            shuffle_seed: arguments.shuffle,
            substeps: contest.step.substeps,
            iterations: contest.step.iterations,
            dt_s: contest.step.dt,
            warmup_frames: contest.warmup,
            timed_frames: contest.frames,
            error_vs_f64_frame: contest.early_frame(),
        }
    }

    fn sentence(&self) -> String {
        let Self { name, particles, pinned, sticks, substeps, iterations, .. } = self;
        let Self { warmup_frames, timed_frames, error_vs_f64_frame, .. } = self;
        format!(
            "{name}: {particles} particles ({pinned} pinned), {sticks} sticks; {substeps} \
             substep(s) of {iterations} iteration(s) a frame of 1/60 s; {warmup_frames} frames to \
             warm up, {timed_frames} timed; distance from f64 after frame {error_vs_f64_frame}."
        )
    }
}

fn machine_sentence(machine: &MachineInfo) -> String {
    let MachineInfo { cpu, features, cores, rustc, target, commit } = machine;
    let features = features.join(", ");
    format!("{cpu}, {cores} core(s), {features}; {rustc}, {target}, commit {commit}.")
}

/// Where a report goes.
enum Output {
    /// To the standard output: `-`.
    Standard,
    /// To a file, which is opened before the work, so that a wrong path costs none; what it
    /// held stays until there is something to replace it.
    File { path: PathBuf, file: File },
}

impl Output {
    fn open(path: &Path) -> anyhow::Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::Standard);
        }
        let file = File::options().write(true).create(true).truncate(false).open(path);
        let file = file.with_context(|| not_written(path))?;
        Ok(Self::File { path: path.to_owned(), file })
    }

    fn write(self, bytes: &[u8]) -> anyhow::Result<()> {
        match self {
            Self::Standard => {
                io::stdout().write_all(bytes).context("the standard output cannot be written")
            }
            Self::File { path, mut file } => {
                let mut replace = || {
                    // Pipes and devices have no length.
                    if file.metadata()?.is_file() {
                        file.set_len(0)?;
                    }
                    file.write_all(bytes)
                };
                replace().with_context(|| not_written(&path))
            }
        }
    }
}

fn not_written(path: &Path) -> String {
    format!("{}: cannot be written", path.display())
}
