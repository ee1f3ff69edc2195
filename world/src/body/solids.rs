//! Collisions of bodies with obstacles, at the vertices of their meshes.

use taut_core::Particles;

use super::contact::Contact;
use super::weighted_point::Probe;
use super::{Bodies, Body, BodyScratch, WeightedPoint};
use crate::surface::{Nearest, Surface};

impl<const D: usize> Bodies<D> {
    /// A vertex of a body, by its index among the vertices of all bodies, as a weighted point.
    pub(crate) fn point(&self, body: &Body, vertex: usize) -> WeightedPoint {
        let weights = self.weights.each_ref().map(|column| column[vertex]);
        WeightedPoint { particles: body.particles, weights }
    }

    /// The vertices of each body, body by body.
    fn points(&self) -> impl Iterator<Item = impl Iterator<Item = WeightedPoint>> {
        self.all.iter().map(|body| body.vertices().map(|vertex| self.point(body, vertex)))
    }

    /// Resolves collisions of the vertices of all meshes with an obstacle, by the weights of their
    /// particles: equations (*) and (**) of Jakobsen 2001, where the "collision point p (which in
    /// this case will be placed on the cube)" is a vertex, whose weights are known. `nearest` gives
    /// the distance of a vertex from the obstacle, `displacement` the displacement of the obstacle
    /// at a point in this substep, m. With restitution, bodies [bounce](Self::bounce) at the end of
    /// the substep.
    pub(crate) fn resolve(
        &self,
        particles: &mut Particles<D>,
        nearest: impl Fn(&Particles<D>, &Probe) -> Nearest<D>,
        displacement: impl Fn([f32; D]) -> [f32; D],
        surface: &Surface,
        scratch: &mut BodyScratch<D>,
    ) {
        let BodyScratch { contacts, solver, bounces, .. } = scratch;
        let friction = surface.friction;
        for (body, points) in self.points().enumerate() {
            contacts.clear();
            for point in points {
                let probe = probe(point, surface.thickness);
                let nearest = nearest(particles, &probe);
                contacts.extend(Contact::with_obstacle(
                    particles,
                    probe,
                    nearest,
                    friction,
                    &displacement,
                ));
            }
            solver.resolve(contacts, particles);
            if surface.restitution > 0.0 {
                for contact in &*contacts {
                    bounces.record(body, None, contact, particles, surface);
                }
            }
        }
    }

    /// Greatest penetration of a vertex of a movable body into an obstacle, m; 0 if none.
    pub(crate) fn depth(
        &self,
        particles: &Particles<D>,
        nearest: impl Fn(&Particles<D>, &Probe) -> Nearest<D>,
        thickness: f32,
    ) -> f32 {
        self.points().flatten().filter(|point| point.inverse_mass(particles) > 0.0).fold(
            0.0,
            |deepest, point| {
                let depth = thickness - nearest(particles, &probe(point, thickness)).distance;
                if depth > deepest { depth } else { deepest }
            },
        )
    }
}

/// The probe of a vertex. Contacts are solved approximately, so a vertex may begin a substep
/// slightly inside; the point a quarter of the way to the centroid of the body's particles is
/// assumed to be outside.
fn probe(point: WeightedPoint, thickness: f32) -> Probe {
    Probe { point, inner: point.inwards(0.25), contact_distance: thickness }
}
