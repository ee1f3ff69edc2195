//! What obstacles look like.

use crate::pose::BodyPose;
use crate::vector::{cross, dot};

/// What an obstacle looks like in its own axes, about its own origin; lengths in m.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Form<'a, const D: usize = 3> {
    /// A ball, or circle, about the origin.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// All within `radius` of the line from `-half` to `half` along y.
    Capsule {
        /// Its radius.
        radius: f64,
        /// Half the length of the line.
        half: f64,
    },
    /// A box, or rectangle, about the origin, that keeps out.
    Cuboid {
        /// Half its size along each axis.
        half: [f64; D],
    },
    /// Everything below the origin along y.
    HalfSpace,
    /// A box, or rectangle, about the origin, that keeps in.
    Bounds {
        /// Half its size along each axis.
        half: [f64; D],
    },
    /// Triangles.
    Mesh {
        /// Their corners.
        points: &'a [[f32; D]],
        /// The numbers of the corners of each, counter-clockwise from outside.
        triangles: &'a [[u32; 3]],
    },
}

/// What an obstacle looks like, and where it is: see [`Obstacle::figure`](crate::Obstacle::figure).
///
/// ```
/// use taut_world::{Figure, Form, HalfSpace, Obstacle, Path, Solid, Sphere};
///
/// let ball = Solid::new(Sphere::new([0.0, 1.0, 0.0], 0.5)?)
///     .along(Path::Linear { velocity: [2.0, 0.0, 0.0] })?;
/// let Figure { form, position, rotation } = ball.figure(3.0).unwrap();
/// assert_eq!(form, Form::Sphere { radius: 0.5 });
/// assert_eq!((position, rotation), ([6.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]));
///
/// let wall = Solid::new(HalfSpace::new([-2.0, 0.0], [1.0, 0.0])?); // in the plane
/// let Figure { position, rotation: [_, _, z, w], .. } = wall.figure(0.0).unwrap();
/// assert_eq!(position, [-2.0, 0.0]);
/// assert!((z.atan2(w).to_degrees() + 45.0).abs() < 1e-9); // turned by -90 degrees: y is now x
/// # Ok::<(), taut_world::ModelError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure<'a, const D: usize = 3> {
    /// What it looks like.
    pub form: Form<'a, D>,
    /// Where its origin is, m.
    pub position: [f64; D],
    /// How it is turned: a quaternion of length 1, `[x, y, z, w]`; about z in two dimensions.
    pub rotation: [f64; 4],
}

/// The rotation that brings the coordinate axes to those given, of length 1 and at right angles. If
/// they are left-handed, the first one is turned around.
pub(crate) fn rotation_of<const D: usize>(axes: [[f64; D]; D]) -> [f64; 4] {
    // By rows, as a matrix: column j is where axis j goes.
    let mut rotation = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for (column, axis) in axes.into_iter().enumerate().take(3) {
        for (row, along) in axis.into_iter().enumerate().take(3) {
            rotation[row][column] = along;
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
