//! Machine-readable results of `taut compare`: JSON and CSV.

use std::collections::HashMap;

use serde_json::Value;

use crate::mesh_files::obj;
use crate::run::{Folder, Report, compare, report, taut, value_text};

/// The keys that every row of `taut compare` has.
const KEYS: [&str; 26] = [
    "kernel",
    "inner", // the kernel that `colour` runs on several threads; for other kernels the same name
    "isa",
    "lanes",
    "formula",
    "schedule",
    "threads",
    "particles",
    "sticks",
    "substeps",
    "iterations",
    "dt_s",
    "frames",
    "frame_us_median",
    "frame_us_fastest",
    "ns_per_stick_median",
    "ns_per_stick_fastest",
    "speedup_over_textbook",
    "divisions_per_frame",
    "square_roots_per_frame",
    "estimates_per_frame",
    "stretch_rms",
    "stretch_max",
    "error_vs_f64",
    "finite",
    "hash",
];

/// With one iteration per frame, a sheet in authored (raster) order exceeds the range of `f32`
/// after about 135 frames.
const BLOWING_UP: &str = "compare --size 32 --iterations 1 --warmup 299 --frames 1 \
    --kernels scalar --formulas exact --schedules authored";

#[test]
fn json_or_csv_on_the_standard_output_moves_the_table_to_the_standard_error() {
    let output = compare("--size 4 --json -").assert_success();
    assert!(!output.report().rows().is_empty());
    assert!(
        output.err.contains(" textbook ") && output.err.ends_with("same formula and schedule.\n"),
        "{}",
        output.err
    );

    let output = compare("--size 4 --csv -").assert_success();
    assert!(output.out.starts_with("kernel,inner,isa,"), "{}", output.out);
    assert!(!output.out.contains("bit-identical"), "{}", output.out);
    assert!(
        output.err.contains(" textbook ") && output.err.ends_with("same formula and schedule.\n"),
        "{}",
        output.err
    );
}

#[test]
fn json_and_csv_files_leave_the_table_on_the_standard_output() {
    let folder = Folder::new();
    let output = folder.compare("--size 4 --json out.json --csv out.csv").assert_success();
    assert!(
        output.out.contains(" textbook ") && output.out.ends_with("same formula and schedule.\n"),
        "{}",
        output.out
    );
    assert_eq!(output.err, "");
    let rows = Report::parse(&folder.read("out.json")).rows().len();
    assert_eq!(folder.read("out.csv").lines().count(), 1 + rows);
}

#[test]
fn json_describes_the_machine_and_the_scene() {
    let report = report("--size 4 --formulas halley");
    let machine = &report.value["machine"];
    for key in ["cpu", "rustc", "commit"] {
        assert!(machine[key].as_str().is_some_and(|text| !text.is_empty()), "{key}: {machine}");
    }
    assert!(machine["cores"].as_u64() > Some(0), "{machine}");
    assert!(report.instruction_sets().iter().all(|isa| !isa.is_empty()));
    assert!(report.instruction_sets().contains(&"scalar".to_owned()), "{machine}");
    let scene = report.scene();
    assert_eq!(scene["name"], "drape 4, all sticks");
    assert_eq!([&scene["particles"], &scene["pinned"]], [16, 4]);
    assert_eq!(scene["shuffle_seed"], Value::Null);
}

#[test]
fn every_row_has_every_key_with_a_plausible_value() {
    for arguments in ["--size 5 --threads 1,2", "--scene disc --size 5", "--scene sphere --size 4"]
    {
        let report = report(arguments);
        for row in report.rows() {
            for key in KEYS {
                assert!(!row[key].is_null(), "{key} is missing: {row}");
            }
            for key in ["kernel", "inner", "isa", "formula", "schedule"] {
                assert!(row[key].as_str().is_some_and(|name| !name.is_empty()), "{key}: {row}");
            }
            for key in
                ["lanes", "threads", "particles", "sticks", "substeps", "iterations", "frames"]
            {
                assert!(row[key].as_u64() > Some(0), "{key}: {row}");
            }
            for key in ["divisions_per_frame", "square_roots_per_frame", "estimates_per_frame"] {
                assert!(row[key].is_u64(), "{key}: {row}");
            }
            let value_of = |key: &str| row[key].as_f64().unwrap();
            let is_time = |key: &&&str| key.starts_with("frame_us") || key.starts_with("ns_per");
            for key in KEYS.iter().filter(is_time) {
                assert!(value_of(key) > 0.0, "{key}: {row}");
            }
            assert!(value_of("frame_us_fastest") <= value_of("frame_us_median"), "{row}");
            assert!(value_of("speedup_over_textbook") > 0.0, "{row}");
            assert!((value_of("dt_s") - 1.0 / 60.0).abs() < 1e-6, "{row}");
            assert!((0.0..1.0).contains(&value_of("stretch_rms")), "{row}");
            assert!(value_of("stretch_max") >= value_of("stretch_rms"), "{row}");
            assert!((0.0..1e-3).contains(&value_of("error_vs_f64")), "{row}");
            assert_eq!(row["finite"], true, "{row}");
            let hash = row["hash"].as_str().unwrap();
            let is_digit = |digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
            assert!(hash.len() == 16 && hash.bytes().all(is_digit), "{row}");
        }
    }
}

