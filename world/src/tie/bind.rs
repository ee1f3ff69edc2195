//! Finds the points of a tie, and checks them.

use std::collections::BTreeMap;
use std::ops::Range;

use taut_core::{COMPLIANCE_MAX, Kind, REST_MAX, REST_MIN, STICKS_MAX, check_limit};

use super::{Place, Tie, TieEnd, TieError, TieProblem, WhichEnd};
use crate::body::{Body, WeightedPoint};
use crate::drawing::resize_vector;
use crate::error::ModelError;
use crate::model::Model;
use crate::vector::to_f64;

/// A tie between two points. One [`Tie`] may make several of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundTie {
    /// The indices of the models in the scene.
    pub(crate) models: [usize; 2],
    /// The tied points; their particle numbers are those within each model.
    pub(crate) points: [WeightedPoint; 2],
    /// Distance of the points, m.
    pub(crate) distance: f32,
    pub(crate) kind: Kind,
    /// Compliance, m/N.
    pub(crate) compliance: f32,
    /// Breaking force, N; infinite if the tie does not break.
    pub(crate) breaking_force: f32,
}

/// All ties of a scene.
#[derive(Clone, Debug, Default)]
pub(crate) struct TieList {
    all: Vec<BoundTie>,
    /// For each pair of tied points, the number of the call of `attach` that tied them.
    tied: BTreeMap<[PointKey; 2], usize>,
    /// Number of calls of `attach` that succeeded.
    calls: usize,
}

/// Identifies a point: the index of its model; and, in ascending order, the particles whose weight is
/// not 0, each with the bits of its weight. Unused entries are `(u32::MAX, 0)`.
type PointKey = (usize, [(u32, u32); 4]);

fn point_key(model: usize, point: &WeightedPoint) -> PointKey {
    let mut entries = [(u32::MAX, 0); 4];
    for (entry, (particle, weight)) in entries.iter_mut().zip(point.terms()) {
        *entry = (particle, weight.to_bits());
    }
    entries.sort_unstable();
    (model, entries)
}

impl TieList {
    pub(crate) fn all(&self) -> &[BoundTie] {
        &self.all
    }

    /// Adds a tie. `names` maps the names of the models to their indices. Returns the indices of the
    /// new ties; on an error nothing is added.
    pub(crate) fn attach<const D: usize>(
        &mut self,
        models: &[(String, Model<D>)],
        names: &BTreeMap<String, usize>,
        tie: &Tie,
    ) -> Result<Range<usize>, TieError> {
        let failed = |(end, problem)| TieError { tie: self.calls, end, problem };
        let new_ties = bind(models, names, tie).map_err(failed)?;
        let total = self.all.len() as u128 + new_ties.len() as u128;
        let whole_tie_failed = |problem| failed((None, problem));
        check_limit("ties", total, STICKS_MAX).map_err(|error| whole_tie_failed(error.into()))?;
        let mut newly_tied = BTreeMap::new();
        for BoundTie { models, points, .. } in &new_ties {
            let mut key = [0, 1].map(|end| point_key(models[end], &points[end]));
            key.sort_unstable();
            let first = self.tied.get(&key).copied().or_else(|| newly_tied.insert(key, self.calls));
            if let Some(first) = first {
                return Err(whole_tie_failed(TieProblem::Duplicate { first }));
            }
        }
        let begin = self.all.len();
        self.tied.append(&mut newly_tied);
        self.all.extend(new_ties);
        self.calls += 1;
        Ok(begin..self.all.len())
    }
}

/// Why a tie is invalid, and the invalid end, if only one is.
type Problem = (Option<WhichEnd>, TieProblem);

