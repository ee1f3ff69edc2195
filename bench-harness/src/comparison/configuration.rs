//! What a comparison measures.

use taut::world::Arrangement;
use taut::{AnyKernel, Formula, Kernel};

use crate::row::{kernel_name, row_name};

/// A kernel, a formula and an arrangement.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// The kernel.
    pub kernel: AnyKernel,
    /// The formula.
    pub formula: Formula,
    /// The order and the numbering.
    pub arrangement: Arrangement,
}

/// What the configurations are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Baselines {
    /// The textbook loop: the first row. Without it, speedups over it are NaN.
    pub textbook: bool,
    /// The same schedule and formula in `f64` on the scalar kernel, once for all kernels. Without
    /// it, [`Row::error_vs_f64`](crate::Row::error_vs_f64) is NaN.
    pub double: bool,
}

impl Default for Baselines {
    /// Both.
    fn default() -> Self {
        Self { textbook: true, double: true }
    }
}

impl Configuration {
    /// The [name](crate::Row::name) of its row.
    pub fn name(&self) -> String {
        let Self { kernel, formula, arrangement } = self;
        let kernel_name = kernel_name(Kernel::<3>::name(kernel), Kernel::<3>::name(kernel.inner()));
        let (isa, threads) = (Kernel::<3>::isa(kernel), Kernel::<3>::threads(kernel));
        row_name(&kernel_name, isa, threads, formula.name(), &arrangement.to_string())
    }
}
