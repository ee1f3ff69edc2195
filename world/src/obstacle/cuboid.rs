//! Solid boxes.

use taut_core::{LEAST_SQUARED_LENGTH, Lane};

use super::half_space::span;
use super::shape::Shape;
use super::side::Side;
use super::sphere::may_reach_ball;
use crate::drawing::{FigureShape, ObstacleFigure};
use crate::error::ModelError;
use crate::path::Pose;
use crate::path::{check_point, checked_unit, coordinate_axes};
use crate::surface::Nearest;
use crate::vector::{add_scaled, constants, difference, dot, length};

/// A box that keeps particles out, in any orientation.
///
/// ```
/// use taut_world::{Cuboid, Solid};
///
/// let crate_on_floor = Solid::new(Cuboid::new([-0.5, 0.0, -0.5], [0.5, 1.0, 0.5])?);
/// let diamond = Cuboid::oriented([0.0, 0.0], [[0.5, 0.5], [-0.5, 0.5]])?; // in 2D
/// assert!(Cuboid::oriented([0.0, 0.0], [[1.0, 0.0], [1.0, 1.0]]).is_err());
/// # Ok::<(), taut_world::ModelError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid<const D: usize = 3> {
    centre: [f64; D],
    /// Unit vectors along the edges.
    axes: [[f64; D]; D],
    /// Half the edge lengths, m.
    half: [f64; D],
}

impl<const D: usize> Cuboid<D> {
    /// An axis-aligned box between two corners, m.
    ///
    /// # Errors
    /// If a coordinate is not finite or beyond 1e12 m, or a maximum is not at least 2e-12 m above its
    /// minimum.
    pub fn new(min: [f64; D], max: [f64; D]) -> Result<Self, ModelError> {
        check_point("min", "the minimum corner of a box, m,", min)?;
        check_point("max", "the maximum corner of a box, m,", max)?;
        let half = |axis: usize| (max[axis] - min[axis]) / 2.0;
        for axis in 0..D {
            let width = max[axis] - min[axis];
            let what = "the length of a box along an axis, m,";
            ModelError::check("max", what, width, 2e-12.., "at least 2e-12")?;
        }
        Self::oriented(
            core::array::from_fn(|axis| min[axis] + half(axis)),
            core::array::from_fn(|edge| {
                core::array::from_fn(|axis| if axis == edge { half(axis) } else { 0.0 })
            }),
        )
    }

    /// A box with a centre, m, and `half_edges`: perpendicular vectors from the centre to the centres
    /// of its faces, m.
    ///
    /// # Errors
    /// If a coordinate is not finite, one of the centre is beyond 1e12 m, a vector is shorter than 1e-12 m or
    /// longer than 1e12 m, or two vectors are not perpendicular.
    pub fn oriented(centre: [f64; D], half_edges: [[f64; D]; D]) -> Result<Self, ModelError> {
        check_point("centre", "the centre of a box, m,", centre)?;
        let mut axes = half_edges;
        for axis in &mut axes {
            *axis = checked_unit("half_edges", "the length of a half edge of a box", *axis)?;
        }
        for (i, a) in axes.iter().enumerate() {
            for b in &axes[..i] {
                let what = "the cosine between two half edges of a box";
                ModelError::check("half_edges", what, dot(*a, *b), -1e-6..=1e-6, "0")?;
            }
        }
        let half = core::array::from_fn(|edge| dot(half_edges[edge], axes[edge]));
        Ok(Self { centre, axes, half })
    }
}

/// A box in world coordinates.
#[derive(Clone, Copy, Debug)]
pub struct PlacedCuboid<const D: usize> {
    centre: [f32; D],
    /// Unit vectors along the edges.
    axes: [[f32; D]; D],
    axis_aligned: bool,
    /// Half the edge lengths, m.
    half: [f32; D],
    /// Radius of the bounding sphere, m.
    bounding_radius: f32,
}

impl<const D: usize> Shape<D> for Cuboid<D> {
    type Side = PlacedCuboid<D>;

