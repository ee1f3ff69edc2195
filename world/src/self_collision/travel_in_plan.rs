//! How far the particles of an island have moved, read in the layout of its plan: while no two balls
//! are near, their particles need not be copied.

use std::sync::{Mutex, PoisonError};

use taut_core::{ParticleView, SlotLayout, Stage};

use super::near_list::EmptyList;
use super::travel::{Displacements, Expected};
use crate::matter::Matter;

/// The positions that the particles of an island had when a list was made, in the layout of its plan.
#[derive(Clone, Debug)]
pub(crate) struct TravelInPlan<const D: usize> {
    /// The number of the list; 0: none yet.
    list: u64,
    layout: Layout,
    /// By axis and slot of the plan, m; NaN for padding.
    made_at: [Vec<f32>; D],
}

impl<const D: usize> Default for TravelInPlan<D> {
    fn default() -> Self {
        Self { list: 0, layout: Layout::Run, made_at: core::array::from_fn(|_| Vec::new()) }
    }
}

/// The layout of all particles of a plan: a [`SlotLayout`] that owns its offsets.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Layout {
    Run,
    Rows { width: usize, offsets: Vec<u32> },
    Copies { particles: usize, copies: usize },
}

impl Layout {
    fn of(view: &SlotLayout<'_>) -> Self {
        match *view {
            SlotLayout::Run(_) => Self::Run,
            SlotLayout::Rows { width, offsets, .. } => {
                Self::Rows { width, offsets: offsets.to_vec() }
            }
            SlotLayout::Copies { particles, copies, .. } => Self::Copies { particles, copies },
        }
    }

    /// Whether a view is a part of it.
    fn contains(&self, view: &SlotLayout<'_>) -> bool {
        match (self, view) {
            (Self::Run, SlotLayout::Run(_)) => true,
            (Self::Rows { width, offsets }, SlotLayout::Rows { width: w, offsets: o, .. }) => {
                width == w && offsets == o
            }
            (
                Self::Copies { particles, copies },
                SlotLayout::Copies { particles: p, copies: c, .. },
            ) => particles == p && copies == c,
            _ => false,
        }
    }

    fn slots(&self) -> SlotLayout<'_> {
        match self {
            Self::Run => SlotLayout::Run(0),
            Self::Rows { width, offsets } => {
                SlotLayout::Rows { first_row: 0, width: *width, offsets }
            }
            Self::Copies { particles, copies } => {
                SlotLayout::Copies { first: 0, particles: *particles, copies: *copies }
            }
        }
    }
}

/// Reads the displacements of the particles of a plan.
struct ReadDisplacements<'a, const D: usize> {
    origin: &'a TravelInPlan<D>,
    found: Mutex<Found<D>>,
}

struct Found<const D: usize> {
    displacements: Displacements<D>,
    /// The layout of the plan, if it is another one.
    other_layout: Option<Layout>,
}

impl<const D: usize> Stage<D> for ReadDisplacements<'_, D> {
    fn run(&self, particles: ParticleView<'_, D>) {
        let ParticleView { position, previous, layout, inverse_mass } = particles;
        let slots = layout.first_slot()..layout.first_slot() + inverse_mass.len();
        let TravelInPlan { layout: own, made_at, .. } = self.origin;
        let mut displacements = Displacements::NONE;
        let mut other_layout = None;
        if own.contains(&layout) && slots.end <= made_at[0].len() {
            let start = made_at.each_ref().map(|column| &column[slots.clone()]);
            let [position, previous] = [position, previous].map(|columns| columns.map(|it| &*it));
            displacements.add(position, previous, Expected { start, uniform: None });
        } else {
            other_layout = Some(Layout::of(&layout));
        }
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.displacements.merge(&displacements);
        found.other_layout = found.other_layout.take().or(other_layout);
    }
}

impl<const D: usize> TravelInPlan<D> {
    /// The displacements of the particles of an island since a list was made. `slot_of` has the slot
    /// of the ball of each particle.
    pub(crate) fn displacements(
        &mut self,
        matter: &mut Matter<'_, D>,
        list: EmptyList<'_, D>,
        slot_of: &[u32],
    ) -> Displacements<D> {
        if self.list != list.number {
            self.arrange(list, slot_of);
        }
        loop {
            let found = Found { displacements: Displacements::NONE, other_layout: None };
            let read = ReadDisplacements { origin: self, found: Mutex::new(found) };
            matter.inspect(&read);
            let found = read.found.into_inner().unwrap_or_else(PoisonError::into_inner);
            let Some(layout) = found.other_layout else { return found.displacements };
            self.layout = layout;
            self.arrange(list, slot_of);
        }
    }

    /// Arranges the positions of a list in the layout.
    fn arrange(&mut self, list: EmptyList<'_, D>, slot_of: &[u32]) {
        let (layout, slots) = self.layout.slots().full(slot_of.len());
        for (to, from) in self.made_at.iter_mut().zip(list.made_at) {
            to.clear();
            to.extend((0..slots).map(|slot| {
                let ball = slot_of.get(layout.particle(slot));
                ball.map_or(f32::NAN, |&ball| from[ball as usize])
            }));
        }
        self.list = list.number;
    }
}
