//! `taut roofline`: the tables, JSON, CSV, and rejected arguments.

use serde_json::Value;

use crate::run::{Folder, Report, RunOutput, taut};

/// Options for a quick measurement: few frames, and working sets up to 64 KiB.
const SHORT: &str = "--frames 2 --warmup 1 --largest-set 64";

fn roofline(arguments: &str) -> RunOutput {
    taut(&format!("roofline {SHORT} {arguments}"))
}

/// The number in a field of a row.
fn value_of(row: &Value, key: &str) -> f64 {
    row[key].as_f64().unwrap_or_else(|| panic!("{key}: {row}"))
}

#[test]
fn every_kernel_and_formula_has_a_row_in_json_and_csv() {
    let folder = Folder::new();
    let arguments = "--shapes drape,disc --sizes 6,7 --formulas halley,quick";
    let output =
        folder.taut(&format!("roofline {SHORT} {arguments} --json out.json --csv out.csv"));
    let output = output.assert_success();
    let report = Report::parse(&folder.read("out.json"));
    assert_eq!(folder.read("out.csv").lines().count(), 1 + report.rows().len());
    assert_eq!(report.distinct("formula"), ["halley", "quick"]);
    assert_eq!(report.distinct("scene").len(), 4, "2 shapes in 2 sizes");
    assert_eq!(report.distinct("schedule"), ["sheet", "starred/rcm"]);
    for kernel in ["grid", "pulp", "scalar", "wide"] {
        let rows = report.rows().iter().filter(|row| row["kernel"] == kernel);
        let (sheet_rows, disc_rows): (Vec<_>, Vec<_>) =
            rows.partition(|row| row["schedule"] == "sheet");
        assert!(!sheet_rows.is_empty(), "{kernel}: no row of a sheet");
        // The kernel grid runs on sheets only.
        assert_eq!(disc_rows.is_empty(), kernel == "grid", "{kernel}: rows of a disc");
    }
    for expected in ["+ and *", "64 KiB", "bottleneck", "Not included in the limit"] {
        assert!(output.out.contains(expected), "{expected}: {}", output.out);
    }
}

#[test]
fn limits_follow_from_the_peaks_in_the_same_report() {
    let report = roofline("--scenes drape --sizes 8 --json -").assert_success().report();
    let peaks = report.value["peaks"].as_array().unwrap();
    for row in report.rows() {
        let peak = peaks.iter().find(|peak| peak["isa"] == row["isa"]).unwrap();
        let arithmetic = value_of(row, "arithmetic") / value_of(peak, "arithmetic_per_ns");
        let divider = value_of(row, "divisions") / value_of(peak, "divisions_per_ns")
            + value_of(row, "square_roots") / value_of(peak, "square_roots_per_ns");
        for (expected, key) in [(arithmetic, "arithmetic_ns"), (divider, "divider_ns")] {
            assert!((value_of(row, key) - expected).abs() <= 1e-9 * expected, "{key}: {row}");
        }
        let bottleneck = format!("{}_ns", row["bottleneck"].as_str().unwrap());
        assert_eq!(row[&bottleneck], row["limit_ns"], "{row}");
    }
}

#[test]
fn invalid_arguments_are_rejected() {
    roofline("--shapes disc --sizes 4 --schedules sheet").assert_error(&["'sheet'"]);
    roofline("--sizes 1").assert_error(&["drape 1", "nothing to relax"]);
    taut("roofline --largest-set 0").assert_usage_error(&["--largest-set"]);
    roofline("--formulas euler").assert_usage_error(&["'euler'", "halley"]);
}
