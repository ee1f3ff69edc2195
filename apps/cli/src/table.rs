//! Results as text tables.

use std::cmp::Ordering;

use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement, Table};
use comfy_table::{LineStyle, TableStyle};
use taut_bench::{Row, SubstepComparison};

use crate::summary::{self, SummaryRow};

const COLUMNS: [&str; 17] = [
    "kernel",
    "isa",
    "lanes",
    "formula",
    "schedule",
    "threads",
    "speedup over\n1 thread",
    "ns/relaxation\nmedian",
    "ns/relaxation\nfastest",
    "million\nrelaxations/s",
    "speedup over\ntextbook",
    "speedup over\nfastest scalar",
    "div + sqrt + estimates\nper frame",
    "stretch\nrms / max",
    "compression\nrms / max",
    "error vs\nf64, m",
    "hash",
];

/// Up to this number of rows, all are shown.
const ALL_ROWS_MAX: usize = 20;

/// Renders the selected rows, or all rows if there are few or `all` is set.
pub(crate) fn render(rows: &[Row], all: bool) -> String {
    if all || rows.len() <= ALL_ROWS_MAX {
        return render_all(rows);
    }
    let selected = summary::selected_rows(rows);
    let shown = selected.len();
    let counts = format!("{shown} of {} rows; --all shows every row.", rows.len());
    [render_selected(&selected), format!("{} {counts}", summary::SELECTION)].join("\n")
}

