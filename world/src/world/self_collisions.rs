//! Self-collision of the models of a world.

use std::ops::Range;

use taut_core::{Executor, Particles};
use taut_lanes::Team;

use super::ModelRange;
use super::number_map::NumberMap;
use crate::matter::Islands;
use crate::scene::Scene;
use crate::self_collision::{
    Balls, ContactSolver, DisplacementBounds, ExcludedPairs, NearList, Pairing, Pairings,
    RestExclusions, SelfCollision, TravelInPlan, Workers, first_slots,
};

/// A model of cloth or ropes with self-collision.
#[derive(Clone, Debug)]
pub(super) struct Participant {
    /// Its particles, by their numbers in the world.
    pub(super) particles: Range<usize>,
    pub(super) settings: SelfCollision,
    /// The model's particles by slot, and the pairs that do not collide.
    pub(super) rest: RestExclusions,
    /// The least thickness with which no particle passes through a face, m; None if the model's is at
    /// least this.
    pub(super) required_thickness: Option<f32>,
}

/// Which models collide with each other, and how.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) participants: Vec<Participant>,
    /// The greatest thickness, m.
    thickness: f32,
    /// The pairs of slots that do not collide although their models do.
    excluded: ExcludedPairs,
}

/// Number of slots that are read together. It divides the size of a cluster, so that the balls of a
/// chunk are of one model.
const CHUNK: usize = 4;

/// Which particles of an island the balls of its chunks are.
#[derive(Clone, Debug, Default)]
struct Chunks {
    /// Chunks of consecutive particles: the index of each chunk, and its first particle.
    consecutive: Vec<[u32; 2]>,
    /// The other chunks: the index of each, and its particles.
    scattered: Vec<(u32, [u32; CHUNK])>,
}

impl Chunks {
    fn is_empty(&self) -> bool {
        self.consecutive.is_empty() && self.scattered.is_empty()
    }

    fn push(&mut self, chunk: u32, particles: [u32; CHUNK]) {
        let first = particles[0];
        if (first..).zip(particles).all(|(expected, particle)| expected == particle) {
            self.consecutive.push([chunk, first]);
        } else {
            self.scattered.push((chunk, particles));
        }
    }

    /// The indices of all chunks.
    fn indices(&self) -> impl Iterator<Item = usize> {
        let consecutive = self.consecutive.iter().map(|[chunk, _]| chunk);
        consecutive.chain(self.scattered.iter().map(|(chunk, _)| chunk)).map(|&it| it as usize)
    }

    /// Copies a column of the island to the slots of the balls.
    fn read(&self, from: &[f32], to: &mut [f32]) {
        let to = to.as_chunks_mut().0;
        for &[chunk, first] in &self.consecutive {
            let entries = from[first as usize..].first_chunk();
            to[chunk as usize] = *entries.expect("the island has the chunk's particles");
        }
        for &(chunk, particles) in &self.scattered {
            to[chunk as usize] = particles.map(|particle| from[particle as usize]);
        }
    }
}

/// All cloth and ropes with self-collision, and the data of their contacts.
///
/// The slots of balls depend only on the models of the scene and their order in it. So the order of
/// contacts does not depend on islands and kernels.
#[derive(Clone, Debug)]
pub(super) struct SelfCollisions<const D: usize> {
    pub(super) rules: Rules,
    /// The chunks of each island.
    chunks: Vec<Chunks>,
    /// For each slot, the island of its particle, and the particle's number in the island.
    particle_of: Vec<[u32; 2]>,
    pub(super) balls: Balls<D>,
    near: NearList<D>,
    /// The measurement of displacements of each island.
    travels: Vec<IslandTravel<D>>,
    solver: ContactSolver<D>,
    team: Team,
}

/// Measures the displacements of the balls of an island in the layout of its plan.
#[derive(Clone, Debug, Default)]
struct IslandTravel<const D: usize> {
    /// For each particle of the island, the slot of its ball. Empty unless each particle has a ball.
    slot_of: Vec<u32>,
    travel: TravelInPlan<D>,
}

impl Pairings for Rules {
    fn of(&self, models: [u32; 2]) -> Option<Pairing> {
        let [one, other] = models.map(|model| &self.participants[model as usize].settings);
        one.collides_with(other).then(|| Pairing {
            thickness: one.distance().max(other.distance()),
            friction: one.mean_friction(other),
        })
    }

