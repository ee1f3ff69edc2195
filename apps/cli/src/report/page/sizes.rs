//! The sections about time by size: sheets, meshes, copies, and the growth of all three.

use maud::{Markup, html};

use super::components::{ISAS, KERNELS, charts, collapsed_table, grouped, index_of};
use crate::report::chart::{Axis, LegendKey, LineChart, Series, Style};
use crate::report::results::{ROW_SECONDS_MAX, Results, Subject, Timing};
use crate::summary::optional_number;

pub(super) fn sheets(all: &[Results]) -> Markup {
    html! {
        p {
            "Time per stick, by the size of a sheet. Each line is one kernel on one instruction \
            set (" code { "scalar" } " has a second one, in the schedule " code { "authored" } "); lower is faster. Lines rise where the data no longer fits in a cache. All kernels \
            give bit-identical results in the schedule " code { "sheet" } ". The baseline is "
            code { "textbook" } ", in the order in which textbooks build a sheet."
        }
        (by_size(all, Subject::Sheets, |results| results.sheets.iter().collect()))
    }
}

pub(super) fn meshes(all: &[Results]) -> Markup {
    html! {
        p {
            "Time per stick on irregular meshes: triangulated discs with shuffled particles and \
            sticks. " code { "textbook" } " keeps the shuffled order; for the other kernels the \
            particles are renumbered once. Each line is one kernel on one instruction set; lower \
            is faster."
        }
        (by_size(all, Subject::Meshes, |results| results.meshes.iter().collect()))
    }
}

pub(super) fn copies(all: &[Results]) -> Markup {
    html! {
        p {
            "Time per stick, by the number of copies of a small irregular mesh, side by side and \
            stepped together; each copy gives the same result as alone. " code { "copies" } " uses \
            a lane for each copy; the other kernels use lanes for different sticks of one copy. \
            Each line is one kernel on one instruction set; lower is faster."
        }
        (by_size(all, Subject::Copies, |results| results.copies.iter().collect()))
    }
}

pub(super) fn growth(all: &[Results]) -> Markup {
    html! {
        p {
            "Time per stick from the smallest to the largest sizes: on each of the two widest \
            instruction sets a general kernel and, where there is one, a kernel for sheets or copies; \
            and the kernel " code { "scalar" } "; all in the default schedule of the mesh. The loop "
            code { "textbook" } " takes the sticks in the order in which they are listed. The broad \
            line is the lowest of the roofline limits at each size: no kernel can be faster \
            (" code { "taut roofline" } "). A kernel is skipped at a size if its frames \
            together would take more than " (ROW_SECONDS_MAX) " s at that size; the table says so."
        }
        p.quiet {
            "The stretch is measured after the last frame. Large sizes run fewer frames, so \
            compare the stretch only within one size."
        }
        @for (subject, title) in [
            (Subject::Sheets, "Regular sheets"),
            (Subject::Meshes, "Irregular meshes, shuffled"),
            (Subject::Copies, "Copies of a small mesh"),
        ] {
            h3 { (title) }
            (by_size(all, subject, |results| {
                results.growth.iter().filter(|row| row.subject == Some(subject)).collect()
            }))
        }
    }
}

/// For each of the results, the chart of the rows that `rows` selects, and its table.
fn by_size(all: &[Results], subject: Subject, rows: impl Fn(&Results) -> Vec<&Timing>) -> Markup {
    charts(
        all,
        |results| {
            Some(rows(results)).filter(|rows| !rows.is_empty()).map(|rows| chart(&rows, subject))
        },
        |results| table(&rows(results)),
    )
}

/// The chart with a line for each kernel on each instruction set, and a broad line for the lowest
/// roofline limit.
fn chart(rows: &[&Timing], subject: Subject) -> LineChart {
    let x_value = |row: &Timing| match subject {
        Subject::Meshes => row.particles as f64,
        Subject::Sheets | Subject::Copies => row.size as f64,
    };
    let size_groups = grouped(rows, |row| row.size);
    let ticks = size_groups.iter().map(|(size, _)| *size as f64).collect();
    let x = match subject {
        Subject::Sheets => Axis { label: "N, for a sheet of N x N particles", ticks },
        Subject::Meshes => Axis { label: "particles", ticks: Vec::new() },
        Subject::Copies => Axis { label: "copies", ticks },
    };
    let size_phrase = match subject {
        Subject::Sheets => "the size of a regular sheet",
        Subject::Meshes => "the number of particles of an irregular mesh",
        Subject::Copies => "the number of copies of a mesh",
    };
    let mut lines: Vec<Line<'_>> = grouped(rows, |row| line_name(row, rows))
        .into_iter()
        .map(|(name, rows)| Line { name, rows: rows.into_iter().copied().collect() })
        .collect();
    lines.sort_by_key(|line| index_of(&KERNELS, &line.rows[0].kernel));
    let (mut series, mut legend) = (Vec::new(), Vec::new());
    for Line { name, rows: line_rows } in lines {
        let Timing { kernel, isa, .. } = line_rows[0];
        // The mark shows the instruction set. A line that is not in the main schedule (see
        // `has_other_schedule`) has the first mark instead. (Only `scalar` has such lines, and its own mark is not the first.)
        let mark = if has_other_schedule(line_rows[0], rows) { 0 } else { index_of(&ISAS, isa) };
        let style = Style { colour: index_of(&KERNELS, kernel), mark };
        let points =
            line_rows.iter().map(|row| (x_value(row), row.ns_per_relaxation_median)).collect();
        series.push(Series { points, style });
        legend.push((name, LegendKey::Series(style)));
    }
    let lowest_limit = |(_, rows): &(usize, Vec<&&Timing>)| {
        let limit = rows.iter().filter_map(|row| row.limit_ns).min_by(f64::total_cmp)?;
        Some((x_value(rows[0]), limit))
    };
    let background: Vec<(f64, f64)> = size_groups.iter().filter_map(lowest_limit).collect();
    if !background.is_empty() {
        legend.push(("lowest roofline limit".to_owned(), LegendKey::BroadLine));
    }
    LineChart {
        alt_text: format!(
            "Nanoseconds per stick over {size_phrase}, a line for each kernel and instruction set. The \
             numbers are in the table below."
        ),
        x,
        y: Axis { label: "ns per stick and iteration", ticks: Vec::new() },
        series,
        background,
        extra_points: Vec::new(),
        legend,
    }
}

