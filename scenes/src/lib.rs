//! Ready-made scenes: those of the library, by name, and those written in TOML.
//!
//! - A [`LibraryScene`] has a name, and is made in any size.
//! - [`AnyScene::from_toml`](AnyScene) (feature `toml`) reads a scene from text.
//!
//! This crate uses the public interface of `taut_world` only, steps no world and opens no files:
//! the caller reads mesh files that a scene names.
#![forbid(unsafe_code)]

mod any;
#[cfg(feature = "toml")]
mod file;
mod library;

pub use any::AnyScene;
#[cfg(feature = "toml")]
pub use file::{SceneFileError, TriangleReader, Triangles};
pub use library::{LibraryScene, UnknownScene};