    fn thickness(&self) -> f32 {
        self.thickness
    }

    fn excluded(&self) -> &ExcludedPairs {
        &self.excluded
    }
}

impl<const D: usize> SelfCollisions<D> {
    /// None if no cloth or rope has self-collision.
    pub(super) fn new(
        scene: &Scene<D>,
        ranges: &[ModelRange],
        numbers: &NumberMap,
    ) -> Option<Self> {
        let (mut participants, mut excluded) = (Vec::<Participant>::new(), Vec::new());
        // For each model the slot of each particle; empty if the model has no balls.
        let mut slots_of_models: Vec<Vec<u32>> = Vec::new();
        let mut first_slot = 0;
        for ((_, model), range) in scene.models().zip(ranges) {
            // Limbs and bodies take part in `ColliderContacts`.
            let settings = model.resolved_self_collision().filter(|_| !model.has_colliders());
            let Some(settings) = settings else {
                slots_of_models.push(Vec::new());
                continue;
            };
            let rest = RestExclusions::new(model, settings.distance());
            excluded.extend(rest.pairs.iter().map(|pair| pair.map(|slot| first_slot + slot)));
            let slots = first_slots(&rest.particles, model.particles.len());
            slots_of_models.push(slots.into_iter().map(|slot| first_slot + slot).collect());
            first_slot += rest.particles.len() as u32;
            participants.push(Participant {
                particles: range.particles.clone(),
                settings,
                rest,
                required_thickness: model.required_thickness(),
            });
        }
        for tie in scene.ties() {
            let slots = |end: usize| {
                let slots = &slots_of_models[tie.models[end]];
                tie.points[end].terms().filter_map(|(particle, _)| slots.get(particle as usize))
            };
            excluded.extend(slots(0).flat_map(|&one| slots(1).map(move |&other| [one, other])));
        }
        let balls = Balls::new(participants.iter().map(|it| it.particles.len()));
        let thickness = participants.iter().map(|it| it.settings.distance()).fold(0.0, f32::max);
        let excluded = ExcludedPairs::new(balls.models.len(), excluded.into_iter());
        let mut collisions = Self {
            rules: Rules { participants, thickness, excluded },
            chunks: Vec::new(),
            particle_of: Vec::new(),
            near: NearList::new(&balls),
            travels: Vec::new(),
            solver: ContactSolver::new(balls.models.len()),
            team: Team::default(),
            balls,
        };
        collisions.locate(numbers);
        (!collisions.rules.participants.is_empty()).then_some(collisions)
    }

    /// Finds the particles of all balls in the islands, after the numbers of particles there have
    /// changed.
    pub(super) fn locate(&mut self, numbers: &NumberMap) {
        self.chunks.clear();
        self.particle_of.clear();
        for participant in &self.rules.participants {
            for particles in participant.rest.particles.as_chunks::<CHUNK>().0 {
                let slot = self.particle_of.len() as u32;
                for &particle in particles {
                    let world_number = participant.particles.start + particle as usize;
                    let (island, number) =
                        numbers.locate(world_number).expect("particles are never removed");
                    self.particle_of.push([island as u32, number as u32]);
                }
                let locations = &self.particle_of[slot as usize..];
                // A model is not divided among islands.
                let island = locations[0][0] as usize;
                if self.chunks.len() <= island {
                    self.chunks.resize(island + 1, Chunks::default());
                }
                let particles = core::array::from_fn(|nth| locations[nth][1]);
                self.chunks[island].push(slot / CHUNK as u32, particles);
            }
        }
        self.travels.clear();
        for island in 0..self.chunks.len() {
            let mut slot_of = vec![u32::MAX; numbers.in_island(island).len()];
            for (slot, &[slot_island, particle]) in (0..).zip(&self.particle_of) {
                if slot_island as usize == island {
                    // Padding repeats the last ball of a model; of its slots the last one is kept.
                    slot_of[particle as usize] = slot;
                }
            }
            if slot_of.contains(&u32::MAX) {
                slot_of.clear();
            }
            self.travels.push(IslandTravel { slot_of, travel: TravelInPlan::default() });
        }
    }

