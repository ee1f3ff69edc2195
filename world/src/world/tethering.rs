//! The tethers of an island, computed from its rest shape, torn sticks and pins.

use taut_core::{Cursor, Delta, Engine, Particles, Renumbering};

use super::{ModelRange, World};
use crate::emitter::Emitter;
use crate::error::ModelError;
use crate::model::{ANCHORS_MAX, Model, Part, Tethers};
use crate::settings::StepTime;
use crate::tether::{RestShape, TETHER_SPEED_MAX, Tether, TetherColumns, TetherList};

/// The tethers of an island.
#[derive(Debug)]
pub(super) struct Tethering<const D: usize> {
    /// The rest shape: the models as they were when the world was created, with the current
    /// torn sticks and rest lengths. It is numbered model by model, so that a model's tethers do
    /// not depend on the other models of the island.
    rest_model: Model<D>,
    /// The number in `rest_model` of the first particle of each model.
    first_particles: Vec<u32>,
    /// For each particle of `rest_model` whether it belongs to an emitter; empty if there is none. Such
    /// particles are no pins: they have no sticks, and their inverse masses change at each birth and death.
    is_emitted: Vec<bool>,
    /// For each stick of the island its number in `rest_model`.
    stick_of: Vec<u32>,
    /// Up to where changes of the island's sticks have been read.
    stick_cursor: Option<Cursor>,
    /// The pins for which the tethers were built, by their numbers in `rest_model`: the particles that
    /// are pinned and not grabbed, and those in `tied`. None if the tethers must be built.
    pins: Option<Vec<u32>>,
    /// The particles that are anchors because they are tied, by their numbers in the island, in
    /// ascending order.
    tied: Vec<u32>,
    /// The anchors of tethers, by their numbers in the island.
    anchors: Vec<u32>,
    /// The anchors that move freely, because they are tied but not pinned: their indices in `anchors`,
    /// and their positions at the beginning of the last substep, m.
    moving: Vec<(usize, [f32; D])>,
    /// The tethers, laid out for the stage that enforces them.
    columns: TetherColumns<D>,
}

impl<const D: usize> Tethering<D> {
    /// The tethering of models side by side, whose particle counts are `lens`; None if no model has
    /// tethers.
    pub(super) fn new(models: &Model<D>, lens: impl IntoIterator<Item = usize>) -> Option<Self> {
        if models.tethers.iter().all(Option::is_none) {
            return None;
        }
        let mut rest_model = Model::new(models.particles.clone(), models.sticks.clone());
        rest_model.sheet.clone_from(&models.sheet);
        rest_model.faces.clone_from(&models.faces);
        rest_model.bending.clone_from(&models.bending);
        rest_model.tethers.clone_from(&models.tethers);
        rest_model.emitters.clone_from(&models.emitters);
        let first_particles = lens.into_iter().scan(0, |end, len| {
            let first = *end as u32;
            *end += len;
            Some(first)
        });
        let stick_of = (0..models.sticks.len() as u32).collect();
        Some(Self::without_tethers(first_particles.collect(), rest_model, stick_of))
    }

    /// The tethering of a rest model; it has no tethers until the first [`refresh`](Self::refresh).
    fn without_tethers(
        first_particles: Vec<u32>,
        rest_model: Model<D>,
        stick_of: Vec<u32>,
    ) -> Self {
        let mut is_emitted = Vec::new();
        for &particle in rest_model.emitters.iter().flat_map(Emitter::particles) {
            is_emitted.resize(rest_model.particles.len(), false);
            is_emitted[particle as usize] = true;
        }
        Self {
            first_particles,
            is_emitted,
            rest_model,
            stick_of,
            stick_cursor: None,
            pins: None,
            tied: Vec::new(),
            anchors: Vec::new(),
            moving: Vec::new(),
            columns: TetherColumns::default(),
        }
    }

    /// Adapts to a new plan that has only the sticks `kept`; marks the other sticks as torn in
    /// `rest_model`.
    pub(super) fn keep_sticks(&mut self, kept: &[u32]) {
        let remaining: Vec<u32> = kept.iter().map(|&stick| self.stick_of[stick as usize]).collect();
        let mut remains = vec![false; self.rest_model.sticks.len()];
        for &stick in &remaining {
            remains[stick as usize] = true;
        }
        for stick in core::mem::replace(&mut self.stick_of, remaining) {
            if !remains[stick as usize] {
                self.rest_model.sticks.tear(stick as usize).ok();
            }
        }
        self.pins = None;
        self.stick_cursor = None;
        self.columns.forget_slots();
    }

