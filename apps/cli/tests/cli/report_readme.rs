//! The tables of the README that `taut report` generates.

use crate::report::{README, all_parts, folder_with_results, growth_rows, part, timing_rows};
use crate::run::{Folder, RunOutput};

const END_MARKER: &str = "<!-- end of taut report output -->";

/// Runs `taut report --readme` with these options, on README.md and the results in the folder.
fn report_readme(folder: &Folder, options: &str) -> RunOutput {
    folder.taut(&format!("report --from . --readme README.md {options}"))
}

#[test]
fn only_the_text_between_the_markers_is_replaced() {
    let folder = folder_with_results(&all_parts("CPU A"));
    let output = report_readme(&folder, "").assert_success();
    assert_eq!((&*output.out, &*output.err), ("", ""));
    let text = folder.read("README.md");
    assert!(text.starts_with("Before.\n\n<!-- ") && text.ends_with(" -->\n\nAfter.\n"), "{text}");
    assert!(!text.contains("old table"), "{text}");
    for expected in ["CPU A", "32 x 32", "| `grid` | avx2 | halley | sheet | 0.50 | 24.0 | 8.0 |"] {
        assert!(text.contains(expected), "'{expected}' is missing: {text}");
    }
    assert!(text.lines().all(|line| line.starts_with('|') || line.chars().count() <= 100));
    report_readme(&folder, "").assert_success();
    assert_eq!(folder.read("README.md"), text, "a second run changed the file");
}

#[test]
fn every_table_between_markers_is_updated() {
    let text = format!("{README}<!-- made by taut report: growth -->\n{END_MARKER}\nLast.\n");
    let results = part("comparison", "CPU A", &timing_rows(32)).to_string();
    let growth_part = part("growth", "CPU A", &growth_rows()).to_string();
    let files = [("README.md", text.into()), ("0.json", results.into())];
    let folder = Folder::with_files(&files);
    report_readme(&folder, "").assert_error(&["no part 'growth'"]);
    let folder = Folder::with_files(&[&files[..], &[("1.json", growth_part.into())]].concat());
    report_readme(&folder, "").assert_success();
    let text = folder.read("README.md");
    for expected in [
        "| `grid` | avx2 | halley | sheet | 0.50 | 24.0 | 8.0 |",
        "| a sheet of 16 x 16 | 512 | `grid` avx2 | sheet | 0.50 | 0.25 | 24.0 | 8.0 | 0.0050 | 0.1200 |",
        "| a sheet of 32 x 32 | 2,048 | `grid` avx2 | sheet | 0.50 | 0.25 | - | 8.0 | 0.0050 | - |",
        "| an irregular mesh of 1,024 particles, shuffled |",
        "| 64 copies of an irregular mesh of 64 particles |",
    ] {
        assert!(text.contains(expected), "'{expected}' is missing: {text}");
    }
    assert!(text.contains("\n\nAfter.\n<!-- made") && text.ends_with(" -->\nLast.\n"), "{text}");
    report_readme(&folder, "--check").assert_success();
    let unterminated = text.rsplit_once(END_MARKER).unwrap().0;
    let folder = Folder::with_files(&[("README.md", unterminated.into()), files[1].clone()]);
    report_readme(&folder, "").assert_error(&["README.md", END_MARKER, "growth"]);
}

#[test]
fn check_detects_a_table_that_differs_from_the_results() {
    let folder = folder_with_results(&all_parts("CPU A"));
    assert_eq!(report_readme(&folder, "--check").code, Some(1));
    assert_eq!(folder.read("README.md"), README, "--check changed the file");
    report_readme(&folder, "").assert_success();
    report_readme(&folder, "--check").assert_success();

    let edited = folder.read("README.md").replace("| 0.50 |", "| 0.05 |");
    let files = [("0.json", part("comparison", "CPU A", &timing_rows(32)).to_string().into())];
    let folder = Folder::with_files(&[&files[..], &[("README.md", edited.into())]].concat());
    let output = report_readme(&folder, "--check");
    assert_eq!((output.code, output.err.lines().count()), (Some(1), 1), "{output:?}");
    assert!(output.err.contains("README.md"), "{output:?}");
}

#[test]
fn a_file_without_markers_and_results_without_a_comparison_are_rejected() {
    let results = part("comparison", "CPU A", &timing_rows(32)).to_string();
    let folder = Folder::with_files(&[("0.json", results.into()), ("README.md", "Before.".into())]);
    report_readme(&folder, "").assert_error(&["README.md", "taut report: comparison"]);
    let folder = folder_with_results(&[part("sheets", "CPU A", &timing_rows(32))]);
    report_readme(&folder, "").assert_error(&["no part 'comparison'"]);
}
