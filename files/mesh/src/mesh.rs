//! The result of loading: a mesh, and a report of how the mesh differs from the file.

use std::fmt;

use crate::Format;
use crate::error::count;

/// Vertices, and triangles of three vertex indices each.
///
/// In a loaded mesh, every corner is below `positions.len()`, every coordinate is finite and not
/// -0.0, and the three corners of a triangle differ. Triangles keep the winding of the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TriangleMesh {
    /// The position of each vertex, in the unit of the file (glTF: metres).
    pub positions: Vec<[f32; 3]>,
    /// The corners of each triangle: indices into `positions`.
    pub triangles: Vec<[u32; 3]>,
}

/// Maps the vertices of a file to those of the mesh.
///
/// Exporters split vertices along seams of textures or normals, and loading welds them again. With
/// this mapping a program can draw the mesh of the file with simulated positions: each vertex of
/// the file has the position of its vertex in the welded mesh.
///
/// ```
/// use taut_mesh::{LoadOptions, read_obj};
///
/// // A strip of two squares. The edge between them is duplicated, as at the seam of a texture.
/// let obj = b"
///     v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0
///     v 1 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0
///     f 1 2 3 4\nf 5 6 7 8
/// ";
/// let loaded = read_obj(obj, &LoadOptions::default())?;
/// assert_eq!(loaded.mesh.positions.len(), 6);
/// assert_eq!(loaded.vertex_map.triangles[2], [4, 5, 6]); // vertices of the file, from 0
///
/// // The simulation moves the six particles; the eight drawn vertices follow.
/// let mut particles = loaded.mesh.positions.clone();
/// particles[1][2] = 0.5;
/// // A vertex that no triangle uses has no particle; its position is arbitrary.
/// let particle_of_vertex = loaded.vertex_map.vertices.iter().map(|it| it.unwrap_or(0));
/// let drawn: Vec<[f32; 3]> =
///     particle_of_vertex.map(|particle| particles[particle as usize]).collect();
/// assert_eq!((drawn[1], drawn[4]), ([1.0, 0.0, 0.5], [1.0, 0.0, 0.5])); // the seam stays closed
/// # Ok::<(), taut_mesh::MeshError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VertexMap {
    /// For each vertex of the file its vertex in the mesh; `None` if it was dropped because no
    /// triangle uses it.
    pub vertices: Vec<Option<u32>>,
    /// The corners of each triangle of the mesh, as vertices of the file counted from 0.
    pub triangles: Vec<[u32; 3]>,
}

/// A mesh with its vertex map and report.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The mesh.
    pub mesh: TriangleMesh,
    /// Maps the vertices of the file to those of the mesh.
    pub vertex_map: VertexMap,
    /// Counts of what was read and changed.
    pub report: Report,
}

/// Counts of what was read and changed. Everything that was dropped is counted.
///
/// `vertices` is always `mesh.positions.len() + welded + unreferenced`, or without `unreferenced`
/// if those vertices were kept. `triangles` is always `mesh.triangles.len() + degenerate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The format of the file.
    pub format: Format,
    /// Vertices in the file. In glTF: those of the primitives that were read, once per instance.
    pub vertices: usize,
    /// Faces in the file, of three corners or more.
    pub faces: usize,
    /// Triangles into which these faces were split.
    pub triangles: usize,
    /// Vertices that were welded to an earlier one at the same position.
    pub welded: usize,
    /// Triangles that were dropped because two of their corners were the same vertex.
    pub degenerate: usize,
    /// Vertices that no triangle of the mesh uses, counted after welding and dropping triangles.
    pub unreferenced: usize,
    /// Whether the unreferenced vertices are still in the mesh.
    pub unreferenced_kept: bool,
    /// Points, lines, curves and faces of fewer than three corners, which were skipped. In glTF: primitives
    /// of points or lines, and those without positions, once per instance.
    pub not_faces: usize,
    /// OBJ: lines with an unknown keyword, which were skipped.
    pub unknown_lines: usize,
    /// glTF: scenes other than the one that was read.
    pub other_scenes: usize,
    /// Columns and rows, if the mesh is a regular grid; its vertices are then numbered row by row.
    /// `None` for other meshes, and if [`LoadOptions::number_grids`](crate::LoadOptions::number_grids)
    /// is off.
    pub grid: Option<[usize; 2]>,
}

impl fmt::Display for Report {
    /// One line: what was read, then what was changed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = |n: usize, one, many| count(n as u64, one, many);
        write!(
            f,
            "{}: {}, {}, {}",
            self.format,
            counted(self.vertices, "vertex", "vertices"),
            counted(self.faces, "face", "faces"),
            counted(self.triangles, "triangle", "triangles"),
        )?;
        if let Some([columns, rows]) = self.grid {
            write!(f, "; a regular grid of {columns} x {rows} vertices")?;
        }
        let unreferenced = if self.unreferenced_kept { "kept" } else { "dropped" };
        for (count, text) in [
            (self.welded, counted(self.welded, "vertex welded", "vertices welded")),
            (
                self.degenerate,
                counted(self.degenerate, "degenerate triangle", "degenerate triangles")
                    + " dropped",
            ),
            (
                self.unreferenced,
                counted(self.unreferenced, "unreferenced vertex ", "unreferenced vertices ")
                    + unreferenced,
            ),
            (
                self.not_faces,
                counted(self.not_faces, "item that is not a face", "items that are not faces")
                    + " skipped",
            ),
            (
                self.unknown_lines,
                counted(self.unknown_lines, "unknown line", "unknown lines") + " skipped",
            ),
            (
                self.other_scenes,
                counted(self.other_scenes, "other scene", "other scenes") + " skipped",
            ),
        ] {
            if count > 0 {
                write!(f, "; {text}")?;
            }
        }
        Ok(())
    }
}
