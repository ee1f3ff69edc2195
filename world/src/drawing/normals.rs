//! Normals of vertices.

use crate::vector::{cross, difference, length, sum, wide};

/// The unit normals of vertices: the sum of the normals of adjacent triangles, weighted by area.
/// Triangles are counter-clockwise seen from the tip of the normal.
///
/// A vertex without a direction (of no triangle, of triangles without area, or whose triangles
/// cancel or are not finite) gets +z: never NaN, never a length of 0. A triangle with a corner that
/// is not a vertex, such as [`REMOVED`](crate::REMOVED), is ignored. Nothing is allocated.
///
/// ```
/// use taut_world::normals;
///
/// let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, -1.0], [0.0, 0.0, -1.0]];
/// let mut up = [[0.0; 3]; 4];
/// normals(&square, &[[0, 1, 2], [0, 2, 3]], &mut up);
/// assert_eq!(up, [[0.0, 1.0, 0.0]; 4]);
/// let numbers: &[f32] = up.as_flattened(); // in the layout for a GPU
/// assert_eq!(numbers.len(), 12);
/// ```
///
/// # Panics
/// If the number of normals is not that of positions.
pub fn normals(positions: &[[f32; 3]], triangles: &[[u32; 3]], normals: &mut [[f32; 3]]) {
    assert_eq!(positions.len(), normals.len(), "each vertex needs a row for its normal");
    normals.fill([0.0; 3]);
    for corners in triangles {
        let [a, b, c] = corners.map(|corner| positions.get(corner as usize));
        let (Some(a), Some(b), Some(c)) = (a, b, c) else { continue };
        let normal = cross(difference(*b, *a), difference(*c, *a)); // twice its area long
        for &corner in corners {
            normals[corner as usize] = sum(normals[corner as usize], normal);
        }
    }
    for normal in normals {
        // In f64 squares of f32 neither overflow nor underflow.
        let wide = wide(*normal);
        let length = length(wide);
        *normal = if length > 0.0 && length.is_finite() {
            wide.map(|along| (along / length) as f32)
        } else {
            [0.0, 0.0, 1.0]
        };
    }
}
