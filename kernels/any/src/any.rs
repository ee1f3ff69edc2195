//! An enum of all kernels.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use taut_core::{
    BoxedPlan, Copies, Formula, Kernel, Particles, PlanError, Schedule, Sheet, Sticks,
};

use crate::KernelName;

/// Any of the kernels whose features are enabled, in 2 and 3 dimensions. (The scalar kernel itself
/// also supports other dimensions.)
///
/// ```
/// use taut_any::AnyKernel;
/// use taut_core::Kernel;
///
/// let kernel = AnyKernel::best();
/// println!("{} on {}", Kernel::<3>::name(&kernel), Kernel::<3>::isa(&kernel));
/// assert!(AnyKernel::named("abacus").is_err());
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AnyKernel {
    /// One stick at a time.
    #[cfg(feature = "scalar")]
    Scalar(taut_scalar::ScalarKernel),
    /// 8 lanes, instruction set chosen at compile time.
    #[cfg(feature = "wide")]
    Wide(taut_wide::WideKernel),
    /// Instruction set chosen at run time.
    #[cfg(feature = "pulp")]
    Pulp(taut_pulp::PulpKernel),
    /// Regular sheets; instruction set chosen at run time.
    #[cfg(all(feature = "grid", feature = "pulp"))]
    Grid(taut_grid::GridKernel<taut_pulp::PulpMachine>),
    /// Regular sheets; 8 lanes, instruction set chosen at compile time.
    #[cfg(all(feature = "grid", feature = "wide"))]
    WideGrid(taut_grid::GridKernel<taut_wide::WideMachine>),
    /// Copies of one mesh; instruction set chosen at run time.
    #[cfg(all(feature = "copies", feature = "pulp"))]
    Copies(taut_copies::CopiesKernel<taut_pulp::PulpMachine>),
    /// Copies of one mesh; 8 lanes, instruction set chosen at compile time.
    #[cfg(all(feature = "copies", feature = "wide"))]
    WideCopies(taut_copies::CopiesKernel<taut_wide::WideMachine>),
    /// Any of these kernels, on several threads.
    #[cfg(feature = "colour")]
    Colour(Box<taut_colour::ColourKernel<AnyKernel>>),
}

/// The minimum width of a sheet, in particles, at which no other kernel is faster than the grid
/// kernel.
pub(crate) const GRID_WIDTH_MIN: usize = 4;

/// This build has no kernel of the given name on this machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "this build has no kernel '{name}' on this machine; AnyKernel::available lists its kernels"
)]
pub struct UnknownKernel {
    /// The name given.
    pub name: String,
}

impl AnyKernel {
    /// Every kernel of this build on every instruction set of this machine, on one thread. The
    /// kernels with the most lanes come first. `grid` runs only the schedules of regular sheets, and
    /// `copies` only the schedules of copies of one mesh.
    pub fn available() -> Vec<Self> {
        let mut all = Vec::new();
        #[cfg(feature = "pulp")]
        for machine in taut_pulp::PulpMachine::available() {
            all.push(Self::Pulp(taut_pulp::PulpKernel::on(machine)));
            #[cfg(feature = "grid")]
            all.push(Self::Grid(taut_grid::GridKernel::on(machine)));
            #[cfg(feature = "copies")]
            all.push(Self::Copies(taut_copies::CopiesKernel::on(machine)));
        }
        #[cfg(feature = "wide")]
        {
            all.push(Self::Wide(taut_wide::kernel()));
            // One grid kernel and one copies kernel per instruction set are enough: `pulp` may
            // already have found the one that `wide` was compiled for. A kernel that has fallen back
            // to one lane does not count.
            let isa = Kernel::<3>::isa(&all[all.len() - 1]);
            let differs = |other: &Self| other.is_fallback() || Kernel::<3>::isa(other) != isa;
            if all[..all.len() - 1].iter().all(differs) {
                #[cfg(feature = "grid")]
                all.push(Self::WideGrid(taut_grid::GridKernel::on(taut_wide::WideMachine)));
                #[cfg(feature = "copies")]
                all.push(Self::WideCopies(taut_copies::CopiesKernel::on(taut_wide::WideMachine)));
            }
        }
        #[cfg(feature = "scalar")]
        all.push(Self::Scalar(taut_scalar::ScalarKernel));
        // On a machine without a supported instruction set, the pulp kernel falls back to one lane,
        // fewer than `wide` has.
        all.sort_by_key(|kernel| core::cmp::Reverse(Kernel::<3>::lanes(kernel)));
        all
    }

