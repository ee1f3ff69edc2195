//! Every kernel of a build as one type, [`AnyKernel`]; the kernels that together relax a world,
//! [`KernelSet`]; and a user's choice of kernels, [`KernelChoice`].
//!
//! All machine code of the kernels is compiled here, once: a crate that uses these types compiles no
//! kernel code. The crate `taut` exports everything in this crate.
//!
//! ```
//! use taut_any::{AnyKernel, KernelChoice};
//! use taut_core::Kernel;
//!
//! let best = AnyKernel::best();
//! println!("{} on {}", Kernel::<3>::name(&best), Kernel::<3>::isa(&best));
//! println!("{}", KernelChoice::default().find()?);
//! # Ok::<(), taut_any::KernelChoiceError>(())
//! ```
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

#[cfg(not(any(feature = "scalar", feature = "wide", feature = "pulp")))]
compile_error!("enable at least one kernel: the feature `scalar`, `wide` or `pulp`");
#[cfg(all(
    any(feature = "grid", feature = "copies"),
    not(any(feature = "wide", feature = "pulp"))
))]
compile_error!("the features `grid` and `copies` need `pulp` or `wide`");

mod any;
mod choice;
mod set;

pub use any::{AnyKernel, UnknownKernel};
pub use choice::{KernelChoice, KernelChoiceError, KernelName, UnknownKernelName};
pub use set::{KernelSet, SheetsAndCopies};

#[cfg(feature = "colour")]
#[doc(no_inline)]
pub use taut_colour::{ColourKernel, ColourPlan, Pool, PoolError};
#[cfg(feature = "copies")]
#[doc(no_inline)]
pub use taut_copies::{CopiesKernel, CopiesPlan};
#[cfg(feature = "grid")]
#[doc(no_inline)]
pub use taut_grid::{GridKernel, GridPlan, PaddedSheet};
#[cfg(feature = "pulp")]
#[doc(no_inline)]
pub use taut_pulp::{PulpKernel, PulpMachine};
#[cfg(feature = "scalar")]
#[doc(no_inline)]
pub use taut_scalar::{ScalarKernel, ScalarPlan};
#[cfg(feature = "wide")]
#[doc(no_inline)]
pub use taut_wide::{WideKernel, WideMachine};

/// The best general kernel whose feature is on.
#[cfg(feature = "pulp")]
pub type DefaultKernel = PulpKernel;
/// The best general kernel whose feature is on.
#[cfg(all(feature = "wide", not(feature = "pulp")))]
pub type DefaultKernel = WideKernel;
/// The best general kernel whose feature is on.
#[cfg(all(feature = "scalar", not(any(feature = "wide", feature = "pulp"))))]
pub type DefaultKernel = ScalarKernel;

/// The best general kernel whose feature is on, on the best instruction set of this machine.
#[cfg(any(feature = "scalar", feature = "wide", feature = "pulp"))]
pub fn default_kernel() -> DefaultKernel {
    #[cfg(feature = "pulp")]
    return taut_pulp::kernel();
    #[cfg(all(feature = "wide", not(feature = "pulp")))]
    return taut_wide::kernel();
    #[cfg(all(feature = "scalar", not(any(feature = "wide", feature = "pulp"))))]
    return ScalarKernel;
}
