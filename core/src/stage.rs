//! Work on particles one at a time, wherever a plan keeps them.

use crate::real::Real;

/// Some particles as slices, in the order in which a plan keeps them.
///
/// All slices have the same length, a multiple of [`PADDING`](crate::PADDING). Some slots may hold
/// padding: particles of inverse mass 0 that exist for whole registers only, and stay as they are.
#[derive(Debug)]
pub struct ParticleView<'a, const D: usize, S = f32> {
    /// Positions by axis, m.
    pub position: [&'a mut [S]; D],
    /// Previous positions by axis, m.
    pub previous: [&'a mut [S]; D],
    /// Inverse masses, 1/kg; 0 for pinned particles and for padding.
    pub inverse_mass: &'a [S],
    /// Which particle is in which slot.
    pub numbers: Numbers<'a>,
}

/// The numbers of the particles of a [`ParticleView`], by slot.
#[derive(Clone, Copy, Debug)]
pub enum Numbers<'a> {
    /// Consecutive particles from this number on.
    Run(usize),
    /// The rows of a sheet, each of `offsets.len()` slots, in another order along each row.
    Rows {
        /// The first of these rows.
        first_row: usize,
        /// How many particles a row has.
        width: usize,
        /// For each slot of a row, its column in the sheet; [`u32::MAX`] for padding.
        offsets: &'a [u32],
    },
}

impl Numbers<'_> {
    /// The number of the particle in a slot. For padding it is no particle's number: at least as
    /// large as there are particles.
    ///
    /// # Panics
    /// If the rows have no slots.
    #[inline(always)]
    pub fn of(&self, slot: usize) -> usize {
        match *self {
            Self::Run(first) => first + slot,
            Self::Rows { first_row, width, offsets } => match offsets[slot % offsets.len()] {
                u32::MAX => usize::MAX,
                offset => (first_row + slot / offsets.len()) * width + offset as usize,
            },
        }
    }

    /// How many slots of the plan's layout come before those of the view.
    #[inline(always)]
    pub fn first_slot(&self) -> usize {
        match *self {
            Self::Run(first) => first,
            Self::Rows { first_row, offsets, .. } => first_row * offsets.len(),
        }
    }
}

/// Work that looks at one particle at a time: motion, a tether, an obstacle given by a formula.
///
/// It is written once, over slices; a plan runs it on its own layout (columns, records, rows of a
/// sheet), some particles at a time, in any order and on any number of threads. The result of each
/// particle must depend on that particle and its number alone. So the bits are the same for every
/// layout.
///
/// ```
/// use taut_core::{ParticleView, Stage};
///
/// /// Keeps particles above a height, m.
/// struct Floor(f32);
///
/// impl<const D: usize> Stage<D> for Floor {
///     fn run(&self, particles: ParticleView<'_, D>) {
///         let ParticleView { position, inverse_mass, .. } = particles;
///         for (y, &w) in position.into_iter().nth(1).unwrap().iter_mut().zip(inverse_mass) {
///             if w > 0.0 && *y < self.0 {
///                 *y = self.0;
///             }
///         }
///     }
/// }
/// ```
pub trait Stage<const D: usize, S: Real = f32>: Sync {
    /// Does the work on some particles. Where the inverse mass is 0 (pinned particles, padding) it
    /// must leave everything as it is, and no position that it writes may be -0.0, for which kernels
    /// do not look (`x + 0.0` never is; [`Session::visit`](crate::Session::visit) sees to it).
    fn run(&self, particles: ParticleView<'_, D, S>);
}

/// Another stage, after which no position is -0.0.
pub struct PositiveZeros<'a, const D: usize, S = f32>(pub &'a dyn Stage<D, S>);

impl<const D: usize, S: Real> Stage<D, S> for PositiveZeros<'_, D, S> {
    fn run(&self, particles: ParticleView<'_, D, S>) {
        let ParticleView { mut position, previous, inverse_mass, numbers } = particles;
        self.0.run(ParticleView {
            position: position.each_mut().map(|column| &mut **column),
            previous,
            inverse_mass,
            numbers,
        });
        for column in position {
            for x in column {
                *x = x.positive_zero();
            }
        }
    }
}
