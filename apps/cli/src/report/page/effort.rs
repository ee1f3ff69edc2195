//! Effort: the cheapest frame within a bound of stretch.

use maud::{Markup, html};

use super::components::{charts, grouped, numbers};
use crate::report::chart::{Axis, Key, Lines, Series, Style};
use crate::report::results::{Effort, Results};

const COLUMNS: [&str; 10] = [
    "scene",
    "pins",
    "within",
    "tethers",
    "substeps x iterations",
    "fastest frame, µs",
    "in frames of the textbook",
    "stretch rms",
    "stretch max",
    "kernel",
];

pub(super) fn effort(all: &[Results]) -> Markup {
    html! {
        p {
            "The cheapest frame that keeps the stretch within a bound: the root mean square over the \
            structural sticks and over frames 121 to 240. For 1, 2 and 4 iterations, a search finds \
            the smallest number of substeps, up to 64; the candidates are timed in turns. A frame of \
            the textbook is one substep of one iteration of the textbook loop, which keeps no bound. "
            b { "Tethers" } " keep each particle within its distance along the cloth from a pinned \
            one."
        }
        p {
            "A line is a set of pins and a bound (its colour), with or without tethers (its mark); \
            lower is cheaper, and below 1 is cheaper than a frame of the textbook. A point is \
            missing where 64 substeps do not keep the bound. Where lines coincide, only the last is \
            visible."
        }
        @let sets = distinct(all, |row| row.set.clone());
        @if sets.is_empty() {
            p.missing { "This part was not measured." }
        }
        @for set in &sets {
            h3 { "Sheets with " (set) " sticks" }
            (charts(
                all,
                |results| {
                    let rows = rows_of(results, set);
                    (!rows.is_empty()).then(|| chart(&rows, &distinct(all, pins_and_bound)))
                },
                |results| {
                    let rows = rows_of(results, set);
                    numbers(&COLUMNS, &rows.into_iter().map(cells).collect::<Vec<_>>())
                },
            ))
        }
    }
}

/// The values of all rows, each once, in the order in which they first occur.
fn distinct(all: &[Results], value: impl Fn(&Effort) -> String) -> Vec<String> {
    let rows: Vec<&Effort> = all.iter().flat_map(|results| &results.effort).collect();
    grouped(&rows, |row| value(row)).into_iter().map(|(value, _)| value).collect()
}

fn rows_of<'a>(results: &'a Results, set: &str) -> Vec<&'a Effort> {
    results.effort.iter().filter(|row| row.set == set).collect()
}

/// The pins and the bound, which lines of one colour have in common.
fn pins_and_bound(row: &Effort) -> String {
    format!("{}, within {}", row.pins, percent(row.within))
}

/// Time over size: two lines for each of `holds`, with and without tethers.
fn chart(rows: &[&Effort], holds: &[String]) -> Lines {
    let mut sizes: Vec<usize> = rows.iter().map(|row| row.size).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let colour = |hold: &String| holds.iter().position(|it| it == hold).unwrap_or_default();
    let lines = grouped(rows, |row| (pins_and_bound(row), row.tethers));
    let series = lines.iter().map(|((hold, tethers), rows)| Series {
        points: rows.iter().map(|row| (row.size as f64, textbook_frames(row))).collect(),
        style: Style { colour: colour(hold), mark: usize::from(*tethers) },
    });
    let mut legend: Vec<(String, Key)> =
        holds.iter().map(|hold| (hold.clone(), Key::Colour(colour(hold)))).collect();
    legend.extend([
        ("without tethers".to_owned(), Key::Mark(0)),
        ("with tethers".to_owned(), Key::Mark(1)),
    ]);
    Lines {
        alternative: "The time of the cheapest frame within a bound of stretch over the size of a \
            sheet, a line for each set of pins and bound, with and without tethers. The \
            numbers are in the table below."
            .to_owned(),
        x: Axis {
            name: "N, of a sheet of N x N particles",
            marked: sizes.iter().map(|&size| size as f64).collect(),
        },
        y: Axis { name: "cheapest frame, in frames of the textbook", marked: Vec::new() },
        series: series.collect(),
        behind: Vec::new(),
        around: Vec::new(),
        legend,
    }
}

fn cells(row: &Effort) -> Vec<String> {
    vec![
        format!("{} {}, {} sticks", row.scene, row.size, row.set),
        row.pins.clone(),
        percent(row.within),
        if row.tethers { "yes" } else { "no" }.to_owned(),
        format!("{} x {}", row.substeps, row.iterations),
        format!("{:.1}", row.frame_us_fastest),
        format!("{:.2}", textbook_frames(row)),
        format!("{:.5}", row.stretch_rms),
        format!("{:.4}", row.stretch_max),
        format!("`{}` {}", row.kernel, row.isa),
    ]
}

/// The fastest frame in frames of the textbook loop.
fn textbook_frames(row: &Effort) -> f64 {
    row.frame_us_fastest / row.textbook_frame_us
}

fn percent(share: f64) -> String {
    format!("{} %", 100.0 * share)
}
