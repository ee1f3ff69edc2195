//! The result of a configuration.

use serde::{Serialize, Serializer};

/// The name of the textbook loop among kernels.
pub(crate) const TEXTBOOK: &str = "textbook";

/// The result of one configuration: parameters, time, accuracy and operations.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The kernel's name, or `textbook`.
    pub kernel: &'static str,
    /// The kernel that does the work: for `colour`, its inner kernel.
    pub inner: &'static str,
    /// Its instruction set.
    pub isa: &'static str,
    /// Its number of lanes.
    pub lanes: usize,
    /// The formula.
    pub formula: &'static str,
    /// The name of the arrangement from which the schedule was made, such as `banded+rcm`.
    pub schedule: String,
    /// Number of threads.
    pub threads: usize,
    /// Number of particles, including pinned ones, without padding.
    pub particles: usize,
    /// Number of sticks, including those between pinned particles, without padding.
    pub sticks: usize,
    /// Substeps per frame.
    pub substeps: u32,
    /// Iterations per substep.
    pub iterations: u32,
    /// The length of a frame, s.
    pub dt_s: f32,
    /// Number of timed frames in one repeat.
    pub frames: usize,
    /// The median frame, µs.
    pub frame_us_median: f64,
    /// The fastest frame, µs.
    pub frame_us_fastest: f64,
    /// Median frame / (sticks * iterations * substeps), ns.
    pub ns_per_stick_median: f64,
    /// The same for the fastest frame.
    pub ns_per_stick_fastest: f64,
    /// Median frame of the textbook loop over this median frame; NaN if the loop has no row.
    pub speedup_over_textbook: f64,
    /// Lowest median frame of the rows of the scalar kernel, of any schedule and formula, over this
    /// median frame; NaN without such a row.
    pub speedup_over_scalar: f64,
    /// Median frame of the same inner kernel, instruction set, formula and schedule on one thread
    /// over this median frame; `None` if that was not measured.
    pub speedup_over_one_thread: Option<f64>,
    /// Divisions per frame, counted.
    pub divisions_per_frame: u64,
    /// Square roots per frame, counted.
    pub square_roots_per_frame: u64,
    /// Estimates (integer seeds of reciprocal square roots) per frame, counted.
    pub estimates_per_frame: u64,
    /// Root mean square of the stretch after the last frame, as in [`taut::Stretch`].
    pub stretch_rms: f64,
    /// The largest stretch after the last frame.
    pub stretch_max: f64,
    /// Root mean square of the compression after the last frame.
    pub compression_rms: f64,
    /// The largest compression after the last frame.
    pub compression_max: f64,
    /// The largest distance, m, between the position of a particle and its position in `f64` by the
    /// same schedule and formula, after [`EARLY_FRAME`](crate::EARLY_FRAME) frames (or all, if there
    /// are fewer). After more frames the distance would be meaningless for runs that blow up.
    pub error_vs_f64: f64,
    /// Whether every position was finite after every frame.
    pub finite: bool,
    /// The [hash](taut::Particles::hash) of the final positions, in the model's own numbering.
    #[serde(serialize_with = "hexadecimal")]
    pub hash: u64,
}

/// Serializes a hash as 16 hexadecimal digits, because programs that read JSON numbers as `f64` would
/// lose bits of it.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(crate) fn hexadecimal<S: Serializer>(hash: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{hash:016x}"))
}

pub(crate) fn row_name(
    kernel: &str,
    isa: &str,
    threads: usize,
    formula: &str,
    schedule: &str,
) -> String {
    format!("{kernel}/{isa}/t{threads} {formula} {schedule}")
}

pub(crate) fn kernel_name(kernel: &str, inner: &str) -> String {
    if kernel == inner { kernel.to_owned() } else { format!("{kernel}({inner})") }
}

impl Row {
    /// `kernel/isa/t1 formula schedule`, which identifies the row.
    pub fn name(&self) -> String {
        let Self { isa, threads, formula, schedule, .. } = self;
        row_name(&self.kernel_name(), isa, *threads, formula, schedule)
    }

    /// The kernel's name, with that of its inner kernel if it has one: `colour(pulp)`.
    pub fn kernel_name(&self) -> String {
        kernel_name(self.kernel, self.inner)
    }

    /// Millions of stick relaxations per second, in the median frame.
    pub fn million_sticks_per_s(&self) -> f64 {
        1e3 / self.ns_per_stick_median
    }

    /// Whether a position was not finite, or the rms residual is above 10: a typical stick is more than
    /// eleven times as long as at rest.
    pub fn blew_up(&self) -> bool {
        let residual = self.stretch_rms.hypot(self.compression_rms);
        !self.finite || residual.is_nan() || residual > 10.0
    }
}

/// Two rows that should have the same bits but do not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{one}' ended with hash {one_hash:016x} and '{other}' with {other_hash:016x}: \
     the same formula and schedule must give the same bits"
)]
pub struct Disagreement {
    /// The first row's name.
    pub one: String,
    /// Its hash.
    pub one_hash: u64,
    /// The other's name.
    pub other: String,
    /// Its hash.
    pub other_hash: u64,
}

/// The rows that disagree with the first row of the same formula and schedule. Renumbering after
/// scheduling (`+rcm`) must not change bits, so schedules that differ only in it count as the same.
/// The textbook loop, whose arithmetic differs, is not compared.
pub fn disagreements(rows: &[Row]) -> Vec<Disagreement> {
    let kernels = || rows.iter().filter(|row| row.kernel != TEXTBOOK);
    let key = |row: &Row| (row.formula, row.schedule.split('+').next().map(str::to_owned));
    let first_like = |row: &Row| kernels().find(|one| key(one) == key(row));
    kernels()
        .filter_map(|row| Some((first_like(row)?, row)))
        .filter(|(one, other)| one.hash != other.hash || one.finite != other.finite)
        .map(|(one, other)| Disagreement {
            one: one.name(),
            one_hash: one.hash,
            other: other.name(),
            other_hash: other.hash,
        })
        .collect()
}
