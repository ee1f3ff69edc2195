//! Counts the instructions that a frame executes, and the divisions and square roots among them.
//!
//! A [`Case`] is a kernel with a formula on a fixed small scene. Valgrind's tool callgrind runs its
//! frame and counts how often each instruction is executed ([`Profile`]). Together with the
//! disassembly ([`Disassembly`]), that gives the number of lanes in which a division or square root
//! was executed ([`Executed`]). It must equal what [`taut_scalar::count_operations`] counts plus
//! the padding lanes. The counts have no noise, so they are compared with [limits](Limits).
//!
//! The bench `instructions` is the program that uses this module. The bench `cycles` runs some of
//! the same frames under `iai-callgrind`, which also simulates caches.

mod case;
mod disassembly;
mod limits;
mod profile;
mod tools;

pub use case::{COUNTED_FRAME, Case, CaseError, Frame, ITERATIONS, counted_frame};
pub use disassembly::{Disassembly, Executed};
pub use limits::{Limit, Limits, LimitsError, TOLERANCE};
pub use profile::{Profile, ProfileError};
pub use tools::Tool;
