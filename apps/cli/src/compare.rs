//! `taut compare`: compares the time, accuracy and bits of kernels on a shape, a mesh or a library scene.

mod substeps;
mod worlds;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use taut::{AnyKernel, Formula, Kernel, KernelName, Pool, Step, Tuned};
use taut_bench::{
    Arrangement, Baselines, Comparison, Configuration, MachineInfo, Numbering, Order, Row,
    SubstepComparison, disagreements,
};

use crate::Failure;
use crate::input::{self, NamedModel, SceneOptions};
use crate::output::{OutputOptions, machine_sentence, with_progress};
use crate::parsers::{parse, within};
use crate::table;

#[derive(Args, Clone, Debug)]
pub(crate) struct Arguments {
    #[command(flatten)]
    scene: SceneOptions,
    /// Iterations per substep. [default: 8, or that of the library scene]
    #[arg(long, value_name = "N", value_parser = within::<u32>(1..=100_000))]
    iterations: Option<u32>,
    /// Substeps per frame of 1/60 s. [default: 1, or that of the library scene]
    #[arg(long, value_name = "N", value_parser = within::<u32>(1..=1000))]
    substeps: Option<u32>,
    /// Number of timed frames.
    #[arg(long, value_name = "N", default_value_t = 60,
          value_parser = within::<usize>(1..=1_000_000))]
    frames: usize,
    /// Number of frames before timing starts.
    #[arg(long, value_name = "N", default_value_t = 60,
          value_parser = within::<usize>(0..=1_000_000))]
    warmup: usize,
    /// Kernels, any of: scalar, wide, pulp, grid (regular sheets only), copies (with --copies, or with
    /// --scene if the scene has enough equal models), colour (runs the best of the others on several
    /// threads). The scalar kernel is always included, and except with --scene so is the textbook loop.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse::<KernelName>)]
    kernels: Vec<KernelName>,
    /// Formulas, any of: exact, newton, halley, quick. [default: all, or that of the library scene]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse::<Formula>)]
    formulas: Vec<Formula>,
    /// Schedules, any of: authored, coloured, packed, starred, banded, blocked, sheet. With /rcm or
    /// /hilbert (packed/rcm, blocked/hilbert) particles are renumbered before the schedule is
    /// built; with + (packed+rcm, blocked+hilbert) after it is built, which keeps the result.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse::<Arrangement>)]
    schedules: Vec<Arrangement>,
    /// Instruction sets that kernels may use (avx512, avx2, sse2, neon, scalar, ...); this machine
    /// must support them.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    isa: Vec<String>,
    /// Thread counts; for counts above 1 the kernel colour is used. [default: 1 and all cores, or 1
    /// for a library scene]
    #[arg(long, value_name = "LIST", value_delimiter = ',',
          value_parser = within::<usize>(1..=1024))]
    threads: Vec<usize>,
    /// Compare the textbook loop with a single kernel: the one that `taut tune --save FILE` chose
    /// for this mesh.
    #[arg(long, value_name = "FILE",
          conflicts_with_all = ["kernels", "formulas", "schedules", "isa", "threads"])]
    tuned: Option<PathBuf>,
    /// Show every row instead of a selection. JSON and CSV always have all rows.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    output: OutputOptions,
    /// Measure only the rows of `taut` without a command. Not an option of the command line.
    #[arg(skip)]
    quick: bool,
}

/// Runs the default comparison: what `taut` does without a command.
pub(crate) fn run_default(all: bool) -> Result<(), Failure> {
    run(&Arguments::default_selection(all))?;
    writeln!(
        io::stdout(),
        "\nTry next:\n  \
         taut view --open               show a scene in the browser and drag the cloth\n  \
         taut compare --mesh FILE       compare all kernels on your mesh (OBJ, PLY, glTF)\n  \
         taut compare --shuffle 1       shuffle the numbering, for poor memory locality\n  \
         taut compare --help            list all options"
    )?;
    Ok(())
}

