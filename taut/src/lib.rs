//! Position-based dynamics with distance constraints (sticks): SIMD kernels that give the same bits
//! on every machine.
//!
//! Cloth, ropes, plants, ragdolls and soft boxes are particles joined by sticks (distance
//! constraints), moved by Verlet integration and relaxed by Gauss-Seidel (Jakobsen,
//! "Advanced Character Physics", 2001):
//!
//! ```
//! use taut::prelude::*;
//!
//! // A square of four particles, pinned at two corners, with both diagonals.
//! let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, -1.0, 0.0], [0.0, -1.0, 0.0]];
//! let mut particles = Particles::new(&corners, &[0.0, 0.0, 1.0, 1.0])?;
//! let pairs = [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2], [1, 3]];
//! let sticks = Sticks::joining(&particles, &pairs, Duplicates::Keep)?;
//!
//! let schedule = Schedule::for_mesh(&particles, &sticks);
//! let mut plan = taut::default_kernel().plan(&particles, &sticks, &schedule, Formula::Halley)?;
//! for _ in 0..60 {
//!     assert!(plan.step(&mut particles, &sticks, &Step::default())?.finite);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`Schedule`] decides the result, a kernel decides the speed: every kernel gives the same
//! bits on the same schedule, on every instruction set and any number of threads.
//!
//! # Picking a kernel
//!
//! - At compile time, by feature flag: [`DefaultKernel`] is the best of the kernels whose features are
//!   on (`pulp`, `wide`, `scalar`, in this order).
//! - At run time, as an [`AnyKernel`]: [`AnyKernel::best`] for this machine, [`AnyKernel::best_for`] for
//!   this machine and a schedule (regular [sheets](Sheet) and [copies](Copies) of one mesh have special
//!   kernels), [`AnyKernel::named`] for a kernel by name, [`AnyKernel::available`] for all.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

#[cfg(any(feature = "any-world", feature = "world"))]
extern crate alloc;

#[cfg(feature = "any-world")]
mod any_world;
#[cfg(feature = "world")]
mod tuned;

#[cfg(feature = "any-world")]
pub use any_world::{AnyWorld, AnyWorldError, MeshCloth};
#[doc(inline)]
pub use taut_any::*;
#[doc(no_inline)]
pub use taut_core::*;
#[cfg(feature = "world")]
pub use tuned::{Fingerprint, Tuned, TunedError};

/// Models, forces, obstacles, scenes, and worlds, which simulate scenes.
#[cfg(feature = "world")]
pub mod world {
    #[doc(no_inline)]
    pub use taut_scenes::*;
    #[doc(no_inline)]
    pub use taut_world::*;
}

/// The items that most programs import.
pub mod prelude {
    #[doc(no_inline)]
    pub use taut_core::{
        Bending, Duplicates, Family, Formula, Kernel, Kind, Particles, Plan, Renumbering, Schedule,
        Sheet, Status, Step, Sticks, Stretch,
    };

    #[doc(no_inline)]
    pub use crate::{AnyKernel, DefaultKernel};
}

/// Compiles and runs the programs in README.md and docs/library.md as doctests.
#[cfg(all(doctest, feature = "world", feature = "colour", feature = "pulp"))]
#[doc = include_str!("../../README.md")]
#[doc = include_str!("../../docs/library.md")]
struct DocumentationPages;
