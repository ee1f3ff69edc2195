//! Shapes and poses of obstacles, for renderers.

use crate::pose::BodyPose;
use crate::vector::{cross, dot};

/// The geometry of an obstacle in its own coordinates; lengths in m.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum FigureShape<'a, const D: usize = 3> {
    /// A ball, or circle, about the origin.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// A capsule: all points within `radius` of the segment from `-half` to `half` along y.
    Capsule {
        /// Its radius.
        radius: f64,
        /// Half the length of the segment.
        half: f64,
    },
    /// A solid box, or rectangle, about the origin.
    Cuboid {
        /// Half its extent along each axis.
        half: [f64; D],
    },
    /// A half-space: all points below the origin along y.
    HalfSpace,
    /// A box, or rectangle, about the origin that particles cannot leave.
    Bounds {
        /// Half its extent along each axis.
        half: [f64; D],
    },
    /// A triangle mesh.
    Mesh {
        /// The vertices.
        points: &'a [[f32; D]],
        /// The vertex indices of each triangle, counter-clockwise seen from outside.
        triangles: &'a [[u32; 3]],
    },
}

/// The shape and pose of an obstacle: see [`Obstacle::figure`](crate::Obstacle::figure).
///
/// ```
/// use taut_world::{FigureShape, HalfSpace, Obstacle, ObstacleFigure, Path, Solid, Sphere};
///
/// let ball = Solid::new(Sphere::new([0.0, 1.0, 0.0], 0.5)?)
///     .along(Path::Linear { velocity: [2.0, 0.0, 0.0] })?;
/// let ObstacleFigure { shape, position, rotation } = ball.figure(3.0).unwrap();
/// assert_eq!(shape, FigureShape::Sphere { radius: 0.5 });
/// assert_eq!((position, rotation), ([6.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]));
///
/// let wall = Solid::new(HalfSpace::new([-2.0, 0.0], [1.0, 0.0])?); // in the plane
/// let ObstacleFigure { position, rotation: [_, _, z, w], .. } = wall.figure(0.0).unwrap();
/// assert_eq!(position, [-2.0, 0.0]);
/// assert!((z.atan2(w).to_degrees() + 45.0).abs() < 1e-9); // turned by -90 degrees: y points along x
/// # Ok::<(), taut_world::ModelError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObstacleFigure<'a, const D: usize = 3> {
    /// Its shape.
    pub shape: FigureShape<'a, D>,
    /// The position of its origin, m.
    pub position: [f64; D],
    /// Its rotation: a unit quaternion, `[x, y, z, w]`; about z in two dimensions.
    pub rotation: [f64; 4],
}

/// The rotation that maps the coordinate axes to the given orthonormal ones. If these are
/// left-handed, the first one is reversed: shapes with such axes are symmetric along it.
pub(crate) fn rotation_of<const D: usize>(axes: [[f64; D]; D]) -> [f64; 4] {
    // The matrix by rows: column j is the image of axis j.
    let mut rotation = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for (column, axis) in axes.into_iter().enumerate().take(3) {
        for (row, component) in axis.into_iter().enumerate().take(3) {
            rotation[row][column] = component;
        }
    }
    let [a, b, c] = rotation;
    if dot(a, cross(b, c)) < 0.0 {
        for row in &mut rotation {
            row[0] *= -1.0;
        }
    }
    BodyPose { centre: [0.0; 3], rotation }.quaternion()
}
