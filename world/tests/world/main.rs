//! Tests of models, forces, obstacles and worlds against known results.
#![allow(clippy::float_cmp, reason = "tests compare exact results")]

mod allocations;
mod bodies;
mod body_contacts;
mod builders;
mod carrying_over;
mod cloth;
mod compliance;
mod diagnostics;
mod drawing;
mod edges;
mod emitters;
mod forces;
mod held;
mod make;
#[cfg(feature = "parry")]
mod meshes;
mod models;
mod motion;
mod neighbours;
mod obstacles;
mod plants;
mod ragdolls;
mod ropes;
mod self_collision;
mod sleeping;
mod snapshots;
mod splitting;
mod springs;
mod substeps;
mod swept;
mod tearing;
mod tethers;
mod tied_tethers;
mod ties;
mod time;
mod touch;
mod wind;
mod worlds;
