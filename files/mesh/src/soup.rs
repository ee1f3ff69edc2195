//! Vertices and triangles as read, before cleaning.

use crate::LoadOptions;
use crate::error::{Problem, Result};

/// The output of a reader. In the end, every corner in `triangles` must be below
/// `positions.len()`.
pub(crate) struct Soup {
    pub(crate) positions: Vec<[f32; 3]>,
    pub(crate) triangles: Vec<[u32; 3]>,
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

    /// Reserves room for vertices.
    pub(crate) fn reserve_vertices(&mut self, count: usize) {
        self.positions.reserve_exact(count.min(self.max_vertices as usize));
    }

    /// Adds a vertex with the number `number` in the file.
    pub(crate) fn vertex(&mut self, number: u64, position: [f32; 3]) -> Result<(), Problem> {
        if !position.iter().all(|coordinate| coordinate.is_finite()) {
            return Err(Problem::NotFinite { vertex: number, position });
        }
        Problem::check_limit(
            "vertices",
            self.positions.len() as u64 + 1,
            self.max_vertices.into(),
        )?;
        // -0.0 + 0.0 is 0.0, and nothing else changes.
        self.positions.push(position.map(|coordinate| coordinate + 0.0));
        Ok(())
    }

    /// The number of vertices: at most `max_vertices`, which is a `u32`.
    pub(crate) fn vertices(&self) -> u32 {
        self.positions.len() as u32
    }

    /// Counts geometry other than faces. Also limited: a small glTF file can show the
    /// same points a billion times.
    pub(crate) fn not_a_face(&mut self) -> Result<(), Problem> {
        self.not_faces += 1;
        let limit = self.max_triangles.into();
        Problem::check_limit("points and lines", self.not_faces as u64, limit)
    }

    /// Adds a face as a fan around its first corner. A fan of a concave face may overlap itself: its
    /// edges are right as a cloth, not as a picture.
    pub(crate) fn face(&mut self, corners: &[u32]) -> Result<(), Problem> {
        let Some((hub, rim)) = corners.split_first().filter(|(_, rim)| rim.len() >= 2) else {
            return self.not_a_face();
        };
        let triangles = self.triangles.len() + rim.len() - 1;
        Problem::check_limit("triangles", triangles as u64, self.max_triangles.into())?;
        self.faces += 1;
        self.triangles.extend(rim.windows(2).map(|edge| [*hub, edge[0], edge[1]]));
        Ok(())
    }
}
