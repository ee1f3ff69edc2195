//! Carrying over the state of models from another world.

use std::collections::BTreeMap;

use taut_core::{Particles, Real, Sticks};

use super::snapshot::ModelSignature;
use super::{HeldParticle, ModelRange, World};
use crate::emitter::Emitter;
use crate::model::Model;
use crate::settings::{scaled_previous, substep_ratio};

impl<const D: usize> World<D> {
    /// Copies from another world the state of the models that both worlds have, the time and the number
    /// of steps: for models that are added to a scene or removed from it while it is simulated. The
    /// other models keep their initial state; their emitters start at this time, and their guides move
    /// particles to where they would be at this time. Returns the number of models copied.
    ///
    /// Two models are the same if they have the same name, the same number of particles, the same ends
    /// of sticks and the same springs. Their positions, previous positions, masses, pins, grabs, drags,
    /// tear factors, torn sticks and emitted particles are copied. With the same settings a model then
    /// has the bits that it would have had in the other world, unless that was
    /// [reordered](Self::reorder). Schedules, changed rest lengths, kinds, stiffness and compliance of
    /// sticks, and broken ties, are not copied. All models are awake afterwards.
    ///
    /// ```
    /// use taut_scalar::ScalarKernel;
    /// use taut_world::{Model, Scene, StickSet, World};
    ///
    /// let mut scene = Scene::new();
    /// scene.add("sheet", Model::drape(8, StickSet::All)?)?;
    /// let mut world = World::new(&scene, |_| ScalarKernel)?;
    /// assert!(world.step()?.finite);
    ///
    /// scene.add("disc", Model::disc(4, StickSet::All)?)?;
    /// let mut larger = World::new(&scene, |_| ScalarKernel)?;
    /// assert_eq!(larger.carry_over(&world), 1);
    /// assert!(world.step()?.finite && larger.step()?.finite);
    /// assert_eq!(larger.position(63), world.position(63));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn carry_over(&mut self, from: &Self) -> usize {
        let models: BTreeMap<&str, usize> =
            (0..from.models.len()).map(|index| (from.models[index].name.as_str(), index)).collect();
        let both_ranges = |(to, signature): (&ModelRange, &ModelSignature)| {
            let index = *models.get(to.name.as_str())?;
            (from.signatures[index] == *signature).then(|| [from.models[index].clone(), to.clone()])
        };
        let common: Vec<[ModelRange; 2]> =
            self.models.iter().zip(&self.signatures).filter_map(both_ranges).collect();
        // Substeps of another length have other displacements at the same velocity.
        let ratio = substep_ratio(&self.settings, &from.settings);
        self.carry_over_particles(from, &common, ratio);
        self.carry_over_sticks(from, &common);
        for [old, new] in &common {
            let renumbered = |particle: usize| particle - old.particles.start + new.particles.start;
            self.held.retain(|particle, _| !new.particles.contains(particle));
            self.drag_targets.retain(|particle, _| !new.particles.contains(particle));
            for (&particle, &held) in from.held.range(old.particles.clone()) {
                let displacement = held.displacement.map(|x| x * ratio);
                self.held.insert(renumbered(particle), HeldParticle { displacement, ..held });
            }
            for (&particle, &to) in from.drag_targets.range(old.particles.clone()) {
                self.drag_targets.insert(renumbered(particle), to);
            }
        }
        self.held_changed = true;
        (self.steps, self.time) = (from.steps, from.time);
        self.carry_over_emitters(from, &common);
        self.wake_all();
        common.len()
    }

    /// Restores the emitters of the common models. The other emitters start at the time of the world.
    fn carry_over_emitters(&mut self, from: &Self, common: &[[ModelRange; 2]]) {
        let emitters = self.islands.iter_mut().flat_map(|island| &mut island.model.emitters);
        emitters.for_each(|emitter| emitter.start_at(self.time));
        for [old, new] in common {
            let [old_numbers, numbers] = [(&from.particles, old), (&self.particles, new)]
                .map(|(it, model)| it.in_island(model.island));
            let is_of = |numbers: &[u32], model: &ModelRange, emitter: &Emitter<D>| {
                model.particles.contains(&(numbers[emitter.particles()[0] as usize] as usize))
            };
            let old_emitters = &from.islands[old.island].model.emitters;
            let old_emitters = old_emitters.iter().filter(|it| is_of(old_numbers, old, it));
            let emitters = self.islands[new.island].model.emitters.iter_mut();
            let emitters = emitters.filter(|it| is_of(numbers, new, it));
            for (emitter, old) in emitters.zip(old_emitters) {
                emitter.restore(self.time, old.omitted());
            }
        }
    }

    /// Copies the particles of the common models, given by their ranges in `from` and in this world.
    /// `ratio` is that of the substep lengths.
    fn carry_over_particles(&mut self, from: &Self, common: &[[ModelRange; 2]], ratio: f32) {
        for [old, new] in common {
            for (old, new) in old.particles.clone().zip(new.particles.clone()) {
                let ((old_island, old), (island, new)) = (from.locate(old), self.locate(new));
                copy_particle(
                    &from.islands[old_island].model.particles,
                    old,
                    &mut self.islands[island].model.particles,
                    new,
                    ratio,
                );
            }
        }
    }

    /// Copies torn sticks and tear factors of the common models, given by their ranges in `from` and in
    /// this world.
    fn carry_over_sticks(&mut self, from: &Self, common: &[[ModelRange; 2]]) {
        let mut torn = vec![Vec::new(); self.islands.len()];
        for [old, new] in common {
            for (old, new) in old.sticks.clone().zip(new.sticks.clone()) {
                let Some((island, new)) = self.locate_stick(new) else { continue };
                // A stick that reordering removed counts as torn.
                let old = from.locate_stick(old);
                let old = old.map(|(island, old)| (&from.islands[island].model, old));
                let is_torn = |(model, old): (&Model<D>, usize)| model.sticks.is_torn(old);
                let is_new = !self.islands[island].model.sticks.is_torn(new);
                if is_new && old.is_none_or(is_torn) {
                    torn[island].push(new as u32);
                }
                let factor = old.and_then(|(model, old)| model.tear_factors.get(old).copied());
                let Model { sticks, tear_factors, .. } = &mut self.islands[island].model;
                set_tear_factor(sticks, tear_factors, new, factor.unwrap_or(f32::INFINITY));
            }
        }
        for (island, torn) in self.islands.iter_mut().zip(torn) {
            island.tear_limits.mark_factors_stale();
            island.tear(&torn);
        }
        self.record_removed();
    }
}

/// Copies all values of a particle, whose number is `old` in `from` and `new` in `to`, and multiplies its
/// displacement by `ratio`.
fn copy_particle<const D: usize>(
    from: &Particles<D>,
    old: usize,
    to: &mut Particles<D>,
    new: usize,
    ratio: f32,
) {
    let (position, previous) = (from.position(old), from.previous_position(old));
    to.displace(new, position);
    for axis in 0..D {
        to.previous_mut(axis)[new] = scaled_previous(position[axis], previous[axis], ratio);
    }
    let inverse_mass = from.inverse_masses()[old];
    if to.inverse_masses()[new].canonical_bits() != inverse_mass.canonical_bits() {
        // Cannot fail: the value was valid in the other world.
        to.set_inverse_mass(new, inverse_mass).ok();
    }
}

/// Sets the tear factor of a stick. The list stays empty while no stick has a finite one.
fn set_tear_factor(sticks: &Sticks, tear_factors: &mut Vec<f32>, stick: usize, factor: f32) {
    if tear_factors.is_empty() && factor.is_infinite() {
        return;
    }
    tear_factors.resize(sticks.len(), f32::INFINITY);
    tear_factors[stick] = factor;
}
