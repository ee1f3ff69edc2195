//! Tests of models, forces, obstacles and worlds against known results.
#![allow(clippy::float_cmp, reason = "tests compare exact results")]

mod allocations;
mod bodies;
mod body_contacts;
mod builders;
mod carrying_over;
mod cloth;
mod collider_contacts;
mod compliance;
mod diagnostics;
mod drawing;
mod edges;
mod emitters;
mod forces;
mod held;
mod independence;
mod instruction_sets;
mod limbs;
mod make;
#[cfg(feature = "parry")]
mod meshes;
mod models;
mod motion;
mod obstacles;
mod plants;
mod ragdolls;
mod ropes;
mod self_collision;
mod sleeping;
mod sleeping_near_motion;
mod sleeping_snapshots;
mod snapshots;
mod splitting;
mod springs;
#[cfg(feature = "parry")]
mod stacks;
mod substeps;
mod swept;
mod tearing;
mod tethers;
mod tied_tethers;
mod ties;
mod time;
mod wind;
mod worlds;
