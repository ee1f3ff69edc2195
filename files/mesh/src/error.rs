//! Errors of loading, with what is needed to fix the file.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::{FileNameError, Format};

/// Why a mesh file that is named relative to a folder cannot be loaded.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum LoadInFolderError {
    /// The name is empty, or is not that of a file in or below the folder.
    FileName(#[from] FileNameError),
    /// The file cannot be read, or is invalid.
    Mesh(#[from] MeshError),
}

/// An error of loading a mesh: the file, the location in it, and the problem.
///
/// Displays as one line, such as
/// `cube.ply: line 12: face 3 refers to vertex 9, but valid numbers are 0 to 7`.
#[derive(Debug, Error)]
#[error("{}{}{problem}", prefix(file.as_ref().map(|path| path.display())), prefix(location.as_ref()))]
pub struct MeshError {
    /// The path that was given to [`load`](crate::load); `None` if bytes were read.
    pub file: Option<PathBuf>,
    /// The location in the file; `None` if the problem is with the file as a whole.
    pub location: Option<Location>,
    /// What is wrong.
    pub problem: Problem,
}

/// The location of a problem in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Location {
    /// A line of a text file, counted from 1.
    Line(u64),
    /// A byte of a binary file, counted from 0: the first byte of the invalid item.
    Byte(u64),
    /// A primitive of a glTF mesh, both counted from 0.
    Primitive {
        /// The index of the mesh in the array `meshes` of the file.
        mesh: usize,
        /// The index of the primitive in that mesh.
        primitive: usize,
    },
}

/// What is wrong with a file.
///
/// Vertices and faces are numbered as in the file's format: from 1 in OBJ, from 0 in PLY and glTF.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file does not exist, permission is denied, or reading failed.
    #[error("cannot be read: {error}")]
    Unreadable {
        /// The error of the operating system.
        error: io::Error,
    },
    /// The path is that of a folder, a pipe or a device.
    #[error("is not a regular file: expected an OBJ, PLY or glTF file")]
    NotAFile,
    /// Neither the extension nor the first bytes identify a format.
    #[error(
        "has an unknown format: expected the extension .obj, .ply, .gltf or .glb, or the start of \
         a PLY or glTF file, found {found}"
    )]
    UnknownFormat {
        /// What the file starts with.
        found: String,
    },
    /// The file does not start as its format requires.
    #[error("is not {format}: expected it to start with {}, found {found}", format.start())]
    WrongFormat {
        /// The format that was expected.
        format: Format,
        /// What the file starts with.
        found: String,
    },
    /// The file has no bytes.
    #[error("is empty: expected a mesh")]
    Empty,
    /// The file ends inside something that it declares.
    #[error("the file ends inside {inside}")]
    Truncated {
        /// What is incomplete.
        inside: String,
    },
    /// The header declares more rows than fit into the rest of the file. Nothing was allocated for
    /// them.
    #[error(
        "declares {declared} rows of element `{element}`, which take at least {needed} bytes, but \
         only {left} bytes are left: the file is truncated, or the count is wrong"
    )]
    CountTooLarge {
        /// The name of the element.
        element: String,
        /// The declared number of rows.
        declared: u64,
        /// The minimum number of bytes of that many rows.
        needed: u128,
        /// The number of bytes that are left.
        left: u64,
    },
    /// Unexpected content.
    #[error("expected {expected}, found {found}")]
    Malformed {
        /// The expected content.
        expected: String,
        /// The found content.
        found: String,
    },
    /// The JSON of a glTF file is invalid, or is not a glTF document.
    #[error("the JSON is not a glTF 2.0 document: {message}")]
    Json {
        /// The error of the JSON parser, with the line and column inside the JSON.
        message: String,
    },
    /// A face refers to a vertex that does not exist.
    #[error(
        "face {face} refers to vertex {index}, but {}",
        ValidNumbers { count: *vertices, first: *first }
    )]
    IndexOutOfRange {
        /// The number of the face.
        face: u64,
        /// The number of the vertex, as written in the face.
        index: i64,
        /// The number of vertices.
        vertices: u64,
        /// The number of the first vertex: 1 in OBJ, else 0.
        first: u64,
    },
    /// A coordinate is infinite or NaN, before or after the transform of its node.
    #[error(
        "vertex {vertex} is at ({}, {}, {}): expected finite coordinates",
        position[0], position[1], position[2]
    )]
    NotFinite {
        /// The number of the vertex.
        vertex: u64,
        /// The coordinates.
        position: [f32; 3],
    },
    /// The file has no faces: it is a point cloud, has only lines, or no geometry at all.
    #[error("has {} and 0 faces: expected at least 1 face", count(*vertices, "vertex", "vertices"))]
    NoFaces {
        /// The number of vertices.
        vertices: u64,
    },
    /// All triangles are degenerate.
    #[error(
        "has {}, but in each of them two corners coincide: expected a mesh",
        count(*triangles, "triangle", "triangles")
    )]
    AllDegenerate {
        /// The number of triangles that were read.
        triangles: u64,
    },
    /// The file uses an unsupported feature.
    #[error("uses {what}, which this reader does not support")]
    Unsupported {
        /// The feature.
        what: String,
    },
    /// A reference inside a glTF document is out of range.
    #[error(
        "{by} refers to {what} {index}, but {}",
        ValidNumbers { count: *count as u64, first: 0 }
    )]
    ReferenceOutOfRange {
        /// The object with the reference.
        by: String,
        /// The kind of object that it refers to.
        what: &'static str,
        /// The index in the reference.
        index: usize,
        /// The number of objects of that kind.
        count: usize,
    },
    /// A node has two parents, or is part of a cycle or below one.
    #[error(
        "node {node} is reached more than once or has no root: expected the nodes to form trees"
    )]
    NotATree {
        /// The number of the node, counted from 0.
        node: usize,
    },
    /// The bytes of a glTF buffer cannot be read.
    #[error("buffer {buffer} cannot be read from {address}: {reason}")]
    Buffer {
        /// The number of the buffer, counted from 0.
        buffer: usize,
        /// The URI of its bytes, quoted, or where else they should be.
        address: String,
        /// Why they cannot be read.
        reason: String,
    },
    /// The file of a glTF buffer is not in or below the folder of the document.
    #[error("buffer {buffer} cannot be read: {error}")]
    FileName {
        /// The number of the buffer, counted from 0.
        buffer: usize,
        /// The file name, and what is wrong with it.
        error: FileNameError,
    },
    /// A glTF buffer is shorter than the document declares.
    #[error("buffer {buffer} is truncated: expected {declared} bytes, found {found}")]
    ShortBuffer {
        /// The number of the buffer, counted from 0.
        buffer: usize,
        /// The declared number of bytes.
        declared: u64,
        /// The number of bytes found.
        found: u64,
    },
    /// The mesh is larger than [`LoadOptions`](crate::LoadOptions) allows.
    #[error("has more than {limit} {what}, the limit for loading")]
    TooLarge {
        /// What is limited, such as `vertices`.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
}

