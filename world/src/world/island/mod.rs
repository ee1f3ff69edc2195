//! An island: a part of a world that one plan relaxes.

mod reordering;
mod sleep_state;

use std::sync::{Arc, Mutex};

use taut_core::{
    BoxedPlan, Cursor, Delta, Executor, Formula, Particles, PlanError, Renumbering, Schedule,
    Stage, Sticks, Substeps,
};

use super::held::DragTarget;
use super::integrate::Integrate;
use super::overstretched::TearLimits;
use super::planner::Planner;
use super::residual::StretchColumns;
use super::step::{StepPart, Watch};
use super::tethering::Tethering;
use crate::force::{Force, Sampling};
use crate::forces::Forces;
use crate::matter::{ContactScratch, Matter, MovedPins, PlanAccess, Progress};
use crate::model::Model;
use crate::settings::StepTime;

pub(super) use sleep_state::SleepState;

/// A part of a world that one plan relaxes: a regular sheet, the copies of a model, or all other
/// models. If models can sleep, each of the others without limbs and bodies has an island of its own.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct Island<const D: usize = 3> {
    /// Its models as one, in the numbering of the island.
    pub model: Model<D>,
    schedule: Schedule,
    pub(super) plan: BoxedPlan<D>,
    /// The renumbering from numbers that count the particles model by model to those of the island, if
    /// they differ.
    renumbering: Option<Renumbering>,
    /// The forces on the particles in the last substep, N.
    forces: Forces<D>,
    /// The forces that are sampled once per step, N, if others are sampled in each substep.
    step_forces: Forces<D>,
    active_forces: ActiveForces,
    /// Whether the columns of particles are up to date and finite, and the first error of the plan.
    pub(super) progress: Progress,
    /// Contact data of the current substep, and reused buffers.
    contacts: ContactScratch<D>,
    /// Whether this step runs it substep by substep with others: a force, a spring, an obstacle, a tie,
    /// a contact, a guide or an emitter may act on it, or the step is watched and it has tethers.
    /// Otherwise [`step`](Self::step) runs its whole step alone, unless it sleeps.
    pub(super) touched: bool,
    /// Whether it may have contacts with another model or with itself in this step.
    pub(super) may_have_contacts: bool,
    /// Recorded only if `may_have_contacts`.
    pub(super) moved_pins: MovedPins<D>,
    /// Whether a tie that is not broken has an end on it.
    pub(super) tied: bool,
    /// Whether torn sticks were removed and the remaining ones reordered.
    pub(super) reordered: bool,
    /// Whether it was made for models that left an island of copies.
    pub(super) is_split_off: bool,
    /// If its models are copies: how many copies an island of copies must have at least.
    pub(super) copies_min: Option<usize>,
    /// The particles dragged in this step.
    pub(super) drag_targets: Vec<DragTarget<D>>,
    pub(super) tear_limits: TearLimits,
    /// None if no model has tethers.
    pub(super) tethering: Option<Tethering<D>>,
    /// Up to where tethers have read the changes of masses, and of sticks.
    tether_cursors: Option<[Cursor; 2]>,
    /// The columns from which the residual is computed; None until it is first needed.
    pub(super) residual: Mutex<Option<StretchColumns>>,
    /// Sticks that tear in this step; a reused buffer.
    pub(super) overstretched: Vec<u32>,
    /// Torn sticks that are not yet in [`Removed`](super::Removed).
    pub(super) unrecorded_torn: Vec<u32>,
    /// Whether limbs were removed that [`ColliderContacts`](super::ColliderContacts) may still contain.
    pub(super) lost_limbs: bool,
    /// For each face of the island, the number of its triangle in the world.
    pub(super) triangles: Vec<u32>,
    /// None if models do not sleep.
    pub(super) sleep_state: Option<SleepState<D>>,
}

/// How often the forces that act on an island in a step are sampled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ActiveForces {
    /// Some are sampled once per step, at its beginning.
    by_step: bool,
    /// Some, such as springs, are sampled in each substep.
    by_substep: bool,
}

impl ActiveForces {
    fn any(self) -> bool {
        self.by_step || self.by_substep
    }
}

/// The schedules of the models of an island, each made from its model alone.
pub(super) struct IslandSchedules {
    pub(super) schedules: Vec<Schedule>,
    /// Number of particles of each model.
    pub(super) lens: Vec<usize>,
    /// The renumbering of the models side by side, if any. Copies are renumbered alike.
    pub(super) renumbering: Option<Renumbering>,
    /// If the models are copies: [`copies_min`](Island::copies_min).
    pub(super) copies_min: Option<usize>,
}

