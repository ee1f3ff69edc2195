//! Models, forces, obstacles and worlds, against what is known.
#![allow(clippy::float_cmp, reason = "that two numbers are the same is what is promised")]

mod compliance;
mod diagnostics;
mod emitters;
mod forces;
mod hands;
mod make;
mod motion;
mod snapshots;
mod springs;
mod tearing;
mod time;
mod wind;
mod worlds;
