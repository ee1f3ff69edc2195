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
//! A [`Tuning`] looks for the fastest way to relax a scene on this machine within a budget of
//! time, and makes a [`Choice`], which [`snippet`] puts into words of Cargo and Rust.
//!
//! Two baselines are always there: the [`textbook`] loop and the scalar kernel. No library
//! depends on this crate; it knows no file.
#![forbid(unsafe_code)]

mod contest;
pub mod instructions;
mod machine;
mod row;
mod runner;
pub mod snippet;
mod stability;
pub mod textbook;
mod tuning;

pub use contest::{Contest, ContestError, Contestant, EARLY_FRAME, Progress, ROUNDS};
pub use machine::MachineInfo;
pub use row::{Disagreement, Row, disagreements};
pub use stability::{BOUND, Stability, Subject, Survey};
pub use taut::world::{Arranged, Arrangement, ArrangementError, Numbering, Order};
pub use tuning::{
    Candidate, Choice, Fate, JUDGED_FRAMES, NOISE, Trial, Tuning, TuningError, better_half,
};
