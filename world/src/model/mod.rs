//! Matter: particles and sticks, and what belongs to them.

mod arrangement;
mod error;
mod hanging;
mod stick_set;

use std::collections::BTreeMap;

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use taut_core::{NotAPermutation, Particles, Renumbering, Sheet, Sticks};

use crate::body::Bodies;

pub use arrangement::{Arranged, Arrangement, ArrangementError, Numbering, Order};
pub use error::ModelError;
pub use hanging::PINNED_SHARE;
pub use stick_set::{StickSet, UnknownStickSet};

/// Particles and sticks, and what belongs to them: what builders return and scenes are put
/// together from.
///
/// ```
/// use taut_world::{Model, StickSet};
///
/// let sheet = Model::drape(16, StickSet::All)?.moved([0.0, 2.0, 0.0]);
/// assert_eq!(sheet.particles.len(), 256);
/// assert_eq!(sheet.particles.position(0), [0.0, 2.0, 0.0]);
/// # Ok::<(), taut_world::ModelError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Model<const D: usize = 3> {
    /// The particles, at rest or moving.
    pub particles: Particles<D>,
    /// Their sticks, in authored order.
    pub sticks: Sticks,
    /// The regular sheet that it is, if it is one, and not shuffled.
    pub sheet: Option<Sheet>,
    /// Triangles that are seen and blown at, by their corners, counter-clockwise from outside.
    pub faces: Vec<[u32; 3]>,
    /// How far each particle keeps obstacles off, m, as the head of a ragdoll does; empty if all
    /// are points.
    pub radii: Vec<f32>,
    /// Particles by name, as `top` or `left hand`.
    pub groups: BTreeMap<String, Vec<u32>>,
    /// At how many times its rest length each stick tears; empty if none ever does.
    pub tear_factors: Vec<f32>,
    /// Its rigid bodies, and the meshes fastened to them.
    pub bodies: Bodies<D>,
    /// Where each particle was when the substep began, m: written by obstacles that look where
    /// particles came from, and read by them within that substep. It is no part of the state.
    pub starts: Vec<[f32; D]>,
}

impl<const D: usize> Model<D> {
    /// Particles and sticks alone.
    pub fn new(particles: Particles<D>, sticks: Sticks) -> Self {
        Self {
            particles,
            sticks,
            sheet: None,
            faces: Vec::new(),
            radii: Vec::new(),
            groups: BTreeMap::new(),
            tear_factors: Vec::new(),
            bodies: Bodies::default(),
            starts: Vec::new(),
        }
    }

    /// The same, elsewhere: every particle moved `by`, m, without a change of its velocity.
    #[must_use]
    pub fn moved(mut self, by: [f32; D]) -> Self {
        for (axis, by) in by.into_iter().enumerate() {
            for x in self.particles.positions_mut(axis) {
                *x += by;
            }
            for x in self.particles.previous_mut(axis) {
                *x += by;
            }
        }
        self
    }

    /// The same, every stick tearing at `factor` times its rest length.
    #[must_use]
    pub fn tearing_at(mut self, factor: f32) -> Self {
        self.tear_factors = vec![factor; self.sticks.len()];
        self
    }

    /// The same, the particles of a group pinned where they are. Of a group that does not exist
    /// there are none, as of numbers in it that name no particle.
    #[must_use]
    pub fn pinned(mut self, group: &str) -> Self {
        for &particle in self.groups.get(group).into_iter().flatten() {
            self.particles.set_inverse_mass(particle as usize, 0.0).ok();
        }
        self
    }

    /// Several models as one, their particles and sticks one after the other. Groups of the same
    /// name are united.
    ///
    /// # Errors
    /// More particles or sticks than 32-bit numbers can name, or a position that is not sane.
    pub fn side_by_side<'a>(
        models: impl IntoIterator<Item = &'a Self>,
    ) -> Result<Self, ModelError> {
        let models: Vec<&Self> = models.into_iter().collect();
        let mut all = Self::new(
            Particles::side_by_side(models.iter().map(|model| &model.particles))?,
            Sticks::side_by_side(models.iter().map(|model| &model.sticks))?,
        );
        let tears = models.iter().any(|model| !model.tear_factors.is_empty());
        let thick = models.iter().any(|model| !model.radii.is_empty());
        let mut first = 0;
        for model in &models {
            all.faces.extend(model.faces.iter().map(|face| face.map(|corner| first + corner)));
            for (name, particles) in &model.groups {
                let group = all.groups.entry(name.clone()).or_default();
                group.extend(particles.iter().map(|particle| first + particle));
            }
            if tears {
                let sticks = all.tear_factors.len() + model.sticks.len();
                all.tear_factors.extend(&model.tear_factors);
                all.tear_factors.resize(sticks, f32::INFINITY);
            }
            all.bodies.append(&model.bodies, first);
            first += model.particles.len() as u32;
            if thick {
                all.radii.extend(&model.radii);
                all.radii.resize(first as usize, 0.0);
            }
        }
        Ok(all)
    }

    /// The same by other numbers of the particles.
    #[must_use]
    pub fn renumbered(&self, renumbering: &Renumbering) -> Self {
        let (particles, sticks) = renumbering.apply(&self.particles, &self.sticks);
        let new_of = |&old: &u32| renumbering.new_of(old);
        Self {
            particles,
            sticks,
            sheet: None,
            faces: self.faces.iter().map(|face| face.each_ref().map(new_of)).collect(),
            radii: {
                let mut radii = self.radii.clone();
                for (old, &radius) in self.radii.iter().enumerate() {
                    radii[new_of(&(old as u32)) as usize] = radius;
                }
                radii
            },
            groups: self
                .groups
                .iter()
                .map(|(name, group)| (name.clone(), group.iter().map(new_of).collect()))
                .collect(),
            tear_factors: self.tear_factors.clone(),
            bodies: self.bodies.renumbered(renumbering),
            starts: Vec::new(),
        }
    }

    /// The same model with particles and sticks numbered at random: the honest hard case, as
    /// meshes come from tools that care about triangles and not about memory.
    ///
    /// # Panics
    /// Never: a shuffled list of numbers is a permutation.
    #[must_use]
    pub fn shuffled(&self, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut order = |len: usize| {
            let mut order: Vec<u32> = (0..len as u32).collect();
            order.shuffle(&mut random);
            order
        };
        let (particle_order, stick_order) = (order(self.particles.len()), order(self.sticks.len()));
        let shuffle = || -> Result<Self, NotAPermutation> {
            let mut shuffled = self.renumbered(&Renumbering::from_order(particle_order)?);
            shuffled.sticks = shuffled.sticks.reordered(&stick_order)?;
            let tears = core::mem::take(&mut shuffled.tear_factors);
            if !tears.is_empty() {
                shuffled.tear_factors =
                    stick_order.iter().map(|&old| tears[old as usize]).collect();
            }
            Ok(shuffled)
        };
        shuffle().expect("a shuffled list of numbers is a permutation")
    }
}
