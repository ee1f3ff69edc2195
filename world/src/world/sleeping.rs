//! Sleeping: islands at rest are skipped.

use super::{Island, ModelRange, World};
use crate::disjoint_sets::DisjointSets;
use crate::scene::Scene;
use crate::settings::StepTime;
use crate::sleep::Sleep;
use crate::sweep::{self, BoundingBox};
use crate::vector::to_f64;

/// The settings of sleeping, and reused buffers.
#[derive(Clone, Debug)]
pub(super) struct Sleeping<const D: usize> {
    settings: Sleep,
    /// For each island, whether it may sleep in this step.
    may_sleep: Vec<bool>,
    /// The boxes of islands, for the broad phase.
    boxes: Vec<BoundingBox<D>>,
    /// The groups of islands that are tied or near each other.
    groups: DisjointSets,
}

impl<const D: usize> Sleeping<D> {
    fn new(settings: Sleep) -> Self {
        Self { settings, may_sleep: Vec::new(), boxes: Vec::new(), groups: DisjointSets::default() }
    }

    /// Decides which islands sleep in the step that begins. Returns whether all do.
    ///
    /// Islands that are tied or near each other form groups. A group sleeps if all its islands may
    /// sleep; otherwise all of them are awake. So nothing that moves is near an island that sleeps,
    /// and two islands never wake each other in turn.
    fn update(&mut self, world: &mut World<D>, step: &StepTime<D>) -> bool {
        self.may_sleep.clear();
        for index in 0..world.islands.len() {
            self.may_sleep.push(world.may_sleep(index, self.settings, step));
        }
        let all_may_sleep = self.may_sleep.iter().all(|&it| it);
        if !all_may_sleep && self.may_sleep.contains(&true) {
            self.find_groups(world);
            self.keep_groups_awake();
        }
        for (island, &may_sleep) in world.islands.iter_mut().zip(&self.may_sleep) {
            match (island.is_asleep(), may_sleep) {
                (true, false) => island.wake(),
                (false, true) => island.fall_asleep(),
                _ => {}
            }
        }
        all_may_sleep
    }

    /// Finds the groups of islands that are tied or near each other.
    fn find_groups(&mut self, world: &World<D>) {
        let Self { boxes, groups, .. } = self;
        groups.reset(world.islands.len());
        for tie in world.ties.iter().filter(|tie| !tie.broken) {
            groups.unite(tie.islands.map(|island| island as u32));
        }
        let contact_bounds = |index: usize| {
            let Island { model, sleep_state, .. } = &world.islands[index];
            sleep_state.as_ref()?.contact_bounds(model, &world.settings, world.time)
        };
        boxes.clear();
        boxes.extend((0..world.islands.len()).filter_map(|object| {
            let [low, high] = contact_bounds(object)?;
            Some(BoundingBox { object, low: to_f64(low), high: to_f64(high) })
        }));
        let may_collide = |one: usize, other: usize| {
            let [one, other] = [one, other]
                .map(|index| world.islands[index].sleep_state.as_ref()?.self_collision());
            one.zip(other).is_some_and(|(one, other)| one.collides_with(other))
        };
        // Of many islands in one pile, almost all pairs are near each other, so the pairs are not stored.
        sweep::for_each_pair(boxes, |one, other| {
            if may_collide(one, other) {
                groups.unite([one, other].map(|island| island as u32));
            }
        });
    }

    /// Keeps all islands of a group awake if one of them may not sleep.
    fn keep_groups_awake(&mut self) {
        let Self { may_sleep, groups, .. } = self;
        for index in 0..may_sleep.len() {
            let root = groups.root(index as u32) as usize;
            may_sleep[root] &= may_sleep[index];
        }
        for index in 0..may_sleep.len() {
            may_sleep[index] = may_sleep[groups.root(index as u32) as usize];
        }
    }
}

impl<const D: usize> World<D> {
    /// Prepares the islands of a scene whose models may sleep.
    pub(super) fn prepare_sleeping(&mut self, scene: &Scene<D>) {
        self.sleeping = scene.sleep.map(Sleeping::new);
        if self.sleeping.is_none() {
            return;
        }
        for island in &mut self.islands {
            island.allow_sleep();
        }
        for ((_, model), range) in scene.models().zip(&self.models) {
            if let (Some(settings), Some(sleep_state)) =
                (model.resolved_self_collision(), &mut self.islands[range.island].sleep_state)
            {
                sleep_state.add_self_collision(&settings);
            }
        }
    }

    /// The settings of [sleeping](Sleep), which are those of the scene; None if models do not sleep.
    pub fn sleep(&self) -> Option<Sleep> {
        self.sleeping.as_ref().map(|it| it.settings)
    }

    /// Whether a model is [asleep](Sleep): it does not move, and steps skip it. False if there is no
    /// model of that name.
    pub fn is_asleep(&self, model: &str) -> bool {
        self.model_range(model).is_some_and(|model| self.islands[model.island].is_asleep())
    }

    /// The names of the models that are [asleep](Sleep), in the order of the scene.
    pub fn sleeping_models(&self) -> impl Iterator<Item = &str> {
        let is_asleep = |model: &&ModelRange| self.islands[model.island].is_asleep();
        self.models.iter().filter(is_asleep).map(|model| &*model.name)
    }

    /// Wakes all models, for example because a force or obstacle has changed in a way that the world
    /// cannot detect.
    pub fn wake_all(&mut self) {
        for island in &mut self.islands {
            island.wake();
        }
    }

    /// Wakes an island; if it sleeps, also all islands of its group, because they may rest on it.
    pub(super) fn wake_group(&mut self, island: usize) {
        let sleeping = self.sleeping.take_if(|_| self.islands[island].is_asleep());
        if let Some(mut sleeping) = sleeping {
            sleeping.find_groups(self);
            let group = sleeping.groups.root(island as u32);
            for (index, other) in (0..).zip(&mut self.islands) {
                if sleeping.groups.root(index) == group {
                    other.wake();
                }
            }
            self.sleeping = Some(sleeping);
        }
        self.islands[island].wake();
    }

    /// Decides which islands sleep in the step that begins. Returns whether all do.
    pub(super) fn update_sleep(&mut self, step: &StepTime<D>) -> bool {
        let Some(mut sleeping) = self.sleeping.take() else { return false };
        let all_sleep = sleeping.update(self, step);
        self.sleeping = Some(sleeping);
        all_sleep
    }

    /// Whether an island may sleep in the step that begins, regardless of other islands. Updates its
    /// quiet time if it is awake.
    fn may_sleep(&mut self, index: usize, sleep: Sleep, step: &StepTime<D>) -> bool {
        let Island { model, sleep_state: Some(state), .. } = &mut self.islands[index] else {
            return false;
        };
        if !state.is_asleep() {
            let particles = &model.particles;
            if state.update_quiet_time(particles, sleep.radius(), step.duration) < sleep.time {
                return false;
            }
            state.update_bounds(particles);
        }
        let bounds = state.bounds();
        model.emitters.is_empty()
            && model.guides.is_empty()
            && self.forces.iter().all(|it| it.is_steady() || !it.acts_on(model))
            && !self
                .obstacles
                .iter()
                .any(|it| it.may_collide_with(model) && it.may_push(&bounds, step))
    }
}
