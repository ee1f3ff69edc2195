//! Writes results as Markdown tables between markers in a file.

use anyhow::Context;

use super::results::{Machine, Results, Subject, Timing};
use crate::summary::{COLUMNS, SELECTION, optional_number, selected_rows};

/// The marker after each generated section of a file.
const END_MARKER: &str = "<!-- end of taut report output -->";

/// The maximum line length of generated paragraphs, in characters.
const WIDTH: usize = 100;

/// Formats 128778 as `128,778`.
pub(crate) fn with_thousands_separators(count: usize) -> String {
    let digits = count.to_string();
    let first_len = digits.len() % 3;
    let mut groups: Vec<&str> = vec![&digits[..first_len]];
    groups.extend((first_len..digits.len()).step_by(3).map(|start| &digits[start..start + 3]));
    groups.retain(|group| !group.is_empty());
    groups.join(",")
}

/// Describes the scene of a row, and how its times are measured.
pub(crate) fn scene_description(row: &Timing) -> String {
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

/// A generated section of a file: a paragraph and a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GeneratedSection {
    Comparison,
    Growth,
}

impl GeneratedSection {
    const ALL: [Self; 2] = [Self::Comparison, Self::Growth];

    /// The name of the part of the results that the section shows.
    fn part(self) -> &'static str {
        match self {
            Self::Comparison => "comparison",
            Self::Growth => "growth",
        }
    }

    /// The marker before the section.
    fn begin_marker(self) -> String {
        format!("<!-- made by taut report: {} -->", self.part())
    }

    /// The Markdown text of the section; `None` if its part was not measured.
    fn text(self, results: &Results) -> Option<String> {
        match self {
            Self::Comparison => comparison_section(results),
            Self::Growth => growth_section(results),
        }
    }
}

/// A text with generated sections between markers.
pub(crate) struct MarkedText<'a> {
    /// Each generated section, with the text before it.
    sections: Vec<(&'a str, GeneratedSection)>,
    /// The text after the last section.
    after: &'a str,
}

impl<'a> MarkedText<'a> {
    /// Finds the generated sections.
    ///
    /// # Errors
    /// If the text has no markers, or the end marker of a section is missing.
    pub(crate) fn find(text: &'a str) -> anyhow::Result<Self> {
        let (mut sections, mut after) = (Vec::new(), text);
        let find_first = |text: &str| {
            GeneratedSection::ALL
                .into_iter()
                .filter_map(|section| Some((text.find(&section.begin_marker())?, section)))
                .min_by_key(|(start, _)| *start)
        };
        while let Some((start, generated)) = find_first(after) {
            let (before, rest) = after.split_at(start);
            let missing = || {
                format!("missing the marker '{END_MARKER}' after '{}'", generated.begin_marker())
            };
            let (_, rest) = rest.split_once(END_MARKER).with_context(missing)?;
            sections.push((before, generated));
            after = rest;
        }
        let expected = GeneratedSection::ALL
            .map(|section| format!("'{}'", section.begin_marker()))
            .join(" or ");
        anyhow::ensure!(!sections.is_empty(), "missing the markers {expected}, and '{END_MARKER}'");
        Ok(Self { sections, after })
    }

    /// The text with its generated sections updated.
    ///
    /// # Errors
    /// If the results lack a part that the text needs.
    pub(crate) fn with_updated_tables(&self, all: &[Results]) -> anyhow::Result<String> {
        let mut text = String::new();
        for &(before, generated) in &self.sections {
            let texts: Vec<String> =
                all.iter().filter_map(|results| generated.text(results)).collect();
            let part = generated.part();
            anyhow::ensure!(!texts.is_empty(), "the results have no part '{part}'");
            for fragment in [before, &generated.begin_marker(), "\n", &texts.join("\n"), END_MARKER]
            {
                text.push_str(fragment);
            }
        }
        Ok(text + self.after)
    }
}

/// Describes the machine and the build of a table.
fn machine_description(results: &Results) -> String {
    let Machine { cpu, cores, rustc, target, flags, .. } = &results.machine;
    format!("One thread of {cpu}, {cores} cores; {rustc}, {target}, {flags}.")
}

/// The lines of a Markdown table. Columns marked `true` in `header` are right-aligned.
fn table(header: &[(&str, bool)], rows: impl Iterator<Item = Vec<String>>) -> Vec<String> {
    let line = |cells: &[&str]| format!("| {} |", cells.join(" | "));
    let names: Vec<&str> = header.iter().map(|(name, _)| *name).collect();
    let alignments: Vec<&str> =
        header.iter().map(|(_, right)| if *right { "--:" } else { "---" }).collect();
    let mut lines = vec![line(&names), format!("|{}|", alignments.join("|"))];
    lines.extend(rows.map(|cells| line(&cells.iter().map(String::as_str).collect::<Vec<_>>())));
    lines
}

