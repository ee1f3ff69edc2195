//! Self-collision of the models of a world.

use std::ops::Range;

use taut_core::Particles;

use super::ModelRange;
use super::number_map::NumberMap;
use crate::matter::Islands;
use crate::scene::Scene;
use crate::self_collision::{
    Balls, ContactSolver, Displacements, LeftOut, NearList, Pairing, Pairings, RestPairs,
    SelfCollision, TravelInPlan,
};

/// A model with self-collision.
#[derive(Clone, Debug)]
pub(super) struct Participant {
    /// Its particles, by their numbers in the world.
    pub(super) particles: Range<usize>,
    pub(super) settings: SelfCollision,
    pub(super) rest: RestPairs,
    /// The least thickness without gaps, m, if it has less.
    pub(super) missing_thickness: Option<f32>,
}

/// How the models collide.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) participants: Vec<Participant>,
    /// The greatest thickness, m.
    thickness: f32,
    left_out: LeftOut,
}

/// Number of slots that are read at once.
const FOUR: usize = 4;

/// Four consecutive slots, which hold balls of one island.
#[derive(Clone, Copy, Debug)]
enum Four {
    /// Of consecutive particles there, from this one on.
    Consecutive(u32),
    Any([u32; FOUR]),
}

impl Four {
    fn new(particles: [u32; FOUR]) -> Self {
        let first = particles[0];
        let is_consecutive = (first..).zip(particles).all(|(expected, it)| expected == it);
        if is_consecutive { Self::Consecutive(first) } else { Self::Any(particles) }
    }

    /// The entries of a column.
    #[inline(always)]
    fn of(self, column: &[f32]) -> [f32; FOUR] {
        match self {
            Self::Consecutive(first) => {
                let first = first as usize;
                *column[first..first + FOUR].first_chunk().expect("the slice has FOUR entries")
            }
            Self::Any(particles) => particles.map(|particle| column[particle as usize]),
        }
    }
}

/// Copies a column of an island to the slots of its balls.
fn read_column(fours: &[(u32, Four)], from: &[f32], to: &mut [f32]) {
    for &(slot, four) in fours {
        to[slot as usize..slot as usize + FOUR].copy_from_slice(&four.of(from));
    }
}

/// All models with self-collision, and what their contacts need.
///
/// The slots of balls are given by the models at the beginning, in the scene's order: so the order of
/// contacts does not depend on islands and kernels.
#[derive(Clone, Debug)]
pub(super) struct SelfCollisions<const D: usize> {
    pub(super) rules: Rules,
    /// By island: the first of four slots, and the particles there.
    fours: Vec<Vec<(u32, Four)>>,
    /// By slot: the island, and the particle there.
    particle_of: Vec<[u32; 2]>,
    pub(super) balls: Balls<D>,
    near: NearList<D>,
    /// By island.
    travels: Vec<IslandTravel<D>>,
    solver: ContactSolver<D>,
}

/// What it takes to follow the balls of an island in the layout of its plan.
#[derive(Clone, Debug, Default)]
struct IslandTravel<const D: usize> {
    /// By particle: the slot of its ball. Empty unless each particle has one.
    slot_of: Vec<u32>,
    travel: TravelInPlan<D>,
}

impl Pairings for Rules {
    fn of(&self, models: [u32; 2]) -> Option<Pairing> {
        let [one, other] = models.map(|model| &self.participants[model as usize].settings);
        one.meets(other).then(|| Pairing {
            thickness: one.distance().max(other.distance()),
            friction: one.mean_friction(other),
        })
    }

    fn thickness(&self) -> f32 {
        self.thickness
    }

    fn left_out(&self) -> &LeftOut {
        &self.left_out
    }
}

impl<const D: usize> SelfCollisions<D> {
    /// None if no model has self-collision.
    pub(super) fn new(
        scene: &Scene<D>,
        ranges: &[ModelRange],
        numbers: &NumberMap,
    ) -> Option<Self> {
        let (mut participants, mut left_out) = (Vec::<Participant>::new(), Vec::new());
        let mut first_slot = 0;
        for ((_, model), range) in scene.models().zip(ranges) {
            // Limbs and bodies take part in `ColliderContacts`.
            let settings = model.self_collision.filter(|_| !model.has_colliders());
            let Some(settings) = settings else { continue };
            let rest = RestPairs::new(model, settings.distance());
            left_out.extend(rest.pairs.iter().map(|pair| pair.map(|slot| first_slot + slot)));
            first_slot += rest.particles.len() as u32;
            participants.push(Participant {
                particles: range.particles.clone(),
                settings,
                rest,
                missing_thickness: model.missing_thickness(),
            });
        }
        let balls = Balls::new(participants.iter().map(|it| it.particles.len()));
        let thickness = participants.iter().map(|it| it.settings.distance()).fold(0.0, f32::max);
        let left_out = LeftOut::new(balls.models.len(), left_out.into_iter());
        let mut all = Self {
            rules: Rules { participants, thickness, left_out },
            fours: Vec::new(),
            particle_of: Vec::new(),
            near: NearList::new(&balls),
            travels: Vec::new(),
            solver: ContactSolver::new(balls.slots()),
            balls,
        };
        all.locate(numbers);
        (!all.rules.participants.is_empty()).then_some(all)
    }

