//! Scenes: models, forces, obstacles and settings.

use std::collections::BTreeMap;
use std::sync::Arc;

use taut_core::{
    Formula, LimitError, PARTICLES_MAX, STICKS_MAX, Sheet, StepError, TRIANGLES_MAX, check_limit,
};

use crate::error::ModelError;
use crate::force::Force;
use crate::grouping::{may_have_copies, sleeps_alone};
use crate::model::{Model, Order, Tethers};
use crate::obstacle::Obstacle;
use crate::settings::{Settings, scale_displacements, substep_ratio};
use crate::sleep::Sleep;
use crate::springs::SpringError;
use crate::tie::{BoundTie, Tie, TieError, TieList};

/// Why a scene cannot be built or repeated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// A model of the scene cannot be built. ([`Scene::add`] adds a model that is built, and does not
    /// return this.)
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Springs of the scene cannot be built. ([`Scene::add`] does not return this.)
    #[error(transparent)]
    Springs(#[from] SpringError),
    /// All models together would exceed a limit.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// The name of a model is not unique.
    #[error("there are two models called '{name}'")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// Copies of a model would collide with each other.
    #[error(
        "model '{name}' has self-collision, limbs or a rigid body: the scene cannot be repeated, \
         because its copies would collide with each other"
    )]
    ContactsOfCopies {
        /// The name of the model.
        name: String,
    },
    /// Ties cannot be copied.
    #[error("a scene with ties cannot be repeated")]
    TiesOfCopies,
}

/// Models by name, forces, obstacles and settings: all that a [`World`](crate::World) is created
/// from.
///
/// ```
/// use taut_world::{Model, Scene, StickSet};
///
/// let mut scene = Scene::new();
/// scene.add("sheet", Model::drape(16, StickSet::All)?)?;
/// assert_eq!(scene.particles(), 256);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Scene<const D: usize = 3> {
    models: Vec<(String, Model<D>)>,
    /// The index of each model, by its name.
    names: BTreeMap<String, usize>,
    totals: Totals,
    ties: TieList,
    /// The forces, in the order in which they act.
    pub forces: Vec<Arc<dyn Force<D>>>,
    /// The obstacles, in the order in which they act.
    pub obstacles: Vec<Arc<dyn Obstacle<D>>>,
    /// The formula that relaxes sticks.
    pub formula: Formula,
    /// The order of the sticks of each model, if not the default one of its sheet or mesh. Models
    /// that cannot have this order keep the default. The order changes the result.
    pub order: Option<Order>,
    /// When models at rest fall asleep. Default (`None`): never. If models sleep, each model that has
    /// neither rigid bodies nor limbs has an island of its own, so copies of it are not relaxed
    /// together. As long as no model is asleep, the results have the same bits as without sleep.
    pub sleep: Option<Sleep>,
    /// The settings. A moving model stores its displacement per substep of these settings:
    /// [`set_settings`](Self::set_settings) scales it.
    pub settings: Settings<D>,
}

/// The sums over all models of the quantities that have a limit.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    particles: usize,
    sticks: usize,
    triangles: usize,
    /// Vertices of rigid meshes.
    vertices: usize,
}

impl Totals {
    fn of<const D: usize>(model: &Model<D>) -> Self {
        Self {
            particles: model.particles.len(),
            sticks: model.sticks.len() + model.springs.len(),
            triangles: model.faces.len() + model.bodies.triangles().len(),
            vertices: model.bodies.vertex_count(),
        }
    }

    /// These totals and `copies` times `more`, if they are within the limits.
    fn plus(self, more: Self, copies: usize) -> Result<Self, LimitError> {
        let sum = |what, own: usize, more: usize, limit| {
            check_limit(what, own as u128 + more as u128 * copies as u128, limit)
        };
        let (particles, sticks) = ("particles of all models", "sticks and springs of all models");
        let (triangles, vertices) = ("triangles of all models", "vertices of all rigid meshes");
        Ok(Self {
            particles: sum(particles, self.particles, more.particles, PARTICLES_MAX)?,
            sticks: sum(sticks, self.sticks, more.sticks, STICKS_MAX)?,
            triangles: sum(triangles, self.triangles, more.triangles, TRIANGLES_MAX)?,
            vertices: sum(vertices, self.vertices, more.vertices, PARTICLES_MAX)?,
        })
    }
}

