//! Contacts of the convex hulls of bodies with balls.

use std::sync::Arc;

use taut_core::Particles;

use super::{BEFORE, ContactPoint, NOW, box_around};
use crate::body::Body;
use crate::body::weighted_point::WeightedPoint;
use crate::drawing::resize_vector;
use crate::linear::{Matrix, Vector, apply, inverse, transposed};
use crate::vector::{add_scaled, difference, dot, length, scaled, to_f64};

/// A face of a hull, as the signed distances of the four particles of its body from its plane at
/// rest, m, positive outside. The distance is an affine function of the position, so these four
/// values determine it everywhere, and the plane deforms with the particles.
pub(in crate::body) type Face = [f64; 4];

/// The convex hull of a body. The planes of its bounding box are added where no face has that
/// direction: they cut off the spikes that form at sharp edges when the faces are offset outwards.
#[derive(Clone, Debug)]
pub(crate) struct HullCollider {
    /// The indices of the four particles of the body.
    particles: [u32; 4],
    faces: Arc<[Face]>,
    /// The centre of its bounding box, as weights of the particles.
    centre: [f64; 4],
    /// The half extents of the box along its three axes, each as weights of the particles with the
    /// sum 0.
    half_extents: [[f64; 4]; 3],
}

/// A plane in world space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane<const D: usize> {
    /// Unit normal, outwards.
    normal: [f32; D],
    /// Signed distance of the first particle of the body from the plane, m.
    distance_of_first: f32,
}

/// The four particles of a body at one time.
#[derive(Clone, Copy, Debug)]
struct Corners<const D: usize> {
    /// The position of the first particle, m.
    first: [f32; D],
    /// Vectors from the first particle to the others, m.
    edges: [Vector; 3],
    /// Maps the vector from the first particle to a point to the barycentric weights of the others.
    to_weights: Matrix,
}

/// A hull at the beginning and the end of a substep.
#[derive(Debug)]
pub(crate) struct PlacedHull<'a, const D: usize> {
    particles: [u32; 4],
    /// The particles before and now.
    corners: [Corners<D>; 2],
    /// For each face its plane before and now.
    planes: &'a [[Plane<D>; 2]],
    /// Its box before and now.
    boxes: [OrientedBox<D>; 2],
}

/// The bounding box of a hull in world coordinates. It turns and deforms with the body.
#[derive(Clone, Copy, Debug)]
struct OrientedBox<const D: usize> {
    /// The centre, m.
    centre: [f32; D],
    /// Vectors from the centre to the centres of three faces, m.
    half_extents: [[f32; D]; 3],
}

impl<const D: usize> Corners<D> {
    /// None if the points span no volume.
    fn new(points: [[f32; D]; 4]) -> Option<Self> {
        let [first, others @ ..] = points;
        let edges = others
            .map(|other| difference(to_f64(resize_vector(other)), to_f64(resize_vector(first))));
        let to_weights = inverse(&transposed(&edges))?;
        Some(Self { first, edges, to_weights })
    }

    /// The plane of a face; None if its normal has no direction.
    fn plane(&self, face: &Face) -> Option<Plane<D>> {
        let [first, b, c, d] = *face;
        // The gradient of the distance: it grows by `b - first` along the first edge, and so on.
        let gradient =
            apply(&transposed(&self.to_weights), [b, c, d].map(|distance| distance - first));
        let length = length(gradient);
        let plane = || Plane {
            normal: core::array::from_fn(|axis| (gradient[axis] / length) as f32),
            distance_of_first: (first / length) as f32,
        };
        (length > f64::MIN_POSITIVE).then(plane)
    }

    /// The vector with the given weights, whose sum is 0.
    fn vector(&self, [_, b, c, d]: [f64; 4]) -> [f32; D] {
        let [to_b, to_c, to_d] = self.edges;
        let vector = add_scaled(add_scaled(scaled(to_b, b), c, to_c), d, to_d);
        core::array::from_fn(|axis| vector[axis] as f32)
    }

    /// The weights of the last three particles at a point. `from_first` is the vector to it from the
    /// first particle, m.
    fn weights(&self, from_first: [f32; D]) -> Vector {
        apply(&self.to_weights, to_f64(resize_vector(from_first)))
    }
}

impl<const D: usize> Plane<D> {
    /// Signed distance of a point, m. `from_first` is the vector to it from the first particle, m.
    fn distance(&self, from_first: [f32; D]) -> f32 {
        dot(self.normal, from_first) + self.distance_of_first
    }
}

