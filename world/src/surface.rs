//! Collision response of particles: friction and restitution in Verlet integration.

use taut_core::{Lane, Real};

use crate::error::ModelError;
use crate::settings::StepTime;
use crate::vector::{add_scaled, constants, difference, dot, length, scaled};

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
    /// Coulomb's μ: friction is at most μ times the normal force. On a slope a particle slides if
    /// the slope's tangent is above μ, and then accelerates by `g (sin - μ cos)`. Default: 0.3.
    pub friction: f32,
    /// The fraction of its normal speed that a particle keeps in a bounce, 0 to 1: a dropped
    /// particle rises to its initial height times the square of this fraction. Rigid bodies bounce
    /// as a whole, off obstacles and each other, unless some of their particles are pinned.
    /// Default: 0.
    pub restitution: f32,
    /// The approach speed, m/s, up to which nothing bounces, so that objects on the surface come to
    /// rest. It is at least 2 g h, twice what gravity adds in a substep of h (as in Müller et al.,
    /// "Detailed Rigid Body Simulation with Extended Position Based Dynamics", 2020): with a
    /// lower threshold the result would depend on the number of substeps. Default: 0.1, which is a
    /// bounce 0.5 mm high, and above 2 g h in substeps of 1/200 s and less.
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
    /// The surface itself, if its values are valid.
    ///
    /// # Errors
    /// A value that is negative or not finite, a restitution above 1, or a thickness above 1e12 m.
    pub fn checked(self) -> Result<Self, ModelError> {
        let Self { friction, restitution, restitution_threshold, thickness } = self;
        let (any, largest) = (0.0..=f64::MAX, taut_core::COORDINATE_MAX);
        for (key, what, value, range, must) in [
            (
                "friction",
                "the friction of a surface",
                friction,
                any.clone(),
                "at least 0 and finite",
            ),
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
                0.0..=largest,
                "from 0 to 1e12",
            ),
        ] {
            ModelError::check(key, what, value.into(), range, must)?;
        }
        Ok(self)
    }

    /// The approach in a substep of `h` seconds, m, up to which nothing bounces; at least
    /// `least_approach`.
    pub(crate) fn bounce_threshold(&self, h: f32, least_approach: f64) -> f64 {
        let threshold = f64::from(self.restitution_threshold) * f64::from(h);
        if threshold > least_approach { threshold } else { least_approach }
    }
}

/// The smallest approach in a substep, m, that can bounce: `2 g h²`.
pub(crate) fn least_bouncing_approach<const D: usize>(now: &StepTime<D>) -> f64 {
    2.0 * length(now.motion.displacement.map(f64::from))
}

/// The distance from a [`Side`](crate::Side) and its normal: for one point (`L` is `f32`), or for
/// the points in the lanes of a register.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest<const D: usize, L = f32> {
    /// Signed distance, m, negative inside.
    pub distance: L,
    /// Unit normal, outwards: the direction of least penetration.
    pub normal: [L; D],
}

/// A contact of a particle with an obstacle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SurfaceContact<L, const D: usize> {
    /// Unit normal, outwards.
    pub(crate) normal: [L; D],
    /// Penetration, m.
    pub(crate) depth: L,
    /// How far the particle can move along the normal, once outside, before it hits the opposite
    /// wall of the same side, m.
    pub(crate) clearance: L,
}

/// Position and previous position of a particle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VerletState<L, const D: usize> {
    /// Position, m.
    pub(crate) x: [L; D],
    /// Previous position, m.
    pub(crate) previous: [L; D],
}

/// The contact law of a surface: its friction and restitution, for one substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactLaw<L> {
    friction: L,
    restitution: L,
    /// The approach in a substep, m, up to which nothing bounces.
    threshold: L,
    /// Whether restitution is above 0.
    bounces: bool,
}

impl ContactLaw<f32> {
    /// Projection onto the surface, without friction and restitution.
    pub(crate) const PROJECTION: Self =
        Self { friction: 0.0, restitution: 0.0, threshold: 0.0, bounces: false };
}

