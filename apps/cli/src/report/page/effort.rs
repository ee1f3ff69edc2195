//! The section about effort: the time of the cheapest frame that keeps the stretch within a bound.

use maud::{Markup, html};

use super::components::{charts, collapsed_table, grouped};
use crate::report::chart::{Axis, LegendKey, LineChart, Series, Style};
use crate::report::results::{EffortRow, Results};

const COLUMNS: [&str; 10] = [
    "scene",
    "pins",
    "stretch bound",
    "tethers",
    "substeps x iterations",
    "fastest frame, µs",
    "fastest frame, textbook frames",
    "stretch rms",
    "stretch max",
    "kernel",
];

/// The section as HTML, with the results side by side.
pub(super) fn effort(all: &[Results]) -> Markup {
    html! {
        p {
            "The cheapest frame that keeps the stretch within a bound. The stretch is the root \
            mean square over the structural sticks and over frames 121 to 240. For 1, 2 and 4 \
            iterations per substep, a search finds the smallest number of substeps, up to 64; \
            these settings are then timed alternately. The time of a setting is that of its fastest \
            frame. Times in charts are in textbook frames: a textbook frame is one substep with one iteration of the textbook loop, and \
            may exceed the bound. "
            b { "Tethers" } " limit the distance between a particle and a pinned particle to \
            the distance along the cloth."
        }
        p {
            "Each line is one set of pins and one bound (colour), with or without tethers (mark). \
            Lower is cheaper; below 1 is cheaper than a textbook frame. A point is missing where \
            the stretch exceeds the bound even with 64 substeps. Where lines coincide, only the \
            last is visible."
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
                    collapsed_table(&COLUMNS, &rows.into_iter().map(cells).collect::<Vec<_>>())
                },
            ))
        }
    }
}

/// The distinct values of `value` over all rows, in the order in which they first occur.
fn distinct(all: &[Results], value: impl Fn(&EffortRow) -> String) -> Vec<String> {
    let rows: Vec<&EffortRow> = all.iter().flat_map(|results| &results.effort).collect();
    grouped(&rows, |row| value(row)).into_iter().map(|(value, _)| value).collect()
}

/// The rows with this stick set.
fn rows_of<'a>(results: &'a Results, set: &str) -> Vec<&'a EffortRow> {
    results.effort.iter().filter(|row| row.set == set).collect()
}

/// The label of the lines of one colour: the pins and the bound.
fn pins_and_bound(row: &EffortRow) -> String {
    format!("{}, rms stretch ≤ {}", row.pins, percent(row.within))
}

/// The chart of time by size. It has up to two lines for each of the `labels` (see [`pins_and_bound`]), which are those
/// of all charts, so that colours agree: with and without tethers.
fn chart(rows: &[&EffortRow], labels: &[String]) -> LineChart {
    let mut sizes: Vec<usize> = rows.iter().map(|row| row.size).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let colour =
        |label: &String| labels.iter().position(|other| other == label).unwrap_or_default();
    let lines = grouped(rows, |row| (pins_and_bound(row), row.tethers));
    let series = lines.iter().map(|((label, tethers), rows)| Series {
        points: rows.iter().map(|row| (row.size as f64, textbook_frames(row))).collect(),
        style: Style { colour: colour(label), mark: usize::from(*tethers) },
    });
    let mut legend: Vec<(String, LegendKey)> =
        labels.iter().map(|label| (label.clone(), LegendKey::Colour(colour(label)))).collect();
    legend.extend([
        ("without tethers".to_owned(), LegendKey::Mark(0)),
        ("with tethers".to_owned(), LegendKey::Mark(1)),
    ]);
    LineChart {
        alt_text: "The time of the cheapest frame within a bound of stretch, by the size of a \
            sheet, a line for each set of pins and bound, with and without tethers. The \
            numbers are in the table below."
            .to_owned(),
        x: Axis {
            label: "N, for a sheet of N x N particles",
            ticks: sizes.iter().map(|&size| size as f64).collect(),
        },
        y: Axis { label: "cheapest frame, in textbook frames", ticks: Vec::new() },
        series: series.collect(),
        background: Vec::new(),
        extra_points: Vec::new(),
        legend,
    }
}

fn cells(row: &EffortRow) -> Vec<String> {
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

/// The time of the fastest frame, as a multiple of the time of a textbook frame.
fn textbook_frames(row: &EffortRow) -> f64 {
    row.frame_us_fastest / row.textbook_frame_us
}

fn percent(fraction: f64) -> String {
    format!("{} %", 100.0 * fraction)
}
