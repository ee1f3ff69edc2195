//! Wind on the meshes of rigid bodies.

use core::array::from_fn;

use super::blow::Gusty;
use super::laws::{Law, dot};
use super::{THIRD, Wind};
use crate::force::Forces;
use crate::model::Model;
use crate::world::Moment;

impl Wind {
    /// Adds what the wind does to the faces of bodies that it meets from outside. A third of it is at
    /// each corner, and so at the particles that carry it, by their weights there.
    pub(super) fn blow_at_bodies(
        &self,
        matter: &Model,
        moment: &Moment,
        forces: &mut Forces,
        law: impl Law,
        gusts: impl Gusty,
    ) {
        let Model { particles, bodies, .. } = matter;
        for body in bodies.all() {
            let triangles = &bodies.triangles()[body.triangles()];
            // If all of them blew at one corner.
            let most = triangles.len() as f32 * moment.h;
            for corners in triangles {
                let corners = corners.map(|vertex| bodies.point(body, vertex as usize));
                let [a, b, c] = corners.map(|corner| corner.position(particles));
                let [was_a, was_b, was_c] = corners.map(|corner| corner.previous(particles));
                let [bx, by, bz]: [f32; 3] = from_fn(|axis| b[axis] - a[axis]);
                let [cx, cy, cz]: [f32; 3] = from_fn(|axis| c[axis] - a[axis]);
                let normal = [by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx];
                let gust = gusts.at(from_fn(|axis| ((a[axis] + b[axis]) + c[axis]) * THIRD));
                let u = from_fn(|axis| {
                    let moved = ((a[axis] - was_a[axis]) + (b[axis] - was_b[axis]))
                        + (c[axis] - was_c[axis]);
                    self.velocity[axis] * gust - moved * (THIRD / moment.h)
                });
                if dot(normal, u) < 0.0 {
                    let [w_a, w_b, w_c] = corners.map(|corner| corner.inverse_mass(particles));
                    let loose = if w_a > w_b { w_a } else { w_b };
                    let loose = if loose > w_c { loose } else { w_c };
                    let force = law.force(normal, u, loose * most);
                    for corner in &corners {
                        for (&particle, weight) in corner.particles.iter().zip(corner.weights) {
                            let share = weight * THIRD;
                            forces.add(particle as usize, force.map(|along| along * share));
                        }
                    }
                }
            }
        }
    }
}
