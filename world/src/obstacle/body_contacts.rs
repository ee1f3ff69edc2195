//! Bodies that keep out of each other.

use super::Obstacle;
use crate::matter::Matter;
use crate::model::Model;
use crate::settings::Moment;
use crate::surface::Surface;

/// Bodies keep out of each other: each is as large as the convex hull of its mesh, and one whose
/// particles are all pinned does not give way.
///
/// Pairs whose bounding boxes overlap are found by sweeping along an axis. Where their hulls touch
/// is found by the crate `parry3d` (in its form that is the same to the bit on every machine), once a
/// substep, from where they are alone: nothing is remembered from one substep to the next. Each point
/// of contact is moved apart by the weights of the particles that carry it, equations (*) and (**) of
/// Jakobsen 2001, with friction after Coulomb; the sticks that this bends are relaxed in the next
/// pass. Three or four [passes](crate::Settings::passes) "should be enough"; stacks want more substeps.
///
/// ```
/// use std::sync::Arc;
///
/// use taut_scalar::ScalarKernel;
/// use taut_world::{BodyContacts, Model, Scene, World};
///
/// let mut scene = Scene::new();
/// scene.add("table", Model::rigid_box([2.0, 0.1, 2.0], 700.0)?.pinned("body"))?;
/// scene.add("dice", Model::rigid_box([0.1; 3], 700.0)?.moved([0.0, 0.2, 0.0]))?;
/// scene.obstacles.push(Arc::new(BodyContacts::default()));
/// scene.settings.passes = 4;
/// scene.settings.step.iterations = 1;
/// scene.settings.step.substeps = 4;
/// let mut world = World::new(&scene, |_| ScalarKernel)?;
/// for _ in 0..60 {
///     assert!(world.step()?.finite);
/// }
/// let matter = &world.islands()[0].matter;
/// let dice = matter.bodies.all()[1].pose(&matter.particles);
/// assert!((dice.centre[1] - 0.1).abs() < 2e-3); // it lies on the table
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyContacts {
    /// Surface of the contacts between bodies. Default: a friction of 0.5, no restitution, no thickness.
    pub surface: Surface,
    /// The distance up to which hulls have contacts, m: above 0, so that all corners of a face that
    /// rests on another are points of contact, though one may be slightly above it. Default: 0.005.
    pub margin: f32,
}

impl Default for BodyContacts {
    fn default() -> Self {
        Self { surface: Surface { friction: 0.5, ..Surface::default() }, margin: 0.005 }
    }
}

impl Obstacle<3> for BodyContacts {
    fn begin(&self, matter: &mut Matter<'_, 3>) {
        if self.touches(matter.model()) {
            matter.model_and_scratch().1.bodies.forget_contacts();
        }
    }

    fn keep_out(&self, matter: &mut Matter<'_, 3>, _: &Moment<3>) {
        let (Model { particles, bodies, .. }, scratch) = matter.model_and_scratch();
        bodies.keep_apart(particles, &self.surface, self.margin, &mut scratch.bodies);
    }

    fn touches(&self, matter: &Model<3>) -> bool {
        matter.bodies.all().len() > 1
    }
}