/// Checks a tie, and finds its pairs of points, each of which makes one [`BoundTie`].
fn bind<const D: usize>(
    models: &[(String, Model<D>)],
    names: &BTreeMap<String, usize>,
    tie: &Tie,
) -> Result<Vec<BoundTie>, Problem> {
    let Tie { ends, distance, kind, compliance, breaking_force } = tie;
    check_values(tie).map_err(|error| (None, error.into()))?;
    let mut model_indices = [0; 2];
    let mut points = [const { None }; 2];
    for (nth, end) in WhichEnd::BOTH.into_iter().enumerate() {
        let TieEnd { model, place } = &ends[nth];
        let failed = |problem| (Some(end), problem);
        let no_such_model = || failed(TieProblem::NoSuchModel { model: model.clone() });
        model_indices[nth] = *names.get(model).ok_or_else(no_such_model)?;
        let named = NamedModel { name: model, model: &models[model_indices[nth]].1 };
        points[nth] = named.points(place).map_err(failed)?;
    }
    // A body without a given point is tied at the positions of the points of the other end.
    for (nth, end) in WhichEnd::BOTH.into_iter().enumerate() {
        let Place::Body { body, point: None } = ends[nth].place else { continue };
        let [(name, model), (_, other)] = [nth, 1 - nth].map(|end| &models[model_indices[end]]);
        let no_point = || (Some(end), TieProblem::NoBodyPoint { model: name.clone(), body });
        let point_on_body = |point: &WeightedPoint| {
            let position = to_f64(resize_vector(point.position(&other.particles)));
            let body = &model.bodies.all()[body as usize];
            body.point_at(&model.particles, position).ok_or_else(no_point)
        };
        let others = points[1 - nth].as_ref().ok_or_else(no_point)?;
        points[nth] = Some(others.iter().map(point_on_body).collect::<Result<_, _>>()?);
    }
    let [from, to] = points.map(Option::unwrap_or_default);
    let count = from.len().max(to.len());
    if [from.len(), to.len()].iter().any(|&len| len != count && len != 1) {
        let problem = TieProblem::DifferentCounts { from: from.len(), to: to.len() };
        return Err((None, problem));
    }
    let bound_tie = |nth: usize| {
        let points = [&from, &to].map(|points| points[if points.len() == 1 { 0 } else { nth }]);
        if let Some((particle, _)) = points[0].terms().find(|&(particle, _)| {
            model_indices[0] == model_indices[1]
                && points[1].terms().any(|(other, _)| other == particle)
        }) {
            let model = ends[0].model.clone();
            return Err((None, TieProblem::SharedParticle { model, particle }));
        }
        Ok(BoundTie {
            models: model_indices,
            points,
            distance: *distance,
            kind: *kind,
            compliance: *compliance,
            breaking_force: breaking_force.unwrap_or(f32::INFINITY),
        })
    };
    (0..count).map(bound_tie).collect()
}

/// Checks the distance, the compliance and the breaking force.
fn check_values(tie: &Tie) -> Result<(), ModelError> {
    let Tie { distance, compliance, breaking_force, .. } = *tie;
    if distance != 0.0 {
        let (range, must) = (REST_MIN..=REST_MAX, "0, or from 1e-15 to 1e10");
        let what = "the distance of a tie, m,";
        ModelError::check("distance", what, distance.into(), range, must)?;
    }
    let (range, must) = (0.0..=COMPLIANCE_MAX, "from 0 to 100");
    let what = "the compliance of a tie, m/N,";
    ModelError::check("compliance", what, compliance.into(), range, must)?;
    if let Some(force) = breaking_force {
        let range = (core::ops::Bound::Excluded(0.0), core::ops::Bound::Unbounded);
        let what = "the breaking force of a tie, N,";
        ModelError::check("breaking_force", what, force.into(), range, "above 0 and finite")?;
    }
    Ok(())
}

/// A model and its name, for errors.
#[derive(Clone, Copy)]
struct NamedModel<'a, const D: usize> {
    name: &'a str,
    model: &'a Model<D>,
}

