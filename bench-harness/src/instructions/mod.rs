//! What a frame executes: instructions, and the divisions and roots among them.
//!
//! A [`Case`] is a kernel with a formula on a fixed small scene. Valgrind's tool callgrind runs
//! its frame and notes how often each instruction is executed ([`Profile`]); joined with the
//! disassembly ([`Disassembly`]) that gives the lanes that were divided ([`Executed`]), which
//! must be those that [`taut_scalar::count`] counts, and the lanes of padding. The counts have no
//! noise, so they are held to [limits](Limits).
//!
//! The bench `instructions` is the program around it. The bench `cycles` runs some of the same
//! frames by `iai-callgrind`, which simulates caches, too.

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
