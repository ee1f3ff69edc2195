//! Contacts between points of bodies or limbs, or with fixed points, solved together.

use taut_core::Particles;

use super::weighted_point::{Probe, WeightedPoint, mean};
use crate::surface::Nearest;
use crate::vector::{add_scaled, difference, dot, scaled};

/// Largest number of iterations over contacts: contacts of one body affect each other. A box that lies
/// on a face has four contacts, whose impulses are nearly equal after 8 iterations; the sticks correct
/// the remaining error.
const ITERATIONS: usize = 8;

/// The other side of a contact.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OtherSide<const D: usize> {
    /// A point of a body or limb, which moves.
    Movable(WeightedPoint),
    /// A point that contacts cannot move: its position now and a substep ago, m.
    Fixed { position: [f32; D], previous: [f32; D] },
}

/// A point of a body or limb that may penetrate something, and the direction in which it leaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact<const D: usize> {
    point: WeightedPoint,
    other: OtherSide<D>,
    /// Unit direction in which the point leaves.
    normal: [f32; D],
    /// The distance that the contact keeps between the two sides along the normal, m.
    distance: f32,
    /// Effective mass of both sides, λ, kg: an impulse of λ d moves them apart by d, in any
    /// direction.
    effective_mass: f32,
    /// Coulomb's μ.
    friction: f32,
    /// Accumulated impulse along the normal, kg m, never below 0. (Velocities are displacements in
    /// a substep, so the unit of time is the substep.)
    normal_impulse: f32,
    /// Accumulated impulse of friction, kg m.
    friction_impulse: [f32; D],
}

impl<const D: usize> Contact<D> {
    /// None if neither side can move.
    #[inline]
    pub(crate) fn new(
        particles: &Particles<D>,
        point: WeightedPoint,
        other: OtherSide<D>,
        normal: [f32; D],
        friction: f32,
    ) -> Option<Self> {
        let other_inverse_mass = match &other {
            OtherSide::Movable(point) => point.inverse_mass(particles),
            OtherSide::Fixed { .. } => 0.0,
        };
        let inverse_mass = point.inverse_mass(particles) + other_inverse_mass;
        (inverse_mass > 0.0).then_some(Self {
            point,
            other,
            normal,
            distance: 0.0,
            effective_mass: 1.0 / inverse_mass,
            friction,
            normal_impulse: 0.0,
            friction_impulse: [0.0; D],
        })
    }

    /// The contact of a probe with an obstacle, None if the obstacle is not closer than the probe's
    /// contact distance. `displacement` maps a point to the displacement of the obstacle there in this
    /// substep, m.
    pub(super) fn with_obstacle(
        particles: &Particles<D>,
        Probe { point, contact_distance, .. }: Probe,
        Nearest { distance, normal }: Nearest<D>,
        friction: f32,
        displacement: impl Fn([f32; D]) -> [f32; D],
    ) -> Option<Self> {
        let depth = contact_distance - distance;
        if depth > 0.0 {
            let position = add_scaled(point.position(particles), depth, normal);
            let previous = difference(position, displacement(position));
            let other = OtherSide::Fixed { position, previous };
            Self::new(particles, point, other, normal, friction)
        } else {
            None
        }
    }

    /// Sets the distance that the contact keeps between the two sides, m.
    pub(crate) fn with_distance(self, distance: f32) -> Self {
        Self { distance, ..self }
    }

    /// Penetration of the point, m; below 0 if the point is outside.
    pub(crate) fn depth(&self, particles: &Particles<D>) -> f32 {
        let other_position = match &self.other {
            OtherSide::Movable(point) => point.position(particles),
            OtherSide::Fixed { position, .. } => *position,
        };
        -self.separation(difference(self.point.position(particles), other_position))
    }

    /// The position of the point, m, the normal, and the displacement of the other side in this
    /// substep, m, if that is fixed, else 0. None if the contact has no normal impulse.
    pub(super) fn collision(&self, particles: &Particles<D>) -> Option<[[f32; D]; 3]> {
        let displacement = match &self.other {
            OtherSide::Movable(_) => [0.0; D],
            OtherSide::Fixed { position, previous } => difference(*position, *previous),
        };
        (self.normal_impulse > 0.0)
            .then(|| [self.point.position(particles), self.normal, displacement])
    }

    /// How far the point is outside, m, for the vector `offset` from the other side to it.
    fn separation(&self, offset: [f32; D]) -> f32 {
        dot(offset, self.normal) - self.distance
    }

    /// Updates the normal impulse so that it removes `separation`, and returns its change (negative
    /// if it was too large). The accumulated impulse never pulls.
    #[inline(always)]
    fn update_normal_impulse(&mut self, separation: f32) -> f32 {
        let before = self.normal_impulse;
        let normal_impulse = before - separation * self.effective_mass;
        self.normal_impulse = if normal_impulse > 0.0 { normal_impulse } else { 0.0 };
        self.normal_impulse - before
    }

