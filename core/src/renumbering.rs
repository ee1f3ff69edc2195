//! New numbers for particles.

use alloc::vec::Vec;

/// A map between old and new particle numbers.
///
/// It is built once, when a simulation is set up. [`new_of`](Self::new_of) and
/// [`old_of`](Self::old_of) map single numbers. Sticks keep their numbers; only their ends change.
/// A good numbering puts the ends of a stick near each other in memory. This makes a large mesh whose
/// numbering was shuffled faster; a small mesh fits in the caches with any numbering. To measure the
/// effect: `taut compare --mesh FILE --shuffle 1 --schedules blocked,blocked+hilbert`.
///
/// ```
/// use taut_core::{Duplicates, Particles, Renumbering, Sticks};
///
/// // A chain whose particles are listed in a bad order: 0 - 2 - 1 - 3.
/// let particles = Particles::new(&[[0.0], [2.0], [1.0], [3.0]], &[1.0; 4])?;
/// let sticks = Sticks::joining(&particles, &[[0, 2], [2, 1], [1, 3]], Duplicates::Keep)?;
///
/// let renumbering = Renumbering::reverse_cuthill_mckee(&sticks);
/// let (better, chain) = renumbering.apply(&particles, &sticks);
/// assert!(chain.ends().iter().all(|&[a, b]| a.abs_diff(b) == 1));
/// assert_eq!(renumbering.undo(&better).positions(0), particles.positions(0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renumbering {
    pub(crate) old_of_new: Vec<u32>,
    pub(crate) new_of_old: Vec<u32>,
}

/// Why a list of numbers is not a permutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PermutationError {
    /// An old number is out of range or occurs twice.
    #[error("entry {new} of the list is {old}, which is out of range or occurs twice")]
    OldNumber {
        /// The index of the first invalid entry.
        new: usize,
        /// The old number given for it.
        old: u32,
    },
    /// The list does not have one number for each entry that it reorders, such as the sticks in
    /// [`Sticks::reordered`](crate::Sticks::reordered).
    #[error("the list has {len} numbers: expected {expected}")]
    Len {
        /// The length of the list.
        len: usize,
        /// The number of entries.
        expected: usize,
    },
}

impl Renumbering {
    /// Particle `old_of_new[i]` becomes particle `i`.
    ///
    /// # Errors
    /// If `old_of_new` is not a permutation.
    pub fn from_order(old_of_new: Vec<u32>) -> Result<Self, PermutationError> {
        let mut new_of_old = alloc::vec![u32::MAX; old_of_new.len()];
        for (new, &old) in old_of_new.iter().enumerate() {
            match new_of_old.get_mut(old as usize) {
                Some(entry) if *entry == u32::MAX => *entry = new as u32,
                _ => return Err(PermutationError::OldNumber { new, old }),
            }
        }
        Ok(Self { old_of_new, new_of_old })
    }

    /// The renumbering of `count` copies side by side, each renumbered by this one.
    ///
    /// # Panics
    /// If the numbers do not fit 32 bits.
    #[must_use]
    pub fn repeated(&self, count: usize) -> Self {
        let len = self.len().checked_mul(count).and_then(|len| u32::try_from(len).ok());
        let len = len.expect("the numbers do not fit 32 bits");
        let repeat = |numbers: &[u32]| -> Vec<u32> {
            let firsts = (0..len).step_by(self.len().max(1));
            firsts.flat_map(|first| numbers.iter().map(move |number| first + number)).collect()
        };
        Self { old_of_new: repeat(&self.old_of_new), new_of_old: repeat(&self.new_of_old) }
    }

    /// The number of particles.
    pub fn len(&self) -> usize {
        self.old_of_new.len()
    }

    /// Whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.old_of_new.is_empty()
    }

    /// The new number of particle `old`.
    ///
    /// # Panics
    /// If there is no such particle.
    pub fn new_of(&self, old: u32) -> u32 {
        self.new_of_old[old as usize]
    }

    /// The old number of particle `new`.
    ///
    /// # Panics
    /// If there is no such particle.
    pub fn old_of(&self, new: u32) -> u32 {
        self.old_of_new[new as usize]
    }
}