impl<const D: usize> Scene<D> {
    /// An empty scene with default settings, which include gravity (see [`Step`](taut_core::Step)).
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a model with a unique name.
    ///
    /// # Errors
    /// If the scene has a model of that name; if all models together would have more than 2²⁴
    /// ([`PARTICLES_MAX`]) particles or vertices of rigid meshes, 2²⁷ ([`STICKS_MAX`]) sticks and
    /// springs, or 2²⁶ ([`TRIANGLES_MAX`]) triangles. The scene is then unchanged.
    pub fn add(&mut self, name: impl Into<String>, model: Model<D>) -> Result<(), SceneError> {
        let name = name.into();
        if self.names.contains_key(&name) {
            return Err(SceneError::DuplicateName { name });
        }
        self.totals = self.totals.plus(Totals::of(&model), 1)?;
        self.names.insert(name.clone(), self.models.len());
        self.models.push((name, model));
        Ok(())
    }

    /// Adds a copy of a model for each offset, m. The copies are called `name 0`, `name 1` and so
    /// on.
    ///
    /// ```
    /// use taut_world::{Model, Scene, StickSet};
    ///
    /// let mut scene = Scene::<3>::new();
    /// let offsets = (0..100).map(|nth| [0.5 * (nth % 10) as f32, 0.0, 0.5 * (nth / 10) as f32]);
    /// scene.add_copies("disc", &Model::disc(4, StickSet::All)?, offsets)?;
    /// assert_eq!(scene.models().count(), 100);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`add`](Self::add). The copies before the failing one stay added.
    pub fn add_copies(
        &mut self,
        name: &str,
        model: &Model<D>,
        offsets: impl IntoIterator<Item = [f32; D]>,
    ) -> Result<(), SceneError> {
        for (copy, offset) in offsets.into_iter().enumerate() {
            self.add(format!("{name} {copy}"), model.clone().moved(offset))?;
        }
        Ok(())
    }

    /// The scene with this number of copies of all its models, called `name 0`, `name 1` and so on.
    /// The models of each copy have the same bits as in a simulation of this scene. The particles of
    /// a copy follow those of the copy before it.
    ///
    /// ```
    /// use taut_world::{Model, Scene, StickSet};
    ///
    /// let mut scene = Scene::<3>::new();
    /// scene.add("disc", Model::disc(4, StickSet::All)?)?;
    /// assert_eq!(scene.repeated(64)?.models().count(), 64);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a model has self-collision, limbs or rigid bodies, so that its copies would collide with
    /// each other; if models are tied; if there would be more than 2²⁴ copies, or more particles, sticks
    /// or triangles than [`add`](Self::add) allows.
    pub fn repeated(&self, copies: usize) -> Result<Self, SceneError> {
        if !self.ties.all().is_empty() {
            return Err(SceneError::TiesOfCopies);
        }
        let may_collide = |model: &Model<D>| {
            let Model { self_collision, limbs, bodies, .. } = model;
            self_collision.is_some() || !limbs.is_empty() || !bodies.is_empty()
        };
        if let Some((name, _)) = self.models.iter().find(|(_, model)| may_collide(model)) {
            return Err(SceneError::ContactsOfCopies { name: name.clone() });
        }
        // Before copies are made: those up to the limit would take gigabytes.
        check_limit("copies", copies as u128, PARTICLES_MAX)?;
        Totals::default().plus(self.totals, copies)?;
        let mut repeated = Self {
            forces: self.forces.clone(),
            obstacles: self.obstacles.clone(),
            formula: self.formula,
            order: self.order,
            sleep: self.sleep,
            settings: self.settings,
            ..Self::default()
        };
        for copy in 0..copies {
            for (name, model) in &self.models {
                repeated.add(format!("{name} {copy}"), model.clone())?;
            }
        }
        Ok(repeated)
    }

