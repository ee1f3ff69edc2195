//! Cloth as regular sheets.

use taut_core::{Duplicates, Family, Particles, Sheet, Sticks};

use super::parts::{at_least, inverse_mass, marks, positive, rectangle_checked};
use super::{Model, ModelError};
use crate::vector::{dot, perpendicular, rounded, scaled, sum, unit, wide};

/// Two directions in which something flat is laid out. Its middle is at the origin;
/// [`Model::moved`] moves it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axes<const D: usize = 3> {
    /// From left to right, of any length but 0.
    pub across: [f32; D],
    /// From top to bottom. Only its part perpendicular to `across` counts.
    pub down: [f32; D],
}

impl<const D: usize> Default for Axes<D> {
    /// Hanging: across is x, down is -y. It is seen from +z.
    fn default() -> Self {
        let along = |which: usize, sign: f32| {
            core::array::from_fn(|axis| if axis == which { sign } else { 0.0 })
        };
        Self { across: along(0, 1.0), down: along(1, -1.0) }
    }
}

impl Axes {
    /// Lying: across is x, down is +z. It is seen from above.
    pub const HORIZONTAL: Self = Self { across: [1.0, 0.0, 0.0], down: [0.0, 0.0, 1.0] };
}

impl<const D: usize> Axes<D> {
    /// Both at length 1 and perpendicular.
    pub(super) fn checked(&self) -> Result<[[f64; D]; 2], ModelError> {
        // Directions closer than this do not define a plane.
        const LEAST: f64 = 1e-6;
        let impossible = |value, must| ModelError::Measure {
            key: "axes",
            what: "the angle between across and down, as its sine,",
            value,
            must,
        };
        let [across, down] = [self.across, self.down].map(|axis| unit(wide(axis)));
        let (Some(across), Some(down)) = (across, down) else {
            return Err(impossible(f64::NAN, "that of two directions of finite length above 0"));
        };
        let upright = perpendicular(down, across);
        let sine = libm::sqrt(dot(upright, upright));
        match unit(upright) {
            Some(upright) if sine >= LEAST => Ok([across, upright]),
            _ => Err(impossible(sine, "at least 1e-6: they may not be parallel")),
        }
    }
}

/// How each cell of a sheet is cut into two triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Diagonals {
    /// Alternating as on a chessboard: no direction is favoured. Wind takes longer, as every other
    /// slot in a row of triangles is a gap.
    Alternating,
    /// All from the upper left to the lower right.
    #[default]
    Parallel,
}

/// A rectangle of cloth.
///
/// The default is a square metre of cotton (0.2 kg/m²), 32 by 32 particles, with all families of
/// sticks (Mosegaard's set), that hangs in the plane of x and y with its middle at the origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Cloth<const D: usize = 3> {
    /// Particles from left to right, at least 2.
    pub columns: usize,
    /// Particles from top to bottom, at least 2.
    pub rows: usize,
    /// From left to right, m.
    pub width: f32,
    /// From top to bottom, m.
    pub height: f32,
    /// Its orientation.
    pub axes: Axes<D>,
    /// Which sticks it has: [`Family::STRUCTURAL`], with [`Family::SHEAR`], with bending
    /// [`Family::ALL`], or any others.
    pub families: Vec<Family>,
    /// Mass per area, kg/m².
    pub density: f32,
    /// How its cells are cut into faces.
    pub diagonals: Diagonals,
}

impl<const D: usize> Default for Cloth<D> {
    fn default() -> Self {
        Self {
            columns: 32,
            rows: 32,
            width: 1.0,
            height: 1.0,
            axes: Axes::default(),
            families: Family::ALL.to_vec(),
            density: 0.2,
            diagonals: Diagonals::default(),
        }
    }
}

impl<const D: usize> Cloth<D> {
    /// A cloth with a number of columns and rows and a spacing, m, in both directions; all else as
    /// in the default.
    pub fn spaced(columns: usize, rows: usize, spacing: f32) -> Self {
        let along =
            |particles: usize| (particles.saturating_sub(1) as f64 * f64::from(spacing)) as f32;
        Self { columns, rows, width: along(columns), height: along(rows), ..Self::default() }
    }
}

