//! Vertices and triangles as they are read, before cleaning.

use crate::LoadOptions;
use crate::error::{Problem, Result};

/// The output of a reader. When the reader returns, every corner in `triangles` must be below
/// `positions.len()`.
pub(crate) struct Soup {
    pub(crate) positions: Vec<[f32; 3]>,
    pub(crate) triangles: Vec<[u32; 3]>,
    /// `faces` and the next three fields are the counts of [`Report`](crate::Report) with the same
    /// names.
    pub(crate) faces: usize,
    pub(crate) not_faces: usize,
    pub(crate) unknown_lines: usize,
    pub(crate) other_scenes: usize,
    max_vertices: u32,
    max_triangles: u32,
}

impl Soup {
    pub(crate) fn new(options: &LoadOptions) -> Self {
        Self {
            positions: Vec::new(),
            triangles: Vec::new(),
            faces: 0,
            not_faces: 0,
            unknown_lines: 0,
            other_scenes: 0,
            max_vertices: options.max_vertices,
            max_triangles: options.max_triangles,
        }
    }

    /// Reserves memory for `count` vertices, or for as many as are allowed.
    pub(crate) fn reserve_vertices(&mut self, count: usize) {
        self.positions.reserve_exact(count.min(self.max_vertices as usize));
    }

    /// Adds a vertex; `number` is its number in the file.
    pub(crate) fn add_vertex(&mut self, number: u64, position: [f32; 3]) -> Result<(), Problem> {
        if !position.iter().all(|coordinate| coordinate.is_finite()) {
            return Err(Problem::NotFinite { vertex: number, position });
        }
        Problem::check_limit(
            "vertices",
            self.positions.len() as u64 + 1,
            self.max_vertices.into(),
        )?;
        // -0.0 + 0.0 is 0.0; no other value changes.
        self.positions.push(position.map(|coordinate| coordinate + 0.0));
        Ok(())
    }

    /// The number of vertices. It fits into a `u32`, because it is at most `max_vertices`.
    pub(crate) fn vertex_count(&self) -> u32 {
        self.positions.len() as u32
    }

    /// Counts a point, line or curve. The count is limited, too, because a small glTF file can
    /// instantiate the same points a billion times.
    pub(crate) fn count_not_a_face(&mut self) -> Result<(), Problem> {
        self.not_faces += 1;
        let limit = self.max_triangles.into();
        Problem::check_limit("points and lines", self.not_faces as u64, limit)
    }

    /// Adds a face as a triangle fan around its first corner. The triangles of a concave face may
    /// overlap: their edges are still usable as sticks, but the face is drawn incorrectly.
    pub(crate) fn add_face(&mut self, corners: &[u32]) -> Result<(), Problem> {
        let Some((hub, rim)) = corners.split_first().filter(|(_, rim)| rim.len() >= 2) else {
            return self.count_not_a_face();
        };
        let triangles = self.triangles.len() + rim.len() - 1;
        Problem::check_limit("triangles", triangles as u64, self.max_triangles.into())?;
        self.faces += 1;
        self.triangles.extend(rim.windows(2).map(|edge| [*hub, edge[0], edge[1]]));
        Ok(())
    }
}
