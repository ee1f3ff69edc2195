//! The comparison as a Markdown table between two markers in a file.

use anyhow::Context;

use super::results::{Results, Timing};
use crate::summary::{COLUMNS, SELECTION, selected};

/// The markers around the generated part of a file.
const BEGIN: &str = "<!-- made by taut report: comparison -->";
const END: &str = "<!-- end of what taut report made -->";

/// The maximum line length of prose.
const WIDTH: usize = 100;

/// Formats 128778 as `128,778`.
pub(crate) fn with_thousands_separators(count: usize) -> String {
    let digits = count.to_string();
    let first = digits.len() % 3;
    let mut groups: Vec<&str> = vec![&digits[..first]];
    groups.extend((first..digits.len()).step_by(3).map(|at| &digits[at..at + 3]));
    groups.retain(|group| !group.is_empty());
    groups.join(",")
}

/// Describes the scene of a row.
pub(crate) fn scene(row: &Timing) -> String {
    let Timing { scene, size, set, sticks, substeps, iterations, frames, .. } = row;
    let name = match scene.as_str() {
        "drape" => format!("A sheet of {size} x {size} particles"),
        other => format!("A {other} of size {size}"),
    };
    format!(
        "{name} with {set} sticks ({} of them), {substeps} substep(s) of {iterations} iteration(s) \
         per frame. Times are those of whole frames, per stick and iteration: medians of {frames} \
         frames.",
        with_thousands_separators(*sticks)
    )
}

/// A text with a generated part between markers.
pub(crate) struct MarkedText<'a> {
    before: &'a str,
    after: &'a str,
}

impl<'a> MarkedText<'a> {
    /// # Errors
    /// If the markers are missing.
    pub(crate) fn find(text: &'a str) -> anyhow::Result<Self> {
        let missing = || format!("missing the markers '{BEGIN}' and '{END}'");
        let (before, rest) = text.split_once(BEGIN).with_context(missing)?;
        let (_, after) = rest.split_once(END).with_context(missing)?;
        Ok(Self { before, after })
    }

    /// The text with its generated part updated.
    ///
    /// # Errors
    /// If the results have no comparison.
    pub(crate) fn with_updated_table(&self, all: &[Results]) -> anyhow::Result<String> {
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
        "One thread of {}, {} cores; {}, {}, {}. {} {SELECTION}",
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
    for row in selected(&results.comparison) {
        let mut cells = row.cells();
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
