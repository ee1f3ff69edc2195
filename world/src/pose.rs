//! The pose of a rigid body.

use crate::linear::{apply, transposed};
use crate::vector::{difference, sum};

/// The position and rotation of a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyPose {
    /// Its centre of mass, m.
    pub centre: [f64; 3],
    /// Its rotation matrix, by rows: column j is the direction of its axis j.
    pub rotation: [[f64; 3]; 3],
}

impl BodyPose {
    /// Maps a point from body coordinates (the body's axes, from its centre) to the world, m.
    #[must_use]
    pub fn point(&self, local: [f64; 3]) -> [f64; 3] {
        sum(self.centre, self.direction(local))
    }

    /// Maps a direction from body coordinates to the world.
    #[must_use]
    pub fn direction(&self, local: [f64; 3]) -> [f64; 3] {
        apply(&self.rotation, local)
    }

    /// Maps a point from the world to body coordinates, m.
    #[must_use]
    pub fn point_to_local(&self, point: [f64; 3]) -> [f64; 3] {
        apply(&transposed(&self.rotation), difference(point, self.centre))
    }

    /// Its rotation as a quaternion of length 1, `[x, y, z, w]` with `w >= 0`.
    #[must_use]
    pub fn quaternion(&self) -> [f64; 4] {
        let r = &self.rotation;
        // Four times the square of each component. The result is made from the products of
        // all components with the largest, divided by the largest (Shepperd 1978).
        let squares = [
            1.0 + r[0][0] - r[1][1] - r[2][2],
            1.0 - r[0][0] + r[1][1] - r[2][2],
            1.0 - r[0][0] - r[1][1] + r[2][2],
            1.0 + r[0][0] + r[1][1] + r[2][2],
        ];
        let mut largest = 3;
        for candidate in 0..3 {
            if squares[candidate] > squares[largest] {
                largest = candidate;
            }
        }
        let [xy, xz, yz] = [r[1][0] + r[0][1], r[0][2] + r[2][0], r[2][1] + r[1][2]];
        let [wx, wy, wz] = [r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]];
        let products = match largest {
            0 => [squares[0], xy, xz, wx],
            1 => [xy, squares[1], yz, wy],
            2 => [xz, yz, squares[2], wz],
            _ => [wx, wy, wz, squares[3]],
        };
        let scale = 0.5 / squares[largest].sqrt();
        let scale = if products[3] < 0.0 { -scale } else { scale };
        products.map(|product| scale * product)
    }
}
