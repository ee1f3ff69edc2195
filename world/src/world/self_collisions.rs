//! Self-collision of the models of a world.

use std::ops::Range;

use taut_core::{Kernel, Particles};

use super::number_map::NumberMap;
use super::{ModelRange, World};
use crate::matter::Islands;
use crate::model::Model;
use crate::self_collision::{
    Ball, ContactSolver, NearPairs, PairList, RestPairs, SelfCollision, crossings,
};
use crate::vector::{difference, dot, wide};

/// A number in [`SelfCollisions::ball_of`] for particles without self-collision.
const NONE: u32 = u32::MAX;

/// A model with self-collision.
#[derive(Clone, Debug)]
struct Participant {
    /// Its number among all models.
    model: usize,
    /// Its particles, by their numbers in the world.
    particles: Range<usize>,
    /// Its first ball.
    first: u32,
    settings: SelfCollision,
    left_out: RestPairs,
}

/// All models with self-collision, and what their contacts need.
///
/// Balls are numbered model by model, in the scene's order, like particles of the world: so the
/// order of contacts does not depend on islands and kernels.
#[derive(Clone, Debug)]
pub(super) struct SelfCollisions<const D: usize> {
    participants: Vec<Participant>,
    /// The participant of each ball.
    participant_of: Vec<u32>,
    /// The greatest thickness, m.
    thickness: f32,
    /// By island and number there: the ball.
    ball_of: Vec<Vec<u32>>,
    /// By ball: the island, and the number there.
    particle_of: Vec<[u32; 2]>,
    balls: Vec<Ball<D>>,
    near: NearPairs<D>,
    solver: ContactSolver<D>,
}

/// The state of the contacts of a world: see [`World::contacts`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contacts {
    /// Number of pairs of particles that are closer than their thickness, or within a hundredth
    /// more.
    pub touching: usize,
    /// How much closer the nearest pair is than its thickness, m; 0 if none is closer.
    pub penetration: f32,
    /// Number of pairs of an edge and a face where the edge passes through the face. In 2D always 0.
    pub crossings: usize,
    /// Number of pairs that do not collide, because they are closer than the thickness at the
    /// beginning, in addition to those that a stick joins.
    pub left_out: usize,
}

impl<const D: usize> SelfCollisions<D> {
    /// None if no model has self-collision.
    pub(super) fn new<'a>(
        models: impl Iterator<Item = &'a Model<D>>,
        ranges: &[ModelRange],
        numbers: &NumberMap,
    ) -> Option<Self> {
        let mut participants = Vec::new();
        let mut participant_of = Vec::new();
        for (nth, (model, range)) in models.zip(ranges).enumerate() {
            let Some(settings) = model.self_collision else { continue };
            let thickness = settings.thickness.unwrap_or_default();
            let first = participant_of.len();
            participant_of.resize(first + range.particles.len(), participants.len() as u32);
            participants.push(Participant {
                model: nth,
                particles: range.particles.clone(),
                first: first as u32,
                settings,
                left_out: RestPairs::new(model, thickness),
            });
        }
        let thickest =
            participants.iter().filter_map(|it| it.settings.thickness).fold(0.0, f32::max);
        let mut all = Self {
            participants,
            participant_of,
            thickness: thickest,
            ball_of: Vec::new(),
            particle_of: Vec::new(),
            balls: Vec::new(),
            near: NearPairs::default(),
            solver: ContactSolver::default(),
        };
        all.locate(numbers);
        (!all.participants.is_empty()).then_some(all)
    }

    /// Finds the particles of all balls in the islands, after the numbers of particles there have
    /// changed.
    pub(super) fn locate(&mut self, numbers: &NumberMap) {
        self.ball_of.clear();
        self.particle_of.clear();
        for participant in &self.participants {
            for particle in participant.particles.clone() {
                let (island, number) = numbers.locate(particle).expect("particles stay");
                if self.ball_of.len() <= island {
                    self.ball_of.resize(island + 1, Vec::new());
                }
                let of_island = &mut self.ball_of[island];
                if of_island.is_empty() {
                    of_island.resize(numbers.in_island(island).len(), NONE);
                }
                of_island[number] = self.particle_of.len() as u32;
                self.particle_of.push([island as u32, number as u32]);
            }
        }
        let thickness = |&it: &u32| self.participants[it as usize].settings.thickness;
        self.balls.clear();
        self.balls.extend(self.participant_of.iter().map(|participant| Ball {
            x: [0.0; D],
            previous: [0.0; D],
            inverse_mass: 0.0,
            thickness: thickness(participant).unwrap_or_default(),
        }));
        self.near.discard();
    }

    /// Whether an island has particles with self-collision.
    pub(super) fn touches(&self, island: usize) -> bool {
        self.ball_of.get(island).is_some_and(|balls| !balls.is_empty())
    }

    /// Copies the particles of an island to their balls. Returns the square of the greatest
    /// displacement in this substep, m².
    fn read(&mut self, island: usize, particles: &Particles<D>) -> f32 {
        let mut greatest = 0.0;
        let columns: [_; D] = core::array::from_fn(|axis| particles.positions(axis));
        let previous: [_; D] = core::array::from_fn(|axis| particles.previous(axis));
        let masses = particles.inverse_masses();
        for (number, &ball) in self.ball_of[island].iter().enumerate() {
            if ball == NONE {
                continue;
            }
            let ball = &mut self.balls[ball as usize];
            ball.x = core::array::from_fn(|axis| columns[axis][number]);
            ball.previous = core::array::from_fn(|axis| previous[axis][number]);
            ball.inverse_mass = masses[number];
            let moved = difference(ball.x, ball.previous);
            let square = dot(moved, moved);
            greatest = if square > greatest { square } else { greatest };
        }
        greatest
    }

    /// Whether two balls collide, the lower number first.
    #[inline]
    fn collide(participants: &[Participant], of: &[u32], pair: [u32; 2]) -> bool {
        let [one, other] = pair.map(|ball| of[ball as usize] as usize);
        let (first, second) = (&participants[one], &participants[other]);
        first.settings.meets(&second.settings)
            && !(one == other && first.left_out.contains(pair.map(|ball| ball - first.first)))
    }

    /// Resolves the contacts of a pass.
    pub(super) fn resolve(&mut self, islands: &mut Islands<'_, D>) {
        let mut greatest = 0.0;
        for island in 0..self.ball_of.len() {
            if self.touches(island)
                && let Some(mut matter) = islands.one(island)
            {
                let square = self.read(island, &matter.model_mut().particles);
                greatest = if square > greatest { square } else { greatest };
            }
        }
        let displacement = greatest.sqrt();
        let Self { participants, participant_of, thickness, balls, near, solver, .. } = self;
        let wanted = |pair| Self::collide(participants, participant_of, pair);
        let near = near.refreshed(balls, *thickness, displacement, wanted);
        let friction = |pair: [u32; 2]| {
            let [one, other] = pair
                .map(|ball| participants[participant_of[ball as usize] as usize].settings.friction);
            (one * other).sqrt()
        };
        let moved = solver.resolve(balls, near, displacement, friction);
        let of_island = |one: &u32, other: &u32| {
            self.particle_of[*one as usize][0] == self.particle_of[*other as usize][0]
        };
        for moved in moved.chunk_by(of_island) {
            let [island, _] = self.particle_of[moved[0] as usize];
            let Some(mut matter) = islands.one(island as usize) else { continue };
            let columns = matter.model_mut().particles.columns();
            for &ball in moved {
                let [_, number] = self.particle_of[ball as usize];
                let Ball { x, previous, .. } = self.balls[ball as usize];
                for axis in 0..D {
                    // Kernels expect no -0.0.
                    columns.position[axis][number as usize] = x[axis] + 0.0;
                    columns.previous[axis][number as usize] = previous[axis];
                }
            }
        }
    }
}