/// The section with the selected rows of the part `comparison`; `None` if it was not measured.
fn comparison_section(results: &Results) -> Option<String> {
    let first = results.comparison.first()?;
    let prose =
        format!("{} {} {SELECTION}", machine_description(results), scene_description(first));
    let rows = selected_rows(&results.comparison).into_iter().map(|row| {
        let mut cells = row.cells().to_vec();
        cells[0] = format!("`{}`", cells[0]);
        cells
    });
    let mut lines = vec![wrap(&prose), String::new()];
    lines.extend(table(&COLUMNS, rows));
    Some(lines.join("\n") + "\n")
}

/// The sizes that the table of the part `growth` shows, where they were measured. The size of a
/// mesh is the square root of its number of particles: 316 is about 100,000.
const GROWTH_SIZES: [(Subject, &[usize]); 3] =
    [(Subject::Sheets, &[16, 32, 512]), (Subject::Meshes, &[32, 316]), (Subject::Copies, &[64])];

/// The columns of the table of the part `growth`, and whether each is right-aligned.
const GROWTH_COLUMNS: [(&str, bool); 10] = [
    ("mesh", false),
    ("sticks", true),
    ("fastest kernel", false),
    ("schedule", false),
    ("ns per stick and iteration", true),
    ("limit, ns", true),
    ("speedup over `textbook`", true),
    ("speedup over fastest `scalar`", true),
    ("stretch rms", true),
    ("stretch rms of `textbook`", true),
];

/// The section with the sizes in [`GROWTH_SIZES`] of the part `growth`; `None` if none of them was measured.
fn growth_section(results: &Results) -> Option<String> {
    let rows = GROWTH_SIZES.into_iter().flat_map(|(subject, sizes)| {
        let row_of_size = move |size: &usize| {
            let is_of_size = |row: &&Timing| row.subject == Some(subject) && row.size == *size;
            growth_row(subject, &results.growth.iter().filter(is_of_size).collect::<Vec<_>>())
        };
        sizes.iter().filter_map(row_of_size)
    });
    let rows: Vec<_> = rows.collect();
    let first = results.growth.first().filter(|_| !rows.is_empty())?;
    let Timing { set, substeps, iterations, .. } = first;
    let prose = format!(
        "{} Meshes with {set} sticks, {substeps} substep(s) of {iterations} iteration(s) per \
         frame. Times are medians of whole frames, per stick and iteration, with the default \
         formula, in the default schedule of the mesh. The limit is that of the roofline model. \
         The stretch is that after the last measured frame: compare it within a row.",
        machine_description(results)
    );
    let mut lines = vec![wrap(&prose), String::new()];
    lines.extend(table(&GROWTH_COLUMNS, rows.into_iter()));
    Some(lines.join("\n") + "\n")
}

/// The cells for the fastest row of one size, with the stretch of the textbook loop.
fn growth_row(subject: Subject, rows: &[&Timing]) -> Option<Vec<String>> {
    let fastest =
        rows.iter().filter(|row| row.kernel != "textbook" && row.stretch().is_some()).min_by(
            |one, other| one.ns_per_relaxation_median.total_cmp(&other.ns_per_relaxation_median),
        )?;
    let Timing { size, particles, kernel, isa, .. } = fastest;
    let textbook = rows.iter().find(|row| row.kernel == "textbook");
    let particles = with_thousands_separators(*particles);
    Some(vec![
        match subject {
            Subject::Sheets => format!("a sheet of {size} x {size}"),
            Subject::Meshes => format!("an irregular mesh of {particles} particles, shuffled"),
            Subject::Copies => {
                let particles_of_each = with_thousands_separators(fastest.particles / size);
                format!("{size} copies of an irregular mesh of {particles_of_each} particles")
            }
        },
        with_thousands_separators(fastest.sticks),
        format!("`{kernel}` {isa}"),
        fastest.schedule.clone(),
        format!("{:.2}", fastest.ns_per_relaxation_median),
        optional_number(fastest.limit_ns, 2),
        optional_number(fastest.speedup_over_textbook, 1),
        optional_number(fastest.speedup_over_scalar, 1),
        optional_number(fastest.stretch(), 4),
        optional_number(textbook.and_then(|row| row.stretch()), 4),
    ])
}

/// Breaks lines at [`WIDTH`] characters.
fn wrap(prose: &str) -> String {
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
