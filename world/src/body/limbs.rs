//! Limbs: sticks with a thickness, which keep out of each other.

use taut_core::{ParticleError, Particles};

use super::Anchor;
use super::anchor::Probe;
use super::contact::{Contact, Other, Solver};
use crate::model::{Model, ModelError};
use crate::obstacle::{Nearest, Obstacle, Surface};
use crate::sweep::{Extent, pairs};
use crate::vector::{difference, dot, length, wide};
use crate::world::{Matter, Moment};

/// A capsule whose axis goes from particle to particle; a ball, if both are the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limb {
    /// The particles, by their numbers in the model.
    pub ends: [u32; 2],
    /// m.
    pub radius: f32,
    /// Whose it is: limbs of one owner do not meet.
    pub owner: u32,
}

impl Limb {
    /// The point of its axis at a share of its length from the first end.
    fn point(&self, share: f32) -> Anchor {
        match self.ends {
            [a, b] if a == b => Anchor::at(a), // of which half and half would weigh too little
            ends => Anchor::on_stick(ends, share),
        }
    }

    /// The points of its axis that are deepest within `reach` of an obstacle, m: of each half that has
    /// such a point one, and how deep it is, m. Points are looked at as close as they reach far:
    /// between two of them an edge gets in by less than an eighth of that.
    fn deepest<const D: usize>(
        &self,
        particles: &Particles<D>,
        near: impl Fn(&Particles<D>, &Probe) -> Nearest<D>,
        reach: f32,
    ) -> [Option<(Probe, Nearest<D>)>; 2] {
        let probe = |share: f32, reach: f32| {
            let point = self.point(share);
            Probe { point, inner: point, reach }
        };
        let [a, b] = self.ends.map(|end| particles.position(end as usize));
        let half = 0.5 * length(difference(b, a));
        let mut found = [None, None];
        // Most are off it altogether, and done with.
        if near(particles, &probe(0.5, reach + half)).distance >= reach + half {
            return found;
        }
        let pieces = half / reach.max(MIN_REACH);
        let pieces = if pieces < MOST_PIECES { pieces.ceil() } else { MOST_PIECES };
        #[allow(clippy::cast_sign_loss, reason = "a count")]
        let last = pieces as u32;
        for piece in 0..=last {
            let share = 0.5 * (piece as f32 / pieces.max(1.0));
            for (found, share) in found.iter_mut().zip([share, 1.0 - share]) {
                let probe = probe(share, reach);
                let near = near(particles, &probe);
                if near.distance < found.map_or(reach, |(_, deepest)| deepest.distance) {
                    *found = Some((probe, near));
                }
            }
        }
        found
    }
}

/// In how many pieces half of a limb is looked at, at most, however thin it is.
const MOST_PIECES: f32 = 8.0;
/// m.
const MIN_REACH: f32 = 1e-6;

/// The limbs of a model. They keep out of every [`Solid`](crate::Solid) (but a ridge thinner than they
/// are may get through one that moves by more than its radius in a substep), and where
/// [`LimbContacts`] are among the obstacles out of each other.
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
    owners: u32,
    /// Memory that is used again in every pass, no part of the state.
    scratch: Scratch<D>,
}

