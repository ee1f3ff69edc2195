//! How far the particles of an island have moved, read in the layout of its plan: while no two balls
//! are near, their particles need not be copied.
//!
//! In this file a slot is an index into the columns of a layout, and a ball is its index into the
//! columns of `Balls`.

use std::sync::{Mutex, PoisonError};

use taut_core::{ParticleView, Stage};

use super::near_list::EmptyList;
use super::travel::{DisplacementBounds, ExpectedMotion};
use crate::by_layout::ByLayout;
use crate::matter::Matter;

/// The positions that the particles of an island had when a list of near balls was built.
#[derive(Clone, Debug)]
pub(crate) struct TravelInPlan<const D: usize> {
    /// The [number](EmptyList::number) of the list; 0: none yet.
    list: u64,
    positions: ByLayout<LayoutPositions<D>>,
}

impl<const D: usize> Default for TravelInPlan<D> {
    fn default() -> Self {
        Self { list: 0, positions: ByLayout::default() }
    }
}

/// The positions of a list in a layout.
#[derive(Clone, Debug)]
struct LayoutPositions<const D: usize> {
    /// The ball of each slot of the layout; [`u32::MAX`] for padding.
    ball_of_slot: Vec<u32>,
    /// By axis and slot, m; NaN for padding.
    columns: [Vec<f32>; D],
}

impl<const D: usize> LayoutPositions<D> {
    fn new(list: EmptyList<'_, D>, ball_of_slot: Vec<u32>) -> Self {
        let columns = core::array::from_fn(|_| vec![0.0; ball_of_slot.len()]);
        let mut positions = Self { ball_of_slot, columns };
        positions.read(list);
        positions
    }

    /// Reads the positions of a list.
    fn read(&mut self, list: EmptyList<'_, D>) {
        for (column, from) in self.columns.iter_mut().zip(list.positions) {
            for (x, &ball) in column.iter_mut().zip(&self.ball_of_slot) {
                *x = from.get(ball as usize).copied().unwrap_or(f32::NAN);
            }
        }
    }
}

/// Reads the displacements of the particles of a plan since a list was built.
struct ReadDisplacements<'a, const D: usize> {
    list: EmptyList<'a, D>,
    /// The ball of each particle of the island.
    ball_of_particle: &'a [u32],
    positions: &'a ByLayout<LayoutPositions<D>>,
    displacements: Mutex<DisplacementBounds<D>>,
}

impl<const D: usize> Stage<D> for ReadDisplacements<'_, D> {
    fn run(&self, particles: ParticleView<'_, D>) {
        let ParticleView { position, previous, layout, inverse_mass } = particles;
        let Self { list, ball_of_particle, positions, displacements } = self;
        let LayoutPositions { columns, .. } =
            positions.get(&layout, ball_of_particle.len(), |slots, particle_of| {
                let ball = |slot| {
                    let particle = particle_of(slot);
                    ball_of_particle.get(particle).copied().unwrap_or(u32::MAX)
                };
                LayoutPositions::new(*list, (0..slots).map(ball).collect())
            });
        let slots = layout.first_slot()..layout.first_slot() + inverse_mass.len();
        let start = columns.each_ref().map(|column| &column[slots.clone()]);
        let [position, previous] = [position, previous].map(|columns| columns.map(|it| &*it));
        let mut view_bounds = DisplacementBounds::NONE;
        view_bounds.add(position, previous, ExpectedMotion { start, uniform: None });
        displacements.lock().unwrap_or_else(PoisonError::into_inner).merge(&view_bounds);
    }
}

impl<const D: usize> TravelInPlan<D> {
    /// The displacements of the particles of an island since a list was built.
    /// `ball_of_particle` has the ball of each particle.
    pub(crate) fn displacements(
        &mut self,
        matter: &mut Matter<'_, D>,
        list: EmptyList<'_, D>,
        ball_of_particle: &[u32],
    ) -> DisplacementBounds<D> {
        if self.list != list.number {
            self.list = list.number;
            self.positions.each_mut().for_each(|positions| positions.read(list));
        }
        let displacements = Mutex::new(DisplacementBounds::NONE);
        let positions = &self.positions;
        let read = ReadDisplacements { list, ball_of_particle, positions, displacements };
        matter.inspect(&read);
        read.displacements.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Discards the positions in the layout of the plan, for a new plan.
    pub(crate) fn forget_slots(&mut self) {
        self.positions.forget_slots();
    }
}
