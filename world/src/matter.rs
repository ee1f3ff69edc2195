//! Matter: a model whose particles may be in the layout of a plan.

use std::sync::Arc;

use taut_core::{Engine, Executor, Particles, PlanError, PositiveZeros, Stage, Sticks};

use crate::body::{BodyScratch, LimbScratch};
use crate::model::Model;
use crate::obstacle::EdgeScratch;
use crate::tiles::{CollisionPass, CollisionPasses};

/// A model in the middle of a substep. Its particles may be in the layout of the plan that relaxes
/// them, so the columns of [`model`](Self::model) may hold older positions.
///
/// Code that processes one particle at a time is a [`Stage`], and runs in that layout
/// ([`visit`](Self::visit)); code that needs several particles at once gets the model with its
/// columns up to date ([`model_mut`](Self::model_mut)).
#[derive(Debug)]
pub struct Matter<'a, const D: usize = 3> {
    model: &'a mut Model<D>,
    scratch: &'a mut ContactScratch<D>,
    plan: Option<PlanAccess<'a, D>>,
}

/// Contact data of the current substep, and reused buffers. Not part of the state of a world.
#[derive(Clone, Debug, Default)]
pub struct ContactScratch<const D: usize = 3> {
    /// Positions at the beginning of the substep, m: written by obstacles with continuous collision
    /// detection.
    pub(crate) starts: Vec<[f32; D]>,
    pub(crate) bodies: BodyScratch<D>,
    pub(crate) limbs: LimbScratch<D>,
    pub(crate) edges: EdgeScratch<D>,
}

/// The plan of a model, and the executor that runs it.
pub(crate) struct PlanAccess<'a, const D: usize> {
    pub(crate) engine: &'a mut dyn Engine<D>,
    pub(crate) executor: &'a dyn Executor,
    pub(crate) progress: &'a mut Progress,
    pub(crate) moved_pins: &'a mut MovedPins<D>,
}

/// Pinned particles that guides and drags moved at the beginning of this substep. The motion sets
/// their previous positions to the new positions; contacts need the positions before the move.
#[derive(Clone, Debug, Default)]
pub(crate) struct MovedPins<const D: usize> {
    /// Their numbers, and their positions at the beginning of the substep, m.
    starts: Vec<(usize, [f32; D])>,
    /// Whether `starts` are now in the columns of previous positions.
    written: bool,
}

impl<const D: usize> MovedPins<D> {
    /// Begins a substep.
    pub(crate) fn clear(&mut self) {
        self.starts.clear();
        self.written = false;
    }

    /// Records the position of a particle before it is moved.
    pub(crate) fn record(&mut self, particle: usize, start: [f32; D]) {
        self.starts.push((particle, start));
    }

    /// Writes `starts` to the columns of previous positions, once per substep. The columns must be up
    /// to date.
    fn write(&mut self, particles: &mut Particles<D>) {
        if self.written {
            return;
        }
        self.written = !self.starts.is_empty();
        // If a particle has several records, the first is its position at the beginning of the
        // substep: it is written last.
        for &(particle, start) in self.starts.iter().rev() {
            particles.set_previous_position(particle, start);
        }
    }
}

impl<const D: usize> ContactScratch<D> {
    /// Records the positions at the beginning of a substep.
    pub(crate) fn record_starts(&mut self, particles: &Particles<D>) {
        self.starts.clear();
        self.starts.extend((0..particles.len()).map(|particle| particles.position(particle)));
    }
}

impl<const D: usize> core::fmt::Debug for PlanAccess<'_, D> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("PlanAccess").field("progress", self.progress).finish_non_exhaustive()
    }
}

/// The state of an island while a step runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    /// Whether the columns are up to date.
    pub(crate) columns_current: bool,
    /// Whether all positions were finite when they were last written back.
    pub(crate) finite: bool,
    /// The first error that the plan returned from a stage.
    pub(crate) failure: Option<PlanError>,
}

impl Default for Progress {
    fn default() -> Self {
        Self { columns_current: true, finite: true, failure: None }
    }
}

impl<const D: usize> PlanAccess<'_, D> {
    /// Copies positions from the plan back to the columns, unless these are up to date.
    pub(crate) fn write_back(&mut self, particles: &mut Particles<D>) {
        if !self.progress.columns_current {
            self.progress.finite = self.engine.write_back(self.executor, particles).finite;
            self.progress.columns_current = true;
        }
        self.moved_pins.write(particles);
    }

    /// Stops the pinned particles that guides and drags moved, at the end of a substep or of a failed
    /// step: sets their previous positions to their positions.
    pub(crate) fn stop_moved_pins(&mut self, particles: &mut Particles<D>) {
        if self.moved_pins.written {
            self.write_back(particles);
            for &(particle, _) in &self.moved_pins.starts {
                particles.set_previous_position(particle, particles.position(particle));
            }
        }
        self.moved_pins.clear();
    }
}

