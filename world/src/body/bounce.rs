//! Restitution of bodies by impulses, after positions are solved.

use taut_core::Particles;

use super::contact::Contact;
use super::motion::BodyMotion;
use super::{Bodies, Body, BodyScratch};
use crate::linear::{Matrix, Vector, apply, per_axis};
use crate::settings::StepTime;
use crate::surface::{Surface, least_bouncing_approach};
use crate::vector::{add_scaled, cross, difference, dot, sum};

/// Iterations over impulses: enough for nearly equal impulses at the four corners of a face.
const ITERATIONS: usize = 32;

/// The collisions of a substep, for applying restitution at its end. Moving points out of an
/// obstacle removes all of their approach velocity. Restitution changes the velocity and spin of
/// whole bodies: an impulse on the particles of a single point would deform the body, and the
/// sticks would absorb part of it. (The velocity solver of Müller et al., "Detailed Rigid Body
/// Simulation with Extended Position Based Dynamics", 2020, does the same. Velocities in this file are
/// displacements in a substep, m.)
#[derive(Clone, Debug, Default)]
pub(super) struct Bounces {
    /// The motion of each body before collisions.
    incoming: Vec<BodyMotion>,
    /// The current state of each body.
    states: Vec<BodyState>,
    contacts: Vec<BounceContact>,
    /// The approach in a substep, m, up to which nothing bounces, whatever the surface.
    least_approach: f64,
    /// The length of the substep, s.
    h: f32,
}

/// A contact point between a body and another body or an obstacle.
#[derive(Clone, Copy, Debug)]
struct BounceContact {
    /// The index of the body that the point belongs to.
    body: usize,
    /// The index of the other body; None for an obstacle.
    other: Option<usize>,
    /// The position of the contact point, m.
    point: Vector,
    /// Unit normal, out of the other body or the obstacle.
    normal: Vector,
    /// Displacement of the obstacle along the normal, m; 0 if the other side is a body.
    obstacle_displacement: f64,
    /// Target displacement along the normal after the bounce, relative to the other side, m.
    outgoing: f64,
    /// Accumulated impulse, kg m.
    impulse: f64,
}

/// The motion of a body and its response to impulses.
#[derive(Clone, Copy, Debug)]
struct BodyState {
    motion: BodyMotion,
    /// Inverse mass, 1/kg; 0 if a particle of the body is pinned: impulses do not move it then.
    inverse_mass: f64,
    /// Inverse inertia tensor in world axes, 1/(kg m²).
    inverse_inertia: Matrix,
    /// Whether an impulse has changed the motion.
    changed: bool,
    /// Set by [`mark_bouncing`]: whether the body bounces, or is connected by contacts to a body that
    /// does.
    bounces: bool,
}

impl BodyState {
    fn of<const D: usize>(body: &Body, particles: &Particles<D>) -> Self {
        let motion = body.motion(particles);
        let inverse_masses = particles.inverse_masses();
        let [a, b, c, d] =
            body.particles.map(|particle| f64::from(inverse_masses[particle as usize]));
        let free = a > 0.0 && b > 0.0 && c > 0.0 && d > 0.0;
        let (inverse_mass, inverse_inertia) = match motion.inverse_inertia {
            Some(for_unit_mass) if free => {
                let inverse_mass = 1.0 / ((1.0 / a + 1.0 / b) + (1.0 / c + 1.0 / d));
                (inverse_mass, for_unit_mass.map(|row| row.map(|x| x * inverse_mass)))
            }
            _ => (0.0, [[0.0; 3]; 3]),
        };
        Self { motion, inverse_mass, inverse_inertia, changed: false, bounces: false }
    }

    /// Velocity change of a point per unit of impulse along `normal`, 1/kg.
    fn inverse_effective_mass(&self, point: Vector, normal: Vector) -> f64 {
        let moment = cross(difference(point, self.motion.centre), normal);
        self.inverse_mass + dot(moment, apply(&self.inverse_inertia, moment))
    }

    /// Adds an impulse, kg m, at a point, m, to the motion.
    fn apply_impulse(&mut self, point: Vector, impulse: Vector) {
        let moment = cross(difference(point, self.motion.centre), impulse);
        let twist = &mut self.motion.twist;
        twist.velocity = add_scaled(twist.velocity, self.inverse_mass, impulse);
        twist.spin = sum(twist.spin, apply(&self.inverse_inertia, moment));
        self.changed = self.inverse_mass > 0.0;
    }
}

