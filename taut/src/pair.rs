//! Which kernels relax the parts of a world.

use alloc::format;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::fmt;

#[cfg(feature = "colour")]
use taut_colour::{Pool, PoolError};
use taut_core::{Kernel, Schedule};

use crate::AnyKernel;
use crate::any::LEAST_GRID_WIDTH;

/// A kernel for wide regular sheets, and one for all else: the kernels of a world that is relaxed by
/// kernels of one name.
///
/// ```
/// use taut::{Duplicates, Family, Kernel, KernelPair, Sheet, Sticks};
///
/// // Everything that a user may choose from, the widest first.
/// let pairs = KernelPair::available(true);
/// for pair in &pairs {
///     println!("{pair}");
/// }
///
/// // A narrow sheet goes to the kernel for all else, which is faster.
/// let sheet = Sheet::new(8, 8, Family::ALL);
/// let sticks = Sticks::with_rests(64, &sheet.pairs(), &[1.0; 378], Duplicates::Keep)?;
/// let grid = pairs.iter().find(|pair| pair.name() == "grid").unwrap();
/// let kernel = grid.kernel_for(&sheet.schedule(&sticks)?);
/// assert_ne!(Kernel::<3>::name(&kernel), "grid");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct KernelPair {
    /// The kernel for regular sheets that are [wide enough](AnyKernel::suits_grid).
    pub sheets: AnyKernel,
    /// The kernel for all else; it runs every schedule.
    pub others: AnyKernel,
}

fn name(kernel: &AnyKernel) -> &'static str {
    Kernel::<3>::name(kernel)
}

fn isa(kernel: &AnyKernel) -> &'static str {
    Kernel::<3>::isa(kernel)
}

impl KernelPair {
    /// Every kernel of this build on every instruction set of this machine, on one thread, the
    /// widest first, and of equally wide ones that for sheets. Where `sheets` says that there are regular ones that are [wide
    /// enough](AnyKernel::suits_grid), the kernel for them takes part, with the best of the others on
    /// its instruction set beside it.
    pub fn available(sheets: bool) -> Vec<Self> {
        let all = AnyKernel::available();
        let general = |it: &&AnyKernel| !it.is_for_sheets();
        let beside = |grid: &AnyKernel| {
            let same = |it: &&AnyKernel| general(it) && isa(it) == isa(grid);
            all.iter().find(same).or_else(|| all.iter().find(general))
        };
        let pair = |kernel: &AnyKernel| {
            let others = if kernel.is_for_sheets() { beside(kernel)? } else { kernel };
            Some(Self { sheets: kernel.clone(), others: others.clone() })
        };
        let takes_part =
            |kernel: &&AnyKernel| !kernel.is_fallback() && (sheets || !kernel.is_for_sheets());
        let mut pairs: Vec<Self> = all.iter().filter(takes_part).filter_map(pair).collect();
        pairs.sort_by_key(|pair| {
            (Reverse(Kernel::<3>::lanes(&pair.sheets)), !pair.sheets.is_for_sheets())
        });
        pairs
    }

    /// The same on threads: 1 is the calling thread alone.
    ///
    /// # Errors
    /// If the threads cannot be started.
    #[cfg(feature = "colour")]
    pub fn on_threads(self, threads: usize) -> Result<Self, PoolError> {
        if threads == 1 {
            return Ok(self);
        }
        let pool = Pool::new(threads)?;
        let on = |kernel: AnyKernel| kernel.on_threads(pool.clone());
        Ok(Self { sheets: on(self.sheets), others: on(self.others) })
    }

    /// The kernel for a part of a world, by the same rule as [`AnyKernel::best_for`].
    pub fn kernel_for(&self, schedule: &Schedule) -> AnyKernel {
        let suits = schedule.sheet().is_some_and(AnyKernel::suits_grid);
        if suits { &self.sheets } else { &self.others }.clone()
    }

    /// On how many threads.
    pub fn threads(&self) -> usize {
        Kernel::<3>::threads(&self.others)
    }

    /// The name of the kernel for sheets, by which the pair is called.
    pub fn name(&self) -> &'static str {
        name(self.sheets.inside())
    }

    /// The instruction set of the kernel for sheets.
    pub fn isa(&self) -> &'static str {
        isa(&self.sheets)
    }
}

impl fmt::Display for KernelPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = |it: &AnyKernel| format!("{} on {}", name(it.inside()), isa(it));
        write!(f, "{}", words(&self.others))?;
        if words(&self.sheets) != words(&self.others) {
            let sheets = words(&self.sheets);
            write!(f, ", regular sheets of {LEAST_GRID_WIDTH} columns and more by {sheets}")?;
        }
        write!(f, ", {} thread(s)", self.threads())
    }
}
