//! Options that select the kernels of a world.

use clap::Args;
use taut::{KernelChoice, KernelName};

use crate::parsers::{parse, within};

#[derive(Args, Clone, Debug)]
pub(crate) struct KernelOptions {
    /// The kernel: scalar, wide, pulp, grid (for regular sheets of at least 4 columns) or copies
    /// (for at least 6 models with the same sticks; at least 16 if these are sheets of 24 to 47 columns;
    /// not for wider sheets). Islands that do not suit it run on copies or on the best of scalar, wide
    /// and pulp. [default: the best for each island]
    #[arg(long, value_name = "NAME", value_parser = parse::<KernelName>)]
    kernel: Option<KernelName>,
    /// The instruction set, one that this machine has (avx512, avx2, sse2, neon, ...). [default:
    /// the best]
    #[arg(long, value_name = "NAME")]
    isa: Option<String>,
    /// Number of threads.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within::<usize>(1..=1024))]
    threads: usize,
}

impl From<&KernelOptions> for KernelChoice {
    fn from(options: &KernelOptions) -> Self {
        let KernelOptions { kernel, isa, threads } = options.clone();
        Self { kernel, isa, threads }
    }
}
