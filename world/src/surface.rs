//! Collision response of particles: friction and restitution in Verlet integration.

use taut_core::{Lane, Real};

use crate::error::ModelError;
use crate::settings::Moment;
use crate::vector::{constants, difference, dot, length, plus, scaled};

/// Friction, restitution and thickness of an obstacle.
///
/// ```
/// use taut_world::Surface;
///
/// let rubber = Surface { friction: 0.9, restitution: 0.8, ..Surface::default() };
/// assert_eq!(rubber.thickness, 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Coulomb's μ: friction is at most μ times the normal force. On a slope it slides if the
    /// slope's tangent is above μ, and then accelerates by `g (sin - μ cos)`. Default: 0.3.
    pub friction: f32,
    /// The share of its normal speed with which a particle bounces, 0 to 1: a dropped one rises to
    /// the square of that share of the height. Rigid bodies bounce as a whole, off obstacles and
    /// each other, unless some of their particles are pinned. Default: 0.
    pub restitution: f32,
    /// The approach speed, m/s, up to which nothing bounces, so that objects on the surface come to
    /// rest. It is at least 2 g h, twice what gravity adds in a substep of h (as in Müller et al.,
    /// "Detailed Rigid Body Simulation with Extended Position Based Dynamics", 2020): a lower
    /// threshold depends on the number of substeps. Default: 0.1, a bounce of 0.5 mm, which is
    /// above that bound in substeps of 1/200 s and less.
    pub restitution_threshold: f32,
    /// The distance at which particles collide, m, in addition to their radii. Default: 0.
    pub thickness: f32,
}

impl Default for Surface {
    fn default() -> Self {
        Self { friction: 0.3, restitution: 0.0, restitution_threshold: 0.1, thickness: 0.0 }
    }
}

impl Surface {
    /// Checks that the values are sane.
    ///
    /// # Errors
    /// A negative number, or a restitution above 1.
    pub fn checked(self) -> Result<Self, ModelError> {
        let Self { friction, restitution, restitution_threshold, thickness } = self;
        let (any, most) = (0.0..=f64::MAX, taut_core::COORDINATE_MAX);
        for (key, what, value, sane, must) in [
            ("friction", "the friction of a surface", friction, any.clone(), "at least 0"),
            ("restitution", "the restitution of a surface", restitution, 0.0..=1.0, "from 0 to 1"),
            (
                "restitution_threshold",
                "the restitution threshold of a surface, m/s,",
                restitution_threshold,
                any,
                "at least 0 and finite",
            ),
            (
                "thickness",
                "the thickness of a surface, m,",
                thickness,
                0.0..=most,
                "from 0 to 1e12",
            ),
        ] {
            ModelError::check(key, what, value.into(), sane, must)?;
        }
        Ok(self)
    }

    /// The approach in a substep, m, up to which nothing bounces; at least `least`.
    pub(crate) fn bounce_threshold(&self, h: f32, least: f64) -> f64 {
        let threshold = f64::from(self.restitution_threshold) * f64::from(h);
        if threshold > least { threshold } else { least }
    }
}

/// The smallest approach in a substep, m, that can bounce: `2 g h²`.
pub(crate) fn least_bounce<const D: usize>(moment: &Moment<D>) -> f64 {
    2.0 * length(moment.motion.displacement.map(f64::from))
}

/// The distance from a [`Side`](crate::Side) and its normal: for one point (`L` is `f32`), or for
/// those in the lanes of a register.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest<const D: usize, L = f32> {
    /// m, negative inside.
    pub distance: L,
    /// Unit normal: the direction of the shortest way out.
    pub normal: [L; D],
}

/// A contact of a particle with an obstacle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact<L, const D: usize> {
    /// Unit normal, outwards.
    pub(crate) normal: [L; D],
    /// Penetration, m.
    pub(crate) depth: L,
    /// Free room beyond, m, before the particle would hit an opposite side.
    pub(crate) clear: L,
}

/// Position and previous position of a particle in a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mover<L, const D: usize> {
    /// Position, m.
    pub(crate) x: [L; D],
    /// Previous position, m.
    pub(crate) previous: [L; D],
}

/// The contact law of a surface in a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Law<L> {
    friction: L,
    restitution: L,
    /// The approach in a substep, m, up to which nothing bounces.
    threshold: L,
    /// Whether restitution is above 0.
    bounces: bool,
}

impl Law<f32> {
    /// Neither friction nor restitution.
    pub(crate) const PROJECTION: Self =
        Self { friction: 0.0, restitution: 0.0, threshold: 0.0, bounces: false };
}

impl<S: Real> Law<S> {
    pub(crate) fn new<const D: usize>(surface: &Surface, moment: &Moment<D>) -> Self {
        Self {
            friction: S::from_f64(surface.friction.into()),
            restitution: S::from_f64(surface.restitution.into()),
            threshold: S::from_f64(surface.bounce_threshold(moment.h, least_bounce(moment))),
            bounces: surface.restitution > 0.0,
        }
    }
}

impl Law<f32> {
    /// The law in every lane of the type of `like`.
    #[inline(always)]
    pub(crate) fn constant<L: Lane>(&self, like: L) -> Law<L> {
        let [friction, restitution, threshold] =
            constants(like, [self.friction, self.restitution, self.threshold]);
        Law { friction, restitution, threshold, bounces: self.bounces }
    }
}

impl<L: Lane> Law<L> {
    /// Resolves a contact with the surface, which moved by `drift` in the substep, m.
    ///
    /// In terms of its displacement relative to the surface in this substep, of which `incoming`
    /// is the part against the normal:
    /// - It is put where it would have bounced to: out by `depth`, and beyond by the restitution's
    ///   share of what it went in after it met the surface. (An article puts it onto the surface,
    ///   and drops the rest of its way. At a restitution below 1 that costs up to a substep of flight
    ///   at each bounce; at 0 it is the same.)
    /// - `incoming` becomes `-restitution * incoming`, by a change of the previous position.
    ///   What goes out already stays as fast: pushing out what was inside gives it no speed.
    /// - Tangentially it is put back against its slip, by up to friction times the change of its
    ///   normal displacement (Coulomb), and never beyond rest. It is its position that is put back,
    ///   not its previous one, or what sticks would creep.
    #[inline(always)]
    pub(crate) fn meet<const D: usize>(
        &self,
        Mover { x, previous }: Mover<L, D>,
        drift: [L; D],
        Contact { normal, depth, clear }: Contact<L, D>,
    ) -> Mover<L, D> {
        let (zero, one) = (depth.constant(0.0), depth.constant(1.0));
        let moved = difference(difference(x, previous), drift);
        let outgoing = dot(moved, normal);
        let incoming = L::select(outgoing.above(zero), zero, zero - outgoing);
        let (mut change, mut out) = (incoming, depth);
        if self.bounces {
            let share = L::select(incoming.above(self.threshold), self.restitution, zero);
            change = incoming + share * incoming;
            let after = share * L::select(depth.above(incoming), incoming, depth);
            out = depth + L::select(after.above(clear), clear, after);
        }

        let slip = difference(moved, scaled(normal, outgoing));
        let speed = length(slip);
        let grip = self.friction * change;
        let held = L::select(speed.above(grip), grip / speed, one);
        Mover {
            x: difference(plus(x, out, normal), scaled(slip, held)),
            previous: plus(previous, out - change, normal),
        }
    }
}
