//! Options of loading.

/// How a mesh is loaded. The default suits a cloth made of a scan or of an exported model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadOptions {
    /// Whether vertices at the same place become one, the first of them. Default: yes, because
    /// exporters split vertices along seams of texture and normals, where a cloth would come apart.
    ///
    /// The same place means equal coordinates to the last bit, -0.0 and 0.0 being equal: nothing is
    /// joined that is merely near.
    pub weld: bool,
    /// Whether vertices that no triangle uses stay in the mesh. Default: no, because scans have
    /// strays, and a stray holds on to nothing and would fall forever.
    pub keep_unreferenced: bool,
    /// The most vertices that a file may have. Default: 2^24, which take about 1 GB while they are
    /// welded, and 0.3 GB with their [`Origin`](crate::Origin). (A scene has no more particles.)
    ///
    /// The length of an OBJ or PLY file bounds what is allocated for it. A glTF scene may show one
    /// mesh a million times, so that a small file becomes a large mesh: this is the bound for those.
    pub max_vertices: u32,
    /// The most triangles that a file may have. Default: 2^25, which take 0.8 GB with their `Origin`.
    pub max_triangles: u32,
    /// The most bytes that the buffers of a glTF scene may have together that lie in files of their
    /// own. Default: 2^32, which is the most that one binary glTF file can hold. All buffers may name
    /// one file.
    pub max_buffer_bytes: u64,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            weld: true,
            keep_unreferenced: false,
            max_vertices: 1 << 24,
            max_triangles: 1 << 25,
            max_buffer_bytes: 1 << 32,
        }
    }
}
