//! Contacts of matter with matter or with fixed points, solved together.

use core::array::from_fn;

use taut_core::Particles;

use super::anchor::{Anchor, mean};
use crate::surface::Nearest;
use crate::vector::{difference, dot, plus, scaled};

/// Iterations over contacts, as contacts of one body affect each other. A box on its face has four,
/// which are even after 8 rounds; the sticks do the rest.
const ROUNDS: usize = 8;

/// The other side of a contact.
#[derive(Clone, Copy, Debug)]
pub(super) enum Other<const D: usize> {
    /// A point of matter, which moves.
    Matter(Anchor),
    /// A point that contacts cannot move: its position now and a substep ago, m.
    Fixed { position: [f32; D], previous: [f32; D] },
}

/// A point of matter that may be inside something, and the direction out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact<const D: usize> {
    point: Anchor,
    other: Other<D>,
    /// Unit direction in which the point leaves.
    normal: [f32; D],
    /// The distance that the two sides keep along the normal, m.
    apart: f32,
    /// Effective mass of both sides, λ, kg: such a push moves them apart by 1 m, in any direction.
    mass: f32,
    /// The push along the normal, kg m, never below 0.
    normal_push: f32,
    /// The push against sliding, kg m.
    friction_push: [f32; D],
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
            normal_push: 0.0,
            friction_push: [0.0; D],
        })
    }

    /// The contact of a point with an obstacle closer than `reach`, m. `drift` is the displacement
    /// of the obstacle at a point in this substep, m.
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

    /// Sets the distance that the two sides keep, m.
    pub(super) fn keeping(self, apart: f32) -> Self {
        Self { apart, ..self }
    }

    /// Penetration of the point, m; below 0 outside.
    pub(super) fn depth(&self, particles: &Particles<D>) -> f32 {
        let q = match &self.other {
            Other::Matter(anchor) => anchor.position(particles),
            Other::Fixed { position, .. } => *position,
        };
        -self.gap(difference(self.point.position(particles), q))
    }

    /// The position of the point, m, the normal, and the displacement of a fixed other side in this
    /// substep, m; None if the point was not pushed.
    pub(super) fn met(&self, particles: &Particles<D>) -> Option<[[f32; D]; 3]> {
        let drift = match &self.other {
            Other::Matter(_) => [0.0; D],
            Other::Fixed { position, previous } => difference(*position, *previous),
        };
        (self.normal_push > 0.0).then(|| [self.point.position(particles), self.normal, drift])
    }

    /// How far the point is outside, m, for the vector `way` from the other side to it.
    fn gap(&self, way: [f32; D]) -> f32 {
        dot(way, self.normal) - self.apart
    }

    /// The missing normal push for `gap` to close (negative if there was too much). The total never
    /// pulls.
    #[inline(always)]
    fn missing_normal_push(&mut self, gap: f32) -> f32 {
        let before = self.normal_push;
        let normal_push = before - gap * self.mass;
        self.normal_push = if normal_push > 0.0 { normal_push } else { 0.0 };
        self.normal_push - before
    }

    /// The missing push to stop sliding `way` in this substep, m. The total never exceeds the
    /// Coulomb limit.
    #[inline(always)]
    fn missing_friction_push(&mut self, way: [f32; D], friction: f32) -> [f32; D] {
        let closing = dot(way, self.normal);
        let mut friction_push = self.friction_push;
        for (axis, friction_push) in friction_push.iter_mut().enumerate() {
            *friction_push -= (way[axis] - closing * self.normal[axis]) * self.mass;
        }
        let (square, most) = (dot(friction_push, friction_push), friction * self.normal_push);
        if square > most * most {
            friction_push = scaled(friction_push, most / square.sqrt());
        }
        let more = difference(friction_push, self.friction_push);
        self.friction_push = friction_push;
        more
    }
}

/// The position of a particle now and a substep ago, m, side by side, as contacts access particles
/// in no order.
type Place<const D: usize> = [[f32; D]; 2];
const NOW: usize = 0;
const BEFORE: usize = 1;

/// An [`Anchor`] by indices of places instead of particles.
#[derive(Clone, Copy, Debug)]
struct Point {
    places: [u32; 4],
    weights: [f32; 4],
    /// How far a unit of push moves each place, 1/kg.
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
    /// Whether the other side can move.
    other_moves: bool,
}