    /// Finds the particles of all balls in the islands, after the numbers of particles there have
    /// changed.
    pub(super) fn locate(&mut self, numbers: &NumberMap) {
        self.fours.clear();
        self.particle_of.clear();
        for participant in &self.rules.participants {
            for particles in participant.rest.particles.as_chunks::<FOUR>().0 {
                let slot = self.particle_of.len() as u32;
                for &particle in particles {
                    let in_world = participant.particles.start + particle as usize;
                    let (island, number) = numbers.locate(in_world).expect("particles stay");
                    self.particle_of.push([island as u32, number as u32]);
                }
                let places = &self.particle_of[slot as usize..];
                // A model is not divided among islands.
                let island = places[0][0] as usize;
                if self.fours.len() <= island {
                    self.fours.resize(island + 1, Vec::new());
                }
                let four = Four::new(core::array::from_fn(|nth| places[nth][1]));
                self.fours[island].push((slot, four));
            }
        }
        self.travels.clear();
        for island in 0..self.fours.len() {
            let mut slot_of = vec![u32::MAX; numbers.in_island(island).len()];
            for (slot, &[other, particle]) in (0..).zip(&self.particle_of) {
                if other as usize == island {
                    slot_of[particle as usize] = slot; // padding repeats a ball
                }
            }
            if slot_of.contains(&u32::MAX) {
                slot_of.clear();
            }
            self.travels.push(IslandTravel { slot_of, travel: TravelInPlan::default() });
        }
    }

    /// Adapts to new plans.
    pub(super) fn forget_slots(&mut self) {
        for IslandTravel { travel, .. } in &mut self.travels {
            travel.forget_slots();
        }
    }

    /// Whether an island has particles with self-collision.
    pub(super) fn touches(&self, island: usize) -> bool {
        self.fours.get(island).is_some_and(|fours| !fours.is_empty())
    }

    /// Copies the particles of an island to their balls.
    pub(super) fn read(&mut self, island: usize, particles: &Particles<D>) {
        let Balls { position, previous, inverse_mass, .. } = &mut self.balls;
        let fours = &self.fours[island];
        for axis in 0..D {
            read_column(fours, particles.positions(axis), &mut position[axis]);
            read_column(fours, particles.previous(axis), &mut previous[axis]);
        }
        read_column(fours, particles.inverse_masses(), inverse_mass);
    }

    /// Copies the particles of an island that sleeps to their balls, as if they were pinned.
    pub(super) fn read_asleep(&mut self, island: usize, particles: &Particles<D>) {
        let Balls { position, previous, inverse_mass, .. } = &mut self.balls;
        let Some(fours) = self.fours.get(island) else { return };
        for axis in 0..D {
            read_column(fours, particles.positions(axis), &mut position[axis]);
            read_column(fours, particles.positions(axis), &mut previous[axis]);
        }
        for &(slot, _) in fours {
            inverse_mass[slot as usize..slot as usize + FOUR].fill(0.0);
        }
    }

    /// Whether no two balls can touch, because none were near each other when the list was made, and
    /// none have come near since then. Then the particles stay in the layouts of their plans.
    fn none_touch(&mut self, islands: &mut Islands<'_, D>) -> bool {
        let Some(list) = self.near.empty() else { return false };
        let mut displacements = Displacements::NONE;
        for (island, IslandTravel { slot_of, travel }) in self.travels.iter_mut().enumerate() {
            if self.fours[island].is_empty() {
                continue;
            }
            // Balls that are asleep, or of which only some take part, are followed one by one.
            let matter = islands.one(island).filter(|_| !slot_of.is_empty());
            let Some(mut matter) = matter else { return false };
            displacements.merge(&travel.displacements(&mut matter, list, slot_of));
        }
        displacements.travel().from_expected <= list.margin
    }

    /// Resolves the contacts of a pass.
    pub(super) fn resolve(&mut self, islands: &mut Islands<'_, D>) {
        if self.none_touch(islands) {
            return;
        }
        let mut all_asleep = true;
        for island in 0..self.fours.len() {
            if self.touches(island)
                && let Some(mut matter) = islands.one(island)
            {
                self.read(island, &matter.model_mut().particles);
                all_asleep = false;
            }
        }
        if all_asleep {
            return;
        }
        let Self { rules, balls, near, solver, .. } = self;
        let near = near.refreshed(balls, rules);
        let moved = solver.resolve(balls, near, rules);
        let particle_of = |slot: u32| self.particle_of[slot as usize];
        for moved in moved.chunk_by(|&one, &other| particle_of(one)[0] == particle_of(other)[0]) {
            let [island, _] = particle_of(moved[0]);
            let Some(mut matter) = islands.one(island as usize) else { continue };
            let columns = matter.model_mut().particles.columns();
            for &slot in moved {
                let [_, particle] = particle_of(slot);
                for axis in 0..D {
                    let (x, previous) = (&balls.position[axis], &balls.previous[axis]);
                    // Kernels expect no -0.0.
                    columns.position[axis][particle as usize] = x[slot as usize] + 0.0;
                    columns.previous[axis][particle as usize] = previous[slot as usize];
                }
            }
        }
    }
}
