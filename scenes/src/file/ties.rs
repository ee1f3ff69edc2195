//! Tables of ties between models.

use serde::Deserialize;
use taut_world::{ModelError, Place, Scene, Tie, TieEnd, TieError, TieProblem};

use super::error::{At, BuildError};
use super::exactly_one;
use super::values::KindWord;

/// The parameters of a [`Tie`]; an absent key keeps its default.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TieTable {
    from: EndTable,
    to: EndTable,
    distance: Option<f32>,
    kind: Option<KindWord>,
    compliance: Option<f32>,
    breaking_force: Option<f32>,
}

/// The parameters of a [`TieEnd`]: a model, and one place on it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EndTable {
    model: String,
    particle: Option<u32>,
    group: Option<String>,
    stick: Option<u32>,
    limb: Option<u32>,
    face: Option<u32>,
    body: Option<u32>,
    fraction: Option<f32>,
    weights: Option<[f32; 2]>,
    point: Option<[f32; 3]>,
}

impl EndTable {
    fn tie_end(self) -> Result<TieEnd, BuildError> {
        const PLACES: &[&str] = &["particle", "group", "stick", "limb", "face", "body"];
        let Self { model, particle, group, stick, limb, face, body, fraction, weights, point } =
            self;
        // Without `fraction`, the middle of the stick; without `weights`, the centroid of the face.
        let fraction_or_middle = fraction.unwrap_or(0.5);
        let weights_or_centroid = weights.unwrap_or([1.0 / 3.0; 2]);
        let given = [
            particle.map(Place::Particle),
            group.map(Place::Group),
            stick.map(|stick| Place::Stick { stick, fraction: fraction_or_middle }),
            limb.map(|limb| Place::Limb { limb, fraction: fraction_or_middle }),
            face.map(|face| Place::Face { face, weights: weights_or_centroid }),
            body.map(|body| Place::Body { body, point }),
        ];
        let given = given.into_iter().flatten().collect();
        let place = exactly_one("an end of a tie", "key for its place", PLACES, given)?;
        for (key, is_given, needs) in [
            ("fraction", fraction.is_some(), "'stick' or 'limb'"),
            ("weights", weights.is_some(), "'face'"),
            ("point", point.is_some(), "'body'"),
        ] {
            let is_used = match place {
                Place::Stick { .. } | Place::Limb { .. } => key == "fraction",
                Place::Face { .. } => key == "weights",
                Place::Body { .. } => key == "point",
                _ => false,
            };
            if is_given && !is_used {
                Err(format!("'{key}' needs the key {needs}")).at(key)?;
            }
        }
        Ok(TieEnd::new(model, place))
    }
}

impl TieTable {
    /// Adds the tie to the scene, whose models it joins.
    pub(super) fn attach<const D: usize>(self, scene: &mut Scene<D>) -> Result<(), BuildError> {
        let Self { from, to, distance, kind, compliance, breaking_force } = self;
        let ends = [from.tie_end().at("from")?, to.tie_end().at("to")?];
        let mut tie = Tie { breaking_force, ..Tie::between(ends) };
        tie.distance = distance.unwrap_or(tie.distance);
        tie.kind = kind.map_or(tie.kind, Into::into);
        tie.compliance = compliance.unwrap_or(tie.compliance);
        scene.attach(&tie).map(drop).or_else(with_location)
    }
}

/// Returns `error` with its location: the end of the tie and the key that caused it, where known.
fn with_location(error: TieError) -> Result<(), BuildError> {
    let end = error.end;
    let key = match &error.problem {
        TieProblem::NoSuchModel { .. } => Some("model"),
        TieProblem::NoSuchGroup { .. } | TieProblem::EmptyGroup { .. } => Some("group"),
        TieProblem::NoSuchPart { part, .. } => Some(*part),
        TieProblem::Value(ModelError::OutOfRange { key, .. }) => Some(*key),
        _ => None,
    };
    let mut result: Result<(), BuildError> = Err(error.into());
    if let Some(key) = key {
        result = result.at(key);
    }
    if let Some(end) = end {
        result = result.at(end.name());
    }
    result
}
