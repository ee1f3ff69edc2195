//! Options for loading.

/// Options for loading. The default suits cloth made from a scan or an exported model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadOptions {
    /// Whether vertices at the same position are welded into the first of them. Default: yes,
    /// because exporters split vertices along seams of textures and normals, where a cloth would
    /// come apart.
    ///
    /// The same position means bit-identical coordinates (-0.0 and 0.0 are equal). Vertices that
    /// are only close are not welded.
    pub weld: bool,
    /// Whether vertices that no triangle uses stay in the mesh. Default: no, because scans have
    /// such vertices, and as particles they would fall forever.
    pub keep_unreferenced: bool,
    /// Whether the vertices of a regular grid are numbered row by row. A regular grid has W by H
    /// vertices, at least 16 by 4, and all its cells are split along the same diagonal. Default:
    /// yes, because the kernel for sheets needs this numbering; on a sheet of 128 by 128 it is about
    /// two to four times as fast as the general kernels (README.md).
    ///
    /// A grid that is already numbered row by row, with at least 16 vertices in a row, keeps its numbers.
    /// Otherwise the first row is the
    /// side with the greatest mean height (y). If the shorter sides have fewer than 64 vertices, only
    /// the two longer sides are considered.
    pub number_grids: bool,
    /// The maximum number of vertices in a file. Default: 2^24, the maximum number of particles in
    /// a scene. That many take about 1 GB while they are welded, and then 0.3 GB with their
    /// [`VertexMap`](crate::VertexMap).
    ///
    /// Allocations for an OBJ or PLY file are limited by its length. A small glTF file can
    /// instantiate one mesh a million times, so it needs this limit.
    pub max_vertices: u32,
    /// The maximum number of triangles in a file, and of items that are not faces
    /// ([`Report::not_faces`](crate::Report::not_faces)). Default: 2^25; so many triangles take 0.8 GB
    /// with their [`VertexMap`](crate::VertexMap).
    pub max_triangles: u32,
    /// The maximum number of bytes read from the buffer files of a glTF scene. Default: 2^32, the
    /// maximum length of a binary glTF file. A file counts once for each buffer that refers to it.
    pub max_buffer_bytes: u64,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            weld: true,
            keep_unreferenced: false,
            number_grids: true,
            max_vertices: 1 << 24,
            max_triangles: 1 << 25,
            max_buffer_bytes: 1 << 32,
        }
    }
}
