//! Models, forces, obstacles and worlds, against what is known.
#![allow(clippy::float_cmp, reason = "what is copied, mirrored or pinned is the same to the bit")]

mod builders;
mod cloth;
mod models;
mod plants;
mod ragdolls;
mod ropes;
mod worlds;