    /// The tethering of a part of the island that consists of whole models: `particles` are its
    /// particles by their numbers in `rest_model`, `sticks` its sticks by their numbers in the
    /// island, both in ascending order.
    pub(super) fn part(&self, particles: &[u32], sticks: &[u32]) -> Result<Self, ModelError> {
        let Part { model: rest_model, sticks: rest_sticks, .. } =
            self.rest_model.part(particles)?;
        let number_in_part = |stick: &u32| {
            let old = self.stick_of[*stick as usize];
            rest_sticks.partition_point(|&it| it < old) as u32
        };
        let rank = |particle: &u32| particles.binary_search(particle).ok();
        let first_particles = self.first_particles.iter().filter_map(rank);
        let first_particles = first_particles.map(|it| it as u32).collect();
        let stick_of = sticks.iter().map(number_in_part).collect();
        Ok(Self::without_tethers(first_particles, rest_model, stick_of))
    }

    /// Adapts to a new plan of the same sticks.
    pub(super) fn replan(&mut self) {
        self.columns.forget_slots();
    }

    /// Sets the particles that are anchors because they are tied, by their numbers in the island, in
    /// ascending order.
    pub(super) fn set_tied(&mut self, tied: Vec<u32>) {
        self.tied = tied;
    }

    /// Number of tethers.
    pub(super) fn count(&self) -> usize {
        self.columns.count()
    }

    /// Updates the tethers after changes of pins, tears and rest lengths. `grabbed` are the grabbed
    /// particles of the island, which do not count as pins.
    pub(super) fn refresh(
        &mut self,
        model: &Model<D>,
        renumbering: Option<&Renumbering>,
        grabbed: &[u32],
    ) {
        let new_of = |old: u32| renumbering.map_or(old, |it| it.new_of(old));
        let inverse_masses = model.particles.inverse_masses();
        let rest_changed = self.apply_stick_changes(model);
        let is_pin = |&particle: &u32| {
            let number = new_of(particle);
            let is_pinned = inverse_masses[number as usize] == 0.0;
            let is_emitted = self.is_emitted.get(particle as usize).is_some_and(|&it| it);
            (is_pinned && !is_emitted && !grabbed.contains(&number))
                || self.tied.binary_search(&number).is_ok()
        };
        let pins = (0..inverse_masses.len() as u32).filter(is_pin);
        let has_same_pins =
            self.pins.as_ref().is_some_and(|old| old.iter().copied().eq(pins.clone()));
        if rest_changed || !has_same_pins {
            let pins: Vec<u32> = pins.collect();
            self.build(&pins, new_of, &model.particles);
            self.pins = Some(pins);
        }
    }

    /// Copies to the rest model which sticks are torn, and the rest lengths; returns whether any
    /// changed.
    fn apply_stick_changes(&mut self, model: &Model<D>) -> bool {
        let Self { rest_model, stick_of, stick_cursor, .. } = self;
        let sticks = &model.sticks;
        let mut rest_changed = false;
        let mut apply = |stick: u32| {
            let stick = stick as usize;
            // If a caller replaced the sticks, the plan reports it.
            let Some(&old) = stick_of.get(stick) else { return };
            let old = old as usize;
            if sticks.is_torn(stick) != rest_model.sticks.is_torn(old) {
                let changed = if sticks.is_torn(stick) {
                    rest_model.sticks.tear(old)
                } else {
                    rest_model.sticks.mend(old)
                };
                rest_changed |= changed.is_ok();
            }
            let length = sticks.rest(stick);
            if length.to_bits() != rest_model.sticks.rest(old).to_bits() {
                rest_changed |= rest_model.sticks.set_rest(old, length).is_ok();
            }
        };
        match stick_cursor.map_or(Delta::Everything, |cursor| sticks.changes().since(cursor)) {
            Delta::Entries(entries) => entries.iter().copied().for_each(apply),
            Delta::Everything | Delta::ForeignCursor => {
                (0..sticks.len() as u32).for_each(&mut apply);
            }
        }
        *stick_cursor = Some(sticks.changes().now());
        rest_changed
    }

