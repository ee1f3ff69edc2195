//! Which models of a scene share an island.

use std::collections::BTreeMap;

use taut_core::{Copies, Schedule, Sheet};

use crate::model::{Model, Order, schedule_of};

/// Smallest number of copies of a medium regular sheet (from [`MEDIUM_COLUMNS`] to below
/// [`WIDE_COLUMNS`] columns) that share an island, in which a kernel may relax one copy per lane.
/// With fewer copies that is slower. For narrower sheets and other models the number is
/// [`Copies::FASTER_FROM`].
const SHEET_COPIES_MIN: usize = 16;
/// Number of columns from which a regular sheet is medium.
const MEDIUM_COLUMNS: usize = 24;
/// Regular sheets of at least this many columns are faster if each has an island of its own.
const WIDE_COLUMNS: usize = 48;

/// Models that share an island, with their indices in the scene, and their schedules.
pub(crate) struct IslandModels<'a, const D: usize> {
    pub(crate) models: Vec<(usize, &'a Model<D>)>,
    pub(crate) schedules: Vec<Schedule>,
    /// If the models are copies (with the same stick ends and the same schedule): how many copies an
    /// island of copies must have at least.
    pub(crate) copies_min: Option<usize>,
}

impl<'a, const D: usize> IslandModels<'a, D> {
    fn new(copies_min: Option<usize>) -> Self {
        Self { models: Vec::new(), schedules: Vec::new(), copies_min }
    }

    fn add(&mut self, (index, model, schedule): ScheduledModel<'a, D>) {
        self.models.push((index, model));
        self.schedules.push(schedule);
    }
}

/// A model, its index in the scene, and its schedule.
type ScheduledModel<'a, const D: usize> = (usize, &'a Model<D>, Schedule);

/// Groups the models of a scene into islands: one group for each regular sheet that is not in a set
/// of copies, then one for each set of copies, then one of all other models. If models sleep, each
/// model that can sleep alone has a group of its own, among those of the sheets. All models with
/// limbs share a group: if there are several of them, a sheet with limbs has no group of its own.
///
/// The groups do not depend on the kernels that run them, because a snapshot of a world resumes on
/// any kernel and stores the state of each island.
pub(crate) fn group_models<'a, const D: usize>(
    models: impl Iterator<Item = &'a Model<D>>,
    order: Option<Order>,
    sleeps: bool,
) -> Vec<IslandModels<'a, D>> {
    let (mut copies, mut rest) = (Vec::new(), Vec::new());
    let mut with_limbs = 0;
    let mut sets_by_key: BTreeMap<_, Vec<Vec<ScheduledModel<'_, D>>>> = BTreeMap::new();
    for (index, model) in models.enumerate() {
        with_limbs += usize::from(!model.limbs.is_empty());
        let schedule = schedule_of(model, order);
        let scheduled = (index, model, schedule);
        if sleeps_alone(model, sleeps) || copies_min(model).is_none() {
            rest.push(scheduled);
            continue;
        }
        // As different models may have the same key, their schedules are compared, too.
        let sets = sets_by_key.entry(key(model)).or_default();
        match sets.iter_mut().find(|set| set[0].2 == scheduled.2) {
            Some(set) => set.push(scheduled),
            None => sets.push(vec![scheduled]),
        }
    }
    let mut sets: Vec<Vec<ScheduledModel<'_, D>>> = sets_by_key.into_values().flatten().collect();
    sets.sort_by_key(|set| set[0].0);
    for set in sets {
        let copies_min = copies_min(set[0].1);
        // Contacts between limbs are found within an island only, so all models with limbs share an
        // island: a set of copies becomes an island only if it has all of them or none.
        let in_set = set.iter().filter(|(_, model, _)| !model.limbs.is_empty()).count();
        let keeps_contacts = in_set == 0 || in_set == with_limbs;
        if keeps_contacts && copies_min.is_some_and(|min| set.len() >= min) {
            let mut group = IslandModels::new(copies_min);
            for scheduled in set {
                group.add(scheduled);
            }
            copies.push(group);
        } else {
            rest.extend(set);
        }
    }
    // Restores the order of the scene.
    rest.sort_by_key(|(index, ..)| *index);
    let (mut singles, mut others) = (Vec::new(), IslandModels::new(None));
    for scheduled in rest {
        let Model { sheet, limbs, bodies, .. } = scheduled.1;
        let is_sheet_alone =
            sheet.is_some() && bodies.is_empty() && (limbs.is_empty() || with_limbs == 1);
        if is_sheet_alone || sleeps_alone(scheduled.1, sleeps) {
            let mut group = IslandModels::new(None);
            group.add(scheduled);
            singles.push(group);
        } else {
            others.add(scheduled);
        }
    }
    let others = Some(others).filter(|group| !group.models.is_empty());
    singles.into_iter().chain(copies).chain(others).collect()
}

/// Whether a model has an island of its own, so that it can sleep alone; `sleeps` is whether models
/// sleep. Models with bodies or limbs share islands, because contacts between bodies and between
/// limbs are found within an island only.
pub(crate) fn sleeps_alone<const D: usize>(model: &Model<D>, sleeps: bool) -> bool {
    sleeps && !model.has_colliders()
}

/// Whether enough of these models have the same key for [`group_models`] to make an island of
/// copies.
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

/// How many copies of a model an island of copies must have at least; `None` if its
/// copies never form one.
fn copies_min<const D: usize>(model: &Model<D>) -> Option<usize> {
    let Model { sticks, particles, bodies, tethers, .. } = model;
    let width = model.sheet.as_ref().map_or(0, Sheet::width);
    match width {
        // Passes alternate the relaxation of bodies with their contacts, which need positions in
        // columns: transposing them would cost more than the relaxation of the few sticks of a body
        // would gain.
        _ if sticks.is_empty() || !bodies.is_empty() => None,
        // In an island of copies each copy has `sticks.particles()` particles: the model must not
        // have others.
        _ if sticks.particles() != particles.len() => None,
        // Tethers of a sheet use its rows and columns, which several sheets together do not have.
        1.. if tethers.iter().any(Option::is_some) => None,
        0..MEDIUM_COLUMNS => Some(Copies::FASTER_FROM),
        MEDIUM_COLUMNS..WIDE_COLUMNS => Some(SHEET_COPIES_MIN),
        _ => None,
    }
}

/// A key by which models are compared: models with the same number of particles and the same sticks
/// have the same one. (Different models may have the same one, too.)
fn key<const D: usize>(model: &Model<D>) -> (usize, usize, u64) {
    let Model { particles, sticks, .. } = model;
    (particles.len(), sticks.particles(), sticks.fingerprint())
}
