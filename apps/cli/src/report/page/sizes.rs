//! Time over size.

use maud::{Markup, html};

use super::components::{ISAS, KERNELS, charts, collapsed_table, grouped, index_of};
use crate::report::chart::{Axis, LegendKey, Lines, Series, Style};
use crate::report::results::{ROW_S_MAX, Results, Subject, Timing};
use crate::summary::number;

pub(super) fn sheets(all: &[Results]) -> Markup {
    html! {
        p {
            "Time per stick over the size of a sheet. Each line is one kernel on one instruction \
            set; lower is faster. Lines rise where the data no longer fits in a cache. All lines \
            of the schedule " code { "sheet" } " give the same bits. The baseline is "
            code { "textbook" } ", in the order in which textbooks build a sheet."
        }
        (over_size(all, Subject::Sheets, |results| results.sheets.iter().collect()))
    }
}

pub(super) fn meshes(all: &[Results]) -> Markup {
    html! {
        p {
            "Time per stick on irregular meshes: discs of triangles with shuffled particles and \
            sticks. " code { "textbook" } " keeps this numbering; the other kernels run after the \
            particles were renumbered once. Each line is one kernel on one instruction set; lower \
            is faster."
        }
        (over_size(all, Subject::Meshes, |results| results.meshes.iter().collect()))
    }
}

pub(super) fn copies(all: &[Results]) -> Markup {
    html! {
        p {
            "Time per stick over the number of copies of a small irregular mesh, side by side and \
            stepped together; each copy moves as it does alone. " code { "copies" } " uses a lane \
            for each copy; the other kernels use lanes for different sticks of one copy. Each line \
            is one kernel on one instruction set; lower is faster."
        }
        (over_size(all, Subject::Copies, |results| results.copies.iter().collect()))
    }
}

pub(super) fn growth(all: &[Results]) -> Markup {
    html! {
        p {
            "Time per stick from the smallest to the largest sizes, of the best kernels on the two \
            widest instruction sets, each in the default schedule of the mesh. The broad line is \
            the lowest limit of these kernels by the roofline model: no kernel can be faster \
            (" code { "taut roofline" } "). A row is left out of a size in which all its frames \
            would take more than " (ROW_S_MAX) " s; the table says so."
        }
        p.quiet {
            "The stretch is that after the last frame. Large sizes run fewer frames, so compare \
            the stretch within one size."
        }
        @for (subject, title) in [
            (Subject::Sheets, "Regular sheets"),
            (Subject::Meshes, "Irregular meshes, shuffled"),
            (Subject::Copies, "Copies of a small mesh"),
        ] {
            h3 { (title) }
            (over_size(all, subject, |results| {
                results.growth.iter().filter(|row| row.subject == Some(subject)).collect()
            }))
        }
    }
}

/// The charts of all machines for the rows that `rows` selects, each with its table.
fn over_size(all: &[Results], subject: Subject, rows: impl Fn(&Results) -> Vec<&Timing>) -> Markup {
    charts(
        all,
        |results| Some(rows(results)).filter(|rows| !rows.is_empty()).map(|it| chart(&it, subject)),
        |results| table(&rows(results)),
    )
}

