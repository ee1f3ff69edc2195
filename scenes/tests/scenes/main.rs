//! Scenes from TOML, compared with those of the library, and the errors in them.
#![allow(clippy::float_cmp, reason = "numbers must be identical")]

#[cfg(feature = "toml")]
mod errors;
#[cfg(feature = "toml")]
mod files;
