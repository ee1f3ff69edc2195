//! `taut accuracy`: the tables and the reports.

use crate::files::obj;
use crate::run::{Folder, Ran, taut};

const PARTS: [&str; 4] = ["iterations", "frames", "drift", "effort"];

fn accuracy(words: &str) -> Ran {
    taut(&format!("accuracy --size 5 --frames 3 {words}"))
}

#[test]
fn every_part_has_rows_of_each_formula_and_schedule() {
    let ran = accuracy("--formulas halley,quick --schedules coloured,sheet --json -").succeeded();
    let report = ran.report();
    assert!(report.value["machine"]["cpu"].is_string());
    assert_eq!(report.value["scene"], "drape 5, all sticks");
    for part in PARTS {
        let rows = report.value[part].as_array().unwrap();
        for formula in ["halley", "quick"] {
            assert!(rows.iter().any(|row| row["formula"] == formula), "{part}: {rows:?}");
        }
    }
    for said in ["Over iterations", "Over frames", "A free body", "The cheapest frame"] {
        assert!(ran.err.contains(said), "'{said}' is missing: {}", ran.err);
    }
}

#[test]
fn only_what_is_asked_for_is_done() {
    let ran = accuracy("--parts frames --formulas exact --schedules sheet --json out.json");
    let ran = ran.succeeded();
    assert!(ran.out.contains("Over frames") && !ran.out.contains("Over iterations"), "{}", ran.out);
    let report = accuracy("--parts drift --schedules coloured --json -").succeeded().report();
    for part in PARTS {
        assert_eq!(report.value[part].as_array().unwrap().is_empty(), part != "drift");
    }
}

#[test]
fn csv_is_one_long_table() {
    let folder = Folder::new();
    let words = "accuracy --size 4 --frames 2 --parts iterations,effort --formulas exact";
    folder.taut(&format!("{words} --schedules sheet --csv out.csv")).succeeded();
    let text = folder.read("out.csv");
    assert!(text.starts_with("part,kernel,formula,schedule,at,quantity,value\n"), "{text}");
    for said in ["iterations,,exact,sheet,256,stretch_rms,", "effort,scalar,exact,sheet,"] {
        assert!(text.contains(said), "'{said}' is missing: {text}");
    }
}

#[test]
fn a_mesh_hangs_and_flies_as_well() {
    let folder = Folder::with(&[("patch.obj", obj(1.0))]);
    let words = "accuracy --mesh patch.obj --frames 2 --parts frames,drift --formulas halley";
    let report = folder.taut(&format!("{words} --json -")).succeeded().report();
    for part in ["frames", "drift"] {
        assert!(!report.value[part].as_array().unwrap().is_empty(), "{part}");
    }
}

#[test]
fn what_cannot_be_done_is_told() {
    accuracy("--scene disc --schedules sheet").complained_of(&["'sheet'", "regular sheet"]);
    accuracy("--parts speed").was_misuse_of(&["'speed'", "--parts", "effort"]);
    accuracy("--frames 0").was_misuse_of(&["--frames"]);
    taut("accuracy --size 4 --substeps 1000 --parts effort --json nowhere/out.json")
        .complained_of(&["nowhere/out.json", "cannot be written"]);
}
