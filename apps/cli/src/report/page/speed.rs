//! Time over size.

use maud::{Markup, html};

use super::components::{ISAS, KERNELS, charts, grouped, numbers, position};
use crate::report::chart::{Axis, Key, Lines, Series, Style};
use crate::report::results::{Results, Timing};

/// A line for each kernel on each instruction set.
fn speed(rows: &[Timing], x: Axis, at: impl Fn(&Timing) -> f64, alternative: &str) -> Lines {
    let first = rows.iter().find(|row| row.kernel != "textbook").map(|row| row.schedule.clone());
    let other = |row: &Timing| row.kernel != "textbook" && Some(&row.schedule) != first.as_ref();
    let name = |row: &Timing| {
        let mut parts = vec![row.kernel.clone()];
        if row.isa != "scalar" {
            parts.push(row.isa.clone());
        }
        if row.threads > 1 {
            parts.push(format!("{} threads", row.threads));
        }
        if other(row) {
            parts.push(format!("{} order", row.schedule));
        }
        parts.join(", ")
    };
    let mut groups = grouped(rows, name);
    groups.sort_by_key(|(_, rows)| position(&KERNELS, &rows[0].kernel));
    let (mut series, mut legend) = (Vec::new(), Vec::new());
    for (name, rows) in groups {
        let Timing { kernel, isa, .. } = rows[0];
        let mark = if other(rows[0]) { 0 } else { position(&ISAS, isa) };
        let style = Style { colour: position(&KERNELS, kernel), mark };
        let points = rows.iter().map(|row| (at(row), row.ns_per_stick_median)).collect();
        series.push(Series { points, style });
        legend.push((name, Key::Series(style)));
    }
    let y = Axis { name: "ns a stick and iteration", marked: Vec::new() };
    let alternative = alternative.to_owned();
    Lines { alternative, x, y, series, behind: Vec::new(), around: Vec::new(), legend }
}

fn speed_numbers(rows: &[Timing]) -> Markup {
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
        "ns a stick",
        "speedup over `textbook`",
        "stretch rms",
    ];
    numbers(&header, &rows.iter().map(row).collect::<Vec<_>>())
}

pub(super) fn sheets(all: &[Results]) -> Markup {
    html! {
        p {
            "Time per stick over the size of a sheet. A line is a kernel on an instruction set; \
            lower is faster; it rises to the right where the data exceeds a cache. All lines of the \
            order " code { "sheet" } " end with the same bits. The baseline is " code { "textbook" }
            ", in the order in which textbooks build a sheet."
        }
        (charts(all, |results| {
            let rows = &results.sheets;
            let mut sizes: Vec<usize> = rows.iter().map(|row| row.size).collect();
            sizes.dedup();
            let x = Axis {
                name: "N, of a sheet of N x N particles",
                marked: sizes.iter().map(|&size| size as f64).collect(),
            };
            (!rows.is_empty()).then(|| speed(rows, x, |row| row.size as f64,
                "Nanoseconds a stick over the size of a regular sheet, a line for each kernel and \
                 instruction set. The numbers are in the table below."))
        }, |results| speed_numbers(&results.sheets)))
    }
}

pub(super) fn copies(all: &[Results]) -> Markup {
    html! {
        p {
            "Time per stick over the number of copies of a small irregular mesh, side by side and \
            stepped together; each moves as it does alone. " code { "copies" } " takes a lane for \
            each copy; the other kernels take the sticks of a copy. A line is a kernel on an \
            instruction set; lower is faster."
        }
        (charts(all, |results| {
            let rows = &results.copies;
            let mut counts: Vec<usize> = rows.iter().map(|row| row.size).collect();
            counts.dedup();
            let marked = counts.iter().map(|&count| count as f64).collect();
            let x = Axis { name: "copies", marked };
            (!rows.is_empty()).then(|| speed(rows, x, |row| row.size as f64,
                "Nanoseconds a stick over the number of copies of a mesh, a line for each kernel \
                 and instruction set. The numbers are in the table below."))
        }, |results| speed_numbers(&results.copies)))
    }
}

pub(super) fn meshes(all: &[Results]) -> Markup {
    html! {
        p {
            "Time per stick on irregular meshes: discs of triangles with shuffled particles and \
            sticks. " code { "textbook" } " keeps this numbering; the others renumber once, before \
            the first frame. A line is a kernel on an instruction set; lower is faster."
        }
        (charts(all, |results| {
            let rows = &results.meshes;
            let x = Axis { name: "particles", marked: Vec::new() };
            (!rows.is_empty()).then(|| speed(rows, x, |row| row.particles as f64,
                "Nanoseconds a stick over the number of particles of an irregular mesh, a line \
                 for each kernel and instruction set. The numbers are in the table below."))
        }, |results| speed_numbers(&results.meshes)))
    }
}
