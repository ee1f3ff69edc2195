//! Matter as obstacles see it: a model whose particles may be in a plan's own layout.

use taut_core::{Engine, Executor, Particles, PlanError, PositiveZeros, Stage, Sticks};

use crate::model::Model;

/// A model in the middle of a substep. Its particles may be in the layout of the plan that relaxes
/// them, so the columns of [`model`](Self::model) may hold older positions.
///
/// What looks at one particle at a time is a [`Stage`], and runs in that layout
/// ([`visit`](Self::visit)); what looks at several asks for the model with its columns up to date
/// ([`model_mut`](Self::model_mut)).
#[derive(Debug)]
pub struct Matter<'a, const D: usize = 3> {
    model: &'a mut Model<D>,
    plan: Option<PlanAccess<'a, D>>,
}

/// The plan of a model, on an executor.
pub(crate) struct PlanAccess<'a, const D: usize> {
    pub(crate) engine: &'a mut dyn Engine<D>,
    pub(crate) executor: &'a dyn Executor,
    pub(crate) progress: &'a mut Progress,
}

impl<const D: usize> core::fmt::Debug for PlanAccess<'_, D> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("PlanAccess").field("progress", self.progress).finish_non_exhaustive()
    }
}

/// What is known of a step while it runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    /// Whether the columns are up to date.
    pub(crate) columns_current: bool,
    /// Whether all positions that were written back so far were finite.
    pub(crate) finite: bool,
    /// Why the plan refused a stage.
    pub(crate) failure: Option<PlanError>,
}

impl Default for Progress {
    fn default() -> Self {
        Self { columns_current: true, finite: true, failure: None }
    }
}

impl<const D: usize> PlanAccess<'_, D> {
    pub(crate) fn write_back(&mut self, particles: &mut Particles<D>) {
        if !self.progress.columns_current {
            self.progress.finite &= self.engine.write_back(self.executor, particles).finite;
            self.progress.columns_current = true;
        }
    }
}

impl<'a, const D: usize> Matter<'a, D> {
    /// A model whose particles are in their columns, as between steps.
    pub fn of(model: &'a mut Model<D>) -> Self {
        Self { model, plan: None }
    }

    pub(crate) fn on_plan(model: &'a mut Model<D>, plan: PlanAccess<'a, D>) -> Self {
        Self { model, plan: Some(plan) }
    }

    /// The model. The columns of its particles may hold older positions and previous positions;
    /// everything else is up to date.
    pub fn model(&self) -> &Model<D> {
        self.model
    }

    /// The model with the columns of its particles up to date, to change.
    pub fn model_mut(&mut self) -> &mut Model<D> {
        if let Some(plan) = &mut self.plan {
            plan.write_back(&mut self.model.particles);
        }
        self.model
    }

    /// The same of matter that nothing else needs any more.
    pub(crate) fn into_model(mut self) -> &'a mut Model<D> {
        self.model_mut();
        self.model
    }

    /// Runs a stage on all particles, where they are. Positions of -0.0 become +0.0.
    pub fn visit(&mut self, stage: &dyn Stage<D>) {
        self.visitor().0.visit(&PositiveZeros(stage));
    }

    /// What runs stages, and the radii of the particles, m, which stages may look at.
    pub(crate) fn visitor(&mut self) -> (Visitor<'_, 'a, D>, &[f32]) {
        let Model { particles, sticks, radii, .. } = &mut *self.model;
        (Visitor { particles, sticks, plan: self.plan.as_mut() }, radii)
    }
}

/// The part of [`Matter`] that runs stages.
pub(crate) struct Visitor<'m, 'a, const D: usize> {
    particles: &'m mut Particles<D>,
    sticks: &'m Sticks,
    plan: Option<&'m mut PlanAccess<'a, D>>,
}

impl<const D: usize> Visitor<'_, '_, D> {
    pub(crate) fn visit(&mut self, stage: &dyn Stage<D>) {
        match &mut self.plan {
            None => self.particles.visit(stage),
            Some(PlanAccess { engine, executor, progress }) => {
                let outcome = engine.visit(*executor, self.particles, self.sticks, stage);
                progress.failure = progress.failure.or(outcome.err());
            }
        }
    }
}
