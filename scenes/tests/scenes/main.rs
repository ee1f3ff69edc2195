//! Scenes from TOML: the example files, some of them compared with scenes of the library, and the
//! messages about invalid files.
#![allow(clippy::float_cmp, reason = "numbers must be identical")]

#[cfg(feature = "toml")]
mod contact_errors;
#[cfg(feature = "toml")]
mod errors;
#[cfg(feature = "toml")]
mod files;
