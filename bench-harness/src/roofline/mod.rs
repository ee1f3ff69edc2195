//! A roofline model (Williams, Waterman and Patterson, "Roofline", CACM 2009) with four ceilings.
//!
//! The operations and bytes of a stick ([`Demand`]), divided by the peak rates of the machine
//! ([`Peak`]), give a [`Limit`]: four durations, one for each ceiling. The four kinds of work may
//! overlap, so their sum is not a lower bound of the time per stick; each of them is, and the largest is
//! the best one.
//!
//! - *arithmetic*: additions and multiplications;
//! - *divider*: divisions and square roots, which do not overlap;
//! - *access*: the bytes that each stick loads and stores, at the bandwidth of the first-level
//!   cache;
//! - *sweep*: reading and writing the whole working set, at the bandwidth of a working set of that size.
//!   Most kernels sweep once per iteration; [`Demand::of`] lists the exceptions.
//!
//! No kernel is faster than its limit. The model leaves out shuffles, comparisons and selections,
//! address computation, loads narrower than a register, loads that wait for stores, and latency
//! between dependent sticks. It also leaves out the integration of the particles in each substep,
//! and the copying of them into the plan and back, once per frame; the measured time includes both.

mod demand;
mod peak;

use serde::Serialize;
use taut::Kernel;

use crate::comparison::{Comparison, ComparisonError, Configuration, Progress};
use crate::row::Row;

pub use demand::Demand;
pub use peak::{Bandwidth, Peak};

/// Lower bounds of the time per stick and iteration, one for each ceiling, ns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// By additions and multiplications.
    pub arithmetic_ns: f64,
    /// By divisions and square roots.
    pub divider_ns: f64,
    /// By loads and stores in the first-level cache.
    pub access_ns: f64,
    /// By sweeps over the whole working set.
    pub sweep_ns: f64,
}

impl Limit {
    /// Divides a demand by the peak rates.
    pub fn new(demand: &Demand, peak: &Peak) -> Self {
        Self {
            arithmetic_ns: demand.arithmetic / peak.arithmetic_per_ns,
            divider_ns: demand.divisions / peak.divisions_per_ns
                + demand.square_roots / peak.square_roots_per_ns,
            access_ns: demand.accessed_bytes / peak.bytes_per_ns(0.0),
            sweep_ns: demand.swept_bytes / peak.bytes_per_ns(demand.set_bytes),
        }
    }

    /// The largest time and its name: the bottleneck.
    pub fn bottleneck(&self) -> (f64, &'static str) {
        let Self { arithmetic_ns, divider_ns, access_ns, sweep_ns } = *self;
        let others = [(divider_ns, "divider"), (access_ns, "access"), (sweep_ns, "sweep")];
        let larger = |one: (f64, _), other: (f64, _)| if other.0 > one.0 { other } else { one };
        others.into_iter().fold((arithmetic_ns, "arithmetic"), larger)
    }
}

/// The bottleneck of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BottleneckLimit {
    /// The largest of the times of a [`Limit`], ns per stick and iteration.
    pub limit_ns: f64,
    /// Its name.
    pub bottleneck: &'static str,
}

/// A row of a comparison, with the lower bound of its time.
#[derive(Clone, Debug, Serialize)]
pub struct LimitedRow {
    /// The row.
    #[serde(flatten)]
    pub row: Row,
    /// None for the textbook loop, and where the peak rates of the instruction set are unknown.
    #[serde(flatten)]
    pub limit: Option<BottleneckLimit>,
}

/// The time and the limit of a configuration. All values except `set_bytes` and the ratios are per
/// stick and iteration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RooflineRow {
    /// The scene.
    pub scene: String,
    /// The kernel.
    pub kernel: &'static str,
    /// Its instruction set.
    pub isa: &'static str,
    /// The formula.
    pub formula: &'static str,
    /// The arrangement.
    pub schedule: String,
    /// The time in the median frame, ns.
    pub ns_median: f64,
    /// The time in the fastest frame, ns.
    pub ns_fastest: f64,
    /// [`Demand::arithmetic`].
    pub arithmetic: f64,
    /// [`Demand::divisions`].
    pub divisions: f64,
    /// [`Demand::square_roots`].
    pub square_roots: f64,
    /// [`Demand::accessed_bytes`].
    pub accessed_bytes: f64,
    /// [`Demand::swept_bytes`].
    pub swept_bytes: f64,
    /// [`Demand::set_bytes`].
    pub set_bytes: f64,
    /// [`Limit::arithmetic_ns`].
    pub arithmetic_ns: f64,
    /// [`Limit::divider_ns`].
    pub divider_ns: f64,
    /// [`Limit::access_ns`].
    pub access_ns: f64,
    /// [`Limit::sweep_ns`].
    pub sweep_ns: f64,
    /// The largest of these four times.
    pub limit_ns: f64,
    /// Its name.
    pub bottleneck: &'static str,
    /// `ns_fastest` divided by `limit_ns`.
    pub time_over_limit: f64,
    /// The median time of the textbook loop divided by `ns_median`.
    pub speedup_over_textbook: f64,
}

