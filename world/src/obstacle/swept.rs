//! Continuous collision detection of particles with convex sides.

use core::array::from_fn;
use core::ops::Range;

use taut_core::Particles;

use super::broad_phase::{bounding_box, chunks_of, largest_contact_distance};
use super::search::first_reached;
use super::side::Side;
use crate::body::box_around;
use crate::model::Model;
use crate::path::{Displacement, Pose};
use crate::surface::{ContactLaw, Nearest, SurfaceContact, VerletState};
use crate::vector::{add_scaled, difference, dot, to_f64};

/// Two points count as on the same side of a shape if the cosine of the angle between the normals at
/// these points is above this: 0.9 is the cosine of 26 degrees.
const SAME_SIDE_COSINE: f64 = 0.9;

/// Where a moving point enters a side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing<const D: usize> {
    /// The point, m.
    pub(super) point: [f64; D],
    /// The normal there, and the distance of the end of the motion from the tangent plane, m.
    pub(super) nearest: Nearest<D, f64>,
}

/// Where a point that moves from `from` to `to`, both relative to a convex side, comes closer to it
/// than `contact_distance`, m. None if it does not, or if it ends inside and the nearest way out is on
/// the side where it started or entered: then the test of the position at the end is sufficient.
///
/// The distance from a convex side is a convex function, so along the segment it falls, then rises:
/// a search finds the first point that is close enough or past the smallest distance. A point that
/// starts closer than `contact_distance` must not come closer than at its start.
#[inline]
fn crossing<S: Side<D>, const D: usize>(
    side: &S,
    [from, to]: [[f64; D]; 2],
    contact_distance: f64,
) -> Option<Crossing<D>> {
    let low = from_fn(|axis| from[axis].min(to[axis]));
    let high = from_fn(|axis| from[axis].max(to[axis]));
    if !S::CONVEX || !side.may_reach_box(low, high, contact_distance) {
        return None;
    }
    let along = difference(to, from);
    let (start, end) = (side.nearest(from), side.nearest(to));
    let limit = if start.distance < contact_distance { start.distance } else { contact_distance };
    // A segment that is outside the tangent plane at one of its ends is outside the side.
    let beyond_start = start.distance + dot(start.normal, along) >= limit;
    let beyond_end = end.distance >= limit && end.distance - dot(end.normal, along) >= limit;
    let same_side =
        |normal| end.distance < contact_distance && dot(normal, end.normal) > SAME_SIDE_COSINE;
    if beyond_start || beyond_end || same_side(start.normal) {
        return None;
    }
    let nearest_at = |fraction: f64| side.nearest(add_scaled(from, fraction, along));
    let [_, fraction] = first_reached(|fraction| {
        let Nearest { distance, normal } = nearest_at(fraction);
        distance < limit || dot(normal, along) >= 0.0
    });
    let Nearest { distance, normal } = nearest_at(fraction);
    let enters = distance < limit;
    if !enters || same_side(normal) {
        return None;
    }
    let point = add_scaled(from, fraction, along);
    let distance = distance + dot(normal, difference(to, point));
    Some(Crossing { point, nearest: Nearest { distance, normal } })
}

/// The motion of a side in a substep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sweep<S, const D: usize> {
    /// The side at the beginning.
    before: S,
    /// The side at the end.
    after: S,
    /// Maps the position of a point of the side at the end to its displacement.
    displacement: Displacement<D>,
    /// Maps the position of a point of the side at the beginning to the opposite of its
    /// displacement.
    inverse: Displacement<D>,
}

impl<S: Side<D>, const D: usize> Sweep<S, D> {
    /// `sides` and `poses` are those at the beginning and at the end.
    pub(super) fn new([before, after]: [S; 2], poses: &[Pose<D>; 2]) -> Self {
        let [pose_before, pose_after] = poses;
        Self {
            before,
            after,
            displacement: Displacement::between(pose_before, pose_after),
            inverse: Displacement::between(pose_after, pose_before),
        }
    }

