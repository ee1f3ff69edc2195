//! Sides of shapes.

use taut_core::Lane;

use crate::surface::Nearest;

/// A side of a shape, in world coordinates: a piece of its surface that is resolved on its own. A
/// sphere, a capsule or a cuboid has one side; bounds have one per pair of opposite walls.
///
/// The methods are generic over [`Lane`], so that they give the same bits for one particle and for
/// a register of particles. Mark them `#[inline(always)]`.
pub trait Side<const D: usize>: Copy + Send + Sync {
    /// Whether the inside is convex: then [swept](crate::Solid::swept) collisions and those of
    /// [edges](crate::Solid::with_edges) are possible. The default is false.
    const CONVEX: bool = false;

    /// The signed distance from `x`, and the normal. Use `Lane::select` instead of branches.
    fn nearest<L: Lane>(&self, x: [L; D]) -> Nearest<D, L>;

    /// Whether `x` may be closer than `contact_distance`, which is not negative: a cheap first
    /// test, as most particles are far away. False positives cost time; false negatives miss
    /// collisions. The default calls [`nearest`](Self::nearest).
    #[inline(always)]
    fn may_reach<L: Lane>(&self, x: [L; D], contact_distance: L) -> L::Mask {
        contact_distance.above(self.nearest(x).distance)
    }

    /// Whether a point of the axis-aligned box from `low` to `high` may be closer than
    /// `contact_distance`: a first test of many particles, or of all limbs of a ragdoll, as conservative
    /// as [`may_reach`](Self::may_reach). A box with `low` above `high` is empty. The default is true.
    #[inline(always)]
    fn may_reach_box<L: Lane>(&self, low: [L; D], high: [L; D], contact_distance: L) -> L::Mask {
        let _ = (low, high);
        contact_distance.at_least(contact_distance)
    }

    /// How far a particle at distance `contact_distance` can move along the normal before it hits the
    /// opposite wall of this side, m. The default, for sides without opposite walls, is infinity.
    #[inline(always)]
    fn clearance<L: Lane>(&self, contact_distance: L) -> L {
        contact_distance.constant(f64::INFINITY)
    }
}
