//! Bodies on floors and the like: every vertex of their meshes is kept out.

use core::fmt::Debug;

use super::Anchor;
use super::contact::{Contact, Other, Touch, resolve};
use crate::model::Model;
use crate::obstacle::Obstacle;
use crate::world::Moment;

/// The nearest way out of something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WayOut {
    /// The point of the surface, m.
    pub position: [f32; 3],
    /// Where that point was a substep ago, m: the same, if it does not move.
    pub previous: [f32; 3],
    /// The direction out, of length 1.
    pub normal: [f32; 3],
}

/// Something with an inside, as a function of time, that does not give way.
pub trait Ground: Debug + Send + Sync {
    /// The nearest way out for a point that is inside at `moment`; none outside.
    fn way_out(&self, point: [f32; 3], moment: &Moment<3>) -> Option<WayOut>;
}

/// Keeps the vertices of all bodies' meshes out of a [`Ground`], by the weights of the particles
/// that carry them: equations (*) and (**) of Jakobsen 2001, where the "collision point p (which in
/// this case will be placed on the cube)" is a vertex, whose weights are known.
///
/// ```
/// use std::sync::Arc;
///
/// use taut_scalar::ScalarKernel;
/// use taut_world::{Model, Moment, OnGround, Scene, Ground, WayOut, World};
///
/// /// All that is below 0.
/// #[derive(Debug)]
/// struct Floor;
///
/// impl Ground for Floor {
///     fn way_out(&self, [x, y, z]: [f32; 3], _: &Moment<3>) -> Option<WayOut> {
///         let position = [x, 0.0, z];
///         (y < 0.0).then_some(WayOut { position, previous: position, normal: [0.0, 1.0, 0.0] })
///     }
/// }
///
/// let mut scene = Scene::new();
/// scene.add("box", Model::rigid_box([0.5; 3], 300.0)?.moved([0.0, 0.5, 0.0]))?;
/// scene.obstacles.push(Arc::new(OnGround::new(Floor)));
/// scene.settings.passes = 4;
/// scene.settings.step.iterations = 1;
/// let mut world = World::new(&scene, |_| ScalarKernel)?;
/// for _ in 0..60 {
///     assert!(world.step()?.finite);
/// }
/// let matter = &world.pieces()[0].matter;
/// let pose = matter.bodies.all()[0].pose(&matter.particles);
/// assert!((pose.centre[1] - 0.25).abs() < 5e-3); // it lies on the floor
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnGround<G> {
    /// What the bodies stay out of.
    pub ground: G,
    /// How much of the push friction can be: Coulomb's coefficient.
    pub friction: f32,
    /// How much of the speed of approach comes back, 0 to 1.
    pub restitution: f32,
}

impl<G> OnGround<G> {
    /// With a friction of 0.5 and no restitution.
    pub fn new(ground: G) -> Self {
        Self { ground, friction: 0.5, restitution: 0.0 }
    }
}

impl<G: Ground> Obstacle<3> for OnGround<G> {
    fn keep_out(&self, matter: &mut Model<3>, moment: &Moment<3>) {
        let Model { particles, bodies, .. } = matter;
        let touch = Touch { friction: self.friction, restitution: self.restitution };
        let mut contacts = core::mem::take(&mut bodies.contacts);
        for body in bodies.all() {
            contacts.clear();
            for vertex in body.vertices() {
                let weights = bodies.weights.each_ref().map(|column| column[vertex]);
                let point = Anchor { particles: body.particles, weights };
                if let Some(out) = self.ground.way_out(point.position(particles), moment) {
                    let other = Other::Fixed { position: out.position, previous: out.previous };
                    contacts.extend(Contact::new(particles, point, other, out.normal));
                }
            }
            resolve(&mut contacts, touch, moment, particles);
        }
        bodies.contacts = contacts;
    }
}
