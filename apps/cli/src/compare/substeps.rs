//! Compares the fastest row with substeps of one iteration each, as many as its iterations.

use taut_bench::{Contest, Progress, Row, SubstepComparison};

/// Runs a contest, then its substep comparison.
pub(super) fn run(
    contest: &Contest,
    progress: &mut dyn FnMut(Progress<'_>),
) -> anyhow::Result<(Vec<Row>, Option<SubstepComparison>)> {
    // The textbook loop takes part, and the comparison adds two runs.
    let runs = contest.contestants.len() as f64 + 3.0;
    let share_of_rows = (runs - 2.0) / runs;
    let rows = contest.run(|it| {
        progress(Progress { share: it.share * share_of_rows, ..it });
    })?;
    let substeps = contest.compare_substeps(&rows, |it| {
        let share = share_of_rows + it.share * (1.0 - share_of_rows);
        progress(Progress { share, ..it });
    })?;
    Ok((rows, substeps))
}
