//! Tables of emitters and of individual particles.

use serde::Deserialize;
use taut_core::{Duplicates, Particles, Sticks};
use taut_world::{EmitterSettings, Model, ModelError, Source, Spring, Springs};

use super::{ModelBuilder, builder};
use crate::file::error::{At, BuildError};
use crate::file::options::options;
use crate::file::triangles::TriangleReader;
use crate::file::values::{Vector, points};

options! {
    /// The parameters of [`Model::emitter`].
    EmitterTable<const D: usize> => EmitterSettings<D> {
        source: SourceTable<D>,
        rate: f64,
        velocity: Vector<D>,
        normal_speed: f32,
        spread: f32,
        lifetime: [f64; 2],
        mass: f32,
        seed: u64,
        group: String,
    }
}

builder! { <D> EmitterTable<D> => |table, _| Model::emitter(table.options()) }

/// A [`Source`]: where an emitter emits particles.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
enum SourceTable<const D: usize> {
    Point(Vector<D>),
    Disc {
        centre: Vector<D>,
        axes: [Vector<D>; 2],
    },
    /// Polygons that are divided into triangles: the corners of all triangles, m.
    Polygons(Vec<[Vector<D>; 3]>),
}

impl<const D: usize> From<SourceTable<D>> for Source<D> {
    fn from(table: SourceTable<D>) -> Self {
        match table {
            SourceTable::Point(position) => Self::Point(position.into()),
            SourceTable::Disc { centre, axes } => {
                Self::Disc { centre: centre.into(), axes: axes.map(Into::into) }
            }
            SourceTable::Polygons(triangles) => Self::Polygons(
                triangles.into_iter().map(|corners| corners.map(Into::into)).collect(),
            ),
        }
    }
}

/// Individual particles, with sticks and springs between them. The model is made by [`Model::new`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ParticlesTable<const D: usize> {
    positions: Vec<Vector<D>>,
    /// Masses of the particles, kg.
    masses: Vec<f64>,
    #[serde(default)]
    sticks: Vec<[u32; 2]>,
    #[serde(default)]
    springs: Vec<SpringTable>,
}

/// The parameters of a [`Spring`], and the particles that it joins.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpringTable {
    ends: [u32; 2],
    rest: f32,
    stiffness: f32,
    damping: f32,
}

impl<const D: usize> ModelBuilder<D> for ParticlesTable<D> {
    fn model(&self, _: &TriangleReader) -> Result<Model<D>, BuildError> {
        let inverse_mass = |(nth, &mass): (usize, &f64)| {
            let range = 1e-9..=1e9;
            let mass = ModelError::check("masses", "a mass, kg,", mass, range, "from 1e-9 to 1e9");
            Ok((1.0 / mass.at(nth).at("masses")?) as f32)
        };
        let inverse_masses = self.masses.iter().enumerate().map(inverse_mass);
        let inverse_masses: Vec<f32> = inverse_masses.collect::<Result<_, BuildError>>()?;
        let particles = Particles::new(&points(&self.positions), &inverse_masses)?;
        let sticks = Sticks::joining(&particles, &self.sticks, Duplicates::Keep).at("sticks")?;
        let ends: Vec<[u32; 2]> = self.springs.iter().map(|spring| spring.ends).collect();
        let spring = |&SpringTable { rest, stiffness, damping, .. }: &SpringTable| Spring {
            rest,
            stiffness,
            damping,
        };
        let springs: Vec<Spring> = self.springs.iter().map(spring).collect();
        let springs = Springs::new(particles.len(), &ends, &springs).at("springs")?;
        Ok(Model { springs, ..Model::new(particles, sticks) })
    }
}
