//! Contacts of limbs and bodies with cloth and ropes, and of limbs with bodies.

use std::collections::BTreeSet;
use std::ops::Range;

use taut_core::Particles;

use super::gathered::GatheredParticles;
use super::{ModelRange, NumberMap};
use crate::body::{
    Collider, ColliderScratch, Contact, Limb, Limbs, Placed, PlacedLimb, Solver, WeightedPoint,
    box_around,
};
use crate::matter::Islands;
use crate::scene::Scene;
use crate::self_collision::SelfCollision;

/// Number of balls that share a box in the broad phase. Balls with consecutive numbers are near each
/// other in most models.
const CHUNK: usize = 32;
/// Largest number of contacts, as a multiple of the number of particles of models with
/// self-collision; further contacts are dropped. Only a heap of colliders in one place has so many.
const CONTACTS_PER_PARTICLE_MAX: usize = 8;

/// Models with self-collision, and the data of their contacts. The particles of cloth and ropes are
/// balls, and limbs and bodies are colliders. Colliders collide with balls, and bodies with the limbs
/// of other models.
///
/// Contacts are found in the order of the colliders; for each collider first those with balls, then
/// those with limbs. All of these are in the order of the scene. So the order of contacts does not
/// depend on islands, kernels and the broad phase.
#[derive(Clone, Debug)]
pub(super) struct ColliderContacts<const D: usize> {
    balls: Vec<ModelBalls>,
    colliders: Vec<ModelCollider>,
    tied: TiedPairs,
    gathered: GatheredParticles<D>,
    /// For each chunk of balls, the lower and upper corner, m, of a box around their positions at the
    /// beginning of the substep and now.
    chunks: Vec<[[f32; D]; 2]>,
    limbs: Vec<LimbInBox<D>>,
    scratch: ColliderScratch<D>,
    contacts: Vec<Contact<D>>,
    solver: Solver<D>,
    /// The particles that contacts have moved, by their indices in `gathered`.
    moved: Vec<u32>,
}

/// The balls of a model.
#[derive(Clone, Debug)]
struct ModelBalls {
    /// Its particles, by their indices in [`GatheredParticles`].
    particles: Range<usize>,
    settings: SelfCollision,
}

/// A limb or body.
#[derive(Clone, Debug)]
struct ModelCollider {
    collider: Collider,
    /// The index of its model in the scene.
    model: usize,
    settings: SelfCollision,
    /// Whether it is a limb that was removed because its stick tore.
    is_removed: bool,
}

/// A limb at its place in a substep.
#[derive(Clone, Debug)]
struct LimbInBox<const D: usize> {
    /// Its index in [`ColliderContacts::colliders`].
    collider: usize,
    placed: PlacedLimb<D>,
    /// What the limb contributes, in addition to its radius, to the distance that it keeps from bodies,
    /// m.
    gap: f32,
    /// The lower and upper corner of a box around the limb, enlarged by the gap, m.
    bounds: [[f32; D]; 2],
}

/// Tied pairs, which do not collide, as indices of colliders and balls.
#[derive(Clone, Debug, Default)]
struct TiedPairs {
    /// Pairs of a collider and a ball.
    balls: BTreeSet<(usize, u32)>,
    /// Pairs of two colliders; each pair is stored in both orders.
    colliders: BTreeSet<[usize; 2]>,
}

impl ModelCollider {
    /// Whether a limb and a body, in either order, may collide. They do not if both are of one
    /// model.
    fn collides_with(&self, other: &Self) -> bool {
        self.model != other.model && self.settings.collides_with(&other.settings)
    }

