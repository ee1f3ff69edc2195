//! Sets of kernels that together relax all islands of a world.

use alloc::format;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::fmt;

#[cfg(feature = "colour")]
use taut_colour::{Pool, PoolError};
use taut_core::{Kernel, Schedule, Sheet};

use crate::AnyKernel;
use crate::any::GRID_WIDTH_MIN;

/// The kernels of a world: one for wide regular sheets, one for copies of one mesh, and one for
/// everything else.
///
/// ```
/// use taut_any::{KernelSet, SheetsAndCopies};
/// use taut_core::{Duplicates, Family, Kernel, Sheet, Sticks};
///
/// // All sets. The sets with the most lanes come first.
/// let sets = KernelSet::available(SheetsAndCopies::ALL);
/// for set in &sets {
///     println!("{set}");
/// }
///
/// // For a narrow sheet, the general kernel is faster.
/// let sheet = Sheet::new(3, 8, Family::STRUCTURAL);
/// let sticks = Sticks::with_rests(24, &sheet.pairs(), &[1.0; 37], Duplicates::Keep)?;
/// let grid = sets.iter().find(|set| set.name() == "grid").unwrap();
/// let kernel = grid.kernel_for(&sheet.schedule(&sticks)?);
/// assert_ne!(Kernel::<3>::name(&kernel), "grid");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct KernelSet {
    /// The kernel for regular sheets that are [wide enough](AnyKernel::suits_grid).
    pub sheets: AnyKernel,
    /// The kernel for copies of one mesh, if there are [enough](AnyKernel::suits_copies).
    pub copies: AnyKernel,
    /// The kernel for everything else; it runs every schedule.
    pub others: AnyKernel,
}

/// Whether a scene has islands for the specialized kernels, grid and copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SheetsAndCopies {
    /// Regular sheets that are [wide enough](AnyKernel::suits_grid).
    pub sheets: bool,
    /// Enough [copies](AnyKernel::suits_copies) of one mesh.
    pub copies: bool,
}

impl SheetsAndCopies {
    /// Sheets and copies.
    pub const ALL: Self = Self { sheets: true, copies: true };

    /// For a scene with these sheets. `may_have_copies` says whether the scene has models that may be
    /// relaxed as copies (`Scene::may_have_copies` of `taut-world`). Even then its world has no copies
    /// if the schedules of these models differ.
    pub fn of<'a>(sheets: impl IntoIterator<Item = &'a Sheet>, may_have_copies: bool) -> Self {
        Self { sheets: sheets.into_iter().any(AnyKernel::suits_grid), copies: may_have_copies }
    }
}

fn name(kernel: &AnyKernel) -> &'static str {
    Kernel::<3>::name(kernel)
}

fn isa(kernel: &AnyKernel) -> &'static str {
    Kernel::<3>::isa(kernel)
}

