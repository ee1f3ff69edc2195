//! Parts of a model: the inverse of putting models side by side.

use taut_core::{Duplicates, StickError, Sticks};

use super::{Model, ModelError};

/// Some of the particles of a model, with the sticks, faces and so on between them.
pub(crate) struct Part<const D: usize> {
    pub(crate) model: Model<D>,
    /// The indices of its sticks in the whole model.
    pub(crate) sticks: Vec<u32>,
    /// The numbers of its faces in the whole model.
    pub(crate) faces: Vec<u32>,
}

impl<const D: usize> Model<D> {
    /// The part of a model that consists of the given particles, in ascending order, and of all
    /// sticks, faces, springs, emitters and guides whose particles are all among them. It has all
    /// groups, even those with no particle in the part, but no limbs and no rigid bodies.
    ///
    /// # Errors
    /// If one of the particles does not exist.
    pub(crate) fn part(&self, particles: &[u32]) -> Result<Part<D>, ModelError> {
        let selected = self.particles.selected(particles)?;
        let mut new_indices = vec![None; self.particles.len()];
        for (new, &old) in (0..).zip(particles) {
            new_indices[old as usize] = Some(new);
        }
        let new_of = |old: u32| new_indices.get(old as usize).copied().flatten();
        let new_index = |old: u32| new_of(old).expect("the particle is in the part");
        let are_inside = |particles: &[u32]| particles.iter().all(|&old| new_of(old).is_some());
        let ends = self.sticks.ends().iter();
        let sticks = (0..).zip(ends).filter(|(_, ends)| are_inside(&ends[..]));
        let sticks: Vec<u32> = sticks.map(|(stick, _)| stick).collect();
        let faces = self.faces.numbers().iter().zip(&self.faces);
        let faces = faces.filter(|(_, corners)| are_inside(&corners[..]));
        let faces = faces.map(|(&face, _)| face).collect();
        let emitters = self.emitters.iter().filter(|emitter| are_inside(emitter.particles()));
        let guides = self.guides.iter().filter(|guide| are_inside(guide.particles()));
        let groups = self.groups.iter().map(|(name, group)| {
            (name.clone(), group.iter().filter_map(|&old| new_of(old)).collect())
        });
        let model = Self {
            faces: self.faces.part(particles, new_of),
            radii: selected_entries(&self.radii, particles, 0.0),
            springs: self.springs.part(new_of),
            emitters: emitters.map(|emitter| emitter.renumbered(new_index)).collect(),
            guides: guides.map(|guide| guide.renumbered(new_index)).collect(),
            groups: groups.collect(),
            tear_factors: selected_entries(&self.tear_factors, &sticks, f32::INFINITY),
            tethers: selected_entries(&self.tethers, particles, None),
            hidden_sticks: selected_entries(&self.hidden_sticks, &sticks, false),
            bending: selected_entries(&self.bending, &sticks, false),
            kind: self.kind,
            self_collision: self.self_collision,
            ..Self::new(
                selected,
                sticks_between(&self.sticks, &sticks, particles.len(), new_index)?,
            )
        };
        Ok(Part { model, sticks, faces })
    }

    /// Selects the entries with the given indices of all lists with one value per stick.
    pub(crate) fn select_stick_lists(&mut self, indices: &[u32]) {
        self.tear_factors = selected_entries(&self.tear_factors, indices, f32::INFINITY);
        self.hidden_sticks = selected_entries(&self.hidden_sticks, indices, false);
        self.bending = selected_entries(&self.bending, indices, false);
    }
}

/// The entries with the given indices of a list, which may be empty or too short: missing entries
/// become `absent`. Of an empty list the result is empty, too.
fn selected_entries<T: Copy>(values: &[T], indices: &[u32], absent: T) -> Vec<T> {
    if values.is_empty() {
        return Vec::new();
    }
    indices.iter().map(|&index| values.get(index as usize).copied().unwrap_or(absent)).collect()
}

/// The sticks with the given indices, for a model of `particles` particles. `new_of` maps the old
/// number of each of their ends to the new one.
pub(crate) fn sticks_between(
    sticks: &Sticks,
    indices: &[u32],
    particles: usize,
    new_of: impl Fn(u32) -> u32,
) -> Result<Sticks, StickError> {
    let sticks = sticks.selected(indices)?;
    let ends: Vec<[u32; 2]> = sticks.ends().iter().map(|ends| ends.map(&new_of)).collect();
    let mut part = Sticks::with_rests(particles, &ends, sticks.rests(), Duplicates::Keep)?;
    for stick in 0..sticks.len() {
        if !sticks.is_plain(stick) {
            part.set_kind(stick, sticks.kind(stick))?;
            part.set_stiffness(stick, sticks.stiffness(stick))?;
            part.set_compliance(stick, sticks.compliance(stick))?;
        }
        if sticks.is_torn(stick) {
            part.tear(stick)?;
        }
    }
    Ok(part)
}
