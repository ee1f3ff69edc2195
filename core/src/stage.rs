//! Work on one particle at a time, in the layout of a plan.

use crate::column::PADDING;
use crate::real::Real;

/// Some particles as slices, in the order in which a plan keeps them.
///
/// All slices have the same length, a multiple of [`PADDING`](crate::PADDING). Some slots may hold
/// padding: particles of inverse mass 0 that fill up registers and must not be changed.
#[derive(Debug)]
pub struct ParticleView<'a, const D: usize, S = f32> {
    /// Positions by axis, m.
    pub position: [&'a mut [S]; D],
    /// Previous positions by axis, m.
    pub previous: [&'a mut [S]; D],
    /// Inverse masses, 1/kg; 0 for pinned particles and for padding.
    pub inverse_mass: &'a [S],
    /// Which particle each slot holds.
    pub layout: SlotLayout<'a>,
}

/// The numbers of the particles of a [`ParticleView`], by slot.
#[derive(Clone, Copy, Debug)]
pub enum SlotLayout<'a> {
    /// Consecutive particles, the first of which has this number.
    Run(usize),
    /// Rows of a sheet, each of `offsets.len()` slots, with the columns permuted.
    Rows {
        /// The first row.
        first_row: usize,
        /// How many particles a row has.
        width: usize,
        /// For each slot of a row, its column in the sheet; [`u32::MAX`] for padding.
        offsets: &'a [u32],
    },
    /// Copies of one mesh, in groups of [`PADDING`] copies. A group has [`PADDING`] consecutive
    /// slots for each particle of the mesh, one for each copy. Particles are numbered copy by copy:
    /// first all particles of the first copy.
    Copies {
        /// The first copy, which begins a group.
        first: usize,
        /// How many particles a copy has.
        particles: usize,
        /// How many copies there are in all. Slots of copies from this number on are padding.
        copies: usize,
    },
}

impl SlotLayout<'_> {
    /// The number of the particle in a slot. For padding it is at least the number of particles.
    ///
    /// # Panics
    /// If rows or copies have no slots.
    #[inline(always)]
    pub fn particle(&self, slot: usize) -> usize {
        match *self {
            Self::Run(first) => first + slot,
            Self::Rows { first_row, width, offsets } => match offsets[slot % offsets.len()] {
                u32::MAX => usize::MAX,
                column => (first_row + slot / offsets.len()) * width + column as usize,
            },
            Self::Copies { first, particles, copies } => {
                let copy = first + slot / (PADDING * particles) * PADDING + slot % PADDING;
                let particle = slot / PADDING % particles;
                if copy < copies { copy * particles + particle } else { usize::MAX }
            }
        }
    }

    /// The layout of the whole plan, of which this layout is a part, and the number of its slots.
    /// `len` is the number of all particles.
    pub fn full(&self, len: usize) -> (Self, usize) {
        match *self {
            Self::Run(_) => (Self::Run(0), len.next_multiple_of(PADDING)),
            Self::Rows { width, offsets, .. } => {
                let all = Self::Rows { first_row: 0, width, offsets };
                (all, len.div_ceil(width) * offsets.len())
            }
            Self::Copies { particles, copies, .. } => {
                let all = Self::Copies { first: 0, particles, copies };
                (all, particles * copies.next_multiple_of(PADDING))
            }
        }
    }

    /// How many slots of the whole plan come before the slots of this layout.
    #[inline(always)]
    pub fn first_slot(&self) -> usize {
        match *self {
            Self::Run(first) => first,
            Self::Rows { first_row, offsets, .. } => first_row * offsets.len(),
            Self::Copies { first, particles, .. } => first * particles,
        }
    }
}

/// Work on one particle at a time: motion, a tether, an obstacle given by a formula.
///
/// A stage is written once, over slices. A plan runs it on its own layout (columns, records, rows of
/// a sheet), some particles at a time, in any order and on any number of threads. The result for a
/// particle must depend on that particle and its number only, so that every layout gives the same
/// bits.
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
    /// Does the work on some particles. It must not change particles of inverse mass 0 (pinned
    /// particles, padding), nor write a position of -0.0, which kernels do not check for
    /// ([`Session::visit`](crate::Session::visit) adds 0.0 afterwards to ensure this).
    fn run(&self, particles: ParticleView<'_, D, S>);
}

/// Runs the given stage, then turns positions of -0.0 into +0.0.
pub struct PositiveZeros<'a, const D: usize, S = f32>(pub &'a dyn Stage<D, S>);

impl<const D: usize, S: Real> Stage<D, S> for PositiveZeros<'_, D, S> {
    fn run(&self, particles: ParticleView<'_, D, S>) {
        let ParticleView { mut position, previous, inverse_mass, layout } = particles;
        self.0.run(ParticleView {
            position: position.each_mut().map(|column| &mut **column),
            previous,
            inverse_mass,
            layout,
        });
        for column in position {
            for x in column {
                *x = x.positive_zero();
            }
        }
    }
}