fn render_selected(rows: &[SummaryRow]) -> String {
    let mut table = plain();
    // Removes the Markdown, and splits the name into two lines.
    let header = |(name, _): (&str, bool)| name.replace('`', "").replacen(' ', "\n", 1);
    table.set_header(summary::COLUMNS.map(header));
    for row in rows {
        table.add_row(row.cells());
    }
    for (index, (_, is_number)) in summary::COLUMNS.into_iter().enumerate() {
        if let Some(column) = table.column_mut(index).filter(|_| is_number) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.to_string()
}

/// Renders all rows, the fastest first.
pub(crate) fn render_all(rows: &[Row]) -> String {
    let mut sorted: Vec<&Row> = rows.iter().collect();
    sorted.sort_by(|one, other| by_time(one, other));
    let mut table = plain();
    table.set_header(COLUMNS);
    for row in sorted {
        table.add_row(cells(row));
    }
    // Numbers are right-aligned: all columns except names (kernel, isa, formula, schedule) and the hash.
    for index in [2, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.to_string()
}

/// An empty table in the style that all commands share.
pub(crate) fn plain() -> Table {
    let mut table = Table::new();
    let line = LineStyle::none().fill('─').junction('─');
    table.load_style(TableStyle::new().header_separator(line).bottom_border(line));
    table.set_content_arrangement(ContentArrangement::Disabled);
    table
}

/// Right-aligns the columns from index `first` on.
pub(crate) fn align_right(table: &mut Table, first: usize) {
    for column in table.column_iter_mut().skip(first) {
        column.set_cell_alignment(CellAlignment::Right);
    }
}

fn by_time(one: &Row, other: &Row) -> Ordering {
    one.frame_us_median.total_cmp(&other.frame_us_median)
}

fn cells(row: &Row) -> Vec<Cell> {
    let operations = [row.divisions_per_frame, row.square_roots_per_frame, row.estimates_per_frame];
    let [stretch, compression] = if let Some(failure) = failure_cell(row) {
        [failure, Cell::new("")]
    } else {
        let pairs =
            [(row.stretch_rms, row.stretch_max), (row.compression_rms, row.compression_max)];
        pairs.map(|(rms, max)| Cell::new(format!("{rms:.4} / {max:.3}")))
    };
    let mut cells = vec![
        Cell::new(row.kernel_name()),
        Cell::new(row.isa),
        Cell::new(row.lanes),
        Cell::new(row.formula),
        Cell::new(&row.schedule),
        Cell::new(row.threads),
        Cell::new(match row.speedup_over_one_thread {
            Some(speedup) if row.threads > 1 => format!("{speedup:.2}"),
            _ => String::new(),
        }),
        Cell::new(format!("{:.3}", row.ns_per_stick_median)),
        Cell::new(format!("{:.3}", row.ns_per_stick_fastest)),
        Cell::new(format!("{:.0}", row.million_sticks_per_s())),
        Cell::new(format!("{:.2}", row.speedup_over_textbook)),
        Cell::new(if row.speedup_over_scalar.is_nan() {
            "-".to_owned() // the scalar kernel was not measured
        } else {
            format!("{:.2}", row.speedup_over_scalar)
        }),
        Cell::new(operations.map(thousands).join(" + ")),
        stretch,
        compression,
        Cell::new(format!("{:.0e}", row.error_vs_f64)),
        Cell::new(format!("{:016x}", row.hash)),
    ];
    if row.kernel == "textbook" || row.kernel == "scalar" {
        cells = cells.into_iter().map(|cell| cell.add_attribute(Attribute::Dim)).collect();
    }
    cells
}

/// The cell that replaces the stretch of a row that blew up; `None` for other rows.
fn failure_cell(row: &Row) -> Option<Cell> {
    let text = if row.finite { "BLEW UP" } else { "NOT FINITE" };
    row.blew_up().then(|| Cell::new(text).fg(Color::Red))
}

/// Formats a count in thousands or millions: 1234567 as `1235k`, and counts below 10,000 with all digits.
fn thousands(count: u64) -> String {
    match count {
        0..10_000 => count.to_string(),
        10_000..10_000_000 => format!("{}k", (count + 500) / 1_000),
        _ => format!("{}M", (count + 500_000) / 1_000_000),
    }
}

/// Summarizes the table: the fastest row, its accuracy, and how many rows blew up.
pub(crate) fn verdict(rows: &[Row], substeps: Option<&SubstepComparison>) -> String {
    let bounded = || rows.iter().filter(|row| !row.blew_up());
    let percent = |fraction: f64| format!("{:.2} %", 100.0 * fraction);
    let mut lines = Vec::new();
    if let Some(fastest) = bounded().min_by(|one, other| by_time(one, other)) {
        lines.push(format!(
            "Fastest: {}: {:.2} ns per stick and iteration, {:.1} times as fast as the textbook loop{}.",
            describe(fastest),
            fastest.ns_per_stick_median,
            fastest.speedup_over_textbook,
            match fastest.speedup_over_scalar {
                ratio if ratio.is_nan() => String::new(),
                ratio => format!(" and {ratio:.1} times as fast as the fastest scalar row"),
            },
        ));
        let textbook = bounded().find(|row| row.kernel == "textbook");
        let textbook_text =
            textbook.map(|row| format!("; the textbook loop leaves {}", percent(row.stretch_rms)));
        lines.push(format!(
            "Its accuracy: a stretch of {} (rms){}.{}",
            percent(fastest.stretch_rms),
            textbook_text.unwrap_or_default(),
            substeps.map(substep_sentence).unwrap_or_default(),
        ));
    }
    let blown_up = rows.iter().filter(|row| row.blew_up()).count();
    if blown_up > 0 {
        lines.push(format!(
            "{blown_up} of {} rows blew up: their schedule, formula or step is unstable on this scene.",
            rows.len()
        ));
    }
    lines.join("\n")
}

fn describe(row: &Row) -> String {
    let Row { isa, threads, formula, schedule, .. } = row;
    let kernel = row.kernel_name();
    let threads = if *threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") };
    format!("{kernel} on {isa}, {threads}, formula {formula}, schedule {schedule}")
}

/// Compares the fastest row (other than the textbook loop), in which a frame is one substep of several iterations, with
/// the same kernel on as many substeps of one iteration.
fn substep_sentence(comparison: &SubstepComparison) -> String {
    let SubstepComparison { one_substep: one, substeps_of_one_iteration: many } = comparison;
    let (iterations, kernel) = (one.iterations, one.kernel_name());
    if many.blew_up() {
        return format!(" With {iterations} substeps of 1 iteration, {kernel} blows up.");
    }
    format!(
        " With {iterations} substeps of 1 iteration instead of 1 substep of {iterations}, {kernel} takes {:.2} times as \
         long and leaves {:.2} %.",
        many.frame_us_median / one.frame_us_median,
        100.0 * many.stretch_rms,
    )
}
