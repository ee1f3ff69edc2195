//! Time against stretch.

use maud::{Markup, html};

use super::components::{FORMULAS, SCHEDULES, charts, grouped, legend, numbers, position};
use crate::report::chart::{Axis, Lines, Series, Style};
use crate::report::results::{Results, Timing};

/// The Pareto front: no other point is both faster and stiffer.
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

fn tradeoff_chart(rows: &[Timing]) -> Lines {
    let kernels: Vec<&Timing> = rows.iter().filter(|row| row.kernel != "textbook").collect();
    let cut =
        |schedule: &str| kernels.iter().any(|row| row.schedule == schedule && row.substeps > 1);
    let mut points = Vec::new();
    for row in &kernels {
        let Some(stretch) = row.stretch() else { continue };
        let point = (row.ns_per_stick_and_frame(), stretch);
        let order = position(&SCHEDULES, &row.schedule);
        if row.substeps == 1 {
            points.push(((row.schedule.clone(), order), &*row.formula, point));
        }
        // Substeps have a separate line from the same first point, in one of two colours that no
        // order uses here.
        if row.iterations == 1 && cut(&row.schedule) {
            let colour = if order == 0 { 5 } else { 6 };
            points.push(((format!("{}, substeps", row.schedule), colour), &*row.formula, point));
        }
    }
    let mut lines = grouped(&points, |(order, formula, _)| (order.clone(), *formula));
    lines.sort_by_key(|((order, formula), _)| (order.1, position(&FORMULAS, formula)));
    let series = lines.iter().map(|((order, formula), points)| Series {
        points: points.iter().map(|(_, _, point)| *point).collect(),
        style: Style { colour: order.1, mark: position(&FORMULAS, formula) },
    });
    let series: Vec<Series> = series.collect();
    let all = series.iter().flat_map(|series| series.points.iter().copied());
    Lines {
        alternative: "Stretch over time, a line for each order and formula, more iterations to \
            the right. The Pareto front is in the table below."
            .to_owned(),
        x: Axis { name: "ns a stick and frame", marked: Vec::new() },
        y: Axis { name: "stretch, rms", marked: Vec::new() },
        behind: pareto_front(all),
        around: Vec::new(),
        legend: legend(
            lines.iter().map(|((order, _), _)| order),
            lines.iter().map(|((_, formula), _)| *formula),
        ),
        series,
    }
}

pub(super) fn tradeoff(all: &[Results]) -> Markup {
    let first = all.iter().find_map(|results| results.tradeoff.first());
    html! {
        p {
            "The cost of a stiffer cloth. A point is one order, formula and number of iterations \
            (or of substeps with one iteration each), on the widest kernel of that order; along a line \
            the number grows to the right. Left is faster, low is stiffer. The broad line is the \
            Pareto front: no point is both faster and stiffer than one of its points."
        }
        @if let Some(row) = first {
            p.quiet {
                "A sheet of " (row.size) " x " (row.size) " particles, " (row.set) " sticks; the \
                median of " (row.frames) " frames, the stretch after the last. Simulations \
                that blew up are left out."
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

/// The points of the Pareto front.
fn front_table(rows: &[Timing]) -> Markup {
    let point = |row: &Timing| Some((row.ns_per_stick_and_frame(), row.stretch()?));
    let kernels = || rows.iter().filter(|row| row.kernel != "textbook");
    let row = |at: &(f64, f64)| {
        let row = kernels().find(|row| point(row).as_ref() == Some(at))?;
        Some(vec![
            format!("{:.2}", at.0),
            format!("{:.4}", at.1),
            row.schedule.clone(),
            row.formula.clone(),
            row.iterations.to_string(),
            row.substeps.to_string(),
            format!("{}, {}", row.kernel, row.isa),
        ])
    };
    let header = [
        "ns a stick and frame",
        "stretch rms",
        "schedule",
        "formula",
        "iterations",
        "substeps",
        "kernel",
    ];
    let front = pareto_front(kernels().filter_map(point));
    numbers(&header, &front.iter().filter_map(row).collect::<Vec<_>>())
}
