//! Measures the parts of a report that have charts by size: each scene in several sizes.

use std::thread;

use serde::Serialize;
use taut::world::{Arrangement, Model, ModelError};
use taut::{AnyKernel, Formula, Kernel, KernelName, Pool};
use taut_bench::roofline::{LimitedRow, Peak};
use taut_bench::{
    Baselines, Comparison, Configuration, Disagreement, Progress, Row, SizeScaling, disagreements,
};

use super::measure::{SEED, SET, WithScene, configurations, one_substep_with_iterations};
use super::results::{Part, ROW_SECONDS_MAX, Subject};

/// The largest working set of the bandwidth measurement, bytes.
const WORKING_SET_MAX: usize = 256 << 20;

/// A row with the lower bound of its time, if it was computed, and the subject, which says what the size counts.
#[derive(Serialize)]
pub(super) struct SizedRow {
    subject: Subject,
    #[serde(flatten)]
    row: LimitedRow,
}

/// A scene in several sizes, on one chart.
struct SizeSeries {
    subject: Subject,
    scene: &'static str,
    /// Sizes from small to large, each with its number of timed frames.
    sizes: Vec<(usize, usize)>,
    shuffled: bool,
    /// Returns the model for a size, and its number of copies.
    model: fn(usize) -> Result<(Model, usize), ModelError>,
    /// Returns the configurations for a model and a number of copies.
    configurations: fn(&Model, usize) -> anyhow::Result<Vec<Configuration>>,
    baselines: Baselines,
    /// The maximum predicted time of all frames of a row at one size, s: a row for which the prediction is
    /// longer is skipped at that size (see [`SizeScaling::row_seconds_max`]).
    row_seconds_max: f64,
}

/// The rows of all series, or the kernels that disagree.
pub(super) type MeasureResult = Result<Vec<WithScene<SizedRow>>, Vec<Disagreement>>;

