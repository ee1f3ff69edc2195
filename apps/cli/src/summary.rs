//! The selected rows of a comparison.

use taut::Formula;
use taut_bench::Row;

/// The values of a row of a comparison that the table of selected rows shows.
#[derive(Clone, Debug)]
pub(crate) struct SummaryRow {
    pub(crate) kernel: String,
    pub(crate) isa: String,
    pub(crate) threads: usize,
    pub(crate) formula: String,
    pub(crate) schedule: String,
    /// Time per relaxation of a stick, ns: the median over frames.
    pub(crate) ns_per_stick: f64,
    /// `None` if the textbook loop was not measured.
    pub(crate) speedup_over_textbook: Option<f64>,
    /// `None` if the scalar kernel was not measured.
    pub(crate) speedup_over_scalar: Option<f64>,
    pub(crate) divisions_per_frame: u64,
    pub(crate) square_roots_per_frame: u64,
    /// `None` if the simulation blew up.
    pub(crate) stretch_rms: Option<f64>,
    /// The largest distance of a particle from its position in `f64`, m; `None` if it was not measured or is not
    /// finite.
    pub(crate) error_vs_f64: Option<f64>,
}

impl From<&Row> for SummaryRow {
    fn from(row: &Row) -> Self {
        let if_finite = |value: f64| Some(value).filter(|value| value.is_finite());
        Self {
            kernel: row.kernel_name(),
            isa: row.isa.to_owned(),
            threads: row.threads,
            formula: row.formula.to_owned(),
            schedule: row.schedule.clone(),
            ns_per_stick: row.ns_per_stick_median,
            speedup_over_textbook: if_finite(row.speedup_over_textbook),
            speedup_over_scalar: if_finite(row.speedup_over_scalar),
            divisions_per_frame: row.divisions_per_frame,
            square_roots_per_frame: row.square_roots_per_frame,
            stretch_rms: (!row.blew_up()).then_some(row.stretch_rms),
            error_vs_f64: if_finite(row.error_vs_f64),
        }
    }
}

/// The headers of the columns as Markdown, and whether each column is right-aligned.
pub(crate) const COLUMNS: [(&str, bool); 10] = [
    ("kernel", false),
    ("instruction set", false),
    ("formula", false),
    ("schedule", false),
    ("ns per stick and iteration", true),
    ("speedup over `textbook`", true),
    ("speedup over fastest `scalar`", true),
    ("divisions, roots per frame", true),
    ("stretch rms", true),
    ("error vs `f64`, m", true),
];

/// A description of the rows that [`selected_rows`] returns, for readers of the table.
pub(crate) const SELECTION: &str = "The table shows the fastest row of each formula and, with \
    the default formula, of each schedule and of each kernel, instruction set and number of threads.";

/// The selected rows, the fastest first: see [`SELECTION`]. Rows that blew up are excluded.
pub(crate) fn selected_rows<'a, R: 'a>(rows: &'a [R]) -> Vec<SummaryRow>
where
    SummaryRow: From<&'a R>,
{
    let rows = rows.iter().map(SummaryRow::from);
    let mut sorted: Vec<SummaryRow> = rows.filter(|row| row.stretch_rms.is_some()).collect();
    sorted.sort_by(|one, other| one.ns_per_stick.total_cmp(&other.ns_per_stick));
    // A row is selected if it is the fastest one with at least one of its keys.
    let mut seen_keys = Vec::new();
    sorted.retain(|row| {
        let mut keys = vec![format!("formula {}", row.formula)];
        // The textbook loop has only the formula `exact`, so it is treated like the default formula.
        if row.formula == Formula::default().name() || row.kernel == "textbook" {
            keys.push(format!("kernel {} {} {}", row.kernel, row.isa, row.threads));
            keys.push(format!("schedule {}", row.schedule));
        }
        keys.retain(|key| !seen_keys.contains(key));
        let is_selected = !keys.is_empty();
        seen_keys.append(&mut keys);
        is_selected
    });
    sorted
}

impl SummaryRow {
    /// The text in each of [`COLUMNS`].
    pub(crate) fn cells(&self) -> [String; 10] {
        [
            match self.threads {
                1 => self.kernel.clone(),
                threads => format!("{}, {threads} threads", self.kernel),
            },
            self.isa.clone(),
            self.formula.clone(),
            self.schedule.clone(),
            format!("{:.2}", self.ns_per_stick),
            optional_number(self.speedup_over_textbook, 1),
            optional_number(self.speedup_over_scalar, 1),
            [self.divisions_per_frame, self.square_roots_per_frame].map(millions).join(", "),
            optional_number(self.stretch_rms, 4),
            self.error_vs_f64.map_or("-".to_owned(), |metres| format!("{metres:.0e}")),
        ]
    }
}

/// Formats a value with a number of decimals, or `-` if there is none.
pub(crate) fn optional_number(value: Option<f64>, decimals: usize) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:.decimals$}"))
}

/// Formats a count: 1030224 as `1.03 M`, and counts below 10,000 with all digits.
fn millions(count: u64) -> String {
    match count {
        0..10_000 => count.to_string(),
        _ => format!("{:.2} M", count as f64 / 1e6),
    }
}
