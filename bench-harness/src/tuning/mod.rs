//! Searches for the fastest way to relax a model on this machine within a time budget.

mod search;

use std::time::Duration;

use serde::Serialize;
use taut::world::{Arrangement, Model, Numbering, Order};
use taut::{AnyKernel, Formula, Kernel, KernelName, Pool, PoolError, Step, Tuned};

use crate::comparison::{ComparisonError, Progress};
use crate::row::Row;

use search::Search;

/// After how many frames an order is judged by the stretch that is left. A number of frames and
/// not a time, so that the judgement is the same on every machine.
pub const JUDGED_FRAMES: usize = 120;
/// Relative differences of times below this are noise; the simpler candidate is then chosen.
pub const NOISE: f64 = 0.03;

/// A model, the order to keep, and the candidates.
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
    /// The order whose result is kept, and with whose time all others are compared.
    pub keep: Arrangement,
    /// Whether another order may be chosen, which changes the result.
    pub any_answer: bool,
    /// The root mean square stretch that may be left after [`JUDGED_FRAMES`]. If none is given,
    /// an order that is not the one to keep may leave 10 % more than that one.
    pub max_stretch: Option<f64>,
    /// Who may be chosen, those of one arrangement one after the other; see
    /// [`Tuning::candidates`].
    pub candidates: Vec<Candidate>,
    /// The time limit. The minimum work for a result is done in any case.
    pub budget: Duration,
}

/// A kernel on some threads, and an arrangement.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The kernel, on its threads.
    pub kernel: AnyKernel,
    /// Order and numbering.
    pub arrangement: Arrangement,
}

/// The outcome of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// Not measured within the budget.
    NotReached,
    /// Its order does not stay bounded.
    NotBounded,
    /// Its order leaves too much stretch.
    TooSlack,
    /// Another candidate was faster.
    Slower,
    /// It was in the final comparison.
    Finalist,
}

/// The result of a candidate.
#[derive(Clone, Debug, Serialize)]
pub struct Trial {
    /// The kernel; on threads the inner one.
    pub kernel: &'static str,
    /// Its instruction set.
    pub isa: &'static str,
    /// Its threads.
    pub threads: usize,
    /// The arrangement.
    pub schedule: String,
    /// Whether it gives the result to keep, to the bit.
    pub same_answer: bool,
    /// Its time over that of what [`AnyKernel::best_for`] picks for the order to keep, both
    /// measured in turn; the last that was measured.
    pub time_ratio: Option<f64>,
    /// Root mean square residual (stretch and compression together) after [`JUDGED_FRAMES`], if its
    /// order was judged.
    pub stretch_rms: Option<f64>,
    /// What became of it.
    pub fate: Fate,
}

/// The result of a tuning.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The chosen settings.
    pub tuned: Tuned,
    /// The final comparison: the textbook loop, then the finalists; after them what
    /// [`AnyKernel::best_for`] picks, if it is none of them.
    pub rows: Vec<Row>,
    /// The index of each finalist's trial.
    pub finalists: Vec<usize>,
    /// The index of the chosen row.
    pub chosen: usize,
    /// The index of the second best row that was allowed.
    pub runner_up: Option<usize>,
    /// The row of the default: what [`AnyKernel::best_for`] picks for the order to keep.
    pub unasked: usize,
    /// The fastest row with a different result, if that was not allowed.
    pub other_answer: Option<usize>,
    /// Whether the choice gives the result to keep, to the bit.
    pub same_answer: bool,
    /// The results of all candidates.
    pub trials: Vec<Trial>,
}

/// Why a tuning failed.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TuningError {
    /// No candidate may be chosen.
    #[error(
        "nothing that may be chosen is bounded and accurate enough: '{schedule}' comes nearest and \
         leaves a stretch of {stretch:.4} rms after {JUDGED_FRAMES} frames"
    )]
    NothingAccepted {
        /// The order that came nearest.
        schedule: String,
        /// What it leaves.
        stretch: f64,
    },
    /// A kernel, an order or a step is invalid.
    #[error(transparent)]
    Comparison(#[from] ComparisonError),
}

/// Halves a field of numbers and times: the numbers of the faster half, or of the `least` fastest
/// if that is more, fastest first.
pub fn better_half(field: &[(usize, f64)], least: usize) -> Vec<usize> {
    let mut field = field.to_vec();
    field.sort_by(|one, other| one.1.total_cmp(&other.1));
    field.truncate(field.len().div_ceil(2).max(least));
    field.into_iter().map(|(at, _)| at).collect()
}

