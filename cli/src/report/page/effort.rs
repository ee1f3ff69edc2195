//! Effort: the cheapest frame within a bound of stretch.

use maud::{Markup, html};

use super::pieces::{beside, table};
use crate::report::results::{Effort, Results};

const COLUMNS: [(&str, bool); 10] = [
    ("scene", false),
    ("hangs from", false),
    ("within", true),
    ("tethers", false),
    ("substeps x iterations", true),
    ("fastest frame, µs", true),
    ("in frames of the textbook", true),
    ("stretch rms", true),
    ("stretch max", true),
    ("kernel", false),
];

pub(super) fn effort(all: &[Results]) -> Markup {
    html! {
        p {
            "The cheapest frame that keeps the stretch within a bound: the root mean square over the \
            structural sticks and over frames 121 to 240. For 1, 2 and 4 iterations the least number of \
            substeps is searched, and what is found is timed by turns. A frame of the textbook is one \
            substep of one iteration of the loop as articles print it, which keeps no bound. " b { "Tethers" }
            " keep each particle within its distance along the cloth from what it hangs from."
        }
        (beside(all, |results| {
            let rows: Vec<Vec<String>> = results.effort.iter().map(cells).collect();
            (!rows.is_empty()).then(|| table(COLUMNS.into_iter(), &rows))
        }))
    }
}

fn cells(row: &Effort) -> Vec<String> {
    vec![
        format!("{} {}, {} sticks", row.scene, row.size, row.set),
        row.pins.clone(),
        format!("{} %", 100.0 * row.within),
        if row.tethers { "yes" } else { "no" }.to_owned(),
        format!("{} x {}", row.substeps, row.iterations),
        format!("{:.1}", row.frame_us_fastest),
        format!("{:.2}", row.frame_us_fastest / row.textbook_frame_us),
        format!("{:.5}", row.stretch_rms),
        format!("{:.4}", row.stretch_max),
        format!("`{}` {}", row.kernel, row.isa),
    ]
}
