//! `taut report`: result files and the page. All tests except the last use synthetic results.

use scraper::{ElementRef, Html, Selector};
use serde_json::{Value, json};

use crate::run::Folder;

/// A README with the markers of one generated table.
pub(crate) const README: &str = "Before.\n\n<!-- made by taut report: comparison -->\nold table\n\
    <!-- end of taut report output -->\n\nAfter.\n";

/// The machine of a result file.
fn machine(cpu: &str) -> Value {
    json!({
        "cpu": cpu, "features": ["avx2", "scalar"], "cores": 2, "rustc": "rustc 1.0",
        "target": "test-target", "flags": "release, no flags", "commit": "c0ffee"
    })
}

/// The content of a result file: one part of a report, measured on a machine with this CPU.
pub(crate) fn part(name: &str, cpu: &str, rows: &[Value]) -> Value {
    json!({ "format": 1, "part": name, "quick": false, "machine": machine(cpu), "rows": rows })
}

/// A result row for a sheet; times, counts, speedups and stretch are computed from the arguments.
/// `nanoseconds` is the time per relaxation of a stick. The speedups assume 12 ns for the textbook loop
/// and 4 ns for the scalar kernel.
pub(crate) fn timing_row(
    kernel: &str,
    formula: &str,
    schedule: &str,
    size: u32,
    nanoseconds: f64,
) -> Value {
    let sticks = 2 * size * size;
    json!({
        "scene": "drape", "size": size, "set": "all", "shuffled": false, "kernel": kernel,
        "isa": if kernel == "grid" { "avx2" } else { "scalar" }, "lanes": if kernel == "grid" { 8 } else { 1 },
        "formula": formula,
        "schedule": schedule, "threads": 1, "particles": size * size, "sticks": sticks,
        "substeps": 1, "iterations": 8, "frames": 16,
        "frame_us_median": nanoseconds * f64::from(sticks) * 8e-3,
        "ns_per_stick_median": nanoseconds, "speedup_over_textbook": 12.0 / nanoseconds,
        "speedup_over_scalar": 4.0 / nanoseconds, "divisions_per_frame": 8 * sticks,
        "square_roots_per_frame": if formula == "exact" { 8 * sticks } else { 0 },
        "estimates_per_frame": 0, "stretch_rms": nanoseconds / 100.0, "error_vs_f64": 6e-6,
        "finite": true
    })
}

/// A row of each kernel on a sheet of this size; the kernel grid has two formulas.
pub(crate) fn timing_rows(size: u32) -> Vec<Value> {
    vec![
        timing_row("textbook", "exact", "authored", size, 12.0),
        timing_row("scalar", "halley", "sheet", size, 4.0),
        timing_row("grid", "halley", "sheet", size, 0.5),
        timing_row("grid", "exact", "sheet", size, 0.625),
    ]
}

/// A row of the part `stability`. `left_bounds_at`: the frame after which the simulation left
/// its bounds, if any.
fn stability_row(formula: &str, size: u32, left_bounds_at: Option<u32>) -> Value {
    json!({
        "scene": "drape", "size": size, "sticks": "all", "schedule": "authored",
        "default_schedule": false, "formula": formula, "iterations": 1, "dt_s": 1.0 / 60.0,
        "frames": 360, "bound": 100.0, "left_bounds_at": left_bounds_at,
        "stretch_rms": if left_bounds_at.is_some() { None } else { Some(0.25) }
    })
}

/// A row of the part `iterations` or `frames`: the stretch after `count` of them; `count_key` is the
/// name of that field.
fn stretch_row(count_key: &str, count: u32, rms: Option<f64>) -> Value {
    json!({
        "scene": "drape", "size": 8, "set": "all", "formula": "halley", "schedule": "sheet",
        count_key: count, "residual": { "rms": rms }
    })
}

/// A row of the part `effort`: the cheapest frame with an rms stretch of at most 1 %.
fn effort_row(tethers: bool, size: u32, microseconds: f64) -> Value {
    json!({
        "scene": "drape", "size": size, "set": "all", "pins": "two corners", "within": 0.01,
        "tethers": tethers, "substeps": 9, "iterations": 1, "kernel": "grid", "isa": "avx2",
        "frame_us_fastest": microseconds, "textbook_frame_us": 200.0, "stretch_rms": 0.0098,
        "stretch_max": 0.3
    })
}

