//! Collisions of sticks and faces with convex sides.

use core::array::from_fn;
use std::sync::Arc;

use taut_core::Sticks;

use super::broad_phase::{ChunkBoxes, ElementGroups, largest_contact_distance};
use super::search::{SearchPoint, first_reached_by};
use super::side::Side;
use crate::body::WeightedPoint;
use crate::drawing::resize_vector;
use crate::model::Model;
use crate::path::Displacement;
use crate::surface::{ContactLaw, Nearest, SurfaceContact, VerletState};
use crate::vector::{
    add_scaled, cross, difference, dot, length, rounded, scaled, sum, to_f64, unit,
};

/// Which sticks and faces of an island collide, computed from its current sticks and faces.
#[derive(Clone, Debug, Default)]
pub(crate) struct EdgeScratch<const D: usize> {
    /// The ends of the sticks for which `sticks` and `faces` were computed.
    ends: Option<Arc<[[u32; 2]]>>,
    /// How many faces, removed faces and limbs there were then.
    counts: [usize; 3],
    /// The sticks that collide: those of [`edges_of`].
    sticks: ElementGroups,
    /// The faces that collide.
    faces: ElementGroups,
    boxes: ChunkBoxes<D>,
}

impl<const D: usize> EdgeScratch<D> {
    /// Computes which sticks and faces collide, unless they are known.
    fn update(&mut self, model: &Model<D>) {
        let Model { sticks, faces, limbs, .. } = model;
        let ends = sticks.shared_ends();
        let counts = [faces.len(), faces.removed().len(), limbs.all().len()];
        let same_ends = self.ends.as_ref().is_some_and(|of_edges| Arc::ptr_eq(of_edges, &ends));
        if !(same_ends && self.counts == counts) {
            self.sticks = ElementGroups::new(edges_of(model), |stick| ends[stick as usize]);
            self.faces = ElementGroups::new(faces_of(model), |face| faces[face as usize]);
            self.ends = Some(ends);
            self.counts = counts;
        }
    }
}

/// The indices of the sticks that collide: those that are drawn, do not only resist bending, and are
/// edges of faces or have an end that is not a corner of a face, as in a rope. Sticks between ends
/// of limbs are excluded: limbs collide as capsules. Some of the sticks may be torn.
fn edges_of<const D: usize>(model: &Model<D>) -> Vec<u32> {
    let Model { sticks, faces, limbs, hidden_sticks, bending, .. } = model;
    let mut is_face_corner = vec![false; model.particles.len()];
    let mut is_limb_end = is_face_corner.clone();
    let mut edges_of_faces = Vec::new();
    for &[a, b, c] in faces {
        edges_of_faces.extend([[a, b], [b, c], [c, a]].map(sorted));
        for corner in [a, b, c] {
            is_face_corner[corner as usize] = true;
        }
    }
    edges_of_faces.sort_unstable();
    for limb in limbs.all() {
        for end in limb.ends {
            is_limb_end[end as usize] = true;
        }
    }
    let collides = |stick: usize| {
        let ends = sticks.ends()[stick];
        let is_flagged = |flags: &[bool]| flags.get(stick).copied().unwrap_or_default();
        let both_ends = |flags: &[bool]| ends.iter().all(|end| flags[*end as usize]);
        let auxiliary = is_flagged(hidden_sticks) || is_flagged(bending);
        let is_edge =
            || !both_ends(&is_face_corner) || edges_of_faces.binary_search(&sorted(ends)).is_ok();
        !auxiliary && !both_ends(&is_limb_end) && is_edge()
    };
    (0..sticks.len()).filter(|&stick| collides(stick)).map(|stick| stick as u32).collect()
}

fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    if a < b { [a, b] } else { [b, a] }
}

/// A point of a stick or face that is closer to a side than it may be.
struct EdgeContact<const D: usize> {
    point: WeightedPoint,
    /// Unit normal out of the side.
    normal: [f64; D],
    /// Penetration, m.
    depth: f64,
}

/// Collisions of sticks, then of faces, each in the order of their indices.
pub(super) struct EdgeCollisions<'a, S, const D: usize> {
    pub(super) side: &'a S,
    /// The thickness of the obstacle's surface, m.
    pub(super) thickness: f32,
}

