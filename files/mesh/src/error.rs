//! Errors of loading, with the information needed to fix the file.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::{FileNameError, Format};

/// A mesh that could not be read: the file, the position in it, and the problem.
///
/// Displays as one sentence, such as
/// `cube.ply: line 12: face 3 names vertex 9, but the 8 vertices are numbered 0 to 7`.
#[derive(Debug, Error)]
#[error("{}{}{problem}", prefix(file.as_ref().map(|path| path.display())), prefix(place.as_ref()))]
pub struct MeshError {
    /// The file, as it was named to [`load`](crate::load); `None` where bytes were read.
    pub file: Option<PathBuf>,
    /// Where in the file; `None` where the problem is with the file as a whole.
    pub place: Option<Place>,
    /// What is wrong.
    pub problem: Problem,
}

/// Where in a file a problem lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// A line of a text file, counted from 1.
    Line(u64),
    /// A byte of a binary file, counted from 0: the first of the item that is wrong.
    Byte(u64),
    /// A primitive of a glTF mesh, both counted from 0.
    Primitive {
        /// The mesh's place in the file's `meshes`.
        mesh: usize,
        /// The primitive's place in that mesh.
        primitive: usize,
    },
}

/// A problem of a file.
///
/// Vertices and faces carry the numbers that the file itself would use: counted from 1 in OBJ, from
/// 0 in PLY and glTF.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file does not exist, may not be read, or reading it broke off.
    #[error("cannot be read: {error}")]
    Unreadable {
        /// The error of the operating system.
        error: io::Error,
    },
    /// The path leads to a folder, a pipe or a device.
    #[error("is not a regular file: expected an OBJ, PLY or glTF file")]
    NotAFile,
    /// Neither the name nor the first bytes identify a format.
    #[error(
        "is of no known format: expected a name in .obj, .ply, .gltf or .glb, or a file that starts like PLY or glTF, found {found}"
    )]
    UnknownFormat {
        /// What the file starts with.
        found: String,
    },
    /// The file does not start like the format that its name implies.
    #[error("is not {format}: expected it to start with {}, found {found}", format.start())]
    WrongFormat {
        /// The format that was expected.
        format: Format,
        /// What the file starts with.
        found: String,
    },
    /// The file holds no bytes.
    #[error("is empty: expected a mesh")]
    Empty,
    /// The file ends before something that it declares is complete.
    #[error("the file ends inside {inside}")]
    Truncated {
        /// What is incomplete.
        inside: String,
    },
    /// The header declares more rows than the file could hold. Nothing was allocated for them.
    #[error(
        "declares {declared} of element `{element}`, which take at least {needed} bytes, but only {left} are left: cut short, or a false count"
    )]
    LyingCount {
        /// The element's name in the header.
        element: String,
        /// The declared number of rows.
        declared: u64,
        /// The minimum number of bytes for that many rows.
        needed: u128,
        /// The remaining bytes.
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
    /// The JSON of a glTF file is invalid, or not that of a glTF document.
    #[error("the JSON is not that of a glTF 2.0 document: {message}")]
    Json {
        /// The error of the JSON reader, with the line and column inside the JSON.
        message: String,
    },
    /// A face names a vertex that does not exist.
    #[error("face {face} names vertex {index}, but {}", Numbers { count: *vertices, first: *first })]
    IndexOutOfRange {
        /// The face's number.
        face: u64,
        /// The vertex's number, as the face gives it.
        index: i64,
        /// How many vertices there are.
        vertices: u64,
        /// The number of the first: 1 in OBJ, else 0.
        first: u64,
    },
    /// A coordinate is infinite or NaN, before or after the transform of its node.
    #[error("vertex {vertex} lies at ({}, {}, {}), where three finite numbers were expected", position[0], position[1], position[2])]
    NotFinite {
        /// The vertex's number.
        vertex: u64,
        /// Its coordinates.
        position: [f32; 3],
    },
    /// A file without faces: a point cloud, lines, or no geometry at all.
    #[error("has {} but no faces: not a mesh", count(*vertices, "vertex", "vertices"))]
    NoFaces {
        /// How many vertices there are.
        vertices: u64,
    },
    /// All triangles are degenerate.
    #[error("has {} but each has two corners in one place: no mesh is left", count(*triangles, "triangle", "triangles"))]
    AllDegenerate {
        /// How many triangles were read.
        triangles: u64,
    },
    /// The file uses an unsupported feature.
    #[error("uses {what}, which this reader does not support")]
    Unsupported {
        /// The feature.
        what: String,
    },
    /// A reference inside a glTF document is out of range.
    #[error("{by} refers to {what} {index}, but {}", Numbers { count: *count as u64, first: 0 })]
    NoSuch {
        /// The object with the reference.
        by: String,
        /// The kind of thing.
        what: &'static str,
        /// The index in the reference.
        index: usize,
        /// The number of things of that kind.
        count: usize,
    },
    /// A node has two parents, or the nodes form a cycle.
    #[error("node {node} is reached more than once: expected the nodes to form trees")]
    NotATree {
        /// The node's number, counted from 0.
        node: usize,
    },
    /// The bytes of a glTF buffer cannot be read.
    #[error("buffer {buffer} cannot be read from {address}: {reason}")]
    Buffer {
        /// The buffer's number, counted from 0.
        buffer: usize,
        /// The address of its bytes.
        address: String,
        /// Why they cannot.
        reason: String,
    },
    /// A glTF buffer should be read from a file that is not in or below the folder of the document.
    #[error("buffer {buffer} cannot be read: {error}")]
    FileName {
        /// The buffer's number, counted from 0.
        buffer: usize,
        /// The name, and what is wrong with it.
        error: FileNameError,
    },
    /// A glTF buffer is shorter than the document says.
    #[error("buffer {buffer} should hold {declared} bytes, but holds {found}")]
    ShortBuffer {
        /// The buffer's number, counted from 0.
        buffer: usize,
        /// The declared number of bytes.
        declared: u64,
        /// The number of bytes found.
        found: u64,
    },
    /// The mesh is larger than [`LoadOptions`](crate::LoadOptions) allows.
    #[error("has more than {limit} {what}, the limit that was set for loading")]
    TooLarge {
        /// Of what: `vertices`, say.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
}

/// The internal result of readers.
pub(crate) type Result<T, E = MeshError> = std::result::Result<T, E>;

impl Problem {
    /// This problem, at a place.
    pub(crate) fn at(self, place: Place) -> MeshError {
        MeshError { file: None, place: Some(place), problem: self }
    }

    /// A [`Problem::TooLarge`] if `count` is more than an option allows.
    ///
    /// Used wherever a size does not follow from the length of the file.
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
        Self { file: None, place: None, problem }
    }
}

impl MeshError {
    /// This error, of a file.
    pub(crate) fn in_file(self, path: &Path) -> Self {
        Self { file: Some(path.to_owned()), ..self }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Byte(byte) => write!(f, "byte {byte}"),
            Self::Primitive { mesh, primitive } => write!(f, "mesh {mesh}, primitive {primitive}"),
        }
    }
}

/// `part` and a colon, or nothing.
fn prefix(part: Option<impl fmt::Display>) -> String {
    part.map(|part| format!("{part}: ")).unwrap_or_default()
}

/// `1 vertex`, `2 vertices`.
pub(crate) fn count(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// The end of the sentence "X names number n, but ...".
struct Numbers {
    count: u64,
    first: u64,
}

impl fmt::Display for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, first } = *self;
        match count {
            0 => write!(f, "there are none"),
            1 => write!(f, "the only one is number {first}"),
            _ => write!(f, "the {count} there are go from {first} to {}", count - 1 + first),
        }
    }
}

/// At most 48 characters of `text`, quoted.
pub(crate) fn quote(text: &str) -> String {
    let mut shown: String = text.chars().take(48).flat_map(char::escape_debug).collect();
    if text.chars().nth(48).is_some() {
        shown.push('…');
    }
    format!("`{shown}`")
}
