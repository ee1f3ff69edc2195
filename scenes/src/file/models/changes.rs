//! Keys of a model that change what its builder returns.

use std::collections::BTreeMap;

use serde::Deserialize;
use taut_core::COORDINATE_MAX;
use taut_world::{Model, ModelError, SelfCollision, Tethers};

use crate::file::Context;
use crate::file::error::{At, BuildError};
use crate::file::paths::{PathTable, SpinTable};
use crate::file::values::{Vector, position, vector};

/// The keys that change what a builder returns. `R` is the type of a rotation.
pub(super) struct Changes<R, const D: usize> {
    pub(super) turned: Option<R>,
    pub(super) at: Option<Vector<D>>,
    pub(super) velocity: Option<Vector<D>>,
    pub(super) groups: BTreeMap<String, Vec<u32>>,
    pub(super) pinned: Vec<String>,
    pub(super) guided: Vec<GuideTable<D>>,
    pub(super) stiffness: Option<f32>,
    pub(super) compliance: Option<f32>,
    pub(super) tears_at: Option<f32>,
    pub(super) tethers: Option<TethersTable>,
    pub(super) springs: Option<SpringsTable>,
    pub(super) self_collision: Option<SelfCollisionTable>,
}

impl<R: Rotate<D>, const D: usize> Changes<R, D> {
    /// Applies the keys, in the order that [`AnyScene::from_toml`](crate::AnyScene::from_toml) documents.
    pub(super) fn apply(
        self,
        name: &str,
        mut model: Model<D>,
        context: &Context<D>,
    ) -> Result<Model<D>, BuildError> {
        let turned_or_moving = self.turned.is_some() || self.velocity.is_some();
        if turned_or_moving && !model.emitters.is_empty() {
            Err(format!(
                "the model '{name}' is an emitter, which takes neither 'turned' nor 'velocity': \
                 rotate its source, and set the velocity in the table 'emitter'"
            ))?;
        }
        let stick_keys = [self.stiffness, self.compliance, self.tears_at];
        if self.springs.is_some() && stick_keys.iter().any(Option::is_some) {
            Err(format!(
                "the model '{name}' has springs instead of sticks: it takes neither 'stiffness' \
                 nor 'compliance' nor 'tears_at'"
            ))?;
        }
        if let Some(rotation) = self.turned {
            model = rotation.rotate(model).at("turned")?;
        }
        if let Some(at) = self.at {
            model = model.moved(position("at", "the position of a model, m,", at).at("at")?);
            check_positions(&model).at("at")?;
        }
        if let Some(velocity) = self.velocity {
            let velocity = vector("velocity", "the velocity of a model, m/s,", velocity);
            model = model.moving_at(velocity.at("velocity")?, context.substep_length());
        }
        for (group, particles) in self.groups {
            model = model.with_group(group, particles).at("groups")?;
        }
        for (nth, group) in self.pinned.iter().enumerate() {
            require_group(name, group, &model).at(nth).at("pinned")?;
            model = model.pinned(group);
        }
        for (nth, guide) in self.guided.into_iter().enumerate() {
            model = guide.guide(name, model).at(nth).at("guided")?;
        }
        if model.sticks.is_empty() && stick_keys.iter().any(Option::is_some) {
            Err(format!(
                "the model '{name}' has no sticks: it takes neither 'stiffness' nor 'compliance' \
                 nor 'tears_at'"
            ))?;
        }
        for stick in 0..model.sticks.len() {
            if let Some(stiffness) = self.stiffness {
                model.sticks.set_stiffness(stick, stiffness).at("stiffness")?;
            }
            if let Some(compliance) = self.compliance {
                model.sticks.set_compliance(stick, compliance).at("compliance")?;
            }
        }
        if let Some(factor) = self.tears_at {
            let what = "the tear factor of sticks";
            ModelError::check("tears_at", what, factor.into(), 1.0.., "at least 1 and finite")
                .at("tears_at")?;
            model = model.tearing_at(factor);
        }
        if let Some(TethersTable { slack, anchors }) = self.tethers {
            model = model.tethered(Tethers { slack, anchors }).at("tethers")?;
        }
        if let Some(SpringsTable { stiffness, damping }) = self.springs {
            model = model.sprung(stiffness, damping).at("springs")?;
        }
        if let Some(SelfCollisionTable(settings)) = self.self_collision {
            model = model.self_colliding(settings).at("self_collision")?;
        }
        Ok(model)
    }
}