impl KernelSet {
    /// One set for every kernel of this build on every instruction set of this machine, on one
    /// thread, except for SIMD kernels that have [fallen back](AnyKernel::is_fallback) to one lane:
    ///
    /// - In the set of a general kernel, that kernel relaxes everything.
    /// - The set of a grid kernel also has the copies kernel and the best general kernel on the same
    ///   instruction set. If that instruction set has no general kernel, the set has the best of all
    ///   general kernels; if it has no copies kernel, the general kernel relaxes copies, too.
    /// - In the set of a copies kernel, a general kernel, chosen in the same way, relaxes everything
    ///   except copies.
    ///
    /// Sets of grid kernels are included only if sheets are `present`, and sets of copies kernels only
    /// if copies are. If there is no other set, the set of the first general kernel that has fallen back
    /// to one lane is returned. The sets with the most lanes come first. Of sets with equally many lanes, the set
    /// of a grid kernel comes first, then the set of a copies kernel.
    pub fn available(present: SheetsAndCopies) -> Vec<Self> {
        let all = AnyKernel::available();
        let set_of = |main_kernel: &AnyKernel| {
            let on_same_isa = |is_kind: fn(&AnyKernel) -> bool| {
                all.iter().find(|kernel| is_kind(kernel) && isa(kernel) == isa(main_kernel))
            };
            if main_kernel.is_general() {
                let [sheets, copies, others] = [main_kernel; 3].map(Clone::clone);
                return Some(Self { sheets, copies, others });
            }
            let best_general = || all.iter().find(|kernel| kernel.is_general());
            let others = on_same_isa(AnyKernel::is_general).or_else(best_general)?;
            let (sheets, copies) = if main_kernel.is_for_sheets() {
                (main_kernel, on_same_isa(AnyKernel::is_for_copies).unwrap_or(others))
            } else {
                (others, main_kernel)
            };
            Some(Self { sheets: sheets.clone(), copies: copies.clone(), others: others.clone() })
        };
        let is_included = |kernel: &&AnyKernel| {
            !kernel.is_fallback()
                && (kernel.is_general()
                    || present.sheets && kernel.is_for_sheets()
                    || present.copies && kernel.is_for_copies())
        };
        let mut sets: Vec<Self> = all.iter().filter(is_included).filter_map(set_of).collect();
        if sets.is_empty() {
            // Only fallbacks: a build without `scalar` and `wide` on a machine that has none of the
            // instruction sets of `pulp`.
            sets.extend(all.iter().find(|kernel| kernel.is_general()).and_then(set_of));
        }
        sets.sort_by_key(|set| {
            let rank = (!set.sheets.is_for_sheets(), !set.copies.is_for_copies());
            (Reverse(Kernel::<3>::lanes(set.main_kernel())), rank)
        });
        sets
    }

    /// The same kernels on `threads` threads, including the calling thread; 0 for one per
    /// logical processor that the process may use.
    ///
    /// # Errors
    /// If the threads cannot be started.
    #[cfg(feature = "colour")]
    pub fn on_threads(self, threads: usize) -> Result<Self, PoolError> {
        if threads == 1 {
            return Ok(self);
        }
        let pool = Pool::new(threads)?;
        let on_pool = |kernel: AnyKernel| kernel.on_threads(pool.clone());
        let Self { sheets, copies, others } = self;
        Ok(Self { sheets: on_pool(sheets), copies: on_pool(copies), others: on_pool(others) })
    }

    /// The kernel for an island of a world, by the same rule as [`AnyKernel::best_for`].
    pub fn kernel_for(&self, schedule: &Schedule) -> AnyKernel {
        let kernel = if schedule.sheet().is_some_and(AnyKernel::suits_grid) {
            &self.sheets
        } else if schedule.copies().is_some_and(AnyKernel::suits_copies) {
            &self.copies
        } else {
            &self.others
        };
        kernel.clone()
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        Kernel::<3>::threads(&self.others)
    }

    /// The kernel that the set is named after: the kernel for sheets if it runs only sheets, else
    /// the kernel for copies if it runs only copies, else the kernel for everything else.
    pub fn main_kernel(&self) -> &AnyKernel {
        let Self { sheets, copies, others } = self;
        if sheets.is_for_sheets() {
            sheets
        } else if copies.is_for_copies() {
            copies
        } else {
            others
        }
    }

    /// The name of the set: that of its [`main_kernel`](Self::main_kernel), whatever the number of
    /// threads.
    pub fn name(&self) -> &'static str {
        name(self.main_kernel().inner())
    }

    /// The instruction set of the set's [`main_kernel`](Self::main_kernel).
    pub fn isa(&self) -> &'static str {
        isa(self.main_kernel())
    }
}

impl fmt::Display for KernelSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let label = |kernel: &AnyKernel| format!("{} on {}", name(kernel.inner()), isa(kernel));
        let others = label(&self.others);
        write!(f, "{others}")?;
        if label(&self.sheets) != others {
            let sheets = label(&self.sheets);
            write!(f, ", regular sheets of {GRID_WIDTH_MIN} columns and more: {sheets}")?;
        }
        if label(&self.copies) != others {
            write!(f, ", copies of one mesh: {}", label(&self.copies))?;
        }
        write!(f, ", {} thread(s)", self.threads())
    }
}
