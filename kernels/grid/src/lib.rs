//! The kernel for regular sheets.
//!
//! The sticks of a [`Sheet`](taut_core::Sheet) are implied by its width, height and families,
//! so this kernel names nothing by index: it reads and writes whole registers. It runs the
//! schedule that [`Sheet::schedule`](taut_core::Sheet::schedule) writes out, blocks of bands of
//! rows and in them one family after the other, and refuses any other. Threads take blocks.
//!
//! # How
//!
//! Sticks along a row join neighbouring columns, and neighbouring lanes must not depend on each
//! other. So a row is kept in *strides*: with `W` registers of 16 lanes a row, column
//! `l W + m` is lane `l` of register `m`.
//!
//! ```text
//!             lane 0   lane 1   ...  lane 15
//! register 0  0        W             15 W
//! register 1  1        W + 1         15 W + 1
//! ...
//! register W-1         2 W - 1       16 W - 1
//! ```
//!
//! The right neighbours of register `m` are then register `m + 1`, whole and aligned; only the
//! last registers of a row wrap around to the first ones, one lane on. Those lanes are moved in
//! registers: a load that straddles two fresh stores would wait until both have reached the
//! cache, and rows are short. `W` is a multiple of 4, so that the two batches of a family along
//! a row (every other stick, every other two sticks) are every other registers, too. The 16
//! belongs to the layout, not to the machine: narrower registers take it in several goes.
//! (With wider ones the kernel does not compile; the tests' `Array<N>` has `N` lanes.)
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../lanes/tests/lanes/array.rs"));
//! # fn main() {
//! step_a_sheet(&taut_grid::GridKernel::on(ArrayMachine::<16>));
//! # }
//! ```
//!
//! ```compile_fail
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../lanes/tests/lanes/array.rs"));
//! # fn main() {
//! step_a_sheet(&taut_grid::GridKernel::on(ArrayMachine::<32>));
//! # }
//! ```
//!
//! So a row of up to 64 particles takes 64 numbers in each column. A sheet whose columns would be
//! longer than 2²² numbers by it, and more than four times its particles, is refused
//! ([`PlanError::Limit`](taut_core::PlanError::Limit)): sheets of 16 columns and more never are.
//!
//! A row of equal masses and sticks of equal rest lengths needs no column but the positions,
//! and rows of the same constants are relaxed in one go. With masses of 1 kg there is nothing
//! to multiply with; then 24 operations a stick are left, 9 of them to move the two ends. A row
//! in which something else was set (a mass, a tear, a stiffness) gets columns of constants and
//! stays as fast as it can.
//!
//! Positions and previous positions stay in strides between steps. What was written to the
//! particles' columns since is brought in by the next call, one particle or all; motion and stages
//! run in strides, and positions are written back when a step ends. Where only motion moved the
//! particles, the previous positions are the old positions of the columns, and need only change
//! places with them.
//!
//! On one thread a step does not do one thing to the whole sheet after the other: motion, the
//! iterations, the following substeps, and the write-back go down the sheet together, each a band of
//! rows behind the one before it (see `sweeps.rs`).
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod constants;
mod kernel;
mod layout;
mod others;
mod plan;
mod rows;
mod stages;
mod sweep;
mod time_skewed_sweep;

pub use kernel::GridKernel;
pub use plan::GridPlan;
