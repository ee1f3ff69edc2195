//! Boxes, seen from outside.

use taut_core::LEAST_SQUARED_LENGTH;

use super::Pose;
use super::path::{check_point, unit};
use super::solid::{Nearest, Shape, Side};
use crate::drawing::{Figure, Form};
use crate::model::ModelError;
use crate::vector::{dot, length};

/// A box that keeps particles out, in any orientation.
///
/// ```
/// use taut_world::{Cuboid, Solid};
///
/// let crate_on_floor = Solid::new(Cuboid::new([-0.5, 0.0, -0.5], [0.5, 1.0, 0.5])?);
/// let diamond = Cuboid::oriented([0.0, 0.0], [[0.5, 0.5], [-0.5, 0.5]])?; // in 2-D
/// assert!(Cuboid::oriented([0.0, 0.0], [[1.0, 0.0], [1.0, 1.0]]).is_err());
/// # Ok::<(), taut_world::ModelError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid<const D: usize = 3> {
    centre: [f64; D],
    axes: [[f64; D]; D],
    half: [f64; D],
}

impl<const D: usize> Cuboid<D> {
    /// Along the coordinates, between two corners, m.
    ///
    /// # Errors
    /// A number that is not finite; a maximum that is not above the minimum.
    pub fn new(min: [f64; D], max: [f64; D]) -> Result<Self, ModelError> {
        check_point("the least corner of a box, m,", min)?;
        check_point("the greatest corner of a box, m,", max)?;
        let half = |axis: usize| (max[axis] - min[axis]) / 2.0;
        for axis in 0..D {
            ModelError::check("the width of a box, m,", 2.0 * half(axis), 1e-12.., "above 0")?;
        }
        Self::oriented(
            core::array::from_fn(|axis| min[axis] + half(axis)),
            core::array::from_fn(|edge| {
                core::array::from_fn(|axis| if axis == edge { half(axis) } else { 0.0 })
            }),
        )
    }

    /// About a centre, m, from which `half_edges`, m, lead to the middles of its sides.
    ///
    /// # Errors
    /// A number that is not finite; a half edge of no length; two that are not at right angles.
    pub fn oriented(centre: [f64; D], half_edges: [[f64; D]; D]) -> Result<Self, ModelError> {
        check_point("the centre of a box, m,", centre)?;
        let mut axes = half_edges;
        for axis in &mut axes {
            *axis = unit("the length of a half edge of a box", *axis)?;
        }
        for (i, a) in axes.iter().enumerate() {
            for b in &axes[..i] {
                let what = "the cosine between two half edges of a box";
                ModelError::check(what, dot(*a, *b), -1e-6..=1e-6, "0")?;
            }
        }
        let half = core::array::from_fn(|edge| dot(half_edges[edge], axes[edge]));
        Ok(Self { centre, axes, half })
    }
}

/// A box, in place.
#[derive(Clone, Copy, Debug)]
pub struct Block<const D: usize> {
    centre: [f32; D],
    axes: [[f32; D]; D],
    half: [f32; D],
    /// The radius of a ball around it.
    bound: f32,
}

impl<const D: usize> Shape<D> for Cuboid<D> {
    type Side = Block<D>;

    fn sides(&self, pose: &Pose<D>) -> impl Iterator<Item = Self::Side> {
        [Block {
            centre: pose.point(self.centre).map(|x| x as f32),
            axes: self.axes.map(|axis| pose.direction(axis).map(|x| x as f32)),
            half: self.half.map(|x| x as f32),
            bound: length(self.half) as f32,
        }]
        .into_iter()
    }

    fn figure(&self, pose: &Pose<D>) -> Option<Figure<'_, D>> {
        Some(pose.figure(Form::Cuboid { half: self.half }, self.centre, self.axes))
    }
}

impl<const D: usize> Side<D> for Block<D> {
    /// From outside to the nearest point of the box (Ericson, "Real-Time Collision Detection",
    /// 5.1.4), from inside to its nearest side.
    #[inline(always)]
    fn nearest(&self, x: [f32; D]) -> Nearest<D> {
        let from: [f32; D] = core::array::from_fn(|axis| x[axis] - self.centre[axis]);
        let along: [f32; D] = core::array::from_fn(|edge| dot(self.axes[edge], from));
        let beyond: [f32; D] = core::array::from_fn(|edge| {
            let far = along[edge];
            (if far < 0.0 { -far } else { far }) - self.half[edge]
        });
        let out = beyond.map(|b| if b > 0.0 { b } else { 0.0 });
        let squared = dot(out, out);
        let outside = squared >= LEAST_SQUARED_LENGTH as f32;
        let length = squared.sqrt();
        let inverse = 1.0 / length;

        // The nearest side from inside: the first of those that are least far below.
        let (mut highest, mut nearest) = (beyond[0], 0);
        for (edge, &b) in beyond.iter().enumerate().skip(1) {
            let higher = b > highest;
            highest = if higher { b } else { highest };
            nearest = if higher { edge } else { nearest };
        }
        let mut normal = [0.0; D];
        for edge in 0..D {
            let inner = if edge == nearest { 1.0 } else { 0.0 };
            let size = if outside { out[edge] * inverse } else { inner };
            let towards = if along[edge] < 0.0 { -size } else { size };
            for (n, axis) in normal.iter_mut().zip(self.axes[edge]) {
                *n += axis * towards;
            }
        }
        Nearest { distance: if outside { length } else { highest }, normal }
    }

    /// A ball around it.
    #[inline(always)]
    fn may_reach(&self, x: [f32; D], reach: f32) -> bool {
        let from: [f32; D] = core::array::from_fn(|axis| x[axis] - self.centre[axis]);
        let at_most = self.bound + reach;
        // No root, and more than what is lost to rounding.
        dot(from, from) <= (at_most * at_most) * 1.000_01
    }
}
