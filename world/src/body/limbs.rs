//! Limbs: capsules around sticks, and their contacts.

use taut_core::Particles;

use super::WeightedPoint;
use super::contact::{Contact, OtherSide, Solver};
use super::own_limbs::OwnLimbOverlaps;
use super::segments::nearest_points;
use super::weighted_point::Probe;
use crate::obstacle::LimbContacts;
use crate::surface::{Nearest, Surface};
use crate::sweep::{self, BoundingBox};
use crate::tiles::BOX_MAX;
use crate::vector::{difference, dot, length, to_f64};

/// A capsule whose axis joins two particles; a ball if both are the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limb {
    /// The particles, by their indices in the model.
    pub ends: [u32; 2],
    /// The radius, m.
    pub radius: f32,
    /// Its owner, such as a ragdoll. Limbs of one owner collide with each other only if
    /// [`LimbContacts::own_limbs`](crate::LimbContacts) is set.
    pub owner: u32,
}

impl Limb {
    /// The point of its axis at `fraction` of its length from the first end.
    pub(crate) fn point(&self, fraction: f32) -> WeightedPoint {
        match self.ends {
            [a, b] if a == b => WeightedPoint::at(a), // weights of ½ and ½ would halve `Σ c² w`
            ends => WeightedPoint::on_stick(ends, fraction),
        }
    }

    /// Whether it has a particle in common with another.
    pub(super) fn shares_particle_with(&self, other: &Self) -> bool {
        self.ends.iter().any(|end| other.ends.contains(end))
    }

    /// Its bounding box, with `margin` on each side, m. `object` is the index that the box stores.
    pub(super) fn bounds<const D: usize>(
        &self,
        object: usize,
        particles: &Particles<D>,
        margin: f64,
    ) -> BoundingBox<D> {
        let [a, b] = self.ends.map(|end| to_f64(particles.position(end as usize)));
        let distance = f64::from(self.radius) + margin;
        let bound = |axis: usize, upper: bool| {
            let outer = if (a[axis] < b[axis]) == upper { b[axis] } else { a[axis] };
            if upper { outer + distance } else { outer - distance }
        };
        BoundingBox {
            object,
            low: core::array::from_fn(|axis| bound(axis, false)),
            high: core::array::from_fn(|axis| bound(axis, true)),
        }
    }

    /// For each half of its axis the [sample point](samples) closest to an obstacle and its distance,
    /// if within `contact_distance`, m.
    fn deepest<const D: usize>(
        &self,
        particles: &Particles<D>,
        nearest: &impl Fn(&Particles<D>, &Probe) -> Nearest<D>,
        contact_distance: f32,
    ) -> [Option<(Probe, Nearest<D>)>; 2] {
        let probe = |fraction: f32, contact_distance: f32| {
            let point = self.point(fraction);
            Probe { point, inner: point, contact_distance }
        };
        let [a, b] = self.ends.map(|end| particles.position(end as usize));
        let half_length = 0.5 * length(difference(b, a));
        let mut found = [None, None];
        // Most limbs are far from the obstacle: a ball around the whole limb is tested first.
        if nearest(particles, &probe(0.5, contact_distance + half_length)).distance
            >= contact_distance + half_length
        {
            return found;
        }
        for fractions in samples(half_length, contact_distance) {
            for (found, fraction) in found.iter_mut().zip(fractions) {
                let probe = probe(fraction, contact_distance);
                let nearest = nearest(particles, &probe);
                if nearest.distance
                    < found.map_or(contact_distance, |(_, deepest)| deepest.distance)
                {
                    *found = Some((probe, nearest));
                }
            }
        }
        found
    }
}

/// Largest number of segments between the sample points of half a limb.
const SEGMENTS_MAX: f32 = 8.0;
/// Smallest distance between sample points, m: avoids a division by 0 for a limb with the radius 0.
const SPACING_MIN: f32 = 1e-6;

