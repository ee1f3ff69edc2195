//! Settings of sleeping.

use crate::error::ModelError;

/// Settings of sleeping: [`Scene::sleep`](crate::Scene::sleep). A model at rest falls asleep: its
/// particles stop, and steps skip it until something wakes it.
///
/// A model is *quiet* while no particle of it moves farther than `speed * time` from where it was
/// when the quiet time began. So it may vibrate within that distance, but not creep beyond it. The
/// models of a group fall asleep together, once each of them has been quiet for `time`. A group
/// consists of models that are tied to each other, or that may collide
/// ([`SelfCollision`](crate::SelfCollision)) and whose bounding boxes overlap.
///
/// A model wakes when a model of its group moves, when another model comes near it, and when a call
/// changes it (its particles, sticks, pins or ties). All models wake when a call changes settings,
/// the formula, forces or obstacles. A model does not sleep while it has emitters or guides, a force acts on it
/// that is not [steady](crate::Force::is_steady), or an obstacle
/// [may push](crate::Obstacle::may_push) it.
///
/// Models with rigid bodies or limbs sleep together, as all of them share an island; except that copies
/// of one model with limbs, if no other model has limbs, share one of their own.
///
/// ```
/// use std::sync::Arc;
///
/// use taut_scalar::ScalarKernel;
/// use taut_world::{Axes, Cloth, HalfSpace, Model, Scene, Sleep, Solid, World};
///
/// let cloth = Cloth { columns: 8, rows: 8, axes: Axes::HORIZONTAL, ..Cloth::default() };
/// let mut scene = Scene::new();
/// scene.add("cloth", Model::cloth(&cloth)?.moved([0.0, 0.1, 0.0]))?;
/// scene.obstacles.push(Arc::new(Solid::new(HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0])?)));
/// scene.sleep = Some(Sleep::default());
///
/// let mut world = World::new(&scene, |_| ScalarKernel)?;
/// for _ in 0..180 {
///     assert!(world.step()?.finite);
/// }
/// assert!(world.is_asleep("cloth"));
/// let hash = world.hash();
/// assert!(world.step()?.finite);
/// assert_eq!(world.hash(), hash);
///
/// world.set_velocity(0, [0.0, 2.0, 0.0])?; // a call moves it: it wakes
/// assert!(!world.is_asleep("cloth"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sleep {
    /// The largest mean speed over `time` of a quiet model's particles, m/s: each stays within
    /// `speed * time` of where it was when the quiet time began. Default: 0.01.
    pub speed: f32,
    /// How long a model is quiet before it falls asleep, s. Default: 0.5.
    pub time: f32,
}

impl Default for Sleep {
    fn default() -> Self {
        Self { speed: 0.01, time: 0.5 }
    }
}

impl Sleep {
    /// Checks the settings, as [`World::new`](crate::World::new) does.
    ///
    /// # Errors
    /// A speed that is not from 0 to 1e6 m/s; a time that is not from 0.001 to 1e6 s.
    pub fn check(&self) -> Result<(), ModelError> {
        let (speed, time) = (self.speed.into(), self.time.into());
        ModelError::check("speed", "the sleep speed, m/s,", speed, 0.0..=1e6, "from 0 to 1e6")?;
        // At a time of 0, models would sleep before they begin to fall.
        let min = f64::from(1e-3_f32);
        ModelError::check(
            "time",
            "the time before sleep, s,",
            time,
            min..=1e6,
            "from 0.001 to 1e6",
        )?;
        Ok(())
    }

    /// How far a particle of a quiet model may be from where it was when the quiet time began, m.
    pub(crate) fn radius(self) -> f32 {
        self.speed * self.time
    }
}