impl HullCollider {
    /// The hull of a body; None if the body has no mesh that encloses a volume. `first` is the index of
    /// the first particle of its model among the particles of all models with self-collision.
    #[cfg(feature = "parry")]
    pub(super) fn of(body: &Body, first: u32) -> Option<Self> {
        let hull = body.hull.as_ref()?;
        // The weights of a vector, whose sum is 0.
        let weights = |vector: Vector| {
            let [b, c, d] = apply(&body.to_weights, vector);
            [-((b + c) + d), b, c, d]
        };
        let [of_first, b, c, d] = weights(difference(hull.centre, body.rest[0]));
        let half_extent = |axis: usize| {
            let mut vector = [0.0; 3];
            vector[axis] = hull.half_extents[axis];
            weights(vector)
        };
        Some(Self {
            particles: body.particles.map(|particle| first + particle),
            faces: hull.faces(&body.rest).into(),
            centre: [1.0 + of_first, b, c, d],
            half_extents: core::array::from_fn(half_extent),
        })
    }

    /// Without the feature `parry`, bodies have no hulls.
    #[cfg(not(feature = "parry"))]
    pub(super) fn of(_: &Body, _: u32) -> Option<Self> {
        None
    }

    pub(super) fn has_particle(&self, particle: u32) -> bool {
        self.particles.contains(&particle)
    }

    /// The hull in the current substep; None if its particles span no volume. Writes its planes to
    /// `planes`.
    pub(super) fn placed<'a, const D: usize>(
        &self,
        particles: &Particles<D>,
        planes: &'a mut Vec<[Plane<D>; 2]>,
    ) -> Option<PlacedHull<'a, D>> {
        let before = Corners::new(
            self.particles.map(|particle| particles.previous_position(particle as usize)),
        )?;
        let now =
            Corners::new(self.particles.map(|particle| particles.position(particle as usize)))?;
        let corners = [before, now];
        planes.clear();
        for face in &*self.faces {
            planes.push([before.plane(face)?, now.plane(face)?]);
        }
        let boxes = corners.map(|corners| {
            let [of_first, b, c, d] = self.centre;
            let from_first = corners.vector([of_first - 1.0, b, c, d]);
            let centre = add_scaled(corners.first, 1.0, from_first);
            OrientedBox {
                centre,
                half_extents: self.half_extents.map(|weights| corners.vector(weights)),
            }
        });
        Some(PlacedHull { particles: self.particles, corners, planes, boxes })
    }
}

impl<const D: usize> PlacedHull<'_, D> {
    /// The lower and upper corner of a box around the hull in the whole substep, grown by
    /// `contact_distance`, m.
    pub(crate) fn bounds(&self, contact_distance: f32) -> [[f32; D]; 2] {
        box_around(self.boxes.iter().flat_map(|OrientedBox { centre, half_extents }| {
            let mut extent = [contact_distance * 1e-3; D]; // a margin for rounding
            for half_extent in half_extents {
                let growth = 1.0 + contact_distance / length(*half_extent);
                for axis in 0..D {
                    extent[axis] += growth * half_extent[axis].abs();
                }
            }
            [difference(*centre, extent), add_scaled(*centre, 1.0, extent)]
        }))
    }

    /// The contact with a ball whose centre moves along `path` (before, now), m. They touch if the
    /// centre is inside the planes of all faces, moved outwards by `contact_distance`, m. None if they do
    /// not touch, or if the ball starts inside and ends outside the plane that was nearest to it.
    #[inline]
    pub(super) fn contact_point(
        &self,
        path: [[f32; D]; 2],
        contact_distance: f32,
    ) -> Option<ContactPoint<D>> {
        let from_first = [BEFORE, NOW].map(|when| difference(path[when], self.corners[when].first));
        // Clipping after Cyrus and Beck: finds the interval of time, from 0 to 1, in which the ball is
        // inside all planes, if its distance from each plane is linear in time. (Distances are from the
        // infinite planes, not from the faces: edges are not rounded.)
        let (mut enter, mut leave) = (0.0, 1.0);
        // The last plane that the ball crosses inwards; and the nearest of the planes on whose inner side
        // the ball starts. Each is stored with the distance of the ball from it at the end of the substep.
        let (mut entered, mut nearest) = (None, None);
        // The distance from `nearest` at the start, at most 0.
        let mut outermost = f32::NEG_INFINITY;
        for [plane_before, plane] in self.planes {
            let start = plane_before.distance(from_first[BEFORE]) - contact_distance;
            let end = plane.distance(from_first[NOW]) - contact_distance;
            let time = start / (start - end);
            if start > 0.0 {
                if end > 0.0 {
                    return None;
                }
                if entered.is_none() || time > enter {
                    (enter, entered) = (time, Some((plane, end)));
                }
            } else {
                leave = if end > 0.0 && time < leave { time } else { leave };
                if start > outermost {
                    (outermost, nearest) = (start, Some((plane, end)));
                }
            }
        }
        let (plane, end) = entered.or(nearest)?;
        if enter > leave || end > 0.0 {
            return None;
        }
        let normal = plane.normal;
        // The time of contact, and the distance of the ball's centre from the plane at that time. The
        // time is when the ball enters; for a ball that starts inside, when it leaves, or the end of the
        // substep if it stays inside.
        let (time, distance) = match entered {
            Some(_) => (enter, contact_distance),
            None => (leave, (outermost + leave * (end - outermost)) + contact_distance),
        };
        // Barycentric weights: of the centre of the ball, and of the vector to the surface.
        let now = self.corners[NOW].weights(from_first[NOW]);
        let before = self.corners[BEFORE].weights(from_first[BEFORE]);
        let at_contact = add_scaled(before, f64::from(time), difference(now, before));
        let to_surface = self.corners[NOW].weights(scaled(normal, -distance));
        let [b, c, d] = add_scaled(at_contact, 1.0, to_surface).map(|weight| weight as f32);
        let point = WeightedPoint::in_tetrahedron(self.particles, [b, c, d]);
        Some(ContactPoint { point, normal, distance: contact_distance })
    }
}

