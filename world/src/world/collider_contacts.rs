//! Contacts of cloth and ropes with limbs and bodies.

use std::collections::BTreeSet;
use std::ops::Range;

use taut_core::Particles;

use super::gathered::Gathered;
use super::{ModelRange, NumberMap};
use crate::body::{
    Collider, ColliderScratch, Contact, Other, Placed, Solver, WeightedPoint, box_around,
};
use crate::matter::Islands;
use crate::scene::Scene;
use crate::self_collision::SelfCollision;

/// Number of balls that share a box in the broad phase. Balls with near numbers are near each other
/// in most models.
const BLOCK: usize = 32;
/// Largest number of contacts per particle of all these models; further ones are dropped. Only a heap
/// of colliders in one place has so many.
const CONTACTS_MAX: usize = 8;

/// Models with self-collision: the particles of cloth and ropes as balls, and limbs and bodies as
/// colliders.
///
/// Contacts are found in the order of the colliders, and for each in the order of the balls, both as
/// in the scene. So their order does not depend on islands, kernels and the broad phase.
#[derive(Clone, Debug)]
pub(super) struct ColliderContacts<const D: usize> {
    balls: Vec<ModelBalls>,
    colliders: Vec<(Collider, SelfCollision)>,
    /// Pairs of a collider and a ball that are tied, and so do not collide.
    tied: BTreeSet<[u32; 2]>,
    gathered: Gathered<D>,
    /// The lower and upper corner of a box around each block of balls, before and now, m.
    blocks: Vec<[[f32; D]; 2]>,
    scratch: ColliderScratch<D>,
    contacts: Vec<Contact<D>>,
    solver: Solver<D>,
    moved: Vec<u32>,
}

/// The balls of a model.
#[derive(Clone, Debug)]
struct ModelBalls {
    particles: Range<usize>,
    settings: SelfCollision,
}

/// Whether two boxes overlap, by their lower and upper corners.
fn overlap<const D: usize>(one: &[[f32; D]; 2], other: &[[f32; D]; 2]) -> bool {
    (0..D).all(|axis| one[0][axis] <= other[1][axis] && other[0][axis] <= one[1][axis])
}

/// Where a particle was when this substep began, and is now, m.
fn path<const D: usize>(particles: &Particles<D>, particle: usize) -> [[f32; D]; 2] {
    [particles.previous_position(particle), particles.position(particle)]
}

impl<const D: usize> ColliderContacts<D> {
    /// None if no two models may have contacts.
    pub(super) fn new(
        scene: &Scene<D>,
        ranges: &[ModelRange],
        numbers: &NumberMap,
    ) -> Option<Self> {
        let mut gathered = Gathered::new();
        let (mut balls, mut colliders) = (Vec::new(), Vec::new());
        // By model: its particles and colliders here.
        let mut of_model = Vec::new();
        for ((_, model), range) in scene.models().zip(ranges) {
            let Some(settings) = model.self_collision else {
                of_model.push(None);
                continue;
            };
            let particles = gathered.add(range.particles.clone());
            let first = colliders.len();
            if model.has_colliders() {
                let all = Collider::all_of(model, particles.start as u32);
                colliders.extend(all.map(|it| (it, settings)));
            } else {
                balls.push(ModelBalls { particles: particles.clone(), settings });
            }
            of_model.push(Some((particles.start as u32, first..colliders.len())));
        }
        if balls.is_empty() || colliders.is_empty() {
            return None;
        }
        let mut tied = BTreeSet::new();
        for tie in scene.ties() {
            for (ball, other) in [(0, 1), (1, 0)] {
                let [Some((first, _)), Some((other_first, others))] =
                    [ball, other].map(|end: usize| of_model[tie.models[end]].as_ref())
                else {
                    continue;
                };
                for collider in others.clone() {
                    let mut of_other = tie.points[other].terms();
                    if of_other.any(|(it, _)| colliders[collider].0.has_particle(other_first + it))
                    {
                        let of_ball = tie.points[ball].terms();
                        tied.extend(of_ball.map(|(it, _)| [collider as u32, first + it]));
                    }
                }
            }
        }
        gathered.locate(numbers);
        let count: usize = balls.iter().map(|it| it.particles.len()).sum();
        Some(Self {
            blocks: Vec::with_capacity(count / BLOCK + balls.len()),
            balls,
            colliders,
            tied,
            moved: Vec::with_capacity(gathered.particles.len()),
            gathered,
            scratch: ColliderScratch::default(),
            contacts: Vec::with_capacity(count),
            solver: Solver::default(),
        })
    }

    /// Finds the particles in the islands, after their numbers there have changed.
    pub(super) fn locate(&mut self, numbers: &NumberMap) {
        self.gathered.locate(numbers);
    }

