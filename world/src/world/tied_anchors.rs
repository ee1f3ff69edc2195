//! Tied particles that are anchors of tethers.

use std::collections::{BTreeMap, BTreeSet};

use taut_core::{Changes, Cursor, Delta, Kind};

use super::World;
use crate::body::WeightedPoint;
use crate::scene::Scene;

/// A tied particle is an anchor only if the other end of its tie is pinned, or the mass of that other
/// end is at least this multiple of the mass of the particle's model. A tether does not pull its anchor,
/// so the other end must be heavy enough not to be moved by the model.
const MASS_RATIO_MIN: f64 = 10.0;

/// Up to where the world has read the changes that decide which tied particles are anchors.
#[derive(Debug, Default)]
pub(super) struct AnchorCursors {
    /// For each island, up to where its changes of masses have been read.
    mass_cursors: Vec<Cursor>,
    /// Number of ties that were not broken when the changes were read.
    unbroken_ties: usize,
}

/// Whether a tie keeps its ends at one point.
fn keeps_together(kind: Kind, distance: f32) -> bool {
    distance == 0.0 && kind.pulls()
}

/// Whether the other end of a tie is heavy enough: `inverse_mass` is its inverse mass, 1/kg, and
/// `model_mass` the mass of the model of the tied particle, kg.
fn is_heavy(inverse_mass: f32, model_mass: impl FnOnce() -> f64) -> bool {
    let inverse_mass = f64::from(inverse_mass);
    inverse_mass == 0.0 || MASS_RATIO_MIN * model_mass() * inverse_mass <= 1.0
}

/// The particle at which a point is; None if the point is a mean of several particles.
fn only_particle(point: &WeightedPoint) -> Option<u32> {
    let mut terms = point.terms();
    let (particle, _) = terms.next()?;
    terms.next().is_none().then_some(particle)
}

impl<const D: usize> Scene<D> {
    /// The tied particles that will be anchors, as pairs of a model and the particle's number in it.
    pub(super) fn tied_anchors(&self) -> BTreeSet<(usize, u32)> {
        let models: Vec<_> = self.models().map(|(_, model)| model).collect();
        let mut model_masses = BTreeMap::new();
        let ends = self.ties().iter().flat_map(|tie| [(tie, 0), (tie, 1)]);
        let anchors = ends.filter_map(|(tie, end)| {
            let [own, other] = [end, 1 - end].map(|end| tie.models[end]);
            let particle = only_particle(&tie.points[end])?;
            let inverse_mass = tie.points[1 - end].inverse_mass(&models[other].particles);
            let mut mass = || *model_masses.entry(own).or_insert_with(|| models[own].mass());
            let is_anchor =
                keeps_together(tie.kind, tie.distance) && is_heavy(inverse_mass, &mut mass);
            is_anchor.then_some((own, particle))
        });
        anchors.collect()
    }
}

impl<const D: usize> World<D> {
    /// The tied particles that are anchors, as pairs of an island and the particle's number in it.
    pub(super) fn tied_anchors(&self) -> BTreeSet<(usize, u32)> {
        let mut model_masses = BTreeMap::new();
        let mut mass_of = |model: usize| {
            *model_masses.entry(model).or_insert_with(|| {
                let particles = self.models[model].particles.clone();
                let free = particles.map(|it| self.inverse_mass(it)).filter(|&w| w > 0.0);
                free.map(|w| 1.0 / f64::from(w)).sum::<f64>()
            })
        };
        let unbroken = self.ties.iter().filter(|tie| !tie.broken);
        let ends = unbroken.flat_map(|tie| [(tie, 0), (tie, 1)]);
        let anchors = ends.filter_map(|(tie, end)| {
            let particle = only_particle(&tie.points[end])?;
            let other = &self.islands[tie.islands[1 - end]].model.particles;
            let inverse_mass = tie.points[1 - end].inverse_mass(other);
            let is_anchor = keeps_together(tie.kind, tie.distance)
                && is_heavy(inverse_mass, || mass_of(tie.models[end]));
            is_anchor.then_some((tie.islands[end], particle))
        });
        anchors.collect()
    }

    /// If masses changed or ties broke, finds the tied anchors of all tethers again. Returns whether it
    /// did.
    pub(super) fn refresh_tied_anchors(&mut self) -> bool {
        if self.ties.is_empty() || self.islands.iter().all(|it| it.tethering.is_none()) {
            return false;
        }
        let unbroken_ties = self.ties.iter().filter(|tie| !tie.broken).count();
        let AnchorCursors { mass_cursors, unbroken_ties: unbroken_before } = &self.anchor_cursors;
        let changes = || self.islands.iter().map(|it| it.model.particles.mass_changes());
        let is_unchanged =
            |(cursor, changes): (&Cursor, &Changes)| changes.since(*cursor) == Delta::Entries(&[]);
        let is_current =
            unbroken_ties == *unbroken_before && mass_cursors.len() == self.islands.len();
        if is_current && mass_cursors.iter().zip(changes()).all(is_unchanged) {
            return false;
        }
        let mass_cursors = changes().map(Changes::now).collect();
        self.anchor_cursors = AnchorCursors { mass_cursors, unbroken_ties };
        let anchors = self.tied_anchors();
        for (index, island) in self.islands.iter_mut().enumerate() {
            if let Some(tethering) = &mut island.tethering {
                let anchors = anchors.range((index, 0)..(index + 1, 0));
                tethering.set_tied(anchors.map(|&(_, number)| number).collect());
            }
        }
        true
    }
}
