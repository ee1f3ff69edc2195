//! The resident size of this process over time.

use std::fmt;
use std::fs;

/// The largest growth that passes the check, KiB. An allocator keeps some freed pages, and how many
/// varies over time.
const GROWTH_MAX: i64 = 4096;
/// The smallest number of samples for which growth is computed. There is one sample per simulated minute.
const SAMPLES_MIN: usize = 8;

/// Samples of the resident size, KiB; none on systems other than Linux.
#[derive(Debug, Default)]
pub(super) struct ResidentSizes(Vec<i64>);

impl ResidentSizes {
    /// Adds a sample.
    pub(super) fn add(&mut self) {
        let status = fs::read_to_string("/proc/self/status").ok();
        let size = status.as_deref().and_then(resident_size);
        self.0.extend(size);
    }

    /// The largest sample of the second half minus the largest sample of the first half, KiB; `None` with fewer than
    /// `SAMPLES_MIN` samples.
    fn growth(&self) -> Option<i64> {
        let (first_half, second_half) = self.0.split_at(self.0.len() / 2);
        let has_enough_samples = self.0.len() >= SAMPLES_MIN;
        has_enough_samples.then_some(second_half.iter().max()? - first_half.iter().max()?)
    }

    /// Fails if the memory grew by more than `GROWTH_MAX`. With fewer than `SAMPLES_MIN` samples,
    /// as on systems other than Linux, it passes.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let growth = self.growth().unwrap_or(0);
        anyhow::ensure!(
            growth <= GROWTH_MAX,
            "memory grew by {growth} KiB: expected at most {GROWTH_MAX} KiB"
        );
        Ok(())
    }
}

/// The resident size in the text of `/proc/self/status`, KiB.
fn resident_size(status: &str) -> Option<i64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// The last size and the growth in parentheses, MiB, such as `41.3 (+0.2)`; without the growth if
/// there are fewer than [`SAMPLES_MIN`] samples, and `-` if there are none.
impl fmt::Display for ResidentSizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = |kib: i64| kib as f64 / 1024.0;
        let Some(&last) = self.0.last() else { return f.write_str("-") };
        write!(f, "{:.1}", mib(last))?;
        self.growth().map_or(Ok(()), |growth| write!(f, " ({:+.1})", mib(growth)))
    }
}
