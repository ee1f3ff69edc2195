//! The kernel for copies of one mesh: each lane of a register is a copy.
//!
//! It accepts only schedules of [`Copies`](taut_core::Copies), which
//! [`Schedule::side_by_side`](taut_core::Schedule::side_by_side) makes of equal parts. It needs no
//! batches of independent sticks, because the lanes of a register never share a particle. But for
//! speed, consecutive sticks of a copy should be independent, as in
//! [`coloured`](taut_core::Schedule::coloured) and most other schedules: then the CPU overlaps
//! their instructions.
//!
//! # Layout
//!
//! Copies are in groups of 16, on every machine. In each column, a group has 16 values for each
//! particle, one of each copy:
//!
//! ```text
//!              lane 0    lane 1   ...  lane 15
//! particle 0   copy 0    copy 1        copy 15
//! particle 1   copy 0    copy 1        copy 15
//! ...
//! ```
//!
//! So an end of a stick is one register per axis, without a gather or a transpose, and values that
//! the copies have in common (ends, rest length, weight) are read once for all of them. Registers
//! narrower than 16 lanes process a group's lanes in several parts, and skip parts without a
//! copy. Lanes without a copy hold zeros: all their sticks have length 0, which moves nothing.
//!
//! Constants of a stick (rest term, weight term, inverse masses, response) are stored once for all
//! copies of a group, if they are the same in all of them. A stick whose properties differ between
//! the copies, and a torn stick, has constants for each copy.
//!
//! Threads take groups. A thread runs all substeps and iterations of a group before it takes the
//! next group, while the particles of the group are in the caches.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod constants;
mod coordinate;
mod kernel;
mod layout;
mod relax;
mod slot_kernel;

pub use kernel::CopiesKernel;
pub use slot_kernel::{CopiesPlan, CopiesSlotKernel};
