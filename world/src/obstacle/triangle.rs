//! Triangles: crossings by segments, with exact signs, and nearest points.

use robust::{Coord3D, orient3d};

use crate::vector::{add_scaled, cross, difference, dot};

/// The sides from which particles collide with the triangles of a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Facing {
    /// The side from which their corners are counter-clockwise. Particles from the other side pass
    /// through, so a particle that is inside a closed mesh can leave it.
    #[default]
    Front,
    /// Both sides.
    Both,
}

/// A point or vector, m.
pub(super) type Point = [f64; 3];

/// A triangle by its corners, m. Their coordinates are values of `f32`, so that the fast path of the
/// exact predicate nearly always decides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Triangle(pub(super) [Point; 3]);

/// Six times the signed volume of a tetrahedron, with an exact sign: positive if `a`, `b` and `c`
/// are counter-clockwise as seen from `d`.
#[inline]
fn orientation(a: Point, b: Point, c: Point, d: Point) -> f64 {
    let [a, b, c, d] = [a, b, c, d].map(|[x, y, z]| Coord3D { x, y, z });
    -orient3d(a, b, c, d)
}

impl Triangle {
    /// The normal; its length is twice the area.
    #[inline]
    pub(super) fn normal(&self) -> Point {
        let Self([a, b, c]) = *self;
        cross(difference(b, a), difference(c, a))
    }

    /// The sign says on which side of the plane a point is: positive in front.
    #[inline]
    pub(super) fn orientation(&self, p: Point) -> f64 {
        let Self([a, b, c]) = *self;
        orientation(a, b, c, p)
    }

    /// The fraction of the segment from `from` to `to` at which it crosses the triangle, if it does, from
    /// a side of `facing`. A segment that ends on the triangle crosses it; one that starts on it does
    /// only with `Facing::Front`, if it goes behind. A segment in the plane of the triangle does not.
    /// A segment through an edge or corner crosses all triangles there.
    #[inline]
    pub(super) fn crossing(&self, facing: Facing, from: Point, to: Point) -> Option<f64> {
        let (before, after) = (self.orientation(from), self.orientation(to));
        let from_front = before >= 0.0 && after <= 0.0 && before - after > 0.0;
        let crossed = match facing {
            Facing::Front => from_front,
            Facing::Both => (before > 0.0 && after <= 0.0) || (before < 0.0 && after >= 0.0),
        };
        if !crossed {
            return None;
        }
        let Self([a, b, c]) = *self;
        let volumes = [(a, b), (b, c), (c, a)].map(|(p, q)| orientation(from, to, p, q));
        let within = volumes.iter().all(|v| *v >= 0.0) || volumes.iter().all(|v| *v <= 0.0);
        within.then(|| before / (before - after))
    }

    /// The point of the triangle nearest to `p` (Ericson, "Real-Time Collision Detection", 5.1.5).
    #[inline]
    pub(super) fn nearest(&self, p: Point) -> Point {
        let Self([a, b, c]) = *self;
        let (ab, ac) = (difference(b, a), difference(c, a));
        let [from_a, from_b, from_c] = [a, b, c].map(|corner| difference(p, corner));
        let (d1, d2) = (dot(ab, from_a), dot(ac, from_a));
        if d1 <= 0.0 && d2 <= 0.0 {
            return a;
        }
        let (d3, d4) = (dot(ab, from_b), dot(ac, from_b));
        if d3 >= 0.0 && d4 <= d3 {
            return b;
        }
        // Areas of the triangles of `p` and an edge, times a common factor; negative if `p` is beyond the
        // edge.
        let area_ab = d1 * d4 - d3 * d2;
        // If `a` and `b` coincide, the nearest point is on the edge from `a` to `c`.
        if area_ab <= 0.0 && d1 >= 0.0 && d3 <= 0.0 && d1 > d3 {
            return add_scaled(a, d1 / (d1 - d3), ab);
        }
        let (d5, d6) = (dot(ab, from_c), dot(ac, from_c));
        if d6 >= 0.0 && d5 <= d6 {
            return c;
        }
        let area_ac = d5 * d2 - d1 * d6;
        if area_ac <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            return add_scaled(a, d2 / (d2 - d6), ac);
        }
        let area_bc = d3 * d6 - d5 * d4;
        if area_bc <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
            return add_scaled(b, (d4 - d3) / ((d4 - d3) + (d5 - d6)), difference(c, b));
        }
        let whole = area_bc + area_ac + area_ab;
        add_scaled(add_scaled(a, area_ac / whole, ab), area_ab / whole, ac)
    }
}
