//! A part of a world that has one kernel.

use std::sync::{Arc, Mutex};

use taut_core::{
    Cursor, Delta, Engine, Executor, Formula, Kernel, Particles, PlanError, Real, Renumbering,
    Schedule, Stage, Sticks, Substeps,
};

use super::integrate::Integrate;
use super::overstretched::Tearing;
use super::residual::Residual;
use super::step::{Pass, Watch};
use super::tethering::Tethering;
use crate::force::{Force, Sampling};
use crate::forces::Forces;
use crate::matter::{ContactScratch, Matter, PlanAccess, Progress};
use crate::model::{Model, reordered};
use crate::settings::Moment;

/// Meshes of fewer particles stay numbered as they are: they fit the caches anyway.
const RENUMBERED_FROM: usize = 4096;

/// A part of a world that is relaxed in one go: a regular sheet, or everything else.
#[derive(Debug)]
pub struct Island<P, const D: usize = 3> {
    /// Its matter, by the numbers of the island.
    pub matter: Model<D>,
    schedule: Schedule,
    plan: P,
    /// From the numbers of the models one after the other to those of the island, if they differ.
    renumbering: Option<Renumbering>,
    /// All forces of the last substep.
    forces: Forces<D>,
    /// Those of them that are sampled once a step, if there are others, too.
    held: Forces<D>,
    pushed: Pushed,
    progress: Progress,
    contacts: ContactScratch<D>,
    /// Whether a force or an obstacle may meet it in this step.
    pub(super) touched: bool,
    /// Whether torn sticks were left out.
    pub(super) reordered: bool,
    /// What is dragged in this step.
    pub(super) targets: Vec<Target<D>>,
    pub(super) tearing: Tearing,
    pub(super) tethering: Option<Tethering<D>>,
    /// Up to where the records of masses and sticks were read for tethers.
    tethered_at: Option<[Cursor; 2]>,
    /// Made when somebody first asks how far the sticks are stretched.
    pub(super) residual: Mutex<Option<Residual>>,
    /// Sticks that tear in this step; kept for its memory.
    pub(super) found: Vec<u32>,
    /// Sticks that tore, and that the world does not know of yet.
    pub(super) torn: Vec<u32>,
    /// How many of the faces that are gone the world knows of.
    pub(super) faces_noted: usize,
    /// What its faces are called in the world, by their numbers.
    pub(super) triangles: Vec<u32>,
}

/// What forces act on an island in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Pushed {
    /// Forces that are sampled at its beginning.
    by_step: bool,
    /// Forces, springs among them, that are sampled in each substep.
    by_substep: bool,
}

impl Pushed {
    fn any(self) -> bool {
        self.by_step || self.by_substep
    }
}

/// A particle that is dragged, by the number of the island.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target<const D: usize> {
    pub(super) number: usize,
    /// Where it is when the step begins, m.
    pub(super) from: [f32; D],
    /// Where it is when the step ends, m.
    pub(super) to: [f32; D],
}

impl<const D: usize> Target<D> {
    /// Where it is at the end of a substep.
    fn at(&self, substep: u32, substeps: u32) -> [f32; D] {
        if substep == substeps {
            return self.to;
        }
        let share = substep as f32 / substeps as f32;
        core::array::from_fn(|axis| {
            (self.from[axis] + (self.to[axis] - self.from[axis]) * share).positive_zero()
        })
    }
}

/// The schedules of models as one of their sticks, whose particles may have got other numbers.
fn joined(mut schedules: Vec<Schedule>, sticks: &Sticks, renumbered: bool) -> Schedule {
    let joined = match &schedules[..] {
        [_] if !renumbered => Ok(schedules.swap_remove(0)),
        [one] => one.renumbered(sticks),
        several => Schedule::side_by_side(sticks, several),
    };
    joined.expect("sticks that share no particle share none under other numbers")
}

