//! Wind on the meshes of rigid bodies.

use super::air::{Air, Corner, Gusty};
use super::laws::{Law, Thirds, at_least};
use crate::forces::Forces;
use crate::model::Model;
use crate::settings::Moment;
use crate::vector::dot;

/// Adds what the wind does to the faces of bodies that it meets from outside. A third of it is at each
/// corner, and so at the particles that carry it, by their weights there.
pub(super) fn blow_at_bodies(
    matter: &Model,
    moment: &Moment,
    forces: &mut Forces,
    thirds: Thirds<impl Law>,
    air: Air<impl Gusty>,
) {
    let Model { particles, bodies, .. } = matter;
    for body in bodies.all() {
        let triangles = &bodies.triangles()[body.triangles()];
        // If all of them blew at one corner.
        let most = triangles.len() as f32 * moment.hold;
        for corners in triangles {
            let corners = corners.map(|vertex| bodies.point(body, vertex as usize));
            let (normal, u) = air.meets(corners.map(|corner| Corner {
                now: corner.position(particles),
                then: corner.previous(particles),
            }));
            if dot(normal, u) < 0.0 {
                let [wa, wb, wc] = corners.map(|corner| corner.inverse_mass(particles));
                let third = thirds.of(normal, u, at_least(at_least(wa, wb), wc) * most);
                for corner in &corners {
                    for (&particle, weight) in corner.particles.iter().zip(corner.weights) {
                        forces.add(particle as usize, third.map(|along| along * weight));
                    }
                }
            }
        }
    }
}
