//! An unfinished model, as builders put it together.

use core::ops::Bound;
use std::collections::BTreeMap;

use taut_core::{Duplicates, Kind, PARTICLES_MAX, Particles, STICKS_MAX, Sticks, check_limit};

use super::{Model, ModelError};
use crate::vector::{difference, length, rounded};

/// An unfinished model: particles, sticks, faces and groups, in `f64`.
#[derive(Debug)]
pub(super) struct Parts<const D: usize> {
    pub(super) points: Vec<[f64; D]>,
    /// The mass of each particle, kg.
    pub(super) masses: Vec<f64>,
    pub(super) sticks: Vec<Stick>,
    pub(super) faces: Vec<[u32; 3]>,
    groups: BTreeMap<String, Vec<u32>>,
}

/// A stick of an unfinished model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stick {
    pub(super) ends: [u32; 2],
    pub(super) rest: f64,
    pub(super) kind: Kind,
    pub(super) stiffness: f32,
    /// Whether it only holds something in place and is not drawn.
    pub(super) unseen: bool,
    /// Whether it only resists bending.
    pub(super) bending: bool,
}

impl<const D: usize> Parts<D> {
    pub(super) fn new() -> Self {
        Self {
            points: Vec::new(),
            masses: Vec::new(),
            sticks: Vec::new(),
            faces: Vec::new(),
            groups: BTreeMap::new(),
        }
    }

    /// Adds a particle and returns its number.
    pub(super) fn particle(&mut self, point: [f64; D], mass: f64) -> u32 {
        self.points.push(point);
        self.masses.push(mass);
        (self.points.len() - 1) as u32
    }

    /// The distance of two particles, m.
    pub(super) fn distance(&self, [a, b]: [u32; 2]) -> f64 {
        length(difference(self.points[b as usize], self.points[a as usize]))
    }

    /// Joins two particles by a plain stick with their distance as rest length, and returns it for
    /// changes.
    pub(super) fn join(&mut self, ends: [u32; 2]) -> &mut Stick {
        let rest = self.distance(ends);
        let (kind, stiffness) = (Kind::TwoSided, 1.0);
        self.sticks.push(Stick { ends, rest, kind, stiffness, unseen: false, bending: false });
        let last = self.sticks.len() - 1;
        &mut self.sticks[last]
    }

    /// Adds particles to a group.
    pub(super) fn name(&mut self, group: &str, particles: impl IntoIterator<Item = u32>) {
        self.groups.entry(group.to_owned()).or_default().extend(particles);
    }

    /// Rounds once, checks, and returns the model.
    pub(super) fn finish(self) -> Result<Model<D>, ModelError> {
        let points: Vec<[f32; D]> = self.points.iter().map(|&point| rounded(point)).collect();
        let inverse_masses =
            self.masses.iter().map(|&mass| inverse_mass(mass)).collect::<Result<Vec<_>, _>>()?;
        let particles = Particles::new(&points, &inverse_masses)?;
        let ends: Vec<[u32; 2]> = self.sticks.iter().map(|stick| stick.ends).collect();
        let rests: Vec<f32> = self.sticks.iter().map(|stick| stick.rest as f32).collect();
        let mut sticks = Sticks::with_rests(points.len(), &ends, &rests, Duplicates::Keep)?;
        for (number, stick) in self.sticks.iter().enumerate() {
            if stick.kind != Kind::TwoSided {
                sticks.set_kind(number, stick.kind)?;
            }
            if stick.stiffness.to_bits() != 1.0_f32.to_bits() {
                sticks.set_stiffness(number, stick.stiffness)?;
            }
        }
        let unseen = marks(self.sticks.iter().map(|stick| stick.unseen).collect());
        let bending = marks(self.sticks.iter().map(|stick| stick.bending).collect());
        let (faces, groups) = (self.faces.into(), self.groups);
        Ok(Model { faces, groups, unseen, bending, ..Model::new(particles, sticks) })
    }
}

/// A column of marks: empty if nothing is marked.
pub(super) fn marks(marks: Vec<bool>) -> Vec<bool> {
    if marks.contains(&true) { marks } else { Vec::new() }
}

/// The inverse of a mass, 1/kg, rounded once.
pub(super) fn inverse_mass(mass: f64) -> Result<f32, ModelError> {
    const SANE: core::ops::RangeInclusive<f64> = 1e-9..=1e9;
    let mass =
        ModelError::check("mass", "the mass of a particle, kg,", mass, SANE, "from 1e-9 to 1e9")?;
    Ok((1.0 / mass) as f32)
}

/// Checks that a quantity is above 0.
pub(super) fn positive(
    key: &'static str,
    what: &'static str,
    value: f32,
) -> Result<f64, ModelError> {
    let sane = (Bound::Excluded(0.0), Bound::Unbounded);
    ModelError::check(key, what, f64::from(value), sane, "above 0 and finite")
}

/// Checks that a quantity is not below 0.
pub(super) fn not_negative(
    key: &'static str,
    what: &'static str,
    value: f32,
) -> Result<f64, ModelError> {
    ModelError::check(key, what, f64::from(value), 0.0.., "at least 0 and finite")
}

/// Checks a share, from 0 to 1.
pub(super) fn share(key: &'static str, what: &'static str, value: f32) -> Result<f64, ModelError> {
    ModelError::check(key, what, f64::from(value), 0.0..=1.0, "from 0 to 1")
}

/// Checks that a count is at least `least`.
pub(super) fn at_least(
    key: &'static str,
    what: &'static str,
    count: usize,
    least: usize,
    must: &'static str,
) -> Result<usize, ModelError> {
    ModelError::check(key, what, count as f64, least as f64.., must)?;
    Ok(count)
}

/// Checks a number of particles before memory is allocated.
pub(super) fn particles_checked(count: u128) -> Result<usize, ModelError> {
    Ok(check_limit("particles", count, PARTICLES_MAX)?)
}

/// Checks the number of particles of a rectangle before memory is allocated.
pub(super) fn rectangle_checked(columns: usize, rows: usize) -> Result<usize, ModelError> {
    particles_checked((columns as u128).saturating_mul(rows as u128))
}

/// Checks a number of sticks before memory is allocated.
pub(super) fn sticks_checked(count: u128) -> Result<usize, ModelError> {
    Ok(check_limit("sticks", count, STICKS_MAX)?)
}
