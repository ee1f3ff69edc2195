//! Loads triangle meshes from files: [OBJ](read_obj), [PLY](read_ply) (ASCII, and binary of both
//! byte orders) and [glTF](read_gltf) (`.gltf` and `.glb`).
//!
//! ```
//! use taut_mesh::{LoadOptions, read_obj};
//!
//! // Two triangles that an exporter split along their common edge, and an unused vertex.
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
//! assert_eq!(
//!     error.to_string(),
//!     "line 2: face 1 refers to vertex 2, but the only valid number is 1"
//! );
//! # Ok::<(), taut_mesh::MeshError>(())
//! ```
//!
//! The readers use positions and faces only. They split faces with more than three corners into
//! triangle fans, weld vertices at the same position, drop degenerate triangles and vertices
//! without a face, and number the vertices of a regular grid row by row. A [`Report`] counts these
//! changes; [`LoadOptions`] switch some of them off.
//!
//! Files may be truncated, inconsistent or hostile. The readers then return a [`MeshError`] that
//! says what is wrong and where. They do not panic, and they allocate in proportion to the length
//! of the file, not to the counts that it declares. A glTF file can instantiate one mesh many times
//! and refer to one buffer many times; [`LoadOptions`] limit the size of the result. Buffer files
//! are read only from the folder of the glTF file and below it ([`path_in_folder`]).
//!
//! This crate does *not* handle: sticks, particles, masses, schedules and kernels; units and axes
//! (coordinates are not scaled or turned; -0.0 becomes 0.0); normals, texture coordinates,
//! colours, materials and images; skins, morph targets and animations (a model has its stored
//! pose). It does not access the network.

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

pub use error::{LoadInFolderError, Location, MeshError, Problem};
pub use file_name::{FileNameError, FileNameFault, path_in_folder};
pub use format::Format;
pub use mesh::{Loaded, Report, TriangleMesh, VertexMap};
pub use options::LoadOptions;

/// Reads the mesh in the file at `path`, in the unit of the file.
///
/// A file that starts like PLY or binary glTF is read as such, whatever its name. Otherwise the
/// extension decides, in upper or lower case: `.obj`, `.ply`, `.gltf`, `.glb`. With any other extension,
/// a file that starts like a JSON object is read as glTF.
///
/// # Errors
///
/// A [`MeshError`] that names the file, if the file cannot be read, has an unknown format, or is
/// rejected by [`read_obj`], [`read_ply`] or [`read_gltf`].
pub fn load(path: impl AsRef<Path>, options: &LoadOptions) -> Result<Loaded, MeshError> {
    let path = path.as_ref();
    read_file(path, options).map_err(|error| error.in_file(path))
}

/// Reads the mesh file that another file, in `folder`, refers to as `name`, with default options.
///
/// ```
/// use std::path::Path;
/// use taut_mesh::load_in_folder;
///
/// let error = load_in_folder(Path::new("scenes"), "../secret.obj").unwrap_err();
/// assert!(error.to_string().contains(".."), "{error}");
/// ```
///
/// # Errors
/// As [`path_in_folder`] and [`load`].
pub fn load_in_folder(folder: &Path, name: &str) -> Result<TriangleMesh, LoadInFolderError> {
    Ok(load(path_in_folder(folder, name)?, &LoadOptions::default())?.mesh)
}

fn read_file(path: &Path, options: &LoadOptions) -> Result<Loaded, MeshError> {
    let unreadable = |error| Problem::Unreadable { error };
    // Checked before opening: a pipe would block until it has a writer, and a device may never end.
    if !fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(Problem::NotAFile.into());
    }
    let bytes = fs::read(path).map_err(unreadable)?;
    match format::detect(path, &bytes)? {
        Format::Obj => read_obj(&bytes, options),
        Format::Ply => read_ply(&bytes, options),
        Format::Gltf => read_gltf(&bytes, path.parent(), options),
    }
}

/// Reads Wavefront OBJ: all its vertices (`v`) and faces (`f`), of all objects and groups.
///
/// A fourth number is a weight, by which the three coordinates are divided. Five or more numbers are
/// coordinates and a colour, which is ignored. Free-form curves and surfaces are counted but not converted to
/// triangles.
///
/// # Errors
///
/// With a line number: a coordinate or corner that is not a number ([`Problem::Malformed`]) or not
/// finite ([`Problem::NotFinite`]), a corner that refers to no vertex
/// ([`Problem::IndexOutOfRange`]), or more vertices, triangles or items that are not faces than
/// `options` allow ([`Problem::TooLarge`]). Without a line number: an empty file ([`Problem::Empty`]), a file that
/// is not text ([`Problem::WrongFormat`]), or one without a mesh ([`Problem::NoFaces`],
/// [`Problem::AllDegenerate`]).
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
/// Same as [`read_obj`], with the line in an ASCII file and the byte in a binary one. Also an
/// invalid header ([`Problem::Malformed`]); a header that declares more rows than can fit into the
/// file ([`Problem::CountTooLarge`]); a file that ends before the last declared row
/// ([`Problem::Truncated`]) or has data after it ([`Problem::Malformed`]); and triangle strips
/// ([`Problem::Unsupported`]).
pub fn read_ply(bytes: &[u8], options: &LoadOptions) -> Result<Loaded, MeshError> {
    Ok(clean::clean(ply::read(bytes, options)?, Format::Ply, options)?)
}

/// Reads glTF 2.0, JSON or binary: the triangles of the default scene, transformed by their nodes,
/// as one mesh. Without a default scene, the first one is read. Triangle lists, strips and fans are
/// read; points and lines are counted.
///
/// Buffers may be in the file, in `data:` URIs, or in files in or below `folder`, the folder of the
/// glTF file. If `folder` is `None`, no file is opened. Images are never read.
///
/// # Errors
///
/// Same as [`read_obj`], with the mesh and primitive. Also:
/// - a container that is truncated ([`Problem::Truncated`]) or invalid ([`Problem::Malformed`]);
/// - JSON that is not a glTF document ([`Problem::Json`]);
/// - references that are out of range or form a cycle ([`Problem::ReferenceOutOfRange`],
///   [`Problem::NotATree`]);
/// - buffers that cannot be read, are outside of the folder or are too short ([`Problem::Buffer`],
///   [`Problem::FileName`], [`Problem::ShortBuffer`]);
/// - unsupported versions, extensions and accessors: glTF 1.0, Draco and meshopt compression,
///   quantized positions, sparse accessors, instancing ([`Problem::Unsupported`]).
pub fn read_gltf(
    bytes: &[u8],
    folder: Option<&Path>,
    options: &LoadOptions,
) -> Result<Loaded, MeshError> {
    Ok(clean::clean(gltf::read(bytes, folder, options)?, Format::Gltf, options)?)
}
