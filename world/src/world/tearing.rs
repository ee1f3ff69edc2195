//! Tearing sticks and removing their faces and limbs.

use taut_core::{GroupedLists, Sticks};

use super::island::Island;
use super::overstretched::TearLimits;
use super::{World, WorldError};
use crate::model::Model;

impl<const D: usize> Island<D> {
    /// Tears the sticks that are longer than their limits; returns how many were not torn before.
    pub(super) fn tear_overstretched(&mut self) -> usize {
        let Model { particles, sticks, tear_factors, .. } = &mut self.model;
        if tear_factors.is_empty() {
            return 0;
        }
        tear_factors.resize(sticks.len(), f32::INFINITY); // a caller may have shortened the list
        self.tear_limits.refresh(sticks, tear_factors);
        let mut overstretched = core::mem::take(&mut self.overstretched);
        overstretched.clear();
        self.tear_limits.find_overstretched(particles, &mut overstretched);
        let torn = self.tear(&overstretched);
        self.overstretched = overstretched;
        torn
    }

    /// Tears the untorn sticks for whose end positions, m, `tears` is true; returns their number.
    pub(super) fn tear_where(&mut self, tears: impl Fn([[f64; D]; 2]) -> bool) -> usize {
        let Model { particles, sticks, .. } = &self.model;
        let position = |end: u32| particles.position(end as usize).map(f64::from);
        let is_selected = |&stick: &u32| {
            !sticks.is_torn(stick as usize) && tears(sticks.ends()[stick as usize].map(position))
        };
        let selected: Vec<u32> = (0..sticks.len() as u32).filter(is_selected).collect();
        self.tear(&selected)
    }

    /// Tears sticks and removes the faces of which they are an edge, and the limbs around them;
    /// returns how many of the sticks were not torn before. If all were, nothing changes.
    pub(super) fn tear(&mut self, selected: &[u32]) -> usize {
        let sticks = &mut self.model.sticks;
        let mut torn = 0;
        for &stick in selected {
            if !sticks.is_torn(stick as usize) {
                torn += 1;
                self.unrecorded_torn.push(stick);
            }
            sticks.tear(stick as usize).expect("the stick exists");
        }
        if torn > 0 {
            self.wake();
        }
        let Model { sticks, faces, limbs, .. } = &mut self.model;
        if torn > 0 && !(faces.is_empty() && limbs.is_empty()) {
            let is_torn = is_edge_of_any(sticks, selected.iter().copied());
            faces.retain(|[a, b, c]| ![[a, b], [b, c], [c, a]].into_iter().any(&is_torn));
            self.lost_limbs |= limbs.retain(|ends| !is_torn(ends));
        }
        torn
    }

    /// Removes the limbs around all torn sticks: in a new island, or in one that is resumed from a
    /// snapshot without a list of limbs.
    pub(super) fn remove_limbs_at_torn_sticks(&mut self) {
        let Model { sticks, limbs, .. } = &mut self.model;
        if !limbs.is_empty() {
            let torn = (0..sticks.len() as u32).filter(|&stick| sticks.is_torn(stick as usize));
            let is_torn = is_edge_of_any(sticks, torn);
            self.lost_limbs |= limbs.retain(|ends| !is_torn(ends));
        }
    }
}

/// A function that tells whether an edge has the ends of one of these sticks, in either order.
fn is_edge_of_any(
    sticks: &Sticks,
    selected: impl Iterator<Item = u32> + Clone,
) -> impl Fn([u32; 2]) -> bool {
    let sorted = |[a, b]: [u32; 2]| (a.min(b), a.max(b));
    let ends = selected.map(|stick| sorted(sticks.ends()[stick as usize]));
    let ends = GroupedLists::new(sticks.particles(), ends);
    move |edge| {
        let (lower, higher) = sorted(edge);
        // A face may have a corner that is not the number of a particle.
        (lower as usize) < ends.owners() && ends.of(lower).contains(&higher)
    }
}

