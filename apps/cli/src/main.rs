//! The program `taut`.
#![forbid(unsafe_code)]

mod accuracy;
mod claims;
mod compare;
mod input;
mod output;
mod parsers;
mod report;
mod roofline;
mod simulate;
mod soak;
mod stability;
mod summary;
mod table;
mod tune;
#[cfg(feature = "view")]
mod view;

use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Relaxes sticks (distance constraints of cloth, ropes and bodies), compares the speed and
/// accuracy of kernels on your machine, and runs and shows scenes.
#[derive(Parser)]
#[command(name = "taut", version, max_term_width = 100, args_conflicts_with_subcommands = true)]
struct Taut {
    /// Without a command: measure every kernel, formula and schedule, and show all rows instead of
    /// a selection.
    #[arg(long)]
    all: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Compare time, accuracy and number of divisions of kernels and formulas on a scene or a mesh,
    /// and check that kernels give the same bits.
    Compare(compare::Arguments),
    /// Simulate a scene with each schedule and formula, and report which combinations stay bounded.
    Stability(stability::Arguments),
    /// Measure the accuracy of formulas and schedules: stretch over iterations and frames,
    /// error against f64, drift of free bodies, and the cost of a given accuracy.
    Accuracy(accuracy::Arguments),
    /// Measure the claims of the articles listed in docs/articles.md, and report whether each holds.
    Claims(claims::Arguments),
    /// Find the fastest kernel, number of threads and numbering of particles for a mesh on this
    /// machine, and print the code that uses them.
    Tune(tune::Arguments),
    /// Measure everything and write a page with charts, or compare results of several machines.
    Report(report::Arguments),
    /// Measure the peak rates of this machine (roofline model), and compare the time of each kernel
    /// with the lower bound that they give.
    Roofline(roofline::Arguments),
    /// Simulate a scene of the library or of a file, and report times, stretch, energy and a hash
    /// of the positions.
    Simulate(simulate::Arguments),
    /// Simulate scenes of the library for an hour of simulated time with scripted disturbance, and
    /// check that 1 and 2 threads give the same bits and that memory does not grow.
    Soak(soak::Arguments),
    /// Show a scene live in a browser: drag it, tear it, switch the kernel while it runs.
    #[cfg(feature = "view")]
    View(view::Arguments),
}

/// Why the program failed; determines the exit code.
enum Failure {
    /// Invalid input, or another error, such as a file that cannot be read: exit code 2.
    Error(anyhow::Error),
    /// Kernels give different bits: exit code 1.
    Disagreement(Vec<taut_bench::Disagreement>),
    /// A check failed; a message for each violation: exit code 1.
    Violations(Vec<String>),
    /// `taut report --readme FILE --check` found a table in this file that differs from the results:
    /// exit code 1.
    OutdatedTable(PathBuf),
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Error(error.into())
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
        Some(Command::Soak(arguments)) => soak::run(&arguments),
        #[cfg(feature = "view")]
        Some(Command::View(arguments)) => view::run(arguments),
        None => compare::run_default(all),
    };
    let (code, messages) = match result {
        Ok(()) => return ExitCode::SUCCESS,
        // The process at the other end of a pipe, such as `head`, has closed it.
        Err(Failure::Error(error)) if is_broken_pipe(&error) => return ExitCode::SUCCESS,
        // `{:#}` includes the causes.
        Err(Failure::Error(error)) => (2, vec![format!("{error:#}")]),
        Err(Failure::Disagreement(pairs)) => (1, pairs.iter().map(ToString::to_string).collect()),
        Err(Failure::Violations(messages)) => (1, messages),
        Err(Failure::OutdatedTable(path)) => {
            let path = path.display();
            let hint = "run taut report --readme without --check to update it";
            (1, vec![format!("{path}: the table differs from the results; {hint}")])
        }
    };
    for message in messages {
        // If standard error is closed, the exit code still reports the failure.
        let _ = writeln!(io::stderr(), "taut: {message}");
    }
    ExitCode::from(code)
}

/// Whether the root cause is a closed pipe.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let cause = error.root_cause().downcast_ref::<io::Error>();
    cause.is_some_and(|cause| cause.kind() == ErrorKind::BrokenPipe)
}
