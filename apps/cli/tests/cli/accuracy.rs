//! `taut accuracy`: tables, JSON and CSV.

use serde_json::Value;

use crate::mesh_files::obj;
use crate::run::{Folder, RunOutput, taut};

/// The parts of the study that measure each formula of `--formulas`.
const PARTS_BY_FORMULA: [&str; 3] = ["iterations", "frames", "drift"];

/// Runs `taut accuracy` on a small sheet for a few frames.
fn accuracy(arguments: &str) -> RunOutput {
    taut(&format!("accuracy --size 5 --frames 3 {arguments}"))
}

#[test]
fn iterations_frames_and_drift_have_rows_of_each_formula() {
    let output =
        accuracy("--formulas halley,quick --schedules coloured,sheet --json -").assert_success();
    let report = output.report();
    assert!(report.value["machine"]["cpu"].is_string());
    assert_eq!(report.value["scene"], "drape 5, all sticks");
    for part in PARTS_BY_FORMULA {
        let rows = report.value[part].as_array().unwrap();
        for formula in ["halley", "quick"] {
            assert!(rows.iter().any(|row| row["formula"] == formula), "{part}: {rows:?}");
        }
    }
    for expected in ["Over iterations", "Over frames", "Drift of a free", "the cheapest frame"] {
        assert!(output.err.contains(expected), "'{expected}' is missing: {}", output.err);
    }
}

#[test]
fn only_the_requested_parts_are_measured() {
    let output = accuracy("--parts frames --formulas exact --schedules sheet");
    let output = output.assert_success();
    assert!(
        output.out.contains("Over frames") && !output.out.contains("Over iterations"),
        "{}",
        output.out
    );
    let report = accuracy("--parts drift --schedules coloured --json -").assert_success().report();
    for part in PARTS_BY_FORMULA {
        assert_eq!(report.value[part].as_array().unwrap().is_empty(), part != "drift");
    }
    // The key `rows` belongs to the part effort.
    assert!(report.value.get("rows").is_none(), "{}", report.value);
}

#[test]
fn effort_has_the_cheapest_frame_for_each_bound_and_size() {
    let output =
        taut("accuracy --parts effort --size 6 --sticks structural --json -").assert_success();
    let report = output.report();
    assert!(report.value["textbook_frame_us"].as_f64().unwrap() > 0.0);
    let rows = report.rows();
    for pins in ["top row", "two corners"] {
        for within in [0.01, 0.001] {
            let matches = |row: &Value| row["pins"] == pins && row["within"] == within;
            assert!(rows.iter().any(matches), "{pins} {within}: {rows:?}");
        }
    }
    for row in rows {
        for (key, value) in [("scene", "drape"), ("set", "structural"), ("schedule", "sheet")] {
            assert_eq!(row[key], value, "{row}");
        }
        assert_eq!((&row["size"], &row["threads"]), (&6.into(), &1.into()), "{row}");
        assert_eq!(row["formula"], "halley", "{row}");
        assert!(row["kernel"].is_string() && row["isa"].is_string(), "{row}");
        let value_of = |key: &str| row[key].as_f64().unwrap();
        assert!(value_of("stretch_rms") <= value_of("within"), "{row}");
        assert!(value_of("stretch_rms") <= value_of("stretch_max"), "{row}");
        let [fastest, median] = ["frame_us_fastest", "frame_us_median"].map(value_of);
        assert!(0.0 < fastest && fastest <= median, "{row}");
        assert!((1.0..=64.0).contains(&value_of("substeps")), "{row}");
        assert!([1.0, 2.0, 4.0].contains(&value_of("iterations")), "{row}");
    }
    let three_sizes =
        taut("accuracy --parts effort --size 4,5 --size 3 --json -").assert_success().report();
    let textbook = three_sizes.value["textbook_frame_us"].as_object().unwrap();
    assert_eq!(textbook.keys().collect::<Vec<_>>(), ["3", "4", "5"]);
    assert_eq!(three_sizes.distinct("size"), ["3", "4", "5"]);
    taut("accuracy --size 4,5 --parts effort,frames").assert_error(&["--size", "frames"]);
}

#[test]
fn csv_has_one_table_for_all_parts() {
    let folder = Folder::new();
    let arguments = "accuracy --size 4 --frames 2 --parts iterations,effort --formulas exact";
    folder.taut(&format!("{arguments} --schedules sheet --csv out.csv")).assert_success();
    let text = folder.read("out.csv");
    assert!(text.starts_with("part,case,kernel,formula,schedule,at,quantity,value\n"), "{text}");
    for expected in [
        "iterations,,,exact,sheet,256,stretch_rms,",
        "effort,\"drape 4 all, top row, within 0.01, tethers\",",
    ] {
        assert!(text.contains(expected), "'{expected}' is missing: {text}");
    }
}

#[test]
fn frames_drift_and_effort_accept_a_mesh_file() {
    let folder = Folder::with_files(&[("patch.obj", obj(1.0))]);
    let arguments = "accuracy --mesh patch.obj --frames 2 --parts frames,drift --formulas halley";
    let report = folder.taut(&format!("{arguments} --json -")).assert_success().report();
    for part in ["frames", "drift"] {
        assert!(!report.value[part].as_array().unwrap().is_empty(), "{part}");
    }
    let arguments = "accuracy --mesh patch.obj --parts effort --threads 2 --json -";
    let report = folder.taut(arguments).assert_success().report();
    assert_eq!(report.distinct("pins"), ["highest 2 %"]);
    assert_eq!(report.distinct("scene"), ["patch.obj"]);
    assert_eq!(report.distinct("threads"), ["2"]);
}

#[test]
fn invalid_arguments_are_rejected() {
    accuracy("--scene disc --schedules sheet").assert_error(&["'sheet'", "regular sheet"]);
    accuracy("--parts speed").assert_usage_error(&["'speed'", "--parts", "effort"]);
    taut("accuracy --frames 0").assert_usage_error(&["--frames"]);
    taut("accuracy --size 4 --parts effort --json nowhere/out.json")
        .assert_error(&["nowhere/out.json", "cannot be written"]);
}
