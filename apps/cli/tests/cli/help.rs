//! `--help`, `--version`, and runs with a closed standard output.

use crate::run::{Folder, Report, taut};

/// A comparison that takes little time.
const SMALL: &str = "compare --size 4 --warmup 0 --frames 1";

#[test]
fn help_describes_the_program_and_lists_commands() {
    for arguments in ["--help", "-h", "help"] {
        let output = taut(arguments).assert_success();
        assert_eq!(output.err, "");
        for expected in
            ["Relaxes sticks", "Usage: taut", "compare", "stability", "tune", "--help", "--version"]
        {
            assert!(output.out.contains(expected), "'{expected}' is missing: {}", output.out);
        }
        assert!(output.out.lines().all(|line| line.chars().count() <= 100), "{}", output.out);
    }
}

/// Runs the program and checks that the help text mentions these options and values.
fn assert_help_mentions(arguments: &str, mentioned: &[&str]) {
    let output = taut(arguments).assert_success();
    assert_eq!(output.err, "");
    for expected in mentioned {
        assert!(output.out.contains(expected), "'{expected}' is missing: {}", output.out);
    }
}

#[test]
fn help_on_compare_lists_every_option() {
    for arguments in ["compare --help", "compare -h", "help compare"] {
        assert_help_mentions(
            arguments,
            &[
                "--scene <NAME>",
                "--mesh <FILE>",
                "--size <N>",
                "--sticks <SET>",
                "--keep-scale",
                "--shuffle <SEED>",
                "--copies <N>",
                "--iterations <N>",
                "--substeps <N>",
                "--frames <N>",
                "--warmup <N>",
                "--kernels <LIST>",
                "--formulas <LIST>",
                "--schedules <LIST>",
                "--isa <LIST>",
                "--threads <LIST>",
                "--tuned <FILE>",
                "--all",
                "--json <FILE>",
                "--csv <FILE>",
                "drape",
                "structural",
                "halley",
                "packed/rcm",
                "avx2",
                "colour",
            ],
        );
    }
}

#[test]
fn help_on_stability_lists_every_option() {
    assert_help_mentions(
        "stability --help",
        &[
            "--shapes <LIST>",
            "--sizes <LIST>",
            "--sticks <LIST>",
            "--schedules <LIST>",
            "--formulas <LIST>",
            "--iterations <LIST>",
            "--substeps <LIST>",
            "--dt <LIST>",
            "--frames <N>",
            "--bound <X>",
            "--json <FILE>",
            "--csv <FILE>",
        ],
    );
}

#[test]
fn help_on_report_lists_every_option() {
    assert_help_mentions(
        "report --help",
        &[
            "--quick",
            "--parts <LIST>",
            "--save <FOLDER>",
            "--from <FILE>",
            "--out <FILE>",
            "--readme <FILE>",
            "--check",
        ],
    );
}

#[test]
fn help_on_tune_lists_every_option() {
    assert_help_mentions(
        "tune --help",
        &[
            "--scene <NAME>",
            "--mesh <FILE>",
            "--size <N>",
            "--sticks <SET>",
            "--keep-scale",
            "--shuffle <SEED>",
            "--copies <N>",
            "--iterations <N>",
            "--substeps <N>",
            "--formula <NAME>",
            "--schedule <NAME>",
            "--any-schedule",
            "--max-residual <X>",
            "--threads <LIST>",
            "--budget <S>",
            "--save <FILE>",
            "--json <FILE>",
            "--csv <FILE>",
        ],
    );
}

#[test]
fn the_version_is_that_of_the_package() {
    for arguments in ["--version", "-V"] {
        let output = taut(arguments).assert_success();
        assert_eq!(output.out, format!("taut {}\n", env!("CARGO_PKG_VERSION")));
        assert_eq!(output.err, "");
    }
}

#[test]
fn a_closed_output_is_not_a_failure() {
    for arguments in ["--help", "compare --help", "--version", SMALL, &format!("{SMALL} --csv out")]
    {
        let output = Folder::new().run_with_closed_output(arguments).assert_success();
        assert_eq!(output.err, "", "{arguments}");
    }
    for format in ["json", "csv"] {
        // With JSON or CSV on standard output, the table goes to standard error; this is its end.
        let output =
            Folder::new().run_with_closed_output(&format!("{SMALL} --{format} -")).assert_success();
        assert!(
            output.err.ends_with("same formula and schedule.\n"),
            "expected stderr to end with 'same formula and schedule.', found: {}",
            output.err
        );
    }
}

#[test]
fn json_is_written_even_if_the_output_is_closed() {
    let folder = Folder::new();
    folder.run_with_closed_output(&format!("{SMALL} --json out.json")).assert_success();
    assert!(!Report::parse(&folder.read("out.json")).rows().is_empty());
}