impl<P: Engine<D>, const D: usize> Island<P, D> {
    /// Puts models side by side on the kernel chosen for their schedules, which were made of each alone.
    /// Only the layout in memory depends on their size, never the answer.
    pub(super) fn new<K: Kernel<D, Plan = P>>(
        models: Model<D>,
        schedules: Vec<Schedule>,
        formula: Formula,
        kernel_for: &mut dyn FnMut(&Schedule) -> K,
    ) -> Result<Self, PlanError> {
        let tethering = Tethering::new(&models);
        let is_sheet = schedules.iter().any(|schedule| schedule.sheet().is_some());
        let scattered = !is_sheet && models.particles.len() >= RENUMBERED_FROM;
        let renumbering = scattered.then(|| Renumbering::hilbert(&models.particles));
        let matter = match &renumbering {
            None => models,
            Some(renumbering) => models.renumbered(renumbering),
        };
        let schedule = joined(schedules, &matter.sticks, renumbering.is_some());
        let kernel = kernel_for(&schedule);
        let plan = kernel.plan(&matter.particles, &matter.sticks, &schedule, formula)?;
        let mut matter = matter;
        let Model { guides, particles, .. } = &mut matter;
        for guide in guides {
            guide.fasten(particles);
        }
        matter.faces = matter.faces.iter().copied().collect(); // numbered from 0
        // Now, so that it does not depend on when faces were first blown at or torn off.
        matter.faces.layout();
        Ok(Self {
            forces: Forces::none(&matter.particles),
            held: Forces::none(&matter.particles),
            tearing: Tearing::new(&matter.sticks, &matter.tear_factors),
            residual: Mutex::default(),
            tethering,
            tethered_at: None,
            matter,
            schedule,
            plan,
            renumbering,
            pushed: Pushed::default(),
            progress: Progress::default(),
            contacts: ContactScratch::default(),
            touched: false,
            reordered: false,
            targets: Vec::new(),
            found: Vec::new(),
            torn: Vec::new(),
            faces_noted: 0,
            triangles: Vec::new(),
        })
    }

    /// Goes on with another formula or kernel.
    pub(super) fn replan<K: Kernel<D, Plan = P>>(
        &mut self,
        formula: Formula,
        kernel_for: &mut dyn FnMut(&Schedule) -> K,
    ) -> Result<(), PlanError> {
        let Model { particles, sticks, .. } = &self.matter;
        self.plan = kernel_for(&self.schedule).plan(particles, sticks, &self.schedule, formula)?;
        if let Some(tethering) = &mut self.tethering {
            tethering.replan();
        }
        Ok(())
    }

    /// The schedules of its models, made of each alone, as one of such sticks of the island.
    pub(super) fn joined(&self, schedules: Vec<Schedule>, sticks: &Sticks) -> Schedule {
        joined(schedules, sticks, self.renumbering.is_some())
    }

    /// Goes on with those of its sticks that are `kept`, `left`, in another order.
    pub(super) fn exchange<K: Kernel<D, Plan = P>>(
        &mut self,
        left: Sticks,
        kept: &[u32],
        schedule: Schedule,
        formula: Formula,
        kernel_for: &mut dyn FnMut(&Schedule) -> K,
    ) -> Result<(), PlanError> {
        let kernel = kernel_for(&schedule);
        self.plan = kernel.plan(&self.matter.particles, &left, &schedule, formula)?;
        let Model { sticks, sheet, tear_factors, unseen, bending, .. } = &mut self.matter;
        *sticks = left;
        *sheet = None;
        *tear_factors = reordered(tear_factors, kept);
        *unseen = reordered(unseen, kept);
        *bending = reordered(bending, kept);
        self.tearing = Tearing::new(sticks, tear_factors);
        if let Some(tethering) = &mut self.tethering {
            tethering.exchange(kept);
            self.tethered_at = None;
        }
        self.residual = Mutex::default();
        self.schedule = schedule;
        self.reordered = true;
        Ok(())
    }

    /// The order in which its sticks are relaxed.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The number in this island of the particle that was the `nth` of its models, one after the
    /// other.
    pub fn number_of(&self, nth: u32) -> u32 {
        self.renumbering.as_ref().map_or(nth, |renumbering| renumbering.new_of(nth))
    }

    /// The forces of the last substep, N.
    pub fn forces(&self) -> &Forces<D> {
        &self.forces
    }

    /// The model as obstacles see it.
    pub(super) fn on_plan<'a>(&'a mut self, executor: &'a dyn Executor) -> Matter<'a, D> {
        let Self { matter, plan, progress, contacts, .. } = self;
        Matter::on_plan(matter, contacts, PlanAccess { engine: plan, executor, progress })
    }

