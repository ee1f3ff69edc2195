//! Limbs: sticks with a thickness, which keep out of each other.

use taut_core::Particles;

use super::Anchor;
use super::anchor::Probe;
use super::contact::{Contact, Other, Solver};
use crate::surface::{Nearest, Surface};
use crate::sweep::{Extent, pairs};
use crate::vector::{difference, dot, length, wide};

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
/// [`LimbContacts`](crate::LimbContacts) are among the obstacles out of each other.
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
        &self,
        particles: &mut Particles<D>,
        near: impl Fn(&Particles<D>, &Probe) -> Nearest<D>,
        drift: impl Fn([f32; D]) -> [f32; D],
        surface: &Surface,
        scratch: &mut LimbScratch<D>,
    ) {
        if self.all.is_empty() {
            return;
        }
        let LimbScratch { met, solver, .. } = scratch;
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

    /// More limbs, of an owner of their own.
    pub(crate) fn extend(&mut self, limbs: impl IntoIterator<Item = ([u32; 2], f32)>) {
        let owner = self.owners;
        self.all.extend(limbs.into_iter().map(|(ends, radius)| Limb { ends, radius, owner }));
        self.owners += 1;
    }

    /// Whether there are any that may meet.
    pub(crate) fn may_meet(&self) -> bool {
        self.owners > 1
    }

    /// Moves limbs of different owners apart. Contacts are looked for within `margin`, m, once a substep.
    pub(crate) fn keep_apart(
        &self,
        particles: &mut Particles<D>,
        friction: f32,
        margin: f32,
        scratch: &mut LimbScratch<D>,
    ) {
        if !scratch.found {
            scratch.find(&self.all, particles, margin);
            scratch.found = true;
        }
        let LimbScratch { contacts, solver, .. } = scratch;
        solver.resolve(contacts, friction, particles);
    }

    /// How deep limbs of different owners are in each other at most, m; 0 if they are not.
    pub(crate) fn depth_in_each_other(&self, particles: &Particles<D>) -> f32 {
        let mut scratch = LimbScratch::default();
        scratch.find(&self.all, particles, 0.0);
        scratch.contacts.iter().fold(0.0, |deepest, contact| {
            let depth = contact.depth(particles);
            if depth > deepest { depth } else { deepest }
        })
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

/// Memory for the contacts of limbs that is used again, and the contacts of a substep from pass to pass.
#[derive(Clone, Debug, Default)]
pub(crate) struct LimbScratch<const D: usize> {
    boxes: Vec<Extent<D>>,
    pairs: Vec<[usize; 2]>,
    contacts: Vec<Contact<D>>,
    /// Where a limb meets an obstacle.
    met: Vec<Contact<D>>,
    solver: Solver<D>,
    /// Whether these are the contacts of this substep.
    found: bool,
}

impl<const D: usize> LimbScratch<D> {
    /// Discards the contacts at the beginning of a substep, so that the next pass finds new ones.
    pub(crate) fn forget_contacts(&mut self) {
        self.found = false;
    }

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
