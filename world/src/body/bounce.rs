//! Restitution of bodies by impulses, once positions are solved.

use taut_core::Particles;

use super::contact::Contact;
use super::motion::Moving;
use super::{Bodies, Body, BodyScratch};
use crate::linear::{Matrix, Vector, apply, each};
use crate::settings::Moment;
use crate::surface::{Surface, least_bounce};
use crate::vector::{cross, difference, dot, plus, sum};

/// Iterations over impulses: enough for the four corners of a face to share theirs evenly.
const ROUNDS: usize = 32;

/// The collisions of a substep, to apply restitution at its end. Pushing points out removes all of
/// their approach velocity. Restitution is applied to whole bodies, as velocity and spin: an
/// impulse on the particles of a single point would bend the body, and the sticks would absorb part
/// of it. (As the velocity pass of Müller et al., "Detailed Rigid Body Simulation with Extended
/// Position Based Dynamics", 2020; velocities here are displacements in a substep, m.)
#[derive(Clone, Debug, Default)]
pub(super) struct Bounces {
    /// How each body moved before collisions.
    incoming: Vec<Moving>,
    /// How each body moves now.
    now: Vec<Mover>,
    all: Vec<Bounce>,
    /// The smallest approach in a substep, m, that bounces.
    least: f64,
    /// The length of the substep, s.
    h: f32,
}

/// A contact point between a body and another body or an obstacle.
#[derive(Clone, Copy, Debug)]
struct Bounce {
    body: usize,
    other: Option<usize>,
    place: Vector,
    /// Unit normal, out of the other.
    normal: Vector,
    /// Displacement of an obstacle along the normal, m.
    drift: f64,
    /// Target displacement along the normal after the bounce, m.
    outgoing: f64,
    /// kg m.
    impulse: f64,
}

/// A body that takes impulses.
#[derive(Clone, Copy, Debug)]
struct Mover {
    moving: Moving,
    /// 1/kg; 0 if one of its particles is pinned: it does not move then.
    inverse_mass: f64,
    inverse_inertia: Matrix,
    changed: bool,
    /// Whether it bounces, or is connected by contacts to a body that does.
    bounces: bool,
}

impl Mover {
    fn of<const D: usize>(body: &Body, particles: &Particles<D>) -> Self {
        let moving = body.moving(particles);
        let masses = particles.inverse_masses();
        let [a, b, c, d] = body.particles.map(|particle| f64::from(masses[particle as usize]));
        let free = a > 0.0 && b > 0.0 && c > 0.0 && d > 0.0;
        let (inverse_mass, inverse_inertia) = match moving.inverse_inertia {
            Some(of_a_kilogram) if free => {
                let w = 1.0 / ((1.0 / a + 1.0 / b) + (1.0 / c + 1.0 / d));
                (w, of_a_kilogram.map(|row| row.map(|x| x * w)))
            }
            _ => (0.0, [[0.0; 3]; 3]),
        };
        Self { moving, inverse_mass, inverse_inertia, changed: false, bounces: false }
    }

    /// Velocity change of a point per unit of impulse along `normal`, 1/kg.
    fn inverse_effective_mass(&self, place: Vector, normal: Vector) -> f64 {
        let arm = cross(difference(place, self.moving.centre), normal);
        self.inverse_mass + dot(arm, apply(&self.inverse_inertia, arm))
    }

    fn apply_impulse(&mut self, place: Vector, impulse: Vector) {
        let arm = cross(difference(place, self.moving.centre), impulse);
        let twist = &mut self.moving.twist;
        twist.velocity = plus(twist.velocity, self.inverse_mass, impulse);
        twist.spin = sum(twist.spin, apply(&self.inverse_inertia, arm));
        self.changed = self.inverse_mass > 0.0;
    }
}

impl Bounces {
    /// Records a contact if its point was pushed out of another body or an obstacle.
    pub(super) fn record<const D: usize>(
        &mut self,
        [body, other]: [Option<usize>; 2],
        contact: &Contact<D>,
        particles: &Particles<D>,
        surface: &Surface,
    ) {
        let (Some(body), Some(met)) = (body, contact.met(particles)) else { return };
        let [place, normal, drift] = met.map(|of| each(|axis| f64::from(of[axis])));
        let drift = dot(drift, normal);
        let along = |body: usize| dot(self.incoming[body].at(place), normal);
        let approach = other.map_or(drift, along) - along(body);
        let threshold = surface.bounce_threshold(self.h, self.least);
        let outgoing = if approach > threshold {
            f64::from(surface.restitution) * approach
        } else if approach < -threshold {
            // It has bounced already. Sticks that spring back push it into the other and out again,
            // which must not add velocity.
            -approach
        } else {
            0.0
        };
        self.all.push(Bounce { body, other, place, normal, drift, outgoing, impulse: 0.0 });
    }
}