impl<const D: usize> Limbs<D> {
    /// Each of them.
    pub fn all(&self) -> &[Limb] {
        &self.all
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Keeps limbs out of an obstacle, between their ends, too: each half of a limb where it is
    /// deepest. `near` says how far it is from a point to the obstacle, and `drift` how far the
    /// obstacle moved at a point in this substep, m.
    pub(crate) fn keep_out(
        &mut self,
        particles: &mut Particles<D>,
        near: impl Fn(&Particles<D>, &Probe) -> Nearest<D>,
        drift: impl Fn([f32; D]) -> [f32; D],
        surface: &Surface,
    ) {
        if self.all.is_empty() {
            return;
        }
        let Scratch { met, solver, .. } = &mut self.scratch;
        met.clear();
        met.reserve(2);
        solver.reserve(met.capacity(), particles.len());
        for limb in &self.all {
            met.clear();
            let reach = surface.thickness + limb.radius;
            for (probe, near) in limb.deepest(particles, &near, reach).into_iter().flatten() {
                let Probe { point, .. } = probe;
                met.extend(Contact::with_obstacle(particles, point, near, reach, &drift));
            }
            if !met.is_empty() {
                solver.resolve(met, surface.friction, particles);
            }
        }
    }

    /// How deep the deepest limb that can move is in an obstacle, m; 0 if none is.
    pub(crate) fn depth(
        &self,
        particles: &Particles<D>,
        near: impl Fn(&Particles<D>, &Probe) -> Nearest<D>,
        thickness: f32,
    ) -> f32 {
        let mut deepest = 0.0;
        for limb in &self.all {
            let reach = thickness + limb.radius;
            for (probe, near) in limb.deepest(particles, &near, reach).into_iter().flatten() {
                let depth = reach - near.distance;
                if depth > deepest && probe.point.inverse_mass(particles) > 0.0 {
                    deepest = depth;
                }
            }
        }
        deepest
    }

    /// The limbs of a model that comes after others, the first of its particles becoming number
    /// `first`.
    pub(crate) fn append(&mut self, others: &Self, first: u32) {
        let owners = self.owners;
        self.all.extend(others.all.iter().map(|limb| Limb {
            ends: limb.ends.map(|end| first + end),
            owner: owners + limb.owner,
            ..*limb
        }));
        self.owners += others.owners;
    }

    /// The same between particles of new names.
    pub(crate) fn renumbered(&self, new_of: impl Fn(u32) -> u32) -> Self {
        let limb = |limb: &Limb| Limb { ends: limb.ends.map(&new_of), ..*limb };
        Self { all: self.all.iter().map(limb).collect(), ..self.clone() }
    }
}

impl<const D: usize> Model<D> {
    /// The same with limbs, which are of one owner: each between two particles, or around one, and
    /// so thick, m. They meet the limbs of others where [`LimbContacts`] are among the obstacles.
    ///
    /// ```
    /// use taut_world::{Model, Rope};
    ///
    /// let rope = Model::rope(&[[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]], &Rope::default())?;
    /// let links = rope.sticks.ends().to_vec();
    /// let thick = rope.with_limbs(links.into_iter().map(|link| (link, 0.02)))?;
    /// assert_eq!(thick.limbs.all().len(), thick.sticks.len());
    /// # Ok::<(), taut_world::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// An end that is no particle, or a radius that is not from 0 to 1e12 m.
    pub fn with_limbs(
        mut self,
        limbs: impl IntoIterator<Item = ([u32; 2], f32)>,
    ) -> Result<Self, ModelError> {
        let (owner, particles) = (self.limbs.owners, self.particles.len());
        for (ends, radius) in limbs {
            if let Some(&particle) = ends.iter().find(|&&end| end as usize >= particles) {
                let particle = particle as usize;
                return Err(ParticleError::NoSuchParticle { particle, particles }.into());
            }
            let sane = 0.0..=taut_core::COORDINATE_MAX;
            ModelError::check("the radius of a limb, m,", radius.into(), sane, "from 0 to 1e12")?;
            self.limbs.all.push(Limb { ends, radius, owner });
        }
        self.limbs.owners += 1;
        Ok(self)
    }
}

/// Limbs of different owners keep out of each other, as the arms and legs of
/// [ragdolls](crate::Ragdoll) do: capsules around sticks.
///
/// Pairs whose bounding boxes overlap are found by sweeping along an axis, and where they are
/// nearest to each other as in Ericson, "Real-Time Collision Detection", 5.1.9: once a substep, from
/// where they are and were alone. Each pair is moved apart by the weights of the particles that
/// carry the two nearest points, equations (*) and (**) of Jakobsen 2001, with friction after Coulomb.
/// A limb that went through another's axis in a substep is brought back to its side.
///
/// Limbs are flesh: they do not bounce, whatever they hit. And those of one doll do not meet: the
/// limits of its joints keep them off each other where they can, and an arm may swing through the
/// trunk. (Many touch each other as they are built.)
///
/// ```
/// use std::sync::Arc;
///
/// use taut_scalar::ScalarKernel;
/// use taut_world::{LimbContacts, Model, Rope, Scene, World};
///
/// // A stick, 20 cm thick, falls across another that is pinned.
/// let stick = |along: [f32; 3]| {
///     let rod = Rope { spacing: 10.0, ..Rope::default() };
///     Model::rope(&[along.map(|x| -x), along], &rod)?.with_limbs([([0, 1], 0.1)])
/// };
/// let mut scene = Scene::new();
/// scene.add("bar", stick([1.0, 0.0, 0.0])?.pinned("ends"))?;
/// scene.add("stick", stick([0.0, 0.0, 1.0])?.moved([0.0, 0.5, 0.0]))?;
/// scene.obstacles.push(Arc::new(LimbContacts::default()));
/// scene.settings.step.substeps = 4;
/// let mut world = World::new(&scene, |_| ScalarKernel)?;
/// for _ in 0..60 {
///     assert!(world.step()?.finite);
/// }
/// let [_, y, _] = world.position(2);
/// assert!((y - 0.2).abs() < 1e-2); // it lies on it
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimbContacts {
    /// Coulomb's μ. Default: 0.5.
    pub friction: f32,
    /// How near contacts are looked for, m: what comes that near may meet later in the substep.
    /// Default: 0.01.
    pub margin: f32,
}

impl Default for LimbContacts {
    fn default() -> Self {
        Self { friction: 0.5, margin: 0.01 }
    }
}

/// Memory that is used again, and the contacts of a substep from pass to pass.
#[derive(Clone, Debug, Default)]
struct Scratch<const D: usize> {
    boxes: Vec<Extent<D>>,
    pairs: Vec<[usize; 2]>,
    contacts: Vec<Contact<D>>,
    /// Where a limb meets an obstacle.
    met: Vec<Contact<D>>,
    solver: Solver<D>,
    /// Whether these are the contacts of this substep.
    found: bool,
}

impl<const D: usize> Obstacle<D> for LimbContacts {
    fn begin(&self, matter: &mut Matter<'_, D>) {
        if self.touches(matter.model()) {
            matter.model_mut().limbs.scratch.found = false;
        }
    }