    /// The limb, if the collider is one that was not removed.
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

/// The positions of a particle at the beginning of this substep and now, m.
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
        let mut gathered = GatheredParticles::new();
        let (mut balls, mut colliders) = (Vec::new(), Vec::new());
        // For each model, the index of its first particle in `gathered`.
        let mut first_of_model = Vec::new();
        for (index, ((_, model), range)) in scene.models().zip(ranges).enumerate() {
            let Some(settings) = model.resolved_self_collision() else {
                first_of_model.push(None);
                continue;
            };
            let particles = gathered.add(range.particles.clone());
            first_of_model.push(Some(particles.start as u32));
            if model.has_colliders() {
                colliders.extend(Collider::all_of(model, particles.start as u32).map(|collider| {
                    ModelCollider { collider, model: index, settings, is_removed: false }
                }));
            } else {
                balls.push(ModelBalls { particles, settings });
            }
        }
        let limbs = limb_count(&colliders);
        if colliders.is_empty() || balls.is_empty() && (limbs == 0 || limbs == colliders.len()) {
            return None;
        }
        let tied = TiedPairs::new(scene, &first_of_model, &colliders);
        gathered.update_numbers(numbers);
        let ball_count: usize = balls.iter().map(|it| it.particles.len()).sum();
        Some(Self {
            chunks: Vec::with_capacity(ball_count / CHUNK + balls.len()),
            limbs: Vec::with_capacity(limbs),
            balls,
            colliders,
            tied,
            moved: Vec::with_capacity(gathered.particles.len()),
            gathered,
            scratch: ColliderScratch::default(),
            // An estimate of how many there will be; the list grows if there are more.
            contacts: Vec::with_capacity(ball_count + 4 * limbs),
            solver: Solver::default(),
        })
    }

    /// Finds the particles in the islands, after their numbers there have changed.
    pub(super) fn locate(&mut self, numbers: &NumberMap) {
        self.gathered.update_numbers(numbers);
    }

    /// Removes the limbs that an island no longer has.
    pub(super) fn remove_limbs(&mut self, island: usize, remaining: &Limbs<D>) {
        let remaining: BTreeSet<[u32; 2]> = remaining.all().iter().map(|limb| limb.ends).collect();
        let Self { colliders, gathered, .. } = self;
        for collider in colliders {
            let Some(limb) = collider.limb() else { continue };
            let [(limb_island, a), (_, b)] = limb.ends.map(|end| gathered.locate(end as usize));
            collider.is_removed = limb_island == island && !remaining.contains(&[a, b]);
        }
    }

    /// Whether an island has balls or colliders.
    pub(super) fn has_particles_in(&self, island: usize) -> bool {
        self.gathered.has_particles_in(island)
    }

    /// Copies the particles of an island that sleeps, for contacts with other islands, as if they were
    /// pinned.
    pub(super) fn read_asleep(&mut self, island: usize, particles: &Particles<D>) {
        self.gathered.read_asleep(island, particles);
    }

    /// Resolves the contacts of a pass.
    pub(super) fn resolve(&mut self, islands: &mut Islands<'_, D>) {
        if !self.gathered.read(islands) {
            return;
        }
        self.find_contacts(0.0);
        let Self { gathered, contacts, solver, moved, .. } = self;
        if contacts.is_empty() {
            return;
        }
        solver.resolve(contacts, &mut gathered.particles);
        moved.clear();
        moved.extend_from_slice(solver.particles());
        moved.sort_unstable();
        gathered.write_back(moved, islands);
    }

    /// The number of pairs that are at most `1 + slack` times as far apart as when they just touch,
    /// and the greatest penetration, m. Particles are treated as at rest.
    pub(super) fn touching_and_depth<'a>(
        &mut self,
        particles_of: impl Fn(usize) -> &'a Particles<D>,
        slack: f32,
    ) -> (usize, f32) {
        self.gathered.read_at_rest(particles_of);
        self.find_contacts(slack);
        let touching = self.contacts.len();
        self.find_contacts(0.0);
        let depths = self.contacts.iter().map(|it| it.depth(&self.gathered.particles));
        (touching, depths.fold(0.0, f32::max))
    }

    /// Finds the pairs that are at most `1 + slack` times as far apart as when they just touch. With a
    /// slack of 0 these are the contacts of a pass.
    fn find_contacts(&mut self, slack: f32) {
        let Self { balls, colliders, tied, gathered, chunks, limbs, scratch, contacts, .. } = self;
        let particles = &gathered.particles;
        chunks.clear();
        for model in &*balls {
            let chunk = |first: usize| first..(first + CHUNK).min(model.particles.end);
            let chunks_of_model = model.particles.clone().step_by(CHUNK).map(chunk);
            chunks.extend(
                chunks_of_model
                    .map(|chunk| box_around(chunk.flat_map(|particle| path(particles, particle)))),
            );
        }
        limbs.clear();
        if limb_count(colliders) < colliders.len() {
            limbs.extend(colliders.iter().enumerate().filter_map(|(collider, it)| {
                let limb = it.limb()?;
                let placed = PlacedLimb::new(limb, particles);
                // The radius of the limb, without slack, is part of `placed`.
                let gap = gap(&it.settings, slack) + slack * limb.radius;
                Some(LimbInBox { collider, placed, gap, bounds: placed.bounds(gap) })
            }));
        }
        contacts.clear();
        let contacts_max = CONTACTS_PER_PARTICLE_MAX * particles.len();
        for (index, own) in colliders.iter().enumerate() {
            if own.is_removed {
                continue;
            }
            let Some(placed) = own.collider.placed(particles, scratch) else { continue };
            let mut first_chunk = 0;
            for model in &*balls {
                let count = model.particles.len().div_ceil(CHUNK);
                let chunks = &chunks[first_chunk..first_chunk + count];
                first_chunk += count;
                if own.settings.collides_with(&model.settings) {
                    let pair = Pair::new(&own.settings, model, &placed, slack);
                    let is_untied = |ball| !tied.balls.contains(&(index, ball));
                    pair.find_contacts(chunks, particles, is_untied, contacts);
                }
            }
            if let Placed::Hull(hull) = &placed {
                let gap = gap(&own.settings, slack);
                let bounds = hull.bounds(gap);
                for limb in limbs.iter().filter(|limb| overlap(&bounds, &limb.bounds)) {
                    let other = &colliders[limb.collider];
                    if own.collides_with(other) && !tied.colliders.contains(&[index, limb.collider])
                    {
                        let friction = own.settings.mean_friction(&other.settings);
                        let deepest = limb.placed.deepest_in(hull, gap + limb.gap, particles);
                        for (point, contact_point) in deepest.into_iter().flatten() {
                            contacts.extend(contact_point.contact(particles, point, friction));
                        }
                    }
                }
            }
            contacts.truncate(contacts_max);
        }
    }
}