/// Sample points of the two halves of an axis, as fractions of the whole axis: pairs of one point of
/// each half, from the ends to the middle. Each half is `half_length` long, m. Neighbouring sample
/// points are at most `radius`, m, apart, unless that needs more than [`SEGMENTS_MAX`] segments. A sharp
/// edge of an obstacle between two of them then penetrates a capsule of that radius by less than a
/// seventh of the radius.
pub(super) fn samples(half_length: f32, radius: f32) -> impl Iterator<Item = [f32; 2]> {
    let segments = half_length / radius.max(SPACING_MIN);
    let segments = if segments < SEGMENTS_MAX { segments.ceil() } else { SEGMENTS_MAX };
    #[allow(clippy::cast_sign_loss, reason = "a count")]
    let last = segments as u32;
    (0..=last).map(move |segment| {
        let fraction = 0.5 * (segment as f32 / segments.max(1.0));
        [fraction, 1.0 - fraction]
    })
}

/// The limbs of a model. They collide with every [`Solid`](crate::Solid) (a ridge thinner than a
/// limb may pass if the limb moves by more than its radius in a substep), and with each other if
/// [`LimbContacts`](crate::LimbContacts) are among the obstacles.
///
/// ```
/// use taut_world::{Model, Ragdoll};
///
/// let doll = Model::<3>::ragdoll(&Ragdoll::default())?;
/// let thickest = doll.limbs.all().iter().map(|limb| limb.radius).fold(0.0, f32::max);
/// assert!((0.05..0.2).contains(&thickest));
/// # Ok::<(), taut_world::ModelError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Limbs<const D: usize = 3> {
    all: Vec<Limb>,
    /// Number of owners so far, including owners whose limbs were removed.
    owners: u32,
    own_overlaps: OwnLimbOverlaps,
}

impl<const D: usize> Limbs<D> {
    /// All limbs.
    pub fn all(&self) -> &[Limb] {
        &self.all
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether limbs were ever added, even if all of them have been removed since.
    pub(crate) fn had_any(&self) -> bool {
        self.owners > 0
    }

    /// Resolves collisions with an obstacle at the deepest point of each half of a limb.
    /// `may_reach_box` tells whether the obstacle may be closer than a distance, m, to a point of
    /// the box between two corners; `nearest` gives the distance of a point from the obstacle,
    /// `displacement` the displacement of the obstacle at a point in this substep, m.
    pub(crate) fn resolve(
        &self,
        particles: &mut Particles<D>,
        may_reach_box: impl Fn([[f32; D]; 2], f32) -> bool,
        nearest: impl Fn(&Particles<D>, &Probe) -> Nearest<D>,
        displacement: impl Fn([f32; D]) -> [f32; D],
        surface: &Surface,
        scratch: &mut LimbScratch<D>,
    ) {
        if self.all.is_empty() {
            return;
        }
        let LimbScratch { obstacle_contacts, solver, .. } = scratch;
        let friction = surface.friction;
        obstacle_contacts.clear();
        obstacle_contacts.reserve(2);
        solver.reserve(obstacle_contacts.capacity(), particles.len());
        for of_owner in self.all.chunk_by(|one, other| one.owner == other.owner) {
            let largest_distance = surface.thickness + largest_radius(of_owner);
            let corners = bounding_box(of_owner, particles);
            let bounded = corners.as_flattened().iter().all(|x| x.abs() <= BOX_MAX);
            if bounded && !may_reach_box(corners, largest_distance) {
                continue;
            }
            for limb in of_owner {
                obstacle_contacts.clear();
                let contact_distance = surface.thickness + limb.radius;
                let deepest = limb.deepest(particles, &nearest, contact_distance);
                for (probe, nearest) in deepest.into_iter().flatten() {
                    obstacle_contacts.extend(Contact::with_obstacle(
                        particles,
                        probe,
                        nearest,
                        friction,
                        &displacement,
                    ));
                }
                if !obstacle_contacts.is_empty() {
                    solver.resolve(obstacle_contacts, particles);
                }
            }
        }
    }

    /// Greatest penetration of a movable limb into an obstacle, m; 0 if none.
    pub(crate) fn depth(
        &self,
        particles: &Particles<D>,
        nearest: impl Fn(&Particles<D>, &Probe) -> Nearest<D>,
        thickness: f32,
    ) -> f32 {
        let mut largest = 0.0;
        for limb in &self.all {
            let contact_distance = thickness + limb.radius;
            let deepest = limb.deepest(particles, &nearest, contact_distance);
            for (probe, nearest) in deepest.into_iter().flatten() {
                let depth = contact_distance - nearest.distance;
                if depth > largest && probe.point.inverse_mass(particles) > 0.0 {
                    largest = depth;
                }
            }
        }
        largest
    }

    /// Adds limbs with a common, new owner. `particles` are at rest.
    pub(crate) fn extend(
        &mut self,
        limbs: impl IntoIterator<Item = ([u32; 2], f32)>,
        particles: &Particles<D>,
    ) {
        let (owner, first) = (self.owners, self.all.len());
        self.all.extend(limbs.into_iter().map(|(ends, radius)| Limb { ends, radius, owner }));
        self.own_overlaps.extend(&self.all, first, particles);
        self.owners += 1;
    }

    /// Keeps the limbs whose ends satisfy `keep`, in the same order; returns whether any are removed.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut([u32; 2]) -> bool) -> bool {
        let mut kept = 0;
        let new_indices: Vec<Option<usize>> = self
            .all
            .iter()
            .map(|limb| {
                let new = keep(limb.ends).then_some(kept);
                kept += usize::from(new.is_some());
                new
            })
            .collect();
        if kept == self.all.len() {
            return false;
        }
        let mut indices = new_indices.iter();
        self.all.retain(|_| indices.next().is_some_and(Option::is_some));
        self.own_overlaps.retain(|old| new_indices[old]);
        true
    }

