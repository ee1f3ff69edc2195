//! Ready-made scenes by name, and scenes from TOML.
//!
//! - A [`LibraryScene`] has a name and is built in a chosen size.
//! - [`AnyScene::from_toml`](AnyScene) (feature `toml`) reads a scene from text.
//!
//! This crate uses only the public interface of `taut_world`. It steps no world and opens no file:
//! the caller reads the mesh files that a scene names.
#![forbid(unsafe_code)]

mod any;
#[cfg(feature = "toml")]
mod file;
mod library;

pub use any::AnyScene;
#[cfg(feature = "toml")]
pub use file::{SceneFileError, TriangleReader, Triangles};
pub use library::{LibraryScene, UnknownScene};