    /// Updates the friction impulse so that it undoes sliding, and returns its change. Sliding is
    /// the tangential part of `displacement`: of the point relative to the other side in this
    /// substep, m. The accumulated impulse never exceeds the Coulomb limit.
    #[inline(always)]
    fn update_friction_impulse(&mut self, displacement: [f32; D]) -> [f32; D] {
        let along_normal = dot(displacement, self.normal);
        let mut friction_impulse = self.friction_impulse;
        for (axis, friction_impulse) in friction_impulse.iter_mut().enumerate() {
            *friction_impulse -=
                (displacement[axis] - along_normal * self.normal[axis]) * self.effective_mass;
        }
        let (square, limit) =
            (dot(friction_impulse, friction_impulse), self.friction * self.normal_impulse);
        if square > limit * limit {
            friction_impulse = scaled(friction_impulse, limit / square.sqrt());
        }
        let change = difference(friction_impulse, self.friction_impulse);
        self.friction_impulse = friction_impulse;
        change
    }
}

/// The position of a particle or fixed point now and a substep ago, m. Contacts access particles in
/// no particular order, so the two positions are adjacent in memory.
type PointState<const D: usize> = [[f32; D]; 2];
// Indices into a `PointState`.
const NOW: usize = 0;
const BEFORE: usize = 1;

/// A [`WeightedPoint`] by indices of point states instead of particles.
#[derive(Clone, Copy, Debug)]
struct LocalPoint {
    /// Indices into the states of the [`Solver`].
    states: [u32; 4],
    weights: [f32; 4],
    /// Displacement of each state per unit of impulse, 1/kg.
    per_impulse: [f32; 4],
}

impl LocalPoint {
    #[inline(always)]
    fn position<const D: usize>(&self, states: &[PointState<D>], when: usize) -> [f32; D] {
        let state = |i: usize| &states[self.states[i] as usize][when];
        let (a, b, c, d) = (state(0), state(1), state(2), state(3));
        let mut position = [0.0; D];
        for (axis, x) in position.iter_mut().enumerate() {
            *x = mean([a[axis], b[axis], c[axis], d[axis]], self.weights);
        }
        position
    }

    #[inline(always)]
    fn apply_impulse<const D: usize>(
        &self,
        states: &mut [PointState<D>],
        when: usize,
        impulse: [f32; D],
    ) {
        for (state, per_impulse) in self.states.into_iter().zip(self.per_impulse) {
            let x = &mut states[state as usize][when];
            for axis in 0..D {
                x[axis] += impulse[axis] * per_impulse;
            }
        }
    }
}

/// The two sides of a contact.
#[derive(Clone, Copy, Debug)]
struct Sides {
    point: LocalPoint,
    other: LocalPoint,
    /// Whether the other side can move.
    other_moves: bool,
}

impl Sides {
    /// The vector from the other side to the point, m.
    #[inline(always)]
    fn offset<const D: usize>(&self, states: &[PointState<D>], when: usize) -> [f32; D] {
        difference(self.point.position(states, when), self.other.position(states, when))
    }

    /// Applies an impulse to the point and its opposite to the other side.
    #[inline(always)]
    fn apply_impulse<const D: usize>(
        &self,
        states: &mut [PointState<D>],
        when: usize,
        impulse: [f32; D],
    ) {
        self.point.apply_impulse(states, when, impulse);
        if self.other_moves {
            self.other.apply_impulse(states, when, impulse.map(|x| -x));
        }
    }
}

/// Solves contacts together. Its fields are buffers for reuse: no call depends on the calls before it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Solver<const D: usize> {
    /// The states of `particles`, then those of fixed points.
    states: Vec<PointState<D>>,
    /// The particles of the contacts, each once.
    particles: Vec<u32>,
    /// By particle: the index of its state. Valid only if `particles[index]` is the particle.
    state_of: Vec<u32>,
    sides: Vec<Sides>,
}

