//! The first program of the README. It must print the same hash whichever kernel is its default
//! kernel.
#![forbid(unsafe_code)]

include!(concat!(env!("OUT_DIR"), "/readme.rs"));
