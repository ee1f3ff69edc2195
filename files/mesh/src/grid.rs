//! Recognises regular grids, and numbers their vertices row by row.
//!
//! A regular grid is W by H vertices whose cells are all split along the same diagonal. The search
//! takes linear time and stops at the first difference.

use crate::TriangleMesh;

/// The fewest vertices of the longer side and of the other: what is gained in smaller grids is
/// not worth other numbers.
const SIDES_MIN: [usize; 2] = [16, 4];
/// A grid with so many vertices on each side has its first row at the top; in others the rows are
/// the longer side.
const BROAD: usize = 64;

/// A regular grid: the vertices row by row, `width` to a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    pub(crate) width: usize,
    pub(crate) vertices: Vec<u32>,
}

/// The grid that a mesh is, if it is one and each vertex is in it. If the mesh is numbered row by
/// row, so is the grid.
pub(crate) fn find(mesh: &TriangleMesh) -> Option<Grid> {
    let grid = Neighbours::new(mesh)?.grid()?;
    let height = grid.vertices.len() / grid.width;
    let sides = [grid.width.max(height), grid.width.min(height)];
    if sides[0] < SIDES_MIN[0] || sides[1] < SIDES_MIN[1] || !grid.has_all(&mesh.triangles) {
        return None;
    }
    let orientations = grid.orientations();
    if let Some(given) = orientations.iter().find(|it| it.vertices.is_sorted()) {
        return Some(given.clone());
    }
    let height = |grid: &Grid| -> f64 {
        let row = &grid.vertices[..grid.width];
        row.iter().map(|&vertex| f64::from(mesh.positions[vertex as usize][1])).sum::<f64>()
            / row.len() as f64
    };
    let suits = |grid: &&Grid| sides[1] >= BROAD || grid.width == sides[0];
    // Of equally high sides, the one with the lowest vertex in the corner.
    let order = |one: &&Grid, other: &&Grid| {
        height(other).total_cmp(&height(one)).then(one.vertices[0].cmp(&other.vertices[0]))
    };
    orientations.iter().filter(suits).min_by(order).cloned()
}

/// The triangles around each vertex.
struct Neighbours<'a> {
    triangles: &'a [[u32; 3]],
    /// For each vertex where its triangles begin in `around`; one more at the end.
    first: Vec<usize>,
    around: Vec<u32>,
}

impl<'a> Neighbours<'a> {
    /// `None` if the numbers of vertices and triangles are not those of a grid, or a vertex has
    /// more than six triangles or none.
    fn new(mesh: &'a TriangleMesh) -> Option<Self> {
        let (vertices, triangles) = (mesh.positions.len(), &mesh.triangles);
        // V = W H and T = 2 (W - 1) (H - 1), so W + H = V - T / 2 + 1.
        let [v, t] = [vertices, triangles.len()].map(|count| count as u64);
        let sides = (v + 1).checked_sub(t / 2)?;
        let square = sides.checked_mul(sides)?.checked_sub(4 * v)?;
        if !t.is_multiple_of(2) || square.isqrt().pow(2) != square {
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
        let first = counts.clone();
        let mut around = vec![0; 3 * triangles.len()];
        for (triangle, corners) in triangles.iter().enumerate() {
            for &corner in corners {
                around[counts[corner as usize]] = triangle as u32;
                counts[corner as usize] += 1;
            }
        }
        Some(Self { triangles, first, around })
    }

    fn around(&self, vertex: u32) -> &[u32] {
        &self.around[self.first[vertex as usize]..self.first[vertex as usize + 1]]
    }

    /// The third corners of the triangles at an edge; `None` after them.
    fn opposite(&self, [a, b]: [u32; 2]) -> [Option<u32>; 2] {
        let mut corners = self.around(a).iter().filter_map(|&triangle| {
            let corners = self.triangles[triangle as usize];
            let other = |&&corner: &&u32| corner != a && corner != b;
            corners.contains(&b).then(|| corners.iter().find(other).copied())?
        });
        [corners.next(), corners.next()]
    }

    /// The third corner of the triangle at an edge on the other side of `this`.
    fn across(&self, edge: [u32; 2], this: u32) -> Option<u32> {
        match self.opposite(edge) {
            [Some(one), other] if one == this => other,
            [one, Some(other)] if other == this => one,
            _ => None,
        }
    }

    /// A grid with the vertices of the mesh, if there is one: its triangles are still to be
    /// compared. Its cells are split from the upper right to the lower left.
    fn grid(&self) -> Option<Grid> {
        let vertices = self.first.len() - 1;
        // Two corners of a grid have one triangle each.
        let corner = (0..vertices as u32).find(|&vertex| self.around(vertex).len() == 1)?;
        let [a, b, c] = self.triangles[self.around(corner)[0] as usize];
        let right = if a == corner {
            b
        } else if b == corner {
            c
        } else {
            a
        };
        let first_row = self.side(corner, right)?;
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
                let next = if row > 1 {
                    self.across(edge, grid[above + column + 1 - width])?
                } else {
                    self.opposite(edge)[0]?
                };
                grid.push(next);
            }
            let last = [grid[above + width - 1], *grid.last()?];
            grid.push(self.across(last, grid[above + width - 2])?);
        }
        Some(Grid { width, vertices: grid })
    }

    /// The vertices of a side of the grid, from a corner on, by the edges with one triangle.
    fn side(&self, corner: u32, next: u32) -> Option<Vec<u32>> {
        let mut side = vec![corner, next];
        loop {
            let [before, here] = [side[side.len() - 2], side[side.len() - 1]];
            match self.around(here).len() {
                1 | 2 => return Some(side),
                3 if side.len() < self.first.len() => {}
                _ => return None,
            }
            let corners = self.around(here).iter().flat_map(|&it| self.triangles[it as usize]);
            let is_next = |&other: &u32| {
                other != here && other != before && self.opposite([here, other])[1].is_none()
            };
            side.push(corners.into_iter().find(is_next)?);
        }
    }
}

impl Grid {
    /// Whether the triangles are exactly those of the grid, split from the upper right to the lower
    /// left.
    fn has_all(&self, triangles: &[[u32; 3]]) -> bool {
        let width = self.width;
        let height = self.vertices.len() / width;
        let mut place = vec![usize::MAX; self.vertices.len()];
        for (at, &vertex) in self.vertices.iter().enumerate() {
            if place[vertex as usize] != usize::MAX {
                return false;
            }
            place[vertex as usize] = at;
        }
        let mut found = vec![[false; 2]; (width - 1) * (height - 1)];
        let is_found = |triangle: &[u32; 3]| {
            let mut corners = triangle.map(|corner| place[corner as usize]);
            corners.sort_unstable();
            let [a, b, c] = corners;
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
        triangles.len() == 2 * (width - 1) * (height - 1) && triangles.iter().all(is_found)
    }

    /// The same grid from each corner, in both directions.
    fn orientations(&self) -> Vec<Self> {
        let mirrored = |mut grid: Self| {
            grid.vertices.chunks_mut(grid.width).for_each(<[u32]>::reverse);
            grid
        };
        let mut turned = self.clone();
        turned.vertices.reverse();
        [self.clone(), mirrored(self.clone()), turned.clone(), mirrored(turned)]
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
