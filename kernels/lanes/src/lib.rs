//! SIMD registers, and what kernels build on them. Outside tests and benchmarks, only this crate uses
//! the intrinsics of a CPU.
//!
//! - [`Vector`]: a register type: loads, stores, and transposes of records. Register types
//!   wrap those of the crates `wide` (`Wide8`, feature `wide`) and `pulp`
//!   (`pulp::Register`, feature `pulp`).
//! - [`Machine`]: chooses a register type, once, outside all loops; [`Operation`]: work that is generic
//!   over the register type.
//! - [`IndexedKernel`]: the engine of the kernels that access particles by index.
//! - [`slots`]: plans of kernels that keep the particles in an order of their own.
//! - [`Team`]: distributes jobs among the threads of an executor.
//!
//! This crate makes no schedules and starts no threads.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod ends;
mod indexed;
mod machine;
mod particles;
#[cfg(feature = "pulp")]
pub mod pulp;
mod record;
mod relax;
pub mod slots;
mod sync;
mod team;
mod vector;
#[cfg(feature = "wide")]
mod wide;

pub use indexed::{IndexedKernel, IndexedPlan};
pub use machine::{Machine, OneLane, Operation};
pub use record::Record;
pub use team::{PARTICLES_PER_THREAD_MIN, STICKS_PER_THREAD_MIN, SharedPtr, Team};
pub use vector::Vector;
#[cfg(feature = "wide")]
pub use wide::Wide8;
