//! Which models of a scene share an island.

use std::collections::BTreeMap;

use taut_core::{Copies, Schedule, Sheet};

use crate::model::{Model, Order, schedule_of};

/// The fewest equal regular sheets of [`Sheet::FASTER_FROM_WIDTH`] columns and more that get an island
/// of their own, in which a kernel may take a lane for each: from here on that is faster than each
/// sheet on a kernel for sheets. For other models the fewest are [`Copies::FASTER_FROM`].
const SHEET_COPIES_MIN: usize = 16;
/// Regular sheets of this many columns and more are faster one by one.
const WIDE: usize = 48;

/// Models that share an island, with their numbers in the scene, and their schedules.
pub(crate) struct IslandModels<'a, const D: usize> {
    pub(crate) models: Vec<(usize, &'a Model<D>)>,
    pub(crate) schedules: Vec<Schedule>,
    /// Whether all have the same ends of sticks and the same schedule.
    pub(crate) copies: bool,
}

impl<'a, const D: usize> IslandModels<'a, D> {
    fn new(copies: bool) -> Self {
        Self { models: Vec::new(), schedules: Vec::new(), copies }
    }

    fn add(&mut self, (number, model, schedule): Scheduled<'a, D>) {
        self.models.push((number, model));
        self.schedules.push(schedule);
    }
}

/// A model, its number in the scene, and its schedule.
type Scheduled<'a, const D: usize> = (usize, &'a Model<D>, Schedule);

/// One group for each regular sheet, except narrow ones that are copies; then one for each set of
/// copies; then one of all other models.
///
/// The groups do not depend on the kernels that run them, because a snapshot of a world resumes on
/// any kernel and stores the state of each island.
pub(crate) fn groups<'a, const D: usize>(
    models: impl Iterator<Item = &'a Model<D>>,
    order: Option<Order>,
) -> Vec<IslandModels<'a, D>> {
    let (mut copies, mut rest) = (Vec::new(), Vec::new());
    let mut alike: BTreeMap<_, Vec<Vec<Scheduled<'_, D>>>> = BTreeMap::new();
    for (number, model) in models.enumerate() {
        let schedule = schedule_of(model, order);
        let scheduled = (number, model, schedule);
        if copies_min(model).is_none() {
            rest.push(scheduled);
            continue;
        }
        // Equal keys need not mean equal models.
        let sets = alike.entry(key(model)).or_default();
        match sets.iter_mut().find(|set| set[0].2 == scheduled.2) {
            Some(set) => set.push(scheduled),
            None => sets.push(vec![scheduled]),
        }
    }
    let mut sets: Vec<Vec<Scheduled<'_, D>>> = alike.into_values().flatten().collect();
    sets.sort_by_key(|set| set[0].0);
    for set in sets {
        if copies_min(set[0].1).is_some_and(|min| set.len() >= min) {
            let mut group = IslandModels::new(true);
            for scheduled in set {
                group.add(scheduled);
            }
            copies.push(group);
        } else {
            rest.extend(set);
        }
    }
    // In the order of the scene.
    rest.sort_by_key(|(number, ..)| *number);
    let (mut sheets, mut others) = (Vec::new(), IslandModels::new(false));
    for scheduled in rest {
        if scheduled.1.sheet.is_some() {
            let mut group = IslandModels::new(false);
            group.add(scheduled);
            sheets.push(group);
        } else {
            others.add(scheduled);
        }
    }
    let others = Some(others).filter(|group| !group.models.is_empty());
    sheets.into_iter().chain(copies).chain(others).collect()
}

/// Whether so many of these models are alike that some [may be copies](groups) with an island of
/// their own.
pub(crate) fn may_have_copies<'a, const D: usize>(
    models: impl Iterator<Item = &'a Model<D>>,
) -> bool {
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    models.filter_map(|model| Some((model, copies_min(model)?))).any(|(model, min)| {
        let count = counts.entry(key(model)).or_default();
        *count += 1;
        *count >= min
    })
}

/// The fewest copies of a model that share an island; `None` if they never do.
fn copies_min<const D: usize>(model: &Model<D>) -> Option<usize> {
    let Model { sticks, particles, bodies, tethers, .. } = model;
    let width = model.sheet.as_ref().map_or(0, Sheet::width);
    match width {
        // Contacts of bodies take turns with the sticks, in columns: transposes would cost more than
        // the few sticks of a body gain.
        _ if sticks.is_empty() || !bodies.is_empty() => None,
        // Copies have the same sticks side by side, so these must name all particles.
        _ if sticks.particles() != particles.len() => None,
        // Tethers of a sheet know its rows and columns, which several sheets do not have.
        1.. if tethers.iter().any(Option::is_some) => None,
        0..Sheet::FASTER_FROM_WIDTH => Some(Copies::FASTER_FROM),
        Sheet::FASTER_FROM_WIDTH..WIDE => Some(SHEET_COPIES_MIN),
        _ => None,
    }
}

/// Models with the same sticks have the same key.
fn key<const D: usize>(model: &Model<D>) -> (usize, usize, u64) {
    let Model { particles, sticks, .. } = model;
    (particles.len(), sticks.particles(), sticks.fingerprint())
}
