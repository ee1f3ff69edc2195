//! Particles as columns (structure of arrays).

mod checks;
mod error;
mod selected;
#[cfg(feature = "serde")]
mod serialized;

use alloc::vec::Vec;

use crate::changes::{Changes, Cursor};
use crate::column::{Column, PADDING};
use crate::hash::fnv1a;
use crate::real::Real;
use crate::stage::{ParticleView, SlotLayout, Stage};

use checks::{checked_coordinates, checked_inverse_mass};
pub use error::ParticleError;

/// The largest valid magnitude of a coordinate, m.
pub const COORDINATE_MAX: f64 = 1e12;
/// The smallest valid inverse mass other than 0 (pinned), 1/kg.
pub const INVERSE_MASS_MIN: f64 = 1e-9;
/// The largest valid inverse mass, 1/kg.
pub const INVERSE_MASS_MAX: f64 = 1e9;

/// Particles in `D` dimensions: columns of position, previous position (m) and inverse mass
/// (1/kg, 0 = pinned), each 64-byte aligned and padded with pinned particles to a multiple of
/// [`PADDING`].
///
/// ```
/// use taut_core::Particles;
///
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
/// let mut particles = Particles::new(&points, &[0.0, 1.0])?;
/// assert_eq!(particles.len(), 2);
/// assert_eq!(particles.position(1), [1.0, 0.0, 0.0]);
/// assert_eq!(particles.positions(0), [0.0, 1.0]); // the column of x
///
/// particles.set_inverse_mass(0, 1.0)?; // no longer pinned
/// assert!(particles.set_inverse_mass(0, -1.0).is_err());
/// # Ok::<(), taut_core::ParticleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Particles<const D: usize, S: Real = f32> {
    position: [Column<S>; D],
    previous: [Column<S>; D],
    inverse_mass: Column<S>,
    /// The number of particles, padding excluded.
    len: usize,
    /// The record of changed inverse masses.
    mass_changes: Changes,
    /// The record of changed positions and previous positions.
    position_changes: Changes,
}

