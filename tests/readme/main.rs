//! The first program of the README. It must print the same hash with every kernel that
//! `taut::default_kernel()` can return.
#![forbid(unsafe_code)]

include!(concat!(env!("OUT_DIR"), "/readme.rs"));
