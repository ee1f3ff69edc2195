//! All rows as one long table: what spreadsheets and charts want.

use serde::Serialize;

use super::{Accuracy, DriftRow, EffortRow, FrameRow, IterationRow};
use crate::residual::Residual;

/// One number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Of which part.
    pub part: &'static str,
    /// Of which kernel; empty where all give the same.
    pub kernel: String,
    /// The formula.
    pub formula: &'static str,
    /// The arrangement.
    pub schedule: String,
    /// After how many iterations or frames; for `effort`, how many iterations or substeps.
    pub at: Option<u64>,
    /// What it is, with its unit.
    pub quantity: &'static str,
    /// How much.
    pub value: f64,
}

impl Accuracy {
    /// Every number of every row.
    pub fn figures(&self) -> Vec<Figure> {
        let iterations = self.iterations.iter().flat_map(of_iterations);
        let frames = self.frames.iter().flat_map(of_frames);
        let drift = self.drift.iter().flat_map(of_drift);
        let effort = self.effort.iter().flat_map(of_effort);
        iterations.chain(frames).chain(drift).chain(effort).collect()
    }
}

fn of_iterations(row: &IterationRow) -> Vec<Figure> {
    let mut quantities = of_residual(row.residual).to_vec();
    quantities.extend([
        ("off_f64_rms_m", row.off_f64.rms),
        ("off_f64_max_m", row.off_f64.max),
        ("off_solved_rms_m", row.off_solved.rms),
        ("off_solved_max_m", row.off_solved.max),
    ]);
    let at = u64::from(row.iterations);
    figures(("iterations", ""), row.formula, &row.schedule, Some(at), &quantities)
}

fn of_frames(row: &FrameRow) -> Vec<Figure> {
    let mut quantities = of_residual(row.residual).to_vec();
    quantities.extend([("off_f64_rms_m", row.off_f64.rms), ("off_f64_max_m", row.off_f64.max)]);
    figures(("frames", ""), row.formula, &row.schedule, Some(row.frames as u64), &quantities)
}

fn of_drift(row: &DriftRow) -> Vec<Figure> {
    let mut quantities = of_residual(row.residual).to_vec();
    quantities.extend([
        ("momentum_share", row.momentum),
        ("momentum_f64_share", row.momentum_f64),
        ("angular_momentum_share", row.angular_momentum),
        ("angular_momentum_f64_share", row.angular_momentum_f64),
        ("energy_share", row.energy),
    ]);
    figures(("drift", ""), row.formula, &row.schedule, Some(row.frames as u64), &quantities)
}

fn of_effort(row: &EffortRow) -> Vec<Figure> {
    let of = ("effort", row.kernel.as_str());
    let [rms, us] = match row.means {
        super::Means::Iterations => ["iterations_stretch_rms", "iterations_frame_us"],
        super::Means::Substeps => ["substeps_stretch_rms", "substeps_frame_us"],
    };
    let mut quantities = vec![(rms, row.stretch_rms)];
    quantities.extend(row.frame_us.map(|frame| (us, frame)));
    figures(of, row.formula, &row.schedule, row.count.map(u64::from), &quantities)
}

fn of_residual(residual: Residual) -> [(&'static str, f64); 7] {
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

fn figures(
    (part, kernel): (&'static str, &str),
    formula: &'static str,
    schedule: &str,
    at: Option<u64>,
    quantities: &[(&'static str, f64)],
) -> Vec<Figure> {
    let figure = |&(quantity, value): &(&'static str, f64)| Figure {
        part,
        kernel: kernel.to_owned(),
        formula,
        schedule: schedule.to_owned(),
        at,
        quantity,
        value,
    };
    quantities.iter().map(figure).collect()
}
