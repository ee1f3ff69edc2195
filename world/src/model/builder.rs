//! The model builder that the other builders use.

use std::collections::BTreeMap;

use taut_core::{Duplicates, Kind, Particles, Sticks};

use super::checks::check_inverse_masses;
use super::{Model, ModelError};
use crate::vector::{difference, length, rounded};

/// A model under construction: particles, sticks, faces and groups, in `f64`.
#[derive(Debug)]
pub(super) struct ModelBuilder<const D: usize> {
    /// The position of each particle, m.
    pub(super) points: Vec<[f64; D]>,
    /// The mass of each particle, kg.
    pub(super) masses: Vec<f64>,
    pub(super) sticks: Vec<Stick>,
    pub(super) faces: Vec<[u32; 3]>,
    groups: BTreeMap<String, Vec<u32>>,
}

/// A stick of a model under construction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stick {
    pub(super) ends: [u32; 2],
    /// Rest length, m.
    pub(super) rest: f64,
    pub(super) kind: Kind,
    pub(super) stiffness: f32,
    /// Whether it is auxiliary and not drawn.
    pub(super) hidden: bool,
    /// Whether it only resists bending.
    pub(super) bending: bool,
}

impl<const D: usize> ModelBuilder<D> {
    pub(super) fn new() -> Self {
        Self {
            points: Vec::new(),
            masses: Vec::new(),
            sticks: Vec::new(),
            faces: Vec::new(),
            groups: BTreeMap::new(),
        }
    }

    /// Adds a particle of a mass, kg, and returns its index.
    pub(super) fn add_particle(&mut self, point: [f64; D], mass: f64) -> u32 {
        self.points.push(point);
        self.masses.push(mass);
        (self.points.len() - 1) as u32
    }

    /// The distance between two particles, m.
    pub(super) fn distance(&self, [a, b]: [u32; 2]) -> f64 {
        length(difference(self.points[b as usize], self.points[a as usize]))
    }

    /// Joins two particles by a plain stick whose rest length is their distance. Returns the stick, so
    /// that the caller can change it.
    pub(super) fn join(&mut self, ends: [u32; 2]) -> &mut Stick {
        let rest = self.distance(ends);
        let (kind, stiffness) = (Kind::TwoSided, 1.0);
        self.sticks.push(Stick { ends, rest, kind, stiffness, hidden: false, bending: false });
        let last = self.sticks.len() - 1;
        &mut self.sticks[last]
    }

    /// Adds particles to a group.
    pub(super) fn add_to_group(&mut self, group: &str, particles: impl IntoIterator<Item = u32>) {
        self.groups.entry(group.to_owned()).or_default().extend(particles);
    }

    /// Rounds positions, masses and rest lengths to `f32`, checks them, and returns the model.
    pub(super) fn build(self) -> Result<Model<D>, ModelError> {
        let points: Vec<[f32; D]> = self.points.iter().map(|&point| rounded(point)).collect();
        let inverse_masses = check_inverse_masses(&self.masses)?;
        let particles = Particles::new(&points, &inverse_masses)?;
        let ends: Vec<[u32; 2]> = self.sticks.iter().map(|stick| stick.ends).collect();
        let rests: Vec<f32> = self.sticks.iter().map(|stick| stick.rest as f32).collect();
        let mut sticks = Sticks::with_rests(points.len(), &ends, &rests, Duplicates::Keep)?;
        for (index, stick) in self.sticks.iter().enumerate() {
            if stick.kind != Kind::TwoSided {
                sticks.set_kind(index, stick.kind)?;
            }
            if stick.stiffness.to_bits() != 1.0_f32.to_bits() {
                sticks.set_stiffness(index, stick.stiffness)?;
            }
        }
        let hidden_sticks = flags_or_empty(self.sticks.iter().map(|stick| stick.hidden).collect());
        let bending = flags_or_empty(self.sticks.iter().map(|stick| stick.bending).collect());
        let (faces, groups) = (self.faces.into(), self.groups);
        Ok(Model { faces, groups, hidden_sticks, bending, ..Model::new(particles, sticks) })
    }
}

/// One flag per stick; empty if none is set.
pub(super) fn flags_or_empty(flags: Vec<bool>) -> Vec<bool> {
    if flags.contains(&true) { flags } else { Vec::new() }
}
