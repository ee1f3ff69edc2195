//! The page: one file of HTML that needs nothing else.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::chart::{self, Axis, Bars, Key, Lines, Series, Style, dark_rules};
use super::results::{AfterFrames, AfterIterations, Machine, Outcome, Results, Timing};
use super::tables;

/// Names in the order of their colours.
const KERNELS: [&str; 6] = ["grid", "pulp", "wide", "scalar", "textbook", "colour"];
const SCHEDULES: [&str; 6] = ["sheet", "banded", "blocked", "coloured", "authored", "packed"];
/// Names in the order of their marks.
const FORMULAS: [&str; 4] = ["halley", "exact", "newton", "quick"];
const ISAS: [&str; 5] = ["avx512", "avx2", "sse2", "neon", "scalar"];

/// The sections, with the names of their places.
const SECTIONS: [(&str, &str); 8] = [
    ("machine", "The machine"),
    ("comparison", "Who is how fast"),
    ("sheets", "Speed over size: regular sheets"),
    ("meshes", "Speed over size: any mesh"),
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
        sheets(all),
        meshes(all),
        tradeoff(all),
        operations(all),
        stability(all),
        convergence(all),
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
        .flat_map(|results| tables::picked(&results.comparison).into_iter().take(1))
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
                    "How far a stick is from its rest length, as a share of it: 0.01 is one per "
                    "cent. Of all sticks, the root mean square (rms)."
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

/// How a machine is told from the others.
fn label(results: &Results) -> String {
    let Machine { cpu, flags, .. } = &results.machine;
    format!("{cpu}; {flags}; commit {}", results.commits.join(", "))
}

/// Something of each machine that has it, side by side.
fn beside(all: &[Results], show: impl Fn(&Results) -> Option<Markup>) -> Markup {
    let found: Vec<(&Results, Markup)> =
        all.iter().filter_map(|results| Some((results, show(results)?))).collect();
    html! {
        @if found.is_empty() {
            p.missing { "This part was not measured." }
        }
        div.beside {
            @for (results, shown) in found {
                div {
                    @if all.len() > 1 { h3 { (label(results)) } }
                    (shown)
                }
            }
        }
    }
}

/// Charts of several machines, over the same axes.
fn charts(all: &[Results], of: impl Fn(&Results) -> Option<Lines>) -> Markup {
    let drawn: Vec<Lines> = all.iter().filter_map(&of).collect();
    let around: Vec<(f64, f64)> = drawn.iter().flat_map(Lines::points).copied().collect();
    beside(all, |results| Some(Lines { around: around.clone(), ..of(results)? }.figure()))
}

/// A table that scrolls if there is no room, behind a line to click on.
fn numbers(header: &[&str], rows: &[Vec<String>]) -> Markup {
    html! {
        details {
            summary { "The numbers" }
            (table(header.iter().map(|name| (*name, false)), rows))
        }
    }
}

fn table<'a>(header: impl Iterator<Item = (&'a str, bool)>, rows: &[Vec<String>]) -> Markup {
    let header: Vec<(&str, bool)> = header.collect();
    let class_of = |at: usize| header.get(at).and_then(|it| it.1.then_some("right"));
    html! {
        div.scroll tabindex="0" {
            table {
                thead { tr {
                    @for (name, right) in &header {
                        th scope="col" class=[right.then_some("right")] { (marked(name)) }
                    }
                } }
                tbody {
                    @for row in rows {
                        tr { @for (at, cell) in row.iter().enumerate() {
                            td class=[class_of(at)] { (marked(cell)) }
                        } }
                    }
                }
            }
        }
    }
}

/// With what stands between backquotes as code.
fn marked(text: &str) -> Markup {
    html! {
        @for (at, piece) in text.split('`').enumerate() {
            @if at % 2 == 1 { code { (piece) } } @else { (piece) }
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
            p.quiet { (tables::scene(row)) " " (tables::PICKED) }
        }
        (beside(all, |results| {
            let row = |row: &Timing| tables::cells(row).to_vec();
            let rows: Vec<_> = tables::picked(&results.comparison).into_iter().map(row).collect();
            (!rows.is_empty()).then(|| table(tables::COLUMNS.into_iter(), &rows))
        }))
    }
}

