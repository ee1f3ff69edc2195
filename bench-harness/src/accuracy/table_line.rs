//! All rows as one long table, for spreadsheets and charts.

use serde::Serialize;

use super::{Accuracy, DriftRow, EffortRow, FrameRow, IterationRow};
use crate::residual::Residual;

/// One value of a row: a line of the long table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TableLine {
    /// The name of the part.
    pub part: &'static str,
    /// For `effort`: the scene with its size and stick set, its pins, the bound of the rms stretch, and
    /// whether it has tethers; otherwise empty.
    pub case: String,
    /// The kernel; empty where all kernels give the same value.
    pub kernel: String,
    /// The formula.
    pub formula: &'static str,
    /// The name of the arrangement.
    pub schedule: String,
    /// The number of iterations or frames before the measurement; for `effort`, the number of
    /// substeps.
    pub at: Option<u64>,
    /// The name of the quantity, with its unit; `share`: the change as a fraction of the initial value.
    pub quantity: &'static str,
    /// Its value.
    pub value: f64,
}

impl Accuracy {
    /// The measured values of all rows, without the times of the textbook loop.
    pub fn table_lines(&self) -> Vec<TableLine> {
        let iterations = self.iterations.iter().flat_map(iteration_lines);
        let frames = self.frames.iter().flat_map(frame_lines);
        let drift = self.drift.iter().flat_map(drift_lines);
        let effort = self.effort.iter().flat_map(|effort| &effort.rows).flat_map(effort_lines);
        iterations.chain(frames).chain(drift).chain(effort).collect()
    }
}

fn iteration_lines(row: &IterationRow) -> Vec<TableLine> {
    let mut quantities = residual_quantities(row.residual).to_vec();
    quantities.extend([
        ("distance_from_f64_rms_m", row.distance_from_f64.rms),
        ("distance_from_f64_max_m", row.distance_from_f64.max),
        ("distance_from_limit_rms_m", row.distance_from_limit.rms),
        ("distance_from_limit_max_m", row.distance_from_limit.max),
    ]);
    let at = u64::from(row.iterations);
    lines(("iterations", ""), row.formula, &row.schedule, Some(at), &quantities)
}

fn frame_lines(row: &FrameRow) -> Vec<TableLine> {
    let mut quantities = residual_quantities(row.residual).to_vec();
    quantities.extend([
        ("distance_from_f64_rms_m", row.distance_from_f64.rms),
        ("distance_from_f64_max_m", row.distance_from_f64.max),
    ]);
    lines(("frames", ""), row.formula, &row.schedule, Some(row.frames as u64), &quantities)
}

fn drift_lines(row: &DriftRow) -> Vec<TableLine> {
    let mut quantities = residual_quantities(row.residual).to_vec();
    quantities.extend([
        ("momentum_share", row.momentum),
        ("momentum_f64_share", row.momentum_f64),
        ("angular_momentum_share", row.angular_momentum),
        ("angular_momentum_f64_share", row.angular_momentum_f64),
        ("energy_share", row.energy),
    ]);
    lines(("drift", ""), row.formula, &row.schedule, Some(row.frames as u64), &quantities)
}

fn effort_lines(row: &EffortRow) -> Vec<TableLine> {
    let EffortRow { scene, size, set, pins, within, tethers, .. } = row;
    let tethers = if *tethers { "tethers" } else { "no tethers" };
    let case = format!("{scene} {size} {set}, {pins}, within {within}, {tethers}");
    let quantities = [
        ("iterations", f64::from(row.iterations)),
        ("frame_us_fastest", row.frame_us_fastest),
        ("frame_us_median", row.frame_us_median),
        ("stretch_rms", row.stretch_rms),
        ("stretch_max", row.stretch_max),
    ];
    let at = Some(u64::from(row.substeps));
    let all =
        lines(("effort", row.kernel), row.formula, &row.schedule, at, &quantities).into_iter();
    all.map(|line| TableLine { case: case.clone(), ..line }).collect()
}

/// The quantities of a residual, whose `rms`, `max` and percentiles are of the stretch alone.
fn residual_quantities(residual: Residual) -> [(&'static str, f64); 7] {
    let Residual { rms, max, compression_rms, compression_max, p50, p90, p99 } = residual;
    [
        ("stretch_rms", rms),
        ("stretch_max", max),
        ("compression_rms", compression_rms),
        ("compression_max", compression_max),
        ("stretch_p50", p50),
        ("stretch_p90", p90),
        ("stretch_p99", p99),
    ]
}

fn lines(
    (part, kernel): (&'static str, &str),
    formula: &'static str,
    schedule: &str,
    at: Option<u64>,
    quantities: &[(&'static str, f64)],
) -> Vec<TableLine> {
    let line = |&(quantity, value): &(&'static str, f64)| TableLine {
        part,
        case: String::new(),
        kernel: kernel.to_owned(),
        formula,
        schedule: schedule.to_owned(),
        at,
        quantity,
        value,
    };
    quantities.iter().map(line).collect()
}