/// Runs the comparison and prints it.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some((library_scene, size)) = arguments.scene.library_scene()? {
        return worlds::run(arguments, library_scene, size);
    }
    let named = arguments.scene.load()?;
    let comparison = arguments.comparison(&named)?;
    let outputs = arguments.output.open()?;

    let (rows, substeps) = with_progress(|progress| substeps::run(&comparison, progress))?;

    let machine = MachineInfo::current();
    let description = Description::new(arguments, &named, &comparison);
    let disagreements = disagreements(&rows);
    let mut lines = named.notes.clone();
    lines.push(description.sentence());
    lines.push(machine_sentence(&machine));
    lines.push(table::render(&rows, arguments.all));
    lines.push(table::verdict(&rows, substeps.as_ref()));
    if disagreements.is_empty() {
        lines.push(
            "Results: bit-identical in all rows of the same formula and schedule.".to_owned(),
        );
    }
    let text = lines.join("\n") + "\n";

    let report = Report {
        machine: &machine,
        scene: &description,
        rows: &rows,
        same_iterations_as_substeps: substeps.as_ref(),
    };
    let written = outputs.write(&report, &rows, &text);
    if !disagreements.is_empty() {
        return Err(Failure::Disagreement(disagreements));
    }
    written.map_err(Failure::Error)
}

impl Arguments {
    /// The defaults of `taut compare`, reduced to a few seconds unless `all` is set.
    fn default_selection(all: bool) -> Self {
        #[derive(clap::Parser)]
        struct Compare {
            #[command(flatten)]
            arguments: Arguments,
        }
        let Compare { arguments } = <Compare as clap::Parser>::parse_from(["taut"]);
        Self { all, quick: !all, ..arguments }
    }

    /// The comparison that the options select, on this model.
    fn comparison(&self, named: &NamedModel) -> anyhow::Result<Comparison> {
        let (configurations, tuned_copies) = match &self.tuned {
            Some(path) => tuned_configuration(path, named)?,
            None => (self.configurations(named)?, 1),
        };
        let copies = self.scene.copies.unwrap_or(tuned_copies);
        named.check_copies(copies)?;
        Ok(Comparison {
            model: named.model.clone(),
            copies,
            step: Step {
                iterations: self.iterations.unwrap_or(8),
                substeps: self.substeps.unwrap_or(1),
                ..Step::default()
            },
            warmup: self.warmup,
            frames: self.frames,
            repeats: 1,
            configurations,
            baselines: Baselines::default(),
        })
    }

    /// Every selected kernel, formula and schedule, in all combinations that are measured.
    ///
    /// # Errors
    /// If no kernel uses an instruction set of `--isa`, or a kernel that `--kernels` lists cannot run any
    /// of the schedules.
    fn configurations(&self, named: &NamedModel) -> anyhow::Result<Vec<Configuration>> {
        let arrangements = if self.schedules.is_empty() {
            Arrangement::defaults(&named.model)
        } else {
            self.schedules.clone()
        };
        let kernels = self.kernels()?;
        let formulas = if self.formulas.is_empty() { &Formula::ALL[..] } else { &self.formulas };
        let mut configurations = Vec::new();
        for &arrangement in &arrangements {
            for &formula in formulas {
                let matching_kernels = kernels.iter().filter(|kernel| {
                    self.is_measured(kernel, arrangement)
                        && (!self.quick || is_in_quick_selection(kernel, arrangement, formula))
                });
                configurations.extend(matching_kernels.map(|kernel| Configuration {
                    kernel: kernel.clone(),
                    formula,
                    arrangement,
                }));
            }
        }
        for &wanted in &self.kernels {
            anyhow::ensure!(
                configurations.iter().any(|listed| listed.kernel.kernel_name() == wanted),
                "the kernel {wanted} cannot run any of the selected schedules on this scene{}",
                match wanted {
                    KernelName::Grid => ": it needs one regular sheet in the schedule 'sheet'",
                    KernelName::Copies => ": it needs --copies, 2 or more",
                    _ => "",
                }
            );
        }
        Ok(configurations)
    }

    /// Whether `--kernels` lists this kernel, or is not given.
    fn is_requested(&self, kernel: KernelName) -> bool {
        self.kernels.is_empty() || self.kernels.contains(&kernel)
    }

    /// Checks that kernels of this build use the instruction sets of `--isa` on this machine.
    fn check_isas(&self) -> anyhow::Result<()> {
        let available = AnyKernel::available();
        for wanted in &self.isa {
            anyhow::ensure!(
                available.iter().any(|kernel| Kernel::<3>::isa(kernel) == wanted),
                "no kernel of this build uses the instruction set '{wanted}' on this machine; \
                 available instruction sets: {}",
                MachineInfo::current().features.join(", ")
            );
        }
        Ok(())
    }

