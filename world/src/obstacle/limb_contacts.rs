//! Contacts between limbs.

use super::Obstacle;
use crate::matter::Matter;
use crate::model::Model;
use crate::settings::StepTime;

/// Contacts between limbs of different owners, such as the arms and legs of
/// [ragdolls](crate::Ragdoll). Limbs are capsules around sticks; those that one call of
/// [`Model::with_limbs`](crate::Model::with_limbs) adds have one owner, as those of one ragdoll do.
///
/// The broad phase is sweep and prune. The nearest points of two limbs are found as in Ericson,
/// "Real-Time Collision Detection", 5.1.9, once per substep, from current and previous positions alone.
/// The two points are moved apart by the weights of their particles, equations (*) and (**) of Jakobsen
/// 2001, with Coulomb friction. If the axes of two limbs crossed in a substep, and the limbs are not
/// farther apart than the margin after it, they are moved back to the sides on which they were before.
///
/// Limbs do not bounce. Limbs of one owner collide with each other if [`own_limbs`](Self::own_limbs)
/// is set: without it, an arm may swing through the trunk. Limbs that share a particle never
/// collide. Let two limbs of one owner overlap when they are added: if their axes are nearer than half
/// the sum of their radii, they do not collide; else they keep the distance that their axes have then.
/// Limbs that are tied to each other do collide.
///
/// ```
/// use std::sync::Arc;
///
/// use taut_scalar::ScalarKernel;
/// use taut_world::{LimbContacts, Model, Rope, Scene, World};
///
/// // A rod, 20 cm thick, falls across another that is pinned.
/// let rod = |along: [f32; 3]| {
///     let rope = Rope { spacing: 10.0, ..Rope::default() };
///     Model::rope(&[along.map(|x| -x), along], &rope)?.with_limbs([([0, 1], 0.1)])
/// };
/// let mut scene = Scene::new();
/// scene.add("bar", rod([1.0, 0.0, 0.0])?.pinned("ends"))?;
/// scene.add("rod", rod([0.0, 0.0, 1.0])?.moved([0.0, 0.5, 0.0]))?;
/// scene.obstacles.push(Arc::new(LimbContacts::default()));
/// scene.settings.step.substeps = 4;
/// let mut world = World::new(&scene, |_| ScalarKernel)?;
/// for _ in 0..60 {
///     assert!(world.step()?.finite);
/// }
/// let [_, y, _] = world.position(2);
/// assert!((y - 0.2).abs() < 1e-2); // it rests on the bar
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimbContacts {
    /// Coulomb's μ. Default: 0.5.
    pub friction: f32,
    /// The distance between the surfaces of limbs up to which they have contacts, m, because they may
    /// touch later in the substep. Default: 0.01.
    pub margin: f32,
    /// Whether limbs of one owner collide with each other, too. Default: false.
    pub own_limbs: bool,
}

impl Default for LimbContacts {
    fn default() -> Self {
        Self { friction: 0.5, margin: 0.01, own_limbs: false }
    }
}

impl<const D: usize> Obstacle<D> for LimbContacts {
    fn begin(&self, matter: &mut Matter<'_, D>) {
        if self.may_collide_with(matter.model()) {
            matter.model_and_scratch().1.limbs.discard_contacts();
        }
    }

    fn resolve(&self, matter: &mut Matter<'_, D>, _: &StepTime<D>) {
        let (Model { particles, limbs, .. }, scratch) = matter.model_and_scratch();
        limbs.resolve_contacts(particles, self, &mut scratch.limbs);
    }

    fn may_push(&self, _: &[[f32; D]; 2], _: &StepTime<D>) -> bool {
        false
    }

    fn may_collide_with(&self, model: &Model<D>) -> bool {
        model.limbs.may_collide(self)
    }

    fn depth(&self, model: &Model<D>, _: &StepTime<D>) -> f32 {
        model.limbs.depth_in_each_other(&model.particles, self)
    }
}
