//! `taut tune`: the candidates, the chosen one, its result, and the saved tuning file.

use serde_json::Value;

use crate::mesh_files::valid_files;
use crate::run::{Folder, Report, RunOutput, taut};

/// Runs `taut tune` on a small sheet.
fn tune(arguments: &str) -> RunOutput {
    taut(&format!("tune --size 9 --threads 1,2 {arguments}"))
}

/// The content of the file that `--save tuned.json` wrote.
fn saved_tuning(folder: &Folder) -> Value {
    serde_json::from_str(&folder.read("tuned.json")).unwrap()
}

#[test]
fn the_result_is_preserved_unless_any_schedule_is_allowed() {
    let report = tune("--json -").assert_success().report();
    let value = &report.value;
    assert_eq!(
        (&value["same_result"], &value["tuned"]["formula"]),
        (&true.into(), &"halley".into())
    );
    assert!(value["tuned"]["schedule"].as_str().unwrap().starts_with("sheet"), "{value}");
    assert_eq!(value["chosen"]["hash"], value["default_choice"]["hash"]);
    assert_eq!(value["chosen"]["hash"], value["runner_up"]["hash"]);

    let output = tune("--schedule packed").assert_success();
    assert!(output.out.contains("Result: bit-identical to that of packed."), "{}", output.out);

    // A schedule whose simulation blows up is rejected unless any schedule is allowed.
    let unstable = "tune --size 32 --iterations 1 --formula exact --schedule authored --threads 1";
    taut(unstable).assert_error(&["'authored'", "bounded"]);
    let output = taut(&format!("{unstable} --any-schedule")).assert_success();
    assert!(output.out.contains("DIFFERENT from that of authored"), "{}", output.out);
}

#[test]
fn all_candidates_are_listed_and_code_for_the_choice_is_printed() {
    let output = tune("--json -").assert_success();
    let report = output.report();
    let candidates = report.value["candidates"].as_array().unwrap();
    for kernel in ["scalar", "wide", "grid"] {
        assert!(candidates.iter().any(|candidate| candidate["kernel"] == kernel), "{kernel}");
    }
    for schedule in ["sheet", "sheet+hilbert", "banded/rcm", "blocked", "packed", "coloured"] {
        assert!(candidates.iter().any(|candidate| candidate["schedule"] == schedule), "{schedule}");
    }
    for line in ["Choice: ", "Runner-up: ", "taut = { path", "use taut::prelude::*;", "plan.step("]
    {
        assert!(output.err.contains(line), "'{line}' is missing: {}", output.err);
    }
    let rust = report.value["rust"].as_str().unwrap();
    assert!(rust.lines().all(|line| output.err.contains(line)), "{}", output.err);
}

#[test]
fn compare_runs_the_saved_tuning() {
    let folder = Folder::with_files(&valid_files());
    folder.taut("tune --mesh patch.obj --schedule coloured --save tuned.json").assert_success();
    let saved = saved_tuning(&folder);
    let report = folder.report("--mesh patch.obj --tuned tuned.json");
    assert_eq!(report.rows().len(), 2, "the textbook loop and the tuned kernel");
    let row = &report.rows()[1];
    for key in ["threads", "schedule", "formula"] {
        assert_eq!(row[key], saved[key], "{row} {saved}");
    }
    let untuned = folder.report("--mesh patch.obj --schedules coloured --formulas halley");
    assert!(untuned.rows().iter().any(|other| other["hash"] == row["hash"]), "the result differs");
}

