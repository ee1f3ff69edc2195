//! Problems of a scene that do not prevent a simulation but are surely not intended.

use taut_core::{Kernel, Step};

use super::World;
use super::tethering::out_of_tethers;
use crate::scene::Scene;

/// What is wrong with a scene, or a world, that can be played. Its text is a sentence.
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
        /// Below what coordinate they fall, m.
        reach: f32,
        /// How many substeps there are.
        substeps: u32,
        /// How long a step is, s.
        dt: f32,
    },
    /// Particles of a model are to have tethers, but no pinned one can be reached from them along its
    /// sticks and faces.
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

/// Axes with less than this share of the greatest acceleration are not checked: losing it has no
/// visible effect.
const NEGLIGIBLE: f32 = 1e-3;

/// Notes by how much the particles of a model, with their inverse masses, are out of reach. (None
/// are if the step is not sane, which is an error elsewhere.)
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
    /// Problems of the scene that do not prevent a simulation but are surely not intended.
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
            let loose = out_of_tethers(model, |it| masses[it as usize] == 0.0).len();
            untethered(name, loose, &mut warnings);
        }
        warnings
    }
}

impl<K: Kernel<D>, const D: usize> World<K, D> {
    /// As [`Scene::warnings`], of where particles are now, by the present settings.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        for part in &self.parts {
            let particles = part.particles.clone();
            let with_masses = particles.map(|it| (self.position(it), self.inverse_mass(it)));
            out_of_reach(&self.settings.step, &part.name, with_masses, &mut warnings);
        }
        for (part, loose) in self.untethered() {
            untethered(&part.name, loose, &mut warnings);
        }
        warnings
    }
}

fn untethered(model: &str, particles: usize, warnings: &mut Vec<Warning>) {
    if particles > 0 {
        warnings.push(Warning::Untethered { model: model.to_owned(), particles });
    }
}
