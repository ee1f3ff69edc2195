//! Models, forces, obstacles and worlds, against what is known.
#![allow(clippy::float_cmp, reason = "that two numbers are the same is what is promised")]

mod bodies;
#[cfg(feature = "parry")]
mod body_contacts;
mod builders;
mod cloth;
mod compliance;
mod diagnostics;
#[cfg(feature = "toml")]
mod files;
mod hands;
mod make;
#[cfg(feature = "parry")]
mod meshes;
mod models;
mod obstacles;
mod plants;
mod ragdolls;
mod ropes;
mod snapshots;
mod tearing;
mod time;
mod worlds;
