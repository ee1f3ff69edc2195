//! Compares the fastest row, one substep of n iterations, with n substeps of one iteration.

use taut_bench::{Comparison, Progress, Row, SubstepComparison};

/// Runs a comparison, then its substep comparison.
pub(super) fn run(
    comparison: &Comparison,
    progress: &mut dyn FnMut(Progress<'_>),
) -> anyhow::Result<(Vec<Row>, Option<SubstepComparison>)> {
    // One run for each configuration, one of the textbook loop, and two for the substep comparison.
    let runs = comparison.configurations.len() as f64 + 3.0;
    let rows_fraction = (runs - 2.0) / runs;
    let rows = comparison.run(|inner| {
        progress(Progress { share: inner.share * rows_fraction, ..inner });
    })?;
    let substeps = comparison.compare_substeps(&rows, |inner| {
        let share = rows_fraction + inner.share * (1.0 - rows_fraction);
        progress(Progress { share, ..inner });
    })?;
    Ok((rows, substeps))
}
