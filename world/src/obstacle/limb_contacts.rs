//! Limbs that keep out of each other.

use super::Obstacle;
use crate::matter::Matter;
use crate::model::Model;
use crate::settings::Moment;

/// Limbs of different owners keep out of each other, as the arms and legs of
/// [ragdolls](crate::Ragdoll) do: capsules around sticks.
///
/// Pairs whose bounding boxes overlap are found by sweeping along an axis, and where they are
/// nearest to each other as in Ericson, "Real-Time Collision Detection", 5.1.9: once a substep, from
/// where they are and were alone. Each pair is moved apart by the weights of the particles that
/// carry the two nearest points, equations (*) and (**) of Jakobsen 2001, with friction after Coulomb.
/// A limb that went through another's axis in a substep is brought back to its side.
///
/// Limbs are flesh: they do not bounce, whatever they hit. And those of one doll do not meet: the
/// limits of its joints keep them off each other where they can, and an arm may swing through the
/// trunk. (Many touch each other as they are built.)
///
/// ```
/// use std::sync::Arc;
///
/// use taut_scalar::ScalarKernel;
/// use taut_world::{LimbContacts, Model, Rope, Scene, World};
///
/// // A stick, 20 cm thick, falls across another that is pinned.
/// let stick = |along: [f32; 3]| {
///     let rod = Rope { spacing: 10.0, ..Rope::default() };
///     Model::rope(&[along.map(|x| -x), along], &rod)?.with_limbs([([0, 1], 0.1)])
/// };
/// let mut scene = Scene::new();
/// scene.add("bar", stick([1.0, 0.0, 0.0])?.pinned("ends"))?;
/// scene.add("stick", stick([0.0, 0.0, 1.0])?.moved([0.0, 0.5, 0.0]))?;
/// scene.obstacles.push(Arc::new(LimbContacts::default()));
/// scene.settings.step.substeps = 4;
/// let mut world = World::new(&scene, |_| ScalarKernel)?;
/// for _ in 0..60 {
///     assert!(world.step()?.finite);
/// }
/// let [_, y, _] = world.position(2);
/// assert!((y - 0.2).abs() < 1e-2); // it lies on it
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimbContacts {
    /// Coulomb's μ. Default: 0.5.
    pub friction: f32,
    /// How near contacts are looked for, m: what comes that near may meet later in the substep.
    /// Default: 0.01.
    pub margin: f32,
}

impl Default for LimbContacts {
    fn default() -> Self {
        Self { friction: 0.5, margin: 0.01 }
    }
}

impl<const D: usize> Obstacle<D> for LimbContacts {
    fn begin(&self, matter: &mut Matter<'_, D>) {
        if self.touches(matter.model()) {
            matter.model_and_scratch().1.limbs.forget_contacts();
        }
    }

    fn keep_out(&self, matter: &mut Matter<'_, D>, _: &Moment<D>) {
        let (Model { particles, limbs, .. }, scratch) = matter.model_and_scratch();
        limbs.keep_apart(particles, self.friction, self.margin, &mut scratch.limbs);
    }

    fn touches(&self, matter: &Model<D>) -> bool {
        matter.limbs.may_meet()
    }

    fn depth(&self, matter: &Model<D>, _: &Moment<D>) -> f32 {
        matter.limbs.depth_in_each_other(&matter.particles)
    }
}
