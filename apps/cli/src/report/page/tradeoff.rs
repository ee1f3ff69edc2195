//! The section about the trade-off between time and stretch.

use maud::{Markup, html};

use super::components::{FORMULAS, ORDERS, charts, collapsed_table, grouped, index_of, legend};
use crate::report::chart::{Axis, LineChart, Series, Style};
use crate::report::results::{Results, Timing};

/// The Pareto front of points (time, stretch): the points that have less stretch than every faster point.
fn pareto_front(points: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut sorted: Vec<(f64, f64)> = points.collect();
    sorted.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
    let mut best = f64::INFINITY;
    sorted.retain(|&(_, stretch)| {
        let better = stretch < best;
        best = best.min(stretch);
        better
    });
    sorted
}

/// The chart: a line for each schedule and formula, and the Pareto front as the broad line.
fn tradeoff_chart(rows: &[Timing]) -> LineChart {
    let kernel_rows: Vec<&Timing> = rows.iter().filter(|row| row.kernel != "textbook").collect();
    let has_substeps =
        |schedule: &str| kernel_rows.iter().any(|row| row.schedule == schedule && row.substeps > 1);
    // Each point with the key of its line: the name and colour of the schedule, and the formula.
    let mut points = Vec::new();
    for row in &kernel_rows {
        let Some(stretch) = row.stretch() else { continue };
        let point = (row.ns_per_stick_and_frame(), stretch);
        let schedule_colour = index_of(&ORDERS, &row.schedule);
        if row.substeps == 1 {
            points.push(((row.schedule.clone(), schedule_colour), &*row.formula, point));
        }
        // Frames of several substeps have a separate line. It starts at the same point, one substep of one
        // iteration, and has one of two colours that no schedule of this part uses.
        if row.iterations == 1 && has_substeps(&row.schedule) {
            let colour = if schedule_colour == 0 { 5 } else { 6 };
            points.push(((format!("{}, substeps", row.schedule), colour), &*row.formula, point));
        }
    }
    let mut lines = grouped(&points, |(schedule, formula, _)| (schedule.clone(), *formula));
    lines.sort_by_key(|((schedule, formula), _)| (schedule.1, index_of(&FORMULAS, formula)));
    let series = lines.iter().map(|((schedule, formula), points)| Series {
        points: points.iter().map(|(_, _, point)| *point).collect(),
        style: Style { colour: schedule.1, mark: index_of(&FORMULAS, formula) },
    });
    let series: Vec<Series> = series.collect();
    let all = series.iter().flat_map(|series| series.points.iter().copied());
    LineChart {
        alt_text: "Stretch against cost (ns per stick and frame), a line for each schedule and \
            formula, more iterations to the right. The Pareto front is in the table below."
            .to_owned(),
        x: Axis { label: "ns per stick and frame", ticks: Vec::new() },
        y: Axis { label: "stretch, rms", ticks: Vec::new() },
        background: pareto_front(all),
        extra_points: Vec::new(),
        legend: legend(
            lines.iter().map(|((schedule, _), _)| schedule),
            lines.iter().map(|((_, formula), _)| *formula),
        ),
        series,
    }
}

/// The section as HTML, with the results side by side.
pub(super) fn tradeoff(all: &[Results]) -> Markup {
    let first = all.iter().find_map(|results| results.tradeoff.first());
    html! {
        p {
            "The cost of a stiffer cloth. Each point is one schedule, one formula and one number \
            of iterations (or of substeps with one iteration each), on the widest kernel for that \
            schedule. Along a line this number grows to the right. Points to the left are faster, \
            lower points are stiffer. The broad line is the Pareto front: no point is both faster \
            and stiffer than one of its points."
        }
        @if let Some(row) = first {
            p.quiet {
                "A sheet of " (row.size) " x " (row.size) " particles with " (row.set) " sticks. \
                Times are medians of " (row.frames) " frames; the stretch is that after the last \
                frame. Simulations that blew up are left out."
            }
        }
        (charts(
            all,
            |results| {
                (!results.tradeoff.is_empty()).then(|| tradeoff_chart(&results.tradeoff))
            },
            |results| front_table(&results.tradeoff),
        ))
    }
}

/// The table of the points of the Pareto front.
fn front_table(rows: &[Timing]) -> Markup {
    let point = |row: &Timing| Some((row.ns_per_stick_and_frame(), row.stretch()?));
    let kernel_rows = || rows.iter().filter(|row| row.kernel != "textbook");
    let cells = |on_front: &(f64, f64)| {
        let row = kernel_rows().find(|row| point(row).as_ref() == Some(on_front))?;
        Some(vec![
            format!("{:.2}", on_front.0),
            format!("{:.4}", on_front.1),
            row.schedule.clone(),
            row.formula.clone(),
            row.iterations.to_string(),
            row.substeps.to_string(),
            format!("{}, {}", row.kernel, row.isa),
        ])
    };
    let header = [
        "ns per stick and frame",
        "stretch rms",
        "schedule",
        "formula",
        "iterations",
        "substeps",
        "kernel",
    ];
    let front = pareto_front(kernel_rows().filter_map(point));
    collapsed_table(&header, &front.iter().filter_map(cells).collect::<Vec<_>>())
}
