//! The kernel for regular sheets.
//!
//! The sticks of a [`Sheet`](taut_core::Sheet) are implied by its width, height and families,
//! so this kernel needs no indices: it loads and stores whole registers. It accepts only the
//! schedule of [`Sheet::schedule`](taut_core::Sheet::schedule): blocks of rows, divided into bands.
//! In a band, one family is relaxed after the other. Threads take blocks.
//!
//! # Layout
//!
//! Sticks along a row join neighbouring columns, and the sticks of a register must share no
//! particle. So rows are *strided*: with `W` registers of `L` lanes per row, column `l W + m` is
//! lane `l` of register `m`.
//!
//! ```text
//!               lane 0   lane 1   ...  lane L-1
//! register 0    0        W             (L-1) W
//! register 1    1        W + 1         (L-1) W + 1
//! ...
//! register W-1  W - 1    2 W - 1       L W - 1
//! ```
//!
//! The right neighbours of the particles in register `m` are then register `m + 1`, whole and
//! aligned; only the last registers of a row wrap around to the first ones, shifted by one lane.
//! That shift is done in registers, because a load across two recent stores stalls (no store
//! forwarding). If `W` is a multiple of 4, the two batches of a family along a row consist of whole
//! registers. (The batches alternate: every other stick or, for sticks that span 2 columns, every
//! other two sticks.)
//!
//! A row that needs at most 6 registers has just that number, and is not padded to a multiple of 4.
//! If a batch then covers only some lanes of a register, the register is relaxed once per batch,
//! each time only in the lanes of that batch. In such a *narrow* sheet a row of sticks joins few
//! pairs of registers, each of which waits for the row before. So the pairs of a task (a band, or
//! the whole of a small sheet) are listed and sorted by level of dependency (see `narrow.rs`).
//!
//! The kernel does not compile for registers of more than 16 lanes (the tests' `Array<N>` has `N`
//! lanes):
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
//! Rows are padded to a multiple of 16 values. A sheet whose padded columns exceed both 2²² values
//! and four times its particles is rejected ([`PlanError::Limit`](taut_core::PlanError::Limit)).
//! That never happens to sheets of 4 columns or more.
//!
//! The sticks of one family that begin in one row need no columns of constants if they are plain and
//! have equal rest lengths, and if the particles of each row that they join have equal masses.
//! Consecutive rows with the same constants are relaxed in one loop. With masses of 1 kg the
//! multiplications by masses are left out: with `Halley`, in three dimensions, 24 operations per stick
//! remain, 9 of them to move the two ends. Rows with any exception (a different mass, a torn stick, a
//! stiffness) get columns of constants.
//!
//! # Working copy
//!
//! Positions and previous positions stay in strided rows between steps. The next call copies what
//! was written to the particles' columns in between, one particle or all. Motion and stages run on
//! strided rows, and positions are written back when a step ends. If the columns are up to date when
//! a substep begins, their positions become the previous positions of this substep: so the two sets of
//! columns are swapped, and previous positions are copied only if a stage or another substep changes
//! them.
//!
//! On one thread, a step is run in time-skewed sweeps: motion, the iterations, the following substeps
//! and the write-back move down the sheet together, each at least a band of rows behind the one
//! before it (see `time_skewed_sweep.rs`).
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod band_tasks;
mod constants;
mod kernel;
mod layout;
mod narrow;
mod padding;
mod rows;
mod slot_kernel;
mod sweep;
mod time_skewed_sweep;

pub use kernel::GridKernel;
pub use padding::PaddedSheet;
pub use slot_kernel::{GridPlan, GridSlotKernel};
