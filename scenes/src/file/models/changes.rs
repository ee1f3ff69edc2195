//! Changes to a built model.

use std::collections::BTreeMap;

use serde::Deserialize;
use taut_world::{Model, ModelError, Tethers};

use crate::file::Context;
use crate::file::error::{At, Complaint};
use crate::file::paths::{PathText, SpinText};
use crate::file::values::{Vector, place, vector};

/// The keys of a table that change what a builder made.
pub(super) struct Changes<T, const D: usize> {
    pub(super) turned: Option<T>,
    pub(super) at: Option<Vector<D>>,
    pub(super) velocity: Option<Vector<D>>,
    pub(super) groups: BTreeMap<String, Vec<u32>>,
    pub(super) pinned: Vec<String>,
    pub(super) guided: Vec<GuideText<D>>,
    pub(super) stiffness: Option<f32>,
    pub(super) compliance: Option<f32>,
    pub(super) tears_at: Option<f32>,
    pub(super) tethers: Option<TethersText>,
    pub(super) springs: Option<SpringsText>,
}

impl<T: Turn<D>, const D: usize> Changes<T, D> {
    pub(super) fn apply(
        self,
        name: &str,
        mut model: Model<D>,
        context: &Context<D>,
    ) -> Result<Model<D>, Complaint> {
        let moves = self.turned.is_some() || self.velocity.is_some();
        if moves && !model.emitters.is_empty() {
            Err(format!(
                "the model '{name}' is an emitter: turn its source, and set its velocity there"
            ))?;
        }
        let of_sticks = [self.stiffness, self.compliance, self.tears_at];
        if self.springs.is_some() && of_sticks.iter().any(Option::is_some) {
            Err(format!(
                "the model '{name}' has springs instead of sticks: it takes neither 'stiffness' \
                 nor 'compliance' nor 'tears_at'"
            ))?;
        }
        if let Some(turned) = self.turned {
            model = turned.turn(model).at("turned")?;
        }
        if let Some(at) = self.at {
            model = model.moved(place("at", "where a model is, m,", at).at("at")?);
        }
        if let Some(velocity) = self.velocity {
            let velocity = vector("velocity", "the velocity of a model, m/s,", velocity);
            model = model.moving_at(velocity.at("velocity")?, context.h());
        }
        for (group, particles) in self.groups {
            model = model.with_group(group, particles).at("groups")?;
        }
        for (nth, group) in self.pinned.iter().enumerate() {
            model = with_known_group(name, group, model).at(nth).at("pinned")?.pinned(group);
        }
        for (nth, guide) in self.guided.into_iter().enumerate() {
            model = guide.guide(name, model).at(nth).at("guided")?;
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
            let what = "the stretch at which sticks tear";
            ModelError::check("tears_at", what, factor.into(), 1.0.., "at least 1 and finite")
                .at("tears_at")?;
            model = model.tearing_at(factor);
        }
        if let Some(TethersText { slack, anchors }) = self.tethers {
            model = model.tethered(Tethers { slack, anchors }).at("tethers")?;
        }
        if let Some(SpringsText { stiffness, damping }) = self.springs {
            model = model.sprung(stiffness, damping).at("springs")?;
        }
        Ok(model)
    }
}

/// Returns the model if it has a group of that name.
fn with_known_group<const D: usize>(
    of: &str,
    group: &str,
    model: Model<D>,
) -> Result<Model<D>, Complaint> {
    if model.groups.contains_key(group) {
        return Ok(model);
    }
    let groups: Vec<&str> = model.groups.keys().map(|name| &**name).collect();
    let groups = if groups.is_empty() { "none".to_owned() } else { groups.join(", ") };
    Err(format!("'{of}' has no group '{group}'; its groups are: {groups}"))?
}

/// [`Model::sprung`].
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SpringsText {
    stiffness: f32,
    damping: f32,
}

/// [`Model::tethered`].
#[derive(Clone, Copy, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table such as { slack = 1.0, anchors = 4 }")]
pub(super) struct TethersText {
    slack: f32,
    anchors: u32,
}

impl Default for TethersText {
    fn default() -> Self {
        let Tethers { slack, anchors } = Tethers::default();
        Self { slack, anchors }
    }
}

/// [`Model::guided`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields, bound = "")]
pub(super) struct GuideText<const D: usize> {
    group: String,
    path: Option<PathText<D>>,
    spin: Option<SpinText<D>>,
}

impl<const D: usize> GuideText<D> {
    fn guide(self, name: &str, model: Model<D>) -> Result<Model<D>, Complaint> {
        let Self { group, path, spin } = self;
        let spin = spin.map(SpinText::spin).transpose().at("spin")?;
        let path = path.map(Into::into).unwrap_or_default();
        let model = with_known_group(name, &group, model).at("group")?;
        model.guided(&group, path, spin).at("path")
    }
}

/// A rotation about an axis through the origin.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Turned {
    axis: Vector<3>,
    /// Radians.
    angle: f32,
}

/// A rotation of a model.
pub(super) trait Turn<const D: usize> {
    fn turn(self, model: Model<D>) -> Result<Model<D>, ModelError>;
}

impl Turn<2> for f32 {
    fn turn(self, model: Model<2>) -> Result<Model<2>, ModelError> {
        model.turned(self)
    }
}

impl Turn<3> for Turned {
    fn turn(self, model: Model<3>) -> Result<Model<3>, ModelError> {
        model.turned(self.axis.into(), self.angle)
    }
}