impl Bounce {
    /// Whether a body of the contact is marked.
    fn is_marked(&self, movers: &[Mover]) -> bool {
        movers[self.body].bounces || self.other.is_some_and(|other| movers[other].bounces)
    }

    /// Marks the bodies of the contact that can move; returns whether one was not marked before.
    fn mark(&self, movers: &mut [Mover]) -> bool {
        let mut new = false;
        for body in [Some(self.body), self.other].into_iter().flatten() {
            let mover = &mut movers[body];
            new |= mover.inverse_mass > 0.0 && !mover.bounces;
            mover.bounces |= mover.inverse_mass > 0.0;
        }
        new
    }

    /// Applies the missing impulse (negative if there was too much). A bouncing contact reaches
    /// exactly its outgoing velocity; the total impulse of a resting contact never pulls.
    fn apply(&mut self, movers: &mut [Mover]) {
        let along = |it: usize| dot(movers[it].moving.at(self.place), self.normal);
        let inverse_effective_mass =
            |it: usize| movers[it].inverse_effective_mass(self.place, self.normal);
        let leaving = along(self.body) - self.other.map_or(self.drift, along);
        let both =
            inverse_effective_mass(self.body) + self.other.map_or(0.0, inverse_effective_mass);
        if both <= 0.0 {
            return;
        }
        let impulse = self.impulse + (self.outgoing - leaving) / both;
        let pulls = impulse < 0.0 && self.outgoing <= 0.0;
        let impulse = if pulls { 0.0 } else { impulse };
        let more = self.normal.map(|along| along * (impulse - self.impulse));
        self.impulse = impulse;
        movers[self.body].apply_impulse(self.place, more);
        if let Some(other) = self.other {
            movers[other].apply_impulse(self.place, more.map(|along| -along));
        }
    }
}

/// Marks bodies that bounce and all bodies connected to them by contacts. Others are left alone, so
/// that they do not depend on bodies that they do not touch.
fn mark_bouncing(met: &[Bounce], movers: &mut [Mover]) {
    for bounce in met.iter().filter(|bounce| bounce.outgoing > 0.0) {
        bounce.mark(movers);
    }
    let mut marked_more = true;
    while marked_more {
        marked_more = false;
        for bounce in met {
            marked_more |= bounce.is_marked(movers) && bounce.mark(movers);
        }
    }
}

impl<const D: usize> Bodies<D> {
    /// Records how bodies move, after the motion of a substep and before collisions.
    pub(crate) fn record_incoming(
        &self,
        particles: &Particles<D>,
        moment: &Moment<D>,
        scratch: &mut BodyScratch<D>,
    ) {
        let Bounces { incoming, all, least, h, .. } = &mut scratch.bounces;
        all.clear();
        // Enough for typical contacts, so that later steps do not allocate.
        all.reserve(4 * self.weights[0].len());
        incoming.clear();
        incoming.extend(self.all.iter().map(|body| body.moving(particles)));
        (*least, *h) = (least_bounce(moment), moment.h);
    }

    /// Applies restitution at the end of a substep, after sticks and obstacles.
    pub(crate) fn bounce(&self, particles: &mut Particles<D>, scratch: &mut BodyScratch<D>) {
        let Bounces { now, all: met, .. } = &mut scratch.bounces;
        // Resting bodies are left alone unless something bounces.
        if !met.iter().any(|bounce| bounce.outgoing > 0.0) {
            return;
        }
        now.clear();
        now.extend(self.all.iter().map(|body| Mover::of(body, particles)));
        mark_bouncing(met, now);
        for _ in 0..ROUNDS {
            for bounce in &mut *met {
                if bounce.is_marked(now) {
                    bounce.apply(now);
                }
            }
        }
        for (body, mover) in self.all.iter().zip(now).filter(|(_, mover)| mover.changed) {
            body.set_moving(particles, &mover.moving.twist, 1.0);
        }
    }
}
