//! Components of sections: columns of machines, tables, legends.

use maud::{Markup, html};

use crate::report::chart::{Key, Lines};
use crate::report::results::{Machine, Results};

/// Names in the order of their colours.
pub(super) const KERNELS: [&str; 7] =
    ["grid", "pulp", "wide", "scalar", "textbook", "colour", "copies"];
pub(super) const SCHEDULES: [&str; 7] =
    ["sheet", "banded", "blocked", "coloured", "authored", "packed", "starred"];
/// Names in the order of their marks.
pub(super) const FORMULAS: [&str; 4] = ["halley", "exact", "newton", "quick"];
pub(super) const ISAS: [&str; 5] = ["avx512", "avx2", "sse2", "neon", "scalar"];

/// The label of a machine and build.
pub(super) fn label(results: &Results) -> String {
    let Machine { cpu, flags, .. } = &results.machine;
    format!("{cpu}; {flags}; commit {}", results.commits.join(", "))
}

/// A column for each machine for which `show` returns something.
pub(super) fn beside(all: &[Results], show: impl Fn(&Results) -> Option<Markup>) -> Markup {
    let found: Vec<(&Results, Markup)> =
        all.iter().filter_map(|results| Some((results, show(results)?))).collect();
    html! {
        @if found.is_empty() {
            p.missing { "This part was not measured." }
        }
        div.beside {
            @for (results, content) in found {
                div {
                    @if all.len() > 1 { h3 { (label(results)) } }
                    (content)
                }
            }
        }
    }
}

/// Charts of several machines with the same axes, each with its table.
pub(super) fn charts(
    all: &[Results],
    of: impl Fn(&Results) -> Option<Lines>,
    numbers: impl Fn(&Results) -> Markup,
) -> Markup {
    let drawn: Vec<Lines> = all.iter().filter_map(&of).collect();
    let around: Vec<(f64, f64)> = drawn.iter().flat_map(Lines::points).copied().collect();
    beside(all, |results| {
        let lines = Lines { around: around.clone(), ..of(results)? };
        Some(html! { (lines.figure()) (numbers(results)) })
    })
}

/// A collapsed table.
pub(super) fn numbers(header: &[&str], rows: &[Vec<String>]) -> Markup {
    html! {
        details {
            summary { "Table" }
            (table(header.iter().map(|name| (*name, false)), rows))
        }
    }
}

pub(super) fn table<'a>(
    header: impl Iterator<Item = (&'a str, bool)>,
    rows: &[Vec<String>],
) -> Markup {
    let header: Vec<(&str, bool)> = header.collect();
    let class_of = |at: usize| header.get(at).and_then(|it| it.1.then_some("right"));
    html! {
        div.scroll tabindex="0" {
            table {
                thead { tr {
                    @for (name, right) in &header {
                        th scope="col" class=[right.then_some("right")] { (marked(name)) }
                    }
                } }
                tbody {
                    @for row in rows {
                        tr { @for (at, cell) in row.iter().enumerate() {
                            td class=[class_of(at)] { (marked(cell)) }
                        } }
                    }
                }
            }
        }
    }
}

/// Renders text between backquotes as code.
pub(super) fn marked(text: &str) -> Markup {
    html! {
        @for (at, part) in text.split('`').enumerate() {
            @if at % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

pub(super) fn position(names: &[&str], name: &str) -> usize {
    names.iter().position(|known| name.starts_with(known)).unwrap_or(names.len())
}

/// Groups rows by key, in the order of the first rows.
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

/// A legend of the colours and marks in use.
pub(super) fn legend<'a>(
    orders: impl Iterator<Item = &'a (String, usize)>,
    formulas: impl Iterator<Item = &'a str>,
) -> Vec<(String, Key)> {
    let mut legend: Vec<(String, Key)> = Vec::new();
    let mut add = |name: &str, key: Key| {
        if legend.iter().all(|(known, _)| known != name) {
            legend.push((name.to_owned(), key));
        }
    };
    for (order, colour) in orders {
        add(order, Key::Colour(*colour));
    }
    for formula in formulas {
        add(formula, Key::Mark(position(&FORMULAS, formula)));
    }
    legend
}