fn position(names: &[&str], name: &str) -> usize {
    names.iter().position(|known| name.starts_with(known)).unwrap_or(names.len())
}

/// Rows of one line, the lines in the order of their first rows.
fn grouped<T, K: PartialEq>(rows: &[T], key: impl Fn(&T) -> K) -> Vec<(K, Vec<&T>)> {
    let mut groups: Vec<(K, Vec<&T>)> = Vec::new();
    for row in rows {
        let key = key(row);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(row),
            None => groups.push((key, vec![row])),
        }
    }
    groups
}

/// A line for each kernel on each instruction set.
fn speed(rows: &[Timing], x: Axis, at: impl Fn(&Timing) -> f64, alternative: &str) -> Lines {
    let usual = rows.iter().find(|row| row.kernel != "textbook").map(|row| row.schedule.clone());
    let name = |row: &Timing| {
        let Timing { kernel, isa, threads, schedule, .. } = row;
        let mut name = kernel.clone();
        if isa != "scalar" {
            name += &format!(", {isa}");
        }
        if *threads > 1 {
            name += &format!(", {threads} threads");
        }
        if kernel != "textbook" && Some(schedule) != usual.as_ref() {
            name += &format!(", {schedule} order");
        }
        name
    };
    let mut groups = grouped(rows, name);
    groups.sort_by_key(|(_, rows)| position(&KERNELS, &rows[0].kernel));
    let (mut series, mut legend) = (Vec::new(), Vec::new());
    for (name, rows) in groups {
        let Timing { kernel, isa, schedule, .. } = rows[0];
        let other = kernel != "textbook" && Some(schedule) != usual.as_ref();
        let mark = if other { 0 } else { position(&ISAS, isa) };
        let style = Style { colour: position(&KERNELS, kernel), mark };
        let points = rows.iter().map(|row| (at(row), row.ns_per_stick_median)).collect();
        series.push(Series { points, style });
        legend.push((name, Key::Series(style)));
    }
    let y = Axis { name: "ns a stick and iteration", marked: Vec::new() };
    let alternative = alternative.to_owned();
    Lines { alternative, x, y, series, behind: Vec::new(), around: Vec::new(), legend }
}

fn speed_numbers(all: &[Results], of: impl Fn(&Results) -> &[Timing]) -> Markup {
    beside(all, |results| {
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
            "times `textbook`",
            "stretch rms",
        ];
        let rows: Vec<_> = of(results).iter().map(row).collect();
        (!rows.is_empty()).then(|| numbers(&header, &rows))
    })
}

fn sheets(all: &[Results]) -> Markup {
    html! {
        p {
            "How long one stick takes, on sheets from small to large. A line is a kernel on an \
            instruction set; lower is faster; a line that rises to the right has left a cache. All \
            lines of the order " code { "sheet" } " end with the same bits: only their speed \
            differs. The two upper ones are what one starts from, the order in which textbooks \
            build a sheet."
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
        }))
        (speed_numbers(all, |results| &results.sheets))
    }
}

fn meshes(all: &[Results]) -> Markup {
    html! {
        p {
            "The same on meshes without any regularity: discs of triangles whose particles and \
            sticks are numbered at random. " code { "textbook" } " takes them as they come, the \
            others renumber them first, once. A line is a kernel on an instruction set; lower is \
            faster."
        }
        (charts(all, |results| {
            let rows = &results.meshes;
            let x = Axis { name: "particles", marked: Vec::new() };
            (!rows.is_empty()).then(|| speed(rows, x, |row| row.particles as f64,
                "Nanoseconds a stick over the number of particles of an irregular mesh, a line \
                 for each kernel and instruction set. The numbers are in the table below."))
        }))
        (speed_numbers(all, |results| &results.meshes))
    }
}

