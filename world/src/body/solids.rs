//! Bodies on floors and the like: every vertex of their meshes is kept out.

use taut_core::Particles;

use super::anchor::Probe;
use super::contact::Contact;
use super::{Anchor, Bodies, Body, BodyScratch};
use crate::surface::{Nearest, Surface};

impl<const D: usize> Bodies<D> {
    /// A vertex of a body, by its number among those of all bodies, as a point of matter.
    pub(crate) fn point(&self, body: &Body, vertex: usize) -> Anchor {
        let weights = self.weights.each_ref().map(|column| column[vertex]);
        Anchor { particles: body.particles, weights }
    }

    /// The vertices of each body, body by body.
    fn points(&self) -> impl Iterator<Item = impl Iterator<Item = Anchor>> {
        self.all.iter().map(|body| body.vertices().map(|vertex| self.point(body, vertex)))
    }

    /// Keeps the vertices of all meshes out of an obstacle, by the weights of the particles
    /// that carry them: equations (*) and (**) of Jakobsen 2001, where the "collision point p (which
    /// in this case will be placed on the cube)" is a vertex, whose weights are known. `near` says how
    /// far it is from one to the obstacle, and `drift` how far the obstacle moved at a point in this
    /// substep, m. With a restitution they [bounce](Self::bounce) when the substep ends.
    pub(crate) fn keep_out(
        &self,
        particles: &mut Particles<D>,
        near: impl Fn(&Particles<D>, &Probe) -> Nearest<D>,
        drift: impl Fn([f32; D]) -> [f32; D],
        surface: &Surface,
        scratch: &mut BodyScratch<D>,
    ) {
        let BodyScratch { contacts, solver, bounces, .. } = scratch;
        for (body, points) in self.points().enumerate() {
            contacts.clear();
            for point in points {
                let probe = probe(point, surface.thickness);
                let near = near(particles, &probe);
                let Probe { point, reach, .. } = probe;
                contacts.extend(Contact::with_obstacle(particles, point, near, reach, &drift));
            }
            solver.resolve(contacts, surface.friction, particles);
            if surface.restitution > 0.0 {
                for contact in &*contacts {
                    bounces.note([Some(body), None], contact, particles, surface);
                }
            }
        }
    }

    /// How deep the deepest vertex of a body that can move is in an obstacle, m; 0 if none is.
    pub(crate) fn depth(
        &self,
        particles: &Particles<D>,
        near: impl Fn(&Particles<D>, &Probe) -> Nearest<D>,
        thickness: f32,
    ) -> f32 {
        self.points().flatten().filter(|point| point.inverse_mass(particles) > 0.0).fold(
            0.0,
            |deepest, point| {
                let depth = thickness - near(particles, &probe(point, thickness)).distance;
                if depth > deepest { depth } else { deepest }
            },
        )
    }
}

/// What a vertex sees of an obstacle. Contacts are solved but nearly, so that a vertex may begin a
/// substep somewhat inside: a quarter of the way to the middle of the body it is outside.
fn probe(point: Anchor, thickness: f32) -> Probe {
    Probe { point, inner: point.inwards(0.25), reach: thickness }
}