    /// Whether an island has balls or colliders.
    pub(super) fn touches(&self, island: usize) -> bool {
        self.gathered.touches(island)
    }

    /// Shows the particles of an island that sleeps to the contacts of the others, as if they were
    /// pinned.
    pub(super) fn read_asleep(&mut self, island: usize, particles: &Particles<D>) {
        self.gathered.read_asleep(island, particles);
    }

    /// Resolves the contacts of a pass.
    pub(super) fn resolve(&mut self, islands: &mut Islands<'_, D>) {
        if !self.gathered.read(islands) {
            return;
        }
        self.find(0.0);
        let Self { gathered, contacts, solver, moved, .. } = self;
        if contacts.is_empty() {
            return;
        }
        solver.resolve(contacts, &mut gathered.particles);
        moved.clear();
        moved.extend_from_slice(solver.particles());
        moved.sort_unstable();
        gathered.write(moved, islands);
    }

    /// The number of pairs that are at most `1 + slack` times as far apart as when they just touch,
    /// and the greatest penetration, m. Particles count as at rest.
    pub(super) fn touching_and_depth<'a>(
        &mut self,
        of_island: impl Fn(usize) -> &'a Particles<D>,
        slack: f32,
    ) -> (usize, f32) {
        self.gathered.read_at_rest(of_island);
        self.find(slack);
        let touching = self.contacts.len();
        self.find(0.0);
        let depths = self.contacts.iter().map(|it| it.depth(&self.gathered.particles));
        (touching, depths.fold(0.0, f32::max))
    }

    /// Finds the pairs that are at most `1 + slack` times as far apart as when they just touch. With a
    /// slack of 0 these are the contacts of a pass.
    fn find(&mut self, slack: f32) {
        let Self { balls, colliders, tied, gathered, blocks, scratch, contacts, .. } = self;
        let particles = &gathered.particles;
        blocks.clear();
        for it in &*balls {
            let block = |first: usize| first..(first + BLOCK).min(it.particles.end);
            let blocks_of_model = it.particles.clone().step_by(BLOCK).map(block);
            blocks.extend(
                blocks_of_model
                    .map(|block| box_around(block.flat_map(|particle| path(particles, particle)))),
            );
        }
        contacts.clear();
        let most = CONTACTS_MAX * particles.len();
        for (number, (collider, settings)) in (0_u32..).zip(&*colliders) {
            let Some(placed) = collider.placed(particles, scratch) else { continue };
            let mut first_block = 0;
            for it in &*balls {
                let count = it.particles.len().div_ceil(BLOCK);
                let blocks = &blocks[first_block..first_block + count];
                first_block += count;
                if settings.meets(&it.settings) {
                    let pair = Pair::new(settings, it, &placed, slack);
                    pair.find(blocks, particles, |ball| !tied.contains(&[number, ball]), contacts);
                }
            }
            contacts.truncate(most);
        }
    }
}

/// A collider and the balls of a model.
struct Pair<'a, const D: usize> {
    placed: &'a Placed<'a, D>,
    balls: &'a ModelBalls,
    /// The distance that the centres of the balls keep from the surface of the collider, m.
    reach: f32,
    friction: f32,
}

impl<'a, const D: usize> Pair<'a, D> {
    fn new(
        collider: &SelfCollision,
        balls: &'a ModelBalls,
        placed: &'a Placed<'a, D>,
        slack: f32,
    ) -> Self {
        let [one, other] = [collider, &balls.settings].map(|it| 0.5 * it.distance());
        let friction = collider.mean_friction(&balls.settings);
        Self { placed, balls, reach: (1.0 + slack) * (one + other), friction }
    }

    fn find(
        &self,
        blocks: &[[[f32; D]; 2]],
        particles: &Particles<D>,
        collides: impl Fn(u32) -> bool,
        contacts: &mut Vec<Contact<D>>,
    ) {
        let Self { placed, balls, reach, friction } = *self;
        let bounds = placed.bounds(reach);
        for (block, first) in blocks.iter().zip(balls.particles.clone().step_by(BLOCK)) {
            if !overlap(block, &bounds) {
                continue;
            }
            for ball in first..(first + BLOCK).min(balls.particles.end) {
                let path = path(particles, ball);
                if !overlap(&box_around(path), &bounds) {
                    continue;
                }
                let ball = ball as u32;
                if let Some(touch) = placed.touch(path, reach)
                    && collides(ball)
                {
                    let (point, other) = (WeightedPoint::at(ball), Other::Matter(touch.point));
                    let contact = Contact::new(particles, point, other, touch.normal, friction);
                    contacts.extend(contact.map(|it| it.with_distance(touch.distance)));
                }
            }
        }
    }
}
