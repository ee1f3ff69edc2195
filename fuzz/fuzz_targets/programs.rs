//! Random programs: scenes with contacts and ties, and a sequence of steps and changes. They run on the
//! scalar kernel and on the best kernel, which must give equal bits, also if the world resumes from
//! snapshots.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taut::{AnyKernel, Inline};
use taut_fuzz::world::scalar;
use taut_tests::programs::{Change, Program};

// Limits of a program, so that an input takes some milliseconds.
const MODELS_MAX: usize = 3;
const TIES_MAX: usize = 3;
const CHANGES_MAX: usize = 16;
const STEPS_MAX: usize = 4;

fuzz_target!(|program: Program| {
    let mut program = program;
    program.models.truncate(MODELS_MAX);
    program.ties.truncate(TIES_MAX);
    program.changes.truncate(CHANGES_MAX);
    let mut steps = 0;
    program.changes.retain(|change| {
        steps += usize::from(matches!(change, Change::Step));
        !matches!(change, Change::Step) || steps <= STEPS_MAX
    });
    let scene = program.scene();
    // Whether the world resumes from a snapshot wherever the program has one.
    let (without_resuming, resuming) = (false, true);
    let expected = program.run(&scene, &Inline, without_resuming, |_| scalar());
    let found = program.run(&scene, &Inline, resuming, AnyKernel::best_for);
    assert_eq!(found, expected, "the kernels give different bits");
});
