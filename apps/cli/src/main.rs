//! The program `taut`.
#![forbid(unsafe_code)]

mod accuracy;
mod claims;
mod compare;
mod input;
mod output;
mod report;
mod roofline;
mod simulate;
mod stability;
mod summary;
mod table;
mod tune;
#[cfg(feature = "view")]
mod view;
mod words;

use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Relaxes sticks (distance constraints of cloth, ropes and bodies), compares the speed and accuracy
/// of kernels on your machine, and runs and shows scenes.
#[derive(Parser)]
#[command(name = "taut", version, max_term_width = 100, args_conflicts_with_subcommands = true)]
struct Taut {
    /// Without a command: measure every kernel, formula and schedule and show every row, not only the
    /// few that tell the most.
    #[arg(long)]
    all: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Run every kernel and formula on a scene or a mesh and compare time, accuracy,
    /// divisions and bits.
    Compare(compare::Arguments),
    /// Run every schedule and formula for some seconds and tell which stay bounded.
    Stability(stability::Arguments),
    /// Find out how accurate formulas and schedules are: stretch over iterations and frames,
    /// distance from f64, drift of free bodies, and what a given accuracy costs.
    Accuracy(accuracy::Arguments),
    /// Measure what the articles claim, and say of each claim whether it holds.
    Claims(claims::Arguments),
    /// Find the fastest kernel, threads and numbering for a mesh on this machine, and print the
    /// lines that use them.
    Tune(tune::Arguments),
    /// Measure everything and write it as one page with charts, or lay results of several
    /// machines side by side.
    Report(report::Arguments),
    /// Measure what this machine can do at most, and put the time of each kernel beside the least
    /// that it could take.
    Roofline(roofline::Arguments),
    /// Let a scene of the library, or of a file, move for some seconds, and tell what came of it:
    /// time, stretch, energy, bits.
    Simulate(simulate::Arguments),
    /// Show a scene live in a browser: drag it, tear it, switch the kernel while it runs.
    #[cfg(feature = "view")]
    View(view::Arguments),
}

/// Something that ends the program early, with its exit code.
enum Failure {
    /// What was asked for cannot be done: exit code 2.
    Input(anyhow::Error),
    /// Kernels disagree: exit code 1.
    Disagreement(Vec<taut_bench::Disagreement>),
    /// Something that must hold does not, in sentences: exit code 1.
    Broken(Vec<String>),
    /// A file's table is not what the results say: exit code 1.
    Drift(PathBuf),
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Input(error.into())
    }
}

fn main() -> ExitCode {
    let Taut { all, command } = Taut::parse();
    let result = match command {
        Some(Command::Compare(arguments)) => compare::run(&arguments),
        Some(Command::Stability(arguments)) => stability::run(&arguments),
        Some(Command::Accuracy(arguments)) => accuracy::run(&arguments),
        Some(Command::Claims(arguments)) => claims::run(&arguments),
        Some(Command::Tune(arguments)) => tune::run(&arguments),
        Some(Command::Report(arguments)) => report::run(&arguments),
        Some(Command::Roofline(arguments)) => roofline::run(&arguments),
        Some(Command::Simulate(arguments)) => simulate::run(&arguments),
        #[cfg(feature = "view")]
        Some(Command::View(arguments)) => view::run(arguments),
        None => compare::run_default(all),
    };
    let (code, sentences) = match result {
        Ok(()) => return ExitCode::SUCCESS,
        // `head` and the like have seen enough.
        Err(Failure::Input(error)) if reader_left(&error) => return ExitCode::SUCCESS,
        // One sentence: causes are part of it.
        Err(Failure::Input(error)) => (2, vec![format!("{error:#}")]),
        Err(Failure::Disagreement(pairs)) => (1, pairs.iter().map(ToString::to_string).collect()),
        Err(Failure::Broken(sentences)) => (1, sentences),
        Err(Failure::Drift(path)) => {
            let path = path.display();
            let renewed = "taut report --readme without --check writes it anew";
            (1, vec![format!("{path}: the table is not that of the results; {renewed}")])
        }
    };
    for sentence in sentences {
        // If nobody hears it, the code still tells.
        let _ = writeln!(io::stderr(), "taut: {sentence}");
    }
    ExitCode::from(code)
}

fn reader_left(error: &anyhow::Error) -> bool {
    let cause = error.root_cause().downcast_ref::<io::Error>();
    cause.is_some_and(|cause| cause.kind() == ErrorKind::BrokenPipe)
}
