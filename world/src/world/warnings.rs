//! Problems of a scene that do not prevent a simulation, but are probably not intended.

use taut_core::Step;

use super::World;
use super::self_collisions::Participant;
use super::tethering::untethered_particles;
use crate::scene::Scene;
use crate::self_collision::SelfCollision;

/// A problem of a scene or a world that does not prevent a simulation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// A model is so far from the origin that acceleration is lost in the rounding of its
    /// coordinates: see [`Step::rounding_limit`].
    #[error(
        "model '{model}' is too far from the origin: at {coordinate} m on axis {axis}, acceleration \
         is lost to rounding; with {substeps} substep(s) of a step of {dt} s the limit is {limit} m"
    )]
    BeyondRoundingLimit {
        /// The name of the model.
        model: String,
        /// The axis, 0 for x.
        axis: usize,
        /// The coordinate of its farthest free particle, m.
        coordinate: f32,
        /// The coordinate from which acceleration is lost, m.
        limit: f32,
        /// Number of substeps.
        substeps: u32,
        /// Length of a step, s.
        dt: f32,
    },
    /// Particles of a model should have tethers, but no path along its sticks and faces leads from
    /// them to an anchor: a pinned particle, or one that is tied to something pinned or heavy.
    #[error(
        "model '{model}': {particles} particle(s) have no tether, because no sticks or faces \
         connect them to a particle that is pinned, or tied to something pinned or heavy"
    )]
    Untethered {
        /// The name of the model.
        model: String,
        /// Number of particles without a tether.
        particles: usize,
    },
    /// The [thickness](crate::SelfCollision::thickness) of a model is less than the radius of the
    /// smallest circle around one of its faces, so that particles may pass through the face.
    #[error(
        "model '{model}': with a self-collision thickness of {thickness} m, particles may pass through \
         its largest face; the thickness must be at least {least} m to prevent that"
    )]
    Gaps {
        /// The name of the model.
        model: String,
        /// Its thickness, m.
        thickness: f32,
        /// The least thickness without gaps, m.
        least: f32,
    },
}

/// An axis is not checked if its acceleration is below this fraction of the greatest acceleration of
/// an axis: the loss of so small an acceleration is not visible.
const NEGLIGIBLE_FRACTION: f32 = 1e-3;

/// Appends a warning for each axis on which the farthest free particle is beyond the rounding limit.
/// `particles` are positions and inverse masses. (If the step is invalid, there is no limit; that is
/// an error elsewhere.)
fn warn_if_beyond_limit<const D: usize>(
    step: &Step<D>,
    model: &str,
    particles: impl Iterator<Item = ([f32; D], f32)>,
    warnings: &mut Vec<Warning>,
) {
    let Ok(limits) = step.rounding_limit() else { return };
    let mut farthest = [0.0_f32; D];
    for (point, _) in particles.filter(|(_, inverse_mass)| *inverse_mass > 0.0) {
        for (farthest, x) in farthest.iter_mut().zip(point) {
            if x.abs() > farthest.abs() {
                *farthest = x;
            }
        }
    }
    let greatest =
        step.acceleration.iter().fold(0.0_f32, |max, component| max.max(component.abs()));
    for axis in 0..D {
        let matters = step.acceleration[axis].abs() >= NEGLIGIBLE_FRACTION * greatest;
        if matters && farthest[axis].abs() >= limits[axis] {
            warnings.push(Warning::BeyondRoundingLimit {
                model: model.to_owned(),
                axis,
                coordinate: farthest[axis],
                limit: limits[axis],
                substeps: step.substeps,
                dt: step.dt,
            });
        }
    }
}

impl<const D: usize> Scene<D> {
    /// Problems of the scene that do not prevent a simulation, but are probably not intended.
    ///
    /// ```
    /// use taut_world::{Cloth, Model, Scene};
    ///
    /// let mut scene = Scene::<3>::new();
    /// scene.settings.step.substeps = 1;
    /// let cloth = Model::cloth(&Cloth::default())?;
    /// scene.add("near", cloth.clone().moved([0.0, 1000.0, 0.0]))?;
    /// scene.add("far", cloth.moved([0.0, 2000.0, 0.0]))?;
    /// assert!(scene.warnings().is_empty());
    /// scene.settings.step.substeps = 8;
    /// let [warning] = &scene.warnings()[..] else { panic!() };
    /// assert!(warning.to_string().contains("model 'far' is too far from the origin"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let tied = self.tied_anchors();
        for (index, (name, model)) in self.models().enumerate() {
            let particles = &model.particles;
            let points = (0..particles.len()).map(|it| particles.position(it));
            let inverse_masses = particles.inverse_masses();
            let with_inverse_masses = points.zip(inverse_masses.iter().copied());
            warn_if_beyond_limit(&self.settings.step, name, with_inverse_masses, &mut warnings);
            let is_pin = |it| inverse_masses[it as usize] == 0.0 || tied.contains(&(index, it));
            let count = untethered_particles(model, is_pin).len();
            warn_if_untethered(name, count, &mut warnings);
            if let Some(settings) = model.resolved_self_collision() {
                warn_of_gaps(name, settings, model.required_thickness(), &mut warnings);
            }
        }
        warnings
    }
}

impl<const D: usize> World<D> {
    /// Like [`Scene::warnings`], for the current positions and settings.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        for model in &self.models {
            let particles = model.particles.clone();
            let with_inverse_masses =
                particles.map(|it| (self.position(it), self.inverse_mass(it)));
            warn_if_beyond_limit(
                &self.settings.step,
                &model.name,
                with_inverse_masses,
                &mut warnings,
            );
        }
        for (model, count) in self.untethered() {
            warn_if_untethered(&model.name, count, &mut warnings);
        }
        let participants = self.self_collisions.iter().flat_map(|it| &it.rules.participants);
        for Participant { particles, settings, required_thickness, .. } in participants {
            if let Some(model) = self.models.iter().find(|it| it.particles == *particles) {
                warn_of_gaps(&model.name, *settings, *required_thickness, &mut warnings);
            }
        }
        warnings
    }
}

/// Appends a warning if there is a `required_thickness`, m, which is more than the thickness of the
/// model.
fn warn_of_gaps(
    model: &str,
    settings: SelfCollision,
    required_thickness: Option<f32>,
    warnings: &mut Vec<Warning>,
) {
    if let Some(least) = required_thickness {
        let (model, thickness) = (model.to_owned(), settings.distance());
        warnings.push(Warning::Gaps { model, thickness, least });
    }
}

/// Appends a warning if there are untethered particles; `particles` is their number.
fn warn_if_untethered(model: &str, particles: usize, warnings: &mut Vec<Warning>) {
    if particles > 0 {
        warnings.push(Warning::Untethered { model: model.to_owned(), particles });
    }
}