impl<const D: usize> Model<D> {
    /// A rectangle of cloth: a regular sheet, which has a kernel of its own. Nothing is pinned.
    ///
    /// Particle (i, j), column i of row j from the top, is number `j columns + i`; sticks are
    /// numbered as [`Sheet`] numbers them. All particles are of equal mass, so that together they
    /// weigh density times area. Each cell has two faces, counter-clockwise where across points
    /// right and down points down. Groups: `top`, `bottom`, `left`, `right`; `corners` (upper left,
    /// upper right, lower left, lower right) and `top corners`.
    ///
    /// The three sets of sticks are those of Mosegaard's cloth simulation tutorial (2009).
    ///
    /// ```
    /// use taut_world::{Axes, Cloth, Model};
    ///
    /// // A table cloth, 1.5 m wide, that falls from 2 m on whatever is below it.
    /// let cloth = Cloth { axes: Axes::HORIZONTAL, width: 1.5, height: 1.5, ..Cloth::default() };
    /// let falling = Model::cloth(&cloth)?.moved([0.0, 2.0, 0.0]);
    ///
    /// // A flag, its left side at the mast.
    /// let flag: Model = Model::cloth(&Cloth::spaced(48, 32, 0.02))?.pinned("left");
    /// assert!(flag.sheet.is_some());
    /// assert_eq!(flag.groups["left"].len(), 32);
    /// # Ok::<(), taut_world::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// Fewer than 2 columns or rows, or more than 2²⁴ particles; a width, height or density that
    /// is not above 0 and finite; axes without a direction, or parallel; particles of less than
    /// 1e-9 or more than 1e9 kg; no family that has a stick in it.
    pub fn cloth(cloth: &Cloth<D>) -> Result<Self, ModelError> {
        let Cloth { columns, rows, .. } = *cloth;
        at_least("columns", "the number of columns of a cloth", columns, 2, "at least 2")?;
        at_least("rows", "the number of rows of a cloth", rows, 2, "at least 2")?;
        let count = rectangle_checked(columns, rows)?;
        let width = positive("width", "the width of a cloth, m,", cloth.width)?;
        let height = positive("height", "the height of a cloth, m,", cloth.height)?;
        let density = positive("density", "the density of a cloth, kg/m²,", cloth.density)?;
        let [across, down] = cloth.axes.checked()?;
        let spacing = [width / (columns - 1) as f64, height / (rows - 1) as f64];

        let mut points = Vec::with_capacity(count);
        for j in 0..rows {
            for i in 0..columns {
                let right = spacing[0] * i as f64 - width / 2.0;
                let below = spacing[1] * j as f64 - height / 2.0;
                points.push(rounded(sum(scaled(across, right), scaled(down, below))));
            }
        }
        let inverse_mass = inverse_mass(density * width * height / count as f64)?;
        let particles = Particles::new(&points, &vec![inverse_mass; count])?;

        let sheet = Sheet::new(columns, rows, &cloth.families);
        let rests: Vec<f32> = sheet
            .numbered()
            .map(|(family, _, _)| {
                let [cells_across, cells_down] = family.span().map(|cells| cells as f64);
                libm::hypot(cells_across * spacing[0], cells_down * spacing[1]) as f32
            })
            .collect();
        if rests.is_empty() {
            return Err(ModelError::NoSticks { particles: count });
        }
        let sticks = Sticks::with_rests(count, &sheet.pairs(), &rests, Duplicates::Keep)?;

        let mut model = Self::new(particles, sticks);
        model.bending = bending_of(&sheet);
        model.sheet = Some(sheet);
        model.faces = faces(columns, rows, cloth.diagonals).into();
        model.name_sides(columns, rows);
        Ok(model)
    }

    /// A curtain: a cloth that hangs from its top row, as in "Simulate Fabric and Ragdolls With
    /// Simple Verlet Integration" (Envato Tuts+), which has [`Family::STRUCTURAL`].
    ///
    /// ```
    /// use taut_core::Family;
    /// use taut_world::{Cloth, Model};
    ///
    /// let families = Family::STRUCTURAL.to_vec();
    /// let cloth = Cloth::<2> { families, width: 3.0, height: 2.0, ..Cloth::default() };
    /// let curtain = Model::curtain(&cloth)?.tearing_at(4.0);
    /// assert_eq!(curtain.particles.inverse_masses()[..32], [0.0; 32]);
    /// # Ok::<(), taut_world::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Model::cloth`].
    pub fn curtain(cloth: &Cloth<D>) -> Result<Self, ModelError> {
        Ok(Self::cloth(cloth)?.pinned("top"))
    }

    /// Names the sides of a grid of particles, numbered row by row.
    pub(super) fn name_sides(&mut self, columns: usize, rows: usize) {
        let (columns, rows) = (columns as u32, rows as u32);
        let [last_column, last_row] = [columns - 1, (rows - 1) * columns];
        let mut name = |group: &str, particles: Vec<u32>| {
            self.groups.insert(group.to_owned(), particles);
        };
        name("top", (0..columns).collect());
        name("bottom", (last_row..last_row + columns).collect());
        name("left", (0..rows).map(|j| j * columns).collect());
        name("right", (0..rows).map(|j| j * columns + last_column).collect());
        name("corners", vec![0, last_column, last_row, last_row + last_column]);
        name("top corners", vec![0, last_column]);
    }
}

/// Which sticks of a sheet resist bending: those between next neighbours.
pub(super) fn bending_of(sheet: &Sheet) -> Vec<bool> {
    let is_bending = |family: Family| family.span().contains(&2);
    if !sheet.families().iter().any(|&family| is_bending(family)) {
        return Vec::new();
    }
    marks(sheet.numbered().map(|(family, _, _)| is_bending(family)).collect())
}

/// The faces of a grid of particles, numbered row by row.
pub(super) fn faces(columns: usize, rows: usize, diagonals: Diagonals) -> Vec<[u32; 3]> {
    let mut faces = Vec::with_capacity(2 * (columns - 1) * (rows - 1));
    for j in 0..rows - 1 {
        for i in 0..columns - 1 {
            let upper = (j * columns + i) as u32;
            let lower = upper + columns as u32;
            let [a, b, c, d] = [upper, upper + 1, lower, lower + 1];
            faces.extend(match diagonals {
                Diagonals::Alternating if (i + j) % 2 == 1 => [[a, c, b], [b, c, d]],
                _ => [[a, c, d], [a, d, b]],
            });
        }
    }
    faces
}