/// Names of colours and marks that occur, as a legend.
fn legend<'a>(
    orders: impl Iterator<Item = &'a (String, usize)>,
    formulas: impl Iterator<Item = &'a str>,
) -> Vec<(String, Key)> {
    let mut legend: Vec<(String, Key)> = Vec::new();
    let mut add = |name: &str, key: Key| {
        if legend.iter().all(|(known, _)| known != name) {
            legend.push((name.to_owned(), key));
        }
    };
    for (order, colour) in orders {
        add(order, Key::Colour(*colour));
    }
    for formula in formulas {
        add(formula, Key::Mark(position(&FORMULAS, formula)));
    }
    legend
}

/// Nothing is both faster and stiffer than one of these.
fn front(points: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut sorted: Vec<(f64, f64)> = points.collect();
    sorted.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
    let mut best = f64::INFINITY;
    sorted.retain(|&(_, stretch)| {
        let better = stretch < best;
        best = best.min(stretch);
        better
    });
    sorted
}

fn tradeoff_chart(rows: &[Timing]) -> Lines {
    let kernels: Vec<&Timing> = rows.iter().filter(|row| row.kernel != "textbook").collect();
    let cut =
        |schedule: &str| kernels.iter().any(|row| row.schedule == schedule && row.substeps > 1);
    // Those that were cut into substeps have a line of their own, from the same first point.
    let mut lines: Vec<((String, usize), &str, Vec<(f64, f64)>)> = Vec::new();
    for row in &kernels {
        let Some(stretch) = row.stretch() else { continue };
        let point = (row.ns_per_stick_and_frame(), stretch);
        let order = position(&SCHEDULES, &row.schedule);
        let mut keys = Vec::new();
        if row.substeps == 1 {
            keys.push((row.schedule.clone(), order));
        }
        if row.iterations == 1 && cut(&row.schedule) {
            // The two colours that no order has: 5 and 6.
            keys.push((format!("{}, substeps", row.schedule), if order == 0 { 5 } else { 6 }));
        }
        for key in keys {
            match lines
                .iter_mut()
                .find(|(known, formula, _)| *known == key && *formula == row.formula)
            {
                Some((_, _, points)) => points.push(point),
                None => lines.push((key, &row.formula, vec![point])),
            }
        }
    }
    lines.sort_by_key(|((_, colour), formula, _)| (*colour, position(&FORMULAS, formula)));
    let series = lines.iter().map(|((_, colour), formula, points)| Series {
        points: points.clone(),
        style: Style { colour: *colour, mark: position(&FORMULAS, formula) },
    });
    let series: Vec<Series> = series.collect();
    let all = series.iter().flat_map(|series| series.points.iter().copied());
    Lines {
        alternative: "Stretch over time, a line for each order and formula, more iterations to \
            the right. The points that nothing beats are in the table below."
            .to_owned(),
        x: Axis { name: "ns a stick and frame", marked: Vec::new() },
        y: Axis { name: "stretch, rms", marked: Vec::new() },
        behind: front(all),
        around: Vec::new(),
        legend: legend(
            lines.iter().map(|(key, _, _)| key),
            lines.iter().map(|(_, formula, _)| *formula),
        ),
        series,
    }
}