/// Rows of the part `effort`: two sizes, without and with tethers.
fn effort_rows() -> [Value; 4] {
    [
        effort_row(false, 64, 100.0),
        effort_row(true, 64, 30.0),
        effort_row(false, 128, 200.0),
        effort_row(true, 128, 40.0),
    ]
}

/// A row of the part `growth`: the time per relaxation of a stick, ns, at one size.
pub(crate) fn growth_row(subject: &str, kernel: &str, size: u32, nanoseconds: f64) -> Value {
    let (formula, schedule) =
        if kernel == "textbook" { ("exact", "authored") } else { ("halley", "sheet") };
    let mut row = timing_row(kernel, formula, schedule, size, nanoseconds);
    row["subject"] = json!(subject);
    row["error_vs_f64"] = Value::Null;
    if kernel != "textbook" {
        row["limit_ns"] = json!(nanoseconds / 2.0);
        row["bottleneck"] = json!("divider");
    }
    row
}

/// Rows at three sizes for each subject. The textbook loop has a row only at the smallest size, the scalar
/// kernel at the two smallest.
pub(crate) fn growth_rows() -> Vec<Value> {
    let rows = |subject: &'static str| {
        let mut rows = vec![
            growth_row(subject, "textbook", 16, 12.0),
            growth_row(subject, "scalar", 16, 4.0),
            growth_row(subject, "grid", 16, 0.5),
            growth_row(subject, "scalar", 32, 4.0),
            growth_row(subject, "grid", 32, 0.5),
            growth_row(subject, "grid", 64, 0.5),
        ];
        // Without the textbook loop at that size there is no speedup over it.
        for row in &mut rows[3..] {
            row["speedup_over_textbook"] = Value::Null;
        }
        rows
    };
    ["sheets", "meshes", "copies"].into_iter().flat_map(rows).collect()
}

/// All parts of the results of a machine.
pub(crate) fn all_parts(cpu: &str) -> Vec<Value> {
    let two_sizes = [timing_rows(16), timing_rows(32)].concat();
    vec![
        part("sheets", cpu, &two_sizes),
        part("meshes", cpu, &two_sizes),
        part("copies", cpu, &two_sizes),
        part("growth", cpu, &growth_rows()),
        part("comparison", cpu, &timing_rows(32)),
        part("tradeoff", cpu, &two_sizes),
        part(
            "stability",
            cpu,
            &[stability_row("exact", 64, Some(36)), stability_row("halley", 64, None)],
        ),
        part("iterations", cpu, &[1, 2, 4].map(|n| stretch_row("iterations", n, Some(0.5)))),
        part("frames", cpu, &[1, 2, 4].map(|n| stretch_row("frames", n, Some(0.5)))),
        part("effort", cpu, &effort_rows()),
    ]
}

/// A folder with each part in a file, and with [`README`] as README.md.
pub(crate) fn folder_with_results(parts: &[Value]) -> Folder {
    let name_of = |index: usize| format!("{index}.json");
    let names: Vec<String> = (0..parts.len()).map(name_of).collect();
    let mut files: Vec<(&str, Vec<u8>)> = vec![("README.md", README.into())];
    files.extend(names.iter().zip(parts).map(|(name, part)| (&**name, part.to_string().into())));
    Folder::with_files(&files)
}

/// The page of these results: its text, and the parsed document.
fn report_page(parts: &[Value]) -> (String, Html) {
    let folder = folder_with_results(parts);
    let output = folder.taut("report --from . --out page.html").assert_success();
    assert_eq!((&*output.out, &*output.err), ("The report is in page.html.\n", ""));
    let text = folder.read("page.html");
    let parsed = Html::parse_document(&text);
    assert_eq!(parsed.errors, Vec::<std::borrow::Cow<'_, str>>::new());
    (text, parsed)
}

/// The elements of a page that match a CSS selector.
fn select_all<'a>(page: &'a Html, selector: &str) -> Vec<ElementRef<'a>> {
    page.select(&Selector::parse(selector).unwrap()).collect()
}

/// The text inside an element.
fn text(element: ElementRef<'_>) -> String {
    element.text().collect()
}

