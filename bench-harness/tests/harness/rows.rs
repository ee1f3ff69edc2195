//! Rows, and rows that should have had the same bits.

use taut::Formula;
use taut_bench::{Row, disagreements};

use crate::make::{arrangement, comparison, row_of, scalar, sheet};

/// `scalar/scalar/t1 exact packed`.
fn sound() -> Row {
    row_of(&comparison(sheet(), vec![scalar(Formula::Exact, arrangement("packed"))]))
}

fn as_if_by(kernel: &'static str, row: &Row) -> Row {
    Row { kernel, inside: kernel, ..row.clone() }
}

#[test]
fn rows_with_the_same_bits_agree() {
    let row = sound();
    let rows = ["scalar", "wide", "pulp"].map(|kernel| as_if_by(kernel, &row));
    assert_eq!(disagreements(&rows), []);
    assert_eq!(disagreements(&[]), []);
}

#[test]
fn another_hash_is_a_disagreement_that_names_both() {
    let row = Row { hash: 0xab, ..sound() };
    let odd = Row { hash: 0xcd, isa: "avx9", lanes: 99, threads: 3, ..as_if_by("wide", &row) };
    let [found] = disagreements(&[row.clone(), odd.clone()]).try_into().unwrap();
    assert_eq!((&found.one, found.one_hash), (&row.name(), 0xab));
    assert_eq!((&found.other, found.other_hash), (&odd.name(), 0xcd));
    assert_eq!(
        found.to_string(),
        "'scalar/scalar/t1 exact packed' ended with hash 00000000000000ab and \
         'wide/avx9/t3 exact packed' with 00000000000000cd: \
         the same formula and schedule must give the same bits"
    );
}

#[test]
fn every_row_is_held_against_the_first_of_its_kind() {
    let row = sound();
    let odd = |kernel| Row { hash: !row.hash, ..as_if_by(kernel, &row) };
    let count = |rows: &[Row]| disagreements(rows).len();
    assert_eq!(count(&[row.clone(), as_if_by("wide", &row), odd("pulp")]), 1);
    assert_eq!(count(&[odd("pulp"), as_if_by("wide", &row), row.clone()]), 2);
}

#[test]
fn a_row_that_was_not_finite_on_the_way_disagrees_with_one_that_was() {
    let row = sound();
    let odd = Row { finite: false, ..as_if_by("wide", &row) };
    assert_eq!(disagreements(&[row, odd]).len(), 1);
}

#[test]
fn rows_of_another_formula_or_schedule_may_differ() {
    let row = sound();
    let hash = !row.hash;
    let formula = Row { hash, formula: "newton", ..row.clone() };
    let schedule = Row { hash, schedule: "packed/rcm".to_owned(), ..row.clone() };
    assert_eq!(disagreements(&[row, formula, schedule]), []);
}

#[test]
fn the_textbook_is_not_asked() {
    let row = sound();
    let textbook = Row { hash: !row.hash, finite: false, ..as_if_by("textbook", &row) };
    assert_eq!(disagreements(&[textbook.clone(), row.clone(), as_if_by("wide", &row)]), []);
    assert_eq!(disagreements(&[row, textbook]), []);
}

#[test]
fn a_row_blew_up_if_its_sticks_are_nothing_that_one_would_show() {
    let row = sound();
    let with = |stretch_rms, finite| Row { stretch_rms, finite, ..row.clone() };
    assert!(!with(0.02, true).blew_up());
    assert!(!with(9.0, true).blew_up());
    assert!(with(11.0, true).blew_up());
    assert!(with(f64::INFINITY, true).blew_up());
    assert!(with(f64::NAN, true).blew_up());
    assert!(with(0.02, false).blew_up());
}
