//! Gathers the particles of several islands in one list.

use std::ops::Range;

use taut_core::Particles;

use super::number_map::NumberMap;
use crate::matter::Islands;

/// The particles of some models in one list, ordered by model, so that the indices in this list do not
/// depend on islands.
#[derive(Clone, Debug)]
pub(super) struct GatheredParticles<const D: usize> {
    models: Vec<ModelParticles>,
    /// The number of each particle in its island.
    numbers_in_island: Vec<u32>,
    /// The particles, by their indices in this list.
    pub(super) particles: Particles<D>,
}

/// The particles of a model.
#[derive(Clone, Debug)]
struct ModelParticles {
    /// Their indices in [`GatheredParticles`].
    range: Range<usize>,
    world_numbers: Range<usize>,
    /// The number of their island.
    island: usize,
}

impl<const D: usize> GatheredParticles<D> {
    pub(super) fn new() -> Self {
        Self {
            models: Vec::new(),
            numbers_in_island: Vec::new(),
            particles: Particles::with_capacity(0),
        }
    }

    /// Adds the particles of a model, given by their numbers in the world; returns their indices in
    /// this list. Call [`update_numbers`](Self::update_numbers) after the last model is added.
    pub(super) fn add(&mut self, world_numbers: Range<usize>) -> Range<usize> {
        let first = self.particles.len();
        for _ in world_numbers.clone() {
            self.particles.push([0.0; D], 0.0).expect("a scene has at most 2²⁴ particles");
        }
        let range = first..self.particles.len();
        self.models.push(ModelParticles { range: range.clone(), world_numbers, island: 0 });
        range
    }

    /// Sets the island of each model, and the numbers of its particles there. To be called whenever
    /// islands change.
    pub(super) fn update_numbers(&mut self, map: &NumberMap) {
        self.numbers_in_island.clear();
        for model in &mut self.models {
            for particle in model.world_numbers.clone() {
                let (island, number) = map.locate(particle).expect("particles are never removed");
                model.island = island;
                self.numbers_in_island.push(number as u32);
            }
        }
    }

    /// The island of the particle at an index of this list, and its number there.
    pub(super) fn locate(&self, index: usize) -> (usize, u32) {
        let model = self.models.partition_point(|model| model.range.end <= index);
        (self.models[model].island, self.numbers_in_island[index])
    }

    /// Whether any of the particles is in this island.
    pub(super) fn has_particles_in(&self, island: usize) -> bool {
        self.models.iter().any(|model| model.island == island)
    }

    /// Copies the particles of awake islands into this list. Returns whether any model is awake.
    pub(super) fn read(&mut self, islands: &mut Islands<'_, D>) -> bool {
        let mut any = false;
        for model in &self.models {
            if let Some(mut matter) = islands.one(model.island) {
                let from = &matter.model_mut().particles;
                copy(
                    model,
                    &self.numbers_in_island,
                    from,
                    &mut self.particles,
                    Particles::previous,
                );
                any = true;
            }
        }
        any
    }

    /// Copies the particles of an island that sleeps into this list, as if they were pinned.
    pub(super) fn read_asleep(&mut self, island: usize, from: &Particles<D>) {
        for model in self.models.iter().filter(|model| model.island == island) {
            copy(model, &self.numbers_in_island, from, &mut self.particles, Particles::positions);
            for particle in model.range.clone() {
                if self.particles.inverse_masses()[particle] > 0.0 {
                    self.particles.set_inverse_mass(particle, 0.0).expect("the particle exists");
                }
            }
        }
    }

    /// Copies the particles that `particles_of` returns for each island into this list, as if they were
    /// at rest.
    pub(super) fn read_at_rest<'a>(&mut self, particles_of: impl Fn(usize) -> &'a Particles<D>) {
        for model in &self.models {
            let from = particles_of(model.island);
            copy(model, &self.numbers_in_island, from, &mut self.particles, Particles::positions);
        }
    }

    /// Copies the particles at the `changed` indices of this list, which are in ascending order, back to
    /// their islands.
    pub(super) fn write_back(&self, mut changed: &[u32], islands: &mut Islands<'_, D>) {
        for model in &self.models {
            let (of_model, others) =
                changed.split_at(changed.partition_point(|&it| (it as usize) < model.range.end));
            changed = others;
            if of_model.is_empty() {
                continue;
            }
            let Some(mut matter) = islands.one(model.island) else { continue };
            let columns = matter.model_mut().particles.columns();
            for axis in 0..D {
                let (position, previous) =
                    (self.particles.positions(axis), self.particles.previous(axis));
                for particle in of_model.iter().map(|&it| it as usize) {
                    let number = self.numbers_in_island[particle] as usize;
                    // Kernels expect no -0.0 in positions; adding 0 makes it +0.0.
                    columns.position[axis][number] = position[particle] + 0.0;
                    columns.previous[axis][number] = previous[particle];
                }
            }
        }
    }
}

/// Copies the particles of a model; `previous` returns the column that becomes their previous
/// positions.
fn copy<const D: usize>(
    model: &ModelParticles,
    numbers: &[u32],
    from: &Particles<D>,
    to: &mut Particles<D>,
    previous: impl Fn(&Particles<D>, usize) -> &[f32],
) {
    let numbers = &numbers[model.range.clone()];
    let gather = |to: &mut [f32], from: &[f32]| {
        for (x, &number) in to[model.range.clone()].iter_mut().zip(numbers) {
            *x = from[number as usize];
        }
    };
    for axis in 0..D {
        gather(to.positions_mut(axis), from.positions(axis));
        gather(to.previous_mut(axis), previous(from, axis));
    }
    let inverse_masses = from.inverse_masses();
    for (particle, &number) in model.range.clone().zip(numbers) {
        let inverse_mass = inverse_masses[number as usize];
        // An unchanged mass is not written, because each write is recorded as a change.
        if to.inverse_masses()[particle].to_bits() != inverse_mass.to_bits() {
            to.set_inverse_mass(particle, inverse_mass)
                .expect("an inverse mass of a particle is valid");
        }
    }
}