/// Joins the schedules of models into one for `sticks`, whose particles may be renumbered.
fn join_schedules(mut schedules: Vec<Schedule>, sticks: &Sticks, renumbered: bool) -> Schedule {
    let joined = match &schedules[..] {
        [_] if !renumbered => Ok(schedules.swap_remove(0)),
        [one] => one.renumbered(sticks),
        several => Schedule::side_by_side(sticks, several),
    };
    joined.expect("schedules of models stay valid side by side and renumbered")
}

impl<const D: usize> Island<D> {
    /// Makes an island with one plan for all its models; `joined` has these models side by side. The
    /// particles may be renumbered, which affects only the layout in memory, not the result.
    pub(super) fn new(
        joined: Model<D>,
        IslandSchedules { schedules, lens, renumbering, copies_min }: IslandSchedules,
        formula: Formula,
        planner: &mut Planner<'_, D>,
    ) -> Result<Self, PlanError> {
        let tethering = Tethering::new(&joined, lens);
        let model = match &renumbering {
            None => joined,
            Some(renumbering) => joined.renumbered(renumbering),
        };
        let schedule = join_schedules(schedules, &model.sticks, renumbering.is_some());
        let plan = planner(&model.particles, &model.sticks, &schedule, formula)?;
        let mut model = model;
        let Model { guides, particles, .. } = &mut model;
        for guide in guides {
            guide.record_positions(particles);
        }
        // Numbers the faces from 0: `triangles` has these numbers as indices. The layout is computed
        // now, because a tear removes faces from it; computed after the tear, it would be another one.
        model.faces = model.faces.iter().copied().collect();
        model.faces.layout();
        let island = Self::from_parts(model, schedule, plan, renumbering, tethering);
        Ok(Self { copies_min, ..island })
    }

    /// An island with these parts, in its initial state.
    fn from_parts(
        model: Model<D>,
        schedule: Schedule,
        plan: BoxedPlan<D>,
        renumbering: Option<Renumbering>,
        tethering: Option<Tethering<D>>,
    ) -> Self {
        Self {
            forces: Forces::none(&model.particles),
            step_forces: Forces::none(&model.particles),
            tear_limits: TearLimits::new(&model.sticks, &model.tear_factors),
            residual: Mutex::default(),
            tethering,
            tether_cursors: None,
            model,
            schedule,
            plan,
            renumbering,
            active_forces: ActiveForces::default(),
            progress: Progress::default(),
            contacts: ContactScratch::default(),
            touched: false,
            tied: false,
            may_have_contacts: false,
            moved_pins: MovedPins::default(),
            reordered: false,
            is_split_off: false,
            copies_min: None,
            drag_targets: Vec::new(),
            overstretched: Vec::new(),
            unrecorded_torn: Vec::new(),
            lost_limbs: false,
            triangles: Vec::new(),
            sleep_state: None,
        }
    }

    /// A plan with another formula or kernel.
    pub(super) fn new_plan(
        &self,
        formula: Formula,
        planner: &mut Planner<'_, D>,
    ) -> Result<BoxedPlan<D>, PlanError> {
        let Model { particles, sticks, .. } = &self.model;
        planner(particles, sticks, &self.schedule, formula)
    }

    /// Replaces the plan.
    pub(super) fn set_plan(&mut self, plan: BoxedPlan<D>) {
        self.plan = plan;
        if let Some(tethering) = &mut self.tethering {
            tethering.replan();
        }
    }

    /// Joins the schedules of its models into one for the given sticks of the island.
    pub(super) fn join_schedules(&self, schedules: Vec<Schedule>, sticks: &Sticks) -> Schedule {
        join_schedules(schedules, sticks, self.renumbering.is_some())
    }

    /// The order in which its sticks are relaxed.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The number in this island of the `nth` particle, counted model by model.
    pub fn number_of(&self, nth: u32) -> u32 {
        self.renumbering.as_ref().map_or(nth, |renumbering| renumbering.new_of(nth))
    }

    /// The forces of the last substep, N.
    pub fn forces(&self) -> &Forces<D> {
        &self.forces
    }

    /// Its models, with the plan that may hold their positions.
    pub(super) fn with_plan<'a>(&'a mut self, executor: &'a dyn Executor) -> Matter<'a, D> {
        let Self { model, plan, progress, contacts, moved_pins, .. } = self;
        let plan = PlanAccess { engine: &mut **plan, executor, progress, moved_pins };
        Matter::with_plan(model, contacts, plan)
    }

