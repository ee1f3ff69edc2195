//! The fastest row beside the same number of iterations as substeps of one iteration each.

use comfy_table::{Cell, CellAlignment};
use taut_bench::{Contest, Progress, Row, SubstepComparison};

use crate::table;

/// The rows of a contest, then its substep comparison.
pub(super) fn run(
    contest: &Contest,
    progress: &mut dyn FnMut(Progress<'_>),
) -> anyhow::Result<(Vec<Row>, Option<SubstepComparison>)> {
    // The textbook loop takes part, and the comparison adds two runs.
    let runs = contest.contestants.len() as f64 + 3.0;
    let share_of_rows = (runs - 2.0) / runs;
    let rows = contest.run(|it| {
        progress(Progress { share: it.share * share_of_rows, ..it });
    })?;
    let substeps = contest.compare_substeps(&rows, |it| {
        let share = share_of_rows + it.share * (1.0 - share_of_rows);
        progress(Progress { share, ..it });
    })?;
    Ok((rows, substeps))
}

/// A table of both, with their ratio if the substeps do not blow up.
pub(super) fn render(comparison: &SubstepComparison) -> String {
    let SubstepComparison { one_substep, substeps_of_one_iteration } = comparison;
    let iterations = one_substep.iterations;
    let mut table = table::plain();
    table.set_header([
        "substeps x\niterations",
        "frame, µs\nmedian",
        "stretch\nrms",
        "stretch\nmax",
    ]);
    table.add_row(cells(one_substep));
    table.add_row(cells(substeps_of_one_iteration));
    if !substeps_of_one_iteration.blew_up() {
        table.add_row(ratios(one_substep, substeps_of_one_iteration));
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!(
        "Substeps: {}: {iterations} iterations in 1 substep, and as {iterations} substeps of 1 \
         iteration, timed by turns:\n{table}",
        one_substep.name()
    )
}

fn cells(row: &Row) -> [Cell; 4] {
    let [rms, max] = match table::failure(row) {
        Some(failure) => [failure, Cell::new("")],
        None => {
            [format!("{:.5}", row.stretch_rms), format!("{:.4}", row.stretch_max)].map(Cell::new)
        }
    };
    let step = format!("{} x {}", row.substeps, row.iterations);
    [Cell::new(step), Cell::new(format!("{:.1}", row.frame_us_median)), rms, max]
}

/// Of the second to the first.
fn ratios(one: &Row, other: &Row) -> [Cell; 4] {
    let ratio = |value: fn(&Row) -> f64| match value(one) {
        0.0 => "-".to_owned(), // no stick is stretched
        base => format!("{:.3}", value(other) / base),
    };
    let [time, rms, max] = [
        ratio(|row| row.frame_us_median),
        ratio(|row| row.stretch_rms),
        ratio(|row| row.stretch_max),
    ];
    ["ratio".to_owned(), time, rms, max].map(Cell::new)
}
