//! Tests of the public API of taut-core. `meshes` and `one_stick` have what several tests use.
#![allow(clippy::float_cmp, reason = "the guarantee is equal numbers, not close ones")]

mod arithmetic;
mod changes;
mod contract;
mod formulas;
mod limits;
mod lists;
mod meshes;
mod motion;
mod numbering;
mod one_stick;
mod operation_counts;
mod particles;
mod schedules;
#[cfg(feature = "serde")]
mod serialized;
mod sheets;
mod side_by_side;
mod stage;
mod sticks;
mod stretch;
mod triangles;
