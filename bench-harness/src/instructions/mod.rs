//! What a frame executes: instructions, and the divisions and roots among them.
//!
//! A [`Case`] is a kernel with a formula on a fixed small scene. Valgrind's tool callgrind runs
//! its frame and notes how often each instruction is executed ([`Profile`]); joined with the
//! disassembly ([`Disassembly`]) that gives the number of lanes in which a division or root was
//! executed ([`Executed`]). It must equal what [`taut_scalar::count_operations`] counts plus the lanes of padding.
//! The counts have no noise, so they are held to [limits](Limits).
//!
//! The bench `instructions` is the program that uses this module. The bench `cycles` runs some of the
//! same frames under `iai-callgrind`, which simulates caches, too.

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
