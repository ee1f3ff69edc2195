//! Contacts of matter with matter, or with what does not give way, solved together.

use core::array::from_fn;

use taut_core::Particles;

use super::anchor::{Anchor, mean};
use crate::surface::Nearest;
use crate::vector::{difference, dot, plus, scaled};

/// How often contacts are gone through: each is affected by the others of its body. A box on its
/// face has four, and stands on them evenly after 8 rounds; the sticks do the rest.
const ROUNDS: usize = 8;

/// The other side of a contact.
#[derive(Clone, Copy, Debug)]
pub(super) enum Other<const D: usize> {
    /// Matter that gives way.
    Matter(Anchor),
    /// A point of something that does not, where it is and where it was a substep ago, m.
    Fixed { position: [f32; D], previous: [f32; D] },
}

/// A point of matter that may have gone into something, and the way out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact<const D: usize> {
    point: Anchor,
    other: Other<D>,
    /// The direction in which the point leaves, of length 1.
    normal: [f32; D],
    /// How far from each other the two are to stay that way, m.
    apart: f32,
    /// λ of both sides, kg: a push of so much moves them apart by 1 m, whichever way it goes.
    mass: f32,
    /// The push out, kg m, never below 0.
    out: f32,
    /// The push against sliding, kg m.
    back: [f32; D],
}

impl<const D: usize> Contact<D> {
    /// None if neither side can move.
    pub(super) fn new(
        particles: &Particles<D>,
        point: Anchor,
        other: Other<D>,
        normal: [f32; D],
    ) -> Option<Self> {
        let of_other = match &other {
            Other::Matter(anchor) => anchor.inverse_mass(particles),
            Other::Fixed { .. } => 0.0,
        };
        let inverse_mass = point.inverse_mass(particles) + of_other;
        (inverse_mass > 0.0).then_some(Self {
            point,
            other,
            normal,
            apart: 0.0,
            mass: 1.0 / inverse_mass,
            out: 0.0,
            back: [0.0; D],
        })
    }

    /// With an obstacle that a point is nearer to than `reach`, m. `drift` is how far the obstacle
    /// moved at a point in this substep, m.
    pub(super) fn with_obstacle(
        particles: &Particles<D>,
        point: Anchor,
        Nearest { distance, normal }: Nearest<D>,
        reach: f32,
        drift: impl Fn([f32; D]) -> [f32; D],
    ) -> Option<Self> {
        let depth = reach - distance;
        if depth > 0.0 {
            let position = plus(point.position(particles), depth, normal);
            let other = Other::Fixed { position, previous: difference(position, drift(position)) };
            Self::new(particles, point, other, normal)
        } else {
            None
        }
    }

    /// The same, the two sides staying `apart`, m.
    pub(super) fn keeping(self, apart: f32) -> Self {
        Self { apart, ..self }
    }

    /// How far the point is inside, m; below 0 outside.
    pub(super) fn depth(&self, particles: &Particles<D>) -> f32 {
        let q = match &self.other {
            Other::Matter(anchor) => anchor.position(particles),
            Other::Fixed { position, .. } => *position,
        };
        -self.gap(difference(self.point.position(particles), q))
    }

    /// Where the point is, m, which way it leaves, and how far what is not matter moved there in
    /// this substep, m: if the last rounds had to push it out.
    pub(super) fn met(&self, particles: &Particles<D>) -> Option<[[f32; D]; 3]> {
        let drift = match &self.other {
            Other::Matter(_) => [0.0; D],
            Other::Fixed { position, previous } => difference(*position, *previous),
        };
        (self.out > 0.0).then(|| [self.point.position(particles), self.normal, drift])
    }

    /// How far the point is outside, m, if this is the way to it from the other side.
    fn gap(&self, way: [f32; D]) -> f32 {
        dot(way, self.normal) - self.apart
    }

    /// The push out that is missing for `gap` to close, or less than 0 if there was too much; all
    /// together never a pull.
    #[inline(always)]
    fn missing(&mut self, gap: f32) -> f32 {
        let before = self.out;
        let out = before - gap * self.mass;
        self.out = if out > 0.0 { out } else { 0.0 };
        self.out - before
    }

