//! The resident size of this process over time.

use std::fmt;
use std::fs;

/// The growth above which memory is not flat, KiB. An allocator keeps some freed pages, and different ones over time.
const GROWTH_MAX: i64 = 4096;
/// Fewer samples say nothing about growth.
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

    /// By how much the peak of the second half of the samples exceeds that of the first half, KiB.
    fn growth(&self) -> Option<i64> {
        let (first, second) = self.0.split_at(self.0.len() / 2);
        let enough = self.0.len() >= SAMPLES_MIN;
        enough.then_some(second.iter().max()? - first.iter().max()?)
    }

    /// Fails if memory grows.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let growth = self.growth().unwrap_or(0);
        anyhow::ensure!(growth <= GROWTH_MAX, "memory grew by {growth} KiB");
        Ok(())
    }
}

fn resident_size(status: &str) -> Option<i64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

impl fmt::Display for ResidentSizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = |kib: i64| kib as f64 / 1024.0;
        let Some(&last) = self.0.last() else { return f.write_str("-") };
        write!(f, "{:.1}", mib(last))?;
        self.growth().map_or(Ok(()), |growth| write!(f, " ({:+.1})", mib(growth)))
    }
}
