//! Which kernels there are, and which relax what.

use taut::{AnyKernel, Kernel, KernelPair, Pool, PoolError, Schedule};

use crate::protocol::KernelEntry;

/// A wish for kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wish {
    /// The best if there is none.
    pub(crate) kernel: Option<String>,
    /// The best of the kernel's if there is none.
    pub(crate) instructions: Option<String>,
    pub(crate) threads: usize,
}

impl Wish {
    /// The best, on the calling thread.
    pub(crate) const BEST: Self = Self { kernel: None, instructions: None, threads: 1 };
}

/// Why a wish cannot be fulfilled.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoKernel {
    #[error("there is no kernel '{name}' here; choose one of {those}")]
    Kernel { name: String, those: String },
    #[error(
        "the instruction set '{name}' is not that of such a kernel here; choose one of {those}"
    )]
    Instructions { name: String, those: String },
    #[error(transparent)]
    Pool(#[from] PoolError),
}

/// The kernels of a wish.
#[derive(Clone, Debug)]
pub(crate) struct Kernels {
    /// The best for each part if there are none.
    pair: Option<KernelPair>,
    pool: Option<Pool>,
}

/// All that there are; of equally wide ones those for sheets first.
fn all() -> Vec<KernelPair> {
    let mut pairs = KernelPair::available(true);
    pairs.sort_by_key(|pair| {
        (core::cmp::Reverse(Kernel::<3>::lanes(&pair.sheets)), pair.name() != "grid")
    });
    pairs
}

fn listed<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut list: Vec<&str> = Vec::new();
    for word in words {
        if !list.contains(&word) {
            list.push(word);
        }
    }
    list.join(", ")
}

impl Kernels {
    pub(crate) fn new(wish: &Wish) -> Result<Self, NoKernel> {
        let pool = (wish.threads > 1).then(|| Pool::new(wish.threads)).transpose()?;
        let Wish { kernel, instructions, .. } = wish;
        if kernel.is_none() && instructions.is_none() {
            return Ok(Self { pair: None, pool });
        }
        let mut pairs = all();
        if let Some(name) = kernel {
            let those = listed(pairs.iter().map(KernelPair::name));
            pairs.retain(|pair| pair.name() == name);
            if pairs.is_empty() {
                return Err(NoKernel::Kernel { name: name.clone(), those });
            }
        }
        if let Some(name) = instructions {
            let those = listed(pairs.iter().map(KernelPair::isa));
            pairs.retain(|pair| pair.isa() == name);
            if pairs.is_empty() {
                return Err(NoKernel::Instructions { name: name.clone(), those });
            }
        }
        Ok(Self { pair: pairs.into_iter().next(), pool })
    }

    /// The one for a part of a world.
    pub(crate) fn kernel_for(&self, schedule: &Schedule) -> AnyKernel {
        let kernel = match &self.pair {
            Some(pair) => pair.kernel_for(schedule),
            None => AnyKernel::best_for(schedule),
        };
        match &self.pool {
            Some(pool) => kernel.on_threads(pool.clone()),
            None => kernel,
        }
    }

    /// By what names the one for a part is known: kernel and instruction set.
    pub(crate) fn names_for(&self, schedule: &Schedule) -> [&'static str; 2] {
        let kernel = self.kernel_for(schedule);
        let inside = kernel.inside();
        [Kernel::<3>::name(inside), Kernel::<3>::isa(inside)]
    }
}

/// What a user may choose from, where there are regular sheets that are wide enough, or none.
pub(crate) fn entries(sheets: bool) -> Vec<KernelEntry> {
    let mut entries: Vec<KernelEntry> = Vec::new();
    for pair in all() {
        match entries.iter_mut().find(|entry| entry.name == pair.name()) {
            Some(entry) => entry.instructions.push(pair.isa()),
            None => entries.push(KernelEntry {
                name: pair.name(),
                instructions: vec![pair.isa()],
                reason: (pair.name() == "grid" && !sheets).then_some(
                    "it is for regular sheets of 24 columns and more in the schedule 'sheet', and \
                     there is none here",
                ),
            }),
        }
    }
    entries
}