#[test]
fn every_section_of_the_page_has_text_and_a_chart_or_table() {
    let (_, page) = report_page(&all_parts("CPU A"));
    let sections = select_all(&page, "main > section");
    assert_eq!(sections.len(), 11, "the number of `SECTIONS` in apps/cli/src/report/page/mod.rs");
    for section in sections {
        let count = |selector: &str| section.select(&Selector::parse(selector).unwrap()).count();
        let name = section.attr("id").unwrap();
        assert_eq!(count("h2"), 1, "{name}");
        assert!(count("p") >= 1, "{name} has no text");
        assert!(
            count("figure") + count("table") + count("dl") >= 1,
            "{name} has no chart, table or list"
        );
        assert_eq!(count(".missing"), 0, "{name}");
        assert_eq!(select_all(&page, &format!("nav a[href='#{name}']")).len(), 1, "{name}");
    }
}

#[test]
fn every_chart_has_a_wide_and_a_narrow_variant_a_description_units_and_a_legend() {
    let (_, page) = report_page(&all_parts("CPU A"));
    let figures = select_all(&page, "figure");
    // 3 of growth, 2 of convergence, and 1 of each of sheets, meshes, copies, effort, tradeoff and operations.
    assert_eq!(figures.len(), 11);
    for figure in figures {
        let select = |selector: &str| -> Vec<_> {
            figure.select(&Selector::parse(selector).unwrap()).collect()
        };
        for variant in ["wide", "narrow"] {
            let [svg] = select(&format!("svg.{variant}")).try_into().unwrap();
            assert!(svg.attr("aria-label").is_some_and(|label| label.len() > 20));
            assert_eq!((svg.attr("role"), svg.attr("width")), (Some("img"), None));
            assert!(svg.attr("viewBox").is_some_and(|value| value.starts_with("0 0 ")));
            assert!(
                text(svg).contains("stretch, rms")
                    || text(svg).contains("per frame")
                    || text(svg).contains("textbook frames")
                    || text(svg).contains("ns per stick"),
                "{}",
                text(svg)
            );
        }
        assert!(!select(".legend li").is_empty());
    }
}

#[test]
fn the_page_loads_no_other_files() {
    let (text, page) = report_page(&all_parts("CPU A"));
    for external in ["http:", "https:", "url(", "@import", "<script", "<link", "<img", "<iframe"] {
        assert!(!text.contains(external), "{external}");
    }
    assert!(select_all(&page, "[src]").is_empty());
    assert!(
        select_all(&page, "[href]").iter().all(|link| link.attr("href").unwrap().starts_with('#'))
    );
    assert!(text.contains("prefers-color-scheme: dark") && text.contains("width=device-width"));
}

#[test]
fn the_page_shows_the_results() {
    let (_, page) = report_page(&all_parts("CPU A"));
    let machine = text(select_all(&page, "#machine")[0]);
    for expected in ["CPU A", "rustc 1.0", "test-target", "release, no flags", "c0ffee", "avx2"] {
        assert!(machine.contains(expected), "{expected}: {machine}");
    }
    let rows: Vec<String> =
        select_all(&page, "#comparison tbody tr").into_iter().map(text).collect();
    assert_eq!(rows.len(), 4);
    assert!(rows[0].contains("grid") && rows[0].contains("0.50"), "{rows:?}");
    assert!(rows[3].contains("textbook") && rows[3].contains("12.00"), "{rows:?}");
    let cells: Vec<String> = select_all(&page, "#stability td").into_iter().map(text).collect();
    assert_eq!(cells, ["✕ 36", "0.25"]);
    let rows: Vec<String> = select_all(&page, "#effort tbody tr").into_iter().map(text).collect();
    assert!(rows[0].contains("9 x 1") && rows[0].contains("0.50"), "{rows:?}");
    assert!(rows[1].contains("yes") && rows[1].contains("0.15"), "{rows:?}");
}

