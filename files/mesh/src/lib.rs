//! Triangle meshes from files: [OBJ](read_obj), [PLY](read_ply) (ASCII, and binary of both byte
//! orders) and [glTF](read_gltf) (`.gltf` and `.glb`).
//!
//! ```
//! use taut_mesh::{LoadOptions, read_obj};
//!
//! // Two triangles that an exporter split along their common edge, and a stray vertex.
//! let obj = b"
//!     v 0 0 0
//!     v 1 0 0
//!     v 0 1 0
//!     v 1 0 0
//!     v 1 1 0
//!     v 0 1 0
//!     v 9 9 9
//!     f 1 2 3
//!     f 4 5 6
//! ";
//! let loaded = read_obj(obj, &LoadOptions::default())?;
//! assert_eq!(loaded.mesh.positions.len(), 4);
//! assert_eq!(loaded.mesh.triangles, [[0, 1, 2], [1, 3, 2]]);
//! assert_eq!(
//!     loaded.report.to_string(),
//!     "OBJ: 7 vertices, 2 faces, 2 triangles; 2 vertices welded; 1 unreferenced vertex dropped"
//! );
//!
//! let error = read_obj(b"v 0 0 0\nf 1 2 3", &LoadOptions::default()).unwrap_err();
//! assert_eq!(error.to_string(), "line 2: face 1 names vertex 2, but the only one is number 1");
//! # Ok::<(), taut_mesh::MeshError>(())
//! ```
//!
//! The readers read positions and faces. They split faces of more than three corners into fans, weld
//! vertices at the same place, drop degenerate triangles and vertices without a face, and number the
//! vertices of a regular grid row by row. A [`Report`] counts these changes; [`LoadOptions`] switch some of them off.
//!
//! Files may be truncated, inconsistent or hostile. The readers then return a [`MeshError`] that says
//! what is wrong and where. They do not panic, and they allocate in proportion to the file's length,
//! not to the counts that it declares. A glTF file can instantiate one mesh many times and refer to one
//! buffer many times: [`LoadOptions`] limit the size of the result. Other files are read only from the folder of the
//! glTF file and below it ([`path_below`]).
//!
//! What this crate does *not* know: sticks, particles, masses, schedules and kernels; units and axes
//! (coordinates are those of the file, except that -0.0 becomes 0.0); normals, texture,
//! colours, materials and images; skins, morph targets and animations (a model has the pose in
//! which it was stored); and the network.

#![forbid(unsafe_code)]

mod clean;
mod error;
mod file_name;
mod format;
mod gltf;
mod grid;
mod mesh;
mod obj;
mod options;
mod ply;
mod soup;

use std::fs;
use std::path::Path;

pub use error::{MeshError, Place, Problem};
pub use file_name::{FileNameError, FileNameFault, path_below};
pub use format::Format;
pub use mesh::{Loaded, Origin, Report, TriangleMesh};
pub use options::LoadOptions;

/// Reads the mesh in the file at `path`, in the file's own unit.
///
/// Files that start like PLY or binary glTF are read as such, whatever their name; for others the
/// extension decides, in upper or lower case: `.obj`, `.ply`, `.gltf`, `.glb`.
///
/// # Errors
///
/// A [`MeshError`] that names the file: if it cannot be read, is of no known format, or is one of
/// those that [`read_obj`], [`read_ply`] and [`read_gltf`] refuse.
pub fn load(path: impl AsRef<Path>, options: &LoadOptions) -> Result<Loaded, MeshError> {
    let path = path.as_ref();
    read_file(path, options).map_err(|error| error.in_file(path))
}

fn read_file(path: &Path, options: &LoadOptions) -> Result<Loaded, MeshError> {
    let unreadable = |error| Problem::Unreadable { error };
    // Checked before opening: a pipe would block until it has a writer, and a device may be endless.
    if !fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(Problem::NotAFile.into());
    }
    let bytes = fs::read(path).map_err(unreadable)?;
    match format::recognise(path, &bytes)? {
        Format::Obj => read_obj(&bytes, options),
        Format::Ply => read_ply(&bytes, options),
        Format::Gltf => read_gltf(&bytes, path.parent(), options),
    }
}

/// Reads Wavefront OBJ: all its vertices (`v`) and faces (`f`), of all objects and groups.
///
/// A fourth coordinate divides the other three; colours behind them are not read. Free-form curves
/// and surfaces are not made into triangles, only counted.
///
/// # Errors
///
/// With the line in question: a coordinate or corner that is not a number ([`Problem::Malformed`]) or
/// not finite ([`Problem::NotFinite`]), a corner that names no vertex
/// ([`Problem::IndexOutOfRange`]). Without one: no bytes, or not text ([`Problem::Empty`],
/// [`Problem::WrongFormat`]), no mesh in it ([`Problem::NoFaces`],
/// [`Problem::AllDegenerate`]), or more of it than `options` allow ([`Problem::TooLarge`]).
///
/// OBJ declares no counts, so a file truncated between two lines is read without an error.
pub fn read_obj(bytes: &[u8], options: &LoadOptions) -> Result<Loaded, MeshError> {
    Ok(clean::clean(obj::read(bytes, options)?, Format::Obj, options)?)
}

/// Reads Stanford PLY: the elements `vertex` (`x`, `y`, `z`, of any type) and `face`
/// (`vertex_indices` or `vertex_index`). Other elements and properties are skipped.
///
/// # Errors
///
/// As [`read_obj`], with the line in an ASCII file and the byte in a binary one; and for a header that
/// is invalid ([`Problem::Malformed`]), that declares more than the file can hold
/// ([`Problem::LyingCount`]) or than it does hold ([`Problem::Truncated`]), or less
/// ([`Problem::Malformed`]); and for triangle strips ([`Problem::Unsupported`]).
pub fn read_ply(bytes: &[u8], options: &LoadOptions) -> Result<Loaded, MeshError> {
    Ok(clean::clean(ply::read(bytes, options)?, Format::Ply, options)?)
}

/// Reads glTF 2.0, JSON or binary: the triangles of the default scene (else of the first), each where
/// its nodes place it, all in one mesh. Lists, strips and fans are read; points and lines counted.
///
/// Buffers may lie in the file, in `data:` addresses, or in files in or below `folder`, which is the
/// folder of the glTF file; without one, no file is opened. Images are never read.
///
/// # Errors
///
/// As [`read_obj`], with the mesh and primitive; and for a container that is truncated
/// ([`Problem::Truncated`]) or other than expected ([`Problem::Malformed`]), for JSON that is not
/// glTF's ([`Problem::Json`]), references that are out of range or form a cycle
/// ([`Problem::NoSuch`], [`Problem::NotATree`]), buffers that cannot be read, lie outside of the
/// folder or are too short ([`Problem::Buffer`], [`Problem::FileName`], [`Problem::ShortBuffer`]),
/// and for versions, extensions and accessors that
/// are not understood: glTF 1.0, Draco and meshopt compression, quantized positions, sparse
/// accessors, instancing ([`Problem::Unsupported`]).
pub fn read_gltf(
    bytes: &[u8],
    folder: Option<&Path>,
    options: &LoadOptions,
) -> Result<Loaded, MeshError> {
    Ok(clean::clean(gltf::read(bytes, folder, options)?, Format::Gltf, options)?)
}
