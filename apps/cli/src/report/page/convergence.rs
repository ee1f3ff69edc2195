//! The section about the convergence of the stretch, over iterations and over frames.

use maud::{Markup, html};
use taut_bench::accuracy::FALL_FRAMES;

use super::components::{FORMULAS, ORDERS, collapsed_table, grouped, index_of, legend};
use crate::report::chart::{self, Axis, LineChart, Series, Style};
use crate::report::results::{FrameRow, IterationRow, Results};

/// A chart of the stretch with a line for each schedule (colour) and formula (mark). `names` returns the schedule and
/// the formula of a row; `point` returns its point, or `None` if its stretch is not finite.
fn stretch_chart<T>(
    rows: &[T],
    names: impl Fn(&T) -> (&str, &str),
    point: impl Fn(&T) -> Option<(f64, f64)>,
    (x_label, alt_text): (&'static str, &str),
) -> LineChart {
    let key = |row: &T| {
        let (schedule, formula) = names(row);
        (schedule.to_owned(), formula.to_owned())
    };
    let mut groups = grouped(rows, key);
    groups.sort_by_key(|((schedule, formula), _)| {
        (index_of(&ORDERS, schedule), index_of(&FORMULAS, formula))
    });
    let series = groups.iter().map(|((schedule, formula), rows)| Series {
        points: rows.iter().filter_map(|row| point(row)).collect(),
        style: Style { colour: index_of(&ORDERS, schedule), mark: index_of(&FORMULAS, formula) },
    });
    let schedules: Vec<(String, usize)> = groups
        .iter()
        .map(|((schedule, _), _)| (schedule.clone(), index_of(&ORDERS, schedule)))
        .collect();
    let series: Vec<Series> = series.collect();
    let mut ticks: Vec<f64> =
        series.iter().flat_map(|series| &series.points).map(|point| point.0).collect();
    ticks.sort_by(f64::total_cmp);
    ticks.dedup();
    LineChart {
        alt_text: alt_text.to_owned(),
        x: Axis { label: x_label, ticks },
        y: Axis { label: "stretch, rms", ticks: Vec::new() },
        series,
        background: Vec::new(),
        extra_points: Vec::new(),
        legend: legend(schedules.iter(), groups.iter().map(|((_, formula), _)| formula.as_str())),
    }
}

/// The section as HTML, for the first results that have these parts.
pub(super) fn convergence(all: &[Results]) -> Markup {
    // The results are the same on all machines, so those of one machine are enough.
    let iterations = all.iter().map(|results| &results.iterations).find(|rows| !rows.is_empty());
    let frames = all.iter().map(|results| &results.frames).find(|rows| !rows.is_empty());
    let scene_paragraph = |(scene, size, set): (&str, usize, &str)| {
        html! { p.quiet { "Scene " (scene) ", size " (size) ", stick set " (set) "." } }
    };
    html! {
        p {
            "The stretch after a number of iterations or frames. Each line is one schedule \
            (colour) and one formula (mark); a lower line means less stretch. Where lines coincide, \
            only the last is visible. These results are the same on every machine and with every \
            kernel."
        }
        h3 { "Over the iterations of one frame" }
        p {
            "A cloth falls for " (FALL_FRAMES) " frames. The motion of the next frame is applied; \
            then the sticks are relaxed without further motion."
        }
        @match iterations {
            None => p.missing { "This part was not measured." },
            Some(rows) => {
                @if let Some(IterationRow { scene: name, size, set, .. }) = rows.first() {
                    (scene_paragraph((name, *size, set)))
                }
                (stretch_chart(
                    rows,
                    |row| (&row.schedule, &row.formula),
                    |row| Some((f64::from(row.iterations), row.residual.rms?)),
                    ("iterations", "Stretch over the iterations of one frame, a line for each \
                        schedule and formula. The numbers are in the table below."),
                ).figure())
                (collapsed_table(&["schedule", "formula", "iterations", "stretch rms"], &rows.iter()
                    .map(|row| vec![row.schedule.clone(), row.formula.clone(),
                        row.iterations.to_string(), stretch_text(row.residual.rms)])
                    .collect::<Vec<_>>()))
            }
        }
        h3 { "Over frames" }
        p { "A cloth pinned at its top row starts to fall. Each frame has the same number of \
            iterations. The stretch rises during the fall, then settles at a level that depends on \
            the number of iterations." }
        @match frames {
            None => p.missing { "This part was not measured." },
            Some(rows) => {
                @if let Some(FrameRow { scene: name, size, set, .. }) = rows.first() {
                    (scene_paragraph((name, *size, set)))
                }
                (stretch_chart(
                    rows,
                    |row| (&row.schedule, &row.formula),
                    |row| Some((row.frames as f64, row.residual.rms?)),
                    ("frames", "Stretch over frames, a line for each schedule and formula. The \
                        numbers are in the table below."),
                ).figure())
                (collapsed_table(&["schedule", "formula", "frames", "stretch rms"], &rows.iter()
                    .map(|row| vec![row.schedule.clone(), row.formula.clone(),
                        row.frames.to_string(), stretch_text(row.residual.rms)])
                    .collect::<Vec<_>>()))
            }
        }
    }
}

/// Formats a stretch; `None` is a value that is not finite.
fn stretch_text(value: Option<f64>) -> String {
    value.map_or("not finite".to_owned(), chart::short_number)
}
