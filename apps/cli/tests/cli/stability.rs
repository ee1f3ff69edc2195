//! `taut stability`: the table, JSON, CSV, and the exit code.

use serde_json::Value;

use crate::run::{Folder, RunOutput, taut};

/// A sheet that blows up in the order `authored` with the formula `exact`.
const BLOWING_UP: &str = "stability --sizes 32 --sticks all --formulas exact,halley";

fn stability(arguments: &str) -> RunOutput {
    taut(&format!("stability {arguments}"))
}

fn is_bounded(row: &Value) -> bool {
    row["left_bounds_at"].is_null()
}

#[test]
fn blow_ups_and_bounded_simulations_are_distinguished() {
    let output =
        taut(&format!("{BLOWING_UP} --schedules authored,sheet --json -")).assert_success();
    let report = output.report();
    assert_eq!(report.rows().len(), 4);
    for row in report.rows() {
        let blows_up = row["schedule"] == "authored" && row["formula"] == "exact";
        assert_eq!(is_bounded(row), !blows_up, "{row}");
        assert_eq!(row["default_schedule"], row["schedule"] == "sheet", "{row}");
        assert_eq!((&row["iterations"], &row["frames"]), (&1.into(), &360.into()), "{row}");
        assert_eq!(row["bound"], 100.0, "{row}");
    }
    assert!(output.err.contains("out of bounds at frame "), "{}", output.err);
    assert!(output.err.contains("1 of 4 simulations left their bounds"), "{}", output.err);
    assert!(output.err.contains("sheet (default)"), "{}", output.err);
}

/// The bound is so small that every simulation exceeds it.
#[test]
fn the_exit_code_is_1_if_and_only_if_a_default_blows_up() {
    let tiny_bound = "--sizes 6 --sticks all --frames 3 --bound 1e-6";
    for (arguments, code) in [
        ("--schedules sheet --formulas halley", 1),
        ("--schedules blocked --formulas halley", 1),
        ("--schedules sheet,blocked --formulas exact", 0),
        ("--schedules authored,packed --formulas halley", 0),
    ] {
        let output = stability(&format!("{tiny_bound} {arguments}"));
        assert_eq!(output.code, Some(code), "{arguments}: {output:?}");
        assert!(output.out.contains("out of bounds at frame 1:"), "{output:?}");
        assert_eq!(output.err.contains("blows up"), code == 1, "{output:?}");
    }
}

#[test]
fn every_combination_has_a_row_in_json_and_csv() {
    let folder = Folder::new();
    let arguments = "--shapes drape,disc --sizes 4,5 --sticks structural,all --iterations 1,2 \
                 --substeps 1,2 --dt 0.01,0.02 --frames 2 --formulas exact,quick";
    let output = folder
        .taut(&format!("stability {arguments} --json out.json --csv out.csv"))
        .assert_success();
    let report = crate::run::Report::parse(&folder.read("out.json"));
    // 2 sizes, 2 stick sets, 2 x 2 x 2 steps (iterations, substeps, dt), and 2 formulas.
    let rows_per_schedule = 2 * 2 * (2 * 2 * 2) * 2;
    assert_eq!(
        report.rows().len(),
        rows_per_schedule * 7 + rows_per_schedule * 6,
        "expected 7 schedules of a sheet, and 6 of a disc, which lacks the schedule sheet"
    );
    assert_eq!(folder.read("out.csv").lines().count(), 1 + report.rows().len());
    for column in ["dt ms", "substeps", "iterations", "exact", "quick"] {
        assert!(output.out.contains(column), "{column}: {}", output.out);
    }
}

#[test]
fn invalid_arguments_are_rejected() {
    stability("--shapes disc --sizes 4 --schedules sheet").assert_error(&["'sheet'"]);
    stability("--sizes 1").assert_error(&["drape 1", "nothing to relax"]);
    stability("--sizes 4 --dt 0").assert_error(&["substep"]);
    stability("--sizes 4 --dt nan").assert_error(&["substep"]);
    stability("--sizes 4 --bound 0").assert_error(&["--bound"]);
    stability("--sizes 4 --bound nan").assert_error(&["--bound"]);
    stability("--sizes 4 --json out --csv out").assert_error(&["--json", "--csv"]);
    stability("--sizes x").assert_usage_error(&["--sizes"]);
    stability("--formulas euler").assert_usage_error(&["'euler'", "halley"]);
    stability("--frames 0").assert_usage_error(&["--frames"]);
}
