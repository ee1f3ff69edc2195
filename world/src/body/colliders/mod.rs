//! Colliders: limbs and the convex hulls of bodies, for contacts with the particles of cloth and
//! ropes, and for contacts between limbs and bodies.

mod hull;
mod limb;
mod limb_on_hull;

use taut_core::Particles;

use super::contact::{Contact, OtherSide};
use super::limbs::Limb;
use super::weighted_point::WeightedPoint;
use crate::model::Model;

#[cfg(feature = "parry")]
pub(super) use hull::Face;
use hull::{HullCollider, PlacedHull, Plane};
pub(crate) use limb::PlacedLimb;

/// A limb, or the convex hull of a body. Contacts move the ends of the limb or the particles of the
/// body.
#[derive(Clone, Debug)]
pub(crate) enum Collider {
    Limb(Limb),
    Hull(HullCollider),
}

/// A collider in a substep: its pose at the beginning and at the end.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one at a time")]
pub(crate) enum Placed<'a, const D: usize> {
    Limb(PlacedLimb<D>),
    Hull(PlacedHull<'a, D>),
}

/// Where a ball touches a collider in this substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactPoint<const D: usize> {
    /// The point of the collider to which the impulse is applied.
    pub(crate) point: WeightedPoint,
    /// Unit direction in which the ball leaves.
    pub(crate) normal: [f32; D],
    /// The distance that the centre of the ball keeps from the point along the normal, m.
    pub(crate) distance: f32,
}

impl<const D: usize> ContactPoint<D> {
    /// The contact with a ball around `point`; None if neither side can move.
    #[inline]
    pub(crate) fn contact(
        &self,
        particles: &Particles<D>,
        point: WeightedPoint,
        friction: f32,
    ) -> Option<Contact<D>> {
        let contact =
            Contact::new(particles, point, OtherSide::Movable(self.point), self.normal, friction);
        contact.map(|contact| contact.with_distance(self.distance))
    }
}

/// A buffer for [`Collider::placed`]: the planes of a hull at the beginning and at the end of the
/// substep.
pub(crate) type ColliderScratch<const D: usize> = Vec<[Plane<D>; 2]>;

// Indices of pairs: the beginning and the end of a substep. (In `body/contact.rs` the end is
// first.)
const BEFORE: usize = 0;
const NOW: usize = 1;

impl Collider {
    /// The limbs and bodies of a model. `first` is the index of its first particle among the particles of
    /// all models with self-collision.
    pub(crate) fn all_of<const D: usize>(
        model: &Model<D>,
        first: u32,
    ) -> impl Iterator<Item = Self> {
        let limbs =
            model.limbs.all().iter().map(move |limb| {
                Self::Limb(Limb { ends: limb.ends.map(|end| first + end), ..*limb })
            });
        let bodies = model.bodies.all().iter();
        let hulls = bodies.filter_map(move |body| HullCollider::of(body, first).map(Self::Hull));
        limbs.chain(hulls)
    }

    /// Whether the particle is an end of the limb or a particle of the body.
    pub(crate) fn has_particle(&self, particle: u32) -> bool {
        match self {
            Self::Limb(limb) => limb.ends.contains(&particle),
            Self::Hull(hull) => hull.has_particle(particle),
        }
    }

    /// The collider in this substep; None for a hull whose particles span no volume.
    pub(crate) fn placed<'a, const D: usize>(
        &self,
        particles: &Particles<D>,
        scratch: &'a mut ColliderScratch<D>,
    ) -> Option<Placed<'a, D>> {
        match self {
            Self::Limb(limb) => Some(Placed::Limb(PlacedLimb::new(*limb, particles))),
            Self::Hull(hull) => hull.placed(particles, scratch).map(Placed::Hull),
        }
    }
}

impl<const D: usize> Placed<'_, D> {
    /// The lower and upper corner of a box that contains the centres of all balls that touch it in
    /// this substep. A ball touches the collider if its centre is within `contact_distance` of the
    /// surface, m.
    pub(crate) fn bounds(&self, contact_distance: f32) -> [[f32; D]; 2] {
        match self {
            Self::Limb(limb) => limb.bounds(contact_distance),
            Self::Hull(hull) => hull.bounds(contact_distance),
        }
    }

    /// The contact with a ball whose centre moves along `path` (before, now), m, in this substep. The
    /// ball touches the collider if its centre is within `contact_distance`, m, of the surface. None if
    /// it does not, or if it starts inside and has left by itself. The ball is swept: it cannot pass, whatever its speed.
    /// Its motion relative to the collider is assumed to be straight, so the collider should turn by at
    /// most about 0.1 rad in a substep.
    #[inline]
    pub(crate) fn contact_point(
        &self,
        path: [[f32; D]; 2],
        contact_distance: f32,
    ) -> Option<ContactPoint<D>> {
        match self {
            Self::Limb(limb) => limb.contact_point(path, contact_distance),
            Self::Hull(hull) => hull.contact_point(path, contact_distance),
        }
    }
}

/// The smallest box around points; empty if there are none.
#[inline]
pub(crate) fn box_around<const D: usize>(
    points: impl IntoIterator<Item = [f32; D]>,
) -> [[f32; D]; 2] {
    let [mut low, mut high] = [[f32::INFINITY; D], [f32::NEG_INFINITY; D]];
    for point in points {
        for axis in 0..D {
            low[axis] = if point[axis] < low[axis] { point[axis] } else { low[axis] };
            high[axis] = if point[axis] > high[axis] { point[axis] } else { high[axis] };
        }
    }
    [low, high]
}
