//! What pushes particles: forces are added up, then turned into motion, then cleared.

mod field;
mod gusts;
mod wind;

use core::fmt::Debug;
use std::sync::OnceLock;

use taut_core::{Column, Particles};

use crate::model::Model;
use crate::world::Moment;

pub use field::{Acceleration, Attractor, Drag, Field, Law, Region, Subject};
pub use gusts::Gusts;
pub use wind::{Wind, WindLaw};

/// The force on each particle, N: columns like those of the particles.
///
/// ```
/// use taut_core::Particles;
/// use taut_world::Forces;
///
/// let particles = Particles::new(&[[0.0; 3], [1.0, 0.0, 0.0]], &[1.0; 2])?;
/// let mut forces = Forces::none(&particles);
/// assert_eq!(forces.along(1), [0.0, 0.0]);
/// forces.add(0, [1.0, 2.0, 3.0]);
/// forces.columns_mut()[1][0] += 0.5;
/// assert_eq!(forces.along(1), [2.5, 0.0]);
/// forces.clear();
/// assert_eq!(forces.along(1), [0.0, 0.0]);
/// # Ok::<(), taut_core::ParticleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Forces<const D: usize = 3> {
    columns: [Column<f32>; D],
    len: usize,
    /// Whether nothing was added since all was cleared. The columns do not say so yet: a first force
    /// that pushes every particle need not read them.
    none: bool,
    /// For whoever looks while there are none.
    zeros: OnceLock<Vec<f32>>,
    /// Room for the force on each triangle, N, by its slot; grows once.
    on_triangles: [Column<f32>; D],
}

/// Columns for a pass over triangles.
pub(crate) struct Room<'a, const D: usize> {
    /// Whether what is in the columns of the particles does not count.
    pub(crate) first: bool,
    pub(crate) on_particles: [&'a mut [f32]; D],
    pub(crate) on_triangles: [&'a mut [f32]; D],
}

impl<const D: usize> Forces<D> {
    /// None yet, on any of the particles.
    pub fn none(particles: &Particles<D>) -> Self {
        let padded = particles.len().next_multiple_of(taut_core::PADDING);
        let column = || Column::from_iter(0, core::iter::repeat_n(0.0, padded));
        Self {
            columns: core::array::from_fn(|_| column()),
            len: particles.len(),
            none: true,
            zeros: OnceLock::new(),
            on_triangles: core::array::from_fn(|_| Column::with_capacity(0, 0)),
        }
    }

    /// No force on any particle any more.
    pub fn clear(&mut self) {
        self.none = true;
    }

    /// Now the columns say so if there are none.
    pub(crate) fn settle(&mut self) {
        if core::mem::take(&mut self.none) {
            for column in &mut self.columns {
                column.fill(0.0);
            }
        }
    }

    /// One column, N.
    ///
    /// # Panics
    /// If there is no such axis.
    pub fn along(&self, axis: usize) -> &[f32] {
        let column = &self.columns[axis][..self.len];
        if self.none { self.zeros.get_or_init(|| vec![0.0; self.len]) } else { column }
    }

    /// One column with its padding; settled.
    pub(crate) fn padded(&self, axis: usize) -> &[f32] {
        &self.columns[axis]
    }

    /// All columns, N, to add to.
    pub fn columns_mut(&mut self) -> [&mut [f32]; D] {
        self.settle();
        let len = self.len;
        self.columns.each_mut().map(|column| &mut column[..len])
    }

    /// All columns, and columns of `slots` places for what triangles get, for whoever pushes all of
    /// the particles, or not.
    pub(crate) fn room(&mut self, pushes_all: bool, slots: usize) -> Room<'_, D> {
        if !pushes_all {
            self.settle();
        }
        for column in &mut self.on_triangles {
            if column.len() < slots {
                column.resize(slots, 0.0);
            }
        }
        let len = self.len;
        Room {
            first: core::mem::take(&mut self.none),
            on_particles: self.columns.each_mut().map(|column| &mut column[..len]),
            on_triangles: self.on_triangles.each_mut().map(|column| &mut column[..]),
        }
    }

    /// Adds to the force on one particle, N.
    ///
    /// # Panics
    /// If there is no such particle.
    pub fn add(&mut self, particle: usize, force: [f32; D]) {
        self.settle();
        for (column, along) in self.columns.iter_mut().zip(force) {
            column[particle] += along;
        }
    }
}

/// Something that pushes particles, as a function of where they are and of time: it has no state
/// that a step changes, so a world can be resumed at any step.
pub trait Force<const D: usize = 3>: Debug + Send + Sync {
    /// Adds what it does to each particle of `matter`, N. Called once a substep and a part of the
    /// world, before the motion; `moment` is the end of that substep.
    fn push(&self, matter: &Model<D>, moment: &Moment<D>, forces: &mut Forces<D>);

    /// Whether it can push anything of `matter` at all, at any time of a step. A part of the world
    /// that nothing touches is stepped by its kernel in one go, which is faster. By default it can.
    fn touches(&self, matter: &Model<D>) -> bool {
        let _ = matter;
        true
    }
}
