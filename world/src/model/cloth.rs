//! Cloth as regular sheets.

use taut_core::{Duplicates, Family, Particles, Sheet, Sticks};

use super::builder::flags_or_empty;
use super::checks::{check_at_least, check_inverse_mass, check_positive, check_rectangle};
use super::{Model, ModelError};
use crate::vector::{dot, perpendicular, rounded, scaled, sum, to_f64, unit};

/// The two directions in which a flat model is laid out. The middle of the model is at the origin;
/// [`Model::moved`] moves the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axes<const D: usize = 3> {
    /// From left to right, of any length but 0.
    pub across: [f32; D],
    /// From top to bottom. Only its part perpendicular to `across` counts.
    pub down: [f32; D],
}

impl<const D: usize> Default for Axes<D> {
    /// Vertical: `across` is x and `down` is -y, as seen from +z.
    fn default() -> Self {
        let axis_vector = |along: usize, sign: f32| {
            core::array::from_fn(|axis| if axis == along { sign } else { 0.0 })
        };
        Self { across: axis_vector(0, 1.0), down: axis_vector(1, -1.0) }
    }
}

impl Axes {
    /// Horizontal: `across` is x and `down` is +z, as seen from above.
    pub const HORIZONTAL: Self = Self { across: [1.0, 0.0, 0.0], down: [0.0, 0.0, 1.0] };
}

impl<const D: usize> Axes<D> {
    /// Checks the axes, and returns them as perpendicular unit vectors; `across` keeps its direction.
    pub(super) fn checked(&self) -> Result<[[f64; D]; 2], ModelError> {
        // The sine of the smallest angle between directions that define a plane.
        const SINE_MIN: f64 = 1e-6;
        let error = |value, must| ModelError::OutOfRange {
            key: "axes",
            what: "the sine of the angle between across and down",
            value,
            must,
        };
        let [across, down] = [self.across, self.down].map(|axis| unit(to_f64(axis)));
        let (Some(across), Some(down)) = (across, down) else {
            return Err(error(f64::NAN, "that of two directions of finite length above 0"));
        };
        let perpendicular_part = perpendicular(down, across);
        let sine = libm::sqrt(dot(perpendicular_part, perpendicular_part));
        match unit(perpendicular_part) {
            Some(down) if sine >= SINE_MIN => Ok([across, down]),
            _ => Err(error(sine, "at least 1e-6: they may not be parallel")),
        }
    }
}

/// How each cell of a sheet is cut into two triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Diagonals {
    /// Alternating as on a chessboard, so that no direction is favoured. Wind takes longer to compute:
    /// triangles of one orientation are in every other cell, so half of the SIMD lanes are unused.
    Alternating,
    /// All from the upper left to the lower right.
    #[default]
    Parallel,
}

/// The parameters of a rectangle of cloth.
///
/// The default is a square metre of cotton (0.2 kg/m²) of 32 by 32 particles with the sticks of
/// [`Family::BEND`]. It is in the plane of x and y with its middle at the origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Cloth<const D: usize = 3> {
    /// Particles from left to right, at least 2.
    pub columns: usize,
    /// Particles from top to bottom, at least 2.
    pub rows: usize,
    /// Length from left to right, m.
    pub width: f32,
    /// Length from top to bottom, m.
    pub height: f32,
    /// Its orientation.
    pub axes: Axes<D>,
    /// The families of its sticks: [`Family::STRUCTURAL`], [`Family::SHEAR`] (with diagonals),
    /// [`Family::BEND`] (also with bending sticks), or any others.
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
            families: Family::BEND.to_vec(),
            density: 0.2,
            diagonals: Diagonals::default(),
        }
    }
}

impl<const D: usize> Cloth<D> {
    /// A cloth with a number of columns and rows and a spacing, m, in both directions. The other
    /// parameters are those of the default.
    pub fn spaced(columns: usize, rows: usize, spacing: f32) -> Self {
        let length =
            |particles: usize| (particles.saturating_sub(1) as f64 * f64::from(spacing)) as f32;
        Self { columns, rows, width: length(columns), height: length(rows), ..Self::default() }
    }
}

