//! Convergence of the stretch.

use maud::{Markup, html};

use super::components::{FORMULAS, SCHEDULES, grouped, legend, numbers, position};
use crate::report::chart::{self, Axis, Lines, Series, Style};
use crate::report::results::{AfterFrames, AfterIterations, Results};

/// Stretch by order (colour) and formula (mark).
fn residuals<T>(
    rows: &[T],
    of: impl Fn(&T) -> (&str, &str),
    point: impl Fn(&T) -> Option<(f64, f64)>,
    (x, alternative): (&'static str, &str),
) -> Lines {
    let key = |row: &T| {
        let (schedule, formula) = of(row);
        (schedule.to_owned(), formula.to_owned())
    };
    let mut groups = grouped(rows, key);
    groups.sort_by_key(|((schedule, formula), _)| {
        (position(&SCHEDULES, schedule), position(&FORMULAS, formula))
    });
    let series = groups.iter().map(|((schedule, formula), rows)| Series {
        points: rows.iter().filter_map(|row| point(row)).collect(),
        style: Style { colour: position(&SCHEDULES, schedule), mark: position(&FORMULAS, formula) },
    });
    let orders: Vec<(String, usize)> = groups
        .iter()
        .map(|((schedule, _), _)| (schedule.clone(), position(&SCHEDULES, schedule)))
        .collect();
    let series: Vec<Series> = series.collect();
    let mut marked: Vec<f64> =
        series.iter().flat_map(|series| &series.points).map(|point| point.0).collect();
    marked.sort_by(f64::total_cmp);
    marked.dedup();
    Lines {
        alternative: alternative.to_owned(),
        x: Axis { name: x, marked },
        y: Axis { name: "stretch, rms", marked: Vec::new() },
        series,
        behind: Vec::new(),
        around: Vec::new(),
        legend: legend(orders.iter(), groups.iter().map(|((_, formula), _)| formula.as_str())),
    }
}

pub(super) fn convergence(all: &[Results]) -> Markup {
    // All machines have the same results, so one is enough.
    let iterations = all.iter().map(|results| &results.iterations).find(|rows| !rows.is_empty());
    let frames = all.iter().map(|results| &results.frames).find(|rows| !rows.is_empty());
    let scene = |(scene, size, set): (&str, usize, &str)| {
        html! { p.quiet { "Scene " (scene) " " (size) " with " (set) " sticks." } }
    };
    html! {
        p {
            "The remaining stretch. A line is an order (its colour) and a formula (its mark); \
            a lower line converges faster. Where lines coincide, only the last is visible. These \
            results are the same on every machine and kernel."
        }
        h3 { "Over the iterations of one frame" }
        p {
            "A falling cloth moves for one frame. Then only iterations run."
        }
        @match iterations {
            None => p.missing { "This part was not measured." },
            Some(rows) => {
                @if let Some(AfterIterations { scene: name, size, set, .. }) = rows.first() {
                    (scene((name, *size, set)))
                }
                (residuals(
                    rows,
                    |row| (&row.schedule, &row.formula),
                    |row| Some((f64::from(row.iterations), row.residual.rms?)),
                    ("iterations", "Stretch over the iterations of one frame, a line for each \
                        order and formula. The numbers are in the table below."),
                ).figure())
                (numbers(&["schedule", "formula", "iterations", "stretch rms"], &rows.iter()
                    .map(|row| vec![row.schedule.clone(), row.formula.clone(),
                        row.iterations.to_string(), number(row.residual.rms)])
                    .collect::<Vec<_>>()))
            }
        }
        h3 { "Over frames" }
        p { "A cloth, pinned at its top row, starts to fall, and each frame has the same number of \
            iterations: the stretch rises during the fall, and then settles at a level that the \
            number determines." }
        @match frames {
            None => p.missing { "This part was not measured." },
            Some(rows) => {
                @if let Some(AfterFrames { scene: name, size, set, .. }) = rows.first() {
                    (scene((name, *size, set)))
                }
                (residuals(
                    rows,
                    |row| (&row.schedule, &row.formula),
                    |row| Some((row.frames as f64, row.residual.rms?)),
                    ("frames", "Stretch over frames, a line for each order and formula. The \
                        numbers are in the table below."),
                ).figure())
                (numbers(&["schedule", "formula", "frames", "stretch rms"], &rows.iter()
                    .map(|row| vec![row.schedule.clone(), row.formula.clone(),
                        row.frames.to_string(), number(row.residual.rms)])
                    .collect::<Vec<_>>()))
            }
        }
    }
}

fn number(value: Option<f64>) -> String {
    value.map_or("not finite".to_owned(), chart::short)
}