    /// Begins a step: takes over what tethers depend on, if any of it changed. `hands_changed` says
    /// whether other particles are `grabbed` or pinned.
    pub(super) fn refresh_tethers(&mut self, grabbed: &[u32], hands_changed: bool) {
        let Self { matter, tethering: Some(tethering), tethered_at, .. } = self else { return };
        let now = [matter.particles.mass_changes().now(), matter.sticks.changes().now()];
        let none = Delta::Entries(&[]);
        let same = tethered_at.is_some_and(|[masses, sticks]| {
            matter.particles.mass_changes().since(masses) == none
                && matter.sticks.changes().since(sticks) == none
        });
        if !same || hands_changed {
            tethering.refresh(matter, self.renumbering.as_ref(), grabbed);
            *tethered_at = Some(now);
        }
        tethering.place_anchors(&self.plan, &matter.particles);
    }

    /// Begins a step: computes the forces that are sampled once a step. `moment` has the time at the
    /// end of the step.
    pub(super) fn push_step(
        &mut self,
        forces: &[Arc<dyn Force<D>>],
        moment: &Moment<D>,
        executor: &dyn Executor,
    ) {
        let acts = |sampling| {
            let acts = |force: &Arc<dyn Force<D>>| force.touches(&self.matter);
            forces.iter().any(|force| force.sampling() == sampling && acts(force))
        };
        let pushed = Pushed {
            by_step: acts(Sampling::Step),
            by_substep: !self.matter.springs.is_empty() || acts(Sampling::Substep),
        };
        if core::mem::replace(&mut self.pushed, pushed).any() {
            self.forces.clear();
        }
        if !pushed.by_step {
            return;
        }
        self.on_plan(executor).model_mut();
        let sampled = if pushed.by_substep { &mut self.held } else { &mut self.forces };
        sampled.clear();
        for force in forces {
            if force.sampling() == Sampling::Step && force.touches(&self.matter) {
                force.push(&self.matter, moment, sampled);
            }
        }
        sampled.settle();
    }

    /// Adds up the forces of a substep.
    pub(super) fn push(
        &mut self,
        forces: &[Arc<dyn Force<D>>],
        moment: &Moment<D>,
        executor: &dyn Executor,
    ) {
        let Pushed { by_step, by_substep } = self.pushed;
        if !by_substep {
            return;
        }
        self.on_plan(executor).model_mut();
        if by_step {
            self.forces.copy_from(&self.held);
        } else {
            self.forces.clear();
        }
        let Model { springs, particles, .. } = &self.matter;
        if !springs.is_empty() {
            springs.push(particles, moment, &mut self.forces);
        }
        for force in forces {
            if force.sampling() == Sampling::Substep && force.touches(&self.matter) {
                force.push(&self.matter, moment, &mut self.forces);
            }
        }
        self.forces.settle();
    }

    /// Moves what guides lead, and what is dragged: a drag wins over a guide.
    pub(super) fn put(&mut self, substep: u32, substeps: u32, time: f64) {
        let Self { matter: Model { guides, particles, .. }, plan, progress, .. } = self;
        let Self { targets, tethering, .. } = self;
        let mut put = |particles: &mut Particles<D>, particle: usize, point: [f32; D]| {
            if progress.columns_current {
                particles.displace(particle, point);
            } else {
                plan.set_position(particles, particle, point);
            }
        };
        for guide in &mut *guides {
            guide.lead(time, |particle, point| {
                if particles.inverse_masses()[particle] == 0.0 {
                    put(particles, particle, point);
                }
            });
        }
        for target in &*targets {
            put(particles, target.number, target.at(substep, substeps));
        }
        if let Some(tethering) = tethering
            && !(guides.is_empty() && targets.is_empty())
        {
            tethering.place_anchors(plan, particles);
        }
    }

