//! The section about the numbers of divisions, square roots and integer estimates.

use maud::{Markup, html};

use super::components::{collapsed_table, grouped, index_of};
use crate::report::chart::BarChart;
use crate::report::results::{Results, Timing};
use crate::report::tables;

/// The section as HTML, for the first of the results that has the part `comparison`.
pub(super) fn operations(all: &[Results]) -> Markup {
    let rows = all.iter().map(|results| &results.comparison).find(|rows| !rows.is_empty());
    let text = html! {
        p {
            "Divisions, square roots and integer estimates of a reciprocal square root, per frame. Each group of bars is one formula, each bar one \
            kind of operation. The operations are counted by a number type with which the code of the \
            formula is run; the counts are the same for every kernel. " code { "quick" } " computes the \
            reciprocal square root from an integer estimate, multiplications and subtractions."
        }
    };
    let Some(rows) = rows else {
        return html! { (text) p.missing { "This part was not measured." } };
    };
    let mut groups = grouped(rows, |row| row.formula.clone());
    groups.sort_by_key(|(formula, _)| index_of(&["exact", "newton", "halley", "quick"], formula));
    let counts = |row: &Timing| {
        [row.divisions_per_frame, row.square_roots_per_frame, row.estimates_per_frame]
    };
    let kinds = ["divisions", "square roots", "integer estimates"];
    // All rows have the same sheet and step, so the first row of each formula is enough.
    let heights = |kind: usize| groups.iter().map(move |(_, rows)| counts(rows[0])[kind] as f64);
    let chart = BarChart {
        alt_text: "Operations per frame, a group of bars for each formula. The numbers are in \
            the table below."
            .to_owned(),
        y_label: "operations per frame",
        groups: groups.iter().map(|(formula, _)| formula.clone()).collect(),
        series: kinds
            .iter()
            .enumerate()
            .map(|(kind, name)| ((*name).to_owned(), heights(kind).collect()))
            .collect(),
    };
    let to_cells = |(formula, rows): &(String, Vec<&Timing>)| {
        let mut cells = vec![formula.clone()];
        cells.extend(counts(rows[0]).map(|count| count.to_string()));
        cells
    };
    let mut header = vec!["formula"];
    header.extend(kinds);
    html! {
        (text)
        @if let Some(row) = rows.first() {
            p.quiet {
                "A sheet of " (row.size) " x " (row.size) " particles with "
                (tables::with_thousands_separators(row.sticks)) " sticks, " (row.substeps)
                " substep(s) of " (row.iterations) " iteration(s)."
            }
        }
        (chart.figure())
        (collapsed_table(&header, &groups.iter().map(to_cells).collect::<Vec<_>>()))
    }
}