impl<S: Side<D>, const D: usize> EdgeCollisions<'_, S, D> {
    /// Moves the sticks and faces of a model out of the side. The particles of each share the
    /// correction by their weights and inverse masses (equations (*) and (**) of Jakobsen 2001),
    /// and so does the friction.
    pub(super) fn resolve(
        &self,
        model: &mut Model<D>,
        scratch: &mut EdgeScratch<D>,
        displacement: &Displacement<D>,
        law: &ContactLaw<f64>,
    ) {
        scratch.update(model);
        let EdgeScratch { sticks, faces, boxes, .. } = scratch;
        boxes.update(&model.particles);
        let contact_distance = largest_contact_distance(model, self.thickness);
        let may_reach = |[low, high]: [_; 2]| {
            self.side.may_reach_box(to_f64(low), to_f64(high), contact_distance)
        };
        let resolve = |model: &mut Model<D>, contact: EdgeContact<D>, boxes: &mut ChunkBoxes<D>| {
            let EdgeContact { point, normal, depth } = contact;
            let particles = &mut model.particles;
            let x = to_f64(point.position(particles));
            let state = VerletState { x, previous: to_f64(point.previous(particles)) };
            let contact = SurfaceContact { normal, depth, clearance: f64::INFINITY };
            let after = law.resolve(state, displacement.at(x), contact);
            let moved = [difference(after.x, x), difference(after.previous, state.previous)];
            point.displace(particles, moved.map(rounded));
            for (particle, _) in point.terms() {
                boxes.include(particle, particles.position(particle as usize));
            }
        };
        sticks.for_each_near(boxes, may_reach, |stick, boxes| {
            if let Some(contact) = self.stick_contact(model, stick) {
                resolve(model, contact, boxes);
            }
        });
        faces.for_each_near(boxes, may_reach, |face, boxes| {
            if let Some(contact) = self.face_contact(model, face) {
                resolve(model, contact, boxes);
            }
        });
    }

    /// Deepest penetration of a stick or face that can move, m; 0 if none.
    pub(super) fn depth(&self, model: &Model<D>) -> f64 {
        let edges = edges_of(model).into_iter().map(|stick| self.stick_contact(model, stick));
        let faces = faces_of(model).into_iter().map(|face| self.face_contact(model, face));
        let contacts = edges.chain(faces).flatten();
        contacts
            .filter(|contact| contact.point.inverse_mass(&model.particles) > 0.0)
            .fold(0.0, |deepest, EdgeContact { depth, .. }| f64::max(deepest, depth))
    }

    /// The positions of the ends of a stick, or corners of a face, m, and the distance at which it
    /// collides, m: the thickness plus the smallest radius of its particles. None if it is far away
    /// or part of a body.
    fn corners_if_near<const N: usize>(
        &self,
        model: &Model<D>,
        corners: [u32; N],
    ) -> Option<([[f64; D]; N], f64)> {
        let points = corners.map(|corner| to_f64(model.particles.position(corner as usize)));
        let radius = |corner: &u32| model.radii.get(*corner as usize).copied().unwrap_or_default();
        let smallest = corners.iter().map(radius).fold(f32::INFINITY, f32::min);
        let contact_distance = f64::from(self.thickness) + f64::from(smallest);
        let bound = |round: fn(f64, f64) -> f64| {
            from_fn(|axis| points.iter().map(|point| point[axis]).reduce(round).unwrap_or_default())
        };
        // Particles of rigid bodies have a radius of -∞.
        let near = smallest >= 0.0
            && self.side.may_reach_box(bound(f64::min), bound(f64::max), contact_distance);
        near.then_some((points, contact_distance))
    }

    /// The contact of a stick between its ends, at its deepest point. The distance from a convex
    /// side is a convex function along the stick, so a search finds where it is smallest.
    fn stick_contact(&self, model: &Model<D>, stick: u32) -> Option<EdgeContact<D>> {
        let Model { sticks, .. }: &Model<D> = model;
        let ends = ends_unless_torn(sticks, stick)?;
        let ([a, b], contact_distance) = self.corners_if_near(model, ends)?;
        let along = difference(b, a);
        let slope = |nearest: &Nearest<D, f64>| dot(nearest.normal, along);
        let (at_a, at_b) = (self.side.nearest(a), self.side.nearest(b));
        let (down, up) = (slope(&at_a), slope(&at_b));
        // If the distance does not fall, then rise along the stick, an end is deepest: the collision of
        // the particle there is sufficient.
        if !(down < 0.0 && up > 0.0) {
            return None;
        }
        // The distance at which the tangent planes of both ends meet is a lower bound.
        let meeting_fraction = ((at_b.distance - at_a.distance) - up) / (down - up);
        if at_a.distance + meeting_fraction * down >= contact_distance {
            return None;
        }
        let nearest_at = |fraction: f64| self.side.nearest(add_scaled(a, fraction, along));
        // Slopes up to this count as 0.
        let flat = 1e-6 * length(along);
        let slope_at = |fraction: f64| slope(&nearest_at(fraction));
        let [start, end] =
            [(0.0, down), (1.0, up)].map(|(fraction, value)| SearchPoint { fraction, value });
        let falls_until = first_reached_by(slope_at, [start, end], -flat, |slope| slope >= -flat);
        let rises = |slope: f64| slope > flat;
        let rises_from = if rises(falls_until[1].value) {
            falls_until
        } else {
            first_reached_by(slope_at, [falls_until[1], end], flat, rises)
        };
        let [[fraction_before, falls_until], [rises_from, fraction_after]] =
            [falls_until, rises_from].map(|points| points.map(|point| point.fraction));
        let (fraction, distance, normal) = if falls_until <= rises_from {
            let fraction = 0.5 * (falls_until + rises_from);
            let Nearest { distance, normal } = nearest_at(fraction);
            (fraction, distance, normal)
        } else {
            // The stick is deepest at a sharp edge of the obstacle. The normal is a weighted mean of the
            // normals on both sides of the edge, chosen perpendicular to the stick. Along this normal, the
            // edge is farther away than each of the two planes that meet there.
            let (before, after) = (nearest_at(fraction_before), nearest_at(fraction_after));
            let (down, up) = (slope(&before), slope(&after));
            let weighted = scaled(before.normal, up / (up - down));
            let mean = add_scaled(weighted, down / (down - up), after.normal);
            let mean_length = length(mean);
            // If the normals are nearly opposite, the stick pierces two opposite sides, and no direction
            // leads out.
            if mean_length < 0.1 {
                return None;
            }
            let Nearest { distance, .. } = after;
            let distance = if distance < 0.0 { distance / mean_length } else { distance };
            (fraction_after, distance, scaled(mean, 1.0 / mean_length))
        };
        let point = WeightedPoint::on_stick(ends, fraction as f32);
        (distance < contact_distance).then_some(EdgeContact {
            point,
            normal,
            depth: contact_distance - distance,
        })
    }

    /// The contact of the interior of a face (without its edges) with the point of the side that is
    /// farthest along the normal of the face or its opposite, such as a corner. The normal of the
    /// contact is this direction.
    fn face_contact(&self, model: &Model<D>, face: u32) -> Option<EdgeContact<D>> {
        let corners = model.faces[face as usize];
        let ([a, b, c], contact_distance) = self.corners_if_near(model, corners)?;
        let (ab, ac) = (difference(b, a), difference(c, a));
        let size = length(ab) + length(ac);
        let centre = add_scaled(a, 1.0 / 3.0, sum(ab, ac));
        // If all corners are in front of a tangent plane of the side, so is the face. The tolerance is for
        // rounding.
        let at_centre = self.side.nearest(centre);
        let height =
            |corner| at_centre.distance + dot(at_centre.normal, difference(corner, centre));
        let lowest = height(a).min(height(b)).min(height(c));
        if lowest >= contact_distance - 1e-6 * size {
            return None;
        }
        let normal: [f64; D] = resize_vector(unit(cross(resize_vector(ab), resize_vector(ac)))?);
        // The face may move out along its normal or in the opposite direction: the smaller penetration
        // counts.
        let mut contact: Option<EdgeContact<D>> = None;
        for normal in [normal, scaled(normal, -1.0)] {
            let farthest = self.farthest(centre, normal, size)?;
            let from_a = difference(farthest, a);
            let depth = dot(normal, from_a) + contact_distance;
            // NaN counts as outside.
            let inside = depth > 0.0;
            if !inside {
                return None;
            }
            if contact.as_ref().is_none_or(|other| depth < other.depth) {
                let point = WeightedPoint::on_triangle(corners, weights([ab, ac], from_a));
                contact = Some(EdgeContact { point, normal, depth });
            }
        }
        // If the point is beyond the rim of the face, its sticks and particles collide instead.
        contact.filter(|contact| contact.point.weights[..3].iter().all(|weight| *weight > 0.0))
    }

    /// The point of the side that is farthest along a direction; None if it is not found, as for a side
    /// that is unbounded in that direction. It is approximated by the point that is nearest to a distant
    /// point in that direction, four times, each time from the last result. `size` is about the length
    /// of the face, m.
    fn farthest(&self, start: [f64; D], direction: [f64; D], size: f64) -> Option<[f64; D]> {
        let mut farthest = start;
        let mut cosine = 0.0;
        for _ in 0..4 {
            let distant = add_scaled(farthest, 1e4 * size, direction);
            let Nearest { distance, normal } = self.side.nearest(distant);
            farthest = add_scaled(distant, -distance, normal);
            cosine = dot(normal, direction);
        }
        (cosine > 1.0 - 1e-6).then_some(farthest)
    }
}

/// The indices of the faces that collide: in 2D none.
fn faces_of<const D: usize>(model: &Model<D>) -> Vec<u32> {
    let count = if D == 3 { model.faces.len() } else { 0 };
    (0..count as u32).collect()
}

fn ends_unless_torn(sticks: &Sticks, stick: u32) -> Option<[u32; 2]> {
    (!sticks.is_torn(stick as usize)).then(|| sticks.ends()[stick as usize])
}

/// The weights of the second and third corner of a triangle at the projection of a point (Ericson,
/// "Real-Time Collision Detection", 3.4). `ab` and `ac` are the vectors from the first corner to the
/// others, `from_a` is that to the point.
fn weights<const D: usize>([ab, ac]: [[f64; D]; 2], from_a: [f64; D]) -> [f32; 2] {
    let (bb, bc, cc) = (dot(ab, ab), dot(ab, ac), dot(ac, ac));
    let (pb, pc) = (dot(from_a, ab), dot(from_a, ac));
    let determinant = bb * cc - bc * bc;
    [(cc * pb - bc * pc) / determinant, (bb * pc - bc * pb) / determinant]
        .map(|weight| weight as f32)
}
