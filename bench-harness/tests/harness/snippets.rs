//! The text that a tuning is put into: `generated.rs` holds what it says of every order,
//! numbering, kernel and formula, as functions, which are compiled and run here. When the
//! template changes, renew it with
//!
//! ```text
//! TAUT_BLESS=1 cargo test -p taut-bench --test harness snippets
//! ```

use std::error::Error;
use std::fmt::Write as _;
use std::iter::repeat_n;

use taut::world::{Model, Numbering, StickSet};
use taut::{Fingerprint, Formula, Particles, Step, Sticks, Tuned};
use taut_bench::snippet::{dependency, usage};

use crate::generated::INSTANCES;
use crate::make::{arrangement, by_hand};

const TEXT: &str = include_str!("generated.rs");
const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/harness/generated.rs");

/// Plans and steps as the text says, and gives the hash of the positions by the model's numbers.
pub(crate) type Instance = fn(Particles<3>, Sticks) -> Outcome;
pub(crate) type Outcome = Result<u64, Box<dyn Error>>;

fn model() -> Model {
    Model::drape(12, StickSet::All).unwrap()
}

/// Every line that there can be, in one of these at least.
fn tunings() -> Vec<Tuned> {
    let tuned = |schedule: &str, kernel: &str, threads, formula| Tuned {
        kernel: kernel.to_owned(),
        threads,
        schedule: arrangement(schedule),
        formula,
        mesh: Fingerprint::of(&model().sticks),
        copies: 1,
        substeps: 2,
        iterations: 3,
        stretch_rms: 0.0,
        ns_per_stick: 1.0,
        machine: String::new(),
    };
    vec![
        tuned("authored", "scalar", 1, Formula::Exact),
        tuned("coloured/rcm", "wide", 1, Formula::Newton),
        tuned("packed/hilbert", "pulp", 1, Formula::Quick),
        tuned("banded+rcm", "wide", 2, Formula::Halley),
        tuned("blocked+hilbert", "pulp", 2, Formula::Halley),
        tuned("sheet", "grid", 1, Formula::Halley),
        tuned("sheet+hilbert", "pulp", 1, Formula::Halley),
        Tuned { copies: 5, ..tuned("blocked", "copies", 1, Formula::Quick) },
        Tuned { copies: 18, ..tuned("packed+rcm", "copies", 2, Formula::Halley) },
    ]
}

fn generate() -> String {
    let mut text = "\
//! Made by the test `snippets`, which says how: what a tuning prints, as functions.

use taut::{Particles, Sticks};

use crate::snippets::{Instance, Outcome};
"
    .to_owned();
    let name = |tuned: &Tuned| {
        let Tuned { kernel, threads, schedule, formula, .. } = tuned;
        format!("{kernel}_{threads}_{schedule}_{formula}").replace(['/', '+'], "_")
    };
    let tunings = tunings();
    let names: Vec<String> = tunings.iter().map(name).collect();
    let _ = writeln!(text, "\npub(crate) const INSTANCES: [Instance; {}] = [", names.len());
    for name in &names {
        let _ = writeln!(text, "    {name},");
    }
    text += "];\n";
    for (tuned, name) in tunings.iter().zip(&names) {
        let (own, result) = match (tuned.schedule.numbering, tuned.copies) {
            (Numbering::Given, 1) => ("mut particles", "particles".to_owned()),
            (Numbering::Given, _) => ("particles", "particles".to_owned()),
            (_, 1) => ("particles", "renumbering.undo(&particles)".to_owned()),
            (_, copies) => {
                ("particles", format!("renumbering.repeated({copies}).undo(&particles)"))
            }
        };
        let _ = writeln!(text, "\nfn {name}({own}: Particles<3>, sticks: Sticks) -> Outcome {{");
        for line in usage(tuned, model().sheet.as_ref()).lines() {
            let indent = if line.is_empty() { "" } else { "    " };
            let _ = writeln!(text, "{indent}{line}");
        }
        let _ = writeln!(text, "    assert!(status.finite);\n    Ok({result}.hash())\n}}");
    }
    text
}

#[test]
fn printed_code_of_a_tuning_is_the_code_compiled_here() {
    let text = generate();
    if std::env::var_os("TAUT_BLESS").is_some() {
        std::fs::write(PATH, &text).unwrap();
        return;
    }
    assert_eq!(TEXT, text);
}

#[test]
fn the_printed_lines_relax_as_the_tuning_says() {
    let step = Step { substeps: 2, iterations: 3, ..Step::default() };
    for (instance, tuned) in INSTANCES.into_iter().zip(tunings()) {
        let Model { particles, sticks, .. } = model();
        let one = by_hand(&model(), tuned.schedule, tuned.formula, &step, 1);
        let expected = Particles::side_by_side(repeat_n(&one, tuned.copies)).unwrap().hash();
        assert_eq!(instance(particles, sticks).unwrap(), expected, "{tuned:?}");
    }
}

#[test]
fn the_line_for_cargo_names_the_kernel_and_threads_only_if_there_are_any() {
    let features = |at: usize| {
        let line = dependency(&tunings()[at]);
        let list = line.split_once("features = [").unwrap().1.split(']').next().unwrap();
        assert!(line.starts_with("taut = { ") && line.contains("default-features = false"));
        list.replace('"', "")
    };
    assert_eq!(features(0), "std, scalar");
    assert_eq!(features(1), "std, wide");
    assert_eq!(features(4), "std, pulp, colour");
    assert!(features(5).starts_with("std, grid"));
}
