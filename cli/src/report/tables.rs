//! The comparison as a table: in the page, and in Markdown between the marks of a file.

use anyhow::Context;

use super::results::{Results, Timing};

/// What begins the part of a file that is made here, and what ends it.
const BEGIN: &str = "<!-- made by taut report: comparison -->";
const END: &str = "<!-- end of what taut report made -->";

/// How long lines of prose are.
const WIDTH: usize = 100;

/// Names of the columns; numbers stand to the right.
pub(crate) const COLUMNS: [(&str, bool); 10] = [
    ("kernel", false),
    ("instruction set", false),
    ("formula", false),
    ("schedule", false),
    ("ns a stick", true),
    ("times `textbook`", true),
    ("times `scalar` at its best", true),
    ("divisions, roots a frame", true),
    ("stretch rms", true),
    ("off `f64`, m", true),
];

/// What [`picked`] picks.
pub(crate) const PICKED: &str = "Shown are, with the default formula: the fastest row of each \
    kernel on each instruction set, and of each schedule. Then the fastest row of each formula.";

/// The rows that tell the most, the fastest first: see [`PICKED`]. What blew up is no result.
pub(crate) fn picked(rows: &[Timing]) -> Vec<&Timing> {
    let mut sorted: Vec<&Timing> = rows.iter().filter(|row| row.stretch().is_some()).collect();
    sorted.sort_by(|one, other| one.ns_per_stick_median.total_cmp(&other.ns_per_stick_median));
    let mut seen = Vec::new();
    sorted.retain(|row| {
        let mut keys = vec![format!("formula {}", row.formula)];
        if row.is_default() {
            keys.push(format!("kernel {} {} {}", row.kernel, row.isa, row.threads));
            keys.push(format!("schedule {}", row.schedule));
        }
        keys.retain(|key| !seen.contains(key));
        let new = !keys.is_empty();
        seen.append(&mut keys);
        new
    });
    sorted
}

/// A row, a text for each of [`COLUMNS`].
pub(crate) fn cells(row: &Timing) -> [String; 10] {
    let number = |value: Option<f64>, digits: usize| {
        value.map_or("-".to_owned(), |value| format!("{value:.digits$}"))
    };
    let Timing { divisions_per_frame, square_roots_per_frame, .. } = *row;
    [
        row.kernel.clone(),
        row.isa.clone(),
        row.formula.clone(),
        row.schedule.clone(),
        format!("{:.2}", row.ns_per_stick_median),
        format!("{:.1}", row.speedup_over_textbook),
        number(row.speedup_over_scalar, 1),
        [divisions_per_frame, square_roots_per_frame].map(millions).join(", "),
        number(row.stretch_rms, 4),
        row.error_vs_f64.map_or("-".to_owned(), |metres| format!("{metres:.0e}")),
    ]
}

/// 1030224 as 1.03 M.
pub(crate) fn millions(count: u64) -> String {
    match count {
        0..10_000 => count.to_string(),
        _ => format!("{:.2} M", count as f64 / 1e6),
    }
}

/// 128778 as 128,778.
pub(crate) fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let first = digits.len() % 3;
    let mut groups: Vec<&str> = vec![&digits[..first]];
    groups.extend((first..digits.len()).step_by(3).map(|at| &digits[at..at + 3]));
    groups.retain(|group| !group.is_empty());
    groups.join(",")
}

/// On which scene the rows were made.
pub(crate) fn scene(row: &Timing) -> String {
    let Timing { scene, size, set, sticks, substeps, iterations, frames, .. } = row;
    let name = match scene.as_str() {
        "drape" => format!("A sheet of {size} x {size} particles"),
        other => format!("A {other} of size {size}"),
    };
    format!(
        "{name} with {set} sticks ({} of them), {substeps} substep(s) of {iterations} iteration(s) \
         a frame. A time is of the whole frame, per stick and iteration, the median of {frames}; \
         the residual stands beside it.",
        grouped(*sticks)
    )
}

/// A text with a part that is made here.
pub(crate) struct Marked<'a> {
    before: &'a str,
    after: &'a str,
}

impl<'a> Marked<'a> {
    /// Looks for the marks.
    ///
    /// # Errors
    /// If they are not there.
    pub(crate) fn find(text: &'a str) -> anyhow::Result<Self> {
        let marks = || format!("there is no part between '{BEGIN}' and '{END}'");
        let (before, rest) = text.split_once(BEGIN).with_context(marks)?;
        let (_, after) = rest.split_once(END).with_context(marks)?;
        Ok(Self { before, after })
    }

    /// The text with its part made anew.
    ///
    /// # Errors
    /// If there is nothing to make it of.
    pub(crate) fn renewed(&self, all: &[Results]) -> anyhow::Result<String> {
        let Self { before, after } = self;
        let sections: Vec<String> = all.iter().filter_map(section).collect();
        anyhow::ensure!(!sections.is_empty(), "the results have no part 'comparison'");
        Ok(format!("{before}{BEGIN}\n{}{END}{after}", sections.join("\n")))
    }
}

fn section(results: &Results) -> Option<String> {
    let first = results.comparison.first()?;
    let machine = &results.machine;
    let prose = format!(
        "One thread of {}, {} cores; {}, {}, {}. {} {PICKED}",
        machine.cpu,
        machine.cores,
        machine.rustc,
        machine.target,
        machine.flags,
        scene(first)
    );
    let mut lines = vec![wrapped(&prose), String::new()];
    lines.push(format!("| {} |", COLUMNS.map(|(name, _)| name).join(" | ")));
    lines.push(format!(
        "|{}|",
        COLUMNS.map(|(_, right)| if right { "--:" } else { "---" }).join("|")
    ));
    for row in picked(&results.comparison) {
        let mut cells = cells(row);
        cells[0] = format!("`{}`", cells[0]);
        lines.push(format!("| {} |", cells.join(" | ")));
    }
    Some(lines.join("\n") + "\n")
}

fn wrapped(prose: &str) -> String {
    let mut lines = vec![String::new()];
    for word in prose.split_whitespace() {
        let last = lines.len() - 1;
        let line = &mut lines[last];
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= WIDTH {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.join("\n")
}
