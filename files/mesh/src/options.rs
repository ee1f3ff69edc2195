//! Options of loading.

/// Options of loading. The default suits cloth made from a scan or an exported model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadOptions {
    /// Whether vertices at the same place become one, the first of them. Default: yes, because
    /// exporters split vertices along seams of texture and normals, where a cloth would come apart.
    ///
    /// The same place means bit-identical coordinates (-0.0 and 0.0 are equal): vertices that are only
    /// close are not welded.
    pub weld: bool,
    /// Whether vertices that no triangle uses stay in the mesh. Default: no, because scans have
    /// stray vertices, which would fall forever.
    pub keep_unreferenced: bool,
    /// Whether the vertices of a regular grid are numbered row by row: W by H vertices, at least 16
    /// by 4, whose cells are all split along the same diagonal. Default: yes, because the kernel for
    /// sheets needs it and is three times as fast. A grid that is numbered so already keeps its
    /// numbers; in others the first row is the highest side, or a longer one if a side has fewer
    /// than 64 vertices.
    pub number_grids: bool,
    /// The maximum number of vertices in a file. Default: 2^24, which take about 1 GB while they are
    /// welded, and 0.3 GB with their [`Origin`](crate::Origin). (A scene has no more particles.)
    ///
    /// The length of an OBJ or PLY file limits what is allocated for it. A small glTF file may
    /// instantiate one mesh a million times, so it needs this limit.
    pub max_vertices: u32,
    /// The maximum number of triangles in a file. Default: 2^25, which take 0.8 GB with their `Origin`.
    pub max_triangles: u32,
    /// The maximum number of bytes that a glTF scene reads from files of buffers. Default: 2^32, the
    /// maximum of a binary glTF file. A file counts once for each buffer that refers to it.
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
