//! Wind on the meshes of rigid bodies.

use super::air::{Air, Corner, GustFactor};
use super::laws::{CornerForce, TriangleLaw, larger};
use crate::forces::Forces;
use crate::model::Model;
use crate::settings::StepTime;
use crate::vector::dot;

/// Adds the force of the wind on those faces of bodies onto which it blows from outside. Each corner
/// gets a third of the force on its face, which is distributed to the particles of the body by their
/// weights at the corner.
pub(super) fn add_to_bodies(
    model: &Model,
    now: &StepTime,
    forces: &mut Forces,
    corner_force: CornerForce<impl TriangleLaw>,
    air: Air<impl GustFactor>,
) {
    let Model { particles, bodies, .. } = model;
    for body in bodies.all() {
        let triangles = &bodies.triangles()[body.triangles()];
        // An upper bound of the ratio of mobility to inverse mass, s: as if the whole forces on all
        // triangles acted at one corner.
        let mobility_factor = triangles.len() as f32 * now.duration;
        for corners in triangles {
            let corners = corners.map(|vertex| bodies.point(body, vertex as usize));
            // `u`: displacement of the air relative to the triangle over three substeps, m.
            let (normal, u) = air.relative_to(corners.map(|corner| Corner {
                now: corner.position(particles),
                previous: corner.previous(particles),
            }));
            if dot(normal, u) < 0.0 {
                let [wa, wb, wc] = corners.map(|corner| corner.inverse_mass(particles));
                let mobility = larger(larger(wa, wb), wc) * mobility_factor;
                let third = corner_force.limited(normal, u, mobility);
                for corner in &corners {
                    for (&particle, weight) in corner.particles.iter().zip(corner.weights) {
                        forces.add(particle as usize, third.map(|component| component * weight));
                    }
                }
            }
        }
    }
}