#[test]
fn effort_has_a_chart_per_stick_set_and_lines_by_bound_with_and_without_tethers() {
    let structural = effort_rows().map(|mut row| {
        row["set"] = json!("structural");
        row
    });
    let tight_bound = effort_rows().map(|mut row| {
        row["within"] = json!(0.001);
        row
    });
    let rows = [&effort_rows()[..], &tight_bound, &structural].concat();
    let (_, page) = report_page(&[part("effort", "CPU A", &rows)]);
    let headings: Vec<String> = select_all(&page, "#effort h3").into_iter().map(text).collect();
    assert_eq!(headings, ["Sheets with all sticks", "Sheets with structural sticks"]);
    let [both_bounds, one_bound] = select_all(&page, "#effort figure").try_into().unwrap();
    let select = |figure: ElementRef<'_>, selector: &str| -> Vec<String> {
        let selected = figure.select(&Selector::parse(selector).unwrap()).collect::<Vec<_>>();
        selected
            .into_iter()
            .map(|element| element.attr("points").map_or(text(element), str::to_owned))
            .collect()
    };
    for (figure, lines) in [(both_bounds, 4), (one_bound, 2)] {
        let lines_drawn = select(figure, "svg.wide polyline[stroke-width='2']");
        assert_eq!(lines_drawn.len(), lines, "{lines_drawn:?}");
        let point_count = |line: &String| line.split_whitespace().count();
        assert!(lines_drawn.iter().all(|line| point_count(line) == 2), "{lines_drawn:?}");
        // The legend has the bounds of all charts, so that their colours agree.
        let legend = select(figure, ".legend li");
        let legend: Vec<&str> = legend.iter().map(|entry| entry.trim()).collect();
        let bounds = ["two corners, rms stretch ≤ 1 %", "two corners, rms stretch ≤ 0.1 %"];
        assert_eq!(legend, [&bounds[..], &["without tethers", "with tethers"]].concat());
    }
}

#[test]
fn growth_has_a_chart_with_a_limit_for_each_subject_and_lists_kernels_left_out() {
    let (_, page) = report_page(&[part("growth", "CPU A", &growth_rows())]);
    let figures = select_all(&page, "#growth figure");
    assert_eq!(figures.len(), 3);
    for figure in figures {
        let select = |selector: &str| -> Vec<String> {
            figure.select(&Selector::parse(selector).unwrap()).map(text).collect()
        };
        // The limit is one broad line, without a tooltip.
        let [broad_line] = select("svg.wide polyline[stroke-width='9']").try_into().unwrap();
        assert_eq!(broad_line, "");
        assert_eq!(select("svg.wide polyline[stroke-width='2']").len(), 3);
        let legend = select(".legend li");
        assert_eq!(legend.len(), 4);
        assert!(legend[3].contains("limit"), "{legend:?}");
    }
    let tables = select_all(&page, "#growth table");
    assert_eq!(tables.len(), 3);
    let cells = |row: ElementRef<'_>| -> Vec<String> {
        row.select(&Selector::parse("td").unwrap()).map(text).collect()
    };
    for table in tables {
        let row = Selector::parse("tbody tr").unwrap();
        let rows: Vec<Vec<String>> = table.select(&row).map(cells).collect();
        assert_eq!(rows.len(), 9, "{rows:?}");
        // `cells[4]` is the kernel; `cells[8..]`: ns per stick, speedup, rms stretch, limit in ns, time / limit.
        assert_eq!(rows[0][8..], ["12.000", "1.0", "0.1200", "-", "-"]);
        assert_eq!(rows[2][8..], ["0.500", "24.0", "0.0050", "0.250", "2.0"]);
        let left_out: Vec<String> = rows
            .iter()
            .filter(|cells| cells[8..] == ["left out", "-", "-", "-", "-"])
            .map(|cells| format!("{} {}", cells[0], cells[4]))
            .collect();
        assert_eq!(left_out, ["32 textbook", "64 textbook", "64 scalar"]);
    }
}

#[test]
fn results_of_several_machines_and_repeated_results_are_side_by_side() {
    let (_, page_of_two) = report_page(&[all_parts("CPU A"), all_parts("CPU B")].concat());
    let figures =
        |page: &Html, section: &str| select_all(page, &format!("#{section} figure")).len();
    assert_eq!((figures(&page_of_two, "sheets"), figures(&page_of_two, "tradeoff")), (2, 2));
    let labels: String = select_all(&page_of_two, "#sheets h3").into_iter().map(text).collect();
    assert!(labels.contains("CPU A") && labels.contains("CPU B"), "{labels}");
    let (_, page_of_repeated) = report_page(&[all_parts("CPU A"), all_parts("CPU A")].concat());
    assert_eq!(figures(&page_of_repeated, "sheets"), 2);
}

