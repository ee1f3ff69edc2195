//! `taut claims`: the text, one claim in detail, JSON and CSV.

use std::sync::LazyLock;

use serde_json::Value;

use crate::run::{Folder, RunOutput, taut};

/// What `taut claims --small` writes. All tests share one run.
struct AllClaims {
    text: String,
    report: Value,
    csv: String,
}

static ALL: LazyLock<AllClaims> = LazyLock::new(|| {
    let folder = Folder::new();
    let output = folder.taut("claims --small --json out.json --csv out.csv").assert_success();
    let report = serde_json::from_str(&folder.read("out.json")).unwrap();
    AllClaims { text: output.out, report, csv: folder.read("out.csv") }
});

/// Runs `taut claims` on tiny sizes.
fn small_claims(arguments: &str) -> RunOutput {
    taut(&format!("claims --small {arguments}"))
}

#[test]
fn every_claim_has_measured_values_and_a_verdict() {
    let AllClaims { text, report, .. } = &*ALL;
    let claims = report["claims"].as_array().unwrap();
    assert!(claims.len() >= 15);
    for claim in claims {
        for key in ["name", "quote", "source", "section", "method", "command"] {
            assert!(claim[key].as_str().is_some_and(|text| !text.is_empty()), "{key}: {claim}");
        }
        let verdict = claim["verdict"].as_str().unwrap();
        assert!(["holds", "holds_in_part", "does_not_hold", "misprint"].contains(&verdict));
        let values = claim["numbers"].as_array().unwrap();
        let holding = values.iter().filter(|value| value["holds"] == true).count();
        assert_eq!(verdict == "holds", holding == values.len(), "{claim}");
    }
    assert_eq!(report["small"], true);
    assert!(!report["not_measured"].as_array().unwrap().is_empty());
    for expected in ["measured (expected)", "misprint", "verdicts are meaningless", "Not measured:"]
    {
        assert!(text.contains(expected), "'{expected}' is missing: {text}");
    }
}

/// Each claim has a command that shows the measured effect.
#[test]
fn the_commands_of_claims_are_valid() {
    for claim in ALL.report["claims"].as_array().unwrap() {
        let command = claim["command"].as_str().unwrap();
        let arguments = command.strip_prefix("taut ").unwrap();
        // With `--help` at the end, the program only parses the arguments, and measures nothing.
        taut(&format!("{arguments} --help")).assert_success();
    }
}

#[test]
fn one_claim_is_shown_by_its_number_or_its_name() {
    let by_number = small_claims("--show 2").assert_success();
    let by_name = small_claims("--show n-divisions").assert_success();
    assert_eq!(by_number.out, by_name.out);
    for expected in ["Claim 2, n-divisions", "divisions per stick", "verdict   holds", "method  "] {
        assert!(by_number.out.contains(expected), "'{expected}' is missing: {}", by_number.out);
    }
    // With `--json -` the text is written to the standard error.
    let output = small_claims("--show printed-wind --json -").assert_success();
    assert!(output.err.contains("printed-wind"), "{}", output.err);
    let report = output.report();
    assert_eq!(report.value["claims"].as_array().map(Vec::len), Some(1));
    assert_eq!(report.value["claims"][0]["verdict"], "misprint");
}

#[test]
fn an_unknown_claim_gives_an_error_with_the_valid_range() {
    for claim in ["0", "1000", "perpetual-motion"] {
        small_claims(&format!("--show {claim}"))
            .assert_error(&[&format!("'{claim}'"), "from 1 to "]);
    }
}

#[test]
fn csv_has_a_line_for_each_measured_value() {
    let AllClaims { text, report, csv } = &*ALL;
    assert!(text.contains("claims: "), "the text is written in addition to the CSV: {text}");
    let claims = report["claims"].as_array().unwrap();
    let value_counts = claims.iter().map(|claim| claim["numbers"].as_array().unwrap().len());
    assert_eq!(csv.lines().count(), 1 + value_counts.sum::<usize>());
}
