//! Copies of particles from several islands, side by side.

use std::ops::Range;

use taut_core::Particles;

use super::number_map::NumberMap;
use crate::matter::Islands;

/// Copies of the particles of some models, numbered model by model. Their numbers do not depend on
/// islands.
#[derive(Clone, Debug)]
pub(super) struct Gathered<const D: usize> {
    runs: Vec<Run>,
    /// By number: the number in the island.
    numbers: Vec<u32>,
    pub(super) particles: Particles<D>,
}

/// The particles of a model.
#[derive(Clone, Debug)]
struct Run {
    /// By their numbers here.
    here: Range<usize>,
    /// By their numbers in the world.
    world: Range<usize>,
    island: usize,
}

impl<const D: usize> Gathered<D> {
    pub(super) fn new() -> Self {
        Self { runs: Vec::new(), numbers: Vec::new(), particles: Particles::with_capacity(0) }
    }

    /// Adds the particles of a model, by their numbers in the world; returns their numbers here.
    /// [`locate`](Self::locate) follows.
    pub(super) fn add(&mut self, world: Range<usize>) -> Range<usize> {
        let first = self.particles.len();
        for _ in world.clone() {
            self.particles.push([0.0; D], 0.0).expect("a scene has no more than 2²⁴");
        }
        let here = first..self.particles.len();
        self.runs.push(Run { here: here.clone(), world, island: 0 });
        here
    }

    /// Finds the particles in the islands, after their numbers there have changed.
    pub(super) fn locate(&mut self, numbers: &NumberMap) {
        self.numbers.clear();
        for run in &mut self.runs {
            for particle in run.world.clone() {
                let (island, number) = numbers.locate(particle).expect("particles stay");
                run.island = island;
                self.numbers.push(number as u32);
            }
        }
    }

    /// The island of a particle, and its number there.
    pub(super) fn in_island(&self, number: usize) -> (usize, u32) {
        let run = self.runs.partition_point(|run| run.here.end <= number);
        (self.runs[run].island, self.numbers[number])
    }

    /// Whether some of the particles are in an island.
    pub(super) fn touches(&self, island: usize) -> bool {
        self.runs.iter().any(|run| run.island == island)
    }

    /// Copies the particles from their islands, except those that sleep. Returns whether there are
    /// others.
    pub(super) fn read(&mut self, islands: &mut Islands<'_, D>) -> bool {
        let mut any = false;
        for run in &self.runs {
            if let Some(mut matter) = islands.one(run.island) {
                let from = &matter.model_mut().particles;
                copy(run, &self.numbers, from, &mut self.particles, Particles::previous);
                any = true;
            }
        }
        any
    }

    /// Copies the particles of an island that sleeps, as if they were pinned.
    pub(super) fn read_asleep(&mut self, island: usize, from: &Particles<D>) {
        for run in self.runs.iter().filter(|run| run.island == island) {
            copy(run, &self.numbers, from, &mut self.particles, Particles::positions);
            for particle in run.here.clone() {
                if self.particles.inverse_masses()[particle] > 0.0 {
                    self.particles.set_inverse_mass(particle, 0.0).expect("the particle exists");
                }
            }
        }
    }

    /// Copies the particles from the columns of their islands, as if they were at rest.
    pub(super) fn read_at_rest<'a>(&mut self, of_island: impl Fn(usize) -> &'a Particles<D>) {
        for run in &self.runs {
            let from = of_island(run.island);
            copy(run, &self.numbers, from, &mut self.particles, Particles::positions);
        }
    }

    /// Copies some of the particles, in ascending order, back to their islands.
    pub(super) fn write(&self, mut changed: &[u32], islands: &mut Islands<'_, D>) {
        for run in &self.runs {
            let (of_run, others) =
                changed.split_at(changed.partition_point(|&it| (it as usize) < run.here.end));
            changed = others;
            if of_run.is_empty() {
                continue;
            }
            let Some(mut matter) = islands.one(run.island) else { continue };
            let columns = matter.model_mut().particles.columns();
            for axis in 0..D {
                let (position, previous) =
                    (self.particles.positions(axis), self.particles.previous(axis));
                for particle in of_run.iter().map(|&it| it as usize) {
                    let number = self.numbers[particle] as usize;
                    // Kernels expect no -0.0.
                    columns.position[axis][number] = position[particle] + 0.0;
                    columns.previous[axis][number] = previous[particle];
                }
            }
        }
    }
}

/// Copies the particles of a model; `previous` returns a column of their previous positions.
fn copy<const D: usize>(
    run: &Run,
    numbers: &[u32],
    from: &Particles<D>,
    to: &mut Particles<D>,
    previous: impl Fn(&Particles<D>, usize) -> &[f32],
) {
    let numbers = &numbers[run.here.clone()];
    let pick = |to: &mut [f32], from: &[f32]| {
        for (x, &number) in to[run.here.clone()].iter_mut().zip(numbers) {
            *x = from[number as usize];
        }
    };
    for axis in 0..D {
        pick(to.positions_mut(axis), from.positions(axis));
        pick(to.previous_mut(axis), previous(from, axis));
    }
    let masses = from.inverse_masses();
    for (particle, &number) in run.here.clone().zip(numbers) {
        let mass = masses[number as usize];
        if to.inverse_masses()[particle].to_bits() != mass.to_bits() {
            to.set_inverse_mass(particle, mass).expect("it is that of another particle");
        }
    }
}
