//! Values of particles in the layouts in which stages read them.

use std::sync::OnceLock;

use taut_core::{PADDING, SlotLayout};

/// Values of the particles of an island, by particle and by slot of the plan. The values in each of
/// the two layouts are computed when a stage first needs them.
#[derive(Clone, Debug)]
pub(crate) struct ByLayout<T> {
    by_particle: OnceLock<T>,
    by_slot: OnceLock<T>,
}

impl<T> Default for ByLayout<T> {
    fn default() -> Self {
        Self { by_particle: OnceLock::new(), by_slot: OnceLock::new() }
    }
}

impl<T> ByLayout<T> {
    /// The values in a layout of an island of `particles` particles. If they are not computed yet,
    /// `arrange` computes them from the number of slots and a function that returns the particle of
    /// a slot (for padding, a number of at least `particles`).
    pub(crate) fn get(
        &self,
        layout: &SlotLayout<'_>,
        particles: usize,
        arrange: impl FnOnce(usize, &dyn Fn(usize) -> usize) -> T,
    ) -> &T {
        match *layout {
            SlotLayout::Run(_) => self.by_particle.get_or_init(|| {
                // A view may begin at any particle and consists of whole registers, so it may end up
                // to `PADDING` slots after the padded columns.
                arrange(particles.next_multiple_of(PADDING) + PADDING, &|slot| slot)
            }),
            SlotLayout::Rows { .. } | SlotLayout::Copies { .. } => self.by_slot.get_or_init(|| {
                let (full_layout, slots) = layout.full(particles);
                arrange(slots, &|slot| full_layout.particle(slot))
            }),
        }
    }

    /// Discards the values by slot, for a new plan.
    pub(crate) fn forget_slots(&mut self) {
        self.by_slot = OnceLock::new();
    }

    /// The values in each layout that a stage has needed so far, mutable.
    pub(crate) fn each_mut(&mut self) -> impl Iterator<Item = &mut T> {
        [&mut self.by_particle, &mut self.by_slot].into_iter().filter_map(OnceLock::get_mut)
    }
}
