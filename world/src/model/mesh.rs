//! Cloth from triangle meshes: hexagonal sheets and arbitrary meshes.

use taut_core::{Bending, Duplicates, Particles, Sticks};

use super::builder::flags_or_empty;
use super::checks::{check_at_least, check_inverse_masses, check_positive, check_rectangle};
use super::cloth::Axes;
use super::{Model, ModelError};
use crate::vector::{difference, rounded, scaled, sum, to_f64};

/// The fraction of the particles of a mesh, the highest ones, that [`Model::hanging`] pins and
/// [`Model::from_triangles`] puts into the group `top`.
pub const PINNED_FRACTION: f64 = 0.02;

/// The parameters of a sheet of equilateral triangles, six around each inner particle.
///
/// The default is 32 by 32 particles, 3 cm apart, of 0.2 kg/m², with bending sticks. It is in
/// the plane of x and y with its middle at the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HexSheet<const D: usize = 3> {
    /// Particles per row, at least 2.
    pub columns: usize,
    /// Number of rows, at least 2; every other one is moved right by half a spacing.
    pub rows: usize,
    /// The length of every edge, m.
    pub spacing: f32,
    /// Its orientation.
    pub axes: Axes<D>,
    /// Whether it resists bending.
    pub bending: Bending,
    /// Mass per area, kg/m².
    pub density: f32,
}

impl<const D: usize> Default for HexSheet<D> {
    fn default() -> Self {
        Self {
            columns: 32,
            rows: 32,
            spacing: 0.03,
            axes: Axes::default(),
            bending: Bending::Sticks,
            density: 0.2,
        }
    }
}

impl<const D: usize> Model<D> {
    /// A sheet of equilateral triangles: the "hexagonal mesh" of Jakobsen's cloth (2001). All edges
    /// have the same rest length, and all bending sticks √3 times that. Each particle has a third
    /// of the mass of its triangles. Nothing is pinned.
    ///
    /// Particle i of row j from the top has the index `j columns + i`. Groups: those of
    /// [`Model::cloth`], where `left` and `right` follow the zigzag; and `rim`, the ends of boundary
    /// edges.
    ///
    /// ```
    /// use taut_world::{HexSheet, Model};
    ///
    /// let sheet = Model::hex_sheet(&HexSheet::<3> { spacing: 0.1, ..HexSheet::default() })?;
    /// assert_eq!(sheet.faces.len(), 2 * 31 * 31);
    /// assert_eq!(sheet.sticks.rest(0), 0.1);
    /// # Ok::<(), taut_world::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// Fewer than 2 columns or rows, or more than 2²⁴ particles; a spacing or density that is not
    /// above 0 and finite; axes without a direction, or parallel; particles of less than 1e-9 or
    /// more than 1e9 kg.
    pub fn hex_sheet(sheet: &HexSheet<D>) -> Result<Self, ModelError> {
        let HexSheet { columns, rows, .. } = *sheet;
        let must = "at least 2";
        check_at_least("columns", "the number of columns of a hexagonal sheet", columns, 2, must)?;
        check_at_least("rows", "the number of rows of a hexagonal sheet", rows, 2, must)?;
        let count = check_rectangle(columns, rows)?;
        let spacing =
            check_positive("spacing", "the spacing of a hexagonal sheet, m,", sheet.spacing)?;
        let [across, down] = sheet.axes.checked()?;

        let row_height = spacing * libm::sqrt(3.0) / 2.0;
        let [width, height] = [spacing * (columns as f64 - 0.5), row_height * (rows - 1) as f64];
        let mut points = Vec::with_capacity(count);
        let mut triangles = Vec::with_capacity(2 * (columns - 1) * (rows - 1));
        for j in 0..rows {
            for i in 0..columns {
                let right = spacing * (i as f64 + 0.5 * (j % 2) as f64) - width / 2.0;
                let below = row_height * j as f64 - height / 2.0;
                points.push(rounded(sum(scaled(across, right), scaled(down, below))));
                if i + 1 < columns && j + 1 < rows {
                    let upper = (j * columns + i) as u32;
                    let lower = upper + columns as u32;
                    // The corners of a cell: a and b above c and d.
                    let [a, b, c, d] = [upper, upper + 1, lower, lower + 1];
                    // Odd rows are half a spacing to the right of even ones.
                    let lower_row_shifted = [[a, c, b], [b, c, d]];
                    let upper_row_shifted = [[a, c, d], [a, d, b]];
                    triangles.extend(if j % 2 == 0 {
                        lower_row_shifted
                    } else {
                        upper_row_shifted
                    });
                }
            }
        }

        let mut model = Self::triangle_mesh(&points, &triangles, sheet.bending, sheet.density)?;
        // Exact rest lengths, not those between rounded positions. The sticks are first the edges,
        // then the bending sticks.
        let edges = Sticks::from_triangles(&model.particles, &triangles, Bending::Free)?.len();
        let rest = |stick: usize| if stick < edges { spacing } else { 2.0 * row_height } as f32;
        let rests: Vec<f32> = (0..model.sticks.len()).map(rest).collect();
        model.sticks = Sticks::with_rests(count, model.sticks.ends(), &rests, Duplicates::Keep)?;
        model.name_sides(columns, rows);
        Ok(model)
    }

