//! The first program of the README. It must print the same hash with every default kernel.
#![forbid(unsafe_code)]

include!(concat!(env!("OUT_DIR"), "/readme.rs"));
