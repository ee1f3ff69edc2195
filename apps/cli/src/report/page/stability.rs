//! The section about stability: a table of the simulations that stay bounded or blow up.

use maud::{Markup, html};
use taut::Formula;

use super::components::grouped;
use crate::report::results::{Outcome, Results};

/// The shades of cells by the final rms stretch: CSS class, upper bound and label.
const SHADES: [(&str, f64, &str); 4] = [
    ("stiff", 0.05, "at most 0.05"),
    ("firm", 0.5, "at most 0.5"),
    ("soft", 1.5, "at most 1.5"),
    ("slack", f64::INFINITY, "more, but bounded"),
];

/// The section as HTML, for the first of the results that has this part.
pub(super) fn stability(all: &[Results]) -> Markup {
    // The results are the same on all machines, so those of one machine are enough.
    let rows = all.iter().map(|results| &results.stability).find(|rows| !rows.is_empty());
    html! {
        p {
            "With some schedules the cloth gains energy until it blows up. Each cell is one \
            simulation: its row is the schedule and the formula; its column is the size of the \
            sheet, the length of a frame and the number of iterations. A plain number is the final \
            stretch (rms); smaller is stiffer. A cross with a number is the frame after which a \
            stick first exceeded the bound, or a position was not finite. In each group, harder \
            cases are to the right: longer frames, fewer iterations."
        }
        @match rows {
            None => p.missing { "This part was not measured." },
            Some(rows) => {
                @for (_, rows) in grouped(rows, |row| (row.scene.clone(), row.set.clone())) {
                    (outcome_table(&rows))
                }
                ul.legend {
                    @for (class, _, label) in SHADES {
                        li { span class=(format!("chip {class}")) {} (label) }
                    }
                    li { span class="chip blew-up" {} "✕ blew up at that frame" }
                }
            }
        }
    }
}

/// A row for each schedule and formula, a column for each size and step.
fn outcome_table(rows: &[&Outcome]) -> Markup {
    let Some(first) = rows.first() else { return html! {} };
    // The size, the length of a frame (s) and the number of iterations of each column.
    let mut columns: Vec<(usize, f32, u32)> = Vec::new();
    for row in rows {
        let column = (row.size, row.dt_s, row.iterations);
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    columns.sort_by(|one, other| {
        one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)).then(other.2.cmp(&one.2))
    });
    let sizes = grouped(&columns, |column| column.0);
    let frame_lengths = grouped(&columns, |column| (column.0, column.1));
    let dt_text = |dt: f32| if dt > 0.0 { format!("1/{:.0} s", 1.0 / dt) } else { "-".to_owned() };
    let schedules = grouped(rows, |row| (row.schedule.clone(), row.default_schedule));
    html! {
        p.quiet {
            "Scene " (first.scene) " with " (first.set) " sticks, " (first.frames) " frames. \
            A simulation is bounded if after every frame all positions are finite and no stick is \
            stretched by more than " (first.bound) " times its rest length. * marks default \
            schedules; the default formula is "
            code { (Formula::default().name()) } "."
        }
        div.scroll tabindex="0" {
            table.map {
                thead {
                    tr {
                        th rowspan="3" scope="col" { "schedule" }
                        th rowspan="3" scope="col" { "formula" }
                        @for (size, columns) in &sizes {
                            th colspan=(columns.len()) scope="colgroup" { (size) " x " (size) }
                        }
                    }
                    tr { @for ((_, dt), columns) in &frame_lengths {
                        th colspan=(columns.len()) scope="colgroup" { (dt_text(*dt)) }
                    } }
                    tr { @for (_, _, iterations) in &columns {
                        th scope="col" { (iterations) " iter." }
                    } }
                }
                tbody {
                    @for ((schedule, is_default), rows) in &schedules {
                        @let formulas = grouped(rows, |row| row.formula.clone());
                        @for (index, (formula, rows)) in formulas.iter().enumerate() {
                            tr {
                                @if index == 0 {
                                    th rowspan=(formulas.len()) scope="rowgroup" {
                                        (schedule) @if *is_default { "*" }
                                    }
                                }
                                th scope="row" { (formula) }
                                @for column in &columns {
                                    (cell(rows.iter().map(|row| ***row).find(|row| {
                                        (row.size, row.dt_s, row.iterations) == *column
                                    })))
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The cell of a simulation: the frame at which it left its bounds, or its final stretch.
fn cell(row: Option<&Outcome>) -> Markup {
    let outcome = row.map(|row| (row.left_bounds_at, row.stretch_rms));
    match outcome {
        Some((Some(frame), _)) => html! { td.blew-up { "✕ " (frame) } },
        Some((None, Some(rms))) => {
            let shade = SHADES.iter().find(|(_, bound, _)| rms <= *bound).map(|shade| shade.0);
            html! { td class=[shade] { (format!("{rms:.2}")) } }
        }
        _ => html! { td { "-" } },
    }
}