    /// Discards the positions of the near list that were stored by slot of a plan, for new plans. The
    /// slots of balls are unchanged.
    pub(super) fn forget_slots(&mut self) {
        for IslandTravel { travel, .. } in &mut self.travels {
            travel.forget_slots();
        }
    }

    /// Whether an island has particles with self-collision.
    pub(super) fn has_particles_in(&self, island: usize) -> bool {
        self.chunks.get(island).is_some_and(|chunks| !chunks.is_empty())
    }

    /// Copies the particles of an island to their balls.
    pub(super) fn read(&mut self, island: usize, particles: &Particles<D>) {
        let Balls { position, previous, inverse_mass, .. } = &mut self.balls;
        let chunks = &self.chunks[island];
        for axis in 0..D {
            chunks.read(particles.positions(axis), &mut position[axis]);
            chunks.read(particles.previous(axis), &mut previous[axis]);
        }
        chunks.read(particles.inverse_masses(), inverse_mass);
    }

    /// Copies the particles of an island that sleeps to their balls, as if they were pinned.
    pub(super) fn read_asleep(&mut self, island: usize, particles: &Particles<D>) {
        let Balls { position, previous, inverse_mass, .. } = &mut self.balls;
        let Some(chunks) = self.chunks.get(island) else { return };
        for axis in 0..D {
            chunks.read(particles.positions(axis), &mut position[axis]);
            chunks.read(particles.positions(axis), &mut previous[axis]);
        }
        for chunk in chunks.indices() {
            inverse_mass[chunk * CHUNK..][..CHUNK].fill(0.0);
        }
    }

    /// Whether no two balls can touch, because no two were near each other when the list was built, and
    /// none have come near since then. In this case the particles stay in the layouts of their plans.
    fn none_can_touch(&mut self, islands: &mut Islands<'_, D>) -> bool {
        let Some(list) = self.near.empty() else { return false };
        let mut displacements = DisplacementBounds::NONE;
        for (island, IslandTravel { slot_of, travel }) in self.travels.iter_mut().enumerate() {
            if self.chunks[island].is_empty() {
                continue;
            }
            // An island that is asleep, or has particles without balls, cannot be measured here.
            let matter = islands.one(island).filter(|_| !slot_of.is_empty());
            let Some(mut matter) = matter else { return false };
            displacements.merge(&travel.displacements(&mut matter, list, slot_of));
        }
        // Here the expected positions are those at which the list was built.
        displacements.travel().from_expected <= list.margin
    }

    /// Resolves the contacts of a pass, on the threads of the executor or, if a kernel has an executor
    /// with more threads, on those.
    pub(super) fn resolve(&mut self, islands: &mut Islands<'_, D>, executor: &dyn Executor) {
        if self.none_can_touch(islands) {
            return;
        }
        let mut all_asleep = true;
        for island in 0..self.chunks.len() {
            if self.has_particles_in(island)
                && let Some(mut matter) = islands.one(island)
            {
                self.read(island, &matter.model_mut().particles);
                all_asleep = false;
            }
        }
        if all_asleep {
            return;
        }
        let Self { rules, balls, near, solver, team, .. } = self;
        let kernel_executor = islands.executor();
        let larger = kernel_executor.as_deref().filter(|it| it.threads() > executor.threads());
        let workers = &mut Workers::new(team, larger.unwrap_or(executor), balls.models.len());
        let near = near.refreshed(balls, rules, workers);
        let moved = solver.resolve(balls, near, rules, workers);
        let particle_of = |slot: u32| self.particle_of[slot as usize];
        let island_of = |slot: u32| particle_of(slot)[0];
        for slots in moved.chunk_by(|&one, &other| island_of(one) == island_of(other)) {
            let island = island_of(slots[0]);
            let Some(mut matter) = islands.one(island as usize) else { continue };
            let columns = matter.model_mut().particles.columns();
            for &slot in slots {
                let [_, particle] = particle_of(slot);
                for axis in 0..D {
                    let (x, previous) = (&balls.position[axis], &balls.previous[axis]);
                    // Kernels expect no -0.0; adding 0 makes it +0.0.
                    columns.position[axis][particle as usize] = x[slot as usize] + 0.0;
                    columns.previous[axis][particle as usize] = previous[slot as usize];
                }
            }
        }
    }
}
