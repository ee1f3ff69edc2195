//! Tests across the crates of Taut.
//!
//! They name no kernel: they run all kernels that [`configurations`](configurations::configurations)
//! lists, where a new kernel must be added.
//!
//! The golden hashes are in `golden.txt`; see the module `golden` for how to renew them.
#![allow(clippy::float_cmp, reason = "that two numbers are the same is what is promised")]

mod agreement;
mod cloths;
mod configurations;
mod golden;
mod isas;
mod library;
mod live;
mod meshes;
mod oracle;
mod physics;
mod play;
mod scenes;
mod sessions;
mod sheets;
mod statuses;
mod threads;
mod tuned;
mod worlds;