impl Choice {
    /// As [`Row::name`], but for kernels on threads, which go by their own name.
    pub fn name(&self, row: usize) -> String {
        let trial = row.checked_sub(1).and_then(|at| self.finalists.get(at));
        trial.map_or_else(
            || self.rows[row].name(),
            |&at| {
                let Trial { kernel, isa, threads, schedule, .. } = &self.trials[at];
                format!("{kernel}/{isa}/t{threads} {} {schedule}", self.tuned.formula)
            },
        )
    }
}

impl Tuning {
    /// All candidates for so many copies of a model: every kernel of this build on its best
    /// instruction set of this machine, with these numbers of threads, in every order that suits it,
    /// on every numbering; those that keep the result first. The kernel `grid` runs one sheet, the
    /// kernel `copies` two copies or more.
    ///
    /// # Errors
    /// If threads cannot be started.
    pub fn candidates(
        model: &Model,
        keep: Arrangement,
        copies: usize,
        threads: &[usize],
    ) -> Result<Vec<Candidate>, PoolError> {
        let mut kernels = Vec::new();
        let special = if copies > 1 { KernelName::Copies } else { KernelName::Grid };
        for name in [special, KernelName::Pulp, KernelName::Wide, KernelName::Scalar] {
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
        for arrangement in arrangements(model, keep) {
            let candidates =
                kernels.iter().map(|kernel| Candidate { kernel: kernel.clone(), arrangement });
            all.extend(candidates.filter(|it| it.is_worth_trying(keep)));
        }
        Ok(all)
    }

    /// Finds the fastest candidate by successive halving.
    ///
    /// All candidates run a few frames each, arrangement by arrangement, in turns with the default
    /// kernel as reference. The residuals of the orders are checked, fastest first. Then the better
    /// half of the rest runs more frames, and so on, until few are left for a
    /// [`Comparison`](crate::Comparison).
    ///
    /// # Errors
    /// If a candidate cannot be set up, or no candidate may be chosen.
    pub fn run(&self, progress: impl FnMut(Progress<'_>)) -> Result<Choice, TuningError> {
        let mut search = Search::new(self, progress)?;
        search.time_all()?;
        search.check_residuals()?;
        search.halve()?;
        search.final_comparison()
    }
}

/// The one to keep and its numberings, then the others.
fn arrangements(model: &Model, keep: Arrangement) -> Vec<Arrangement> {
    let mut all = vec![keep];
    let orders = [
        Order::Sheet,
        Order::Banded,
        Order::Blocked,
        Order::Packed,
        Order::Starred,
        Order::Coloured,
        Order::Authored,
    ];
    for order in [keep.order].into_iter().chain(orders) {
        for numbering in [
            Numbering::Given,
            Numbering::HilbertAfter,
            Numbering::RcmAfter,
            Numbering::Hilbert,
            Numbering::Rcm,
        ] {
            let on_other_numbers = matches!(numbering, Numbering::Hilbert | Numbering::Rcm);
            let possible = order != Order::Sheet || (model.sheet.is_some() && !on_other_numbers);
            // Renumbering after scheduling only serves to keep a result.
            let after = matches!(numbering, Numbering::HilbertAfter | Numbering::RcmAfter);
            let of_use = !after || (order, Numbering::Given) == (keep.order, keep.numbering);
            let one = Arrangement { order, numbering };
            if possible && of_use && !all.contains(&one) {
                all.push(one);
            }
        }
    }
    all
}

impl Candidate {
    fn is_worth_trying(&self, keep: Arrangement) -> bool {
        let Self { kernel, arrangement } = self;
        let (lanes, threads) = (Kernel::<3>::lanes(kernel), Kernel::<3>::threads(kernel));
        let of_sheets = Arrangement { order: Order::Sheet, numbering: Numbering::Given };
        match (kernel.inside().kernel_name(), arrangement.order) {
            (KernelName::Grid, _) if *arrangement != of_sheets => false,
            // Its lanes are copies, so it runs every order, also one of single sticks.
            (KernelName::Copies, _) => lanes > 1,
            // For machines without SIMD, and for orders that use a single lane.
            (KernelName::Scalar, order) => {
                threads == 1 && (*arrangement == keep || order == Order::Authored)
            }
            (_, order) => lanes > 1 && order != Order::Authored,
        }
    }
}