    /// Builds the tethers to `pins`, which are particle numbers in the rest model; `new_of` maps
    /// such numbers to those in the island. `particles` are the particles of the island.
    fn build(&mut self, pins: &[u32], new_of: impl Fn(u32) -> u32, particles: &Particles<D>) {
        let tethers = &self.rest_model.tethers;
        let tethers_of = |particle: usize| tethers.get(particle).copied().flatten();
        let shape = RestShape::of(&self.rest_model);
        // Groups of pins that are connected by edges.
        let clusters = shape.clusters(pins);
        let model_of = |cluster: &[u32]| {
            let particle = cluster[0];
            self.first_particles.partition_point(|&first| first <= particle)
        };
        // There are at most as many searches as a particle may have anchors: if a model has more
        // clusters, several consecutive ones are sources of one search. Models share searches, because
        // no path leads from one model to another.
        let mut searches: Vec<Vec<u32>> = Vec::new();
        for model_clusters in clusters.chunk_by(|one, next| model_of(one) == model_of(next)) {
            let per_search = model_clusters.len().div_ceil(ANCHORS_MAX as usize);
            for (nth, clusters) in model_clusters.chunks(per_search).enumerate() {
                if nth == searches.len() {
                    searches.push(Vec::new());
                }
                searches[nth].extend(clusters.iter().flatten());
            }
        }
        // For each particle, from each search that reached it: the distance of the nearest pin, m, and
        // the pin.
        let mut nearest_pins: Vec<Vec<(f32, u32)>> = vec![Vec::new(); particles.len()];
        for sources in searches {
            let nearest = shape.distances_from(&sources);
            for (found, nearest) in nearest_pins.iter_mut().zip(nearest) {
                if nearest.distance.is_finite() && nearest.distance > 0.0 {
                    found.push((nearest.distance, nearest.source));
                }
            }
        }

        let mut lists: Vec<TetherList> = Vec::new();
        // For each pin its index in `anchors`, or `u32::MAX`.
        let mut anchor_of = vec![u32::MAX; particles.len()];
        self.anchors.clear();
        for (particle, nearest) in nearest_pins.iter_mut().enumerate() {
            let Some(Tethers { slack, anchors }) = tethers_of(particle) else { continue };
            if pins.binary_search(&(particle as u32)).is_ok() {
                continue;
            }
            // The sort is stable: clusters that are equally near keep their order.
            nearest.sort_by(|(a, _), (b, _)| a.total_cmp(b));
            nearest.truncate(anchors as usize);
            let number = new_of(particle as u32) as usize;
            for (nth, &(distance, pin)) in nearest.iter().enumerate() {
                if nth == lists.len() {
                    lists.push(TetherList {
                        length: vec![f32::INFINITY; particles.len()],
                        anchor: vec![0; particles.len()],
                    });
                }
                let anchor = &mut anchor_of[pin as usize];
                if *anchor == u32::MAX {
                    *anchor = self.anchors.len() as u32;
                    self.anchors.push(new_of(pin));
                }
                lists[nth].length[number] = distance * slack;
                lists[nth].anchor[number] = *anchor;
            }
        }
        let positions = self.anchors.iter().map(|&it| particles.position(it as usize));
        self.columns = TetherColumns::new(lists, positions.collect());
    }

    /// Reads the current positions of the anchors through the plan.
    pub(super) fn update_anchor_positions(
        &mut self,
        engine: &dyn Engine<D>,
        particles: &Particles<D>,
    ) {
        let positions = self.anchors.iter().map(|&it| engine.position(particles, it as usize));
        self.columns.set_anchor_positions(positions);
    }

    /// Finds the anchors that move freely, and their previous positions, at the beginning of a step.
    pub(super) fn begin_step(&mut self, particles: &Particles<D>) {
        self.moving.clear();
        if self.tied.is_empty() {
            return;
        }
        for (nth, &anchor) in self.anchors.iter().enumerate() {
            let anchor = anchor as usize;
            if particles.inverse_masses()[anchor] > 0.0 {
                let previous = core::array::from_fn(|axis| particles.previous(axis)[anchor]);
                self.moving.push((nth, previous));
            }
        }
    }