    /// Ties points of models, which must be in the scene already. Returns the numbers of the ties in
    /// a [`World`](crate::World): as many as there are pairs of points. Ties are relaxed in the
    /// order of their numbers.
    ///
    /// ```
    /// use taut_world::{Cloth, Model, Scene, Tie, TieEnd};
    ///
    /// let mut scene = Scene::<3>::new();
    /// let cloth = Model::cloth(&Cloth::default())?; // 1 m wide, with 32 rows
    /// scene.add("first", cloth.clone())?;
    /// scene.add("second", cloth.moved([1.0, 0.0, 0.0]))?;
    /// let [right, left] = [TieEnd::group("first", "right"), TieEnd::group("second", "left")];
    /// let sewn = Tie::between([right, left]);
    /// assert_eq!(scene.attach(&sewn)?, 0..32);
    ///
    /// let error = scene.attach(&sewn).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "tie 1 (counted from 0, ties of a group as one): its two points are already joined by tie 0"
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a model, or a place on it, does not exist; if the ends have different numbers of points,
    /// share a particle or are tied already; if a value is out of range, or there are more than 2²⁷
    /// ([`STICKS_MAX`]) ties. The scene is then unchanged.
    pub fn attach(&mut self, tie: &Tie) -> Result<core::ops::Range<usize>, TieError> {
        self.ties.attach(&self.models, &self.names, tie)
    }

    /// All ties.
    pub(crate) fn ties(&self) -> &[BoundTie] {
        self.ties.all()
    }

    /// Changes the settings, and scales the last displacement of each particle by the ratio of the
    /// new substep to the old one, so that models keep their velocities.
    ///
    /// ```
    /// use taut_world::{Model, Rope, Scene, Settings};
    ///
    /// let mut scene = Scene::<2>::new();
    /// let h = 1.0 / 480.0; // the substep of the default settings, s
    /// let rope = Model::rope(&[[0.0, 0.0], [1.0, 0.0]], &Rope::default())?;
    /// scene.add("rope", rope.moving_at([0.0, 6.0], h))?;
    /// let mut settings = scene.settings;
    /// settings.step.substeps = 1;
    /// scene.set_settings(settings)?;
    /// let (_, rope) = scene.models().next().unwrap();
    /// assert!((rope.particles.previous(1)[0] + 6.0 / 60.0).abs() < 1e-6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the new or the current step is invalid. The scene is then unchanged.
    pub fn set_settings(&mut self, settings: Settings<D>) -> Result<(), StepError> {
        settings.step.motion()?;
        self.settings.step.motion()?;
        let ratio = substep_ratio(&settings, &self.settings);
        for (_, model) in &mut self.models {
            scale_displacements(&mut model.particles, ratio);
        }
        self.settings = settings;
        Ok(())
    }

    /// Whether there are enough models with the same sticks to share an island, in which a kernel
    /// relaxes one model per lane: 16 regular sheets of 24 to 47 columns, 6 narrower ones, or 6 other
    /// models. Wider sheets, sheets with tethers, and models with rigid bodies, without sticks, or with
    /// more particles than their sticks were made for never share such an island; if models
    /// [sleep](Self::sleep), only models with limbs do.
    pub fn may_have_copies(&self) -> bool {
        let sleeps = self.sleep.is_some();
        let models = self.models().map(|(_, model)| model);
        may_have_copies(models.filter(|model| !sleeps_alone(model, sleeps)))
    }

    /// The models, with their names, in the order in which they were added.
    pub fn models(&self) -> impl Iterator<Item = (&str, &Model<D>)> {
        self.models.iter().map(|(name, model)| (&**name, model))
    }

    /// The models that are regular sheets.
    pub fn sheets(&self) -> impl Iterator<Item = &Sheet> {
        self.models.iter().filter_map(|(_, model)| model.sheet.as_ref())
    }

    pub(crate) fn models_mut(&mut self) -> impl Iterator<Item = (&str, &mut Model<D>)> {
        self.models.iter_mut().map(|(name, model)| (&**name, model))
    }

    /// Adds tethers to every model that has none; None removes the tethers of all models.
    ///
    /// # Errors
    /// Same as [`Model::tethered`].
    pub fn tethered(mut self, tethers: Option<Tethers>) -> Result<Self, ModelError> {
        for (_, model) in &mut self.models {
            match tethers {
                None => model.tethers.clear(),
                Some(tethers) if model.tethers.is_empty() => model.tether(tethers)?,
                Some(_) => {}
            }
        }
        Ok(self)
    }

    /// Number of particles.
    pub fn particles(&self) -> usize {
        self.models.iter().map(|(_, model)| model.particles.len()).sum()
    }
}
