//! A part of a world that has one kernel.

use taut_core::{
    Executor, Formula, Kernel, Plan, PlanError, Renumbering, Schedule, Step, StepError, integrate,
};

use super::Moment;
use crate::force::{Force, Forces};
use crate::model::Model;

/// Meshes of fewer particles stay numbered as they are: they fit the caches anyway.
const RENUMBERED_FROM: usize = 4096;

/// A part of a world that is relaxed in one go: a regular sheet, or everything else.
#[derive(Debug)]
pub struct Piece<P, const D: usize = 3> {
    /// Its matter, by the numbers of the piece.
    pub matter: Model<D>,
    schedule: Schedule,
    plan: P,
    /// From the numbers of the models one after the other to those of the piece, if they differ.
    renumbering: Option<Renumbering>,
    forces: Forces<D>,
}

impl<P: Plan<D>, const D: usize> Piece<P, D> {
    /// Puts a model on the kernel chosen for its schedule. Only the layout in memory depends on
    /// its size, never the answer.
    pub(super) fn new<K: Kernel<D, Plan = P>>(
        model: Model<D>,
        formula: Formula,
        kernel_for: &mut dyn FnMut(&Schedule) -> K,
    ) -> Result<Self, PlanError> {
        let of_sheet = model.sheet.as_ref().and_then(|sheet| sheet.schedule(&model.sticks).ok());
        let scattered = of_sheet.is_none() && model.particles.len() >= RENUMBERED_FROM;
        let schedule =
            of_sheet.unwrap_or_else(|| Schedule::for_mesh(&model.particles, &model.sticks));
        let renumbering = scattered.then(|| Renumbering::hilbert(&model.particles));
        let (matter, schedule) = match &renumbering {
            None => (model, schedule),
            Some(renumbering) => {
                let matter = model.renumbered(renumbering);
                let schedule = schedule
                    .renumbered(&matter.sticks)
                    .expect("sticks that share no particle share none under other numbers");
                (matter, schedule)
            }
        };
        let kernel = kernel_for(&schedule);
        let plan = kernel.plan(&matter.particles, &matter.sticks, &schedule, formula)?;
        let forces = Forces::none(&matter.particles);
        Ok(Self { matter, schedule, plan, renumbering, forces })
    }

    /// Goes on with another formula or kernel.
    pub(super) fn replan<K: Kernel<D, Plan = P>>(
        &mut self,
        formula: Formula,
        kernel_for: &mut dyn FnMut(&Schedule) -> K,
    ) -> Result<(), PlanError> {
        let Model { particles, sticks, .. } = &self.matter;
        self.plan = kernel_for(&self.schedule).plan(particles, sticks, &self.schedule, formula)?;
        Ok(())
    }

    /// The order in which its sticks are relaxed.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The number in this piece of the particle that was the `nth` of its models, one after the
    /// other.
    pub fn number_of(&self, nth: u32) -> u32 {
        self.renumbering.as_ref().map_or(nth, |renumbering| renumbering.new_of(nth))
    }

    /// The forces of the last substep, N.
    pub fn forces(&self) -> &Forces<D> {
        &self.forces
    }

    /// Forces add up.
    pub(super) fn push<'a>(
        &mut self,
        forces: impl Iterator<Item = &'a dyn Force<D>>,
        moment: &Moment<D>,
    ) {
        self.forces.clear();
        for force in forces {
            force.push(&self.matter, moment, &mut self.forces);
        }
    }

    /// Every free particle moves.
    pub(super) fn integrate(&mut self, moment: &Moment<D>) {
        let h2 = moment.h * moment.h;
        let columns = self.matter.particles.columns();
        let masses = columns.inverse_mass;
        for (axis, (position, previous)) in
            columns.position.into_iter().zip(columns.previous).enumerate()
        {
            let push = moment.motion.push[axis];
            let force = self.forces.padded(axis);
            for (((x, previous), w), force) in
                position.iter_mut().zip(previous).zip(masses).zip(force)
            {
                let moved =
                    integrate(*x, *previous, *w, moment.motion.keep, push + (force * w) * h2);
                *previous = *x;
                *x = moved;
            }
        }
    }

    /// Relaxes the sticks once as the settings say, from columns to columns.
    pub(super) fn relax(
        &mut self,
        iterations: u32,
        moment: &Moment<D>,
        executor: &dyn Executor,
    ) -> Result<bool, PlanError> {
        let Model { particles, sticks, .. } = &mut self.matter;
        self.plan.begin(particles, sticks, &moment.motion)?;
        self.plan.relax(particles, iterations, executor);
        Ok(self.plan.finish(particles, executor).finite)
    }

    /// A step without forces and obstacles, in one go.
    pub(super) fn step(
        &mut self,
        step: &Step<D>,
        executor: &dyn Executor,
    ) -> Result<bool, StepError> {
        let Model { particles, sticks, .. } = &mut self.matter;
        Ok(self.plan.step_on(executor, particles, sticks, step)?.finite)
    }
}
