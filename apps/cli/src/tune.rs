//! `taut tune`: finds the fastest kernel, number of threads and numbering for a mesh on this machine.

use std::iter;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use taut::world::Arrangement;
use taut::{Formula, Step, Tuned};
use taut_bench::snippet::{dependency, usage};
use taut_bench::{
    Choice, MachineInfo, NOISE, RESIDUAL_CHECK_FRAMES, Row, Trial, TrialOutcome, Tuning,
    disagreements,
};

use crate::Failure;
use crate::input::{NamedModel, SceneOptions};
use crate::output::{JsonOutput, OutputOptions, machine_sentence, with_progress};
use crate::parsers::{parse, within};
use crate::table;

#[derive(Args, Clone, Debug)]
pub(crate) struct Arguments {
    #[command(flatten)]
    scene: SceneOptions,
    /// Iterations per substep.
    #[arg(long, value_name = "N", default_value_t = 8,
          value_parser = within::<u32>(1..=100_000))]
    iterations: u32,
    /// Substeps per frame of 1/60 s.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within::<u32>(1..=1000))]
    substeps: u32,
    /// The formula: exact, newton, halley or quick. It determines the result.
    #[arg(long, value_name = "NAME", default_value = "halley", value_parser = parse::<Formula>)]
    formula: Formula,
    /// The schedule whose result the choice must reproduce bit for bit, named as for taut compare.
    /// [default: the default schedule of the scene]
    #[arg(long, value_name = "NAME", value_parser = parse::<Arrangement>)]
    schedule: Option<Arrangement>,
    /// Also allow other schedules, which change the result.
    #[arg(long, alias = "any-answer")]
    any_schedule: bool,
    /// The largest residual (root mean square) allowed after 120 frames. [default: no limit for
    /// --schedule, and 1.1 times its residual for other schedules]
    #[arg(long, alias = "max-stretch", value_name = "X")]
    max_residual: Option<f64>,
    /// Numbers of threads to try. [default: 1, 2, 4, ... and all cores]
    #[arg(long, value_name = "LIST", value_delimiter = ',',
          value_parser = within::<usize>(1..=1024))]
    threads: Vec<usize>,
    /// Approximate time limit, s.
    #[arg(long, value_name = "S", default_value_t = 20, value_parser = within::<u32>(1..=86_400))]
    budget: u32,
    /// Write the choice to a file, for `taut compare --tuned FILE` and for `taut::Tuned`.
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    #[command(flatten)]
    output: OutputOptions,
}

#[derive(Serialize)]
struct Report<'a> {
    machine: &'a MachineInfo,
    scene: Description,
    tuned: &'a Tuned,
    /// Whether the result of the choice is bit-identical to that of the reference schedule (`--schedule`, or the
    /// default).
    same_result: bool,
    chosen: &'a Row,
    runner_up: Option<&'a Row>,
    /// The row of the kernel that `AnyKernel::best_for` chooses.
    default_choice: &'a Row,
    /// The fastest row with another result, if only the result of the reference schedule was allowed.
    other_result: Option<&'a Row>,
    /// The dependency to add to `Cargo.toml`.
    cargo: &'a str,
    /// The Rust code that uses the choice.
    rust: &'a str,
    rows: &'a [Row],
    candidates: &'a [Trial],
}

#[derive(Serialize)]
struct Description {
    name: String,
    copies: usize,
    /// Of all copies together.
    particles: usize,
    /// Of all copies together.
    sticks: usize,
    shuffle_seed: Option<u64>,
}

/// Runs the tuning and prints it.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let named = arguments.scene.load()?;
    let tuning = arguments.tuning(&named)?;
    let saved_file = arguments.save.as_deref().map(JsonOutput::open).transpose()?;
    let outputs = arguments.output.open()?;

    let choice = with_progress(|progress| Ok(tuning.run(progress)?))?;

    let machine = MachineInfo::current();
    let rust = usage(&choice.tuned, named.model.sheet.as_ref());
    let cargo = dependency(&choice.tuned);
    let mut lines = named.notes.clone();
    let scene = Description {
        name: named.name_of(tuning.copies),
        copies: tuning.copies,
        particles: tuning.copies * named.model.particles.len(),
        sticks: tuning.copies * named.model.sticks.len(),
        shuffle_seed: arguments.scene.shuffle,
    };
    lines.push(scene.sentence(&tuning.step));
    lines.push(machine_sentence(&machine));
    lines.push(trials_sentence(&choice.trials, tuning.reference, tuning.formula));
    lines.push(table::render_all(&choice.rows));
    lines.extend(verdict(&choice, tuning.reference));
    lines.push(format!("\nCargo.toml:\n\n{}\nRust:\n\n{}", indented(&cargo), indented(&rust)));
    let row_at = |index: usize| &choice.rows[index];
    let report = Report {
        machine: &machine,
        scene,
        tuned: &choice.tuned,
        same_result: choice.same_result,
        chosen: row_at(choice.chosen),
        runner_up: choice.runner_up.map(row_at),
        default_choice: row_at(choice.default_choice),
        other_result: choice.other_result.map(row_at),
        cargo: &cargo,
        rust: &rust,
        rows: &choice.rows,
        candidates: &choice.trials,
    };
    let written = [
        outputs.write(&report, &choice.rows, &lines.join("\n")),
        saved_file.map_or(Ok(()), |file| file.write(&choice.tuned)),
    ];
    let disagreements = disagreements(&choice.rows);
    if !disagreements.is_empty() {
        return Err(Failure::Disagreement(disagreements));
    }
    written.into_iter().collect::<anyhow::Result<()>>().map_err(Failure::Error)
}