impl Bounces {
    /// Records a contact if it moved its point out of another body or an obstacle. `body` is the body
    /// of the point; `other` is the body on the other side, None for an obstacle.
    pub(super) fn record<const D: usize>(
        &mut self,
        body: usize,
        other: Option<usize>,
        contact: &Contact<D>,
        particles: &Particles<D>,
        surface: &Surface,
    ) {
        let Some(collision) = contact.collision(particles) else { return };
        if body >= self.incoming.len() {
            return; // outside a step of a world, the motions before collisions are not recorded
        }
        let [point, normal, displacement] =
            collision.map(|vector| per_axis(|axis| f64::from(vector[axis])));
        let obstacle_displacement = dot(displacement, normal);
        let along_normal = |body: usize| dot(self.incoming[body].displacement_at(point), normal);
        let approach = other.map_or(obstacle_displacement, along_normal) - along_normal(body);
        let threshold = surface.bounce_threshold(self.h, self.least_approach);
        let outgoing = if approach > threshold {
            f64::from(surface.restitution) * approach
        } else if approach < -threshold {
            // The point has bounced already. Sticks that spring back push it in and out again,
            // which must not add velocity.
            -approach
        } else {
            0.0
        };
        let impulse = 0.0;
        self.contacts.push(BounceContact {
            body,
            other,
            point,
            normal,
            obstacle_displacement,
            outgoing,
            impulse,
        });
    }
}

impl BounceContact {
    /// Whether a body of the contact is marked as bouncing.
    fn is_marked(&self, states: &[BodyState]) -> bool {
        states[self.body].bounces || self.other.is_some_and(|other| states[other].bounces)
    }

    /// Marks the bodies of the contact that can move as bouncing; returns whether one of them was
    /// not marked before.
    fn mark(&self, states: &mut [BodyState]) -> bool {
        let mut new = false;
        for body in [Some(self.body), self.other].into_iter().flatten() {
            let state = &mut states[body];
            new |= state.inverse_mass > 0.0 && !state.bounces;
            state.bounces |= state.inverse_mass > 0.0;
        }
        new
    }

    /// Applies the impulse that is missing from the accumulated one (negative if that is too
    /// large). A bouncing contact reaches exactly its outgoing velocity; the accumulated impulse of
    /// a resting contact never pulls.
    fn apply(&mut self, states: &mut [BodyState]) {
        let along_normal =
            |body: usize| dot(states[body].motion.displacement_at(self.point), self.normal);
        let inverse_effective_mass =
            |body: usize| states[body].inverse_effective_mass(self.point, self.normal);
        let current_outgoing =
            along_normal(self.body) - self.other.map_or(self.obstacle_displacement, along_normal);
        let inverse_mass_sum =
            inverse_effective_mass(self.body) + self.other.map_or(0.0, inverse_effective_mass);
        if inverse_mass_sum <= 0.0 {
            return;
        }
        let impulse = self.impulse + (self.outgoing - current_outgoing) / inverse_mass_sum;
        let pulls = impulse < 0.0 && self.outgoing <= 0.0;
        let impulse = if pulls { 0.0 } else { impulse };
        let change = self.normal.map(|x| x * (impulse - self.impulse));
        self.impulse = impulse;
        states[self.body].apply_impulse(self.point, change);
        if let Some(other) = self.other {
            states[other].apply_impulse(self.point, change.map(|x| -x));
        }
    }
}

/// Marks bodies that bounce and all bodies connected to them by contacts. Other bodies stay as they
/// are, so that they do not depend on bodies that they have no contact with.
fn mark_bouncing(contacts: &[BounceContact], states: &mut [BodyState]) {
    for contact in contacts.iter().filter(|contact| contact.outgoing > 0.0) {
        contact.mark(states);
    }
    let mut marked_more = true;
    while marked_more {
        marked_more = false;
        for contact in contacts {
            marked_more |= contact.is_marked(states) && contact.mark(states);
        }
    }
}

impl<const D: usize> Bodies<D> {
    /// Records the motion of all bodies, between the integration of a substep and its collisions.
    pub(crate) fn record_incoming(
        &self,
        particles: &Particles<D>,
        now: &StepTime<D>,
        scratch: &mut BodyScratch<D>,
    ) {
        let Bounces { incoming, contacts, least_approach, h, .. } = &mut scratch.bounces;
        contacts.clear();
        // Four contacts per vertex are typically enough, so that later steps do not allocate.
        contacts.reserve(4 * self.weights[0].len());
        incoming.clear();
        incoming.extend(self.all.iter().map(|body| body.motion(particles)));
        (*least_approach, *h) = (least_bouncing_approach(now), now.h);
    }

    /// Applies restitution at the end of a substep, after sticks and obstacles.
    pub(crate) fn bounce(&self, particles: &mut Particles<D>, scratch: &mut BodyScratch<D>) {
        let Bounces { states, contacts, .. } = &mut scratch.bounces;
        // Resting bodies stay as they are unless something bounces.
        if !contacts.iter().any(|contact| contact.outgoing > 0.0) {
            return;
        }
        states.clear();
        states.extend(self.all.iter().map(|body| BodyState::of(body, particles)));
        mark_bouncing(contacts, states);
        for _ in 0..ITERATIONS {
            for contact in &mut *contacts {
                if contact.is_marked(states) {
                    contact.apply(states);
                }
            }
        }
        for (body, state) in self.all.iter().zip(states).filter(|(_, state)| state.changed) {
            body.set_motion(particles, &state.motion.twist, 1.0); // the unit of time is the substep
        }
    }
}