/// A line for each kernel on each instruction set, and a broad one for the lowest limit.
fn chart(rows: &[&Timing], subject: Subject) -> Lines {
    let abscissa = |row: &Timing| match subject {
        Subject::Meshes => row.particles as f64,
        Subject::Sheets | Subject::Copies => row.size as f64,
    };
    let of_sizes = grouped(rows, |row| row.size);
    let ticks = of_sizes.iter().map(|(size, _)| *size as f64).collect();
    let x = match subject {
        Subject::Sheets => Axis { name: "N, for a sheet of N x N particles", ticks },
        Subject::Meshes => Axis { name: "particles", ticks: Vec::new() },
        Subject::Copies => Axis { name: "copies", ticks },
    };
    let over = match subject {
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
    for Line { name, rows: of_line } in lines {
        let Timing { kernel, isa, .. } = of_line[0];
        let mark = if has_other_schedule(of_line[0], rows) { 0 } else { index_of(&ISAS, isa) };
        let style = Style { colour: index_of(&KERNELS, kernel), mark };
        let points = of_line.iter().map(|row| (abscissa(row), row.ns_per_stick_median)).collect();
        series.push(Series { points, style });
        legend.push((name, LegendKey::Series(style)));
    }
    let lowest_limit = |(_, rows): &(usize, Vec<&&Timing>)| {
        let limit = rows.iter().filter_map(|row| row.limit_ns).min_by(f64::total_cmp)?;
        Some((abscissa(rows[0]), limit))
    };
    let background: Vec<(f64, f64)> = of_sizes.iter().filter_map(lowest_limit).collect();
    if !background.is_empty() {
        legend.push(("lowest limit by the roofline model".to_owned(), LegendKey::Behind));
    }
    Lines {
        alt_text: format!(
            "Nanoseconds per stick over {over}, a line for each kernel and instruction set. The \
             numbers are in the table below."
        ),
        x,
        y: Axis { name: "ns per stick and iteration", ticks: Vec::new() },
        series,
        background,
        extra_points: Vec::new(),
        legend,
    }
}

/// The rows of a kernel on an instruction set and a number of threads, in the schedule of most
/// kernels or in one other.
struct Line<'a> {
    name: String,
    rows: Vec<&'a Timing>,
}

/// Whether the schedule of a row is not that of the first row of a kernel in its size. (The default
/// schedule may differ between sizes, which is still one line.)
fn has_other_schedule(row: &Timing, rows: &[&Timing]) -> bool {
    let first = rows.iter().find(|it| it.size == row.size && it.kernel != "textbook");
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

/// The columns of [`table`]; the last two only if rows have limits.
const COLUMNS: [&str; 13] = [
    "size",
    "particles",
    "sticks",
    "frames",
    "kernel",
    "instruction set",
    "threads",
    "schedule",
    "ns per stick",
    "speedup over `textbook`",
    "stretch rms",
    "limit, ns",
    "times limit",
];

fn table(rows: &[&Timing]) -> Markup {
    let columns =
        if rows.iter().any(|row| row.limit_ns.is_some()) { &COLUMNS[..] } else { &COLUMNS[..11] };
    let cells = |row: &Timing, at: &Timing| {
        let is_measured = row.size == at.size;
        let measured = |value: Option<f64>| value.filter(|_| is_measured);
        let ns = row.ns_per_stick_median;
        let mut cells = vec![
            at.size.to_string(),
            at.particles.to_string(),
            at.sticks.to_string(),
            at.frames.to_string(),
            row.kernel.clone(),
            row.isa.clone(),
            row.threads.to_string(),
            row.schedule.clone(),
            if is_measured { format!("{ns:.3}") } else { "left out".to_owned() },
            number(measured(row.speedup_over_textbook), 1),
            number(measured(row.stretch_rms), 4),
            number(measured(row.limit_ns), 3),
            number(measured(row.limit_ns.map(|limit| ns / limit)), 1),
        ];
        cells.truncate(columns.len());
        cells
    };
    let lines = grouped(rows, |row| line_name(row, rows));
    let mut all = Vec::new();
    for (size, of_size) in grouped(rows, |row| row.size) {
        all.extend(of_size.iter().map(|row| cells(row, row)));
        // A line that has ended at a smaller size.
        for (name, of_line) in &lines {
            let last = of_line.iter().rev().find(|row| row.size < size);
            let is_missing = of_size.iter().all(|row| line_name(row, rows) != *name);
            all.extend(last.filter(|_| is_missing).map(|last| cells(last, of_size[0])));
        }
    }
    collapsed_table(columns, &all)
}