impl<const D: usize> Model<D> {
    /// A rectangle of cloth: a regular sheet, for which there is a special kernel. Nothing is
    /// pinned.
    ///
    /// Particle (i, j), in column i of row j from the top, has the index `j columns + i`. Sticks
    /// are numbered as [`Sheet`] numbers them. All particles have equal mass; their total is
    /// density times area. Each cell has two faces, counter-clockwise with `across` to the right
    /// and `down` downwards. Groups: `top`, `bottom`, `left`, `right`; `corners` (upper left, upper
    /// right, lower left, lower right) and `top corners`.
    ///
    /// The sets of families [`Family::STRUCTURAL`], [`Family::SHEAR`] and [`Family::BEND`] are those of
    /// Mosegaard's cloth simulation tutorial (2009).
    ///
    /// ```
    /// use taut_world::{Axes, Cloth, Model};
    ///
    /// // A tablecloth, 1.5 m wide, that falls from a height of 2 m.
    /// let cloth = Cloth { axes: Axes::HORIZONTAL, width: 1.5, height: 1.5, ..Cloth::default() };
    /// let falling = Model::cloth(&cloth)?.moved([0.0, 2.0, 0.0]);
    ///
    /// // A flag, pinned to the mast at its left side.
    /// let flag: Model = Model::cloth(&Cloth::spaced(48, 32, 0.02))?.pinned("left");
    /// assert!(flag.sheet.is_some());
    /// assert_eq!(flag.groups["left"].len(), 32);
    /// # Ok::<(), taut_world::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// Fewer than 2 columns or rows, or more than 2²⁴ particles; a width, height or density that
    /// is not above 0 and finite; axes without a direction, or parallel; particles of less than
    /// 1e-9 or more than 1e9 kg; families without a stick in a grid of this size.
    pub fn cloth(cloth: &Cloth<D>) -> Result<Self, ModelError> {
        let Cloth { columns, rows, .. } = *cloth;
        check_at_least("columns", "the number of columns of a cloth", columns, 2, "at least 2")?;
        check_at_least("rows", "the number of rows of a cloth", rows, 2, "at least 2")?;
        let count = check_rectangle(columns, rows)?;
        let width = check_positive("width", "the width of a cloth, m,", cloth.width)?;
        let height = check_positive("height", "the height of a cloth, m,", cloth.height)?;
        let density = check_positive("density", "the density of a cloth, kg/m²,", cloth.density)?;
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
        let inverse_mass = check_inverse_mass(density * width * height / count as f64)?;
        let particles = Particles::new(&points, &vec![inverse_mass; count])?;

        let sheet = Sheet::new(columns, rows, &cloth.families);
        let rests: Vec<f32> = sheet
            .stick_locations()
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
    /// Simple Verlet Integration" (Envato Tuts+), where it has the sticks of [`Family::STRUCTURAL`].
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
    /// Same as for [`Model::cloth`].
    pub fn curtain(cloth: &Cloth<D>) -> Result<Self, ModelError> {
        Ok(Self::cloth(cloth)?.pinned("top"))
    }

    /// Adds groups for the sides and corners of a grid of particles that is numbered row by row.
    pub(super) fn name_sides(&mut self, columns: usize, rows: usize) {
        let (columns, rows) = (columns as u32, rows as u32);
        // The first particle of the last row.
        let last_row = (rows - 1) * columns;
        let last_column = columns - 1;
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

/// Which sticks of a sheet resist bending: those whose ends are two columns or two rows apart.
pub(super) fn bending_of(sheet: &Sheet) -> Vec<bool> {
    let is_bending = |family: Family| family.span().contains(&2);
    if !sheet.families().iter().any(|&family| is_bending(family)) {
        return Vec::new();
    }
    flags_or_empty(sheet.stick_locations().map(|(family, _, _)| is_bending(family)).collect())
}

/// The faces of a grid of particles, numbered row by row.
pub(super) fn faces(columns: usize, rows: usize, diagonals: Diagonals) -> Vec<[u32; 3]> {
    let mut faces = Vec::with_capacity(2 * (columns - 1) * (rows - 1));
    for j in 0..rows - 1 {
        for i in 0..columns - 1 {
            let upper = (j * columns + i) as u32;
            let lower = upper + columns as u32;
            // The corners of a cell: a and b above c and d.
            let [a, b, c, d] = [upper, upper + 1, lower, lower + 1];
            faces.extend(match diagonals {
                Diagonals::Alternating if (i + j) % 2 == 1 => [[a, c, b], [b, c, d]],
                _ => [[a, c, d], [a, d, b]],
            });
        }
    }
    faces
}