/// All columns at once, padding included, for a kernel. Their length is a multiple of [`PADDING`].
#[derive(Debug)]
pub struct Columns<'a, const D: usize, S> {
    /// Positions by axis, m.
    pub position: [&'a mut [S]; D],
    /// Previous positions by axis, m.
    pub previous: [&'a mut [S]; D],
    /// Inverse masses, 1/kg; 0 for pinned particles and in the padding.
    pub inverse_mass: &'a [S],
}

/// Constructors of `f32` particles, which every kernel relaxes. They are not generic, because a
/// default type parameter does not guide inference: literals would become `f64` wherever the kernel
/// supports both types. For `f64`, see [`new_generic`](Particles::new_generic).
impl<const D: usize> Particles<D, f32> {
    /// Particles at rest (previous = position) at `points`, m, with `inverse_masses`, 1/kg.
    /// Coordinates of -0.0 become +0.0.
    ///
    /// # Errors
    /// Slices of unequal length; a coordinate that is not finite or beyond 1e12 m; an inverse
    /// mass that is neither 0 nor within 1e-9 to 1e9 per kg; too many points for 32-bit numbers.
    pub fn new(points: &[[f32; D]], inverse_masses: &[f32]) -> Result<Self, ParticleError> {
        Self::new_generic(points, inverse_masses)
    }

    /// [`Particles::new`] from points of another type that converts to arrays, such as those of
    /// `glam`, `mint` and `nalgebra`.
    ///
    /// ```
    /// use glam::Vec3;
    /// use taut_core::Particles;
    ///
    /// let particles = Particles::from_points([Vec3::ZERO, Vec3::X], &[0.0, 1.0])?;
    /// let points: Vec<Vec3> = particles.points().collect();
    /// assert_eq!(points[0].distance(points[1]), 1.0);
    /// let points: Vec<mint::Point3<f32>> = particles.points().collect();
    /// assert_eq!(points[1].x, 1.0);
    /// # Ok::<(), taut_core::ParticleError>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Particles::new`].
    pub fn from_points<P: Into<[f32; D]>>(
        points: impl IntoIterator<Item = P>,
        inverse_masses: &[f32],
    ) -> Result<Self, ParticleError> {
        let points: Vec<[f32; D]> = points.into_iter().map(Into::into).collect();
        Self::new(&points, inverse_masses)
    }

    /// No particles, with memory reserved for `capacity` of them.
    pub fn with_capacity(capacity: usize) -> Self {
        Self::empty(capacity)
    }
}

impl<const D: usize, S: Real> Particles<D, S> {
    /// [`Particles::new`] for both number types. The scalar kernel in `f64` is the reference
    /// for measuring errors. ([`convert`](Self::convert) turns `f32` particles into `f64`
    /// particles.)
    ///
    /// ```
    /// use taut_core::Particles;
    ///
    /// let particles = Particles::<3, f64>::new_generic(&[[0.1, 0.0, 0.0]], &[1.0])?;
    /// assert_eq!(particles.position(0), [0.1_f64, 0.0, 0.0]);
    /// assert_eq!(Particles::new(&[[0.1, 0.0, 0.0]], &[1.0])?.position(0), [0.1_f32, 0.0, 0.0]);
    /// # Ok::<(), taut_core::ParticleError>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Particles::new`].
    pub fn new_generic(points: &[[S; D]], inverse_masses: &[S]) -> Result<Self, ParticleError> {
        if points.len() != inverse_masses.len() {
            return Err(ParticleError::UnequalCounts {
                points: points.len(),
                inverse_masses: inverse_masses.len(),
            });
        }
        let mut particles = Self::empty(points.len());
        for (&point, &inverse_mass) in points.iter().zip(inverse_masses) {
            particles.push(point, inverse_mass)?;
        }
        Ok(particles)
    }

    fn empty(capacity: usize) -> Self {
        let column = || Column::with_capacity(0, capacity.next_multiple_of(PADDING));
        Self {
            position: core::array::from_fn(|_| column()),
            previous: core::array::from_fn(|_| column()),
            inverse_mass: column(),
            len: 0,
            mass_changes: Changes::new(),
            position_changes: Changes::new(),
        }
    }

    /// Adds a particle at rest and returns its number.
    ///
    /// # Errors
    /// Same as for [`Particles::new`]; nothing is added then.
    pub fn push(&mut self, point: [S; D], inverse_mass: S) -> Result<u32, ParticleError> {
        let particle = self.len;
        let number = u32::try_from(particle)
            .ok()
            .filter(|&number| number < u32::MAX)
            .ok_or(ParticleError::TooMany { points: particle + 1 })?;
        let point = checked_coordinates(particle, point)?;
        let inverse_mass = checked_inverse_mass(particle, inverse_mass)?;
        if self.inverse_mass.len() == particle {
            let padded = particle + PADDING;
            for column in self.position.iter_mut().chain(&mut self.previous) {
                column.resize(padded, S::ZERO);
            }
            self.inverse_mass.resize(padded, S::ZERO);
        }
        for (axis, x) in point.into_iter().enumerate() {
            self.position[axis][particle] = x;
            self.previous[axis][particle] = x;
        }
        self.inverse_mass[particle] = inverse_mass;
        self.len += 1;
        Ok(number)
    }

    /// Concatenates the particles of several cloths, with their previous positions, and so their
    /// velocities.
    ///
    /// # Errors
    /// A position out of range; too many particles for 32-bit numbers.
    pub fn side_by_side<'a>(
        cloths: impl IntoIterator<Item = &'a Self>,
    ) -> Result<Self, ParticleError> {
        let mut all = Self::empty(0);
        for cloth in cloths {
            let first = all.len;
            for particle in 0..cloth.len {
                all.push(cloth.position(particle), cloth.inverse_mass[particle])?;
            }
            for (column, previous) in all.previous.iter_mut().zip(&cloth.previous) {
                column[first..first + cloth.len].copy_from_slice(&previous[..cloth.len]);
            }
        }
        Ok(all)
    }

    /// How many particles there are (padding excluded).
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// One column of positions, m.
    ///
    /// # Panics
    /// If there is no such axis.
    pub fn positions(&self, axis: usize) -> &[S] {
        &self.position[axis][..self.len]
    }

    /// One column of positions, mutable. Written values are not checked and must be finite.
    /// (-0.0 becomes +0.0 in the next step.)
    ///
    /// # Panics
    /// If there is no such axis.
    pub fn positions_mut(&mut self, axis: usize) -> &mut [S] {
        self.position_changes.record_all();
        &mut self.position[axis][..self.len]
    }

    /// One column of previous positions, m: position minus previous position is the velocity
    /// times the length of the last substep.
    ///
    /// # Panics
    /// If there is no such axis.
    pub fn previous(&self, axis: usize) -> &[S] {
        &self.previous[axis][..self.len]
    }

    /// One column of previous positions, mutable. Written values are not checked.
    ///
    /// # Panics
    /// If there is no such axis.
    pub fn previous_mut(&mut self, axis: usize) -> &mut [S] {
        self.position_changes.record_all();
        &mut self.previous[axis][..self.len]
    }

    /// The inverse masses, 1/kg.
    pub fn inverse_masses(&self) -> &[S] {
        &self.inverse_mass[..self.len]
    }

    /// The position of a particle, m.
    ///
    /// # Panics
    /// If there is no such particle.
    #[inline]
    pub fn position(&self, particle: usize) -> [S; D] {
        assert!(particle < self.len, "there is no particle {particle}");
        core::array::from_fn(|axis| self.position[axis][particle])
    }

    /// The previous position of a particle, m.
    ///
    /// # Panics
    /// If there is no such particle.
    #[inline]
    pub fn previous_position(&self, particle: usize) -> [S; D] {
        assert!(particle < self.len, "there is no particle {particle}");
        core::array::from_fn(|axis| self.previous[axis][particle])
    }

    /// All positions, m, in the order of particle numbers, as arrays or as another point type that
    /// converts from arrays: see [`from_points`](Self::from_points).
    pub fn points<P: From<[S; D]>>(&self) -> impl ExactSizeIterator<Item = P> {
        (0..self.len).map(|particle| self.position(particle).into())
    }

    /// Copies all positions, m, in the order of particle numbers, into rows of `N` numbers;
    /// the numbers after the first `D` become 0. (If `N` is below `D`, the last coordinates are left
    /// out.) For upload to a GPU, `rows.as_flattened()` is one
    /// contiguous slice.
    ///
    /// ```
    /// use taut_core::Particles;
    ///
    /// let particles = Particles::new(&[[1.0, 2.0], [3.0, 4.0]], &[1.0, 1.0])?;
    /// let mut rows = [[9.0; 3]; 2];
    /// particles.copy_positions(&mut rows);
    /// assert_eq!(rows.as_flattened(), [1.0, 2.0, 0.0, 3.0, 4.0, 0.0]);
    /// # Ok::<(), taut_core::ParticleError>(())
    /// ```
    ///
    /// # Panics
    /// If the number of rows is not the number of particles.
    pub fn copy_positions<const N: usize>(&self, rows: &mut [[S; N]]) {
        assert_eq!(rows.len(), self.len, "each particle needs a row");
        for (particle, row) in rows.iter_mut().enumerate() {
            *row = core::array::from_fn(|axis| {
                self.position.get(axis).map_or(S::ZERO, |column| column[particle])
            });
        }
    }

    /// Moves a particle without giving it velocity: position and previous position are both
    /// set. Use it for pinned particles, whose motion the caller decides.
    ///
    /// # Errors
    /// No such particle, or a coordinate out of range; nothing is changed then.
    pub fn set_position(&mut self, particle: usize, point: [S; D]) -> Result<(), ParticleError> {
        self.check_exists(particle)?;
        for (axis, x) in checked_coordinates(particle, point)?.into_iter().enumerate() {
            self.position[axis][particle] = x;
            self.previous[axis][particle] = x;
        }
        self.position_changes.record(particle as u32, self.len);
        Ok(())
    }

    /// Moves a particle without changing its previous position, so its velocity changes. The point is
    /// not checked; -0.0 becomes +0.0.
    ///
    /// # Panics
    /// If there is no such particle.
    pub fn displace(&mut self, particle: usize, point: [S; D]) {
        assert!(particle < self.len, "there is no particle {particle}");
        for (column, x) in self.position.iter_mut().zip(point) {
            column[particle] = x.positive_zero();
        }
        self.position_changes.record(particle as u32, self.len);
    }

    /// Sets the previous position of a particle, which changes its velocity and not its position. The
    /// point is not checked.
    ///
    /// # Panics
    /// If there is no such particle.
    pub fn set_previous_position(&mut self, particle: usize, point: [S; D]) {
        assert!(particle < self.len, "there is no particle {particle}");
        for (column, x) in self.previous.iter_mut().zip(point) {
            column[particle] = x;
        }
        self.position_changes.record(particle as u32, self.len);
    }

    /// Changes an inverse mass, 1/kg; 0 pins the particle at its position. Plans read the change at
    /// their next step.
    ///
    /// # Errors
    /// No such particle, or an inverse mass out of range; nothing is changed then.
    pub fn set_inverse_mass(&mut self, particle: usize, value: S) -> Result<(), ParticleError> {
        self.check_exists(particle)?;
        self.inverse_mass[particle] = checked_inverse_mass(particle, value)?;
        self.mass_changes.record(particle as u32, self.len);
        Ok(())
    }

    fn check_exists(&self, particle: usize) -> Result<(), ParticleError> {
        if particle < self.len {
            Ok(())
        } else {
            Err(ParticleError::NoSuchParticle { particle, particles: self.len })
        }
    }

    /// The record of changed inverse masses, for plans.
    pub fn mass_changes(&self) -> &Changes {
        &self.mass_changes
    }

    /// The record of writes to positions and previous positions, for plans that keep copies of
    /// them. (Adding a particle is not recorded.)
    pub fn position_changes(&self) -> &Changes {
        &self.position_changes
    }

    /// Swaps positions and previous positions, for a kernel that then overwrites the older values,
    /// now in the position columns, with new positions.
    pub fn swap_columns(&mut self) {
        self.position_changes.record_all();
        core::mem::swap(&mut self.position, &mut self.previous);
    }

    /// All columns with their padding, for kernels.
    pub fn columns(&mut self) -> Columns<'_, D, S> {
        self.columns_and_cursor().0
    }

    /// All columns, and the cursor of [`position_changes`](Self::position_changes) after this
    /// access: a plan that keeps this cursor does not read its own writes as changes of the caller.
    pub fn columns_and_cursor(&mut self) -> (Columns<'_, D, S>, Cursor) {
        self.position_changes.record_all();
        let columns = Columns {
            position: self.position.each_mut().map(|column| &mut column[..]),
            previous: self.previous.each_mut().map(|column| &mut column[..]),
            inverse_mass: &self.inverse_mass,
        };
        (columns, self.position_changes.now())
    }

    /// Runs a stage on all particles, in their columns.
    pub fn visit(&mut self, stage: &dyn Stage<D, S>) {
        let Columns { position, previous, inverse_mass } = self.columns();
        stage.run(ParticleView { position, previous, inverse_mass, layout: SlotLayout::Run(0) });
    }

    /// [`hash_points`] of all positions, in the order of particle numbers.
    pub fn hash(&self) -> u64 {
        hash_points((0..self.len).map(|particle| self.position(particle)))
    }
}

/// A hash of the bits of points: FNV-1a, 64 bits, over the points in order and the axes of each,
/// every coordinate as 8 little-endian bytes of its [canonical bits](Real::canonical_bits).
pub fn hash_points<const D: usize, S: Real>(points: impl IntoIterator<Item = [S; D]>) -> u64 {
    let coordinates = points.into_iter().flatten();
    fnv1a(coordinates.flat_map(|x| x.canonical_bits().to_le_bytes()))
}