    /// A triangle mesh as cloth: a stick per edge, and with [`Bending::Sticks`] also one between the
    /// far corners of every two neighbouring triangles (Jakobsen's support sticks, 2001): see
    /// [`Sticks::from_triangles`]. `positions` are in m, `density` is in kg/m². Each particle has a
    /// third of the mass of its triangles. Nothing is pinned. Groups: `top`, the highest 2 % of the
    /// particles ([`PINNED_FRACTION`]), at least one; and `rim`, the ends of boundary edges.
    ///
    /// A regular grid of at least 16 columns, numbered row by row, with all cells split along the
    /// same diagonal, is recognized: its sticks are numbered as those of a
    /// [sheet](taut_core::Sheet), and the kernel for sheets runs it.
    ///
    /// ```
    /// use taut_core::Bending;
    /// use taut_world::Model;
    ///
    /// let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let cloth = Model::from_triangles(&square, &[[0, 1, 2], [0, 2, 3]], Bending::Sticks, 0.3)?;
    /// assert_eq!(cloth.sticks.len(), 4 + 1 + 1);
    /// assert!((cloth.mass() - 0.3).abs() < 1e-6);
    /// # Ok::<(), taut_world::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// A position or triangle that is not valid; no triangle; a density that is not above 0 and
    /// finite; particles of less than 1e-9 kg, such as one without triangles, or of more than
    /// 1e9 kg.
    pub fn from_triangles(
        positions: &[[f32; D]],
        triangles: &[[u32; 3]],
        bending: Bending,
        density: f32,
    ) -> Result<Self, ModelError> {
        Self::triangle_mesh(positions, triangles, bending, density).map(Self::recognize_sheet)
    }

    /// Like [`from_triangles`](Self::from_triangles), but a regular grid is not recognized: the
    /// sticks are first the edges, then the bending sticks.
    fn triangle_mesh(
        positions: &[[f32; D]],
        triangles: &[[u32; 3]],
        bending: Bending,
        density: f32,
    ) -> Result<Self, ModelError> {
        let density = check_positive("density", "the density of a mesh, kg/m²,", density)?;
        // All particles are pinned until the triangles are checked and the masses are computed.
        let pinned = Particles::new(positions, &vec![0.0; positions.len()])?;
        let sticks = Sticks::from_triangles(&pinned, triangles, bending)?;
        if sticks.is_empty() {
            return Err(ModelError::NoSticks { particles: positions.len() });
        }
        let mut masses = vec![0.0; positions.len()];
        for triangle in triangles {
            let corners = triangle.map(|corner| to_f64(positions[corner as usize]));
            let third_of_mass = density * area(corners) / 3.0;
            for &corner in triangle {
                masses[corner as usize] += third_of_mass;
            }
        }
        let inverse_masses = check_inverse_masses(&masses)?;
        let particles = Particles::new(positions, &inverse_masses)?;
        let bending = bending_among(&sticks, triangles);
        let faces = triangles.to_vec().into();
        let mut model = Self { faces, bending, ..Self::new(particles, sticks) };
        model.groups.insert("top".to_owned(), highest(positions));
        model.groups.insert("rim".to_owned(), rim(triangles));
        Ok(model)
    }
}

/// The area of a triangle, m², in any dimension (Lagrange's identity).
fn area<const D: usize>([a, b, c]: [[f64; D]; 3]) -> f64 {
    let [u, v] = [difference(b, a), difference(c, a)];
    let components = (0..D).flat_map(|i| (i + 1..D).map(move |j| u[i] * v[j] - u[j] * v[i]));
    libm::sqrt(components.map(|component| component * component).sum()) / 2.0
}

/// The indices of the highest positions, in ascending order. Their number is [`PINNED_FRACTION`] of
/// all positions, rounded up. Of equally high positions, those with the lowest indices are chosen.
pub(super) fn highest<const D: usize>(positions: &[[f32; D]]) -> Vec<u32> {
    let mut by_height: Vec<u32> = (0..positions.len() as u32).collect();
    let height = |particle: u32| positions[particle as usize][1];
    by_height.sort_by(|&one, &other| height(other).total_cmp(&height(one)));
    #[allow(clippy::cast_sign_loss, reason = "a fraction of a count")]
    by_height.truncate((positions.len() as f64 * PINNED_FRACTION).ceil() as usize);
    by_height.sort_unstable();
    by_height
}

/// Which of the sticks that [`Sticks::from_triangles`] made resist bending: those after the edges.
pub(super) fn bending_among(sticks: &Sticks, triangles: &[[u32; 3]]) -> Vec<bool> {
    let mut edges = sorted_edges(triangles);
    edges.dedup();
    flags_or_empty((0..sticks.len()).map(|stick| stick >= edges.len()).collect())
}

/// The sides of all triangles, each with its lower end first, sorted. A side of two triangles occurs
/// twice.
fn sorted_edges(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut edges: Vec<[u32; 2]> = triangles
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    edges.sort_unstable();
    edges
}

/// The ends of boundary edges (those with one triangle), in ascending order.
fn rim(triangles: &[[u32; 3]]) -> Vec<u32> {
    let edges = sorted_edges(triangles);
    let boundary = edges.chunk_by(|one, next| one == next).filter(|same| same.len() == 1);
    let mut corners: Vec<u32> = boundary.flat_map(|edge| edge[0]).collect();
    corners.sort_unstable();
    corners.dedup();
    corners
}