/// The result of internal functions.
pub(crate) type Result<T, E = MeshError> = std::result::Result<T, E>;

impl Problem {
    /// Returns an error with this problem at a location.
    pub(crate) fn at(self, location: Location) -> MeshError {
        MeshError { file: None, location: Some(location), problem: self }
    }

    /// Returns a [`Problem::TooLarge`] if `count` is above the limit of an option.
    ///
    /// Used wherever the length of the file does not limit a size.
    pub(crate) fn check_limit(what: &'static str, count: u64, limit: u64) -> Result<(), Self> {
        if count <= limit { Ok(()) } else { Err(Self::TooLarge { what, limit }) }
    }

    /// A [`Problem::Malformed`].
    pub(crate) fn malformed(expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self::Malformed { expected: expected.into(), found: found.into() }
    }
}

impl From<Problem> for MeshError {
    fn from(problem: Problem) -> Self {
        Self { file: None, location: None, problem }
    }
}

impl MeshError {
    /// Adds the path of the file.
    pub(crate) fn in_file(self, path: &Path) -> Self {
        Self { file: Some(path.to_owned()), ..self }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Byte(byte) => write!(f, "byte {byte}"),
            Self::Primitive { mesh, primitive } => write!(f, "mesh {mesh}, primitive {primitive}"),
        }
    }
}

/// Formats `part` with a colon after it; an empty string for `None`.
fn prefix(part: Option<impl fmt::Display>) -> String {
    part.map(|part| format!("{part}: ")).unwrap_or_default()
}

/// Formats a count, such as `1 vertex` or `2 vertices`.
pub(crate) fn count(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// The end of the message "... refers to ... n, but ...": which numbers are valid.
struct ValidNumbers {
    count: u64,
    first: u64,
}

impl fmt::Display for ValidNumbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, first } = *self;
        match count {
            0 => write!(f, "there are none"),
            1 => write!(f, "the only valid number is {first}"),
            _ => write!(f, "valid numbers are {first} to {}", count - 1 + first),
        }
    }
}

/// Quotes `text`, truncated to 48 characters.
pub(crate) fn quote(text: &str) -> String {
    let mut shown: String = text.chars().take(48).flat_map(char::escape_debug).collect();
    if text.chars().nth(48).is_some() {
        shown.push('…');
    }
    format!("`{shown}`")
}
