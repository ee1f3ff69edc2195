//! Rows, and disagreements of rows that should have the same bits.

use taut::Formula;
use taut_bench::{Row, disagreements};

use crate::fixtures::{arrangement, comparison, row_of, scalar, sheet};

/// A valid row, named `scalar/scalar/t1 exact packed`.
fn valid_row() -> Row {
    row_of(&comparison(sheet(), vec![scalar(Formula::Exact, arrangement("packed"))]))
}

fn with_kernel(kernel: &'static str, row: &Row) -> Row {
    Row { kernel, inner: kernel, ..row.clone() }
}

#[test]
fn rows_with_the_same_bits_agree() {
    let row = valid_row();
    let rows = ["scalar", "wide", "pulp"].map(|kernel| with_kernel(kernel, &row));
    assert_eq!(disagreements(&rows), []);
    assert_eq!(disagreements(&[]), []);
}

#[test]
fn a_different_hash_is_a_disagreement_that_names_both_rows() {
    let row = Row { hash: 0xab, ..valid_row() };
    let other = Row { hash: 0xcd, isa: "avx9", lanes: 99, threads: 3, ..with_kernel("wide", &row) };
    let [found] = disagreements(&[row.clone(), other.clone()]).try_into().unwrap();
    assert_eq!((&found.one, found.one_hash), (&row.name(), 0xab));
    assert_eq!((&found.other, found.other_hash), (&other.name(), 0xcd));
    assert_eq!(
        found.to_string(),
        "'scalar/scalar/t1 exact packed' ended with hash 00000000000000ab and \
         'wide/avx9/t3 exact packed' with 00000000000000cd: \
         the same formula and schedule must give the same bits"
    );
}

#[test]
fn every_row_is_compared_with_the_first_of_its_formula_and_schedule() {
    let row = valid_row();
    let different = |kernel| Row { hash: !row.hash, ..with_kernel(kernel, &row) };
    let count = |rows: &[Row]| disagreements(rows).len();
    assert_eq!(count(&[row.clone(), with_kernel("wide", &row), different("pulp")]), 1);
    assert_eq!(count(&[different("pulp"), with_kernel("wide", &row), row.clone()]), 2);
}

#[test]
fn a_row_that_was_not_always_finite_disagrees_with_one_that_was() {
    let row = valid_row();
    let not_finite = Row { finite: false, ..with_kernel("wide", &row) };
    assert_eq!(disagreements(&[row, not_finite]).len(), 1);
}

#[test]
fn rows_of_another_formula_or_schedule_may_differ() {
    let row = valid_row();
    let hash = !row.hash;
    let formula = Row { hash, formula: "newton", ..row.clone() };
    let schedule = Row { hash, schedule: "packed/rcm".to_owned(), ..row.clone() };
    assert_eq!(disagreements(&[row, formula, schedule]), []);
}

#[test]
fn the_textbook_row_is_not_compared() {
    let row = valid_row();
    let textbook = Row { hash: !row.hash, finite: false, ..with_kernel("textbook", &row) };
    assert_eq!(disagreements(&[textbook.clone(), row.clone(), with_kernel("wide", &row)]), []);
    assert_eq!(disagreements(&[row, textbook]), []);
}

#[test]
fn a_row_blew_up_if_it_is_not_finite_or_its_residual_is_above_10() {
    let row = valid_row();
    let with = |stretch_rms, finite| Row { stretch_rms, finite, ..row.clone() };
    assert!(!with(0.02, true).blew_up());
    assert!(!with(9.0, true).blew_up());
    assert!(with(11.0, true).blew_up());
    assert!(with(f64::INFINITY, true).blew_up());
    assert!(with(f64::NAN, true).blew_up());
    assert!(with(0.02, false).blew_up());
}
