//! Models: particles and sticks, with faces, groups, springs and so on.

mod arrangement;
mod bridge;
mod builder;
mod checks;
mod cloth;
mod emitter;
mod faces;
mod find_sheet;
mod guide;
mod hanging;
mod kind;
mod limbs;
mod mesh;
mod part;
mod plant;
mod ragdoll;
mod rigid;
mod rope;
mod sprung;
mod stick_set;
mod tethers;
mod turned;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use taut_core::{
    Duplicates, ParticleError, Particles, PermutationError, Renumbering, Sheet, Sticks,
};

use crate::body::{Bodies, Limbs};
use crate::drawing::ModelKind;
use crate::emitter::Emitter;
use crate::error::ModelError;
use crate::self_collision::SelfCollision;
use crate::settings::StepTime;
use crate::springs::Springs;

pub(crate) use arrangement::schedule_of;
pub use arrangement::{Arranged, Arrangement, ArrangementError, Numbering, Order};
pub use bridge::Bridge;
pub use cloth::{Axes, Cloth, Diagonals};
pub use faces::Faces;
pub(crate) use faces::{CHUNK, FaceLayout, ParticleChunk, Slots, Triangles};
pub use guide::Guide;
pub use mesh::{HexSheet, PINNED_FRACTION};
pub(crate) use part::{Part, sticks_between};
pub use plant::Plant;
pub use ragdoll::{JointLimit, Ragdoll};
pub use rope::Rope;
pub use stick_set::{StickSet, UnknownStickSet};
pub(crate) use tethers::ANCHORS_MAX;
pub use tethers::Tethers;

/// Particles and sticks, with faces, groups, springs and so on. Builders return models, and scenes
/// consist of them.
///
/// The lists with one entry per particle or per stick may be too short. A missing entry means the same
/// as in an empty list.
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
    /// The sticks, in authored order.
    pub sticks: Sticks,
    /// The structure of a regular sheet, if the model is one and not renumbered.
    pub sheet: Option<Sheet>,
    /// Triangles, for drawing and for wind, counter-clockwise seen from outside.
    pub faces: Faces,
    /// The collision radius of each particle, m, such as that of the head of a ragdoll; empty if
    /// all particles are points. A particle with the radius -∞ does not collide with obstacles, like
    /// those of rigid bodies, whose meshes collide instead.
    pub radii: Vec<f32>,
    /// Springs: elastic forces between particles, in addition to the sticks.
    pub springs: Springs,
    /// Emitters of particles of this model.
    pub emitters: Vec<Emitter<D>>,
    /// Guides that move pinned particles along paths.
    pub guides: Vec<Guide<D>>,
    /// Named lists of particles, such as `top` or `left hand`.
    pub groups: BTreeMap<String, Vec<u32>>,
    /// For each stick the multiple of its rest length at which it tears (infinite: it does not tear);
    /// empty if none tears.
    pub tear_factors: Vec<f32>,
    /// The tether parameters of each particle, if it is tethered; empty if none is.
    pub tethers: Vec<Option<Tethers>>,
    /// Which sticks are auxiliary and not drawn, such as those that keep the posture of a ragdoll
    /// or support a plant; empty if all are drawn.
    pub hidden_sticks: Vec<bool>,
    /// Which sticks only resist bending, such as those between second neighbours in a sheet,
    /// support sticks of a plant, and joint limits; empty if none does. Tethers do not measure
    /// distances along these sticks.
    pub bending: Vec<bool>,
    /// The kind of the model, which decides how it is drawn; `None` if it
    /// [is derived](Self::kind) from its contents.
    pub kind: Option<ModelKind>,
    /// How its particles collide with each other and with those of other models; `None` if they do
    /// not. In a model with limbs or rigid bodies, these collide instead of its particles.
    pub self_collision: Option<SelfCollision>,
    /// Limbs: capsules between particles, which collide with obstacles, and by
    /// [`LimbContacts`](crate::LimbContacts) with limbs of other owners, such as other ragdolls. If
    /// the stick between the ends of a limb tears, the limb is removed.
    pub limbs: Limbs<D>,
    /// Rigid bodies, and the meshes attached to them.
    pub bodies: Bodies<D>,
}

