//! Options that select the kernels of a world.

use clap::Args;
use taut::{KernelChoice, KernelName};

use crate::parsers::{parse, within};

#[derive(Args, Clone, Debug)]
pub(crate) struct KernelOptions {
    /// The kernel: scalar, wide, pulp, grid (for regular sheets of at least 4 columns) or copies
    /// (for 6 or more models with the same sticks, other than wide sheets). With grid or copies,
    /// islands that do not suit it run on the best other kernel. [default: the best for each island]
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
