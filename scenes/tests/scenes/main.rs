//! Scenes written in TOML, and those of the library.
#![allow(clippy::float_cmp, reason = "that two numbers are the same is what is promised")]

#[cfg(feature = "toml")]
mod files;
