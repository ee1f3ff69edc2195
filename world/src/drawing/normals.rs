//! Normals of vertices.

use crate::vector::{cross, difference, length, sum, to_f64};

/// Computes the unit normal of each vertex: the normalized sum of the normals of its triangles,
/// weighted by area. Triangles are counter-clockwise seen from the tip of the normal.
///
/// A vertex gets +z, never NaN or a zero vector, if the sum has no direction: if it has no
/// triangles, or they have no area, cancel each other or are not finite. A triangle with a corner
/// that is not a vertex, such as [`REMOVED`](crate::REMOVED), is ignored. Nothing is allocated.
///
/// ```
/// use taut_world::normals;
///
/// let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, -1.0], [0.0, 0.0, -1.0]];
/// let mut up = [[0.0; 3]; 4];
/// normals(&square, &[[0, 1, 2], [0, 2, 3]], &mut up);
/// assert_eq!(up, [[0.0, 1.0, 0.0]; 4]);
/// let coordinates: &[f32] = up.as_flattened(); // in the layout for a GPU
/// assert_eq!(coordinates.len(), 12);
/// ```
///
/// # Panics
/// If `positions` and `normals` differ in length.
pub fn normals(positions: &[[f32; 3]], triangles: &[[u32; 3]], normals: &mut [[f32; 3]]) {
    assert_eq!(positions.len(), normals.len(), "positions and normals must have the same length");
    normals.fill([0.0; 3]);
    for corners in triangles {
        let [a, b, c] = corners.map(|corner| positions.get(corner as usize));
        let (Some(a), Some(b), Some(c)) = (a, b, c) else { continue };
        let normal = cross(difference(*b, *a), difference(*c, *a)); // its length is twice the area
        for &corner in corners {
            normals[corner as usize] = sum(normals[corner as usize], normal);
        }
    }
    for normal in normals {
        // In f64 squares of f32 neither overflow nor underflow.
        let weighted = to_f64(*normal);
        let length = length(weighted);
        *normal = if length > 0.0 && length.is_finite() {
            weighted.map(|component| (component / length) as f32)
        } else {
            [0.0, 0.0, 1.0]
        };
    }
}