    /// The push that is missing to stop sliding `way` in this substep, m, all together never more
    /// than friction can be.
    #[inline(always)]
    fn missing_against(&mut self, way: [f32; D], friction: f32) -> [f32; D] {
        let closing = dot(way, self.normal);
        let mut back = self.back;
        for (axis, back) in back.iter_mut().enumerate() {
            *back -= (way[axis] - closing * self.normal[axis]) * self.mass;
        }
        let (square, most) = (dot(back, back), friction * self.out);
        if square > most * most {
            back = scaled(back, most / square.sqrt());
        }
        let more = difference(back, self.back);
        self.back = back;
        more
    }
}

/// Where a particle is, and where it was a substep ago, m. Contacts jump from particle to particle:
/// what they need of one lies side by side here.
type Place<const D: usize> = [[f32; D]; 2];
const NOW: usize = 0;
const BEFORE: usize = 1;

/// An [`Anchor`] by places instead of particles.
#[derive(Clone, Copy, Debug)]
struct Point {
    places: [u32; 4],
    weights: [f32; 4],
    /// By how much a unit of push moves each place, 1/kg.
    shares: [f32; 4],
}

impl Point {
    #[inline(always)]
    fn position<const D: usize>(&self, places: &[Place<D>], when: usize) -> [f32; D] {
        let of = |i: usize| &places[self.places[i] as usize][when];
        let (a, b, c, d) = (of(0), of(1), of(2), of(3));
        let mut position = [0.0; D];
        for (axis, x) in position.iter_mut().enumerate() {
            *x = mean([a[axis], b[axis], c[axis], d[axis]], self.weights);
        }
        position
    }

    #[inline(always)]
    fn shift<const D: usize>(&self, places: &mut [Place<D>], when: usize, push: [f32; D]) {
        for (place, share) in self.places.into_iter().zip(self.shares) {
            let x = &mut places[place as usize][when];
            for axis in 0..D {
                x[axis] += push[axis] * share;
            }
        }
    }
}

/// The two sides of a contact.
#[derive(Clone, Copy, Debug)]
struct Sides {
    point: Point,
    other: Point,
    /// Whether the other can move at all.
    gives_way: bool,
}

impl Sides {
    /// The way from the other side to the point, m.
    #[inline(always)]
    fn way<const D: usize>(&self, places: &[Place<D>], when: usize) -> [f32; D] {
        difference(self.point.position(places, when), self.other.position(places, when))
    }

    /// Pushes both sides, against each other.
    #[inline(always)]
    fn push<const D: usize>(&self, places: &mut [Place<D>], when: usize, push: [f32; D]) {
        self.point.shift(places, when, push);
        if self.gives_way {
            self.other.shift(places, when, push.map(|push| -push));
        }
    }
}

/// Solves contacts together. What it holds is memory that is used again, no part of any state.
#[derive(Clone, Debug, Default)]
pub(super) struct Solver<const D: usize> {
    places: Vec<Place<D>>,
    /// The particles of the first places; what is no matter comes after them.
    particles: Vec<u32>,
    /// By particle: its place, if `particles` agrees.
    place_of: Vec<u32>,
    sides: Vec<Sides>,
}