#[test]
fn a_tuning_for_copies_is_saved_and_compared_with_the_same_number_of_copies() {
    let folder = Folder::with_files(&valid_files());
    let arguments = "--mesh patch.obj --copies 18 --schedule coloured --save tuned.json --json -";
    let output = folder.taut(&format!("tune {arguments}")).assert_success();
    let value = output.report().value;
    let candidates = value["candidates"].as_array().unwrap();
    assert!(candidates.iter().any(|candidate| candidate["kernel"] == "copies"), "{value}");
    assert_eq!(
        (&value["scene"]["copies"], &saved_tuning(&folder)["copies"]),
        (&18.into(), &18.into())
    );
    assert!(output.err.contains("repeat_n(&particles, 18)"), "{}", output.err);

    let report = folder.report("--mesh patch.obj --tuned tuned.json");
    assert_eq!(report.value["scene"]["copies"], 18);
    let row = &report.rows()[1];
    let untuned = "--mesh patch.obj --schedules coloured --formulas halley --copies 18";
    assert!(folder.report(untuned).rows().iter().any(|other| other["hash"] == row["hash"]));
}

#[test]
fn an_invalid_tuning_file_gives_an_error_with_its_name_and_problem() {
    let folder = Folder::with_files(&valid_files());
    folder.taut("tune --mesh patch.obj --save tuned.json").assert_success();
    let with_value = |key: &str, value: Value| {
        let mut changed = saved_tuning(&folder);
        changed[key] = value;
        changed.to_string().into_bytes()
    };
    let invalid: [(&str, Vec<u8>, &str); 10] = [
        ("empty.json", Vec::new(), "not a tuning file"),
        ("text.json", b"not JSON".to_vec(), "not a tuning file"),
        ("list.json", b"[]".to_vec(), "not a tuning file"),
        ("kernel.json", with_value("kernel", "abacus".into()), "'abacus'"),
        ("no_threads.json", with_value("threads", 0.into()), "0 threads"),
        (
            "many_threads.json",
            with_value("threads", 4_000_000_000_u32.into()),
            "4000000000 threads",
        ),
        ("no_copies.json", with_value("copies", 0.into()), "0 copies"),
        ("many_copies.json", with_value("copies", 4_000_000_000_u32.into()), "at most"),
        ("schedule.json", with_value("schedule", "random".into()), "'random'"),
        ("formula.json", with_value("formula", "euler".into()), "`euler`"),
    ];
    let files = invalid.each_ref().map(|(name, bytes, _)| (*name, bytes.clone()));
    let folder = Folder::with_files(&[&valid_files()[..], &files].concat());
    for (name, _, expected) in invalid {
        let output = folder.compare(&format!("--mesh patch.obj --tuned {name}"));
        output.assert_error(&[name, expected]);
    }
    folder.compare("--mesh patch.obj --tuned nowhere.json").assert_error(&["nowhere.json", "read"]);
}

#[test]
fn a_tuning_for_another_mesh_is_rejected() {
    let folder = Folder::new();
    folder.taut("tune --size 5 --save tuned.json").assert_success();
    folder.compare("--size 5 --tuned tuned.json").assert_success();
    folder.compare("--size 6 --tuned tuned.json").assert_error(&["another mesh", "25", "36"]);
}

#[test]
fn json_csv_and_the_tuning_file_are_written() {
    let folder = Folder::new();
    folder.taut("tune --size 5 --json out.json --csv out.csv --save tuned.json").assert_success();
    let report = Report::parse(&folder.read("out.json"));
    assert_eq!(folder.read("out.csv").lines().count(), 1 + report.rows().len());
    assert_eq!(report.value["tuned"], saved_tuning(&folder));
}

#[test]
fn invalid_arguments_are_rejected() {
    tune("--max-residual 1e-9").assert_error(&["accurate enough", "'sheet'"]);
    tune("--max-residual 0").assert_error(&["--max-residual 0"]);
    tune("--max-residual nan").assert_error(&["--max-residual"]);
    tune("--save nowhere/out").assert_error(&["nowhere/out", "cannot be written"]);
    tune("--scene disc --schedule sheet").assert_error(&["'sheet'", "regular sheet"]);
    tune("--budget 0").assert_usage_error(&["--budget"]);
    tune("--schedule random").assert_usage_error(&["'random'", "packed"]);
    tune("--formula euler").assert_usage_error(&["'euler'", "halley"]);
    taut("compare --tuned x --formulas exact").assert_usage_error(&["--tuned", "--formulas"]);
}