    /// The message that a listed kernel uses no instruction set of `--isa`.
    fn without_isa(&self, kernel: KernelName) -> String {
        let isas = self.isa.join(",");
        format!(
            "--kernels {kernel} supports none of the instruction sets --isa {isas} on this machine"
        )
    }

    /// The selected kernels on the selected numbers of threads, and the scalar kernel as a baseline.
    fn kernels(&self) -> anyhow::Result<Vec<AnyKernel>> {
        self.check_isas()?;
        let available = AnyKernel::available();
        let isa = |kernel: &AnyKernel| Kernel::<3>::isa(kernel);
        let is_allowed = |kernel: &AnyKernel| match self.isa.as_slice() {
            [] => !kernel.is_fallback(),
            wanted => wanted.iter().any(|wanted| wanted == isa(kernel)),
        };
        // The scalar kernel is always a baseline; colour only wraps one of the available kernels.
        let exempt = [KernelName::Scalar, KernelName::Colour];
        for &wanted in self.kernels.iter().filter(|name| !exempt.contains(name)) {
            let has_name = |kernel: &&AnyKernel| kernel.kernel_name() == wanted;
            anyhow::ensure!(
                self.isa.is_empty() || available.iter().filter(has_name).any(is_allowed),
                self.without_isa(wanted)
            );
        }
        let is_selected = |kernel: &&AnyKernel| {
            let name = kernel.kernel_name();
            name == KernelName::Scalar || (is_allowed(kernel) && self.is_requested(name))
        };
        let mut kernels: Vec<AnyKernel> = available.iter().filter(is_selected).cloned().collect();
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let threads = match self.threads.as_slice() {
            [] if !self.is_requested(KernelName::Colour) => vec![1],
            [] if self.kernels == [KernelName::Colour] => vec![cores],
            [] => vec![1, cores],
            threads => threads.to_vec(),
        };
        anyhow::ensure!(
            !self.kernels.contains(&KernelName::Colour) || threads.iter().any(|&count| count > 1),
            "--kernels colour needs several threads: use --threads with a number above 1"
        );
        // On several threads, up to three kernels are measured, each inside a `colour` kernel: the best
        // general kernel, the best one for sheets and the best one for copies. `available` is sorted,
        // the best first. --isa and --kernels restrict the choice. If --kernels lists no general kernel,
        // the best one that --isa allows is used; if it lists only `colour`, every kernel counts as listed.
        let is_listed = |kernel: &&AnyKernel| {
            let is_inner = |name: &&KernelName| **name != KernelName::Colour;
            let mut names = self.kernels.iter().filter(is_inner).peekable();
            names.peek().is_none() || names.any(|&name| name == kernel.kernel_name())
        };
        let usable = || available.iter().filter(|kernel| is_allowed(kernel));
        let mut general = usable().filter(|kernel| kernel.is_general());
        let best =
            general.clone().find(is_listed).or_else(|| general.next()).unwrap_or(&kernels[0]);
        let for_sheets = usable().filter(is_listed).find(|kernel| kernel.is_for_sheets());
        let for_copies = usable().filter(is_listed).find(|kernel| kernel.is_for_copies());
        let specialized = for_sheets.into_iter().chain(for_copies);
        let inner_kernels: Vec<AnyKernel> =
            [best].into_iter().chain(specialized).cloned().collect();
        // Without 1 in --threads, or with --kernels colour, only the baseline runs on one thread.
        if !threads.contains(&1) || self.kernels == [KernelName::Colour] {
            kernels.retain(|kernel| kernel.kernel_name() == KernelName::Scalar);
        }
        for &threads in threads.iter().filter(|&&threads| threads > 1) {
            for inner in &inner_kernels {
                kernels.push(inner.clone().on_threads(Pool::new(threads)?));
            }
        }
        Ok(kernels)
    }

