//! New numbers for particles.

use alloc::vec::Vec;

/// New numbers for particles, and the way back.
///
/// Made once, when a simulation is built; ids are mapped at the door ([`new_of`](Self::new_of)
/// and [`old_of`](Self::old_of)), never per step. Sticks keep their numbers; only their ends
/// change. On a shuffled mesh it makes every kernel 2-3 times faster.
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

/// A list of numbers that is no permutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "new number {new} would go to particle {old}, which does not exist or has a number already"
)]
pub struct NotAPermutation {
    /// The first new number that is at fault.
    pub new: usize,
    /// The old number it names.
    pub old: u32,
}

impl Renumbering {
    /// The particle called `old_of_new[i]` will be called `i`.
    ///
    /// # Errors
    /// If that is not each number below the length exactly once.
    pub fn from_order(old_of_new: Vec<u32>) -> Result<Self, NotAPermutation> {
        let mut new_of_old = alloc::vec![u32::MAX; old_of_new.len()];
        for (new, &old) in old_of_new.iter().enumerate() {
            match new_of_old.get_mut(old as usize) {
                Some(name) if *name == u32::MAX => *name = new as u32,
                _ => return Err(NotAPermutation { new, old }),
            }
        }
        Ok(Self { old_of_new, new_of_old })
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.old_of_new.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.old_of_new.is_empty()
    }

    /// What particle `old` is called now.
    ///
    /// # Panics
    /// If there is no such particle.
    pub fn new_of(&self, old: u32) -> u32 {
        self.new_of_old[old as usize]
    }

    /// What particle `new` was called.
    ///
    /// # Panics
    /// If there is no such particle.
    pub fn old_of(&self, new: u32) -> u32 {
        self.old_of_new[new as usize]
    }
}
