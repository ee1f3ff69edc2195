//! Crossings of edges and triangles, to check the quality of contacts.

use crate::sweep::{self, BoundingBox};
use crate::vector::{cross, difference, dot};

/// The corners of a triangle, as indices of points.
type Triangle = [u32; 3];

/// Number of pairs of an edge and a triangle where the edge passes through the triangle. A pair counts
/// if at least one triangle of the edge has no corner in common with that triangle. It counts once,
/// even if two triangles share the edge.
pub(crate) fn crossings(points: &[[f64; 3]], triangles: &[Triangle]) -> usize {
    let mut boxes: Vec<BoundingBox<3>> = Vec::with_capacity(triangles.len());
    for (object, triangle) in triangles.iter().enumerate() {
        let corners = triangle.map(|corner| points[corner as usize]);
        let bound = |axis: usize, min_or_max: fn(f64, f64) -> f64| {
            min_or_max(min_or_max(corners[0][axis], corners[1][axis]), corners[2][axis])
        };
        boxes.push(BoundingBox {
            object,
            low: core::array::from_fn(|axis| bound(axis, f64::min)),
            high: core::array::from_fn(|axis| bound(axis, f64::max)),
        });
    }
    let have_no_common_corner = |one: usize, other: usize| {
        !triangles[one].iter().any(|corner| triangles[other].contains(corner))
    };
    let mut pairs = Vec::new();
    sweep::pairs(&mut boxes, have_no_common_corner, &mut pairs);
    let mut crossed = Vec::new();
    for [one, other] in pairs {
        for (edge_triangle, triangle) in [(one, other), (other, one)] {
            let [a, b, c] = triangles[edge_triangle];
            for edge in [[a, b], [b, c], [c, a]] {
                let segment = edge.map(|end| points[end as usize]);
                if passes(segment, triangles[triangle].map(|corner| points[corner as usize])) {
                    crossed.push((edge[0].min(edge[1]), edge[0].max(edge[1]), triangle));
                }
            }
        }
    }
    crossed.sort_unstable();
    crossed.dedup();
    crossed.len()
}

/// Whether a segment passes through a triangle (Ericson, "Real-Time Collision Detection", 5.3.4).
/// Touching does not count.
fn passes([from, to]: [[f64; 3]; 2], [a, b, c]: [[f64; 3]; 3]) -> bool {
    let path = difference(to, from);
    let [a, b, c] = [a, b, c].map(|corner| difference(corner, from));
    let volume = |p, q| dot(path, cross(p, q));
    let sides = [volume(a, b), volume(b, c), volume(c, a)];
    let inside = sides.iter().all(|&side| side > 0.0) || sides.iter().all(|&side| side < 0.0);
    let normal = cross(difference(b, a), difference(c, a));
    let (start, end) = (-dot(a, normal), dot(difference(path, a), normal));
    inside && start * end < 0.0
}

#[cfg(test)]
mod tests {
    use super::crossings;

    #[test]
    fn an_edge_through_a_triangle_counts_once() {
        let points = [
            // Triangle [0, 1, 2], in the plane z = 0.
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            // Triangles [3, 4, 5] and [4, 3, 6]: the edge that they share passes through [0, 1, 2].
            [0.2, 0.2, -1.0],
            [0.3, 0.3, 1.0],
            [5.0, 5.0, 0.5],
            [-5.0, 7.0, 0.5],
            // Forms a triangle with points 4 and 5 that is above the plane z = 0.
            [0.2, 0.2, 2.0],
        ];
        assert_eq!(crossings(&points, &[[0, 1, 2], [3, 4, 5]]), 2); // an edge of each triangle
        let both = crossings(&points, &[[0, 1, 2], [3, 4, 5], [4, 3, 6]]);
        assert_eq!(both, 3); // and an edge of the first triangle through the third
        assert_eq!(crossings(&points, &[[0, 1, 2], [4, 5, 7]]), 0);
        assert_eq!(crossings(&points, &[[0, 1, 2], [0, 1, 4]]), 0);
        assert_eq!(crossings(&points, &[]), 0);
    }
}
