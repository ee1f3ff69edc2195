//! What a Taut simulation is and what its answer means: particles, sticks, schedules,
//! formulas, and the contract of the kernels that run them.
//!
//! *A schedule decides the answer, a kernel decides the speed.* Gauss-Seidel relaxation
//! depends on the order of the sticks, so the order is data ([`Schedule`]), made once and
//! validated once; whoever runs it, with whatever registers and threads, gives the same bits.
//!
//! - [`Particles`]: columns of position, previous position and inverse mass.
//! - [`Sticks`]: columns of ends, rest length, stiffness, compliance, kind, torn.
//! - [`Schedule`]: phases of blocks of batches; [`Sheet`] is the implied form for regular
//!   sheets; [`Renumbering`] brings neighbours together in memory.
//! - [`Formula`]: [`Exact`], [`Newton`], [`Halley`], [`Quick`], each one text over [`Lane`].
//! - [`Kernel`], [`Plan`], [`Session`]: the contract as callers use it; [`Engine`]: what a kernel
//!   implements; [`Stage`]: work on one particle at a time, run on a plan's own layout.
//!
//! This crate knows no CPU, no file and no thread, and has no `unsafe`. Units are SI.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

#[cfg(feature = "serde")]
mod array;
mod changes;
mod counted;
mod error;
mod executor;
pub mod formula;
mod hash;
mod kernel;
mod lane;
mod law;
mod limits;
mod numbering;
mod particles;
mod plan;
mod real;
mod renumbering;
mod schedule;
mod stage;
mod step;
mod sticks;
mod stretch;
mod triangles;

pub use changes::{Changes, Cursor, Delta};
pub use counted::{Counted, Tally};
pub use error::PlanError;
pub use executor::{Executor, Inline};
pub use formula::{Exact, Factor, Formula, Halley, Newton, Quick, UnknownFormula, WithFactor};
pub use kernel::Kernel;
pub use lane::{Lane, SEED_F32, SEED_F64};
pub use law::{
    ABSENT, LEAST_SQUARED_LENGTH, Response, displaced, factor, integrate, relax, relax_by,
    squared_length, verlet, weight,
};
pub use limits::{LimitError, PARTICLES_MAX, STICKS_MAX, TRIANGLES_MAX, check_limit};

pub use particles::{
    COORDINATE_MAX, Column, Columns, INVERSE_MASS_MAX, INVERSE_MASS_MIN, PADDING, ParticleError,
    Particles, hash_points,
};
pub use plan::{Engine, Plan, Residence, Session, Substeps};
pub use real::Real;
pub use renumbering::{NotAPermutation, Renumbering};
pub use schedule::{
    BAND_PARTICLES, BAND_ROWS, BLOCK_PARTICLES, BLOCK_ROWS, Block, CLOTH_STICKS, Family,
    OPEN_PACKETS, PACKET_STICKS, Phase, RUN_STICKS, STAR_STICKS, Schedule, ScheduleError, Sheet,
    SheetBlock, SheetError, WIDE, WIDE_BAND_ROWS,
};
pub use stage::{Numbers, ParticleView, PositiveZeros, Stage};
pub use step::{Motion, Status, Step, StepError};
pub use sticks::{COMPLIANCE_MAX, Duplicates, Kind, REST_MAX, REST_MIN, StickError, Sticks};
pub use stretch::Stretch;
pub use triangles::{Bending, TriangleError};
