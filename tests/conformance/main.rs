//! Tests across the crates of Taut.
//!
//! Most of them name no kernel: they run all kernels that `configurations::configurations` lists. A
//! new kernel must be added there.
//!
//! The golden hashes are in `golden.txt`; see the module `golden` for how to renew them.
#![allow(clippy::float_cmp, reason = "results are bit-identical")]

mod agreement;
mod bindings;
mod changes;
mod cloths;
mod collider_contacts;
mod configurations;
mod golden;
mod isas;
mod kernel_sets;
mod library;
mod live;
mod meshes;
mod models;
mod oracle;
mod physics;
mod programs;
mod runner;
mod sessions;
mod sheets;
mod sleeping;
mod statuses;
mod threads;
mod ties;
mod tuned;
mod values;
mod worlds;