    /// Whether any limbs can collide with each other.
    pub(crate) fn may_collide(&self, settings: &LimbContacts) -> bool {
        self.owners > 1 || settings.own_limbs && self.all.len() > 1
    }

    /// The distance that the axes of two limbs keep, m; None if they do not collide.
    fn distance(&self, pair: [usize; 2], settings: &LimbContacts) -> Option<f32> {
        let [one, other] = pair.map(|limb| &self.all[limb]);
        if one.shares_particle_with(other) {
            None
        } else if one.owner != other.owner {
            Some(one.radius + other.radius)
        } else if settings.own_limbs {
            self.own_overlaps.distance(&self.all, pair)
        } else {
            None
        }
    }

    /// Moves limbs apart. Contacts up to a distance of the margin are found once per substep; if the
    /// settings differ from those of the previous call, they are found again.
    pub(crate) fn resolve_contacts(
        &self,
        particles: &mut Particles<D>,
        settings: &LimbContacts,
        scratch: &mut LimbScratch<D>,
    ) {
        if scratch.found_for != Some(*settings) {
            scratch.find(self, particles, settings);
            scratch.found_for = Some(*settings);
        }
        let LimbScratch { contacts, solver, .. } = scratch;
        solver.resolve(contacts, particles);
    }

    /// Greatest mutual penetration of limbs, m; 0 if none.
    pub(crate) fn depth_in_each_other(
        &self,
        particles: &Particles<D>,
        settings: &LimbContacts,
    ) -> f32 {
        let mut scratch = LimbScratch::default();
        scratch.find(self, particles, &LimbContacts { margin: 0.0, ..*settings });
        scratch.contacts.iter().fold(0.0, |deepest, contact| {
            let depth = contact.depth(particles);
            if depth > deepest { depth } else { deepest }
        })
    }

    /// Appends the limbs of another model, whose first particle gets the index `first`.
    pub(crate) fn append(&mut self, others: &Self, first: u32) {
        let owners = self.owners;
        self.own_overlaps.append(&others.own_overlaps, self.all.len());
        self.all.extend(others.all.iter().map(|limb| Limb {
            ends: limb.ends.map(|end| first + end),
            owner: owners + limb.owner,
            ..*limb
        }));
        self.owners += others.owners;
    }

    /// The limbs with renumbered particles.
    pub(crate) fn renumbered(&self, new_of: impl Fn(u32) -> u32) -> Self {
        let limb = |limb: &Limb| Limb { ends: limb.ends.map(&new_of), ..*limb };
        Self { all: self.all.iter().map(limb).collect(), ..self.clone() }
    }
}

/// The largest radius of some limbs, m.
fn largest_radius(limbs: &[Limb]) -> f32 {
    limbs
        .iter()
        .fold(0.0, |largest, limb| if limb.radius > largest { limb.radius } else { largest })
}

