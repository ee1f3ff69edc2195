//! Options that select the kernels of a world.

use clap::Args;
use taut::{KernelChoice, KernelName};

use crate::parsers::{parse, within};

#[derive(Args, Clone, Debug)]
pub(crate) struct Kernels {
    /// The kernel: scalar, wide, pulp, grid (for regular sheets of at least 24 columns) or copies
    /// (for 6 or more models with the same sticks); with these two, other islands run on the best of
    /// the others. [default: the best for each island]
    #[arg(long, value_name = "NAME", value_parser = parse::<KernelName>)]
    kernel: Option<KernelName>,
    /// The instruction set, of those that this machine has (avx512, avx2, sse2, neon, ...).
    #[arg(long, value_name = "NAME")]
    isa: Option<String>,
    /// Number of threads.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within::<usize>(1..=1024))]
    threads: usize,
}

impl From<&Kernels> for KernelChoice {
    fn from(kernels: &Kernels) -> Self {
        let Kernels { kernel, isa, threads } = kernels.clone();
        Self { kernel, isa, threads }
    }
}
