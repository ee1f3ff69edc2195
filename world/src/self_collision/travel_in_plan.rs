//! How far the particles of an island have moved, read in the layout of its plan: while no two balls
//! are near, their particles need not be copied.

use std::sync::{Mutex, PoisonError};

use taut_core::{ParticleView, Stage};

use super::near_list::EmptyList;
use super::travel::{Displacements, Expected};
use crate::by_layout::ByLayout;
use crate::matter::Matter;

/// The positions that the particles of an island had when a list was made.
#[derive(Clone, Debug)]
pub(crate) struct TravelInPlan<const D: usize> {
    /// The number of the list; 0: none yet.
    list: u64,
    made_at: ByLayout<MadeAt<D>>,
}

impl<const D: usize> Default for TravelInPlan<D> {
    fn default() -> Self {
        Self { list: 0, made_at: ByLayout::default() }
    }
}

/// The positions in a layout.
#[derive(Clone, Debug)]
struct MadeAt<const D: usize> {
    /// The ball of each slot of the layout; [`u32::MAX`] for padding.
    ball_of: Vec<u32>,
    /// By axis, m; NaN for padding.
    columns: [Vec<f32>; D],
}

impl<const D: usize> MadeAt<D> {
    fn new(list: EmptyList<'_, D>, ball_of: Vec<u32>) -> Self {
        let columns = core::array::from_fn(|_| vec![0.0; ball_of.len()]);
        let mut this = Self { ball_of, columns };
        this.read(list);
        this
    }

    /// Reads the positions of a list.
    fn read(&mut self, list: EmptyList<'_, D>) {
        for (column, from) in self.columns.iter_mut().zip(list.made_at) {
            for (x, &ball) in column.iter_mut().zip(&self.ball_of) {
                *x = from.get(ball as usize).copied().unwrap_or(f32::NAN);
            }
        }
    }
}

/// Reads the displacements of the particles of a plan since a list was made.
struct ReadDisplacements<'a, const D: usize> {
    list: EmptyList<'a, D>,
    /// By particle: the slot of its ball.
    slot_of: &'a [u32],
    made_at: &'a ByLayout<MadeAt<D>>,
    displacements: Mutex<Displacements<D>>,
}

impl<const D: usize> Stage<D> for ReadDisplacements<'_, D> {
    fn run(&self, particles: ParticleView<'_, D>) {
        let ParticleView { position, previous, layout, inverse_mass } = particles;
        let Self { list, slot_of, made_at, displacements } = self;
        let MadeAt { columns, .. } = made_at.get(&layout, slot_of.len(), |slots, number_of| {
            let ball = |slot| slot_of.get(number_of(slot)).copied().unwrap_or(u32::MAX);
            MadeAt::new(*list, (0..slots).map(ball).collect())
        });
        let slots = layout.first_slot()..layout.first_slot() + inverse_mass.len();
        let start = columns.each_ref().map(|column| &column[slots.clone()]);
        let [position, previous] = [position, previous].map(|columns| columns.map(|it| &*it));
        let mut of_view = Displacements::NONE;
        of_view.add(position, previous, Expected { start, uniform: None });
        displacements.lock().unwrap_or_else(PoisonError::into_inner).merge(&of_view);
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
            self.list = list.number;
            self.made_at.each_mut().for_each(|made_at| made_at.read(list));
        }
        let displacements = Mutex::new(Displacements::NONE);
        let read = ReadDisplacements { list, slot_of, made_at: &self.made_at, displacements };
        matter.inspect(&read);
        read.displacements.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adapts to a new plan.
    pub(crate) fn forget_slots(&mut self) {
        self.made_at.forget_slots();
    }
}
