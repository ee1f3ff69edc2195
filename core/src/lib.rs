//! Particles, sticks, schedules and formulas, and the contract of the kernels that relax them.
//!
//! *A schedule decides the result, a kernel decides the speed.* Gauss-Seidel relaxation
//! depends on the order of the sticks, so the order is data ([`Schedule`]), built and validated
//! once. On the same schedule every kernel gives the same bits, on every instruction set and any
//! number of threads.
//!
//! - [`Particles`]: columns of position, previous position and inverse mass.
//! - [`Sticks`]: columns of ends, rest length, stiffness, compliance, kind and torn flag.
//! - [`Schedule`]: phases of blocks of batches; a [`Sheet`] implies the schedule of a regular
//!   sheet; [`Renumbering`] gives the ends of a stick close numbers, so that they are near each
//!   other in memory.
//! - [`Formula`]: [`Exact`], [`Newton`], [`Halley`], [`Quick`], each written once over [`Lane`].
//! - [`Kernel`], [`Plan`], [`BoxedPlan`], [`Session`]: the interface for callers; [`Engine`]: what
//!   a kernel implements; [`Stage`]: work on one particle at a time, run on a plan's own layout.
//!
//! This crate uses no CPU features, files or threads, and has no `unsafe`. Units are SI.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod arithmetic;
#[cfg(feature = "serde")]
mod array;
pub mod arrays;
mod boxed_plan;
mod changes;
mod column;
mod counted;
mod error;
mod executor;
pub mod formula;
mod hash;
mod kernel;
mod lane;
mod limits;
mod lists;
mod numbering;
mod particles;
mod plan;
mod real;
mod renumbering;
mod runs;
mod schedule;
mod stage;
mod step;
mod sticks;
mod stretch;
mod triangles;

pub use arithmetic::{
    ABSENT, LEAST_SQUARED_LENGTH, Response, displaced, factor, integrate, relax, relax_by,
    squared_length, verlet, weight,
};
pub use boxed_plan::BoxedPlan;
pub use changes::{Changes, Cursor, Delta};
pub use column::{Column, PADDING};
pub use counted::{Counted, Tally};
pub use error::PlanError;
pub use executor::{Executor, Inline};
pub use formula::{Exact, Factor, Formula, Halley, Newton, Quick, UnknownFormula, WithFactor};
pub use kernel::Kernel;
pub use lane::{Lane, SEED_F32, SEED_F64};
pub use limits::{LimitError, PARTICLES_MAX, STICKS_MAX, TRIANGLES_MAX, check_limit};
pub use lists::{GroupedLists, item_range};
pub use particles::{
    COORDINATE_MAX, Columns, INVERSE_MASS_MAX, INVERSE_MASS_MIN, ParticleError, Particles,
    hash_points,
};
pub use plan::{Engine, Plan, Residence, Session, Substeps};
pub use real::Real;
pub use renumbering::{PermutationError, Renumbering};
pub use runs::RunKey;
pub use schedule::{
    BAND_PARTICLES, BAND_ROWS, BAND_WIDTH_MAX, BLOCK_PARTICLES, BLOCK_ROWS, Block, CLOTH_STICKS,
    Copies, Family, MeshOrder, OPEN_PACKETS, PACKET_STICKS, Phase, RUN_STICKS, STAR_BAND_PARTICLES,
    STAR_STICKS, Schedule, ScheduleError, Sheet, SheetBlock, SheetError, WIDE_BAND_ROWS,
};
pub use stage::{ParticleView, PositiveZeros, SlotLayout, Stage};
pub use step::{Motion, Status, Step, StepError};
pub use sticks::{COMPLIANCE_MAX, Duplicates, Kind, REST_MAX, REST_MIN, StickError, Sticks};
pub use stretch::Stretch;
pub use triangles::{Bending, TriangleError};