fn tradeoff(all: &[Results]) -> Markup {
    let first = all.iter().find_map(|results| results.tradeoff.first());
    html! {
        p {
            "What a stiffer cloth costs. A point is one order, formula and number of iterations (or \
            of substeps with one iteration each), on the fastest kernel for that order; along a \
            line the number grows to the right, doubling. Left is faster, low is stiffer. Nothing \
            is both faster and stiffer than the points on the broad line: those are the ones to \
            choose from."
        }
        @if let Some(row) = first {
            p.quiet {
                "A sheet of " (row.size) " x " (row.size) " particles, " (row.set) " sticks; the \
                stretch after " (row.frames + row.frames / 4) " frames. What blew up is left out."
            }
        }
        (charts(all, |results| {
            (!results.tradeoff.is_empty()).then(|| tradeoff_chart(&results.tradeoff))
        }))
        (beside(all, |results| {
                let rows = &results.tradeoff;
                let point = |row: &Timing| Some((row.ns_per_stick_and_frame(), row.stretch()?));
                let kernels = || rows.iter().filter(|row| row.kernel != "textbook");
                let best = front(kernels().filter_map(point));
                let row = |at: &(f64, f64)| {
                    let row = kernels().find(|row| point(row).as_ref() == Some(at))?;
                    Some(vec![
                        format!("{:.2}", at.0),
                        format!("{:.4}", at.1),
                        row.schedule.clone(),
                        row.formula.clone(),
                        row.iterations.to_string(),
                        row.substeps.to_string(),
                        format!("{}, {}", row.kernel, row.isa),
                    ])
                };
                let header = [
                    "ns a stick and frame", "stretch rms", "schedule", "formula", "iterations",
                    "substeps", "kernel",
                ];
                let rows: Vec<_> = best.iter().filter_map(row).collect();
                (!rows.is_empty()).then(|| numbers(&header, &rows))
        }))
    }
}

fn operations(all: &[Results]) -> Markup {
    let rows = all.iter().map(|results| &results.comparison).find(|rows| !rows.is_empty());
    let said = html! {
        p {
            "How many divisions and square roots a frame takes: a bar is a kind of operation, a \
            group is a formula. They are counted by running the formula's own text on numbers that \
            count, and are the same for every kernel. " code { "quick" } " makes its root from an \
            estimate by integer arithmetic and multiplications."
        }
    };
    let Some(rows) = rows else {
        return html! { (said) p.missing { "This part was not measured." } };
    };
    let mut groups = grouped(rows, |row| row.formula.clone());
    groups.sort_by_key(|(formula, _)| position(&["exact", "newton", "halley", "quick"], formula));
    let counts = |row: &Timing| {
        [row.divisions_per_frame, row.square_roots_per_frame, row.estimates_per_frame]
    };
    let kinds = ["divisions", "square roots", "estimates"];
    let heights = |kind: usize| groups.iter().map(move |(_, rows)| counts(rows[0])[kind] as f64);
    let bars = Bars {
        alternative: "Operations a frame, a group of bars for each formula. The numbers are in \
            the table below."
            .to_owned(),
        y: "operations a frame",
        groups: groups.iter().map(|(formula, _)| formula.clone()).collect(),
        series: kinds
            .iter()
            .enumerate()
            .map(|(kind, name)| ((*name).to_owned(), heights(kind).collect()))
            .collect(),
    };
    let row = |(formula, rows): &(String, Vec<&Timing>)| {
        let mut cells = vec![formula.clone()];
        cells.extend(counts(rows[0]).map(|count| count.to_string()));
        cells
    };
    let mut header = vec!["formula"];
    header.extend(kinds);
    html! {
        (said)
        @if let Some(row) = rows.first() {
            p.quiet {
                "A sheet of " (row.size) " x " (row.size) " particles with "
                (tables::grouped(row.sticks)) " sticks, " (row.substeps) " substep(s) of "
                (row.iterations) " iteration(s)."
            }
        }
        (bars.figure())
        (numbers(&header, &groups.iter().map(row).collect::<Vec<_>>()))
    }
}

/// Shades of what is left of the stretch, each up to a bound.
const SHADES: [(&str, f64, &str); 4] = [
    ("stiff", 0.05, "at most 0.05"),
    ("firm", 0.5, "at most 0.5"),
    ("soft", 1.5, "at most 1.5"),
    ("slack", f64::INFINITY, "more, but bounded"),
];

