//! What holds across the crates of Taut.
//!
//! A test here knows no kernel: it takes what [`contestants`](contestants::contestants)
//! lists, which is where a new kernel comes in.
//!
//! The golden hashes are in `golden.txt`; see the module `golden` for how to renew them.
#![allow(clippy::float_cmp, reason = "that two numbers are the same is what is promised")]

mod agreement;
mod cloths;
mod contestants;
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
