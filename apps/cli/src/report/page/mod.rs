//! The page: one file of HTML that needs nothing else.

mod convergence;
mod effort;
mod operations;
mod pieces;
mod speed;
mod stability;
mod tradeoff;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::chart::dark_rules;
use super::results::{Machine, Results};
use super::tables;
use crate::summary;
use pieces::{beside, table};

/// The sections, with the names of their places.
const SECTIONS: [(&str, &str); 9] = [
    ("machine", "The machine"),
    ("comparison", "Kernel comparison"),
    ("sheets", "Speed over size: regular sheets"),
    ("meshes", "Speed over size: any mesh"),
    ("effort", "Effort: the cheapest frame within 1 % and 0.1 %"),
    ("tradeoff", "Time against stiffness"),
    ("operations", "Divisions and roots"),
    ("stability", "Which orders stay bounded"),
    ("convergence", "How fast the stretch goes away"),
];

/// The whole page.
pub(crate) fn of(all: &[Results]) -> String {
    let style = format!(
        "{}@media (prefers-color-scheme: dark) {{\n:root {{ --ground: #161617; --raised: #232325; \
         --ink: #e2e2e3; --quiet: #a5a5aa; --line: #3e3e3f; --accent: #5eb4f0; --stiff: #1d4b3a; \
         --firm: #3a4d1f; --soft: #57491a; --slack: #60391a; --left: #7a2626 }}\n{}}}\n",
        include_str!("style.css"),
        dark_rules()
    );
    let bodies = [
        machines(all),
        comparison(all),
        speed::sheets(all),
        speed::meshes(all),
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
                    @for ((name, title), body) in SECTIONS.into_iter().zip(bodies) {
                        section id=(name) {
                            h2 { (title) }
                            (body)
                        }
                    }
                }
            }
        }
    };
    page.into_string()
}

fn introduction(all: &[Results]) -> Markup {
    let fastest = all
        .iter()
        .flat_map(|results| &results.comparison)
        .filter(|row| row.is_default() && row.stretch().is_some())
        .min_by(|one, other| one.ns_per_stick_median.total_cmp(&other.ns_per_stick_median));
    html! {
        h1 { "Taut: report" }
        p {
            "Cloth, ropes and soft bodies can be simulated as particles joined by sticks. Taut "
            "moves the particles of each stick so that it gets its length back, for all sticks, "
            "over and over. This page shows how fast and how well its kernels do that."
        }
        @if let Some(row) = fastest {
            p {
                "In short: the fastest, " strong { (row.kernel) " on " (row.isa) } ", needs "
                strong { (format!("{:.2} ns", row.ns_per_stick_median)) } " a stick, "
                (format!("{:.1}", row.speedup_over_textbook)) " times as fast as the loop of the "
                "textbooks"
                @if let Some(times) = row.speedup_over_scalar {
                    " and " (format!("{times:.1}")) " times as fast as plain code in a good order"
                }
                "."
            }
        }
        @if all.iter().any(|results| results.quick) {
            p { strong { "Measured in a hurry: " } "with few frames and small scenes." }
        }
        nav aria-label="Sections" {
            ul {
                @for (name, title) in SECTIONS {
                    li { a href=(format!("#{name}")) { (title) } }
                }
            }
        }
        details {
            summary { "The words of this page" }
            dl {
                dt { "stick" } dd { "Keeps two particles at a fixed distance, its rest length." }
                dt { "stretch" } dd {
                    "How much longer a stick is than its rest length, as a share of it: 0.01 is one "
                    "per cent; 0 for sticks that are too short. Of all sticks, the root mean square "
                    "(rms)."
                }
                dt { "iteration" } dd { "Every stick is put right once." }
                dt { "frame" } dd {
                    "What a viewer sees in a sixtieth of a second: the particles move, then the "
                    "iterations. A frame can be cut into substeps that do both, each."
                }
                dt { "schedule" } dd {
                    "The order of the sticks. It decides the answer, whoever computes it. "
                    code { "authored" } " is the order in which textbooks build a sheet; "
                    code { "sheet" } " is for regular sheets; " code { "banded" } ", "
                    code { "blocked" } ", " code { "packed" } " and " code { "coloured" }
                    " take any mesh. " code { "/hilbert" } " numbers the particles along a curve "
                    "first."
                }
                dt { "kernel" } dd {
                    "A program that runs a schedule. It decides the speed, never the answer: all "
                    "kernels have the same bits. " code { "textbook" } " is the loop as articles "
                    "print it, " code { "scalar" } " plain code, one stick at a time; "
                    code { "wide" } ", " code { "pulp" } " and " code { "grid" } " take 4 to 16 "
                    "sticks at once, " code { "grid" } " on regular sheets only; "
                    code { "colour" } " is one of them on several threads."
                }
                dt { "instruction set" } dd {
                    "How many numbers the processor takes at once: SSE2 and NEON 4, AVX2 8, "
                    "AVX-512 16."
                }
                dt { "formula" } dd {
                    "How a stick is put right. " code { "exact" } " needs a division and a square "
                    "root, " code { "newton" } " and " code { "halley" } " a division, "
                    code { "quick" } " neither."
                }
            }
        }
    }
}

fn machines(all: &[Results]) -> Markup {
    html! {
        p { "Times are of this machine and build; another has others. Everything but times is the \
            same everywhere, to the bit." }
        (beside(all, |results| {
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
        p.quiet { "Made by " code { "taut report" } "; " code { "taut report --help" } " says how \
            to make one of another machine." }
    }
}

fn comparison(all: &[Results]) -> Markup {
    let first = all.iter().find_map(|results| results.comparison.first());
    html! {
        p {
            "One sheet, everybody in turn. Read a row as: this kernel, on this instruction set, \
            with this formula and order, needs so many nanoseconds to put one stick right once, \
            and leaves so much stretch. Less is better in both."
        }
        @if let Some(row) = first {
            p.quiet { (tables::scene(row)) " " (summary::PICKED) }
        }
        (beside(all, |results| {
            let picked = summary::picked(&results.comparison);
            let rows: Vec<_> = picked.iter().map(|row| row.cells().to_vec()).collect();
            (!rows.is_empty()).then(|| table(summary::COLUMNS.into_iter(), &rows))
        }))
    }
}