/// Half the thickness of a model, times `1 + slack`, m: what the model contributes to the distance that
/// it keeps from other models.
fn gap(settings: &SelfCollision, slack: f32) -> f32 {
    (1.0 + slack) * (0.5 * settings.distance())
}

/// Number of limbs among the colliders.
fn limb_count(colliders: &[ModelCollider]) -> usize {
    colliders.iter().filter(|it| matches!(it.collider, Collider::Limb(_))).count()
}

impl TiedPairs {
    /// The tied pairs of a scene; `first_of_model` has the index of each model's first particle in the
    /// gathered particles.
    fn new<const D: usize>(
        scene: &Scene<D>,
        first_of_model: &[Option<u32>],
        colliders: &[ModelCollider],
    ) -> Self {
        let mut tied = Self::default();
        for tie in scene.ties() {
            // For each end, its tied particles in `gathered`, and the indices of their colliders.
            let ends = [0, 1].map(|end: usize| {
                let model = tie.models[end];
                let first = first_of_model[model]?;
                let particles: Vec<u32> =
                    tie.points[end].terms().map(|(particle, _)| first + particle).collect();
                let is_tied = |it: &ModelCollider| {
                    let has_particle = |&particle: &u32| it.collider.has_particle(particle);
                    it.model == model && particles.iter().any(has_particle)
                };
                let all = 0..colliders.len();
                let indices: Vec<usize> = all.filter(|&it| is_tied(&colliders[it])).collect();
                Some((particles, indices))
            });
            let [Some(one), Some(other)] = &ends else { continue };
            for ((balls, own), (_, others)) in [(one, other), (other, one)] {
                for &collider in others {
                    tied.balls.extend(balls.iter().map(|&ball| (collider, ball)));
                    tied.colliders.extend(own.iter().map(|&it| [collider, it]));
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

    /// Appends the contacts of the collider with the balls for which `may_collide` is true.
    /// `chunks` are the boxes around the chunks of the balls.
    fn find_contacts(
        &self,
        chunks: &[[[f32; D]; 2]],
        particles: &Particles<D>,
        may_collide: impl Fn(u32) -> bool,
        contacts: &mut Vec<Contact<D>>,
    ) {
        let Self { placed, balls, contact_distance, friction } = *self;
        let bounds = placed.bounds(contact_distance);
        for (chunk, first) in chunks.iter().zip(balls.particles.clone().step_by(CHUNK)) {
            if !overlap(chunk, &bounds) {
                continue;
            }
            for ball in first..(first + CHUNK).min(balls.particles.end) {
                let path = path(particles, ball);
                if !overlap(&box_around(path), &bounds) {
                    continue;
                }
                let ball = ball as u32;
                if let Some(contact_point) = placed.contact_point(path, contact_distance)
                    && may_collide(ball)
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