    /// Whether to measure a kernel in an arrangement. A kernel that is listed by name is measured
    /// wherever it can run.
    fn is_measured(&self, kernel: &AnyKernel, arrangement: Arrangement) -> bool {
        match arrangement.order {
            order if !self.can_run(kernel, order) => false,
            _ if !self.kernels.is_empty() => true,
            // Each batch of this order has a single stick, so SIMD lanes give no speedup.
            Order::Authored => kernel.kernel_name() == KernelName::Scalar,
            // A schedule of this order has a single block, so further threads have no work.
            Order::Packed => Kernel::<3>::threads(kernel) == 1 || kernel.is_for_copies(),
            // On several threads, only the kernels for sheets and for copies are measured in this order.
            Order::Sheet => Kernel::<3>::threads(kernel) == 1 || !kernel.is_general(),
            Order::Coloured | Order::Banded | Order::Blocked | Order::Starred => true,
        }
    }

    /// Whether a kernel can run the schedules of an order.
    fn can_run(&self, kernel: &AnyKernel, order: Order) -> bool {
        let has_copies = self.scene.copies.is_some_and(|copies| copies > 1);
        kernel.is_general()
            || kernel.is_for_copies() && has_copies
            || kernel.is_for_sheets() && order == Order::Sheet && !has_copies
    }
}

/// Whether `taut` without a command measures a row. With the default formula it includes every kernel
/// in the orders `sheet`, `banded` and, renumbered, `starred`, and the scalar kernel in `authored`;
/// with other formulas it includes only the kernels for sheets.
fn is_in_quick_selection(kernel: &AnyKernel, arrangement: Arrangement, formula: Formula) -> bool {
    let Arrangement { order, numbering } = arrangement;
    if formula != Formula::default() {
        return order == Order::Sheet && kernel.is_for_sheets();
    }
    match order {
        Order::Sheet | Order::Banded | Order::Authored => true,
        Order::Starred => numbering != Numbering::Given,
        Order::Coloured | Order::Packed | Order::Blocked => false,
    }
}

/// The configuration in a tuning file, and its number of copies.
fn tuned_configuration(
    path: &Path,
    named: &NamedModel,
) -> anyhow::Result<(Vec<Configuration>, usize)> {
    let tuned = input::read_tuned(path, &named.model)?;
    let kernel = tuned.to_kernel().with_context(|| path.display().to_string())?;
    let Tuned { formula, schedule: arrangement, copies, .. } = tuned;
    Ok((vec![Configuration { kernel, formula, arrangement }], copies))
}

#[derive(Serialize)]
struct Description {
    name: String,
    copies: usize,
    /// The totals of all copies: `particles`, `pinned` and `sticks`.
    particles: usize,
    pinned: usize,
    sticks: usize,
    shuffle_seed: Option<u64>,
    substeps: u32,
    iterations: u32,
    dt_s: f32,
    warmup_frames: usize,
    timed_frames: usize,
    /// The frame after which the positions are compared with those of the same simulation in `f64`.
    error_vs_f64_frame: usize,
}

#[derive(Serialize)]
struct Report<'a> {
    machine: &'a MachineInfo,
    scene: &'a Description,
    rows: &'a [Row],
    /// The fastest row, and the same kernel with as many substeps of one iteration. Null unless the
    /// step is one substep of several iterations.
    same_iterations_as_substeps: Option<&'a SubstepComparison>,
}

impl Description {
    fn new(arguments: &Arguments, named: &NamedModel, comparison: &Comparison) -> Self {
        let inverse_masses = named.model.particles.inverse_masses();
        let copies = comparison.copies;
        Self {
            name: named.name_of(copies),
            copies,
            particles: copies * inverse_masses.len(),
            pinned: copies * inverse_masses.iter().filter(|&&inverse| inverse == 0.0).count(),
            sticks: copies * named.model.sticks.len(),
            shuffle_seed: arguments.scene.shuffle,
            substeps: comparison.step.substeps,
            iterations: comparison.step.iterations,
            dt_s: comparison.step.dt,
            warmup_frames: comparison.warmup,
            timed_frames: comparison.frames,
            error_vs_f64_frame: comparison.early_frame(),
        }
    }

    fn sentence(&self) -> String {
        let Self { name, particles, pinned, sticks, substeps, iterations, .. } = self;
        let Self { warmup_frames, timed_frames, error_vs_f64_frame, .. } = self;
        format!(
            "{name}: {particles} particles ({pinned} pinned), {sticks} sticks; {substeps} \
             substep(s) of {iterations} iteration(s) per frame of 1/60 s; {warmup_frames} frames \
             to warm up, {timed_frames} timed; error vs f64: distance of positions \
             from those in f64, after frame {error_vs_f64_frame}."
        )
    }
}