fn stability(all: &[Results]) -> Markup {
    // The same everywhere, so one is enough.
    let rows = all.iter().map(|results| &results.stability).find(|rows| !rows.is_empty());
    html! {
        p {
            "Some orders gain energy until the cloth explodes. A cell is one simulation: its row \
            says the order and the formula, its column the size of the sheet, the length of a \
            frame and the iterations. A number is the stretch (rms) at the end, less is stiffer; a \
            cross with a number is the frame in which the cloth left all bounds. Harder cases are \
            to the right in each group: larger sheets, longer frames, fewer iterations."
        }
        @match rows {
            None => p.missing { "This part was not measured." },
            Some(rows) => {
                @for (_, rows) in grouped(rows, |row| (row.scene.clone(), row.sticks.clone())) {
                    (map(&rows))
                }
                ul.legend {
                    @for (class, _, said) in SHADES {
                        li { span class=(format!("chip {class}")) {} (said) }
                    }
                    li { span class="chip left" {} "✕ left its bounds at that frame" }
                }
            }
        }
    }
}

/// A row for each order and formula, a column for each size and step.
fn map(rows: &[&Outcome]) -> Markup {
    let Some(first) = rows.first() else { return html! {} };
    let mut columns: Vec<(usize, f32, u32)> = Vec::new();
    for row in rows {
        let column = (row.size, row.dt_s, row.iterations);
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    columns.sort_by(|one, other| {
        one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)).then(other.2.cmp(&one.2))
    });
    let sizes = grouped(&columns, |column| column.0);
    let lengths = grouped(&columns, |column| (column.0, column.1));
    let rate = |dt: f32| if dt > 0.0 { format!("1/{:.0} s", 1.0 / dt) } else { "-".to_owned() };
    let orders = grouped(rows, |row| (row.schedule.clone(), row.default_schedule));
    html! {
        p.quiet {
            "Scene " (first.scene) " with " (first.sticks) " sticks, " (first.frames) " frames; \
            bounded: no stick is ever stretched by more than " (first.bound) " times its length. "
            "What users get who ask for nothing: the orders marked with *, and "
            code { "halley" } "."
        }
        div.scroll tabindex="0" {
            table.map {
                thead {
                    tr {
                        th rowspan="3" scope="col" { "order" }
                        th rowspan="3" scope="col" { "formula" }
                        @for (size, columns) in &sizes {
                            th colspan=(columns.len()) scope="colgroup" { (size) " x " (size) }
                        }
                    }
                    tr { @for ((_, dt), columns) in &lengths {
                        th colspan=(columns.len()) scope="colgroup" { (rate(*dt)) }
                    } }
                    tr { @for (_, _, iterations) in &columns {
                        th scope="col" { (iterations) " it." }
                    } }
                }
                tbody {
                    @for ((order, default), rows) in &orders {
                        @let formulas = grouped(rows, |row| row.formula.clone());
                        @for (at, (formula, rows)) in formulas.iter().enumerate() {
                            tr {
                                @if at == 0 {
                                    th rowspan=(formulas.len()) scope="rowgroup" {
                                        (order) @if *default { "*" }
                                    }
                                }
                                th scope="row" { (formula) }
                                @for column in &columns {
                                    (cell(rows.iter().map(|row| ***row).find(|row| {
                                        (row.size, row.dt_s, row.iterations) == *column
                                    })))
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn cell(row: Option<&Outcome>) -> Markup {
    let outcome = row.map(|row| (row.left_bounds_at, row.stretch_rms));
    match outcome {
        Some((Some(frame), _)) => html! { td.left { "✕ " (frame) } },
        Some((None, Some(rms))) => {
            let shade = SHADES.iter().find(|(_, bound, _)| rms <= *bound).map(|shade| shade.0);
            html! { td class=[shade] { (format!("{rms:.2}")) } }
        }
        _ => html! { td { "-" } },
    }
}

/// What is left of the stretch, by order (colour) and formula (mark).
fn residuals<T>(
    rows: &[T],
    of: impl Fn(&T) -> (&str, &str),
    point: impl Fn(&T) -> Option<(f64, f64)>,
    (x, alternative): (&'static str, &str),
) -> Lines {
    let key = |row: &T| {
        let (schedule, formula) = of(row);
        (schedule.to_owned(), formula.to_owned())
    };
    let mut groups = grouped(rows, key);
    groups.sort_by_key(|((schedule, formula), _)| {
        (position(&SCHEDULES, schedule), position(&FORMULAS, formula))
    });
    let series = groups.iter().map(|((schedule, formula), rows)| Series {
        points: rows.iter().filter_map(|row| point(row)).collect(),
        style: Style { colour: position(&SCHEDULES, schedule), mark: position(&FORMULAS, formula) },
    });
    let orders: Vec<(String, usize)> = groups
        .iter()
        .map(|((schedule, _), _)| (schedule.clone(), position(&SCHEDULES, schedule)))
        .collect();
    let series: Vec<Series> = series.collect();
    let mut marked: Vec<f64> =
        series.iter().flat_map(|series| &series.points).map(|point| point.0).collect();
    marked.sort_by(f64::total_cmp);
    marked.dedup();
    Lines {
        alternative: alternative.to_owned(),
        x: Axis { name: x, marked },
        y: Axis { name: "stretch, rms", marked: Vec::new() },
        series,
        behind: Vec::new(),
        around: Vec::new(),
        legend: legend(orders.iter(), groups.iter().map(|((_, formula), _)| formula.as_str())),
    }
}

fn convergence(all: &[Results]) -> Markup {
    // The same everywhere, so one is enough.
    let iterations = all.iter().map(|results| &results.iterations).find(|rows| !rows.is_empty());
    let frames = all.iter().map(|results| &results.frames).find(|rows| !rows.is_empty());
    let scene = |(scene, size, set): (&str, usize, &str)| {
        html! { p.quiet { "Scene " (scene) " " (size) " with " (set) " sticks." } }
    };
    html! {
        p {
            "What is left of the stretch. A line is an order (its colour) and a formula (its mark); \
            a line that falls faster is an order, or a formula, that gets further with the same \
            work. These are the same on every machine and kernel."
        }
        h3 { "Over the iterations of one frame" }
        p {
            "A falling cloth has moved for one frame; then it is relaxed, again and again, and \
            nothing else moves."
        }
        @match iterations {
            None => p.missing { "This part was not measured." },
            Some(rows) => {
                @if let Some(AfterIterations { scene: name, size, set, .. }) = rows.first() {
                    (scene((name, *size, set)))
                }
                (residuals(
                    rows,
                    |row| (&row.schedule, &row.formula),
                    |row| Some((f64::from(row.iterations), row.residual.rms?)),
                    ("iterations", "Stretch over the iterations of one frame, a line for each \
                        order and formula. The numbers are in the table below."),
                ).figure())
                (numbers(&["schedule", "formula", "iterations", "stretch rms"], &rows.iter()
                    .map(|row| vec![row.schedule.clone(), row.formula.clone(),
                        row.iterations.to_string(), number(row.residual.rms)])
                    .collect::<Vec<_>>()))
            }
        }
        h3 { "Over frames" }
        p { "A cloth hangs from its top row and falls; every frame is relaxed by as many iterations." }
        @match frames {
            None => p.missing { "This part was not measured." },
            Some(rows) => {
                @if let Some(AfterFrames { scene: name, size, set, .. }) = rows.first() {
                    (scene((name, *size, set)))
                }
                (residuals(
                    rows,
                    |row| (&row.schedule, &row.formula),
                    |row| Some((row.frames as f64, row.residual.rms?)),
                    ("frames", "Stretch over frames, a line for each order and formula. The \
                        numbers are in the table below."),
                ).figure())
                (numbers(&["schedule", "formula", "frames", "stretch rms"], &rows.iter()
                    .map(|row| vec![row.schedule.clone(), row.formula.clone(),
                        row.frames.to_string(), number(row.residual.rms)])
                    .collect::<Vec<_>>()))
            }
        }
    }
}

fn number(value: Option<f64>) -> String {
    value.map_or("not finite".to_owned(), chart::short)
}