impl Sides {
    /// The vector from the other side to the point, m.
    #[inline(always)]
    fn way<const D: usize>(&self, places: &[Place<D>], when: usize) -> [f32; D] {
        difference(self.point.position(places, when), self.other.position(places, when))
    }

    /// Pushes both sides in opposite directions.
    #[inline(always)]
    fn push<const D: usize>(&self, places: &mut [Place<D>], when: usize, push: [f32; D]) {
        self.point.shift(places, when, push);
        if self.other_moves {
            self.other.shift(places, when, push.map(|push| -push));
        }
    }
}

/// Solves contacts together. It holds reused buffers, not state.
#[derive(Clone, Debug, Default)]
pub(super) struct Solver<const D: usize> {
    places: Vec<Place<D>>,
    /// The particles of the first places; fixed points come after them.
    particles: Vec<u32>,
    /// By particle: its place, if `particles` agrees.
    place_of: Vec<u32>,
    sides: Vec<Sides>,
}

impl<const D: usize> Solver<D> {
    /// Pushes the two sides of each contact apart where they penetrate, and applies friction.
    /// Restitution comes after the solve (`bounce`). Contacts are solved in order, several times
    /// (Gauss-Seidel, as for sticks); a push that later contacts made needless is taken back.
    pub(super) fn resolve(
        &mut self,
        contacts: &mut Vec<Contact<D>>,
        friction: f32,
        particles: &mut Particles<D>,
    ) {
        self.gather(contacts, particles);
        let Self { places, sides, .. } = self;
        // Penetration that existed a substep ago is removed without adding velocity, or overlapping
        // bodies would burst apart.
        rounds(contacts, sides, |contact, sides| {
            let gap = contact.gap(sides.way(places, NOW));
            let before = contact.gap(sides.way(places, BEFORE));
            let normal_push = contact.missing_normal_push(if gap > before { gap } else { before });
            if normal_push != 0.0 {
                let push = scaled(contact.normal, normal_push);
                sides.push(places, NOW, push);
                sides.push(places, BEFORE, push);
            }
            normal_push != 0.0
        });
        // A normal push does not cause sliding, as λ is the same in all directions: both pushes are
        // computed from the same vector and applied as one.
        rounds(contacts, sides, |contact, sides| {
            let way = sides.way(places, NOW);
            let normal_push = contact.missing_normal_push(contact.gap(way));
            let touches = normal_push != 0.0 || contact.normal_push > 0.0;
            if touches {
                let slid = difference(way, sides.way(places, BEFORE));
                let friction_push = contact.missing_friction_push(slid, friction);
                sides.push(places, NOW, plus(friction_push, normal_push, contact.normal));
            }
            touches
        });
        self.scatter(particles);
    }

    /// Clears the buffers and reserves memory for so many contacts, so that later steps do not
    /// allocate.
    pub(super) fn reserve(&mut self, contacts: usize, particles: usize) {
        self.particles.clear();
        self.sides.clear();
        self.places.clear();
        self.particles.reserve(particles);
        self.sides.reserve(contacts);
        self.places.reserve(particles + contacts);
        self.place_of.resize(particles, 0);
    }

    /// Copies all particles and fixed points of contacts to places.
    fn gather(&mut self, contacts: &Vec<Contact<D>>, particles: &Particles<D>) {
        self.reserve(contacts.capacity(), particles.len());
        for contact in contacts {
            let point = self.place(&contact.point, particles);
            let (other, other_moves) = match &contact.other {
                Other::Matter(anchor) => (self.place(anchor, particles), true),
                Other::Fixed { .. } => (point, false),
            };
            self.sides.push(Sides { point, other, other_moves });
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

    /// The point of an anchor by places.
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

    /// Copies places back to particles.
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

/// Iterates over all contacts, starting without pushes, until a round moves nothing.
#[inline(always)]
fn rounds<const D: usize>(
    contacts: &mut [Contact<D>],
    sides: &[Sides],
    mut solve: impl FnMut(&mut Contact<D>, &Sides) -> bool,
) {
    for contact in &mut *contacts {
        contact.normal_push = 0.0;
        contact.friction_push = [0.0; D];
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
