//! Contacts between rigid bodies.

use taut_core::Particles;

use super::contact::{Contact, OtherSide, Solver};
use super::hull::Manifold;
use super::{Bodies, Body, BodyScratch};
use crate::pose::BodyPose;
use crate::surface::Surface;
use crate::sweep::{self, BoundingBox};

/// Reused buffers, and the contacts between bodies, which the passes of a substep share.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    poses: Vec<BodyPose>,
    boxes: Vec<BoundingBox<3>>,
    /// Pairs of bodies whose bounding boxes are at most as far apart as the margin plus the thickness.
    pairs: Vec<[usize; 2]>,
    manifold: Manifold,
    contacts: Vec<Contact<3>>,
    solver: Solver<3>,
    /// For each contact the body of its point, and the body of its other side.
    bodies_of_contacts: Vec<[usize; 2]>,
    /// The surface and the margin, m, for which `contacts` were found in this substep.
    found_for: Option<(Surface, f32)>,
}

impl BodyScratch<3> {
    /// Discards the contacts at the beginning of a substep, so that the next pass finds new ones.
    pub(crate) fn discard_contacts(&mut self) {
        self.pairs.found_for = None;
    }
}

impl Bodies<3> {
    /// Moves bodies apart. Contacts of hulls up to `margin` plus the thickness of the surface apart, m,
    /// are found once per substep; if the surface or the margin differs from that of the previous call,
    /// they are found again.
    pub(crate) fn resolve_contacts(
        &self,
        particles: &mut Particles<3>,
        surface: &Surface,
        margin: f32,
        scratch: &mut BodyScratch<3>,
    ) {
        let BodyScratch { pairs, bounces, .. } = scratch;
        if pairs.found_for != Some((*surface, margin)) {
            pairs.find(&self.all, particles, surface, margin);
            pairs.found_for = Some((*surface, margin));
        }
        let Scratch { contacts, solver, bodies_of_contacts, .. } = pairs;
        solver.resolve(contacts, particles);
        if surface.restitution > 0.0 {
            for (contact, &[body, other]) in contacts.iter().zip(&*bodies_of_contacts) {
                bounces.record(body, Some(other), contact, particles, surface);
            }
        }
    }
}

impl Scratch {
    /// Finds the contacts of all pairs of hulls that are at most `margin` plus the thickness apart, m.
    fn find(&mut self, bodies: &[Body], particles: &Particles<3>, surface: &Surface, margin: f32) {
        let Surface { thickness, friction, .. } = *surface;
        self.find_pairs(bodies, particles, margin + thickness);
        let Self { poses, pairs, manifold, contacts, bodies_of_contacts, .. } = self;
        contacts.clear();
        bodies_of_contacts.clear();
        for &[a, b] in &*pairs {
            let (one, other) = (&bodies[a], &bodies[b]);
            let (Some(hull), Some(other_hull)) = (&one.hull, &other.hull) else { continue };
            hull.find_contacts(&poses[a], other_hull, &poses[b], margin + thickness, manifold);
            // The thickness moves the surface of the first body outwards.
            let offset = manifold.local_n1 * thickness;
            let normal = poses[a].direction(manifold.local_n1.to_array().map(f64::from));
            let normal = normal.map(|x| x as f32);
            for point in &manifold.points {
                let on_one =
                    OtherSide::Movable(one.weighted_point((point.local_p1 + offset).to_array()));
                let on_other = other.weighted_point(point.local_p2.to_array());
                if let Some(contact) = Contact::new(particles, on_other, on_one, normal, friction) {
                    contacts.push(contact);
                    bodies_of_contacts.push([b, a]);
                }
            }
        }
    }

    /// Finds the pairs of bodies whose bounding boxes are at most `distance`, m, apart, in the order
    /// of their indices, without pairs of two pinned bodies.
    fn find_pairs(&mut self, bodies: &[Body], particles: &Particles<3>, distance: f32) {
        let Self { poses, boxes, pairs, .. } = self;
        poses.clear();
        poses.extend(bodies.iter().map(|body| body.pose(particles)));
        boxes.clear();
        boxes.extend(bodies.iter().zip(&*poses).enumerate().filter_map(
            |(object, (body, pose))| {
                let [low, high] = body.hull.as_ref()?.bounds(pose, 0.5 * f64::from(distance));
                Some(BoundingBox { object, low, high })
            },
        ));
        let inverse_masses = particles.inverse_masses();
        let pinned = |body: usize| {
            bodies[body].particles.iter().all(|&particle| inverse_masses[particle as usize] == 0.0)
        };
        sweep::pairs(boxes, |one, other| !(pinned(one) && pinned(other)), pairs);
    }
}