#[test]
fn the_first_row_is_the_textbook_loop_with_a_speedup_of_1() {
    let report = report("--size 4 --kernels wide");
    let textbook = &report.rows()[0];
    assert_eq!(textbook["kernel"], "textbook");
    assert_eq!([&textbook["formula"], &textbook["schedule"]], ["exact", "authored"]);
    assert_eq!(textbook["speedup_over_textbook"], 1.0);
    assert!(report.rows()[1..].iter().all(|row| row["kernel"] != "textbook"));
}

#[test]
fn the_hash_depends_on_formula_and_schedule_only() {
    let report = report("--size 7 --threads 1,2,3");
    let mut hashes: HashMap<[String; 2], String> = HashMap::new();
    for row in report.rows().iter().filter(|row| row["kernel"] != "textbook") {
        let case = ["formula", "schedule"].map(|key| value_text(&row[key]));
        let hash = value_text(&row["hash"]);
        assert_eq!(hashes.entry(case).or_insert_with(|| hash.clone()), &hash, "{row}");
    }
    // Every formula in every default schedule of a sheet.
    assert_eq!(hashes.len(), 4 * 8);
    let mut distinct: Vec<_> = hashes.values().collect();
    distinct.sort();
    distinct.dedup();
    // This sheet is too small for stars, so `starred/rcm` is the order `packed/rcm`.
    assert_eq!(distinct.len(), 4 * 7);
}

#[test]
fn operations_are_counted_per_stick_iteration_and_substep() {
    let report = report("--size 6 --iterations 5 --substeps 2");
    let relaxations = report.scene()["sticks"].as_u64().unwrap() * 5 * 2;
    for row in report.rows() {
        let [divisions, roots, estimates] = match row["formula"].as_str().unwrap() {
            "exact" => [1, 1, 0],
            "newton" | "halley" => [1, 0, 0],
            "quick" => [0, 0, 1],
            other => panic!("unknown formula {other}"),
        };
        assert_eq!(row["divisions_per_frame"], divisions * relaxations, "{row}");
        assert_eq!(row["square_roots_per_frame"], roots * relaxations, "{row}");
        assert_eq!(row["estimates_per_frame"], estimates * relaxations, "{row}");
    }
}

#[test]
fn csv_has_the_rows_of_the_json() {
    let folder = Folder::new();
    let json = folder.report("--size 4 --shuffle 2 --csv out.csv");
    let text = folder.read("out.csv");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let columns: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    for key in KEYS {
        assert!(columns.iter().any(|column| column == key), "{key} is not a column: {columns:?}");
    }
    let records: Vec<_> = reader.records().collect::<Result<_, _>>().unwrap();
    assert_eq!(records.len(), json.rows().len());
    for (record, row) in records.iter().zip(json.rows()) {
        assert_eq!(row.as_object().unwrap().len(), columns.len());
        for (column, field) in columns.iter().zip(record) {
            let value = &row[column];
            match value.as_f64() {
                // The JSON parser may round the last digit differently.
                Some(expected) => {
                    let difference = field.parse::<f64>().unwrap() - expected;
                    assert!(
                        difference.abs() <= expected.abs() * 1e-14,
                        "{column}: {field} in CSV, {expected} in JSON"
                    );
                }
                None => assert_eq!(field, value_text(value), "{column}"),
            }
        }
    }
}

#[test]
fn reports_accept_numbers_that_are_not_finite() {
    let folder = Folder::new();
    let output =
        folder.taut(&format!("{BLOWING_UP} --json out.json --csv out.csv")).assert_success();
    assert!(output.out.contains("NOT FINITE"), "{}", output.out);
    assert!(output.out.contains("2 of 2 rows blew up"), "{}", output.out);
    assert!(!output.out.contains("Fastest"), "the output names a fastest row: {}", output.out);
    let report = Report::parse(&folder.read("out.json"));
    assert_eq!(report.rows().len(), 2);
    for row in report.rows() {
        assert_eq!(row["finite"], false);
        assert!(row["stretch_rms"].is_null() && row["stretch_max"].is_null(), "{row}");
        for key in KEYS {
            assert!(row.get(key).is_some(), "{key} is missing: {row}");
        }
    }
    assert_eq!(folder.read("out.csv").lines().count(), 3);
}

