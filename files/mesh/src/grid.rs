//! Recognizes regular grids, and numbers their vertices row by row.
//!
//! A regular grid has W by H vertices, and all its cells are split along the same diagonal. The
//! search takes linear time and stops at the first place where the mesh differs from a grid.

use crate::TriangleMesh;

/// Minimum numbers of vertices along the longer and the shorter side. Smaller grids gain too little
/// to be renumbered.
const SIDES_MIN: [usize; 2] = [16, 4];
/// If both sides have at least this many vertices, the first row is the highest of the four sides.
/// Otherwise rows run along the longer sides.
const BROAD_MIN: usize = 64;

/// A regular grid: the vertices row by row, with `width` vertices in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    pub(crate) width: usize,
    pub(crate) vertices: Vec<u32>,
}

/// Returns the grid if the mesh is one and all its vertices are in it. If the mesh is already
/// numbered row by row, and its rows are not too short for a sheet, the grid keeps its numbers.
pub(crate) fn find(mesh: &TriangleMesh) -> Option<Grid> {
    let grid = Adjacency::new(mesh)?.grid()?;
    let rows = grid.vertices.len() / grid.width;
    let [longer, shorter] = [grid.width.max(rows), grid.width.min(rows)];
    if longer < SIDES_MIN[0] || shorter < SIDES_MIN[1] || !grid.has_exactly(&mesh.triangles) {
        return None;
    }
    let orientations = grid.orientations();
    let is_numbered = |it: &&Grid| it.width >= SIDES_MIN[0] && it.vertices.is_sorted();
    if let Some(numbered) = orientations.iter().find(is_numbered) {
        return Some(numbered.clone());
    }
    let height_of_first_row = |grid: &Grid| -> f64 {
        let row = &grid.vertices[..grid.width];
        row.iter().map(|&vertex| f64::from(mesh.positions[vertex as usize][1])).sum::<f64>()
            / row.len() as f64
    };
    let is_candidate = |grid: &&Grid| shorter >= BROAD_MIN || grid.width == longer;
    // Among equally high rows, the one with the lowest first vertex number.
    let order = |one: &&Grid, other: &&Grid| {
        height_of_first_row(other)
            .total_cmp(&height_of_first_row(one))
            .then(one.vertices[0].cmp(&other.vertices[0]))
    };
    orientations.iter().filter(is_candidate).min_by(order).cloned()
}

/// The triangles around each vertex.
struct Adjacency<'a> {
    triangles: &'a [[u32; 3]],
    /// For each vertex the start of its triangles in `around`; one more entry at the end.
    starts: Vec<usize>,
    /// The triangles around each vertex, vertex by vertex.
    around: Vec<u32>,
}

impl<'a> Adjacency<'a> {
    /// Returns `None` if the numbers of vertices and triangles are not those of a grid, or if a
    /// vertex has no triangle or more than six.
    fn new(mesh: &'a TriangleMesh) -> Option<Self> {
        let (vertices, triangles) = (mesh.positions.len(), &mesh.triangles);
        // V = W H and T = 2 (W - 1) (H - 1), so W + H = V - T / 2 + 1, and
        // (W + H)² - 4 V = (W - H)² is a square number.
        let [v, t] = [vertices, triangles.len()].map(|count| count as u64);
        let side_sum = (v + 1).checked_sub(t / 2)?;
        let difference_squared = side_sum.checked_mul(side_sum)?.checked_sub(4 * v)?;
        if !t.is_multiple_of(2) || difference_squared.isqrt().pow(2) != difference_squared {
            return None;
        }
        let mut counts = vec![0_usize; vertices + 1];
        for &corner in triangles.as_flattened() {
            counts[corner as usize + 1] += 1;
        }
        if counts[1..].iter().any(|count| !(1..=6).contains(count)) {
            return None;
        }
        for vertex in 0..vertices {
            counts[vertex + 1] += counts[vertex];
        }
        let starts = counts.clone();
        // From here on, `counts[vertex]` is the index in `around` of the next triangle of a vertex.
        let mut around = vec![0; 3 * triangles.len()];
        for (triangle, corners) in triangles.iter().enumerate() {
            for &corner in corners {
                around[counts[corner as usize]] = triangle as u32;
                counts[corner as usize] += 1;
            }
        }
        Some(Self { triangles, starts, around })
    }

    /// The triangles around a vertex.
    fn around(&self, vertex: u32) -> &[u32] {
        &self.around[self.starts[vertex as usize]..self.starts[vertex as usize + 1]]
    }

    /// The third corners of the one or two triangles at an edge.
    fn opposite(&self, [a, b]: [u32; 2]) -> [Option<u32>; 2] {
        let mut corners = self.around(a).iter().filter_map(|&triangle| {
            let corners = self.triangles[triangle as usize];
            let other = |&&corner: &&u32| corner != a && corner != b;
            corners.contains(&b).then(|| corners.iter().find(other).copied())?
        });
        [corners.next(), corners.next()]
    }

