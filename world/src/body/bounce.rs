//! Bodies that bounce: restitution by impulses, once positions are solved.

use taut_core::Particles;

use super::contact::Contact;
use super::motion::Moving;
use super::{Bodies, Body, BodyScratch};
use crate::linear::{Matrix, Vector, apply, each};
use crate::settings::Moment;
use crate::surface::{Surface, least_bounce};
use crate::vector::{cross, difference, dot, plus, sum};

/// How often impulses are gone through: the four corners of a face share theirs evenly by then.
const ROUNDS: usize = 32;

/// What met in a substep, to bounce at its end. Pushing points out takes all of their approach; what
/// of it comes back is given here to whole bodies, as velocity and spin: an impulse at the weights
/// of a single point would bend the body, and the sticks would take part of it again. (As the
/// velocity pass of Müller et al., "Detailed Rigid Body Simulation with Extended Position Based
/// Dynamics", 2020; velocities here are displacements in a substep, m.)
#[derive(Clone, Debug, Default)]
pub(super) struct Bounces {
    /// How each body moved before anything met.
    incoming: Vec<Moving>,
    /// How each body moves now.
    now: Vec<Mover>,
    all: Vec<Bounce>,
    /// The least approach in a substep, m, that can bounce.
    least: f64,
    /// The length of the substep, s.
    h: f32,
}

/// A point of contact between a body and another, or something that moves as it likes.
#[derive(Clone, Copy, Debug)]
struct Bounce {
    body: usize,
    other: Option<usize>,
    place: Vector,
    /// Out of the other, of length 1.
    normal: Vector,
    /// How fast what is no body goes that way, m.
    drift: f64,
    /// How fast the body is to leave, m.
    outgoing: f64,
    /// kg m.
    impulse: f64,
}

/// A body that takes impulses.
#[derive(Clone, Copy, Debug)]
struct Mover {
    moving: Moving,
    /// 1/kg; 0 if some of it is pinned: it gives no way then.
    inverse_mass: f64,
    inverse_inertia: Matrix,
    changed: bool,
    /// Whether it bounces, or is in contact with a body that does, or with one in contact with that.
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

    /// How much faster a point is after a unit of impulse along `normal`, 1/kg.
    fn yields(&self, place: Vector, normal: Vector) -> f64 {
        let arm = cross(difference(place, self.moving.centre), normal);
        self.inverse_mass + dot(arm, apply(&self.inverse_inertia, arm))
    }

    fn take(&mut self, place: Vector, impulse: Vector) {
        let arm = cross(difference(place, self.moving.centre), impulse);
        let twist = &mut self.moving.twist;
        twist.velocity = plus(twist.velocity, self.inverse_mass, impulse);
        twist.spin = sum(twist.spin, apply(&self.inverse_inertia, arm));
        self.changed = self.inverse_mass > 0.0;
    }
}

impl Bounces {
    /// Takes down that a point of a body was pushed out of another, or of something else, if it was.
    pub(super) fn note<const D: usize>(
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
            // It has bounced and is on its way. Sticks that bend back push it into the other again,
            // and so out again: that shall not make it faster.
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

    /// Marks the bodies of the contact that give way (what does not passes nothing on); whether one
    /// of them was not marked yet.
    fn mark(&self, movers: &mut [Mover]) -> bool {
        let mut new = false;
        for body in [Some(self.body), self.other].into_iter().flatten() {
            let mover = &mut movers[body];
            new |= mover.inverse_mass > 0.0 && !mover.bounces;
            mover.bounces |= mover.inverse_mass > 0.0;
        }
        new
    }

    /// The impulse that is missing, or less if there was too much. What bounces leaves as fast as it
    /// is to, not faster, whatever speed being pushed out gave it; of what only lies there the
    /// impulses are all together never a pull.
    fn apply(&mut self, movers: &mut [Mover]) {
        let along = |it: usize| dot(movers[it].moving.at(self.place), self.normal);
        let yields = |it: usize| movers[it].yields(self.place, self.normal);
        let leaving = along(self.body) - self.other.map_or(self.drift, along);
        let both = yields(self.body) + self.other.map_or(0.0, yields);
        if both <= 0.0 {
            return;
        }
        let impulse = self.impulse + (self.outgoing - leaving) / both;
        let pulls = impulse < 0.0 && self.outgoing <= 0.0;
        let impulse = if pulls { 0.0 } else { impulse };
        let more = self.normal.map(|along| along * (impulse - self.impulse));
        self.impulse = impulse;
        movers[self.body].take(self.place, more);
        if let Some(other) = self.other {
            movers[other].take(self.place, more.map(|along| -along));
        }
    }
}

/// Marks the bodies that bounce and, through contacts, all that they may push: what only lies somewhere
/// else is left alone, so that it does not depend on bodies that it does not touch.
fn mark_bouncing(met: &[Bounce], movers: &mut [Mover]) {
    for bounce in met.iter().filter(|bounce| bounce.outgoing > 0.0) {
        bounce.mark(movers);
    }
    let mut spreads = true;
    while spreads {
        spreads = false;
        for bounce in met {
            spreads |= bounce.is_marked(movers) && bounce.mark(movers);
        }
    }
}

impl<const D: usize> Bodies<D> {
    /// Looks how bodies move, when a substep has moved them and nothing has met yet.
    pub(crate) fn come_in(
        &self,
        particles: &Particles<D>,
        moment: &Moment<D>,
        scratch: &mut BodyScratch<D>,
    ) {
        let Bounces { incoming, all, least, h, .. } = &mut scratch.bounces;
        all.clear();
        // Enough for what usually meets, so that later steps take no memory.
        all.reserve(4 * self.weights[0].len());
        incoming.clear();
        incoming.extend(self.all.iter().map(|body| body.moving(particles)));
        (*least, *h) = (least_bounce(moment), moment.h);
    }

    /// Bodies that met in a substep bounce, once sticks and obstacles are done with it.
    pub(crate) fn bounce(&self, particles: &mut Particles<D>, scratch: &mut BodyScratch<D>) {
        let Bounces { now, all: met, .. } = &mut scratch.bounces;
        // What lies on something is left alone, as long as nothing falls on it.
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
