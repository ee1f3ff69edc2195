//! Time over size.

use maud::{Markup, html};

use super::components::{ISAS, KERNELS, charts, collapsed_table, grouped, index_of};
use crate::report::chart::{Axis, LegendKey, Lines, Series, Style};
use crate::report::results::{Results, Timing};

/// A line for each kernel on each instruction set. `abscissa` gives the x coordinate of a row.
fn time_chart(
    rows: &[Timing],
    x: Axis,
    abscissa: impl Fn(&Timing) -> f64,
    alternative: &str,
) -> Lines {
    let first = rows.iter().find(|row| row.kernel != "textbook").map(|row| row.schedule.clone());
    let has_other_schedule =
        |row: &Timing| row.kernel != "textbook" && Some(&row.schedule) != first.as_ref();
    let name = |row: &Timing| {
        let mut parts = vec![row.kernel.clone()];
        if row.isa != "scalar" {
            parts.push(row.isa.clone());
        }
        if row.threads > 1 {
            parts.push(format!("{} threads", row.threads));
        }
        if has_other_schedule(row) {
            parts.push(format!("schedule {}", row.schedule));
        }
        parts.join(", ")
    };
    let mut groups = grouped(rows, name);
    groups.sort_by_key(|(_, rows)| index_of(&KERNELS, &rows[0].kernel));
    let (mut series, mut legend) = (Vec::new(), Vec::new());
    for (name, rows) in groups {
        let Timing { kernel, isa, .. } = rows[0];
        let mark = if has_other_schedule(rows[0]) { 0 } else { index_of(&ISAS, isa) };
        let style = Style { colour: index_of(&KERNELS, kernel), mark };
        let points = rows.iter().map(|row| (abscissa(row), row.ns_per_stick_median)).collect();
        series.push(Series { points, style });
        legend.push((name, LegendKey::Series(style)));
    }
    let y = Axis { name: "ns per stick and iteration", ticks: Vec::new() };
    let alternative = alternative.to_owned();
    Lines { alternative, x, y, series, behind: Vec::new(), also_included: Vec::new(), legend }
}

fn time_table(rows: &[Timing]) -> Markup {
    let row = |row: &Timing| {
        vec![
            row.size.to_string(),
            row.particles.to_string(),
            row.sticks.to_string(),
            row.kernel.clone(),
            row.isa.clone(),
            row.threads.to_string(),
            row.schedule.clone(),
            format!("{:.3}", row.ns_per_stick_median),
            format!("{:.1}", row.speedup_over_textbook),
            row.stretch_rms.map_or("-".to_owned(), |rms| format!("{rms:.4}")),
        ]
    };
    let header = [
        "size",
        "particles",
        "sticks",
        "kernel",
        "instruction set",
        "threads",
        "schedule",
        "ns per stick",
        "speedup over `textbook`",
        "stretch rms",
    ];
    collapsed_table(&header, &rows.iter().map(row).collect::<Vec<_>>())
}

pub(super) fn sheets(all: &[Results]) -> Markup {
    html! {
        p {
            "Time per stick over the size of a sheet. Each line is one kernel on one instruction \
            set; lower is faster. Lines rise where the data no longer fits in a cache. All lines \
            of the schedule " code { "sheet" } " give the same bits. The baseline is "
            code { "textbook" } ", in the order in which textbooks build a sheet."
        }
        (charts(all, |results| {
            let rows = &results.sheets;
            let mut sizes: Vec<usize> = rows.iter().map(|row| row.size).collect();
            sizes.dedup();
            let x = Axis {
                name: "N, for a sheet of N x N particles",
                ticks: sizes.iter().map(|&size| size as f64).collect(),
            };
            (!rows.is_empty()).then(|| time_chart(rows, x, |row| row.size as f64,
                "Nanoseconds per stick over the size of a regular sheet, a line for each kernel \
                 and instruction set. The numbers are in the table below."))
        }, |results| time_table(&results.sheets)))
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
        (charts(all, |results| {
            let rows = &results.copies;
            let mut counts: Vec<usize> = rows.iter().map(|row| row.size).collect();
            counts.dedup();
            let ticks = counts.iter().map(|&count| count as f64).collect();
            let x = Axis { name: "copies", ticks };
            (!rows.is_empty()).then(|| time_chart(rows, x, |row| row.size as f64,
                "Nanoseconds per stick over the number of copies of a mesh, a line for each kernel \
                 and instruction set. The numbers are in the table below."))
        }, |results| time_table(&results.copies)))
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
        (charts(all, |results| {
            let rows = &results.meshes;
            let x = Axis { name: "particles", ticks: Vec::new() };
            (!rows.is_empty()).then(|| time_chart(rows, x, |row| row.particles as f64,
                "Nanoseconds per stick over the number of particles of an irregular mesh, a line \
                 for each kernel and instruction set. The numbers are in the table below."))
        }, |results| time_table(&results.meshes)))
    }
}
