//! Self-collision of the models of a world.

use std::ops::Range;

use taut_core::Particles;

use super::ModelRange;
use super::number_map::NumberMap;
use crate::matter::Islands;
use crate::scene::Scene;
use crate::self_collision::{Ball, ContactSolver, NearPairs, PairList, RestPairs, SelfCollision};
use crate::vector::{difference, dot};

/// Stands for a ball in [`SelfCollisions::ball_of`]: the particle has no self-collision.
const NONE: u32 = u32::MAX;

/// A model with self-collision.
#[derive(Clone, Debug)]
pub(super) struct Participant {
    /// Its particles, by their numbers in the world.
    pub(super) particles: Range<usize>,
    /// Its first ball.
    first: u32,
    settings: SelfCollision,
    pub(super) left_out: RestPairs,
}

/// All models with self-collision, and what their contacts need.
///
/// Balls are numbered model by model, in the scene's order, like particles of the world: so the
/// order of contacts does not depend on islands and kernels.
#[derive(Clone, Debug)]
pub(super) struct SelfCollisions<const D: usize> {
    pub(super) participants: Vec<Participant>,
    /// The participant of each ball.
    participant_of: Vec<u32>,
    /// The greatest thickness, m.
    thickness: f32,
    /// By island and number there: the ball.
    ball_of: Vec<Vec<u32>>,
    /// By ball: the island, and the number there.
    particle_of: Vec<[u32; 2]>,
    pub(super) balls: Vec<Ball<D>>,
    near: NearPairs<D>,
    solver: ContactSolver<D>,
}

impl<const D: usize> SelfCollisions<D> {
    /// None if no model has self-collision.
    pub(super) fn new(
        scene: &Scene<D>,
        ranges: &[ModelRange],
        numbers: &NumberMap,
    ) -> Option<Self> {
        let (mut participants, mut participant_of) = (Vec::new(), Vec::new());
        let mut balls: Vec<Ball<D>> = Vec::new();
        let mut thickest = 0.0;
        for ((_, model), range) in scene.models().zip(ranges) {
            // Limbs and bodies take part in `ColliderContacts`.
            let settings = model.self_collision.filter(|_| !model.has_colliders());
            let Some(settings) = settings else { continue };
            let thickness = settings.thickness.unwrap_or_default();
            let first = balls.len() as u32;
            thickest = f32::max(thickest, thickness);
            let no_ball = Ball { x: [0.0; D], previous: [0.0; D], inverse_mass: 0.0, thickness };
            balls.resize(balls.len() + range.particles.len(), no_ball);
            participant_of.resize(balls.len(), participants.len() as u32);
            participants.push(Participant {
                particles: range.particles.clone(),
                first,
                settings,
                left_out: RestPairs::new(model, thickness),
            });
        }
        let count = balls.len();
        let mut all = Self {
            participants,
            participant_of,
            thickness: thickest,
            ball_of: Vec::new(),
            particle_of: Vec::new(),
            balls,
            near: NearPairs::with_capacity(count),
            solver: ContactSolver::with_capacity(count),
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
    }

    /// Whether an island has particles with self-collision.
    pub(super) fn touches(&self, island: usize) -> bool {
        self.ball_of.get(island).is_some_and(|balls| !balls.is_empty())
    }

    /// Copies the particles of an island to their balls. Returns the square of the greatest
    /// displacement in this substep, m².
    pub(super) fn read(&mut self, island: usize, particles: &Particles<D>) -> f32 {
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

    /// Whether the particles of two balls collide, the lower number first.
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
        let particle_of = |ball: u32| self.particle_of[ball as usize];
        for moved in moved.chunk_by(|&one, &other| particle_of(one)[0] == particle_of(other)[0]) {
            let [island, _] = particle_of(moved[0]);
            let Some(mut matter) = islands.one(island as usize) else { continue };
            let columns = matter.model_mut().particles.columns();
            for &ball in moved {
                let [_, number] = particle_of(ball);
                let Ball { x, previous, .. } = self.balls[ball as usize];
                for axis in 0..D {
                    // Kernels expect no -0.0.
                    columns.position[axis][number as usize] = x[axis] + 0.0;
                    columns.previous[axis][number as usize] = previous[axis];
                }
            }
        }
    }

    /// The pairs that may touch if nothing moves.
    pub(super) fn near_at_rest(&mut self) -> &PairList {
        let Self { participants, participant_of, thickness, balls, near, .. } = self;
        near.discard();
        near.refreshed(balls, *thickness, 0.0, |pair| {
            Self::collide(participants, participant_of, pair)
        })
    }
}
