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
//! If a property of a stick differs between the copies of a group (rest length, stiffness,
//! compliance, kind, a tear), the group stores the constants that depend on this property for each
//! copy, for all its sticks. Inverse masses are read for each copy, too. Only in groups whose sticks
//! are plain, not torn, and have the same rest lengths in all copies, sticks between particles of the
//! most common inverse mass use that one.
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