/// Measures a part with charts by size. Only the rows of the part `growth` have lower bounds.
pub(super) fn measure(
    part: Part,
    quick: bool,
    progress: &mut dyn FnMut(Progress<'_>),
) -> anyhow::Result<MeasureResult> {
    let mut peaks = Vec::new();
    let all_series = match part {
        Part::Sheets => vec![sheets(quick)],
        Part::Meshes => vec![meshes(quick)],
        Part::Copies => vec![copies(quick)],
        // `growth`: callers pass no other part.
        _ => {
            progress(Progress { share: 0.0, doing: "measuring the peak rates of the machine" });
            peaks = Peak::measure(if quick { 1 << 20 } else { WORKING_SET_MAX });
            growth(quick).into()
        }
    };
    let mut rows = Vec::new();
    for (done, series) in all_series.iter().enumerate() {
        let SizeSeries { scene, subject, shuffled, .. } = *series;
        let scaling = SizeScaling {
            sizes: series.sizes.iter().map(|(size, _)| *size).collect(),
            comparison: |size| series.comparison(size),
            row_seconds_max: series.row_seconds_max,
        };
        let points = scaling.run(&peaks, |inner| {
            let share = (done as f64 + inner.share) / all_series.len() as f64;
            progress(Progress { share, doing: &format!("{scene}, {}", inner.doing) });
        })?;
        for point in points {
            let plain_rows: Vec<Row> =
                point.rows.iter().map(|limited| limited.row.clone()).collect();
            let disagreements = disagreements(&plain_rows);
            if !disagreements.is_empty() {
                return Ok(Err(disagreements));
            }
            let (size, set) = (point.size, SET.name());
            rows.extend(point.rows.into_iter().map(|row| WithScene {
                scene,
                size,
                set,
                shuffled,
                row: SizedRow { subject, row },
            }));
        }
    }
    Ok(Ok(rows))
}

impl SizeSeries {
    fn comparison(&self, size: usize) -> anyhow::Result<Comparison> {
        let (model, copies) = (self.model)(size)?;
        let frames =
            self.sizes.iter().find(|(other, _)| *other == size).map_or(1, |(_, frames)| *frames);
        Ok(Comparison {
            configurations: (self.configurations)(&model, copies)?,
            model,
            copies,
            step: one_substep_with_iterations(8),
            warmup: (frames / 4).max(1),
            frames,
            repeats: 1,
            baselines: self.baselines,
        })
    }
}

/// Regular sheets: all kernels except those for copies on the schedule `sheet`, on which they give the same bits, and
/// the scalar kernel on the schedule `authored`. Large sheets run fewer frames.
fn sheets(quick: bool) -> SizeSeries {
    let sizes = [(16, 240), (32, 240), (64, 120), (128, 64), (256, 32), (512, 16)];
    SizeSeries {
        subject: Subject::Sheets,
        scene: "drape",
        sizes: if quick { vec![(16, 80), (64, 40), (128, 16)] } else { sizes.to_vec() },
        shuffled: false,
        model: |size| Ok((Model::drape(size, SET)?, 1)),
        configurations: |_, _| {
            let mut all = configurations("sheet", Formula::Halley)?;
            all.extend(configurations("authored", Formula::Halley)?);
            Ok(all)
        },
        baselines: Baselines::default(),
        row_seconds_max: f64::INFINITY,
    }
}

/// Shuffled discs, whose particles are renumbered before the schedule is built, on one thread and on several.
fn meshes(quick: bool) -> SizeSeries {
    let sizes = [(16, 240), (32, 120), (64, 64), (128, 32), (256, 16)];
    SizeSeries {
        subject: Subject::Meshes,
        scene: "disc",
        sizes: if quick { vec![(16, 80), (64, 16)] } else { sizes.to_vec() },
        shuffled: true,
        model: |size| Ok((Model::disc(size, SET)?.shuffled(SEED), 1)),
        configurations: |_, _| {
            let mut all = configurations("starred/rcm", Formula::Halley)?;
            let cores = thread::available_parallelism().map_or(1, usize::from);
            if cores > 1 {
                let kernel = AnyKernel::best().on_threads(Pool::new(cores)?);
                all.push(Configuration { kernel, ..all[0].clone() });
            }
            Ok(all)
        },
        baselines: Baselines::default(),
        row_seconds_max: f64::INFINITY,
    }
}

/// Several numbers of copies of a small disc. Each copy has the schedule of a single disc.
fn copies(quick: bool) -> SizeSeries {
    let sizes = [(1, 512), (2, 512), (4, 256), (8, 256), (16, 128), (64, 64), (256, 16), (1024, 8)];
    SizeSeries {
        subject: Subject::Copies,
        scene: "copies of disc 12",
        sizes: if quick { vec![(1, 64), (8, 32), (32, 16)] } else { sizes.to_vec() },
        shuffled: false,
        model: |copies| Ok((Model::disc(12, SET)?, copies)),
        configurations: |_, copies| {
            let mut all = configurations("blocked", Formula::Halley)?;
            if copies > 1 {
                all.extend(for_copies("blocked".parse()?));
            }
            Ok(all)
        },
        baselines: Baselines::default(),
        row_seconds_max: f64::INFINITY,
    }
}

/// Sheets, shuffled meshes and copies, in the schedules that a world gives them, from the smallest to the largest
/// sizes.
fn growth(quick: bool) -> [SizeSeries; 3] {
    let select_sizes = |quick_sizes: &[(usize, usize)], all_sizes: &[(usize, usize)]| {
        if quick { quick_sizes } else { all_sizes }.to_vec()
    };
    let baselines = Baselines { textbook: true, double: false };
    let sheet_sizes = [
        (8, 400),
        (16, 240),
        (32, 160),
        (64, 80),
        (128, 32),
        (256, 16),
        (512, 6),
        (1024, 3),
        (2048, 3),
    ];
    // The square roots of 100, 316, 1,000, ... particles.
    let mesh_sizes = [
        (10, 400),
        (18, 240),
        (32, 160),
        (56, 80),
        (100, 40),
        (178, 20),
        (316, 8),
        (562, 4),
        (1000, 3),
    ];
    let copy_counts = [
        (1, 512),
        (2, 512),
        (4, 256),
        (8, 256),
        (16, 128),
        (32, 64),
        (64, 64),
        (256, 16),
        (1024, 8),
    ];
    [
        SizeSeries {
            sizes: select_sizes(&[(8, 16), (16, 16), (32, 8)], &sheet_sizes),
            configurations: |_, _| Ok(widest_two_isas(configurations("sheet", Formula::Halley)?)),
            baselines,
            row_seconds_max: ROW_SECONDS_MAX,
            ..sheets(quick)
        },
        SizeSeries {
            sizes: select_sizes(&[(10, 16), (32, 8)], &mesh_sizes),
            configurations: |model, _| {
                let arrangement = Arrangement::default_of(model);
                Ok(widest_two_isas(configurations(&arrangement.to_string(), Formula::Halley)?))
            },
            baselines,
            row_seconds_max: ROW_SECONDS_MAX,
            ..meshes(quick)
        },
        SizeSeries {
            sizes: select_sizes(&[(1, 16), (8, 8), (64, 2)], &copy_counts),
            configurations: |model, copies| {
                let arrangement = Arrangement::default_of(model);
                let mut all = configurations(&arrangement.to_string(), Formula::Halley)?;
                if copies > 1 {
                    all.extend(for_copies(arrangement));
                }
                Ok(widest_two_isas(all))
            },
            baselines,
            row_seconds_max: ROW_SECONDS_MAX,
            ..copies(quick)
        },
    ]
}

/// The configurations with the kernels for copies.
fn for_copies(arrangement: Arrangement) -> impl Iterator<Item = Configuration> {
    let kernels = AnyKernel::available().into_iter().filter(AnyKernel::is_for_copies);
    kernels.filter(|kernel| !kernel.is_fallback()).map(move |kernel| Configuration {
        kernel,
        formula: Formula::Halley,
        arrangement,
    })
}

/// Selects the scalar kernel and, for each of the two instruction sets with the most lanes, the first general kernel
/// and the first kernel for sheets or copies.
fn widest_two_isas(all: Vec<Configuration>) -> Vec<Configuration> {
    let is_scalar =
        |candidate: &Configuration| candidate.kernel.kernel_name() == KernelName::Scalar;
    let isa = |candidate: &Configuration| Kernel::<3>::isa(&candidate.kernel);
    let lanes = |candidate: &Configuration| Kernel::<3>::lanes(&candidate.kernel);
    let simd = all.iter().filter(|candidate| !is_scalar(candidate));
    let mut isas: Vec<(usize, &str)> =
        simd.map(|candidate| (lanes(candidate), isa(candidate))).collect();
    isas.sort_by_key(|(lanes, _)| std::cmp::Reverse(*lanes));
    isas.dedup();
    isas.truncate(2);
    let mut kept: Vec<Configuration> = Vec::new();
    for candidate in all {
        let is_same_kind = |other: &Configuration| {
            isa(other) == isa(&candidate)
                && other.kernel.is_general() == candidate.kernel.is_general()
        };
        let is_widest = isas.iter().any(|(_, widest)| *widest == isa(&candidate));
        if (is_scalar(&candidate) || is_widest) && !kept.iter().any(is_same_kind) {
            kept.push(candidate);
        }
    }
    kept
}