impl<S: Real> ContactLaw<S> {
    pub(crate) fn new<const D: usize>(surface: &Surface, now: &StepTime<D>) -> Self {
        Self {
            friction: S::from_f64(surface.friction.into()),
            restitution: S::from_f64(surface.restitution.into()),
            threshold: S::from_f64(surface.bounce_threshold(now.h, least_bouncing_approach(now))),
            bounces: surface.restitution > 0.0,
        }
    }
}

impl ContactLaw<f32> {
    /// The law with each value in all lanes, in the lane type of `like`.
    #[inline(always)]
    pub(crate) fn constant<L: Lane>(&self, like: L) -> ContactLaw<L> {
        let [friction, restitution, threshold] =
            constants(like, [self.friction, self.restitution, self.threshold]);
        ContactLaw { friction, restitution, threshold, bounces: self.bounces }
    }
}

/// The part of a displacement along a surface that Coulomb friction removes: all of it, or a vector
/// of length `limit`, m, in its direction if that is shorter. `outgoing` is the displacement along
/// the normal.
#[inline(always)]
pub(crate) fn stopped_slip<L: Lane, const D: usize>(
    displacement: [L; D],
    normal: [L; D],
    outgoing: L,
    limit: L,
) -> [L; D] {
    let slip = difference(displacement, scaled(normal, outgoing));
    let slip_length = length(slip);
    let fraction = L::select(slip_length.above(limit), limit / slip_length, limit.constant(1.0));
    scaled(slip, fraction)
}

impl<L: Lane> ContactLaw<L> {
    /// Resolves a contact of a particle with the surface, which moved by `surface_displacement` in
    /// the substep, m.
    ///
    /// Let `incoming` be the part against the normal of the particle's displacement relative to the
    /// surface in this substep:
    /// - The position moves to where the particle would be after the bounce: out by `depth`, and
    ///   beyond by restitution times the distance that it penetrated after the impact, but by at most
    ///   `clearance`. Restitution counts as 0 if `incoming` is not above the threshold. (The report
    ///   on soft bodies, phase II in docs/articles.md, moves it only to the surface, and drops the
    ///   rest of its displacement. At a restitution below 1 that costs up to a substep of flight at
    ///   each bounce; at 0 it is the same.)
    /// - The previous position moves, too, so that the normal displacement changes from `-incoming` to
    ///   `restitution * incoming`. A particle that already moves outwards keeps its speed: pushing it
    ///   out adds no velocity.
    /// - Friction moves the position back along the slip, by at most μ times the change of the
    ///   normal displacement (Coulomb), and never beyond rest. It changes the position, not the
    ///   previous position, because otherwise particles that stick to the surface would creep.
    #[inline(always)]
    pub(crate) fn resolve<const D: usize>(
        &self,
        VerletState { x, previous }: VerletState<L, D>,
        surface_displacement: [L; D],
        SurfaceContact { normal, depth, clearance }: SurfaceContact<L, D>,
    ) -> VerletState<L, D> {
        let zero = depth.constant(0.0);
        let relative = difference(difference(x, previous), surface_displacement);
        let outgoing = dot(relative, normal);
        let incoming = L::select(outgoing.above(zero), zero, zero - outgoing);
        let (mut normal_change, mut correction) = (incoming, depth);
        if self.bounces {
            let restitution = L::select(incoming.above(self.threshold), self.restitution, zero);
            normal_change = incoming + restitution * incoming;
            let rebound = restitution * L::select(depth.above(incoming), incoming, depth);
            correction = depth + L::select(rebound.above(clearance), clearance, rebound);
        }

        let slip = stopped_slip(relative, normal, outgoing, self.friction * normal_change);
        VerletState {
            x: difference(add_scaled(x, correction, normal), slip),
            previous: add_scaled(previous, correction - normal_change, normal),
        }
    }
}
