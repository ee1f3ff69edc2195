//! Which kernels relax the parts of a world.

use clap::Args;
use taut::KernelPair;
use taut_bench::MachineInfo;

use crate::words::within;

/// What was asked for.
#[derive(Args, Clone, Debug)]
pub(crate) struct Kernels {
    /// The kernel: scalar, wide, pulp, or grid (for regular sheets of 24 columns and more; all else
    /// is on the best of the others). Otherwise the best for each part.
    #[arg(long, value_name = "NAME", value_parser = ["scalar", "wide", "pulp", "grid"])]
    kernel: Option<String>,
    /// The instruction set, of those that this machine has (avx512, avx2, sse2, neon, ...).
    #[arg(long, value_name = "NAME")]
    isa: Option<String>,
    /// On how many threads.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within::<usize>(1..=1024))]
    threads: usize,
}

/// The best kernels of this machine: that for regular sheets, and the best of the others.
pub(crate) fn best(threads: usize) -> anyhow::Result<KernelPair> {
    Kernels { kernel: None, isa: None, threads }.find()
}

impl Kernels {
    /// The kernels asked for, on this machine.
    pub(crate) fn find(&self) -> anyhow::Result<KernelPair> {
        // Of the widest lanes, the kernel for sheets is the best for whoever has them.
        let mut pairs = KernelPair::available(true);
        pairs.sort_by_key(|pair| pair.name() != "grid");
        if let Some(isa) = &self.isa {
            pairs.retain(|pair| pair.isa() == isa);
            anyhow::ensure!(
                !pairs.is_empty(),
                "no kernel of this build uses the instruction set '{isa}' on this machine; \
                 there are: {}",
                MachineInfo::current().features.join(", ")
            );
        }
        if let Some(kernel) = &self.kernel {
            pairs.retain(|pair| pair.name() == kernel);
            anyhow::ensure!(
                !pairs.is_empty(),
                "--kernel {kernel} does not use --isa {} on this machine",
                self.isa.as_deref().unwrap_or("scalar")
            );
        }
        Ok(pairs.swap_remove(0).on_threads(self.threads)?)
    }
}
