//! Properties of the scene of a session, in two or three dimensions.

use taut::world::{AnyScene, Arrangement, Model, Order, Scene, SelfCollision, Settings};
use taut::{AnyKernel, Formula, Sheet};

/// Properties of a scene.
pub(super) struct SceneProperties {
    pub(super) models: Vec<ModelProperties>,
    pub(super) settings: Settings,
    pub(super) formula: Formula,
    pub(super) has_forces: bool,
    /// The order that the scene requests.
    pub(super) order: Option<Order>,
    /// The default order of the model with the most sticks.
    pub(super) default_order: Order,
    /// Whether a sheet is wide enough for the grid kernel.
    pub(super) has_sheets_for_grid: bool,
    /// See [`Scene::may_have_copies`].
    pub(super) may_have_copies: bool,
    /// The inverse mass of each particle, 1/kg.
    pub(super) inverse_masses: Vec<f32>,
    pub(super) sticks: Vec<StickValues>,
    /// The rest lengths of the springs, m.
    pub(super) spring_rests: Vec<f32>,
}

/// Properties of a model.
pub(super) struct ModelProperties {
    pub(super) name: String,
    pub(super) self_collision: Option<SelfCollision>,
    pub(super) has_tethers: bool,
    /// The number of columns, if the model is a regular sheet.
    pub(super) columns: Option<usize>,
}

/// Values of a stick.
#[derive(Clone, Copy)]
pub(super) struct StickValues {
    /// Rest length, m.
    pub(super) rest: f32,
    /// m/N.
    pub(super) compliance: f32,
    pub(super) stiffness: f32,
    /// Infinite if the stick does not tear.
    pub(super) tear_factor: f32,
}

impl SceneProperties {
    pub(super) fn of(scene: &AnyScene) -> Self {
        match scene {
            AnyScene::TwoD(scene) => Self::of_scene(scene),
            AnyScene::ThreeD(scene) => Self::of_scene(scene),
        }
    }

    fn of_scene<const D: usize>(scene: &Scene<D>) -> Self {
        let models = || scene.models().map(|(_, model)| model);
        let largest = models().max_by_key(|model| model.sticks.len());
        Self {
            models: scene.models().map(|(name, model)| ModelProperties::of(name, model)).collect(),
            settings: scene.settings.resized(),
            formula: scene.formula,
            has_forces: !scene.forces.is_empty(),
            order: scene.order,
            default_order: largest
                .map_or(Order::Banded, |model| Arrangement::default_of(model).order),
            has_sheets_for_grid: scene.sheets().any(AnyKernel::suits_grid),
            may_have_copies: scene.may_have_copies(),
            inverse_masses: models()
                .flat_map(|model| model.particles.inverse_masses().iter().copied())
                .collect(),
            sticks: models()
                .flat_map(|model| {
                    (0..model.sticks.len()).map(|stick| StickValues::of(model, stick))
                })
                .collect(),
            spring_rests: models()
                .flat_map(|model| model.springs.rests().iter().copied())
                .collect(),
        }
    }

    /// Whether a model is a regular sheet.
    pub(super) fn has_sheets(&self) -> bool {
        self.models.iter().any(|model| model.columns.is_some())
    }
}

impl ModelProperties {
    fn of<const D: usize>(name: &str, model: &Model<D>) -> Self {
        Self {
            name: name.to_owned(),
            self_collision: model.self_collision,
            has_tethers: !model.tethers.is_empty(),
            columns: model.sheet.as_ref().map(Sheet::width),
        }
    }
}

impl StickValues {
    fn of<const D: usize>(model: &Model<D>, stick: usize) -> Self {
        Self {
            rest: model.sticks.rests()[stick],
            compliance: model.sticks.compliance(stick),
            stiffness: model.sticks.stiffness(stick),
            tear_factor: model.tear_factors.get(stick).copied().unwrap_or(f32::INFINITY),
        }
    }
}
