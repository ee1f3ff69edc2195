//! The layout of the copies in slots.

use taut_core::{LimitError, PADDING, check_limit};
use taut_lanes::slots::check_slots;

/// Copies per group. A group has this many lanes on every machine.
pub(crate) const GROUP: usize = PADDING;

/// The sizes that determine the layout; see the documentation of the crate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// How many copies there are.
    pub(crate) copies: usize,
    /// How many particles each copy has.
    pub(crate) particles: usize,
}

impl Layout {
    /// Rejects a few copies of a mesh so large that the padding of their group dominates the memory
    /// of the plan, and meshes whose offsets in a group exceed 32 bits.
    pub(crate) fn check(&self) -> Result<(), LimitError> {
        let Self { copies, particles } = *self;
        let slots = copies.next_multiple_of(GROUP) as u128 * particles as u128;
        let all_particles = copies.saturating_mul(particles);
        check_slots("slots of the copies, padding included,", slots, all_particles)?;
        let max = u32::MAX as usize / GROUP;
        check_limit("particles of a copy", particles as u128, max).map(|_| ())
    }

    /// The number of groups.
    pub(crate) fn groups(&self) -> usize {
        self.copies.div_ceil(GROUP)
    }

    /// The number of slots of a group, padding included.
    pub(crate) fn group_len(&self) -> usize {
        self.particles * GROUP
    }

    /// The number of slots of all groups.
    pub(crate) fn len(&self) -> usize {
        self.groups() * self.group_len()
    }

    /// The number of copies in a group; they are in its first lanes.
    pub(crate) fn copies_in(&self, group: usize) -> usize {
        GROUP.min(self.copies - group * GROUP)
    }

    /// The slot of a particle; `index` counts the particles copy by copy.
    pub(crate) fn slot(&self, index: usize) -> usize {
        let (copy, particle) = (index / self.particles, index % self.particles);
        copy / GROUP * self.group_len() + particle * GROUP + copy % GROUP
    }
}
