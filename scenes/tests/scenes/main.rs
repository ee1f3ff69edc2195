//! Scenes written in TOML, and those of the library.

#[cfg(feature = "toml")]
mod files;
