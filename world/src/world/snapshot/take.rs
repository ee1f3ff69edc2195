//! Taking a snapshot.

use taut_core::{Particles, Real, Step};

use super::{Bits, HeldState, IslandState, Snapshot};
use crate::emitter::Emitter;
use crate::model::Model;
use crate::settings::Settings;
use crate::world::{Simulation, World};

impl<const D: usize> World<D>
where
    Self: Simulation<D>,
{
    /// Takes a snapshot. To [`resume`](Self::resume) from it, use the scene from which the world
    /// was created.
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
    /// let snapshot = world.snapshot();
    /// let mut resumed = World::resume(&scene, |_| ScalarKernel, &snapshot)?;
    /// assert!(world.step()?.finite && resumed.step()?.finite);
    /// assert_eq!(resumed.hash(), world.hash());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn snapshot(&self) -> Snapshot {
        self.take_snapshot()
    }
}

impl<const D: usize> World<D> {
    /// Implements [`Simulation::take_snapshot`].
    pub(in crate::world) fn snapshot_generic(&self) -> Snapshot {
        let Settings { step, passes } = self.settings;
        let Step { dt, substeps, iterations, acceleration, damping_rate } = step;
        let island_particle = |particle: usize| {
            let (island, number) = self.locate(particle);
            (&self.islands[island].model.particles, number)
        };
        let all_particles = || (0..self.len()).map(island_particle);
        let previous = |(particles, number): (&Particles<D>, usize)| -> [f32; D] {
            core::array::from_fn(|axis| particles.previous(axis)[number])
        };
        let held = self.held.iter().map(|(&particle, held)| HeldState {
            particle,
            inverse_mass: held.inverse_mass.to_bits(),
            pinned: held.pinned,
            grabbed: held.grabbed,
            displacement: Bits::of(held.displacement),
        });
        Snapshot {
            dimensions: D,
            models: self.signatures.clone(),
            steps: self.steps,
            time: self.time.to_bits(),
            formula: self.formula.to_string(),
            step: Bits::of([dt].into_iter().chain(acceleration)),
            damping_rate: Some(damping_rate.canonical_bits() as u32),
            substeps,
            iterations,
            passes: passes.max(1), // a world treats 0 as 1; resuming rejects 0
            positions: Bits::of(self.positions().flatten()),
            previous: Bits::of(all_particles().flat_map(previous)),
            inverse_masses: Bits::of(
                all_particles().map(|(particles, number)| particles.inverse_masses()[number]),
            ),
            held: held.collect(),
            targets: self
                .drag_targets
                .iter()
                .map(|(&particle, &to)| (particle, Bits::of(to)))
                .collect(),
            broken_ties: self.ties.iter().map(|tie| tie.broken).collect(),
            tie_forces: self.ties.iter().map(|tie| tie.force.to_bits()).collect(),
            islands: (0..self.islands.len()).map(|island| self.island_state(island)).collect(),
            sleep_states: self.sleep_states(),
        }
    }

    /// The state of an island, for a snapshot.
    fn island_state(&self, index: usize) -> IslandState {
        let island = &self.islands[index];
        let Model { sticks, faces, limbs, tear_factors, emitters, .. } = &island.model;
        let stick_numbers = || 0..sticks.len();
        let world_numbers = self.particles.in_island(index);
        let reordered = island.reordered.then(|| {
            let remaining = self.sticks.in_island(index).to_vec();
            (remaining, island.schedule().to_phases())
        });
        let models_that_left_copies = island.is_split_off.then(|| self.models_in(index).collect());
        IslandState {
            rests: Bits::of(sticks.rests().iter().copied()),
            stiffness: Bits::of(stick_numbers().map(|stick| sticks.stiffness(stick))),
            compliance: Bits::of(stick_numbers().map(|stick| sticks.compliance(stick))),
            kinds: stick_numbers().map(|stick| sticks.kind(stick)).collect(),
            torn: stick_numbers().map(|stick| sticks.is_torn(stick)).collect(),
            tear_factors: Bits::of(tear_factors.iter().copied()),
            faces: faces
                .iter()
                .map(|face| face.map(|corner| world_numbers[corner as usize]))
                .collect(),
            limbs: Some(
                limbs
                    .all()
                    .iter()
                    .map(|it| it.ends.map(|end| world_numbers[end as usize]))
                    .collect(),
            ),
            reordered,
            models_that_left_copies,
            omitted_births: emitters.iter().map(Emitter::omitted).collect(),
        }
    }
}
