//! The kernel for copies of one mesh: each lane of a register is a copy.
//!
//! It accepts only schedules of [`Copies`](taut_core::Copies), which
//! [`Schedule::side_by_side`](taut_core::Schedule::side_by_side) makes of equal parts. Any order
//! is as good as another for it, because the lanes of a register never share a particle; sticks
//! that follow each other in sequence should be independent, so that the CPU can overlap them
//! (as in [`coloured`](taut_core::Schedule::coloured) and most other schedules).
//!
//! # Layout
//!
//! Copies are in groups of 16, on every machine. In each column, a group has 16 numbers for each
//! particle, one of each copy:
//!
//! ```text
//!              lane 0    lane 1   ...  lane 15
//! particle 0   copy 0    copy 1        copy 15
//! particle 1   copy 0    copy 1        copy 15
//! ...
//! ```
//!
//! So an end of a stick is one register per axis, without a gather or a transpose, and what the
//! copies have in common (ends, rest length, weight) is read once for all. Registers narrower than
//! 16 lanes process a group's lanes in several parts, and leave out parts without a copy. Lanes
//! without a copy hold zeros: all their sticks have length 0, which moves nothing.
//!
//! A stick that differs between the copies of a group (rest length, stiffness, kind, a tear) gives
//! the group columns of constants, and so it is with the masses of a particle.
//!
//! Threads take groups. Each runs all substeps and iterations of a group before the next, while its
//! particles are in the caches.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod constants;
mod engine;
mod kernel;
mod layout;
mod passes;
mod relax;

pub use engine::{CopiesEngine, CopiesPlan};
pub use kernel::CopiesKernel;