impl<const D: usize> NamedModel<'_, D> {
    /// The points of a place; None for a body without a given point: the other end determines them.
    fn points(&self, place: &Place) -> Result<Option<Vec<WeightedPoint>>, TieProblem> {
        let Model { sticks, limbs, faces, bodies, groups, .. } = self.model;
        let points = match *place {
            Place::Particle(particle) => vec![WeightedPoint::at(particle)],
            Place::Group(ref group) => self.group(groups.get(group), group)?,
            Place::Stick { stick, fraction } => {
                vec![WeightedPoint::on_stick(
                    *self.part("stick", sticks.ends(), stick)?,
                    checked_fraction(fraction)?,
                )]
            }
            Place::Limb { limb, fraction } => {
                vec![self.part("limb", limbs.all(), limb)?.point(checked_fraction(fraction)?)]
            }
            Place::Face { face, weights } => {
                let corners = *self.part("face", faces, face)?;
                vec![WeightedPoint::on_triangle(corners, checked_weights(weights)?)]
            }
            Place::Body { body, point } => {
                let body: &Body = self.part("body", bodies.all(), body)?;
                body.particles().into_iter().try_for_each(|it| self.check_particle(it))?;
                let Some(point) = point else { return Ok(None) };
                for coordinate in point {
                    let range = -taut_core::COORDINATE_MAX..=taut_core::COORDINATE_MAX;
                    let (what, must) = ("a point of a body, m,", "from -1e12 to 1e12");
                    ModelError::check("point", what, coordinate.into(), range, must)?;
                }
                vec![body.weighted_point(point)]
            }
        };
        // Particles with a weight of 0 are checked, too.
        points
            .iter()
            .flat_map(|point| point.particles)
            .try_for_each(|it| self.check_particle(it))?;
        Ok(Some(points))
    }

    /// The points of the group with the name `group`; `particles` is None if the model has no such
    /// group.
    fn group(
        &self,
        particles: Option<&Vec<u32>>,
        group: &str,
    ) -> Result<Vec<WeightedPoint>, TieProblem> {
        let (model, group) = (self.name.to_owned(), group.to_owned());
        match particles {
            None => Err(TieProblem::NoSuchGroup { model, group }),
            Some(particles) if particles.is_empty() => Err(TieProblem::EmptyGroup { model, group }),
            Some(particles) => Ok(particles.iter().map(|&it| WeightedPoint::at(it)).collect()),
        }
    }

    /// Looks up a part by its number; `part` is the kind of part, for errors.
    fn part<'a, T>(
        &self,
        part: &'static str,
        all: &'a [T],
        number: u32,
    ) -> Result<&'a T, TieProblem> {
        all.get(number as usize).ok_or_else(|| TieProblem::NoSuchPart {
            model: self.name.to_owned(),
            part,
            number,
            count: all.len(),
        })
    }

    /// Checks that a particle exists and is not emitted.
    fn check_particle(&self, particle: u32) -> Result<(), TieProblem> {
        let Model { particles, emitters, .. } = self.model;
        self.part("particle", particles.inverse_masses(), particle)?;
        if emitters.iter().any(|emitter| emitter.particles().contains(&particle)) {
            return Err(TieProblem::Emitted { model: self.name.to_owned(), particle });
        }
        Ok(())
    }
}

/// Smaller weights of particles become 0. Otherwise a tie whose other particles are pinned could move
/// such a particle by its length over this weight.
const WEIGHT_MIN: f32 = 1e-6;

fn checked_fraction(fraction: f32) -> Result<f32, ModelError> {
    let what = "the fraction of the length of a stick or limb, from its first end,";
    ModelError::check("fraction", what, fraction.into(), 0.0..=1.0, "from 0 to 1")?;
    Ok(if 1.0 - fraction < WEIGHT_MIN { 1.0 } else { at_least_minimum(fraction) })
}

fn checked_weights([b, c]: [f32; 2]) -> Result<[f32; 2], ModelError> {
    let what = "a weight of a corner of a face";
    for weight in [b, c, 1.0 - (b + c)] {
        ModelError::check("weights", what, weight.into(), 0.0..=1.0, "from 0 to 1")?;
    }
    let [b, c] = [b, c].map(at_least_minimum);
    if 1.0 - (b + c) >= WEIGHT_MIN {
        return Ok([b, c]);
    }
    // The weight of the first corner, 1 - b - c, becomes 0: the greater one of b and c is at least 0.5, so
    // its difference from 1 is exact.
    Ok(if b < c { [1.0 - c, c] } else { [b, 1.0 - b] })
}

fn at_least_minimum(weight: f32) -> f32 {
    if weight < WEIGHT_MIN { 0.0 } else { weight }
}
