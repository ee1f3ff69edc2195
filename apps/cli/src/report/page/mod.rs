//! The page: a self-contained HTML file.

mod components;
mod convergence;
mod effort;
mod operations;
mod sizes;
mod stability;
mod tradeoff;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::chart::dark_mode_rules;
use super::results::{Machine, Results};
use super::tables;
use crate::summary;
use components::{side_by_side, table};

/// The ids and titles of the sections.
const SECTIONS: [(&str, &str); 11] = [
    ("machine", "The machine"),
    ("comparison", "Kernel comparison"),
    ("sheets", "Time by size: regular sheets"),
    ("meshes", "Time by size: irregular meshes"),
    ("copies", "Time by number of copies"),
    ("growth", "Growth: time by size, and the limit of the machine"),
    ("effort", "Effort: the cheapest frame with an rms stretch ≤ 1 % and ≤ 0.1 %"),
    ("tradeoff", "Time against stretch"),
    ("operations", "Divisions and square roots"),
    ("stability", "Stability of the schedules"),
    ("convergence", "Convergence of the stretch"),
];

/// The text of the whole page.
pub(crate) fn render(all: &[Results]) -> String {
    let style = format!(
        "{}@media (prefers-color-scheme: dark) {{\n:root {{ --ground: #161617; --raised: #232325; \
         --ink: #e2e2e3; --quiet: #a5a5aa; --line: #3e3e3f; --accent: #5eb4f0; --stiff: #1d4b3a; \
         --firm: #3a4d1f; --soft: #57491a; --slack: #60391a; --blew-up: #7a2626 }}\n{}}}\n",
        include_str!("style.css"),
        dark_mode_rules()
    );
    // In the order of `SECTIONS`.
    let contents = [
        machines(all),
        comparison(all),
        sizes::sheets(all),
        sizes::meshes(all),
        sizes::copies(all),
        sizes::growth(all),
        effort::effort(all),
        tradeoff::tradeoff(all),
        operations::operations(all),
        stability::stability(all),
        convergence::convergence(all),
    ];
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Taut: report" }
                style { (PreEscaped(style)) }
            }
            body class=[(all.len() > 1).then_some("several")] {
                header { (introduction(all)) }
                main {
                    @for ((id, title), content) in SECTIONS.into_iter().zip(contents) {
                        section id=(id) {
                            h2 { (title) }
                            (content)
                        }
                    }
                }
            }
        }
    };
    page.into_string()
}

