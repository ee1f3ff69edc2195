//! Comparisons of one scene at several sizes.

use std::collections::BTreeMap;

use crate::comparison::{Comparison, ComparisonError, Progress};
use crate::roofline::{LimitedRow, Peak, limited_rows};
use crate::row::{Row, TEXTBOOK};

/// A comparison for each of several sizes. Rows that become too slow are skipped.
#[derive(Clone, Debug)]
pub struct SizeScaling<F> {
    /// The sizes, from small to large.
    pub sizes: Vec<usize>,
    /// Builds the comparison of a size.
    pub comparison: F,
    /// The maximum time for all frames of a row at one size, s. The time is predicted from the median
    /// time per stick at the last size at which the row was measured; a row whose prediction is above
    /// the maximum is skipped.
    pub row_seconds_max: f64,
}

/// The rows of one size.
#[derive(Clone, Debug)]
pub struct SizeScalingPoint {
    /// The size.
    pub size: usize,
    /// The rows of [`Comparison::run`] that were not skipped.
    pub rows: Vec<LimitedRow>,
}

impl<F, E> SizeScaling<F>
where
    F: Fn(usize) -> Result<Comparison, E>,
    E: From<ComparisonError>,
{
    /// Runs all sizes, on kernels of one thread. A row has a limit of the roofline model if
    /// its instruction set is in `peaks`.
    ///
    /// # Errors
    /// If a comparison cannot be built, or as [`Comparison::run`].
    pub fn run(
        &self,
        peaks: &[Peak],
        mut progress: impl FnMut(Progress<'_>),
    ) -> Result<Vec<SizeScalingPoint>, E> {
        let total = self.sizes.len() as f64;
        let mut ns_per_stick: BTreeMap<String, f64> = BTreeMap::new();
        let mut points = Vec::new();
        for (done, &size) in self.sizes.iter().enumerate() {
            let mut comparison = (self.comparison)(size)?;
            let relaxations = comparison.relaxations_in_all_frames();
            let is_fast = |name: &str| {
                ns_per_stick
                    .get(name)
                    .is_none_or(|ns| ns * 1e-9 * relaxations <= self.row_seconds_max)
            };
            comparison.configurations.retain(|one| is_fast(&one.name()));
            comparison.baselines.textbook &= is_fast(TEXTBOOK);
            let rows = limited_rows(&comparison, peaks, |Progress { share, doing }| {
                let share = (done as f64 + share) / total;
                progress(Progress { share, doing: &format!("size {size}: {doing}") });
            })?;
            for LimitedRow { row, .. } in &rows {
                let Row { ns_per_stick_median, kernel, .. } = *row;
                let name = if kernel == TEXTBOOK { TEXTBOOK.to_owned() } else { row.name() };
                ns_per_stick.insert(name, ns_per_stick_median);
            }
            points.push(SizeScalingPoint { size, rows });
        }
        Ok(points)
    }
}
