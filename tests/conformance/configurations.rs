//! The kernels under test.

use std::sync::LazyLock;

use taut::{AnyKernel, Kernel, Pool};

/// A kernel on an instruction set and a number of threads, with its name in messages.
pub(crate) struct Configuration {
    pub(crate) name: String,
    pub(crate) kernel: AnyKernel,
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

/// Pool sizes that each kernel runs on, besides the calling thread. (More in
/// `threads.rs`.)
pub(crate) const THREADS: [usize; 3] = [1, 2, 5];

/// Everything that must give the scalar kernel's bits: each kernel of the build on each
/// instruction set of this machine, alone and on pools of threads. This list is the only
/// place where kernels register.
pub(crate) fn configurations() -> &'static [Configuration] {
    static ALL: LazyLock<Vec<Configuration>> = LazyLock::new(|| {
        let pools = THREADS.map(|threads| (threads, Pool::new(threads).unwrap()));
        let mut all = Vec::new();
        for kernel in AnyKernel::available() {
            let (name, isa) = (Kernel::<3>::name(&kernel), Kernel::<3>::isa(&kernel));
            for (threads, pool) in &pools {
                let name = format!("{name} ({isa}) on a pool of {threads}");
                all.push(Configuration { name, kernel: kernel.clone().on_threads(pool.clone()) });
            }
            all.push(Configuration { name: format!("{name} ({isa})"), kernel });
        }
        all
    });
    &ALL
}

/// The reference for all others.
pub(crate) fn reference() -> AnyKernel {
    AnyKernel::named("scalar").unwrap()
}
