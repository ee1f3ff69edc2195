//! What keeps particles out: collision by projection (Jakobsen 2001).

#[cfg(feature = "parry")]
mod body_contacts;
mod bounds;
mod capsule;
mod cuboid;
mod half_space;
mod keep_out;
mod limb_contacts;
#[cfg(feature = "parry")]
mod mesh;
mod solid;
mod sphere;

use core::fmt::Debug;

use crate::drawing::Figure;
use crate::groups::GroupPass;
use crate::matter::{Islands, Matter};
use crate::model::Model;
use crate::settings::Moment;

#[cfg(feature = "parry")]
pub use body_contacts::BodyContacts;
pub use bounds::Bounds;
pub use capsule::Capsule;
pub use cuboid::Cuboid;
pub use half_space::HalfSpace;
pub use limb_contacts::LimbContacts;
#[cfg(feature = "parry")]
pub use mesh::{Facing, TriMesh};
pub use solid::{Shape, Side, Solid};
pub use sphere::Sphere;

/// What a [`Solid`] of a [`Shape`] does to particles in a substep.
pub struct FormulaPass<'a, const D: usize>(pub(crate) &'a dyn GroupPass<D>);

/// Something that particles cannot enter. Where it is, is a function of time: it has no state that
/// a step changes, so a world can be resumed at any step.
pub trait Obstacle<const D: usize = 3>: Debug + Send + Sync {
    /// Brings particles that went in back out, and changes their previous positions for what
    /// friction and restitution do to their velocities. Called after each relaxation of a substep
    /// (see [`Settings::passes`](crate::Settings)); `moment` is the end of that substep.
    ///
    /// An obstacle that looks at one particle at a time runs a [`Stage`](taut_core::Stage) with
    /// [`Matter::visit`], in whatever layout the particles are; any other changes
    /// [`Matter::model_mut`].
    fn keep_out(&self, matter: &mut Matter<'_, D>, moment: &Moment<D>);

    /// The same for all islands of the world, which is what the world calls. By default each that it
    /// [touches](Self::touches) is [kept out](Self::keep_out) on its own; contacts between islands look
    /// at several.
    fn keep_all_out(&self, islands: &mut Islands<'_, D>, moment: &Moment<D>) {
        for island in 0..islands.count() {
            if let Some(mut matter) = islands.one(island)
                && self.touches(matter.model())
            {
                self.keep_out(&mut matter, moment);
            }
        }
    }

    /// Calls `then` once with the pass that keeps particles out, and returns true, if all that
    /// [`keep_out`](Self::keep_out) does to particles without bodies and limbs is such a pass: those of
    /// obstacles that follow each other go over the particles together. By default it is not.
    fn by_formula(&self, moment: &Moment<D>, then: &mut dyn FnMut(FormulaPass<'_, D>)) -> bool {
        let _ = (moment, then);
        false
    }

    /// Called at the beginning of each substep, before the motion. Obstacles that look where
    /// particles came from note it in the [scratch memory](Matter::model_and_scratch); others, and by
    /// default, do nothing.
    fn begin(&self, matter: &mut Matter<'_, D>) {
        let _ = matter;
    }

    /// Whether it can meet anything of `matter` at all, at any time. Where it cannot,
    /// [`keep_out`](Self::keep_out) is not called; a part of the world that nothing touches is
    /// stepped by its kernel in one go, which is faster. By default it can.
    fn touches(&self, matter: &Model<D>) -> bool {
        let _ = matter;
        true
    }

    /// How deep the deepest particle is inside at `moment`, m; 0 if none is, which is what an
    /// obstacle says by default. For [`World::diagnostics`](crate::World::diagnostics); nothing moves.
    fn depth(&self, matter: &Model<D>, moment: &Moment<D>) -> f32 {
        let _ = (matter, moment);
        0.0
    }

    /// What it looks like, and where it is at `time`, s, for whoever draws it. By default it is not
    /// seen.
    fn figure(&self, time: f64) -> Option<Figure<'_, D>> {
        let _ = time;
        None
    }
}