/// A line of a chart: the rows with one kernel, instruction set and number of threads, either in the main schedule of
/// each size (see [`has_other_schedule`]) or in one other schedule.
struct Line<'a> {
    name: String,
    rows: Vec<&'a Timing>,
}

/// Whether the schedule of a row differs from the main schedule of its size. The main schedule of a size is that of its
/// first row whose kernel is not `textbook`. (It may differ between sizes; a kernel that always uses it has a single
/// line.) False for `textbook`.
fn has_other_schedule(row: &Timing, rows: &[&Timing]) -> bool {
    let first = rows.iter().find(|other| other.size == row.size && other.kernel != "textbook");
    row.kernel != "textbook" && first.is_some_and(|first| first.schedule != row.schedule)
}

/// The legend entry of the line that a row is on.
fn line_name(row: &Timing, rows: &[&Timing]) -> String {
    let mut parts = vec![row.kernel.clone()];
    if row.isa != "scalar" {
        parts.push(row.isa.clone());
    }
    if row.threads > 1 {
        parts.push(format!("{} threads", row.threads));
    }
    if has_other_schedule(row, rows) {
        parts.push(format!("schedule {}", row.schedule));
    }
    parts.join(", ")
}

/// The columns of [`table`]; the last two are shown only if some row has a limit.
const COLUMNS: [&str; 13] = [
    "size",
    "particles",
    "sticks",
    "frames",
    "kernel",
    "instruction set",
    "threads",
    "schedule",
    "ns per stick and iteration",
    "speedup over `textbook`",
    "stretch rms",
    "limit, ns",
    "time / limit",
];

/// The table of a chart, grouped by size in the order of the rows (ascending in result files). A kernel that was skipped at a size has a row with `left out` there.
fn table(rows: &[&Timing]) -> Markup {
    let columns =
        if rows.iter().any(|row| row.limit_ns.is_some()) { &COLUMNS[..] } else { &COLUMNS[..11] };
    // The cells of a table row at the size of `size_row`. If `row` has a smaller size, its kernel was skipped at the
    // size of `size_row`, and the cells have no measured values.
    let cells = |row: &Timing, size_row: &Timing| {
        let is_measured = row.size == size_row.size;
        let if_measured = |value: Option<f64>| value.filter(|_| is_measured);
        let ns = row.ns_per_relaxation_median;
        let mut cells = vec![
            size_row.size.to_string(),
            size_row.particles.to_string(),
            size_row.sticks.to_string(),
            size_row.frames.to_string(),
            row.kernel.clone(),
            row.isa.clone(),
            row.threads.to_string(),
            row.schedule.clone(),
            if is_measured { format!("{ns:.3}") } else { "left out".to_owned() },
            optional_number(if_measured(row.speedup_over_textbook), 1),
            optional_number(if_measured(row.stretch_rms), 4),
            optional_number(if_measured(row.limit_ns), 3),
            optional_number(if_measured(row.limit_ns.map(|limit| ns / limit)), 1),
        ];
        cells.truncate(columns.len());
        cells
    };
    let lines = grouped(rows, |row| line_name(row, rows));
    let mut table_rows = Vec::new();
    for (size, size_rows) in grouped(rows, |row| row.size) {
        table_rows.extend(size_rows.iter().map(|row| cells(row, row)));
        // Kernels that were skipped at this size, but measured at a smaller one.
        for (name, line_rows) in &lines {
            let smaller = line_rows.iter().rev().find(|row| row.size < size);
            let is_missing = size_rows.iter().all(|row| line_name(row, rows) != *name);
            table_rows.extend(smaller.filter(|_| is_missing).map(|row| cells(row, size_rows[0])));
        }
    }
    collapsed_table(columns, &table_rows)
}
