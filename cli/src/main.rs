//! The program `taut`.
#![forbid(unsafe_code)]

mod compare;
mod input;
mod table;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Relaxes sticks (distance constraints of cloth, ropes and bodies), and shows who is how fast
/// and how accurate at it on your machine.
#[derive(Parser)]
#[command(name = "taut", version, max_term_width = 100)]
struct Taut {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Run every kernel and formula on a scene or a mesh and compare time, accuracy,
    /// divisions and bits.
    Compare(compare::Arguments),
}

/// Something that ends the program early, with its exit code.
enum Failure {
    /// What was asked for cannot be done: exit code 2.
    Input(anyhow::Error),
    /// Kernels disagree: exit code 1.
    Disagreement(Vec<taut_bench::Disagreement>),
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Input(error.into())
    }
}

fn main() -> ExitCode {
    let result = match Taut::parse().command {
        Some(Command::Compare(arguments)) => compare::run(&arguments),
        None => compare::run_default(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Input(error)) => {
            // One sentence: causes are part of it.
            eprintln!("taut: {error:#}");
            ExitCode::from(2)
        }
        Err(Failure::Disagreement(pairs)) => {
            for pair in pairs {
                eprintln!("taut: {pair}");
            }
            ExitCode::from(1)
        }
    }
}