impl Arguments {
    /// The tuning that the options select, for this model.
    fn tuning(&self, named: &NamedModel) -> anyhow::Result<Tuning> {
        if let Some(limit) = self.max_residual {
            anyhow::ensure!(limit > 0.0, "--max-residual {limit}: not a positive number");
        }
        let copies = self.scene.copies.unwrap_or(1);
        named.check_copies(copies)?;
        let model = named.model.clone();
        let reference = self.schedule.unwrap_or_else(|| Arrangement::default_of(&model));
        Ok(Tuning {
            candidates: Tuning::candidates(&model, reference, copies, &self.threads())?,
            step: Step { iterations: self.iterations, substeps: self.substeps, ..Step::default() },
            formula: self.formula,
            reference,
            any_schedule: self.any_schedule,
            max_residual: self.max_residual,
            budget: Duration::from_secs(self.budget.into()),
            model,
            copies,
        })
    }

    /// The numbers of threads to try, sorted.
    fn threads(&self) -> Vec<usize> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let mut threads = self.threads.clone();
        if threads.is_empty() {
            threads.extend((0..).map(|power| 1 << power).take_while(|&count| count < cores));
            threads.push(cores);
        }
        threads.sort_unstable();
        threads.dedup();
        threads
    }
}

impl Description {
    fn sentence(&self, step: &Step<3>) -> String {
        let Self { name, particles, sticks, .. } = self;
        let Step { substeps, iterations, .. } = step;
        format!(
            "{name}: {particles} particles, {sticks} sticks; {substeps} substep(s) of {iterations} \
             iteration(s) per frame of 1/60 s."
        )
    }
}

/// Counts the candidates, and those that were rejected, by reason.
fn trials_sentence(trials: &[Trial], reference: Arrangement, formula: Formula) -> String {
    let count =
        |wanted: &dyn Fn(&Trial) -> bool| trials.iter().filter(|trial| wanted(trial)).count();
    let total = format!(
        "{} candidates, {} of them with the same result as schedule {reference} with formula \
         {formula}",
        trials.len(),
        count(&|trial| trial.same_result)
    );
    let rejected = [
        (TrialOutcome::BlewUp, "blew up"),
        (TrialOutcome::AboveResidualLimit, "above the residual limit"),
        (TrialOutcome::NotReached, "not measured within the time limit"),
    ]
    .map(|(outcome, reason)| (count(&|trial| trial.outcome == outcome), reason));
    let rejected = rejected
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, reason)| format!("{count} {reason}"));
    iter::once(total).chain(rejected).collect::<Vec<_>>().join("; ") + ". The final comparison:"
}

/// The lines about the choice: its time and result, and how other rows compare with it.
fn verdict(choice: &Choice, reference: Arrangement) -> Vec<String> {
    let Choice { tuned, rows, chosen, runner_up, default_choice, other_result, .. } = choice;
    let row = &rows[*chosen];
    let frame_us = |index: usize| rows[index].frame_us_median;
    let mut lines = vec![format!(
        "Choice: {}: {:.2} ns per stick and iteration, {:.1} times as fast as the textbook loop; an rms \
         residual of {:.4} after {RESIDUAL_CHECK_FRAMES} frames.",
        choice.name(*chosen),
        row.ns_per_stick_median,
        row.speedup_over_textbook,
        tuned.residual_rms,
    )];
    lines.push(if choice.same_result {
        format!("Result: bit-identical to that of {reference}.")
    } else {
        format!("Result: DIFFERENT from that of {reference}: another schedule changes the result.")
    });
    if chosen == default_choice {
        lines.push("AnyKernel::best_for makes the same choice.".to_owned());
    } else {
        lines.push(format!(
            "AnyKernel::best_for chooses {}: {}.",
            choice.name(*default_choice),
            relative_time(frame_us(*default_choice) / frame_us(*chosen))
        ));
    }
    if let Some(second) = runner_up {
        let relative = relative_time(frame_us(*second) / frame_us(*chosen));
        lines.push(format!("Runner-up: {}: {relative}.", choice.name(*second)));
    }
    if let Some(other) = other_result
        && frame_us(*other) * (1.0 + NOISE) < frame_us(*chosen)
    {
        lines.push(format!(
            "Another schedule is {:.2} times as fast: {}; --any-schedule allows it.",
            frame_us(*chosen) / frame_us(*other),
            choice.name(*other),
        ));
    }
    lines
}

/// Describes a time by its ratio to the time of the choice.
fn relative_time(ratio: f64) -> String {
    if ratio < 1.0 + NOISE {
        "equally fast, within the measurement noise".to_owned()
    } else {
        format!("takes {ratio:.2} times as long")
    }
}

/// Indents each line that is not empty, and ends each line with a line break.
fn indented(text: &str) -> String {
    let indent =
        |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") };
    text.lines().map(indent).collect()
}