#[test]
fn the_fastest_row_is_also_measured_with_substeps_instead_of_iterations() {
    let arguments = "compare --size 16 --warmup 60 --frames 8 --formulas halley --schedules sheet";
    let output = taut(&format!("{arguments} --json -")).assert_success();
    let report = output.report();
    let pair = &report.value["same_iterations_as_substeps"];
    let [one, substeps] = [&pair["one_substep"], &pair["substeps_of_one_iteration"]];
    assert_eq!([&one["substeps"], &one["iterations"]], [1, 8]);
    assert_eq!([&substeps["substeps"], &substeps["iterations"]], [8, 1]);
    for key in ["kernel", "inner", "isa", "formula", "schedule", "threads", "frames"] {
        assert!(!one[key].is_null() && one[key] == substeps[key], "{key}: {pair}");
    }
    let is_same = |row: &&Value| row["kernel"] == one["kernel"] && row["isa"] == one["isa"];
    let row = report.rows().iter().find(is_same).unwrap();
    for key in ["hash", "stretch_rms", "divisions_per_frame"] {
        assert_eq!(one[key], row[key], "{key}: differs from the row in the table");
    }
    for row in [one, substeps] {
        assert_eq!(row["finite"], true, "{row}");
        assert!(row["frame_us_median"].as_f64() > Some(0.0), "{row}");
    }
    let kernel = one["kernel"].as_str().unwrap();
    for key in ["stretch_rms", "stretch_max"] {
        let [one, substeps] = [one, substeps].map(|row| row[key].as_f64().unwrap());
        assert!(0.0 < substeps && substeps < one, "{key}: {pair}");
    }
    assert!(
        output.err.contains(&format!(
            " With 8 substeps of 1 iteration instead of 1 substep of 8, {kernel} takes "
        )),
        "{}",
        output.err
    );
}

#[test]
fn rows_of_copies_count_all_sticks_and_include_the_kernel_copies() {
    let arguments =
        "compare --scene disc --size 4 --copies 7 --warmup 2 --frames 4 --formulas halley";
    let output = taut(&format!("{arguments} --json -")).assert_success();
    let report = output.report();
    let one_copy =
        taut("compare --scene disc --size 4 --warmup 0 --frames 1 --formulas halley --json -")
            .assert_success();
    let sticks_of_one = one_copy.report().rows()[0]["sticks"].as_u64().unwrap();
    assert_eq!(report.value["scene"]["copies"], 7);
    assert_eq!(report.value["scene"]["sticks"], 7 * sticks_of_one);
    assert!(report.rows().iter().all(|row| row["sticks"] == 7 * sticks_of_one));
    for kernel in ["textbook", "scalar", "pulp", "copies"] {
        assert!(report.rows().iter().any(|row| row["kernel"] == kernel), "{kernel}");
    }
    assert!(!one_copy.report().rows().iter().any(|row| row["kernel"] == "copies"));
    assert!(output.err.contains("7 copies of disc 4"), "{}", output.err);
}

#[test]
fn a_blow_up_with_substeps_is_reported() {
    let arguments =
        "--warmup 299 --frames 1 --kernels scalar --formulas exact --schedules authored";
    let output = taut(&format!("compare --size 32 {arguments} --json -")).assert_success();
    let report = output.report();
    let pair = &report.value["same_iterations_as_substeps"];
    let finite = ["one_substep", "substeps_of_one_iteration"].map(|key| &pair[key]["finite"]);
    assert_eq!(finite, [true, false], "{pair}");
    assert!(
        output.err.contains(" With 8 substeps of 1 iteration, scalar blows up.\n"),
        "{}",
        output.err
    );
}

#[test]
fn only_one_substep_of_several_iterations_is_compared_with_substeps() {
    // 2000 substeps would be more than the maximum of 1000.
    for arguments in ["--iterations 1", "--substeps 2", "--iterations 2000"] {
        let output = compare(&format!(
            "--size 4 {arguments} --kernels scalar --formulas halley --schedules packed --json -"
        ));
        let report = output.assert_success().report();
        assert_eq!(
            report.value.get("same_iterations_as_substeps"),
            Some(&Value::Null),
            "{arguments}"
        );
    }
}

#[test]
fn the_table_has_no_time_per_relaxation_for_a_scene_without_sticks() {
    let output = compare("--scene springs --size 4 --kernels scalar --json -").assert_success();
    assert!(output.report().rows().iter().all(|row| row["ns_per_stick"].is_null()));
    assert!(output.err.contains(" - ") && !output.err.contains("inf"), "{}", output.err);
}

#[test]
fn a_new_file_replaces_the_whole_old_one() {
    let old = vec![b'x'; 1 << 20];
    let folder = Folder::with_files(&[("out.json", old.clone()), ("out.csv", old)]);
    let arguments = "--size 3 --kernels scalar --formulas exact --schedules packed";
    folder.compare(&format!("{arguments} --json out.json --csv out.csv")).assert_success();
    assert_eq!(Report::parse(&folder.read("out.json")).rows().len(), 2);
    assert_eq!(folder.read("out.csv").lines().count(), 3);
}

#[test]
fn an_old_file_is_kept_if_the_run_fails() {
    let folder = Folder::with_files(&[("out.json", b"old".to_vec()), ("patch.obj", obj(1.0))]);
    folder.compare("--mesh patch.obj --schedules sheet --json out.json").assert_error(&["'sheet'"]);
    assert_eq!(folder.read("out.json"), "old");
}

#[test]
fn the_same_run_gives_the_same_bits() {
    let run = || taut("compare --scene disc --size 6 --warmup 1 --frames 2 --json -").report();
    assert_eq!(run().hashes(), run().hashes());
}