    /// Where a point that is at `start` at the beginning enters the side on its way to `end`.
    ///
    /// The motion is relative to the point of the side that is nearest to `start`. Relative to a
    /// distant point of a rotating side, it would be far from straight.
    #[inline]
    pub(super) fn crossing(
        &self,
        [start, end]: [[f64; D]; 2],
        contact_distance: f64,
    ) -> Option<Crossing<D>> {
        let reference = if self.inverse.is_uniform() {
            start
        } else {
            let Nearest { distance, normal } = self.before.nearest(start);
            add_scaled(start, -distance, normal)
        };
        let from = difference(start, self.inverse.at(reference));
        crossing(&self.after, [from, end], contact_distance)
    }

    /// Stops particles that cross a side. `starts` are their positions at the beginning of the
    /// substep, m.
    pub(super) fn resolve(
        &self,
        model: &mut Model<D>,
        starts: &[[f32; D]],
        thickness: f32,
        law: &ContactLaw<f64>,
    ) {
        if !S::CONVEX {
            return;
        }
        let contact_distance = largest_contact_distance(model, thickness);
        for chunk in chunks_of(model.particles.len()) {
            if self.may_reach(&model.particles, starts, chunk.clone(), contact_distance) {
                self.resolve_chunk(model, chunk, starts, thickness, law);
            }
        }
    }

    /// Whether particles of a chunk may come closer than `contact_distance` on their way.
    #[inline]
    fn may_reach(
        &self,
        particles: &Particles<D>,
        starts: &[[f32; D]],
        chunk: Range<usize>,
        contact_distance: f64,
    ) -> bool {
        // Starts are unknown for particles that were emitted in this step.
        let Some(starts) = starts.get(chunk.clone()).filter(|_| self.inverse.is_uniform()) else {
            return true;
        };
        let displacement = self.inverse.at([0.0; D]);
        let from = box_around(starts.iter().copied()).map(|x| difference(to_f64(x), displacement));
        let to = bounding_box(particles, chunk).map(to_f64);
        let bound = |corner: usize, round: fn(f64, f64) -> f64| {
            from_fn(|axis| round(from[corner][axis], to[corner][axis]))
        };
        self.after.may_reach_box(bound(0, f64::min), bound(1, f64::max), contact_distance)
    }

    /// See [`resolve`](Self::resolve).
    fn resolve_chunk(
        &self,
        model: &mut Model<D>,
        chunk: Range<usize>,
        starts: &[[f32; D]],
        thickness: f32,
        law: &ContactLaw<f64>,
    ) {
        for particle in chunk {
            let radius = model.radii.get(particle).copied().unwrap_or_default();
            // Particles of bodies do not collide: the vertices of the bodies do instead.
            if radius == f32::NEG_INFINITY || model.particles.inverse_masses()[particle] == 0.0 {
                continue;
            }
            let state = state_of(&model.particles, particle);
            let start = starts.get(particle).map_or(state.previous, |start| to_f64(*start));
            let contact_distance = f64::from(thickness) + f64::from(radius);
            let Some(Crossing { point, nearest }) =
                self.crossing([start, state.x], contact_distance)
            else {
                continue;
            };
            let Nearest { distance, normal } = nearest;
            let depth = contact_distance - distance;
            let contact = SurfaceContact { normal, depth, clearance: f64::INFINITY };
            let after = law.resolve(state, self.displacement.at(point), contact);
            for axis in 0..D {
                let x = after.x[axis] as f32 + 0.0; // never -0.0
                model.particles.positions_mut(axis)[particle] = x;
                model.particles.previous_mut(axis)[particle] = after.previous[axis] as f32;
            }
        }
    }
}

fn state_of<const D: usize>(particles: &Particles<D>, particle: usize) -> VerletState<f64, D> {
    VerletState {
        x: to_f64(particles.position(particle)),
        previous: to_f64(particles.previous_position(particle)),
    }
}