    fn sides(&self, pose: &Pose<D>) -> impl AsRef<[Self::Side]> {
        let axes = self.axes.map(|axis| pose.direction(axis).map(|x| x as f32));
        [PlacedCuboid {
            centre: pose.point(self.centre).map(|x| x as f32),
            axes,
            axis_aligned: axes == coordinate_axes().map(|axis| axis.map(|x| x as f32)),
            half: self.half.map(|x| x as f32),
            bounding_radius: length(self.half) as f32,
        }]
    }

    fn figure(&self, pose: &Pose<D>) -> Option<ObstacleFigure<'_, D>> {
        Some(pose.figure(FigureShape::Cuboid { half: self.half }, self.centre, self.axes))
    }
}

impl<const D: usize> Side<D> for PlacedCuboid<D> {
    const CONVEX: bool = true;

    /// Outside: the nearest point of the box (Ericson, "Real-Time Collision Detection", 5.1.4).
    /// Inside: the nearest face.
    #[inline(always)]
    fn nearest<L: Lane>(&self, x: [L; D]) -> Nearest<D, L> {
        let (zero, one) = (x[0].constant(0.0), x[0].constant(1.0));
        let minus_one = x[0].constant(-1.0);
        let offset = difference(x, constants(x[0], self.centre));
        // Coordinates along the edges, and how far `x` is beyond the nearer face (below 0 inside).
        let (mut local, mut beyond) = ([zero; D], [zero; D]);
        for edge in 0..D {
            let coordinate = if self.axis_aligned {
                offset[edge]
            } else {
                dot(constants(x[0], self.axes[edge]), offset)
            };
            let half = x[0].constant(self.half[edge].into());
            local[edge] = coordinate;
            let magnitude = L::select(zero.above(coordinate), coordinate * minus_one, coordinate);
            beyond[edge] = magnitude - half;
        }
        let mut outside_by = beyond;
        for outside_by in &mut outside_by {
            *outside_by = L::select(outside_by.above(zero), *outside_by, zero);
        }
        let squared = dot(outside_by, outside_by);
        let outside = squared.at_least(x[0].constant(LEAST_SQUARED_LENGTH));
        let length = squared.sqrt();
        let inverse = one / length;

        // Inside, the nearest face is the first with the smallest depth.
        let mut inside_distance = beyond[0];
        let mut inside_normal = [zero; D];
        inside_normal[0] = one;
        for (edge, &distance) in beyond.iter().enumerate().skip(1) {
            let nearer = distance.above(inside_distance);
            inside_distance = L::select(nearer, distance, inside_distance);
            for (other, component) in inside_normal.iter_mut().enumerate() {
                let new = if other == edge { one } else { zero };
                *component = L::select(nearer, new, *component);
            }
        }
        let mut normal = [zero; D];
        for edge in 0..D {
            let magnitude = L::select(outside, outside_by[edge] * inverse, inside_normal[edge]);
            let component = L::select(zero.above(local[edge]), magnitude * minus_one, magnitude);
            if self.axis_aligned {
                normal[edge] = component + zero; // never -0.0
            } else {
                normal = add_scaled(normal, component, constants(x[0], self.axes[edge]));
            }
        }
        Nearest { distance: L::select(outside, length, inside_distance), normal }
    }

    /// Tests the bounding sphere.
    #[inline(always)]
    fn may_reach<L: Lane>(&self, x: [L; D], contact_distance: L) -> L::Mask {
        may_reach_ball(
            difference(x, constants(x[0], self.centre)),
            self.bounding_radius,
            contact_distance,
        )
    }

    /// Tests the box against the planes of the faces.
    #[inline(always)]
    fn may_reach_box<L: Lane>(&self, low: [L; D], high: [L; D], contact_distance: L) -> L::Mask {
        let centre = constants(contact_distance, self.centre);
        let (low, high) = (difference(low, centre), difference(high, centre));
        let mut farthest = contact_distance.constant(f64::NEG_INFINITY);
        for edge in 0..D {
            let [lowest, highest] = span(self.axes[edge], low, high);
            let below = contact_distance.constant(0.0) - highest;
            let nearest = L::select(lowest.above(below), lowest, below);
            let beyond = nearest - contact_distance.constant(self.half[edge].into());
            farthest = L::select(beyond.above(farthest), beyond, farthest);
        }
        // Allows for rounding: `nearest` takes a square root, which may be rounded down.
        (contact_distance * contact_distance.constant(1.000_01)).at_least(farthest)
    }
}
