//! Searches for the fastest way to relax a model on this machine within a time budget.

mod search;

use std::time::Duration;

use serde::Serialize;
use taut::world::{Arrangement, Model, Numbering, Order};
use taut::{AnyKernel, Formula, Kernel, KernelName, Pool, PoolError, Step, Tuned};

use crate::comparison::{ComparisonError, Progress};
use crate::row::Row;

use search::Search;

/// The number of frames after which the residual of an order is checked. It is not a time, so the
/// check gives the same result on every machine.
pub const RESIDUAL_CHECK_FRAMES: usize = 120;
/// Relative differences of times up to this are noise: among candidates this close to the fastest,
/// the one with the fewest threads is chosen, then the one with the simplest numbering.
pub const NOISE: f64 = 0.03;

/// A model, the reference arrangement, and the candidates.
#[derive(Clone, Debug)]
pub struct Tuning {
    /// The model.
    pub model: Model,
    /// How many copies of it are stepped together, side by side; usually 1.
    pub copies: usize,
    /// The step.
    pub step: Step<3>,
    /// The formula.
    pub formula: Formula,
    /// The arrangement with which the others are compared, in result and time. Unless `any_schedule`
    /// is true, only arrangements with its result may be chosen.
    pub reference: Arrangement,
    /// Whether an arrangement with another result may be chosen.
    pub any_schedule: bool,
    /// The largest accepted rms residual (stretch and compression together) after
    /// [`RESIDUAL_CHECK_FRAMES`]. If `None`, the reference arrangement has no limit, and the
    /// residual of another arrangement may be up to 10 % above that of the reference.
    pub max_residual: Option<f64>,
    /// The candidates, grouped by arrangement; see [`Tuning::candidates`].
    pub candidates: Vec<Candidate>,
    /// The time budget. Measurements without which there is no result run even after it is spent.
    pub budget: Duration,
}

/// A kernel on a number of threads, and an arrangement.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The kernel, wrapped in `colour` if it runs on several threads.
    pub kernel: AnyKernel,
    /// The arrangement.
    pub arrangement: Arrangement,
}

/// The outcome of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialOutcome {
    /// Not measured within the budget.
    NotReached,
    /// Its arrangement blows up.
    BlewUp,
    /// The residual of its arrangement is above the limit.
    AboveResidualLimit,
    /// Another candidate was faster.
    Slower,
    /// It was in the final comparison.
    Finalist,
}

/// The result of a candidate.
#[derive(Clone, Debug, Serialize)]
pub struct Trial {
    /// The kernel; on several threads, the inner kernel.
    pub kernel: &'static str,
    /// Its instruction set.
    pub isa: &'static str,
    /// Number of threads.
    pub threads: usize,
    /// The arrangement.
    pub schedule: String,
    /// Whether its result is bit-identical to the reference result.
    pub same_result: bool,
    /// Its time divided by that of the default kernel ([`AnyKernel::best_for`] the reference), timed
    /// alternately; the latest measurement.
    pub time_ratio: Option<f64>,
    /// The rms residual (stretch and compression together) after [`RESIDUAL_CHECK_FRAMES`], if its
    /// arrangement was checked.
    pub residual_rms: Option<f64>,
    /// The outcome.
    pub outcome: TrialOutcome,
}

/// The result of a tuning.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The chosen settings.
    pub tuned: Tuned,
    /// The final comparison: the textbook loop, the finalists, and the default kernel
    /// ([`AnyKernel::best_for`] the reference) if it is not a finalist.
    pub rows: Vec<Row>,
    /// The index in `trials` of each finalist. Finalist `i` has row `1 + i`; row 0 is the textbook
    /// loop.
    pub finalists: Vec<usize>,
    /// The index of the chosen row.
    pub chosen: usize,
    /// The index of the row of the fastest other finalist whose result is allowed.
    pub runner_up: Option<usize>,
    /// The index of the row of the default kernel.
    pub default_choice: usize,
    /// The index of the fastest row with a different result, if that was not allowed.
    pub other_result: Option<usize>,
    /// Whether the result of the choice is bit-identical to the reference result.
    pub same_result: bool,
    /// The results of all candidates.
    pub trials: Vec<Trial>,
}

/// Why a tuning failed.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TuningError {
    /// No allowed candidate is bounded and accurate enough.
    #[error(
        "no allowed candidate is bounded and accurate enough: the best arrangement, '{schedule}', \
         leaves an rms residual of {residual_rms:.4} after {RESIDUAL_CHECK_FRAMES} frames"
    )]
    NothingAccepted {
        /// The arrangement with the smallest residual.
        schedule: String,
        /// Its rms residual.
        residual_rms: f64,
    },
    /// A kernel, an arrangement or a step is invalid.
    #[error(transparent)]
    Comparison(#[from] ComparisonError),
}

/// Takes pairs of an index and a time. Returns the indices of the faster half, rounded up, but at
/// least `count_min` of them; fastest first.
pub fn faster_half(times: &[(usize, f64)], count_min: usize) -> Vec<usize> {
    let mut times = times.to_vec();
    times.sort_by(|one, other| one.1.total_cmp(&other.1));
    times.truncate(times.len().div_ceil(2).max(count_min));
    times.into_iter().map(|(index, _)| index).collect()
}

