//! Copies of particles: in another number type, a selection of them, or in another order.

use super::checks::converted_inverse_mass;
use super::{ParticleError, Particles};
use crate::changes::Changes;
use crate::column::{Column, PADDING};
use crate::real::Real;

impl<const D: usize, S: Real> Particles<D, S> {
    /// The same particles in the other number type, each value rounded once. (The smallest valid
    /// inverse mass of `f32` is below that of `f64`, and becomes the latter.)
    #[must_use]
    pub fn convert<T: Real>(&self) -> Particles<D, T> {
        // 0: the alignment of the type, as for every `Column`.
        let column = |from: &Column<S>| {
            Column::from_iter(0, from.iter().map(|value| T::from_f64(value.to_f64())))
        };
        let inverse_masses = self.inverse_mass.iter().copied().map(converted_inverse_mass);
        Particles {
            position: self.position.each_ref().map(column),
            previous: self.previous.each_ref().map(column),
            inverse_mass: Column::from_iter(0, inverse_masses),
            len: self.len,
            // A new table: cursors of the original do not apply.
            mass_changes: Changes::new(),
            position_changes: Changes::new(),
        }
    }

    /// A copy of the particles `kept`, in that order: particle `kept[i]` becomes particle `i`. A
    /// number may occur more than once.
    ///
    /// ```
    /// use taut_core::Particles;
    ///
    /// let particles = Particles::new(&[[0.0], [1.0], [2.0]], &[0.0, 1.0, 2.0])?;
    /// let ends = particles.selected(&[0, 2])?;
    /// assert_eq!(ends.positions(0), [0.0, 2.0]);
    /// assert_eq!(ends.inverse_masses(), [0.0, 2.0]);
    /// assert!(particles.selected(&[3]).is_err());
    /// # Ok::<(), taut_core::ParticleError>(())
    /// ```
    ///
    /// # Errors
    /// If a number in `kept` is not that of a particle.
    pub fn selected(&self, kept: &[u32]) -> Result<Self, ParticleError> {
        for &particle in kept {
            self.check_exists(particle as usize)?;
        }
        Ok(self.renumbered(kept))
    }

    /// A copy in which particle `old_of_new[i]` becomes particle `i`. Numbers may be left out or repeated.
    ///
    /// # Panics
    /// If a number in `old_of_new` is out of range.
    #[must_use]
    pub(crate) fn renumbered(&self, old_of_new: &[u32]) -> Self {
        let len = old_of_new.len();
        let column = |from: &Column<S>| {
            let padding = len.next_multiple_of(PADDING) - len;
            let values = old_of_new.iter().map(|&old| from[old as usize]);
            Column::from_iter(0, values.chain(core::iter::repeat_n(S::ZERO, padding)))
        };
        Self {
            position: self.position.each_ref().map(column),
            previous: self.previous.each_ref().map(column),
            inverse_mass: column(&self.inverse_mass),
            len,
            mass_changes: Changes::new(),
            position_changes: Changes::new(),
        }
    }
}
