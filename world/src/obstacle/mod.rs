//! Obstacles: collision by projection (Jakobsen 2001).

#[cfg(feature = "parry")]
mod body_contacts;
mod bounds;
mod broad_phase;
mod capsule;
mod cuboid;
mod edges;
mod half_space;
mod limb_contacts;
#[cfg(feature = "parry")]
mod mesh;
mod search;
mod shape;
mod side;
mod side_collisions;
mod solid;
mod sphere;
mod swept;
#[cfg(feature = "parry")]
mod triangle;

use core::fmt::Debug;

use crate::drawing::ObstacleFigure;
use crate::matter::{Islands, Matter};
use crate::model::Model;
use crate::settings::StepTime;
use crate::tiles::CollisionPass;

#[cfg(feature = "parry")]
pub use body_contacts::BodyContacts;
pub use bounds::Bounds;
pub use capsule::Capsule;
pub use cuboid::Cuboid;
pub(crate) use edges::EdgeScratch;
pub use half_space::HalfSpace;
pub use limb_contacts::LimbContacts;
#[cfg(feature = "parry")]
pub use mesh::TriMesh;
pub use shape::Shape;
pub use side::Side;
pub use solid::Solid;
pub use sphere::Sphere;
#[cfg(feature = "parry")]
pub use triangle::Facing;

/// The collisions of particles with a [`Solid`] that has an analytic [`Shape`] (not a mesh), in a
/// pass of a substep.
pub struct AnalyticCollisionPass<'a, const D: usize>(pub(crate) &'a dyn CollisionPass<D>);

/// Something that particles cannot enter. Its pose is a function of time, and it has no state that
/// steps change, so a world can be resumed at any step.
pub trait Obstacle<const D: usize = 3>: Debug + Send + Sync {
    /// Moves particles that are inside out of the obstacle, and changes their previous positions to
    /// apply friction and restitution. Called in each pass of a substep, after the relaxation (see
    /// [`Settings::passes`](crate::Settings)); the time of `now` is the end of that substep.
    ///
    /// An obstacle that processes one particle at a time runs a [`Stage`](taut_core::Stage) with
    /// [`Matter::visit`], in the current layout of the particles; any other obstacle changes
    /// [`Matter::model_mut`].
    fn resolve(&self, matter: &mut Matter<'_, D>, now: &StepTime<D>);

    /// Resolves collisions with all islands of the world; this is the method that the world calls.
    /// The default calls [`resolve`](Self::resolve) for each island that the obstacle
    /// [may collide with](Self::may_collide_with). Override it for contacts between islands.
    fn resolve_all(&self, islands: &mut Islands<'_, D>, now: &StepTime<D>) {
        for island in 0..islands.count() {
            if let Some(mut matter) = islands.one(island)
                && self.may_collide_with(matter.model())
            {
                self.resolve(&mut matter, now);
            }
        }
    }

    /// If [`resolve`](Self::resolve) is a single collision pass for a model without bodies and
    /// limbs, calls `then` once with that pass. The passes of consecutive obstacles then share one
    /// traversal of the particles. The default does nothing.
    fn with_analytic_collision_pass(
        &self,
        now: &StepTime<D>,
        then: &mut dyn FnMut(AnalyticCollisionPass<'_, D>),
    ) {
        let _ = (now, then);
    }

    /// Called at the beginning of each substep, before the motion. Obstacles with continuous
    /// collision detection record start positions in the [scratch
    /// memory](Matter::model_and_scratch). The default does nothing.
    fn begin(&self, matter: &mut Matter<'_, D>) {
        let _ = matter;
    }

    /// Whether it can collide with anything in `model`, at any time. If not,
    /// [`resolve`](Self::resolve) is not called. An island on which no force acts, and
    /// with which no obstacle may collide, is stepped by its kernel in one call, which is faster.
    /// The default is true.
    fn may_collide_with(&self, model: &Model<D>) -> bool {
        let _ = model;
        true
    }

    /// Whether the motion of the obstacle in a step may move particles that are at rest in a box.
    /// `corners` are the lowest and the highest corner of the box, m; `step` is the whole step, with the
    /// time at its end. A model that it [may collide with](Self::may_collide_with)
    /// and may push does not [sleep](crate::Sleep). The default is true, as for an obstacle with
    /// contacts between islands; obstacles that do not move return false.
    fn may_push(&self, corners: &[[f32; D]; 2], step: &StepTime<D>) -> bool {
        let _ = (corners, step);
        true
    }

    /// Deepest penetration of a particle, limb or body at `now`, m; 0 if there is none. The default is 0.
    /// For [`World::diagnostics`](crate::World::diagnostics).
    fn depth(&self, model: &Model<D>, now: &StepTime<D>) -> f32 {
        let _ = (model, now);
        0.0
    }

    /// Its figure at `time`, s, for renderers. By default it is not drawn.
    fn figure(&self, time: f64) -> Option<ObstacleFigure<'_, D>> {
        let _ = time;
        None
    }
}
