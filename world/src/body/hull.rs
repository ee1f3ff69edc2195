//! The convex hull of a body's mesh, for the crate `parry3d`.

use std::sync::Arc;

use parry3d::math::{Pose3, Rot3, Vec3};
use parry3d::query::ContactManifold;
use parry3d::query::details::contact_manifold_pfm_pfm;
use parry3d::shape::ConvexPolyhedron;

use crate::linear::{Vector, apply, each, matrix, transposed};
use crate::pose::BodyPose;
use crate::vector::{difference, sum};

/// The convex hull of a body's mesh, in body coordinates (the body's axes, from its centre).
#[derive(Clone, Debug)]
pub(super) struct Hull {
    shape: Arc<ConvexPolyhedron>,
    /// The middle and half the size of its bounding box.
    middle: Vector,
    half: Vector,
}

/// The contact points of two hulls, each in the coordinates of its body.
pub(super) type Touching = ContactManifold<(), ()>;

impl Hull {
    /// The hull of points; None if they enclose no volume.
    pub(super) fn around(points: &[Vector]) -> Option<Self> {
        let shape = ConvexPolyhedron::from_convex_hull(
            &points.iter().map(|point| vector(*point)).collect::<Vec<_>>(),
        )?;
        let bound = |axis: usize, pick: fn(f64, f64) -> bool| {
            points.iter().map(|point| point[axis]).reduce(|a, b| if pick(b, a) { b } else { a })
        };
        let low = each(|axis| bound(axis, |b, a| b < a).unwrap_or(0.0));
        let high = each(|axis| bound(axis, |b, a| b > a).unwrap_or(0.0));
        Some(Self {
            shape: Arc::new(shape),
            middle: sum(low, high).map(|both| 0.5 * both),
            half: difference(high, low).map(|size| 0.5 * size),
        })
    }

    /// The lower and upper corner of its bounding box in the world, grown by `margin`.
    pub(super) fn bounds(&self, pose: &BodyPose, margin: f64) -> [Vector; 2] {
        let middle = pose.place(self.middle);
        let reach = apply(&pose.rotation.map(|row| row.map(f64::abs)), self.half);
        let reach = reach.map(|reach| reach + margin);
        [difference(middle, reach), sum(middle, reach)]
    }

    /// Finds contact points with another hull at most `margin` away, m.
    pub(super) fn touch(
        &self,
        pose: &BodyPose,
        other: &Self,
        of_other: &BodyPose,
        margin: f32,
        touching: &mut Touching,
    ) {
        let rotation = transposed(&pose.rotation);
        let relative = BodyPose {
            centre: apply(&rotation, difference(of_other.centre, pose.centre)),
            rotation: matrix(|row, column| {
                (0..3).map(|i| rotation[row][i] * of_other.rotation[i][column]).sum()
            }),
        };
        let [x, y, z, w] = relative.quaternion().map(|x| x as f32);
        let pose = Pose3::from_parts(vector(relative.centre), Rot3::from_xyzw(x, y, z, w));
        touching.clear();
        touching.local_n1 = Vec3::ZERO;
        let (one, two) = (&*self.shape, &*other.shape);
        contact_manifold_pfm_pfm(&pose, one, 0.0, None, two, 0.0, None, margin, touching);
    }
}

fn vector(of: Vector) -> Vec3 {
    Vec3::from_array(of.map(|x| x as f32))
}
