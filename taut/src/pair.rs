//! The kernels that relax the islands of a world.

use alloc::format;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::fmt;

#[cfg(feature = "colour")]
use taut_colour::{Pool, PoolError};
use taut_core::{Kernel, Schedule};

use crate::AnyKernel;
use crate::any::GRID_WIDTH_MIN;

/// The kernels of a world: one for wide regular sheets, and one for everything else.
///
/// ```
/// use taut::{Duplicates, Family, Kernel, KernelPair, Sheet, Sticks};
///
/// // All choices, the widest first.
/// let pairs = KernelPair::available(true);
/// for pair in &pairs {
///     println!("{pair}");
/// }
///
/// // For a narrow sheet, the general kernel is faster.
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
    /// The kernel for everything else; it runs every schedule.
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
    /// widest first; of equally wide ones the grid kernel comes first. The grid kernel is included
    /// only if `sheets` is true, paired with the best general kernel on its instruction set: set it
    /// if there are regular sheets that are [wide enough](AnyKernel::suits_grid).
    pub fn available(sheets: bool) -> Vec<Self> {
        let all = AnyKernel::available();
        let is_general = |kernel: &&AnyKernel| !kernel.is_for_sheets();
        let general_for = |grid: &AnyKernel| {
            let same_isa = |kernel: &&AnyKernel| is_general(kernel) && isa(kernel) == isa(grid);
            all.iter().find(same_isa).or_else(|| all.iter().find(is_general))
        };
        let pair = |kernel: &AnyKernel| {
            let others = if kernel.is_for_sheets() { general_for(kernel)? } else { kernel };
            Some(Self { sheets: kernel.clone(), others: others.clone() })
        };
        let included =
            |kernel: &&AnyKernel| !kernel.is_fallback() && (sheets || !kernel.is_for_sheets());
        let mut pairs: Vec<Self> = all.iter().filter(included).filter_map(pair).collect();
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

    /// The kernel for an island of a world, by the same rule as [`AnyKernel::best_for`].
    pub fn kernel_for(&self, schedule: &Schedule) -> AnyKernel {
        let suits = schedule.sheet().is_some_and(AnyKernel::suits_grid);
        if suits { &self.sheets } else { &self.others }.clone()
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        Kernel::<3>::threads(&self.others)
    }

    /// The name of the pair: that of the kernel for sheets.
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
        let label = |kernel: &AnyKernel| format!("{} on {}", name(kernel.inside()), isa(kernel));
        write!(f, "{}", label(&self.others))?;
        if label(&self.sheets) != label(&self.others) {
            let sheets = label(&self.sheets);
            write!(f, ", regular sheets of {GRID_WIDTH_MIN} columns and more by {sheets}")?;
        }
        write!(f, ", {} thread(s)", self.threads())
    }
}