    /// Prepares tethers for the next step: updates their list if masses or sticks changed, or
    /// (`held_changed`) the set of grabbed, pinned and tied particles; and reads the positions of anchors.
    pub(super) fn refresh_tethers(&mut self, grabbed: &[u32], held_changed: bool) {
        let Self { model, tethering: Some(tethering), tether_cursors, .. } = self else { return };
        let cursors = [model.particles.mass_changes().now(), model.sticks.changes().now()];
        let none = Delta::Entries(&[]);
        let unchanged = tether_cursors.is_some_and(|[mass_cursor, stick_cursor]| {
            model.particles.mass_changes().since(mass_cursor) == none
                && model.sticks.changes().since(stick_cursor) == none
        });
        if !unchanged || held_changed {
            tethering.refresh(model, self.renumbering.as_ref(), grabbed);
            *tether_cursors = Some(cursors);
        }
        tethering.update_anchor_positions(&*self.plan, &model.particles);
        tethering.begin_step(&model.particles);
    }

    /// Computes, at the beginning of a step, the forces that are sampled once per step. The time of
    /// `now` is the end of the step.
    pub(super) fn sample_step_forces(
        &mut self,
        forces: &[Arc<dyn Force<D>>],
        now: &StepTime<D>,
        executor: &dyn Executor,
    ) {
        let any_acts = |sampling| {
            let touches = |force: &Arc<dyn Force<D>>| force.acts_on(&self.model);
            forces.iter().any(|force| force.sampling() == sampling && touches(force))
        };
        let active_forces = ActiveForces {
            by_step: any_acts(Sampling::Step),
            by_substep: !self.model.springs.is_empty() || any_acts(Sampling::Substep),
        };
        if core::mem::replace(&mut self.active_forces, active_forces).any() {
            self.forces.clear();
        }
        if !active_forces.by_step {
            return;
        }
        self.with_plan(executor).model_mut(); // brings the columns up to date
        let sampled =
            if active_forces.by_substep { &mut self.step_forces } else { &mut self.forces };
        sampled.clear();
        for force in forces {
            if force.sampling() == Sampling::Step && force.acts_on(&self.model) {
                force.add_forces(&self.model, now, sampled);
            }
        }
        sampled.write_pending_zeros();
    }

    /// Adds up all forces in a substep, if some are sampled in each substep.
    pub(super) fn sample_substep_forces(
        &mut self,
        forces: &[Arc<dyn Force<D>>],
        now: &StepTime<D>,
        executor: &dyn Executor,
    ) {
        let ActiveForces { by_step, by_substep } = self.active_forces;
        if !by_substep {
            return;
        }
        self.with_plan(executor).model_mut(); // brings the columns up to date
        if by_step {
            self.forces.copy_from(&self.step_forces);
        } else {
            self.forces.clear();
        }
        let Model { springs, particles, .. } = &self.model;
        if !springs.is_empty() {
            springs.add_forces(particles, now, &mut self.forces);
        }
        for force in forces {
            if force.sampling() == Sampling::Substep && force.acts_on(&self.model) {
                force.add_forces(&self.model, now, &mut self.forces);
            }
        }
        self.forces.write_pending_zeros();
    }

    /// Begins a substep: motion, tethers, and the relaxation of the sticks in the first pass.
    pub(super) fn advance(
        &mut self,
        iterations: u32,
        now: &StepTime<D>,
        executor: &dyn Executor,
        watch: &mut Watch<'_>,
    ) -> Result<(), PlanError> {
        let has_bodies = !self.model.bodies.is_empty();
        let active_forces = self.active_forces.any();
        let Self { model: Model { particles, sticks, .. }, plan, progress, .. } = self;
        let tether = self.tethering.as_ref().and_then(|it| it.stage(now));
        let tether = tether.as_ref().map(|it| it as &dyn Stage<D>);
        // A watched step runs tethers separately, to measure their time.
        let separate_tethers = watch.is_some() && tether.is_some();
        let one_call = !active_forces && !has_bodies && !separate_tethers;
        if active_forces {
            let stage = Integrate { forces: &self.forces, now };
            plan.visit(executor, particles, sticks, &stage)?;
        } else {
            let iterations = if one_call { iterations } else { 0 };
            let after_motion = if separate_tethers { None } else { tether };
            let substeps = Substeps { motion: now.motion, count: 1, iterations, after_motion };
            plan.advance(executor, particles, sticks, &substeps)?;
            progress.columns_current = false;
        }
        if one_call {
            watch.after(StepPart::Whole);
            return Ok(());
        }
        watch.after(StepPart::Motion);
        if let Some(tether) = tether.filter(|_| active_forces || separate_tethers) {
            plan.visit(executor, particles, sticks, tether)?;
            watch.after(StepPart::Tethers);
        }
        if has_bodies {
            let mut matter = self.with_plan(executor);
            let (Model { bodies, particles, .. }, contacts) = matter.model_and_scratch();
            bodies.record_incoming(particles, now, &mut contacts.bodies);
            watch.after(StepPart::Motion);
        }
        self.relax(iterations, now, executor, watch)
    }

