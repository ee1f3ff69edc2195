//! Contacts between rigid bodies.

use super::Obstacle;
use crate::matter::Matter;
use crate::model::Model;
use crate::settings::StepTime;
use crate::surface::Surface;

/// Contacts between rigid bodies. The shape of a body is the convex hull of its mesh; a body whose
/// particles are all pinned does not move.
///
/// The broad phase is sweep and prune. The crate `parry3d` (in its bit-reproducible build) finds
/// the contact points of the hulls once per substep, from positions alone: nothing is cached
/// between substeps. Contact points are moved apart by the weights of their particles, equations
/// (*) and (**) of Jakobsen 2001, with Coulomb friction. This deforms the bodies, and the next pass
/// relaxes their sticks. Three or four [passes](crate::Settings::passes) are enough (Jakobsen 2001);
/// stacks need more substeps.
///
/// ```
/// use std::sync::Arc;
///
/// use taut_scalar::ScalarKernel;
/// use taut_world::{BodyContacts, Model, Scene, World};
///
/// let mut scene = Scene::new();
/// scene.add("table", Model::rigid_box([2.0, 0.1, 2.0], 700.0)?.pinned("body"))?;
/// scene.add("die", Model::rigid_box([0.1; 3], 700.0)?.moved([0.0, 0.2, 0.0]))?;
/// scene.obstacles.push(Arc::new(BodyContacts::default()));
/// scene.settings.passes = 4;
/// scene.settings.step.iterations = 1;
/// scene.settings.step.substeps = 4;
/// let mut world = World::new(&scene, |_| ScalarKernel)?;
/// for _ in 0..60 {
///     assert!(world.step()?.finite);
/// }
/// let model = &world.islands()[0].model;
/// let die = model.bodies.all()[1].pose(&model.particles);
/// assert!((die.centre[1] - 0.1).abs() < 2e-3); // it lies on the table
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyContacts {
    /// The surface of the bodies in contacts with each other. Default: a friction of 0.5, no
    /// restitution, no thickness.
    pub surface: Surface,
    /// The distance up to which hulls have contacts, m, in addition to the thickness of the surface. If
    /// it is above 0, all corners of a resting face (of a face with more than four corners, four of them)
    /// are contact points, even one slightly above the other face. Default: 0.005.
    pub margin: f32,
}

impl Default for BodyContacts {
    fn default() -> Self {
        Self { surface: Surface { friction: 0.5, ..Surface::default() }, margin: 0.005 }
    }
}

impl Obstacle<3> for BodyContacts {
    fn begin(&self, matter: &mut Matter<'_, 3>) {
        if self.may_collide_with(matter.model()) {
            matter.model_and_scratch().1.bodies.discard_contacts();
        }
    }

    fn resolve(&self, matter: &mut Matter<'_, 3>, _: &StepTime<3>) {
        let (Model { particles, bodies, .. }, scratch) = matter.model_and_scratch();
        bodies.resolve_contacts(particles, &self.surface, self.margin, &mut scratch.bodies);
    }

    fn may_push(&self, _: &[[f32; 3]; 2], _: &StepTime<3>) -> bool {
        false
    }

    fn may_collide_with(&self, model: &Model<3>) -> bool {
        model.bodies.all().len() > 1
    }
}