impl<'a, const D: usize> Matter<'a, D> {
    /// A model without a plan, whose columns are up to date, as between steps.
    pub fn of(model: &'a mut Model<D>, scratch: &'a mut ContactScratch<D>) -> Self {
        Self { model, scratch, plan: None }
    }

    /// A model with the plan that relaxes it.
    pub(crate) fn with_plan(
        model: &'a mut Model<D>,
        scratch: &'a mut ContactScratch<D>,
        plan: PlanAccess<'a, D>,
    ) -> Self {
        Self { model, scratch, plan: Some(plan) }
    }

    /// The model. The columns of its particles may hold older positions and previous positions;
    /// everything else is up to date.
    pub fn model(&self) -> &Model<D> {
        self.model
    }

    /// The model, mutable, with the columns of its particles up to date.
    pub fn model_mut(&mut self) -> &mut Model<D> {
        self.model_and_scratch().0
    }

    /// Like [`model_mut`](Self::model_mut), with the scratch memory of contacts.
    pub fn model_and_scratch(&mut self) -> (&mut Model<D>, &mut ContactScratch<D>) {
        if let Some(plan) = &mut self.plan {
            plan.write_back(&mut self.model.particles);
        }
        (self.model, self.scratch)
    }

    /// Runs a stage on all particles, in their current layout. Positions of -0.0 become +0.0.
    pub fn visit(&mut self, stage: &dyn Stage<D>) {
        let Model { particles, sticks, .. } = &mut *self.model;
        visit(&mut self.plan, particles, sticks, &PositiveZeros(stage));
    }

    /// Runs a read-only stage on all particles, in their current layout.
    pub(crate) fn inspect(&mut self, stage: &dyn Stage<D>) {
        let Model { particles, sticks, .. } = &mut *self.model;
        visit(&mut self.plan, particles, sticks, stage);
    }

    /// Runs the passes of analytic obstacles on all particles, in order.
    pub(crate) fn run_collision_passes(&mut self, passes: &[&dyn CollisionPass<D>]) {
        let Model { particles, sticks, radii, .. } = &mut *self.model;
        visit(&mut self.plan, particles, sticks, &CollisionPasses::new(passes, radii));
    }
}

/// All islands of a world in the middle of a substep, for contacts between them.
pub struct Islands<'a, const D: usize = 3>(pub(crate) &'a mut dyn IslandAccess<D>);

/// Access to the islands behind [`Islands`].
pub(crate) trait IslandAccess<const D: usize> {
    fn count(&self) -> usize;
    /// As [`Islands::executor`].
    fn executor(&self) -> Option<Arc<dyn Executor>>;
    /// As [`Islands::one`].
    fn one(&mut self, island: usize) -> Option<Matter<'_, D>>;
    /// As [`Islands::two`].
    fn two(&mut self, islands: [usize; 2]) -> Option<[Matter<'_, D>; 2]>;
}

impl<const D: usize> Islands<'_, D> {
    /// Number of islands.
    pub fn count(&self) -> usize {
        self.0.count()
    }

    /// Among the executors that kernels have themselves, the one with the most threads; None if no
    /// kernel has one.
    pub(crate) fn executor(&self) -> Option<Arc<dyn Executor>> {
        self.0.executor()
    }

    /// The matter of an island. None if the island does not exist, sleeps, or has already run this
    /// whole step, because no force, spring, guide, emitter, tie or self-collision acts on it, and no
    /// obstacle may collide with it.
    pub fn one(&mut self, island: usize) -> Option<Matter<'_, D>> {
        self.0.one(island)
    }

    /// The matter of two different islands. None if both are the same, or if [`one`](Self::one)
    /// returns None for either of them.
    pub fn two(&mut self, islands: [usize; 2]) -> Option<[Matter<'_, D>; 2]> {
        self.0.two(islands)
    }
}

impl<const D: usize> core::fmt::Debug for Islands<'_, D> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Islands").field("count", &self.count()).finish_non_exhaustive()
    }
}

/// Runs a stage on all particles, in the layout of the plan, if any.
fn visit<const D: usize>(
    plan: &mut Option<PlanAccess<'_, D>>,
    particles: &mut Particles<D>,
    sticks: &Sticks,
    stage: &dyn Stage<D>,
) {
    match plan {
        None => particles.visit(stage),
        Some(PlanAccess { engine, executor, progress, .. }) => {
            let outcome = engine.visit(*executor, particles, sticks, stage);
            progress.failure = progress.failure.or(outcome.err());
        }
    }
}