    /// The best general kernel, which runs every schedule, for this machine, on one thread.
    pub fn best() -> Self {
        // A build has at least one kernel, and the first one in the list runs every schedule.
        Self::available().swap_remove(0)
    }

    /// The best kernel of this build for this machine and schedule, on one thread: the grid kernel
    /// for a sheet that is [wide enough](Self::suits_grid), the copies kernel for [enough
    /// copies](Self::suits_copies) of one mesh, else [`best`](Self::best).
    pub fn best_for(schedule: &Schedule) -> Self {
        let specialized = if schedule.sheet().is_some_and(Self::suits_grid) {
            Self::named("grid").ok()
        } else if schedule.copies().is_some_and(Self::suits_copies) {
            Self::named("copies").ok()
        } else {
            None
        };
        specialized.unwrap_or_else(Self::best)
    }

    /// Whether a sheet is so wide that no other kernel is faster than the grid kernel: 4 particles or
    /// more. (At a width of 4 the grid kernel is as fast as `scalar`, and 1.3 to 2 times as fast as
    /// `pulp`.)
    ///
    /// ```
    /// use taut_any::AnyKernel;
    /// use taut_core::{Family, Sheet};
    ///
    /// assert!(AnyKernel::suits_grid(&Sheet::new(4, 8, Family::BEND)));
    /// assert!(!AnyKernel::suits_grid(&Sheet::new(3, 64, Family::BEND)));
    /// ```
    pub fn suits_grid(sheet: &Sheet) -> bool {
        sheet.width() >= GRID_WIDTH_MIN
    }

    /// Whether a mesh has enough copies for the copies kernel to be the fastest: at least
    /// [`Copies::FASTER_FROM`].
    pub fn suits_copies(copies: &Copies) -> bool {
        copies.count() >= Copies::FASTER_FROM
    }

    /// The kernel with a name (`scalar`, `wide`, `pulp`, `grid`, `copies`) on the best instruction
    /// set that this machine has for it, on one thread.
    ///
    /// # Errors
    /// If this build has no such kernel on this machine.
    pub fn named(name: &str) -> Result<Self, UnknownKernel> {
        let has_name = |kernel: &Self| Kernel::<3>::name(kernel) == name;
        Self::available()
            .into_iter()
            .find(has_name)
            .ok_or_else(|| UnknownKernel { name: name.into() })
    }

    /// The same kernel on the threads of a pool.
    #[cfg(feature = "colour")]
    #[must_use]
    pub fn on_threads(self, pool: taut_colour::Pool) -> Self {
        Self::Colour(Box::new(taut_colour::ColourKernel::new(self, pool)))
    }

    /// The name of the kernel.
    pub fn kernel_name(&self) -> KernelName {
        match self {
            #[cfg(feature = "scalar")]
            Self::Scalar(_) => KernelName::Scalar,
            #[cfg(feature = "wide")]
            Self::Wide(_) => KernelName::Wide,
            #[cfg(feature = "pulp")]
            Self::Pulp(_) => KernelName::Pulp,
            #[cfg(all(feature = "grid", feature = "pulp"))]
            Self::Grid(_) => KernelName::Grid,
            #[cfg(all(feature = "grid", feature = "wide"))]
            Self::WideGrid(_) => KernelName::Grid,
            #[cfg(all(feature = "copies", feature = "pulp"))]
            Self::Copies(_) => KernelName::Copies,
            #[cfg(all(feature = "copies", feature = "wide"))]
            Self::WideCopies(_) => KernelName::Copies,
            #[cfg(feature = "colour")]
            Self::Colour(_) => KernelName::Colour,
        }
    }

