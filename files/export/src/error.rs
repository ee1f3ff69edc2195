//! Errors of writers.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file that could not be written, and the reason. Displays as one line.
#[derive(Debug, Error)]
#[error("{}: {problem}", path.display())]
pub struct ExportError {
    /// The path, as it was given.
    pub path: PathBuf,
    /// What is wrong.
    pub problem: Problem,
}

/// Why a file could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Problem {
    /// The extension is unknown.
    #[error("unknown extension: expected one of {}", known.join(", "))]
    UnknownExtension {
        /// The supported extensions.
        known: &'static [&'static str],
    },
    /// The name has more than one frame number pattern, or an invalid pattern, or one that is not in the
    /// name of the file itself.
    #[error("expected at most one frame number pattern such as %04d, in the name of the file")]
    Pattern,
    /// The folder of the file does not exist.
    #[error("there is no folder {}", folder.display())]
    NoFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// An error of the operating system.
    #[error("cannot be written: {0}")]
    Io(#[from] io::Error),
    /// The file would be larger than other programs can open.
    #[error(
        "would be {:.1} GB, more than the limit of {:.1} GB: \
         reduce the frame rate or the duration",
        *bytes as f64 / 1e9, *limit as f64 / 1e9
    )]
    TooLarge {
        /// The size that the file would have, bytes.
        bytes: u64,
        /// The maximum size, bytes.
        limit: u64,
    },
    /// No frame was written.
    #[error("no frame was written")]
    NoFrames,
    /// The drawn scene is invalid.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A frame does not belong to its drawn scene.
    #[error(transparent)]
    Frame(#[from] FrameMismatch),
    /// The format cannot represent the drawn scene, or the request.
    #[error("{0}")]
    Unsupported(&'static str),
    /// An encoder failed.
    #[error("cannot be encoded: {0}")]
    Encoding(String),
}

/// What is invalid in a [`DrawnScene`](crate::DrawnScene).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SceneError {
    /// A part has vertices, faces or sticks that the scene does not have, or a face or a stick whose
    /// vertices are not all its own.
    #[error("part {name:?} has vertices, faces or sticks that are out of range")]
    Part {
        /// The name of the part.
        name: String,
    },
    /// The mesh of a rigid shape is invalid.
    #[error("the mesh of {name:?} has a corner out of range or a wrong number of normals")]
    RigidShape {
        /// The name of the shape.
        name: String,
    },
    /// A pinned vertex does not exist.
    #[error("pinned vertex {vertex} is out of range: there are {vertices} vertices")]
    Pinned {
        /// The index of the vertex.
        vertex: u32,
        /// The number of vertices.
        vertices: usize,
    },
    /// The number of ball radii is neither 0 nor the number of vertices.
    #[error("{found} ball radii: expected none, or one for each of {vertices} vertices")]
    BallRadii {
        /// The number of radii.
        found: usize,
        /// The number of vertices.
        vertices: usize,
    },
}

/// A frame has a list whose length is not that of its scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a frame has {found} {list}: expected {expected}, as in its scene")]
pub struct FrameMismatch {
    /// The list: `positions`, `normals`, `poses`, or flags of vertices, faces or sticks.
    pub list: &'static str,
    /// Its length.
    pub found: usize,
    /// The length that it should have; lists of flags may also be empty.
    pub expected: usize,
}

/// The result of writing.
pub type Result<T, E = ExportError> = std::result::Result<T, E>;

impl Problem {
    /// Returns the error for the file at `path` with this problem.
    #[must_use]
    pub fn of(self, path: &Path) -> ExportError {
        ExportError { path: path.to_owned(), problem: self }
    }
}

/// Adds the file to an error.
pub trait InFile<T> {
    /// Returns the same value, or the error with the path of the file.
    ///
    /// # Errors
    /// If `self` is an error.
    fn in_file(self, path: &Path) -> Result<T>;
}

impl<T, E: Into<Problem>> InFile<T> for std::result::Result<T, E> {
    fn in_file(self, path: &Path) -> Result<T> {
        self.map_err(|problem| problem.into().of(path))
    }
}