impl Choice {
    /// The name of a row. Like [`Row::name`], but a finalist on several threads is named after its
    /// inner kernel.
    pub fn name(&self, row: usize) -> String {
        let trial = row.checked_sub(1).and_then(|finalist| self.finalists.get(finalist));
        trial.map_or_else(
            || self.rows[row].name(),
            |&trial| {
                let Trial { kernel, isa, threads, schedule, .. } = &self.trials[trial];
                format!("{kernel}/{isa}/t{threads} {} {schedule}", self.tuned.formula)
            },
        )
    }
}

impl Tuning {
    /// All candidates for a number of copies of a model: every kernel of this build on its best
    /// instruction set of this machine, with each of these numbers of threads, in every arrangement
    /// that is worth trying with it (`scalar` only on one thread, in the reference arrangement or the
    /// authored order). Candidates that keep the result come first. The kernel `grid` is among them
    /// for one copy of a sheet, the kernel `copies` for two copies or more.
    ///
    /// # Errors
    /// If threads cannot be started.
    pub fn candidates(
        model: &Model,
        reference: Arrangement,
        copies: usize,
        threads: &[usize],
    ) -> Result<Vec<Candidate>, PoolError> {
        let mut kernels = Vec::new();
        let specialized = if copies > 1 { KernelName::Copies } else { KernelName::Grid };
        for name in [specialized, KernelName::Pulp, KernelName::Wide, KernelName::Scalar] {
            for &threads in threads {
                if let Ok(kernel) = AnyKernel::named(name.name()) {
                    kernels.push(match threads {
                        1 => kernel,
                        threads => kernel.on_threads(Pool::new(threads)?),
                    });
                }
            }
        }
        let mut all = Vec::new();
        for arrangement in arrangements(model, reference) {
            let candidates =
                kernels.iter().map(|kernel| Candidate { kernel: kernel.clone(), arrangement });
            all.extend(candidates.filter(|candidate| candidate.is_worth_trying(reference)));
        }
        Ok(all)
    }

    /// Finds the fastest candidate by successive halving.
    ///
    /// Candidates run a few frames each, arrangement by arrangement, alternating with the default
    /// kernel, as far as the budget allows. Then residuals are checked: that of the reference, then
    /// the others, fastest first. Then the faster half of the remaining candidates runs more frames,
    /// and so on, until few are left for a [`Comparison`](crate::Comparison).
    ///
    /// # Errors
    /// If a candidate cannot be set up, or no allowed candidate is bounded and accurate enough.
    pub fn run(&self, progress: impl FnMut(Progress<'_>)) -> Result<Choice, TuningError> {
        let mut search = Search::new(self, progress)?;
        search.time_all()?;
        search.check_residuals()?;
        search.halve()?;
        search.final_comparison()
    }
}

/// The reference arrangement, its order in other numberings, then the other orders.
fn arrangements(model: &Model, reference: Arrangement) -> Vec<Arrangement> {
    let mut all = vec![reference];
    let orders = [
        Order::Sheet,
        Order::Banded,
        Order::Blocked,
        Order::Packed,
        Order::Starred,
        Order::Coloured,
        Order::Authored,
    ];
    for order in [reference.order].into_iter().chain(orders) {
        for numbering in [
            Numbering::Given,
            Numbering::HilbertAfter,
            Numbering::RcmAfter,
            Numbering::Hilbert,
            Numbering::Rcm,
        ] {
            let renumbers_before = matches!(numbering, Numbering::Hilbert | Numbering::Rcm);
            let is_possible = order != Order::Sheet || (model.sheet.is_some() && !renumbers_before);
            // Renumbering after scheduling keeps the result, and only the result of the reference
            // is worth keeping.
            let renumbers_after =
                matches!(numbering, Numbering::HilbertAfter | Numbering::RcmAfter);
            let is_useful = !renumbers_after
                || (order, Numbering::Given) == (reference.order, reference.numbering);
            let arrangement = Arrangement { order, numbering };
            if is_possible && is_useful && !all.contains(&arrangement) {
                all.push(arrangement);
            }
        }
    }
    all
}

impl Candidate {
    fn is_worth_trying(&self, reference: Arrangement) -> bool {
        let Self { kernel, arrangement } = self;
        let (lanes, threads) = (Kernel::<3>::lanes(kernel), Kernel::<3>::threads(kernel));
        let sheet_order = Arrangement { order: Order::Sheet, numbering: Numbering::Given };
        match (kernel.inner().kernel_name(), arrangement.order) {
            (KernelName::Grid, _) if *arrangement != sheet_order => false,
            // The lanes of a register are copies of one stick, so every order fills the lanes.
            (KernelName::Copies, _) => lanes > 1,
            // The scalar kernel can be the fastest on machines without SIMD, so the reference
            // arrangement is tried, and in the authored order, whose batches use a single lane.
            (KernelName::Scalar, order) => {
                threads == 1 && (*arrangement == reference || order == Order::Authored)
            }
            (_, order) => lanes > 1 && order != Order::Authored,
        }
    }
}
