//! Lanes: the one place of CPU-specific code in Taut.
//!
//! - [`Vector`]: what a register type brings: loads, stores, and records with their
//!   transposes. Register types come through the crates `wide` ([`Wide8`], feature `wide`)
//!   and `pulp` ([`pulp::Register`], feature `pulp`).
//! - [`Machine`]: a choice of register type; [`Operation`]: work written once for all.
//! - [`IndexedKernel`]: the engine of the kernels that name particles by index.
//! - [`Team`]: work shared out among threads that need not be trusted.
//!
//! It does not know which kernels exist, makes no schedule, and starts no thread.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod indexed;
mod machine;
mod particles;
#[cfg(feature = "pulp")]
pub mod pulp;
mod record;
mod relax;
mod team;
mod vector;
#[cfg(feature = "wide")]
mod wide;

pub use indexed::{IndexedKernel, IndexedPlan};
pub use machine::{Machine, OneLane, Operation};
pub use record::Record;
pub use team::{Shared, Team};
pub use vector::Vector;
#[cfg(feature = "wide")]
pub use wide::Wide8;