/// The head of the page: a summary, the links to the sections, and a glossary.
fn introduction(all: &[Results]) -> Markup {
    let fastest = all
        .iter()
        .flat_map(|results| &results.comparison)
        .filter(|row| row.is_default_formula() && row.stretch().is_some())
        .min_by(|one, other| {
            one.ns_per_relaxation_median.total_cmp(&other.ns_per_relaxation_median)
        });
    html! {
        h1 { "Taut: report" }
        p {
            "Taut simulates cloth, ropes and soft bodies as particles joined by sticks. To relax a "
            "stick, it moves the two particles so that the length of the stick approaches its rest length; it relaxes all "
            "sticks one after the other, several times. This page shows how fast and how accurate "
            "its kernels are."
        }
        @if let Some(row) = fastest {
            p {
                "The fastest kernel, " strong { (row.kernel) " on " (row.isa) } ", takes "
                strong { (format!("{:.2} ns", row.ns_per_relaxation_median)) } " per stick"
                @let speedups = [
                    (row.speedup_over_textbook, "the textbook loop"),
                    (row.speedup_over_scalar, "the fastest run of the kernel scalar"),
                ];
                @let measured = speedups.into_iter().filter_map(|(it, baseline)| Some((it?, baseline)));
                @for (index, (speedup, baseline)) in measured.enumerate() {
                    (if index == 0 { ": " } else { " and " })
                    (format!("{speedup:.1}")) " times as fast as " (baseline)
                }
                "."
            }
        }
        @if all.iter().any(|results| results.quick) {
            p { strong { "Measured with --quick: " } "few frames and small scenes." }
        }
        nav aria-label="Sections" {
            ul {
                @for (id, title) in SECTIONS {
                    li { a href=(format!("#{id}")) { (title) } }
                }
            }
        }
        details {
            summary { "Glossary" }
            dl {
                dt { "stick" } dd {
                    "A distance constraint: it keeps two particles at its rest length."
                }
                dt { "stretch" } dd {
                    "How much longer a stick is than its rest length, as a fraction of the rest "
                    "length: 0.01 is 1 %; 0 for sticks that are too short. Shown as the root mean "
                    "square (rms) over all sticks."
                }
                dt { "iteration" } dd { "One relaxation of all sticks." }
                dt { "frame" } dd {
                    "A time step of 1/60 s: motion, then iterations. A frame can be divided into "
                    "substeps, each with motion and iterations."
                }
                dt { "schedule" } dd {
                    "The order in which sticks are relaxed. It determines the result. "
                    code { "authored" } " is the order in which textbooks build a sheet; "
                    code { "sheet" } " is for regular sheets; " code { "banded" } ", "
                    code { "blocked" } ", " code { "packed" } ", " code { "starred" } " and "
                    code { "coloured" } " work for any mesh. " code { "/rcm" } " and "
                    code { "/hilbert" } " first renumber the particles, by reverse Cuthill-McKee and along a Hilbert "
                    "curve."
                }
                dt { "kernel" } dd {
                    "Code that runs a schedule. It determines the speed, never the result: all "
                    "kernels give the same bits for the same schedule and formula. The exception is "
                    code { "textbook" } ", the loop of Jakobsen's article, which is the baseline of speedups. "
                    code { "scalar" } " is plain code that relaxes one stick at a time. "
                    code { "wide" } ", " code { "pulp" } ", " code { "grid" } " and "
                    code { "copies" } " relax 4 to 16 sticks at once: " code { "grid" }
                    " on regular sheets only, " code { "copies" }
                    " the same stick of 4 to 16 copies of a mesh. "
                    code { "colour" } " runs one of the others on several threads."
                }
                dt { "instruction set" } dd {
                    "Determines the number of lanes of a register: 4 with SSE2 and NEON, 8 with "
                    "AVX2, 16 with AVX-512."
                }
                dt { "formula" } dd {
                    "How the correction of a stick is computed. " code { "exact" } " needs a "
                    "division and a square root, " code { "newton" } " and " code { "halley" }
                    " need a division, " code { "quick" } " needs neither."
                }
            }
        }
    }
}

/// The section about the machines and builds.
fn machines(all: &[Results]) -> Markup {
    html! {
        p { "Times depend on the machine and the build. All other results are the same on every \
            machine, bit for bit." }
        (side_by_side(all, |results| {
            let Machine { cpu, features, cores, rustc, target, flags, .. } = &results.machine;
            Some(html! {
                dl {
                    dt { "processor" } dd { (cpu) }
                    dt { "cores" } dd { (cores) }
                    dt { "instruction sets in use" } dd { (features.join(", ")) }
                    dt { "compiler" } dd { (rustc) }
                    dt { "target" } dd { (target) }
                    dt { "build" } dd { (flags) }
                    dt { "commit" } dd { (results.commits.join(", ")) }
                }
            })
        }))
        p.quiet {
            "Generated by " code { "taut report" } "; see " code { "taut report --help" } "."
        }
    }
}

/// The section with the selected rows of the comparison.
fn comparison(all: &[Results]) -> Markup {
    let first = all.iter().find_map(|results| results.comparison.first());
    html! {
        p {
            "All kernels on one sheet. Each row is one kernel on one instruction set, with one \
            formula and one schedule. It shows the time to relax one stick once, and the stretch \
            that remains; lower is better for both."
        }
        @if let Some(row) = first {
            p.quiet { (tables::scene_description(row)) " " (summary::SELECTION) }
        }
        (side_by_side(all, |results| {
            let selected = summary::selected_rows(&results.comparison);
            let rows: Vec<_> = selected.iter().map(|row| row.cells().to_vec()).collect();
            (!rows.is_empty()).then(|| table(summary::COLUMNS.into_iter(), &rows))
        }))
    }
}