impl<const D: usize> World<D> {
    /// Tears a stick: it no longer acts. The faces of which it is an edge are removed, which leaves a
    /// hole, and so are limbs around it. The other sticks keep their order, so what is not connected to
    /// the stick keeps its bits. Returns whether the stick was not torn before; if it was, nothing changes.
    ///
    /// The hole is as wide as the one or two faces at the stick; it is not a slit between them. To
    /// open, a slit needs a second particle wherever two torn edges meet, or a torn edge meets the
    /// border. But a plan has a fixed number of particles and fixed ends of sticks. (A finer mesh has
    /// narrower holes.)
    ///
    /// # Errors
    /// No such stick.
    pub fn tear(&mut self, stick: usize) -> Result<bool, WorldError> {
        let Some((island, number)) = self.find_stick(stick)? else { return Ok(false) };
        let torn = self.islands[island].tear(&[number as u32]) > 0;
        self.record_removed();
        Ok(torn)
    }

    /// Tears the untorn sticks for whose end positions, m, `tears` is true; returns their number.
    pub(super) fn tear_where(&mut self, tears: impl Fn([[f64; D]; 2]) -> bool) -> usize {
        let torn = self.islands.iter_mut().map(|island| island.tear_where(&tears)).sum();
        self.record_removed();
        torn
    }

    /// Sets the tear factor of a stick: from now on it tears if at the end of a step it is longer than
    /// `factor` times its rest length; never if `factor` is infinite or NaN, or if the stick only
    /// keeps a minimum distance. Does nothing if the stick was removed by reordering.
    ///
    /// # Errors
    /// No such stick.
    pub fn set_tear_factor(&mut self, stick: usize, factor: f32) -> Result<(), WorldError> {
        let Some((island, number)) = self.find_stick(stick)? else { return Ok(()) };
        let island = &mut self.islands[island];
        island.wake();
        let Model { sticks, tear_factors, .. } = &mut island.model;
        tear_factors.resize(sticks.len(), f32::INFINITY);
        tear_factors[number] = factor;
        island.tear_limits.mark_factors_stale();
        Ok(())
    }

    /// Sets the tear factors of all sticks, by their numbers in the world.
    ///
    /// ```
    /// use taut_scalar::ScalarKernel;
    /// use taut_world::{Model, Scene, StickSet, World};
    ///
    /// let mut scene = Scene::new();
    /// scene.add("sheet", Model::drape(8, StickSet::All)?)?;
    /// let mut world = World::new(&scene, |_| ScalarKernel)?;
    /// world.set_tear_factors(|_stick| 1.5);
    /// world.grab(63)?;
    /// world.drag(63, [3.0, -3.0, 0.0])?; // the lower right corner; the sheet is 0.35 m wide and high
    /// assert!(world.step()?.torn > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_tear_factors(&mut self, factor: impl Fn(usize) -> f32) {
        for (index, island) in self.islands.iter_mut().enumerate() {
            island.wake();
            let numbers = self.sticks.in_island(index).iter();
            let Model { sticks, tear_factors, .. } = &mut island.model;
            *tear_factors = numbers.map(|&stick| factor(stick as usize)).collect();
            if tear_factors.iter().all(|factor| !factor.is_finite()) {
                tear_factors.clear();
            }
            island.tear_limits = TearLimits::new(sticks, tear_factors);
        }
    }

    /// Whether a stick is torn.
    ///
    /// # Panics
    /// If there never was such a stick.
    pub fn is_torn(&self, stick: usize) -> bool {
        self.locate_stick(stick)
            .is_none_or(|(island, number)| self.islands[island].model.sticks.is_torn(number))
    }

    /// Number of torn sticks, including those that were torn from the beginning and those that
    /// reordering removed.
    pub fn torn(&self) -> usize {
        let untorn = |sticks: &Sticks| (0..sticks.len()).filter(|&it| !sticks.is_torn(it)).count();
        let untorn: usize = self.islands.iter().map(|island| untorn(&island.model.sticks)).sum();
        self.sticks.len() - untorn
    }
}
