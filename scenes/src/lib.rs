//! Scenes to begin with: those of the library, by name, and those written in TOML.
//!
//! - A [`LibraryScene`] has a name, and is made in any size.
//! - [`AnyScene::from_toml`](AnyScene) (feature `toml`) reads a scene from text.
//!
//! It makes scenes of what `taut_world` offers to everybody, steps no world, and opens no file: who
//! asks for a scene reads the meshes that it names.
#![forbid(unsafe_code)]

mod any;
#[cfg(feature = "toml")]
mod file;
mod library;

pub use any::AnyScene;
#[cfg(feature = "toml")]
pub use file::{SceneFileError, TriangleReader, Triangles};
pub use library::{LibraryScene, UnknownScene};