#[cfg(all(test, feature = "parry"))]
mod tests {
    use proptest::prelude::*;

    use super::HullCollider;
    use crate::model::Model;
    use crate::vector::{add_scaled, difference, dot, length};

    const CONTACT_DISTANCE: f32 = 0.1;

    /// How far a point is outside a cube of 1 m around `centre` whose faces are moved out by the
    /// contact distance, m.
    fn distance_outside(point: [f32; 3], centre: [f32; 3]) -> f32 {
        let offset = difference(point, centre);
        offset.map(|x| x.abs() - 0.5 - CONTACT_DISTANCE).into_iter().fold(f32::MIN, f32::max)
    }

    proptest! {
        #[test]
        fn a_ball_that_meets_a_moving_hull_has_a_contact(
            moved in prop::array::uniform3(-1.0..1.0_f32),
            path in prop::array::uniform2(prop::array::uniform3(-2.0..2.0_f32)),
        ) {
            let mut cube = Model::rigid_box([1.0; 3], 100.0).unwrap();
            for (axis, by) in moved.into_iter().enumerate() {
                cube.particles.previous_mut(axis)[..4].iter_mut().for_each(|x| *x -= by);
            }
            let collider = HullCollider::of(&cube.bodies.all()[0], 0).unwrap();
            prop_assert_eq!(collider.faces.len(), 6);
            let mut planes = Vec::new();
            let placed = collider.placed(&cube.particles, &mut planes).unwrap();
            let distance = |time: f32| {
                let ball = add_scaled(path[0], time, difference(path[1], path[0]));
                distance_outside(ball, moved.map(|x| (time - 1.0) * x))
            };
            let distances = (0..=1000).map(|i| distance(i as f32 / 1000.0));
            let least_distance = distances.fold(f32::INFINITY, f32::min);
            if let Some(contact) = placed.contact_point(path, CONTACT_DISTANCE) {
                // The tolerance is due to the distance of the sampled times.
                prop_assert!(
                    least_distance < 1e-2,
                    "a contact, but the ball stays {least_distance} m outside"
                );
                prop_assert!((length(contact.normal) - 1.0).abs() < 1e-4);
                // The point is on the plane of the face through which the contact pushes the ball out.
                let point = contact.point.position(&cube.particles);
                let from_cube = distance_outside(point, [0.0; 3]) + CONTACT_DISTANCE;
                prop_assert!((-1e-3..CONTACT_DISTANCE + 1e-3).contains(&from_cube));
                prop_assert!((dot(point, contact.normal) - 0.5).abs() < 1e-3);
                let correction = contact.distance - dot(difference(path[1], point), contact.normal);
                prop_assert!(correction >= -1e-4);
                let resolved = add_scaled(path[1], correction, contact.normal);
                prop_assert!(distance_outside(resolved, [0.0; 3]) > -1e-3);
                // The bounds contain the position of the first contact.
                let [low, high] = placed.bounds(CONTACT_DISTANCE);
                let mut times = (0..=1000).map(|i| i as f32 / 1000.0);
                let time = times.find(|&time| distance(time) < 1e-2).unwrap();
                let met = add_scaled(path[0], time, difference(path[1], path[0]));
                let inside = |axis: usize| {
                    low[axis] < met[axis] + 1e-2 && met[axis] < high[axis] + 1e-2
                };
                prop_assert!((0..3).all(inside));
            } else {
                // A ball that began inside may have left.
                let has_left = distance(0.0) < 1e-4 && distance(1.0) > -1e-4;
                prop_assert!(
                    least_distance > -1e-3 || has_left,
                    "no contact, but the ball comes to {least_distance} m"
                );
            }
        }
    }
}
