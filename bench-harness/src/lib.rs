//! Measures kernels: time, residual, operations, distance from `f64`, bits.
//!
//! A [`Comparison`] runs the same frames with each configuration (a kernel, a formula, an
//! [`Arrangement`] of the model) in interleaved rounds, so that noise affects all alike, and
//! returns a [`Row`] for each. A row has the residual, whether all positions are finite, and the
//! hash of the final positions; rows of one formula and schedule must be bit-identical
//! ([`disagreements`]).
//!
//! A [`SizeScaling`] runs a comparison for each of several sizes of a scene, without the rows that
//! become too slow.
//!
//! A [`Survey`] runs each combination of arrangement, formula and step for a number of frames, and
//! returns a [`Stability`] for each: whether it stays bounded.
//!
//! - [`SCENARIOS`] are the scenes of the benches, as data; a [`BenchCase`] runs one repeatedly from
//!   the same start and verifies each run.
//! - [`accuracy`]: stretch, distance from `f64`, drift, effort.
//! - [`claims`]: measures the claims of the articles.
//! - [`roofline`]: lower bounds of the time of each kernel on this machine.
//! - A [`WorldComparison`] compares kernels on the steps of a whole world; [`StepProfile`]
//!   separates the time of sticks from the rest, and [`FrameTimes`] measures the time of frames and, in
//!   watched frames, the fraction of each part of a step.
//!
//! A [`Tuning`] searches for the fastest way to relax a scene on this machine within a time
//! budget. Its result is a [`Choice`], which [`snippet`] turns into lines of Cargo.toml and Rust.
//!
//! Unless it is switched off ([`Baselines`]), the [`textbook`] loop is the baseline of a comparison. No
//! library depends on this crate, and it reads no file except `/proc/cpuinfo`.
#![forbid(unsafe_code)]

pub mod accuracy;
mod bench_case;
pub mod claims;
mod comparison;
pub mod instructions;
mod machine;
mod precision_pair;
mod residual;
pub mod roofline;
mod row;
mod runner;
mod scenario;
mod size_scaling;
pub mod snippet;
mod stability;
mod step_profile;
pub mod textbook;
mod tuning;
mod worlds;

pub use bench_case::{BenchCase, BenchCaseError, InvalidRun, RUN_FRAMES, Run, WARMUP_FRAMES};
pub use comparison::{
    Baselines, Comparison, ComparisonError, Configuration, EARLY_FRAME, Progress, ROUNDS,
    SubstepComparison,
};
pub use machine::MachineInfo;
pub use precision_pair::{Distance, PrecisionPair, relaxation};
pub use residual::Residual;
pub use row::{Disagreement, Row, disagreements};
pub use scenario::{SCENARIOS, Scenario, kernel_label, kernels_for};
pub use size_scaling::{SizeScaling, SizeScalingPoint};
pub use stability::{BOUND, Stability, Subject, Survey};
pub use step_profile::{FrameTimes, Shares, StepProfile};
pub use taut::world::{Arranged, Arrangement, ArrangementError, Numbering, Order};
pub use tuning::{
    Candidate, Choice, NOISE, RESIDUAL_CHECK_FRAMES, Trial, TrialOutcome, Tuning, TuningError,
    faster_half,
};
pub use worlds::{WorldComparison, WorldRow};
