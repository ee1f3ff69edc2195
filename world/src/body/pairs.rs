//! Bodies that keep out of each other.

use taut_core::Particles;

use super::Body;
use super::contact::{Contact, Other, Solver};
use super::hull::Touching;
use super::motion::BodyPose;
use crate::model::Model;
use crate::obstacle::{Obstacle, Surface};
use crate::sweep::{self, Extent};
use crate::world::{Matter, Moment};

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
/// let matter = &world.pieces()[0].matter;
/// let dice = matter.bodies.all()[1].pose(&matter.particles);
/// assert!((dice.centre[1] - 0.1).abs() < 2e-3); // it lies on the table
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyContacts {
    /// How bodies feel to each other. Default: a friction of 0.5, no restitution, no thickness.
    pub surface: Surface,
    /// How near contacts are looked for, m: so that a face that lies on another has all its corners
    /// as points of contact, though one may be a little above it. Default: 0.005.
    pub margin: f32,
}

impl Default for BodyContacts {
    fn default() -> Self {
        Self { surface: Surface { friction: 0.5, ..Surface::default() }, margin: 0.005 }
    }
}

/// Memory that is used again in every pass, and the contacts of a substep from pass to pass.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    poses: Vec<BodyPose>,
    boxes: Vec<Extent<3>>,
    pairs: Vec<[usize; 2]>,
    touching: Touching,
    contacts: Vec<Contact<3>>,
    solver: Solver<3>,
    /// Of which two bodies each contact is: that which leaves, and that which it leaves.
    between: Vec<[usize; 2]>,
    /// Whether these are the contacts of this substep.
    found: bool,
}

impl Obstacle<3> for BodyContacts {
    fn begin(&self, matter: &mut Matter<'_, 3>) {
        if self.touches(matter.model()) {
            matter.model_mut().bodies.scratch.found = false;
        }
    }

    fn keep_out(&self, matter: &mut Matter<'_, 3>, _: &Moment<3>) {
        let Model { particles, bodies, .. } = matter.model_mut();
        let mut scratch = core::mem::take(&mut bodies.scratch);
        if !scratch.found {
            scratch.find(bodies.all(), particles, self.surface.thickness, self.margin);
            scratch.found = true;
        }
        let Scratch { contacts, solver, .. } = &mut scratch;
        solver.resolve(contacts, self.surface.friction, particles);
        if self.surface.restitution > 0.0 {
            for (contact, two) in scratch.contacts.iter().zip(&scratch.between) {
                let two = two.map(Some);
                bodies.bounces.note(two, contact, particles, &self.surface);
            }
        }
        bodies.scratch = scratch;
    }

    fn touches(&self, matter: &Model<3>) -> bool {
        matter.bodies.all().len() > 1
    }
}

impl Scratch {
    /// The contacts of all pairs.
    fn find(&mut self, bodies: &[Body], particles: &Particles<3>, thickness: f32, margin: f32) {
        self.find_pairs(bodies, particles, margin + thickness);
        let Self { poses, pairs, touching, contacts, between, .. } = self;
        contacts.clear();
        between.clear();
        for &[a, b] in &*pairs {
            let (one, other) = (&bodies[a], &bodies[b]);
            let (Some(hull), Some(of_other)) = (&one.hull, &other.hull) else { continue };
            hull.touch(&poses[a], of_other, &poses[b], margin + thickness, touching);
            let off = touching.local_n1 * thickness;
            let normal = poses[a].turned(touching.local_n1.to_array().map(f64::from));
            let normal = normal.map(|along| along as f32);
            for point in &touching.points {
                let on_one = Other::Matter(one.anchor((point.local_p1 + off).to_array()));
                let on_other = other.anchor(point.local_p2.to_array());
                if let Some(contact) = Contact::new(particles, on_other, on_one, normal) {
                    contacts.push(contact);
                    between.push([b, a]);
                }
            }
        }
    }

    /// Pairs of bodies whose bounding boxes come as near as `margin`, in order of their
    /// numbers. Of two that are pinned neither can give way.
    fn find_pairs(&mut self, bodies: &[Body], particles: &Particles<3>, margin: f32) {
        let Self { poses, boxes, pairs, .. } = self;
        poses.clear();
        poses.extend(bodies.iter().map(|body| body.pose(particles)));
        boxes.clear();
        boxes.extend(bodies.iter().zip(&*poses).enumerate().filter_map(|(of, (body, pose))| {
            let [low, high] = body.hull.as_ref()?.bounds(pose, 0.5 * f64::from(margin));
            Some(Extent { of, low, high })
        }));
        let masses = particles.inverse_masses();
        let pinned =
            |body: usize| bodies[body].particles.iter().all(|&i| masses[i as usize] == 0.0);
        sweep::pairs(boxes, |one, other| !(pinned(one) && pinned(other)), pairs);
    }
}