impl<const D: usize> Solver<D> {
    /// Moves the two sides of each contact apart where they penetrate, and applies friction.
    /// Restitution follows at the end of the substep (`bounce`). Contacts are solved in order,
    /// several times (Gauss-Seidel, as for sticks); a later iteration takes back an impulse that
    /// other contacts made unnecessary.
    pub(crate) fn resolve(&mut self, contacts: &mut Vec<Contact<D>>, particles: &mut Particles<D>) {
        self.gather(contacts, particles);
        let Self { states, sides, .. } = self;
        // First, the penetration that existed a substep ago and still exists is removed. The previous
        // positions move by the same vector, so this adds no velocity: otherwise overlapping bodies would
        // fly apart.
        iterate(contacts, sides, |contact, sides| {
            let now = contact.separation(sides.offset(states, NOW));
            let before = contact.separation(sides.offset(states, BEFORE));
            let normal_impulse =
                contact.update_normal_impulse(if now > before { now } else { before });
            if normal_impulse != 0.0 {
                let impulse = scaled(contact.normal, normal_impulse);
                sides.apply_impulse(states, NOW, impulse);
                sides.apply_impulse(states, BEFORE, impulse);
            }
            normal_impulse != 0.0
        });
        // λ is the same in all directions, so a normal impulse causes no sliding: both impulses are
        // computed from the same offset and applied as one.
        iterate(contacts, sides, |contact, sides| {
            let offset = sides.offset(states, NOW);
            let normal_impulse = contact.update_normal_impulse(contact.separation(offset));
            let in_contact = normal_impulse != 0.0 || contact.normal_impulse > 0.0;
            if in_contact {
                let displacement = difference(offset, sides.offset(states, BEFORE));
                let friction_impulse = contact.update_friction_impulse(displacement);
                sides.apply_impulse(
                    states,
                    NOW,
                    add_scaled(friction_impulse, normal_impulse, contact.normal),
                );
            }
            in_contact
        });
        self.scatter(particles);
    }

    /// The particles of all contacts of the last call.
    pub(crate) fn particles(&self) -> &[u32] {
        &self.particles
    }

    /// Clears the buffers and reserves memory for a number of contacts and particles, so that later
    /// steps do not allocate.
    pub(super) fn reserve(&mut self, contacts: usize, particles: usize) {
        self.particles.clear();
        self.sides.clear();
        self.states.clear();
        self.particles.reserve(particles);
        self.sides.reserve(contacts);
        self.states.reserve(particles + contacts);
        self.state_of.resize(particles, 0);
    }

    /// Copies the state of all particles and fixed points of contacts.
    fn gather(&mut self, contacts: &Vec<Contact<D>>, particles: &Particles<D>) {
        self.reserve(contacts.capacity(), particles.len());
        for contact in contacts {
            let point = self.local_point(&contact.point, particles);
            let (other, other_moves) = match &contact.other {
                OtherSide::Movable(other) => (self.local_point(other, particles), true),
                // A placeholder until all particles have states.
                OtherSide::Fixed { .. } => (point, false),
            };
            self.sides.push(Sides { point, other, other_moves });
        }
        self.states.extend(self.particles.iter().map(|&particle| {
            let particle = particle as usize;
            [particles.position(particle), particles.previous_position(particle)]
        }));
        for (sides, contact) in self.sides.iter_mut().zip(contacts) {
            if let OtherSide::Fixed { position, previous } = contact.other {
                let state = self.states.len() as u32;
                self.states.push([position, previous]);
                sides.other = LocalPoint {
                    states: [state; 4],
                    weights: [1.0, 0.0, 0.0, 0.0],
                    per_impulse: [0.0; 4],
                };
            }
        }
    }

    /// Converts a point to indices of states. Particles that have no state get one.
    fn local_point(&mut self, point: &WeightedPoint, particles: &Particles<D>) -> LocalPoint {
        let states = point.particles.map(|particle| {
            let state = &mut self.state_of[particle as usize];
            if self.particles.get(*state as usize) != Some(&particle) {
                *state = self.particles.len() as u32;
                self.particles.push(particle);
            }
            *state
        });
        let per_impulse = point.displacements_per_impulse(particles);
        LocalPoint { states, weights: point.weights, per_impulse }
    }

    /// Copies the states back to the particles.
    fn scatter(&self, particles: &mut Particles<D>) {
        for axis in 0..D {
            let column = particles.positions_mut(axis);
            for (particle, state) in self.particles.iter().zip(&self.states) {
                column[*particle as usize] = state[NOW][axis];
            }
            let column = particles.previous_mut(axis);
            for (particle, state) in self.particles.iter().zip(&self.states) {
                column[*particle as usize] = state[BEFORE][axis];
            }
        }
    }
}

/// Sets the impulses of all contacts to 0, then solves all contacts up to [`ITERATIONS`] times, until
/// an iteration moves nothing. `solve` returns whether it moved something.
#[inline(always)]
fn iterate<const D: usize>(
    contacts: &mut [Contact<D>],
    sides: &[Sides],
    mut solve: impl FnMut(&mut Contact<D>, &Sides) -> bool,
) {
    for contact in &mut *contacts {
        contact.normal_impulse = 0.0;
        contact.friction_impulse = [0.0; D];
    }
    for _ in 0..ITERATIONS {
        let mut moved = false;
        for (contact, sides) in contacts.iter_mut().zip(sides) {
            moved |= solve(contact, sides);
        }
        if !moved {
            break;
        }
    }
}
