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
//! - [`SCENARIOS`] are what the benches run, as data; a [`Course`] lets a kernel run one over
//!   and over from the same start and verifies each run.
//! - [`accuracy`]: what is left of the stretch, distance from `f64`, drift, effort.
//! - [`claims`]: what the articles claim, measured.
//! - [`roofline`]: how fast the machine would let each kernel be.
//! - A [`WorldContest`] compares kernels on the steps of a whole world; [`PassTimes`] tells the
//!   sticks' share of them from that of all else, and [`FrameTimes`] measures plain frames and the
//!   share of each pass.
//!
//! A [`Tuning`] looks for the fastest way to relax a scene on this machine within a budget of
//! time, and makes a [`Choice`], which [`snippet`] puts into words of Cargo and Rust.
//!
//! Two baselines are always there: the [`textbook`] loop and the scalar kernel. No library
//! depends on this crate; it knows no file.
#![forbid(unsafe_code)]

pub mod accuracy;
pub mod claims;
mod contest;
mod course;
pub mod instructions;
mod machine;
mod passes;
mod residual;
pub mod roofline;
mod row;
mod runner;
mod scenario;
pub mod snippet;
mod stability;
pub mod textbook;
mod tuning;
mod twins;
mod worlds;

pub use contest::{
    Contest, ContestError, Contestant, EARLY_FRAME, Progress, ROUNDS, SubstepComparison,
};
pub use course::{COURSE_FRAMES, Course, CourseError, Run, Unsound, WARMUP_FRAMES};
pub use machine::MachineInfo;
pub use passes::{FrameTimes, PassTimes, Shares};
pub use residual::Residual;
pub use row::{Disagreement, Row, disagreements};
pub use scenario::{SCENARIOS, Scenario, engine_name, engines_in};
pub use stability::{BOUND, Stability, Subject, Survey};
pub use taut::world::{Arranged, Arrangement, ArrangementError, Numbering, Order};
pub use tuning::{
    Candidate, Choice, Fate, JUDGED_FRAMES, NOISE, Trial, Tuning, TuningError, better_half,
};
pub use twins::{Distance, Twins, relaxation};
pub use worlds::{WorldContest, WorldRow};
