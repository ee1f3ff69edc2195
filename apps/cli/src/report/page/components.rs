//! Components of the sections of a page: columns for machines, charts, tables and legends.

use maud::{Markup, html};

use crate::report::chart::{LegendKey, LineChart};
use crate::report::results::{Machine, Results};

/// Kernels; the index of a name selects its colour in charts.
pub(super) const KERNELS: [&str; 7] =
    ["grid", "pulp", "wide", "scalar", "textbook", "colour", "copies"];
/// The orders with whose names those of schedules begin; the index of a name selects its colour in charts.
pub(super) const ORDERS: [&str; 7] =
    ["sheet", "banded", "blocked", "coloured", "authored", "packed", "starred"];
/// Formulas; the index of a name selects its mark in charts.
pub(super) const FORMULAS: [&str; 4] = ["halley", "exact", "newton", "quick"];
/// Instruction sets; the index of a name selects its mark in charts.
pub(super) const ISAS: [&str; 5] = ["avx512", "avx2", "sse2", "neon", "scalar"];

/// The label of results: the processor, the flags, and the commits at which they were measured.
pub(super) fn label(results: &Results) -> String {
    let Machine { cpu, flags, .. } = &results.machine;
    format!("{cpu}; {flags}; commit {}", results.commits.join(", "))
}

/// A column for each of the results for which `show` returns content, or a message if there is none.
pub(super) fn side_by_side(all: &[Results], show: impl Fn(&Results) -> Option<Markup>) -> Markup {
    let columns: Vec<(&Results, Markup)> =
        all.iter().filter_map(|results| Some((results, show(results)?))).collect();
    html! {
        @if columns.is_empty() {
            p.missing { "This part was not measured." }
        }
        div.columns {
            @for (results, content) in columns {
                div {
                    @if all.len() > 1 { h3 { (label(results)) } }
                    (content)
                }
            }
        }
    }
}

/// A column for each of the results for which `chart` returns a chart: the chart and its table. All charts have the
/// same axes.
pub(super) fn charts(
    all: &[Results],
    chart: impl Fn(&Results) -> Option<LineChart>,
    table: impl Fn(&Results) -> Markup,
) -> Markup {
    let drawn_charts: Vec<LineChart> = all.iter().filter_map(&chart).collect();
    let extra_points: Vec<(f64, f64)> =
        drawn_charts.iter().flat_map(LineChart::points).copied().collect();
    side_by_side(all, |results| {
        let chart = LineChart { extra_points: extra_points.clone(), ..chart(results)? };
        Some(html! { (chart.figure()) (table(results)) })
    })
}

/// A table that users of the page can expand.
pub(super) fn collapsed_table(header: &[&str], rows: &[Vec<String>]) -> Markup {
    html! {
        details {
            summary { "Table" }
            (table(header.iter().map(|name| (*name, false)), rows))
        }
    }
}

/// A table; columns whose header has `true` are right-aligned.
pub(super) fn table<'a>(
    header: impl Iterator<Item = (&'a str, bool)>,
    rows: &[Vec<String>],
) -> Markup {
    let header: Vec<(&str, bool)> = header.collect();
    let class_of = |index: usize| header.get(index).and_then(|(_, right)| right.then_some("right"));
    html! {
        div.scroll tabindex="0" {
            table {
                thead { tr {
                    @for (name, right) in &header {
                        th scope="col" class=[right.then_some("right")] { (with_code(name)) }
                    }
                } }
                tbody {
                    @for row in rows {
                        tr { @for (index, cell) in row.iter().enumerate() {
                            td class=[class_of(index)] { (with_code(cell)) }
                        } }
                    }
                }
            }
        }
    }
}

/// Renders text between backquotes as code.
pub(super) fn with_code(text: &str) -> Markup {
    html! {
        @for (index, piece) in text.split('`').enumerate() {
            @if index % 2 == 1 { code { (piece) } } @else { (piece) }
        }
    }
}

/// The index of the first of `names` that is a prefix of `name`; `names.len()` if there is none.
pub(super) fn index_of(names: &[&str], name: &str) -> usize {
    names.iter().position(|known| name.starts_with(known)).unwrap_or(names.len())
}

/// Groups rows by key, in the order in which the keys first occur.
pub(super) fn grouped<T, K: PartialEq>(rows: &[T], key: impl Fn(&T) -> K) -> Vec<(K, Vec<&T>)> {
    let mut groups: Vec<(K, Vec<&T>)> = Vec::new();
    for row in rows {
        let key = key(row);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(row),
            None => groups.push((key, vec![row])),
        }
    }
    groups
}

/// A legend of the colours of the schedules, then of the marks of the formulas. Each name occurs once.
pub(super) fn legend<'a>(
    schedules: impl Iterator<Item = &'a (String, usize)>,
    formulas: impl Iterator<Item = &'a str>,
) -> Vec<(String, LegendKey)> {
    let mut legend: Vec<(String, LegendKey)> = Vec::new();
    let mut add = |name: &str, key: LegendKey| {
        if legend.iter().all(|(known, _)| known != name) {
            legend.push((name.to_owned(), key));
        }
    };
    for (schedule, colour) in schedules {
        add(schedule, LegendKey::Colour(*colour));
    }
    for formula in formulas {
        add(formula, LegendKey::Mark(index_of(&FORMULAS, formula)));
    }
    legend
}