#[test]
fn unmeasured_parts_are_marked_as_missing() {
    let (_, page) = report_page(&[part("comparison", "CPU A", &timing_rows(32))]);
    for section in ["sheets", "meshes", "copies", "growth", "effort", "tradeoff", "stability"] {
        assert!(text(select_all(&page, &format!("#{section}"))[0]).contains("was not measured"));
    }
    assert!(select_all(&page, "#comparison .missing").is_empty());
}

#[test]
fn names_are_escaped() {
    let cpu = "<script>alert(1)</script> & \"Sons\"";
    let (_, page) = report_page(&all_parts(cpu));
    assert!(select_all(&page, "script").is_empty());
    assert!(text(select_all(&page, "#machine")[0]).contains(cpu));
}

#[test]
fn values_that_cannot_be_drawn_leave_no_nan_in_the_page() {
    for value in [0.0, -1.0, 1e300, 1e-300] {
        let mut undrawable = timing_row("grid", "halley", "sheet", 64, 1.0);
        for time in ["ns_per_stick_median", "frame_us_median"] {
            undrawable[time] = json!(value);
        }
        let rows = [timing_rows(32), vec![undrawable]].concat();
        let names = ["sheets", "meshes", "copies", "comparison", "tradeoff"];
        let parts = names.map(|name| part(name, "CPU A", &rows));
        let (text, page) = report_page(&parts);
        assert!(!text.contains("NaN") && !text.contains("inf\""), "{value}");
        assert_eq!(select_all(&page, "#sheets figure").len(), 1, "{value}");
    }
    let blown_up = [stretch_row("frames", 1, Some(0.1)), stretch_row("frames", 2, None)];
    let (_, page) = report_page(&[part("frames", "CPU A", &blown_up)]);
    assert!(text(select_all(&page, "#convergence details")[0]).contains("not finite"));
}

#[test]
fn invalid_results_are_rejected() {
    let mut other_format = part("sheets", "CPU A", &[]);
    other_format["format"] = json!(99);
    let mut no_kernel = part("sheets", "CPU A", &timing_rows(16));
    no_kernel["rows"][0].as_object_mut().unwrap().remove("kernel");
    let mut no_time = part("sheets", "CPU A", &timing_rows(16));
    no_time["rows"][0]["ns_per_stick_median"] = Value::Null;
    for (bytes, expected) in [
        ("nothing".to_owned(), "result file"),
        ("[]".to_owned(), "result file"),
        (other_format.to_string(), "99"),
        (part("weather", "CPU A", &[]).to_string(), "weather"),
        (no_kernel.to_string(), "kernel"),
        (no_time.to_string(), "null"),
    ] {
        let folder = Folder::with_files(&[("bad.json", bytes.into())]);
        folder.taut("report --from bad.json --out page.html").assert_error(&["bad.json", expected]);
        assert!(!folder.contains("page.html"), "page.html was written despite the error");
    }
    let folder = Folder::new();
    folder.taut("report --from none.json --out -").assert_error(&["none.json", "cannot be read"]);
    folder.taut("report --from . --out -").assert_error(&["no .json file"]);
    // An interrupted `--save` leaves empty files, which are skipped in folders.
    let files =
        [("0.json", Vec::new()), ("1.json", part("sheets", "CPU A", &[]).to_string().into())];
    let folder = Folder::with_files(&files);
    folder.taut("report --from . --out page.html").assert_success();
    folder.taut("report --from 0.json --out -").assert_error(&["0.json", "result file"]);
    folder.taut("report --from . --quick").assert_usage_error(&["--from", "--quick"]);
    folder.taut("report --check").assert_usage_error(&["--readme"]);
    folder.taut("report --parts weather").assert_usage_error(&["weather", "sheets"]);
}

#[test]
fn stored_results_give_the_same_page() {
    let folder = Folder::new();
    let output =
        folder.taut("report --quick --parts meshes,growth --save kept --out measured.html");
    output.assert_success();
    folder.taut("report --from kept --out read.html").assert_success();
    let measured = folder.read("measured.html");
    assert_eq!(measured, folder.read("read.html"));
    let page = Html::parse_document(&measured);
    assert_eq!(select_all(&page, "figure").len(), 4, "meshes 1, growth 3");
    assert!(measured.contains("Measured with --quick"));
}
