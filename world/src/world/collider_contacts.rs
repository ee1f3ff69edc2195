//! Contacts of limbs and bodies with cloth and ropes, and with each other.

use std::collections::BTreeSet;
use std::ops::Range;

use taut_core::Particles;

use super::gathered::Gathered;
use super::{ModelRange, NumberMap};
use crate::body::{
    Collider, ColliderScratch, Contact, Limb, Limbs, Placed, PlacedLimb, Solver, WeightedPoint,
    box_around,
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
/// colliders. Colliders collide with balls, and bodies with the limbs of other models.
///
/// Contacts are found in the order of the colliders, and for each in the order of the balls and then
/// of the limbs, all as in the scene. So their order does not depend on islands, kernels and the broad
/// phase.
#[derive(Clone, Debug)]
pub(super) struct ColliderContacts<const D: usize> {
    balls: Vec<ModelBalls>,
    colliders: Vec<ModelCollider>,
    tied: Tied,
    gathered: Gathered<D>,
    /// The lower and upper corner of a box around each block of balls, before and now, m.
    blocks: Vec<[[f32; D]; 2]>,
    limbs: Vec<LimbInBox<D>>,
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

/// A limb or body.
#[derive(Clone, Debug)]
struct ModelCollider {
    collider: Collider,
    /// The number of its model in the scene.
    model: usize,
    settings: SelfCollision,
    /// Whether it was a limb around a stick that has torn.
    is_removed: bool,
}

/// A limb in a substep.
#[derive(Clone, Debug)]
struct LimbInBox<const D: usize> {
    /// The number of its collider.
    number: usize,
    placed: PlacedLimb<D>,
    /// The part of the limb in the distance that it keeps from bodies, m.
    gap: f32,
    /// The lower and upper corner of a box around it, grown by the gap, m.
    bounds: [[f32; D]; 2],
}

/// What is tied, and so does not collide, as numbers of colliders and balls.
#[derive(Clone, Debug, Default)]
struct Tied {
    /// Pairs of a collider and a ball.
    balls: BTreeSet<(usize, u32)>,
    /// Pairs of two colliders, in either order.
    colliders: BTreeSet<[usize; 2]>,
}

impl ModelCollider {
    /// Whether a limb and a body, in either order, may collide: those of one model do not.
    fn collides(&self, other: &Self) -> bool {
        self.model != other.model && self.settings.meets(&other.settings)
    }

    fn limb(&self) -> Option<Limb> {
        match self.collider {
            Collider::Limb(limb) if !self.is_removed => Some(limb),
            _ => None,
        }
    }
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
        // By model: the number of its first particle here.
        let mut first_of_model = Vec::new();
        for (number, ((_, model), range)) in scene.models().zip(ranges).enumerate() {
            let Some(settings) = model.self_collision else {
                first_of_model.push(None);
                continue;
            };
            let particles = gathered.add(range.particles.clone());
            first_of_model.push(Some(particles.start as u32));
            if model.has_colliders() {
                colliders.extend(Collider::all_of(model, particles.start as u32).map(|collider| {
                    ModelCollider { collider, model: number, settings, is_removed: false }
                }));
            } else {
                balls.push(ModelBalls { particles, settings });
            }
        }
        let limbs = count_of_limbs(&colliders);
        if colliders.is_empty() || balls.is_empty() && (limbs == 0 || limbs == colliders.len()) {
            return None;
        }
        let tied = Tied::new(scene, &first_of_model, &colliders);
        gathered.locate(numbers);
        let count: usize = balls.iter().map(|it| it.particles.len()).sum();
        Some(Self {
            blocks: Vec::with_capacity(count / BLOCK + balls.len()),
            limbs: Vec::with_capacity(limbs),
            balls,
            colliders,
            tied,
            moved: Vec::with_capacity(gathered.particles.len()),
            gathered,
            scratch: ColliderScratch::default(),
            contacts: Vec::with_capacity(count + 4 * limbs),
            solver: Solver::default(),
        })
    }

    /// Finds the particles in the islands, after their numbers there have changed.
    pub(super) fn locate(&mut self, numbers: &NumberMap) {
        self.gathered.locate(numbers);
    }

    /// Removes the limbs that an island no longer has.
    pub(super) fn remove_limbs(&mut self, island: usize, remaining: &Limbs<D>) {
        let remaining: BTreeSet<[u32; 2]> = remaining.all().iter().map(|limb| limb.ends).collect();
        let Self { colliders, gathered, .. } = self;
        for it in colliders {
            let Some(limb) = it.limb() else { continue };
            let [(of_limb, a), (_, b)] = limb.ends.map(|end| gathered.in_island(end as usize));
            it.is_removed = of_limb == island && !remaining.contains(&[a, b]);
        }
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
        let Self { balls, colliders, tied, gathered, blocks, limbs, scratch, contacts, .. } = self;
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
        limbs.clear();
        if count_of_limbs(colliders) < colliders.len() {
            limbs.extend(colliders.iter().enumerate().filter_map(|(number, it)| {
                let limb = it.limb()?;
                let placed = PlacedLimb::new(limb, particles);
                let gap = gap(&it.settings, slack) + slack * limb.radius;
                Some(LimbInBox { number, placed, gap, bounds: placed.bounds(gap) })
            }));
        }
        contacts.clear();
        let most = CONTACTS_MAX * particles.len();
        for (number, it) in colliders.iter().enumerate() {
            if it.is_removed {
                continue;
            }
            let Some(placed) = it.collider.placed(particles, scratch) else { continue };
            let mut first_block = 0;
            for of_model in &*balls {
                let count = of_model.particles.len().div_ceil(BLOCK);
                let blocks = &blocks[first_block..first_block + count];
                first_block += count;
                if it.settings.meets(&of_model.settings) {
                    let pair = Pair::new(&it.settings, of_model, &placed, slack);
                    let collides = |ball| !tied.balls.contains(&(number, ball));
                    pair.find(blocks, particles, collides, contacts);
                }
            }
            if let Placed::Hull(hull) = &placed {
                let gap = gap(&it.settings, slack);
                let bounds = hull.bounds(gap);
                for limb in limbs.iter().filter(|limb| overlap(&bounds, &limb.bounds)) {
                    let of_limb = &colliders[limb.number];
                    if it.collides(of_limb) && !tied.colliders.contains(&[number, limb.number]) {
                        let friction = it.settings.mean_friction(&of_limb.settings);
                        let deepest = limb.placed.deepest_in(hull, gap + limb.gap, particles);
                        for (point, contact_point) in deepest.into_iter().flatten() {
                            contacts.extend(contact_point.contact(particles, point, friction));
                        }
                    }
                }
            }
            contacts.truncate(most);
        }
    }
}

/// Half the distance that a model keeps, times `1 + slack`, m.
fn gap(settings: &SelfCollision, slack: f32) -> f32 {
    (1.0 + slack) * (0.5 * settings.distance())
}

fn count_of_limbs(colliders: &[ModelCollider]) -> usize {
    colliders.iter().filter(|it| matches!(it.collider, Collider::Limb(_))).count()
}

impl Tied {
    fn new<const D: usize>(
        scene: &Scene<D>,
        first_of_model: &[Option<u32>],
        colliders: &[ModelCollider],
    ) -> Self {
        let mut tied = Self::default();
        for tie in scene.ties() {
            // The tied particles of both models, and the colliders that these carry.
            let ends = [0, 1].map(|end: usize| {
                let model = tie.models[end];
                let first = first_of_model[model]?;
                let particles: Vec<u32> =
                    tie.points[end].terms().map(|(it, _)| first + it).collect();
                let carried = |it: &ModelCollider| {
                    it.model == model && particles.iter().any(|&of| it.collider.has_particle(of))
                };
                let all = colliders.iter().enumerate().filter(|(_, it)| carried(it));
                let carried: Vec<usize> = all.map(|(number, _)| number).collect();
                Some((particles, carried))
            });
            let [Some(one), Some(other)] = &ends else { continue };
            for ((particles, carried), (_, others)) in [(one, other), (other, one)] {
                for &collider in others {
                    tied.balls.extend(particles.iter().map(|&ball| (collider, ball)));
                    tied.colliders.extend(carried.iter().map(|&of_end| [collider, of_end]));
                }
            }
        }
        tied
    }
}

/// A collider and the balls of a model.
struct Pair<'a, const D: usize> {
    placed: &'a Placed<'a, D>,
    balls: &'a ModelBalls,
    /// The distance that the centres of the balls keep from the surface of the collider, m.
    contact_distance: f32,
    friction: f32,
}

impl<'a, const D: usize> Pair<'a, D> {
    fn new(
        collider: &SelfCollision,
        balls: &'a ModelBalls,
        placed: &'a Placed<'a, D>,
        slack: f32,
    ) -> Self {
        let contact_distance = gap(collider, slack) + gap(&balls.settings, slack);
        Self { placed, balls, contact_distance, friction: collider.mean_friction(&balls.settings) }
    }

    fn find(
        &self,
        blocks: &[[[f32; D]; 2]],
        particles: &Particles<D>,
        collides: impl Fn(u32) -> bool,
        contacts: &mut Vec<Contact<D>>,
    ) {
        let Self { placed, balls, contact_distance, friction } = *self;
        let bounds = placed.bounds(contact_distance);
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
                if let Some(contact_point) = placed.contact_point(path, contact_distance)
                    && collides(ball)
                {
                    contacts.extend(contact_point.contact(
                        particles,
                        WeightedPoint::at(ball),
                        friction,
                    ));
                }
            }
        }
    }
}