impl<const D: usize> Model<D> {
    /// A model of particles and sticks only.
    pub fn new(particles: Particles<D>, sticks: Sticks) -> Self {
        Self {
            particles,
            sticks,
            sheet: None,
            faces: Faces::default(),
            radii: Vec::new(),
            springs: Springs::default(),
            emitters: Vec::new(),
            guides: Vec::new(),
            groups: BTreeMap::new(),
            tear_factors: Vec::new(),
            tethers: Vec::new(),
            hidden_sticks: Vec::new(),
            bending: Vec::new(),
            kind: None,
            self_collision: None,
            limbs: Limbs::default(),
            bodies: Bodies::default(),
        }
    }

    /// Moves every particle by `by`, m, without changing velocities.
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
        for emitter in &mut self.emitters {
            emitter.move_by(by);
        }
        self
    }

    /// Gives every particle a `velocity`, m/s, for substeps of `h` s (`dt / substeps` of the step).
    /// To change the length of substeps later, use
    /// [`Scene::set_settings`](crate::Scene::set_settings), which keeps velocities.
    ///
    /// ```
    /// use taut_world::{Model, Rope};
    ///
    /// let rope = Model::rope(&[[0.0, 1.0], [1.0, 1.0]], &Rope::default())?;
    /// let thrown = rope.moving_at([6.0, 3.0], 1.0 / 60.0);
    /// assert!((thrown.particles.previous(0)[0] + 0.1).abs() < 1e-6);
    /// # Ok::<(), taut_world::ModelError>(())
    /// ```
    #[must_use]
    pub fn moving_at(mut self, velocity: [f32; D], h: f32) -> Self {
        for (axis, velocity) in velocity.into_iter().enumerate() {
            for particle in 0..self.particles.len() {
                let x = self.particles.positions(axis)[particle];
                self.particles.previous_mut(axis)[particle] = x - velocity * h;
            }
        }
        self
    }

    /// Adds particles to a group, which is created if there is none of that name. Particles that are
    /// already in the group are not added again.
    ///
    /// # Errors
    /// If one of the particles does not exist.
    pub fn with_group(
        mut self,
        name: impl Into<String>,
        particles: impl IntoIterator<Item = u32>,
    ) -> Result<Self, ModelError> {
        let len = self.particles.len();
        let group = self.groups.entry(name.into()).or_default();
        let mut members: BTreeSet<u32> = group.iter().copied().collect();
        for particle in particles {
            if particle as usize >= len {
                let particle = particle as usize;
                return Err(ParticleError::NoSuchParticle { particle, particles: len }.into());
            }
            if members.insert(particle) {
                group.push(particle);
            }
        }
        Ok(self)
    }

    /// Prefixes the names of all groups: with `red`, `top` becomes `red top`. This keeps groups of
    /// models that are put [side by side](Self::side_by_side) distinct.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        let groups = core::mem::take(&mut self.groups);
        self.groups =
            groups.into_iter().map(|(group, list)| (format!("{name} {group}"), list)).collect();
        self
    }

    /// The mass of all particles that are not pinned, kg.
    pub fn mass(&self) -> f64 {
        let free = self.particles.inverse_masses().iter().filter(|&&w| w > 0.0);
        free.map(|&w| 1.0 / f64::from(w)).sum()
    }

    /// Makes every stick tear at `factor` times its rest length.
    #[must_use]
    pub fn tearing_at(mut self, factor: f32) -> Self {
        self.tear_factors = vec![factor; self.sticks.len()];
        self
    }

    /// Tethers all particles to pinned ones.
    ///
    /// # Errors
    /// A slack that is not from 1 to 1e6, or a number of anchors that is not from 1 to 16.
    pub fn tethered(mut self, tethers: Tethers) -> Result<Self, ModelError> {
        self.tether(tethers)?;
        Ok(self)
    }

    pub(crate) fn tether(&mut self, tethers: Tethers) -> Result<(), ModelError> {
        self.tethers = vec![Some(tethers.checked()?); self.particles.len()];
        Ok(())
    }

    /// Pins the particles of a group in place. If there is no such group, nothing is pinned; indices
    /// that are not particles are ignored.
    #[must_use]
    pub fn pinned(mut self, group: &str) -> Self {
        for &particle in self.groups.get(group).into_iter().flatten() {
            self.particles.set_inverse_mass(particle as usize, 0.0).ok();
        }
        self
    }

    /// Whether springs, emitters or guides move the model, even in a scene without forces and
    /// obstacles.
    pub(crate) fn moves_by_itself(&self) -> bool {
        !self.springs.is_empty() || !self.emitters.is_empty() || !self.guides.is_empty()
    }

    /// Pins the particles that die in this substep, and starts those born in it.
    pub(crate) fn emit(&mut self, now: &StepTime<D>) {
        for emitter in &mut self.emitters {
            emitter.emit(&mut self.particles, now);
        }
    }

    /// The sticks, extended to all particles: [`sticks`](Self::sticks) may have been made for the
    /// first particles only.
    fn sticks_for_all_particles(&self) -> Result<Cow<'_, Sticks>, ModelError> {
        let (covered, particles) = (self.sticks.particles(), self.particles.len());
        if covered > particles {
            return Err(ParticleError::NoSuchParticle { particle: covered - 1, particles }.into());
        }
        if covered == particles {
            return Ok(Cow::Borrowed(&self.sticks));
        }
        let no_sticks = Sticks::with_rests(particles - covered, &[], &[], Duplicates::Keep)?;
        Ok(Cow::Owned(Sticks::side_by_side([&self.sticks, &no_sticks])?))
    }

    /// The model with its sticks extended to all its particles.
    pub(crate) fn complete(&self) -> Result<Cow<'_, Self>, ModelError> {
        Ok(match self.sticks_for_all_particles()? {
            Cow::Borrowed(_) => Cow::Borrowed(self),
            Cow::Owned(sticks) => Cow::Owned(Self { sticks, ..self.clone() }),
        })
    }

    /// Combines several models into one, with their particles and sticks one after the other.
    /// Groups of the same name are merged. The result is not a [sheet](Self::sheet), has no
    /// [self-collision](Self::self_collision), and has a `kind` only if it is the same in all models.
    ///
    /// # Errors
    /// More particles or sticks than 32-bit indices allow, sticks for more particles than a model
    /// has, or a position out of range.
    pub fn side_by_side<'a>(
        models: impl IntoIterator<Item = &'a Self>,
    ) -> Result<Self, ModelError> {
        let models: Vec<&Self> = models.into_iter().collect();
        let sticks: Vec<Cow<'_, Sticks>> = models
            .iter()
            .map(|model| model.sticks_for_all_particles())
            .collect::<Result<_, _>>()?;
        let mut all = Self::new(
            Particles::side_by_side(models.iter().map(|model| &model.particles))?,
            Sticks::side_by_side(sticks.iter().map(|sticks| &**sticks))?,
        );
        let has_tear_factors = models.iter().any(|model| !model.tear_factors.is_empty());
        let has_hidden_sticks = models.iter().any(|model| !model.hidden_sticks.is_empty());
        let has_bending = models.iter().any(|model| !model.bending.is_empty());
        let kind = models.first().and_then(|model| model.kind);
        all.kind = kind.filter(|_| models.iter().all(|model| model.kind == kind));
        let has_radii = models.iter().any(|model| !model.radii.is_empty());
        let has_tethers = models.iter().any(|model| !model.tethers.is_empty());
        let mut first = 0;
        for model in &models {
            all.faces.extend(model.faces.iter().map(|face| face.map(|corner| first + corner)));
            all.springs.extend(&model.springs, first);
            let new_of = |old: u32| first + old;
            all.emitters.extend(model.emitters.iter().map(|emitter| emitter.renumbered(new_of)));
            all.guides.extend(model.guides.iter().map(|guide| guide.renumbered(new_of)));
            for (name, particles) in &model.groups {
                let group = all.groups.entry(name.clone()).or_default();
                group.extend(particles.iter().map(|particle| first + particle));
            }
            if has_tear_factors {
                let len = all.tear_factors.len() + model.sticks.len();
                all.tear_factors.extend(&model.tear_factors);
                all.tear_factors.resize(len, f32::INFINITY);
            }
            if has_hidden_sticks {
                let len = all.hidden_sticks.len() + model.sticks.len();
                all.hidden_sticks.extend(&model.hidden_sticks);
                all.hidden_sticks.resize(len, false);
            }
            if has_bending {
                let len = all.bending.len() + model.sticks.len();
                all.bending.extend(&model.bending);
                all.bending.resize(len, false);
            }
            all.limbs.append(&model.limbs, first);
            all.bodies.append(&model.bodies, first);
            first += model.particles.len() as u32;
            if has_tethers {
                all.tethers.extend(&model.tethers);
                all.tethers.resize(first as usize, None);
            }
            if has_radii {
                all.radii.extend(&model.radii);
                all.radii.resize(first as usize, 0.0);
            }
        }
        Ok(all)
    }

    /// The model with renumbered particles. It is not a [sheet](Self::sheet).
    ///
    /// # Panics
    /// If the renumbering is of another number of particles, or sticks refer to particles that the model
    /// does not have.
    #[must_use]
    pub fn renumbered(&self, renumbering: &Renumbering) -> Self {
        let sticks = self.sticks_for_all_particles().expect("sticks are between particles");
        let (particles, sticks) = renumbering.apply(&self.particles, &sticks);
        let new_of = |&old: &u32| renumbering.new_of(old);
        Self {
            particles,
            sticks,
            sheet: None,
            faces: self.faces.iter().map(|face| face.each_ref().map(new_of)).collect(),
            springs: self.springs.renumbered(|old| new_of(&old)),
            emitters: self
                .emitters
                .iter()
                .map(|emitter| emitter.renumbered(|old| new_of(&old)))
                .collect(),
            guides: self.guides.iter().map(|guide| guide.renumbered(|old| new_of(&old))).collect(),
            radii: renumbered_list(&self.radii, self.particles.len(), 0.0, new_of),
            tethers: renumbered_list(&self.tethers, self.particles.len(), None, new_of),
            groups: self
                .groups
                .iter()
                .map(|(name, group)| (name.clone(), group.iter().map(new_of).collect()))
                .collect(),
            tear_factors: self.tear_factors.clone(),
            hidden_sticks: self.hidden_sticks.clone(),
            bending: self.bending.clone(),
            kind: self.kind,
            self_collision: self.self_collision,
            limbs: self.limbs.renumbered(|old| new_of(&old)),
            bodies: self.bodies.renumbered(renumbering),
        }
    }

    /// The model with particles and sticks numbered at random: the worst case for memory locality,
    /// as in meshes from tools that ignore locality.
    ///
    /// # Panics
    /// If sticks refer to particles that the model does not have.
    #[must_use]
    pub fn shuffled(&self, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut order = |len: usize| {
            let mut order: Vec<u32> = (0..len as u32).collect();
            order.shuffle(&mut random);
            order
        };
        let (particle_order, stick_order) = (order(self.particles.len()), order(self.sticks.len()));
        let shuffle = || -> Result<Self, PermutationError> {
            let mut shuffled = self.renumbered(&Renumbering::from_order(particle_order)?);
            shuffled.sticks = shuffled.sticks.reordered(&stick_order)?;
            shuffled.select_stick_lists(&stick_order);
            Ok(shuffled)
        };
        shuffle().expect("a shuffled list of indices is a permutation")
    }
}

/// Renumbers a list with one value for each of `particles` particles. It may be empty, or too short:
/// missing values become `absent`.
fn renumbered_list<T: Copy>(
    values: &[T],
    particles: usize,
    absent: T,
    new_of: impl Fn(&u32) -> u32,
) -> Vec<T> {
    if values.is_empty() {
        return Vec::new();
    }
    let mut renumbered = vec![absent; particles];
    for (old, &value) in (0..particles as u32).zip(values) {
        renumbered[new_of(&old) as usize] = value;
    }
    renumbered
}