    /// Relaxes the sticks, in one pass of a substep.
    pub(super) fn relax(
        &mut self,
        iterations: u32,
        now: &StepTime<D>,
        executor: &dyn Executor,
        watch: &mut Watch<'_>,
    ) -> Result<(), PlanError> {
        let Self { model: Model { particles, sticks, .. }, plan, progress, .. } = self;
        plan.relax(executor, particles, sticks, now.motion.inverse_h2, iterations)?;
        progress.columns_current = false;
        if self.active_forces.by_substep {
            // The forces of the next substep read the columns. Writing back before the obstacles
            // lets these run on the columns, too.
            self.with_plan(executor).model_mut();
        }
        watch.after(StepPart::Sticks);
        Ok(())
    }

    /// Ends a substep: applies restitution to bodies, and stops the pinned particles that moved.
    pub(super) fn finish_substep(&mut self, executor: &dyn Executor) {
        if !self.model.bodies.is_empty() {
            let mut matter = self.with_plan(executor);
            let (Model { bodies, particles, .. }, contacts) = matter.model_and_scratch();
            bodies.bounce(particles, &mut contacts.bodies);
        }
        self.stop_moved_pins(executor);
    }

    /// Brings the columns up to date at the end of a step. Returns whether all positions are finite, or
    /// the first error that the plan returned from a stage in this step.
    pub(super) fn finish(&mut self, executor: &dyn Executor) -> Result<bool, PlanError> {
        let was_current = self.progress.columns_current;
        self.with_plan(executor).model_mut();
        let Progress { finite, failure, .. } = core::mem::take(&mut self.progress);
        // If nothing was written back now, contacts may have changed the columns since positions were
        // last written back and checked.
        let finite = if was_current { all_finite(&self.model.particles) } else { finite };
        failure.map_or(Ok(finite), Err)
    }

    /// A whole step of `count` substeps without forces and obstacles. Of `now`, only
    /// the values that all substeps share are used. Returns whether all positions are finite.
    pub(super) fn step(
        &mut self,
        count: u32,
        iterations: u32,
        now: &StepTime<D>,
        executor: &dyn Executor,
    ) -> Result<bool, PlanError> {
        if core::mem::take(&mut self.active_forces).any() {
            self.forces.clear();
        }
        let Self { model: Model { particles, sticks, .. }, plan, tethering, drag_targets, .. } =
            self;
        let motion = now.motion;
        if drag_targets.is_empty() {
            let tether = tethering.as_ref().and_then(|it| it.stage(now));
            let after_motion = tether.as_ref().map(|it| it as &dyn Stage<D>);
            let substeps = Substeps { motion, count, iterations, after_motion };
            return Ok(plan.advance_and_write_back(executor, particles, sticks, &substeps)?.finite);
        }
        // If the plan fails, `World::run_step_generic` writes back what has moved.
        self.progress.columns_current = false;
        for substep in 1..=count {
            for target in &*drag_targets {
                plan.set_position(particles, target.number, target.position_at(substep, count));
            }
            if let Some(tethering) = tethering {
                tethering.update_anchor_positions(&**plan, particles);
            }
            let tether = tethering.as_ref().and_then(|it| it.stage(now));
            let after_motion = tether.as_ref().map(|it| it as &dyn Stage<D>);
            let substeps = Substeps { motion, count: 1, iterations, after_motion };
            plan.advance(executor, particles, sticks, &substeps)?;
        }
        self.progress.columns_current = true;
        Ok(plan.write_back(executor, particles).finite)
    }
}

/// Whether all positions are finite.
fn all_finite<const D: usize>(particles: &Particles<D>) -> bool {
    // Without a branch per coordinate, so that it compiles to SIMD.
    (0..D).all(|axis| particles.positions(axis).iter().fold(true, |all, x| all & x.is_finite()))
}