    /// Moves every particle by one substep, and relaxes the sticks.
    pub(super) fn advance(
        &mut self,
        iterations: u32,
        moment: &Moment<D>,
        executor: &dyn Executor,
        watch: &mut Watch<'_>,
    ) -> Result<(), PlanError> {
        let has_bodies = !self.matter.bodies.is_empty();
        let pushed = self.pushed.any();
        let Self { matter: Model { particles, sticks, .. }, plan, progress, .. } = self;
        let tether = self.tethering.as_ref().and_then(|it| it.stage(moment));
        let tether = tether.as_ref().map(|it| it as &dyn Stage<D>);
        // A watched step has tethers apart, so that their time is known.
        let apart = watch.is_some() && tether.is_some();
        let together = !pushed && !has_bodies && !apart;
        if pushed {
            let stage = Integrate { forces: &self.forces, moment };
            plan.visit(executor, particles, sticks, &stage)?;
        } else {
            let iterations = if together { iterations } else { 0 };
            let after_motion = if apart { None } else { tether };
            let substeps = Substeps { motion: moment.motion, count: 1, iterations, after_motion };
            plan.advance(executor, particles, sticks, &substeps)?;
            progress.columns_current = false;
        }
        if together {
            watch.after(Pass::Whole);
            return Ok(());
        }
        watch.after(Pass::Motion);
        if let Some(tether) = tether.filter(|_| pushed || apart) {
            plan.visit(executor, particles, sticks, tether)?;
            watch.after(Pass::Tethers);
        }
        if has_bodies {
            let mut matter = self.on_plan(executor);
            let (Model { bodies, particles, .. }, contacts) = matter.model_and_scratch();
            bodies.come_in(particles, moment, &mut contacts.bodies);
            watch.after(Pass::Motion);
        }
        self.relax(iterations, moment, executor, watch)
    }

    /// Relaxes the sticks.
    pub(super) fn relax(
        &mut self,
        iterations: u32,
        moment: &Moment<D>,
        executor: &dyn Executor,
        watch: &mut Watch<'_>,
    ) -> Result<(), PlanError> {
        let Self { matter: Model { particles, sticks, .. }, plan, progress, .. } = self;
        plan.relax(executor, particles, sticks, moment.motion.inverse_h2, iterations)?;
        progress.columns_current = false;
        if self.pushed.by_substep {
            // Forces will need the columns: so obstacles run there, too.
            self.on_plan(executor).model_mut();
        }
        watch.after(Pass::Sticks);
        Ok(())
    }

    /// Ends a substep: bodies that met bounce.
    pub(super) fn bounce(&mut self, executor: &dyn Executor) {
        if !self.matter.bodies.is_empty() {
            let mut matter = self.on_plan(executor);
            let (Model { bodies, particles, .. }, contacts) = matter.model_and_scratch();
            bodies.bounce(particles, &mut contacts.bodies);
        }
    }

    /// Ends a step: brings the columns up to date. Returns whether all positions are finite.
    pub(super) fn finish(&mut self, executor: &dyn Executor) -> Result<bool, PlanError> {
        self.on_plan(executor).model_mut();
        let Progress { finite, failure, .. } = core::mem::take(&mut self.progress);
        failure.map_or(Ok(finite), Err)
    }

    /// A step without forces and obstacles, in one go: `count` substeps, of which `moment` has what they
    /// have in common.
    pub(super) fn step(
        &mut self,
        count: u32,
        iterations: u32,
        moment: &Moment<D>,
        executor: &dyn Executor,
    ) -> Result<bool, PlanError> {
        if core::mem::take(&mut self.pushed).any() {
            self.forces.clear();
        }
        let Self { matter: Model { particles, sticks, .. }, plan, tethering, targets, .. } = self;
        let motion = moment.motion;
        if targets.is_empty() {
            let tether = tethering.as_ref().and_then(|it| it.stage(moment));
            let after_motion = tether.as_ref().map(|it| it as &dyn Stage<D>);
            let substeps = Substeps { motion, count, iterations, after_motion };
            return Ok(plan.advance_and_write_back(executor, particles, sticks, &substeps)?.finite);
        }
        for substep in 1..=count {
            for target in &*targets {
                plan.set_position(particles, target.number, target.at(substep, count));
            }
            if let Some(tethering) = tethering {
                tethering.place_anchors(plan, particles);
            }
            let tether = tethering.as_ref().and_then(|it| it.stage(moment));
            let after_motion = tether.as_ref().map(|it| it as &dyn Stage<D>);
            let substeps = Substeps { motion, count: 1, iterations, after_motion };
            plan.advance(executor, particles, sticks, &substeps)?;
        }
        Ok(plan.write_back(executor, particles).finite)
    }
}