impl<K: Kernel<D>, const D: usize> World<K, D> {
    /// The contacts of models with [self-collision](SelfCollision) at present, to judge how well
    /// they work: finding the crossings takes longer than a step. All 0 if no model has
    /// self-collision.
    pub fn contacts(&self) -> Contacts {
        let Some(all) = &self.self_collisions else { return Contacts::default() };
        let mut all = all.clone();
        for (island, it) in self.islands.iter().enumerate() {
            if all.touches(island) {
                all.read(island, &it.model.particles);
            }
        }
        let mut contacts = Contacts {
            left_out: all.participants.iter().map(|it| it.left_out.close).sum(),
            crossings: self.crossings(&all.participants),
            ..Contacts::default()
        };
        let wanted =
            |pair| SelfCollisions::<D>::collide(&all.participants, &all.participant_of, pair);
        let mut near = NearPairs::default();
        let pairs: &PairList = near.refreshed(&all.balls, all.thickness, 0.0, wanted);
        for (one, others) in all.balls.iter().zip(pairs.rows()) {
            for other in others.iter().map(|&other| &all.balls[other as usize]) {
                let thickness = one.thickness.max(other.thickness);
                let offset = difference(wide(one.x), wide(other.x));
                let depth = f64::from(thickness) - dot(offset, offset).sqrt();
                contacts.touching += usize::from(depth > -0.01 * f64::from(thickness));
                contacts.penetration = contacts.penetration.max(depth as f32);
            }
        }
        contacts
    }

    /// Crossed faces of the models with self-collision.
    fn crossings(&self, participants: &[Participant]) -> usize {
        if D != 3 {
            return 0;
        }
        let point = |particle: usize| {
            let x = wide(self.position(particle));
            core::array::from_fn(|axis| x[axis])
        };
        let points: Vec<[f64; 3]> = (0..self.len()).map(point).collect();
        let mut triangles = Vec::new();
        for participant in participants {
            let island = self.models[participant.model].island;
            let numbers = self.particles.in_island(island);
            let faces = self.islands[island].model.faces.iter();
            let in_world = |face: &[u32; 3]| face.map(|corner| numbers[corner as usize]);
            let of_model = |face: &[u32; 3]| participant.particles.contains(&(face[0] as usize));
            triangles.extend(faces.map(in_world).filter(of_model));
        }
        crossings(&points, &triangles)
    }
}