    fn keep_out(&self, matter: &mut Matter<'_, D>, _: &Moment<D>) {
        let Model { particles, limbs: Limbs { all, scratch, .. }, .. } = matter.model_mut();
        if !scratch.found {
            scratch.find(all, particles, self.margin);
            scratch.found = true;
        }
        let Scratch { contacts, solver, .. } = scratch;
        solver.resolve(contacts, self.friction, particles);
    }

    fn touches(&self, matter: &Model<D>) -> bool {
        matter.limbs.owners > 1
    }

    fn depth(&self, matter: &Model<D>, _: &Moment<D>) -> f32 {
        let mut scratch = Scratch::default();
        scratch.find(&matter.limbs.all, &matter.particles, 0.0);
        scratch.contacts.iter().fold(0.0, |deepest, contact| {
            let depth = contact.depth(&matter.particles);
            if depth > deepest { depth } else { deepest }
        })
    }
}

impl<const D: usize> Scratch<D> {
    /// The contacts of all pairs that come as near as `margin`.
    fn find(&mut self, limbs: &[Limb], particles: &Particles<D>, margin: f32) {
        let Self { boxes, pairs: near, contacts, .. } = self;
        // Enough for a pile of them, so that later steps take no memory.
        boxes.clear();
        near.clear();
        near.reserve(8 * limbs.len());
        boxes.extend(limbs.iter().enumerate().map(|(of, limb)| {
            let [a, b] = limb.ends.map(|end| wide(particles.position(end as usize)));
            let reach = f64::from(limb.radius) + 0.5 * f64::from(margin);
            let end = |axis: usize, upper: bool| {
                let least = if (a[axis] < b[axis]) == upper { b[axis] } else { a[axis] };
                if upper { least + reach } else { least - reach }
            };
            Extent {
                of,
                low: core::array::from_fn(|axis| end(axis, false)),
                high: core::array::from_fn(|axis| end(axis, true)),
            }
        }));
        pairs(boxes, |one, other| limbs[one].owner != limbs[other].owner, near);
        contacts.clear();
        contacts.reserve(4 * limbs.len());
        for &[one, other] in &*near {
            contacts.extend(contact([&limbs[one], &limbs[other]], particles, margin));
        }
    }
}

/// Where two limbs touch, if they come as near as `margin`.
fn contact<const D: usize>(
    limbs: [&Limb; 2],
    particles: &Particles<D>,
    margin: f32,
) -> Option<Contact<D>> {
    let ends = limbs.map(|limb| limb.ends.map(|end| particles.position(end as usize)));
    let shares = nearest(ends);
    let [p, q] = core::array::from_fn(|i| limbs[i].point(shares[i]));
    let apart = limbs[0].radius + limbs[1].radius;
    let way = difference(p.position(particles), q.position(particles));
    let was = difference(p.previous(particles), q.previous(particles));
    let near = length(way);
    if near > apart + margin {
        return None;
    }
    // Which side it came from, if it went through.
    let through = dot(way, was) < 0.0;
    let out = if through || near < 1e-6 { was } else { way };
    let long = length(out);
    let normal = out.map(|along| along / long);
    (long >= 1e-6)
        .then(|| Contact::new(particles, p, Other::Matter(q), normal))?
        .map(|contact| contact.keeping(apart))
}

/// Where on each of two segments, as a share of it, they are nearest to each other; where they are
/// parallel, somewhere in the middle.
fn nearest<const D: usize>([[p1, q1], [p2, q2]]: [[[f32; D]; 2]; 2]) -> [f32; 2] {
    let (d1, d2, r) = (difference(q1, p1), difference(q2, p2), difference(p1, p2));
    let (a, e, f) = (dot(d1, d1), dot(d2, d2), dot(d2, r));
    let c = dot(d1, r);
    let share = |over: f32, under: f32| {
        let share = if under > f32::MIN_POSITIVE { over / under } else { 0.0 };
        let share = if share > 0.0 { share } else { 0.0 };
        if share < 1.0 { share } else { 1.0 }
    };
    let b = dot(d1, d2);
    let squared_sine = a * e - b * b;
    let s = if squared_sine > 1e-6 * (a * e) { share(b * f - c * e, squared_sine) } else { 0.5 };
    let t = b * s + f;
    if t <= 0.0 {
        [share(-c, a), 0.0]
    } else if t >= e {
        [share(b - c, a), 1.0]
    } else {
        [s, t / e]
    }
}
