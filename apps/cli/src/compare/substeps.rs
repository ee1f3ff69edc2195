//! Compares the fastest row, whose frame is one substep of n iterations, with the same kernel on n substeps of one
//! iteration.

use taut_bench::{Comparison, Progress, Row, SubstepComparison};

/// Runs a comparison, then its substep comparison, which is `None` if the step is not one substep of several
/// iterations.
pub(super) fn run(
    comparison: &Comparison,
    progress: &mut dyn FnMut(Progress<'_>),
) -> anyhow::Result<(Vec<Row>, Option<SubstepComparison>)> {
    // For the progress: one simulation for each configuration, one of the textbook loop, and two for the substep
    // comparison.
    let simulations = comparison.configurations.len() as f64 + 3.0;
    let rows_fraction = (simulations - 2.0) / simulations;
    let rows = comparison.run(|inner| {
        progress(Progress { share: inner.share * rows_fraction, ..inner });
    })?;
    let substeps = comparison.compare_substeps(&rows, |inner| {
        let share = rows_fraction + inner.share * (1.0 - rows_fraction);
        progress(Progress { share, ..inner });
    })?;
    Ok((rows, substeps))
}
