//! Where the particles of the copies are.

use taut_core::PADDING;

/// Copies of a group: lanes, on every machine.
pub(crate) const GROUP: usize = PADDING;

/// The layout of copies: see the crate's documentation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// How many copies there are.
    pub(crate) copies: usize,
    /// How many particles each has.
    pub(crate) particles: usize,
}

impl Layout {
    pub(crate) fn groups(&self) -> usize {
        self.copies.div_ceil(GROUP)
    }

    /// Slots of a group.
    pub(crate) fn group_len(&self) -> usize {
        self.particles * GROUP
    }

    /// Slots of all groups.
    pub(crate) fn len(&self) -> usize {
        self.groups() * self.group_len()
    }

    /// How many copies a group has; they are in its first lanes.
    pub(crate) fn copies_in(&self, group: usize) -> usize {
        GROUP.min(self.copies - group * GROUP)
    }

    /// The slot of a particle, numbered copy by copy.
    pub(crate) fn slot(&self, number: usize) -> usize {
        let (copy, particle) = (number / self.particles, number % self.particles);
        copy / GROUP * self.group_len() + particle * GROUP + copy % GROUP
    }
}