    /// Returns the vertex opposite to `known` across an edge: one of the two triangles at the edge has
    /// the third corner `known`, and the other triangle has the returned one.
    fn across(&self, edge: [u32; 2], known: u32) -> Option<u32> {
        match self.opposite(edge) {
            [Some(one), other] if one == known => other,
            [one, Some(other)] if other == known => one,
            _ => None,
        }
    }

    /// Returns the only grid that the mesh can be, if any, with cells split from the upper right to
    /// the lower left. The caller must check the triangles with [`Grid::has_exactly`].
    fn grid(&self) -> Option<Grid> {
        let vertices = self.starts.len() - 1;
        // Two of the four corners of a grid have one triangle each, the others have two.
        let corner = (0..vertices as u32).find(|&vertex| self.around(vertex).len() == 1)?;
        let [a, b, c] = self.triangles[self.around(corner)[0] as usize];
        let right = if a == corner {
            b
        } else if b == corner {
            c
        } else {
            a
        };
        let first_row = self.side_from(corner, right)?;
        let width = first_row.len();
        if width < 2 || !vertices.is_multiple_of(width) {
            return None;
        }
        let mut grid = first_row;
        grid.reserve_exact(vertices - width);
        for row in 1..vertices / width {
            let above = (row - 1) * width;
            for column in 0..width - 1 {
                let edge = [grid[above + column], grid[above + column + 1]];
                // An edge of the first row has only one triangle.
                let next = if row > 1 {
                    self.across(edge, grid[above + column + 1 - width])?
                } else {
                    self.opposite(edge)[0]?
                };
                grid.push(next);
            }
            let last_edge = [grid[above + width - 1], *grid.last()?];
            grid.push(self.across(last_edge, grid[above + width - 2])?);
        }
        Some(Grid { width, vertices: grid })
    }

    /// The vertices of a side of the grid: from `corner` by way of its neighbour `next` to the next
    /// corner, along edges with one triangle.
    fn side_from(&self, corner: u32, next: u32) -> Option<Vec<u32>> {
        let mut side = vec![corner, next];
        loop {
            let [before, current] = [side[side.len() - 2], side[side.len() - 1]];
            // A corner of a grid has one or two triangles, any other vertex of a side three. The limit
            // on the length stops the loop in a mesh whose boundary has no corner.
            match self.around(current).len() {
                1 | 2 => return Some(side),
                3 if side.len() < self.starts.len() => {}
                _ => return None,
            }
            let corners = self.around(current).iter().flat_map(|&it| self.triangles[it as usize]);
            let is_next = |&other: &u32| {
                other != current && other != before && self.opposite([current, other])[1].is_none()
            };
            side.push(corners.into_iter().find(is_next)?);
        }
    }
}

impl Grid {
    /// Whether the triangles are exactly those of the grid, split from the upper right to the lower
    /// left.
    fn has_exactly(&self, triangles: &[[u32; 3]]) -> bool {
        let width = self.width;
        let height = self.vertices.len() / width;
        let mut index_of = vec![usize::MAX; self.vertices.len()];
        for (index, &vertex) in self.vertices.iter().enumerate() {
            if index_of[vertex as usize] != usize::MAX {
                return false;
            }
            index_of[vertex as usize] = index;
        }
        // For each cell, whether its upper left and its lower right triangle are found.
        let mut found = vec![[false; 2]; (width - 1) * (height - 1)];
        // Whether the triangle is one of the grid and was not found before.
        let is_new = |triangle: &[u32; 3]| {
            let mut corners = triangle.map(|corner| index_of[corner as usize]);
            corners.sort_unstable();
            let [a, b, c] = corners;
            // Upper left: a, a + 1, a + width. Lower right: a, a + width - 1, a + width.
            let (cell, half) = match [b - a, c - a] {
                [1, down] if down == width => (a, 0),
                [left, down] if left + 1 == width && down == width && a > 0 => (a - 1, 1),
                _ => return false,
            };
            let [column, row] = [cell % width, cell / width];
            column + 1 < width
                && row + 1 < height
                && !std::mem::replace(&mut found[row * (width - 1) + column][half], true)
        };
        triangles.len() == 2 * (width - 1) * (height - 1) && triangles.iter().all(is_new)
    }

    /// All eight orientations: from each corner, by rows and by columns.
    fn orientations(&self) -> Vec<Self> {
        let mirrored = |mut grid: Self| {
            grid.vertices.chunks_mut(grid.width).for_each(<[u32]>::reverse);
            grid
        };
        let mut rotated = self.clone();
        rotated.vertices.reverse();
        [self.clone(), mirrored(self.clone()), rotated.clone(), mirrored(rotated)]
            .into_iter()
            .flat_map(|grid| [grid.transposed(), grid])
            .collect()
    }

    fn transposed(&self) -> Self {
        let height = self.vertices.len() / self.width;
        let column = |i: usize| self.vertices[i..].iter().step_by(self.width).copied();
        Self { width: height, vertices: (0..self.width).flat_map(column).collect() }
    }
}
