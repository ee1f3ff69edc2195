//! The first Rust program of the README, to which `build.rs` adds a line that prints the hash of the
//! particles. `hash.rs` checks the hash.
#![forbid(unsafe_code)]

include!(concat!(env!("OUT_DIR"), "/readme.rs"));