impl RooflineRow {
    fn new(scene: &str, row: &Row, demand: &Demand, peak: &Peak) -> Self {
        let limit = Limit::new(demand, peak);
        let (limit_ns, bottleneck) = limit.bottleneck();
        let Limit { arithmetic_ns, divider_ns, access_ns, sweep_ns } = limit;
        let Demand { arithmetic, divisions, square_roots, .. } = *demand;
        let Demand { accessed_bytes, swept_bytes, set_bytes, .. } = *demand;
        Self {
            scene: scene.to_owned(),
            kernel: row.kernel,
            isa: row.isa,
            formula: row.formula,
            schedule: row.schedule.clone(),
            ns_median: row.ns_per_stick_median,
            ns_fastest: row.ns_per_stick_fastest,
            arithmetic,
            divisions,
            square_roots,
            accessed_bytes,
            swept_bytes,
            set_bytes,
            arithmetic_ns,
            divider_ns,
            access_ns,
            sweep_ns,
            limit_ns,
            bottleneck,
            time_over_limit: row.ns_per_stick_fastest / limit_ns,
            speedup_over_textbook: row.speedup_over_textbook,
        }
    }
}

/// Runs a comparison of kernels on one thread and returns the time and the limit of each, in the
/// order of the configurations. Kernels on an instruction set that is not in `peaks` have no row.
///
/// # Errors
/// Same as [`Comparison::run`].
pub fn roofline(
    scene: &str,
    comparison: &Comparison,
    peaks: &[Peak],
    progress: impl FnMut(Progress<'_>),
) -> Result<Vec<RooflineRow>, ComparisonError> {
    let rows = rows_with_demands(comparison, peaks, progress)?.into_iter();
    Ok(rows
        .filter_map(|(row, demand)| {
            demand.map(|(demand, peak)| RooflineRow::new(scene, &row, &demand, peak))
        })
        .collect())
}

/// Runs a comparison of kernels on one thread and returns all its rows, each with its lower bound.
///
/// # Errors
/// Same as [`Comparison::run`].
pub fn limited_rows(
    comparison: &Comparison,
    peaks: &[Peak],
    progress: impl FnMut(Progress<'_>),
) -> Result<Vec<LimitedRow>, ComparisonError> {
    let rows = rows_with_demands(comparison, peaks, progress)?.into_iter();
    Ok(rows
        .map(|(row, demand)| {
            let limit = demand.map(|(demand, peak)| {
                let (limit_ns, bottleneck) = Limit::new(&demand, peak).bottleneck();
                BottleneckLimit { limit_ns, bottleneck }
            });
            LimitedRow { row, limit }
        })
        .collect())
}

/// A row with its demand and the peak rates of its instruction set.
type RowWithDemand<'a> = (Row, Option<(Demand, &'a Peak)>);

/// The rows of a comparison with their demands, and the peak rates of their instruction sets.
fn rows_with_demands<'a>(
    comparison: &Comparison,
    peaks: &'a [Peak],
    mut progress: impl FnMut(Progress<'_>),
) -> Result<Vec<RowWithDemand<'a>>, ComparisonError> {
    progress(Progress { share: 0.0, doing: "arranging the model" });
    let arranged = comparison.arranged()?;
    let rows = comparison.run_arranged(&arranged, progress)?;
    // The textbook loop, if it has a row, has no demand.
    let mut demands = vec![None; rows.len() - comparison.configurations.len()];
    for Configuration { kernel, formula, arrangement } in &comparison.configurations {
        let peak = peaks.iter().find(|peak| peak.isa == Kernel::<3>::isa(kernel));
        let demand =
            peak.map(|_| Demand::of(kernel, &arranged[arrangement], *formula, &comparison.step));
        demands.push(demand.transpose()?.zip(peak));
    }
    Ok(rows.into_iter().zip(demands).collect())
}
