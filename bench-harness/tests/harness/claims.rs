//! Claims: each can be measured, and its verdict depends only on its values.

use taut_bench::claims::{self, Bound, Claim, NOT_MEASURED, Scale, Verdict, VerdictRule, printed};

fn named(name: &str) -> &'static Claim {
    claims::all().find(|(_, claim)| claim.name == name).unwrap().1
}

/// A value within a bound, and one outside.
fn inside_and_outside(bound: Bound) -> [f64; 2] {
    match bound {
        Bound::AtMost(max) => [max, max + 1.0],
        Bound::AtLeast(min) => [min, min - 1.0],
        Bound::Exactly(expected) => [expected, expected + 1.0],
        Bound::Between(min, max) => [f64::midpoint(min, max), max + 1.0],
    }
}

#[test]
fn claims_are_complete_and_their_names_and_numbers_are_unique() {
    let all: Vec<_> = claims::all().collect();
    assert!(all.len() >= 15);
    for (at, (number, claim)) in all.iter().enumerate() {
        assert_eq!(*number, at + 1);
        assert!(!claim.checks.is_empty(), "{}", claim.name);
        for text in [claim.name, claim.quote, claim.section, claim.method, claim.command] {
            assert!(!text.is_empty() && !text.contains("  "), "{}: '{text}'", claim.name);
        }
        assert!(claim.command.starts_with("taut "), "{}", claim.command);
        assert!(claim.name.parse::<usize>().is_err(), "a name must not be a number");
        assert!(all[..at].iter().all(|(_, other)| other.name != claim.name), "{}", claim.name);
    }
    assert!(!NOT_MEASURED.is_empty());
}

#[test]
fn every_claim_can_be_measured() {
    let all: Vec<_> = claims::all().collect();
    let mut shares = Vec::new();
    let findings = claims::measure(&all, Scale::Smoke, |it| shares.push(it.share)).unwrap();
    assert_eq!(findings.len(), all.len());
    assert!(shares.windows(2).all(|pair| pair[0] <= pair[1]), "{shares:?}");
    for (finding, (number, claim)) in findings.iter().zip(&all) {
        assert_eq!((finding.number, finding.name), (*number, claim.name));
        // One value for each check, and none is NaN.
        assert_eq!((claim.measure)(Scale::Smoke).unwrap().len(), claim.checks.len());
        for measured in &finding.values {
            assert!(!measured.value.is_nan(), "{}: {}", claim.name, measured.what);
            assert_eq!(measured.holds, measured.bound.contains(measured.value));
        }
    }
}

#[test]
fn a_verdict_follows_from_the_values() {
    for (number, claim) in claims::all() {
        // The verdict if check i gets a value inside (0) or outside (1) of its bound: `which(i)`.
        let verdict = |which: &dyn Fn(usize) -> usize| {
            let values = claim.checks.iter().enumerate();
            let values = values.map(|(at, check)| inside_and_outside(check.bound)[which(at)]);
            claim.finding_from(number, &values.collect::<Vec<_>>()).verdict
        };
        assert_eq!(verdict(&|_| 0), Verdict::Holds, "{}", claim.name);
        assert_eq!(verdict(&|_| 1), Verdict::DoesNotHold, "{}", claim.name);
        if claim.rule == VerdictRule::Printed {
            assert_eq!(verdict(&|at| usize::from(at == 0)), Verdict::Misprint, "{}", claim.name);
        } else if claim.checks.len() > 1 {
            assert_eq!(verdict(&|at| usize::from(at == 0)), Verdict::HoldsInPart, "{}", claim.name);
        }
        // Missing values are NaN, which is within no bound.
        assert_eq!(claim.finding_from(number, &[]).verdict, Verdict::DoesNotHold, "{}", claim.name);
        assert!(
            claim.finding_from(number, &[]).values.iter().all(|it| it.value.is_nan() && !it.holds)
        );
    }
}

#[test]
fn the_decisive_value_is_the_first_out_of_bounds_or_else_the_first() {
    let claim = named("n-divisions");
    assert_eq!(claim.finding_from(1, &[1.0, 0.5]).decisive().unwrap().what, claim.checks[1].what);
    assert_eq!(claim.finding_from(1, &[1.0, 0.0]).decisive().unwrap().what, claim.checks[0].what);
}

/// The values of these claims are counted or computed, so they are the same on every machine.
#[test]
fn claims_without_times_have_the_same_verdict_on_every_machine() {
    for (name, verdict) in [
        ("exact-cost", Verdict::Holds),
        ("n-divisions", Verdict::Holds),
        ("zero-divisions", Verdict::Holds),
        ("same-bits", Verdict::Holds),
        ("rest-stays", Verdict::Holds),
        ("nearly-satisfied", Verdict::HoldsInPart),
        ("halley-third-order", Verdict::Holds),
        ("euler-3-percent", Verdict::HoldsInPart),
        ("any-dimension", Verdict::Holds),
    ] {
        let finding = named(name).finding(1, Scale::Smoke).unwrap();
        assert_eq!(finding.verdict, verdict, "{finding:?}");
    }
}

#[test]
fn every_printed_formula_is_wrong_and_its_correction_is_right() {
    let misprints: Vec<_> =
        claims::all().filter(|(_, it)| it.rule == VerdictRule::Printed).collect();
    assert_eq!(misprints.len(), 8);
    for (number, claim) in misprints {
        let finding = claim.finding(number, Scale::Full).unwrap();
        assert_eq!(finding.verdict, Verdict::Misprint, "{finding:?}");
    }
}

#[test]
fn printed_sticks_move_their_ends_apart_when_stretched() {
    let stretched = [[0.0; 3], [1.1, 0.0, 0.0]];
    for [a, b] in [
        printed::stick_with_root(stretched, 1.0),
        printed::stick_with_masses(stretched, [1.0, 0.5], 1.0),
        printed::approximated_stick(stretched, 1.0),
    ] {
        assert!(a[0] < 0.0 && b[0] > 1.1, "{a:?} {b:?}");
    }
}
