//! Measuring kernels: time, residual, operations, distance from `f64`, bits.
//!
//! A [`Contest`] lets contestants (a kernel, a formula, an [`Arrangement`] of the scene each)
//! do the same frames in interleaved rounds, so that a noisy machine hits all alike, and
//! gives a [`Row`] for each. A time never comes alone: it brings the residual, whether all
//! positions are finite, and the hash of the final positions; rows of one formula and
//! schedule must agree to the bit ([`disagreements`]).
//!
//! A [`Survey`] runs orders, formulas and steps for some seconds each and tells which stay
//! bounded: a [`Stability`] for each.
//!
//! A [`roofline`] tells how fast the machine would let each be.
//!
//! Two baselines are always there: the [`textbook`] loop and the scalar kernel. No library
//! depends on this crate; it knows no file.
#![forbid(unsafe_code)]

mod arrangement;
mod contest;
pub mod instructions;
mod machine;
pub mod roofline;
mod row;
mod stability;
pub mod textbook;

pub use arrangement::{Arranged, Arrangement, ArrangementError, Numbering, Order};
pub use contest::{Contest, ContestError, Contestant, EARLY_FRAME, Progress, ROUNDS};
pub use machine::MachineInfo;
pub use row::{Disagreement, Row, disagreements};
pub use stability::{BOUND, Stability, Subject, Survey};