/// The lower and the upper corner of the bounding box of the axes of some limbs, m.
fn bounding_box<const D: usize>(limbs: &[Limb], particles: &Particles<D>) -> [[f32; D]; 2] {
    let (mut low, mut high) = ([f32::INFINITY; D], [f32::NEG_INFINITY; D]);
    for axis in 0..D {
        let column = particles.positions(axis);
        for end in limbs.iter().flat_map(|limb| limb.ends) {
            let x = column[end as usize];
            low[axis] = if x < low[axis] { x } else { low[axis] };
            high[axis] = if x > high[axis] { x } else { high[axis] };
        }
    }
    [low, high]
}

/// Reused buffers, and the contacts of limbs, which the passes of a substep share.
#[derive(Clone, Debug, Default)]
pub(crate) struct LimbScratch<const D: usize> {
    boxes: Vec<BoundingBox<D>>,
    /// Pairs of limbs whose bounding boxes overlap.
    pairs: Vec<[usize; 2]>,
    /// The contacts of limbs with each other.
    contacts: Vec<Contact<D>>,
    /// The contacts of a limb with an obstacle.
    obstacle_contacts: Vec<Contact<D>>,
    solver: Solver<D>,
    /// The settings for which `contacts` were found in this substep.
    found_for: Option<LimbContacts>,
}

impl<const D: usize> LimbScratch<D> {
    /// Discards the contacts at the beginning of a substep, so that the next pass finds new ones.
    pub(crate) fn discard_contacts(&mut self) {
        self.found_for = None;
    }

    /// Finds the contacts of all pairs that are nearer than the margin.
    fn find(&mut self, limbs: &Limbs<D>, particles: &Particles<D>, settings: &LimbContacts) {
        let Self { boxes, pairs, contacts, .. } = self;
        let (all, half_margin) = (&limbs.all, 0.5 * f64::from(settings.margin));
        boxes.clear();
        pairs.clear();
        // Enough for a pile of limbs, so that later steps do not allocate.
        pairs.reserve(8 * all.len());
        let limbs_by_index = all.iter().enumerate();
        boxes
            .extend(limbs_by_index.map(|(index, limb)| limb.bounds(index, particles, half_margin)));
        let distance =
            |one: usize, other: usize| limbs.distance([one.min(other), one.max(other)], settings);
        sweep::pairs(boxes, |one, other| distance(one, other).is_some(), pairs);
        contacts.clear();
        contacts.reserve(4 * all.len());
        for &[one, other] in &*pairs {
            contacts.extend(distance(one, other).and_then(|distance| {
                contact([&all[one], &all[other]], particles, distance, settings)
            }));
        }
    }
}

/// The nearest points of the axes of two limbs.
fn nearest_on_axes<const D: usize>(
    limbs: [&Limb; 2],
    particles: &Particles<D>,
) -> [WeightedPoint; 2] {
    let ends = limbs.map(|limb| limb.ends.map(|end| particles.position(end as usize)));
    let fractions = nearest_points(ends);
    core::array::from_fn(|i| limbs[i].point(fractions[i]))
}

/// The distance of the axes of two limbs, m.
pub(super) fn axis_distance<const D: usize>(limbs: [&Limb; 2], particles: &Particles<D>) -> f32 {
    let [p, q] = nearest_on_axes(limbs, particles);
    length(difference(p.position(particles), q.position(particles)))
}

/// The contact of two limbs whose axes keep `contact_distance`, m. None if the axes are farther apart
/// than that plus the margin, if neither limb can move, or if the normal cannot be determined.
fn contact<const D: usize>(
    limbs: [&Limb; 2],
    particles: &Particles<D>,
    contact_distance: f32,
    &LimbContacts { friction, margin, .. }: &LimbContacts,
) -> Option<Contact<D>> {
    let [p, q] = nearest_on_axes(limbs, particles);
    let offset = difference(p.position(particles), q.position(particles));
    let previous_offset = difference(p.previous(particles), q.previous(particles));
    let distance = length(offset);
    if distance > contact_distance + margin {
        return None;
    }
    // If the axes crossed in this substep, the normal points to the previous side. An offset of less
    // than 1 µm has no reliable direction.
    let crossed = dot(offset, previous_offset) < 0.0;
    let out = if crossed || distance < 1e-6 { previous_offset } else { offset };
    let out_length = length(out);
    let normal = out.map(|x| x / out_length);
    (out_length >= 1e-6)
        .then(|| Contact::new(particles, p, OtherSide::Movable(q), normal, friction))?
        .map(|contact| contact.with_distance(contact_distance))
}
