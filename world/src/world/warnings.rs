//! Problems of a scene that do not prevent a simulation but are hardly intended.

use taut_core::{Kernel, Step};

use super::World;
use super::tethering::untethered_particles;
use crate::scene::Scene;

/// A problem of a scene or a world that can be simulated nevertheless.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// A model is so far from the origin that acceleration is lost in the rounding of its
    /// coordinates: see [`Step::reach`].
    #[error(
        "model '{model}' is too far from the origin: at {coordinate} m on axis {axis}, particles at \
         rest do not fall; with {substeps} substep(s) of a step of {dt} s they do within {reach} m"
    )]
    OutOfReach {
        /// Its name.
        model: String,
        /// Along which axis, 0 for x.
        axis: usize,
        /// The coordinate of its farthest free particle, m.
        coordinate: f32,
        /// The coordinate below which particles fall, m.
        reach: f32,
        /// How many substeps there are.
        substeps: u32,
        /// How long a step is, s.
        dt: f32,
    },
    /// Particles of a model should have tethers, but no path along its sticks and faces leads from
    /// them to a pinned particle.
    #[error(
        "model '{model}': {particles} particle(s) have no tether, as no pinned one is joined to them"
    )]
    Untethered {
        /// Its name.
        model: String,
        /// How many particles.
        particles: usize,
    },
}

/// Axes with less than this share of the greatest acceleration are not checked: its loss is not
/// visible.
const NEGLIGIBLE: f32 = 1e-3;

/// Warns, per axis, of the farthest free particle out of reach; `particles` are positions and
/// inverse masses. (A step that is not sane is an error elsewhere.)
fn out_of_reach<const D: usize>(
    step: &Step<D>,
    model: &str,
    particles: impl Iterator<Item = ([f32; D], f32)>,
    warnings: &mut Vec<Warning>,
) {
    let Ok(reach) = step.reach() else { return };
    let mut farthest = [0.0_f32; D];
    for (point, _) in particles.filter(|(_, inverse_mass)| *inverse_mass > 0.0) {
        for (farthest, x) in farthest.iter_mut().zip(point) {
            if x.abs() > farthest.abs() {
                *farthest = x;
            }
        }
    }
    let greatest = step.acceleration.iter().fold(0.0_f32, |most, along| most.max(along.abs()));
    for axis in 0..D {
        let matters = step.acceleration[axis].abs() >= NEGLIGIBLE * greatest;
        if matters && farthest[axis].abs() >= reach[axis] {
            warnings.push(Warning::OutOfReach {
                model: model.to_owned(),
                axis,
                coordinate: farthest[axis],
                reach: reach[axis],
                substeps: step.substeps,
                dt: step.dt,
            });
        }
    }
}

impl<const D: usize> Scene<D> {
    /// Problems of the scene that do not prevent a simulation but are hardly intended.
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
        for (name, model) in self.models() {
            let particles = &model.particles;
            let points = (0..particles.len()).map(|it| particles.position(it));
            let with_masses = points.zip(particles.inverse_masses().iter().copied());
            out_of_reach(&self.settings.step, name, with_masses, &mut warnings);
            let masses = particles.inverse_masses();
            let count = untethered_particles(model, |it| masses[it as usize] == 0.0).len();
            warn_if_untethered(name, count, &mut warnings);
        }
        warnings
    }
}

impl<K: Kernel<D>, const D: usize> World<K, D> {
    /// As [`Scene::warnings`], for the present positions and settings.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        for part in &self.models {
            let particles = part.particles.clone();
            let with_masses = particles.map(|it| (self.position(it), self.inverse_mass(it)));
            out_of_reach(&self.settings.step, &part.name, with_masses, &mut warnings);
        }
        for (part, count) in self.untethered() {
            warn_if_untethered(&part.name, count, &mut warnings);
        }
        warnings
    }
}

fn warn_if_untethered(model: &str, particles: usize, warnings: &mut Vec<Warning>) {
    if particles > 0 {
        warnings.push(Warning::Untethered { model: model.to_owned(), particles });
    }
}
