//! Instructions, cache events and estimated cycles of a frame, by iai-callgrind. They come from
//! callgrind's model of a machine, so they have no noise.
//!
//!     cargo bench -p taut-bench --bench cycles
//!
//! It fails if a frame executes more than 2 % more instructions, or takes more than 5 % more
//! estimated cycles, than in the previous run. `cycles.txt` lists the cases. Run-time dispatch
//! finds no AVX-512 under valgrind. A case that needs an instruction set that valgrind or this
//! machine lacks counts almost no instructions.
//!
//! The bench `instructions` has fixed limits.
#![allow(missing_docs, reason = "macros make public items")]

use std::env;
use std::hint::black_box;

use iai_callgrind::{
    Callgrind, EventKind, LibraryBenchmarkConfig, OutputFormat, library_benchmark,
    library_benchmark_group,
};
use taut_bench::instructions::{Case, Frame, Tool, counted_frame};

const RUNNER: Tool = Tool {
    name: "iai-callgrind-runner",
    install_command: "cargo install iai-callgrind-runner --version =0.16.1",
};

#[allow(clippy::needless_pass_by_value, reason = "the macro passes a `String`")]
fn prepare(case: String) -> Option<Frame> {
    case.parse::<Case>().and_then(|case| case.frame()).ok()
}

#[library_benchmark(setup = prepare)]
#[benches::of(file = "bench-harness/benches/cycles.txt")]
fn frame(mut frame: Option<Frame>) -> Option<Frame> {
    if let Some(frame) = &mut frame {
        counted_frame(black_box(frame));
    }
    frame // returned, so that it is dropped outside the counted part
}

library_benchmark_group!(name = cycles; benchmarks = frame);

fn config() -> LibraryBenchmarkConfig {
    let mut callgrind = Callgrind::default();
    callgrind.soft_limits([(EventKind::Ir, 2.0), (EventKind::EstimatedCycles, 5.0)]);
    let mut config = LibraryBenchmarkConfig::default();
    config.tool(callgrind).output_format(OutputFormat::default().truncate_description(None));
    config
}

fn main() {
    // Defines a function `main` in this scope, which the end of this function calls.
    iai_callgrind::main!(config = config(); library_benchmark_groups = cycles);

    // iai-callgrind runs this program again under valgrind, with this argument.
    let is_child = env::args().any(|argument| argument == "--iai-run");
    match Tool::missing_message(&[Tool::VALGRIND, RUNNER]) {
        Some(message) if !is_child => println!("cycles: {message}"),
        _ => main(),
    }
}