    /// Whether the kernel runs only the schedules of regular sheets, on one thread or several.
    pub fn is_for_sheets(&self) -> bool {
        self.inner().kernel_name() == KernelName::Grid
    }

    /// Whether the kernel runs only the schedules of copies of one mesh, on one thread or several.
    pub fn is_for_copies(&self) -> bool {
        self.inner().kernel_name() == KernelName::Copies
    }

    /// Whether the kernel runs this schedule.
    pub fn runs(&self, schedule: &Schedule) -> bool {
        self.is_general()
            || self.is_for_sheets() && schedule.sheet().is_some()
            || self.is_for_copies() && schedule.copies().is_some()
    }

    /// Whether the kernel runs every schedule.
    pub fn is_general(&self) -> bool {
        !self.is_for_sheets() && !self.is_for_copies()
    }

    /// Whether this is a SIMD kernel that has fallen back to one lane, because the machine does not
    /// have an instruction set that it supports. The scalar kernel is equivalent.
    pub fn is_fallback(&self) -> bool {
        self.inner().kernel_name() != KernelName::Scalar && Kernel::<3>::lanes(self) == 1
    }

    /// The kernel inside a `Colour` kernel, or the kernel itself.
    pub fn inner(&self) -> &Self {
        match self {
            #[cfg(feature = "colour")]
            Self::Colour(colour) => colour.inner().inner(),
            kernel => kernel,
        }
    }
}

/// Evaluates an expression with the kernel inside any variant.
macro_rules! of_kernel {
    ($any:expr, $kernel:ident => $value:expr) => {
        match $any {
            #[cfg(feature = "scalar")]
            AnyKernel::Scalar($kernel) => $value,
            #[cfg(feature = "wide")]
            AnyKernel::Wide($kernel) => $value,
            #[cfg(feature = "pulp")]
            AnyKernel::Pulp($kernel) => $value,
            #[cfg(all(feature = "grid", feature = "pulp"))]
            AnyKernel::Grid($kernel) => $value,
            #[cfg(all(feature = "grid", feature = "wide"))]
            AnyKernel::WideGrid($kernel) => $value,
            #[cfg(all(feature = "copies", feature = "pulp"))]
            AnyKernel::Copies($kernel) => $value,
            #[cfg(all(feature = "copies", feature = "wide"))]
            AnyKernel::WideCopies($kernel) => $value,
            #[cfg(feature = "colour")]
            AnyKernel::Colour($kernel) => {
                let $kernel = &**$kernel;
                $value
            }
        }
    };
}

/// Implements [`Kernel`] for each of these numbers of dimensions. A generic impl would be compiled
/// again in every crate that makes a plan, and the kernels dominate compile time.
macro_rules! in_dimensions {
    ($($d:literal)+) => {$(
        impl Kernel<$d> for AnyKernel {
            type Plan = BoxedPlan<$d>;

            fn name(&self) -> &'static str {
                of_kernel!(self, kernel => Kernel::<$d>::name(kernel))
            }

            fn isa(&self) -> &'static str {
                of_kernel!(self, kernel => Kernel::<$d>::isa(kernel))
            }

            fn lanes(&self) -> usize {
                of_kernel!(self, kernel => Kernel::<$d>::lanes(kernel))
            }

            fn threads(&self) -> usize {
                of_kernel!(self, kernel => Kernel::<$d>::threads(kernel))
            }

            fn plan(
                &self,
                particles: &Particles<$d>,
                sticks: &Sticks,
                schedule: &Schedule,
                formula: Formula,
            ) -> Result<Self::Plan, PlanError> {
                Ok(of_kernel!(self, kernel => {
                    Box::new(kernel.plan(particles, sticks, schedule, formula)?)
                }))
            }
        }
    )+};
}

in_dimensions!(2 3);