/// Checks that a model has a group with this name.
fn require_group<const D: usize>(
    model_name: &str,
    group: &str,
    model: &Model<D>,
) -> Result<(), BuildError> {
    if model.groups.contains_key(group) {
        return Ok(());
    }
    let groups: Vec<&str> = model.groups.keys().map(|name| &**name).collect();
    let groups = if groups.is_empty() { "none".to_owned() } else { groups.join(", ") };
    Err(format!("the model '{model_name}' has no group '{group}'; its groups are: {groups}"))?
}

/// The parameters of [`Model::sprung`].
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SpringsTable {
    stiffness: f32,
    damping: f32,
}

/// The parameters of [`Model::self_colliding`].
#[derive(Clone, Copy, Deserialize)]
#[serde(from = "SelfCollisionKeys")]
pub(super) struct SelfCollisionTable(SelfCollision);

/// The keys of [`SelfCollisionTable`].
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table such as { thickness = 0.01 }")]
struct SelfCollisionKeys {
    thickness: Option<f32>,
    friction: f32,
    categories: u32,
    mask: u32,
}

impl Default for SelfCollisionKeys {
    fn default() -> Self {
        let SelfCollision { thickness, friction, categories, mask } = SelfCollision::default();
        Self { thickness, friction, categories, mask }
    }
}

impl From<SelfCollisionKeys> for SelfCollisionTable {
    fn from(keys: SelfCollisionKeys) -> Self {
        let SelfCollisionKeys { thickness, friction, categories, mask } = keys;
        Self(SelfCollision { thickness, friction, categories, mask })
    }
}

/// The parameters of [`Model::tethered`].
#[derive(Clone, Copy, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table such as { slack = 1.0, anchors = 4 }")]
pub(super) struct TethersTable {
    slack: f32,
    anchors: u32,
}

impl Default for TethersTable {
    fn default() -> Self {
        let Tethers { slack, anchors } = Tethers::default();
        Self { slack, anchors }
    }
}

/// The parameters of [`Model::guided`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields, bound = "")]
pub(super) struct GuideTable<const D: usize> {
    group: String,
    path: Option<PathTable<D>>,
    spin: Option<SpinTable<D>>,
}

impl<const D: usize> GuideTable<D> {
    /// Guides the group of the model called `name`.
    fn guide(self, name: &str, model: Model<D>) -> Result<Model<D>, BuildError> {
        let Self { group, path, spin } = self;
        let spin = spin.map(SpinTable::spin).transpose().at("spin")?;
        let path = path.map(Into::into).unwrap_or_default();
        require_group(name, &group, &model).at("group")?;
        model.guided(&group, path, spin).at("path")
    }
}

/// A rotation of a 3D model: about an axis through the origin.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RotationTable {
    axis: Vector<3>,
    /// Radians.
    angle: f32,
}

/// A rotation of a model about the origin: an angle in 2D, rad, and a [`RotationTable`] in 3D.
pub(super) trait Rotate<const D: usize> {
    fn rotate(self, model: Model<D>) -> Result<Model<D>, ModelError>;
}

impl Rotate<2> for f32 {
    fn rotate(self, model: Model<2>) -> Result<Model<2>, ModelError> {
        model.turned(self)
    }
}

impl Rotate<3> for RotationTable {
    fn rotate(self, model: Model<3>) -> Result<Model<3>, ModelError> {
        model.turned(self.axis.into(), self.angle)
    }
}

/// Checks the positions of a model after it was moved to the position in the key `at`.
fn check_positions<const D: usize>(model: &Model<D>) -> Result<(), ModelError> {
    let range = -COORDINATE_MAX..=COORDINATE_MAX;
    for &x in (0..D).flat_map(|axis| model.particles.positions(axis)) {
        let what = "a coordinate of a particle at the position of the model, m,";
        ModelError::check("at", what, x.into(), range.clone(), "from -1e12 to 1e12")?;
    }
    Ok(())
}