    /// Sets the positions of anchors that move freely to where they will be at the end of the
    /// substep if they move as in the last one.
    pub(super) fn predict_tied_anchors(
        &mut self,
        engine: &dyn Engine<D>,
        particles: &Particles<D>,
    ) {
        let Self { anchors, moving, columns, .. } = self;
        let predicted = moving.iter_mut().map(|(nth, before)| {
            let now = engine.position(particles, anchors[*nth] as usize);
            let before = core::mem::replace(before, now);
            (*nth, core::array::from_fn(|axis| now[axis] + (now[axis] - before[axis])))
        });
        columns.move_anchors(predicted);
    }

    /// The stage that enforces the tethers in a substep; None if there are none.
    pub(super) fn stage(&self, now: &StepTime<D>) -> Option<Tether<'_, D>> {
        let correction_max = TETHER_SPEED_MAX * now.h;
        (!self.anchors.is_empty()).then_some(Tether { columns: &self.columns, correction_max })
    }
}

/// The particles of a model that should have tethers but are not connected to a pin.
pub(super) fn untethered_particles<const D: usize>(
    model: &Model<D>,
    is_pin: impl Fn(u32) -> bool,
) -> Vec<u32> {
    if model.tethers.is_empty() {
        return Vec::new();
    }
    let all: Vec<u32> = (0..model.particles.len() as u32).collect();
    let mut unpinned = RestShape::of(model).clusters(&all);
    unpinned.retain(|cluster| !cluster.iter().any(|&it| is_pin(it)));
    let mut untethered = unpinned.concat();
    untethered.retain(|&it| model.tethers.get(it as usize).is_some_and(Option::is_some));
    untethered
}

impl<const D: usize> World<D> {
    /// For each model whose island has tethers: how many of the particles that should have a tether
    /// lack one.
    pub(super) fn untethered(&self) -> Vec<(&ModelRange, usize)> {
        let mut found = Vec::new();
        let tied = self.tied_anchors();
        for (index, island) in self.islands.iter().enumerate() {
            let Some(tethering) = &island.tethering else { continue };
            let inverse_masses = island.model.particles.inverse_masses();
            let grabbed = self.grabbed_in(index);
            let is_pin = |particle| {
                let number = island.number_of(particle);
                (inverse_masses[number as usize] == 0.0 && !grabbed.contains(&number))
                    || tied.contains(&(index, number))
            };
            let untethered = untethered_particles(&tethering.rest_model, is_pin);
            let mut first = 0;
            for model in self.models.iter().filter(|model| model.island == index) {
                let range = first..first + model.particles.len() as u32;
                first = range.end;
                found.push((model, untethered.iter().filter(|&it| range.contains(it)).count()));
            }
        }
        found
    }

    /// Number of tethers in the last step; 0 before the first step.
    pub fn tether_count(&self) -> usize {
        self.islands
            .iter()
            .filter_map(|island| island.tethering.as_ref())
            .map(Tethering::count)
            .sum()
    }

    /// Updates tethers after changes of pins, ties, tears and rest lengths.
    pub(super) fn refresh_tethers(&mut self) {
        let tied_changed = self.refresh_tied_anchors();
        let held_changed = core::mem::take(&mut self.held_changed) || tied_changed;
        for index in 0..self.islands.len() {
            // The tethers of an island that sleeps are refreshed when it wakes.
            if !self.islands[index].is_asleep() {
                self.refresh_tethers_of(index, held_changed);
            }
        }
    }

    /// The grabbed particles of an island, by their numbers in it.
    fn grabbed_in(&self, index: usize) -> Vec<u32> {
        let grabbed = self.held.iter().filter(|(_, held)| held.grabbed);
        let located = grabbed.map(|(&particle, _)| self.locate(particle));
        let in_island = located.filter(|(island, _)| *island == index);
        in_island.map(|(_, number)| number as u32).collect()
    }

    /// Updates the tethers of an island; see [`Island::refresh_tethers`](super::Island).
    pub(super) fn refresh_tethers_of(&mut self, index: usize, held_changed: bool) {
        let grabbed = self.grabbed_in(index);
        self.islands[index].refresh_tethers(&grabbed, held_changed);
    }
}
