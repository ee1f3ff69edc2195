//! Help, version, and closed output.

use crate::run::{Folder, Report, taut};

const SMALL: &str = "compare --size 4 --warmup 0 --frames 1";

#[test]
fn help_describes_the_program_and_lists_commands() {
    for words in ["--help", "-h", "help"] {
        let ran = taut(words).succeeded();
        assert_eq!(ran.err, "");
        for said in
            ["Relaxes sticks", "Usage: taut", "compare", "stability", "tune", "--help", "--version"]
        {
            assert!(ran.out.contains(said), "'{said}' is missing: {}", ran.out);
        }
        assert!(ran.out.lines().all(|line| line.chars().count() <= 100), "{}", ran.out);
    }
}

/// Checks that help mentions these options and values.
fn assert_help_says(words: &str, all: &[&str]) {
    let ran = taut(words).succeeded();
    assert_eq!(ran.err, "");
    for said in all {
        assert!(ran.out.contains(said), "'{said}' is missing: {}", ran.out);
    }
}

#[test]
fn help_on_compare_explains_every_option() {
    for words in ["compare --help", "compare -h", "help compare"] {
        assert_help_says(
            words,
            &[
                "--scene <NAME>",
                "--mesh <FILE>",
                "--size <N>",
                "--sticks <SET>",
                "--keep-scale",
                "--shuffle <SEED>",
                "--iterations <K>",
                "--substeps <n>",
                "--frames <F>",
                "--warmup <W>",
                "--kernels <LIST>",
                "--formulas <LIST>",
                "--schedules <LIST>",
                "--isa <LIST>",
                "--threads <LIST>",
                "--tuned <FILE>",
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
fn help_on_stability_explains_every_option() {
    assert_help_says(
        "stability --help",
        &[
            "--scenes <LIST>",
            "--sizes <LIST>",
            "--sticks <LIST>",
            "--schedules <LIST>",
            "--formulas <LIST>",
            "--iterations <LIST>",
            "--substeps <LIST>",
            "--dt <LIST>",
            "--frames <F>",
            "--bound <X>",
            "--json <FILE>",
            "--csv <FILE>",
        ],
    );
}

#[test]
fn help_on_report_explains_every_option() {
    assert_help_says(
        "report --help",
        &[
            "--quick",
            "--parts <LIST>",
            "--keep <FOLDER>",
            "--from <FILE>",
            "--out <FILE>",
            "--readme <FILE>",
            "--check",
        ],
    );
}

#[test]
fn help_on_tune_explains_every_option() {
    assert_help_says(
        "tune --help",
        &[
            "--scene <NAME>",
            "--mesh <FILE>",
            "--size <N>",
            "--sticks <SET>",
            "--iterations <K>",
            "--substeps <n>",
            "--formula <NAME>",
            "--schedule <NAME>",
            "--any-answer",
            "--max-stretch <X>",
            "--threads <LIST>",
            "--budget <S>",
            "--save <FILE>",
            "--json <FILE>",
        ],
    );
}

#[test]
fn the_version_is_that_of_the_package() {
    for words in ["--version", "-V"] {
        let ran = taut(words).succeeded();
        assert_eq!(ran.out, format!("taut {}\n", env!("CARGO_PKG_VERSION")));
        assert_eq!(ran.err, "");
    }
}

#[test]
fn a_closed_output_is_not_a_failure() {
    for words in ["--help", "compare --help", "--version", SMALL, &format!("{SMALL} --csv out")] {
        let ran = Folder::new().with_closed_output(words).succeeded();
        assert_eq!(ran.err, "", "{words}");
    }
    for output in ["json", "csv"] {
        let ran = Folder::new().with_closed_output(&format!("{SMALL} --{output} -")).succeeded();
        assert!(ran.err.ends_with("agree.\n"), "the table only: {}", ran.err);
    }
}

#[test]
fn json_is_written_even_if_the_output_is_closed() {
    let folder = Folder::new();
    folder.with_closed_output(&format!("{SMALL} --json out.json")).succeeded();
    assert!(!Report::from(&folder.read("out.json")).rows().is_empty());
}
