//! Compares the fastest row with the same iterations as substeps of one iteration each.

use taut_bench::{Comparison, Progress, Row, SubstepComparison};

/// Runs a comparison, then its substep comparison.
pub(super) fn run(
    comparison: &Comparison,
    progress: &mut dyn FnMut(Progress<'_>),
) -> anyhow::Result<(Vec<Row>, Option<SubstepComparison>)> {
    // One run for each configuration, one of the textbook loop, and two for the substep comparison.
    let runs = comparison.configurations.len() as f64 + 3.0;
    let share_of_rows = (runs - 2.0) / runs;
    let rows = comparison.run(|it| {
        progress(Progress { share: it.share * share_of_rows, ..it });
    })?;
    let substeps = comparison.compare_substeps(&rows, |it| {
        let share = share_of_rows + it.share * (1.0 - share_of_rows);
        progress(Progress { share, ..it });
    })?;
    Ok((rows, substeps))
}