impl<const D: usize> Solver<D> {
    /// Moves the two sides of every contact apart where one is in the other, and slows their sliding
    /// by friction. They do not bounce: that is done when all is solved (`bounce`). Contacts are
    /// taken in their order, several times (Gauss and Seidel, as sticks are); a push that later
    /// contacts made needless is taken back.
    pub(super) fn resolve(
        &mut self,
        contacts: &mut Vec<Contact<D>>,
        friction: f32,
        particles: &mut Particles<D>,
    ) {
        self.gather(contacts, particles);
        let Self { places, sides, .. } = self;
        // What was inside a substep ago already leaves without gaining velocity, or bodies that were
        // put into each other would burst apart.
        rounds(contacts, sides, |contact, sides| {
            let gap = contact.gap(sides.way(places, NOW));
            let before = contact.gap(sides.way(places, BEFORE));
            let out = contact.missing(if gap > before { gap } else { before });
            if out != 0.0 {
                let push = scaled(contact.normal, out);
                sides.push(places, NOW, push);
                sides.push(places, BEFORE, push);
            }
            out != 0.0
        });
        // A push out does not make it slide, as λ is the same in all directions: both pushes are
        // found from the same way, and given as one.
        rounds(contacts, sides, |contact, sides| {
            let way = sides.way(places, NOW);
            let out = contact.missing(contact.gap(way));
            let touches = out != 0.0 || contact.out > 0.0;
            if touches {
                let slid = difference(way, sides.way(places, BEFORE));
                let back = contact.missing_against(slid, friction);
                sides.push(places, NOW, plus(back, out, contact.normal));
            }
            touches
        });
        self.scatter(particles);
    }

    /// Forgets what it held, and takes the memory for so many contacts, so that later steps take
    /// none.
    pub(super) fn reserve(&mut self, contacts: usize, particles: usize) {
        self.particles.clear();
        self.sides.clear();
        self.places.clear();
        self.particles.reserve(particles);
        self.sides.reserve(contacts);
        self.places.reserve(particles + contacts);
        self.place_of.resize(particles, 0);
    }

    /// Gives all that contacts are about a place.
    fn gather(&mut self, contacts: &Vec<Contact<D>>, particles: &Particles<D>) {
        self.reserve(contacts.capacity(), particles.len());
        for contact in contacts {
            let point = self.place(&contact.point, particles);
            let (other, gives_way) = match &contact.other {
                Other::Matter(anchor) => (self.place(anchor, particles), true),
                Other::Fixed { .. } => (point, false),
            };
            self.sides.push(Sides { point, other, gives_way });
        }
        self.places.extend(self.particles.iter().map(|&particle| {
            let particle = particle as usize;
            [particles.position(particle), from_fn(|axis| particles.previous(axis)[particle])]
        }));
        for (sides, contact) in self.sides.iter_mut().zip(contacts) {
            if let Other::Fixed { position, previous } = contact.other {
                let place = self.places.len() as u32;
                self.places.push([position, previous]);
                sides.other =
                    Point { places: [place; 4], weights: [1.0, 0.0, 0.0, 0.0], shares: [0.0; 4] };
            }
        }
    }

    /// A point of matter by places.
    fn place(&mut self, anchor: &Anchor, particles: &Particles<D>) -> Point {
        let places = anchor.particles.map(|particle| {
            let place = &mut self.place_of[particle as usize];
            if self.particles.get(*place as usize) != Some(&particle) {
                *place = self.particles.len() as u32;
                self.particles.push(particle);
            }
            *place
        });
        Point { places, weights: anchor.weights, shares: anchor.shares(particles) }
    }

    /// Puts particles where their places are.
    fn scatter(&self, particles: &mut Particles<D>) {
        for axis in 0..D {
            let column = particles.positions_mut(axis);
            for (particle, place) in self.particles.iter().zip(&self.places) {
                column[*particle as usize] = place[NOW][axis];
            }
            let column = particles.previous_mut(axis);
            for (particle, place) in self.particles.iter().zip(&self.places) {
                column[*particle as usize] = place[BEFORE][axis];
            }
        }
    }
}

/// Goes through all contacts, from no pushes on, until a round moves nothing.
#[inline(always)]
fn rounds<const D: usize>(
    contacts: &mut [Contact<D>],
    sides: &[Sides],
    mut solve: impl FnMut(&mut Contact<D>, &Sides) -> bool,
) {
    for contact in &mut *contacts {
        contact.out = 0.0;
        contact.back = [0.0; D];
    }
    for _ in 0..ROUNDS {
        let mut moved = false;
        for (contact, sides) in contacts.iter_mut().zip(sides) {
            moved |= solve(contact, sides);
        }
        if !moved {
            break;
        }
    }
}
