//! The kernels under test.

use std::sync::LazyLock;

use taut::{AnyKernel, Kernel, Pool};

/// A kernel on an instruction set and a number of threads, with its name in messages.
pub(crate) struct Configuration {
    pub(crate) name: String,
    pub(crate) kernel: AnyKernel,
    /// The number of threads of its pool; None: it runs on the calling thread.
    pub(crate) pool: Option<usize>,
}

impl Configuration {
    pub(crate) fn isa(&self) -> &'static str {
        Kernel::<3>::isa(&self.kernel)
    }

    pub(crate) fn lanes(&self) -> usize {
        Kernel::<3>::lanes(&self.kernel)
    }

    pub(crate) fn threads(&self) -> usize {
        Kernel::<3>::threads(&self.kernel)
    }
}

/// Each kernel runs on pools of these sizes, and also without a pool, on the calling thread.
/// (`threads.rs` tests more.)
pub(crate) const THREADS: [usize; 3] = [1, 2, 5];

/// All configurations that must give the bits of the scalar kernel: each kernel of the build on
/// each instruction set of this machine, on the calling thread and on pools. The tests get their
/// kernels from this list only.
pub(crate) fn configurations() -> &'static [Configuration] {
    static ALL: LazyLock<Vec<Configuration>> = LazyLock::new(|| {
        let pools = THREADS.map(|threads| (threads, Pool::new(threads).unwrap()));
        let mut all = Vec::new();
        for kernel in AnyKernel::available() {
            let (name, isa) = (Kernel::<3>::name(&kernel), Kernel::<3>::isa(&kernel));
            for (threads, pool) in &pools {
                let name = format!("{name} ({isa}) on a pool of {threads}");
                let kernel = kernel.clone().on_threads(pool.clone());
                all.push(Configuration { name, kernel, pool: Some(*threads) });
            }
            all.push(Configuration { name: format!("{name} ({isa})"), kernel, pool: None });
        }
        all
    });
    &ALL
}

/// The kernel with which all others are compared.
pub(crate) fn reference() -> AnyKernel {
    AnyKernel::named("scalar").unwrap()
}
