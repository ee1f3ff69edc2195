//! One step of a world.

use taut_core::{Executor, Inline, Particles, Step};

use super::{
    ColliderContacts, Island, SelfCollisions, Simulation, World, WorldError, contacts, ties,
};
use crate::matter::Islands;
use crate::settings::{Settings, StepTime};

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Outcome {
    /// Whether every position is finite. If not, the simulation has blown up. (Only an emitter that
    /// emits such a particle again, or a call that sets its position, makes it finite again.)
    pub finite: bool,
    /// Number of sticks that tore at the end of the step.
    pub torn: usize,
    /// Number of ties that broke at the end of the step.
    pub broken: usize,
}

impl Outcome {
    /// The outcome of this step and the `next` one together: the sums of their counts, and whether
    /// positions are finite after the next one.
    pub fn then(self, next: Self) -> Self {
        Self { finite: next.finite, torn: self.torn + next.torn, broken: self.broken + next.broken }
    }
}

/// A part of a step whose time can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum StepPart {
    /// Motion and sticks in one call: whole steps of islands on which nothing acts from outside, and the
    /// first passes of substeps of islands without forces and rigid bodies; both only if the island
    /// has no tethers.
    Whole,
    /// Adding up forces. Emitters and the preparation of obstacles in a substep count here, too.
    Forces,
    /// The motion of particles.
    Motion,
    /// The corrections by tethers.
    Tethers,
    /// The relaxation of sticks, and writing positions back from plans to the columns.
    Sticks,
    /// The relaxation of ties.
    Ties,
    /// Contacts of models with [self-collision](crate::SelfCollision): reported once for the contacts
    /// between particles, and once for those with limbs and bodies.
    SelfCollision,
    /// Collisions with obstacles.
    Obstacles,
    /// The search for sticks that tear, at the end of the step.
    Tearing,
}

/// The callback of a watched step; None if the step is not watched.
pub(super) struct Watch<'a>(Option<&'a mut dyn FnMut(StepPart)>);

impl Watch<'_> {
    /// Reports the end of a part.
    pub(super) fn after(&mut self, part: StepPart) {
        if let Some(watcher) = &mut self.0 {
            watcher(part);
        }
    }

    /// Whether the step is watched.
    pub(super) fn is_some(&self) -> bool {
        self.0.is_some()
    }
}

/// The islands that are [touched](Island::touched) in this step.
fn touched<const D: usize>(islands: &mut [Island<D>]) -> impl Iterator<Item = &mut Island<D>> {
    islands.iter_mut().filter(|island| island.touched)
}

/// Whether an island has models that take part in self-collision.
fn self_collides<const D: usize>(
    island: usize,
    self_collisions: Option<&SelfCollisions<D>>,
    collider_contacts: Option<&ColliderContacts<D>>,
) -> bool {
    self_collisions.is_some_and(|it| it.has_particles_in(island))
        || collider_contacts.is_some_and(|it| it.has_particles_in(island))
}

/// Copies the particles of an island that sleeps, for contacts with other islands, as if they were
/// pinned.
fn read_asleep<const D: usize>(
    island: usize,
    particles: &Particles<D>,
    self_collisions: &mut Option<SelfCollisions<D>>,
    collider_contacts: &mut Option<ColliderContacts<D>>,
) {
    if let Some(it) = self_collisions {
        it.read_asleep(island, particles);
    }
    if let Some(it) = collider_contacts {
        it.read_asleep(island, particles);
    }
}

impl<const D: usize> World<D>
where
    Self: Simulation<D>,
{
    /// One step, on the calling thread (kernels may have threads of their own).
    ///
    /// # Errors
    /// If the step of the settings is invalid; then nothing has moved. If a caller replaced the sticks
    /// of an island; then other islands may have moved.
    pub fn step(&mut self) -> Result<Outcome, WorldError> {
        self.step_on(&Inline)
    }

    /// Like [`step`](Self::step), with the same result, on the threads of an executor.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub fn step_on(&mut self, executor: &dyn Executor) -> Result<Outcome, WorldError> {
        self.run_step(executor, None)
    }

    /// One step that calls `after` at the end of each [`StepPart`], to measure their times. A part ends
    /// several times in a step, so add up its times: forces, motion and tethers end for each island in
    /// each substep, sticks for each island in each pass, ties, self-collision and obstacles for all
    /// islands together in each pass, and tearing for each island. Where motion and sticks run in one
    /// call, one [`StepPart::Whole`] ends instead of them. (Forces also end for each island before the
    /// first substep, and sticks after the last one.) The result has the bits of [`step`](Self::step).
    /// The step may take longer, because tethers become a separate part.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// use std::time::{Duration, Instant};
    /// use taut_core::Inline;
    /// use taut_scalar::ScalarKernel;
    /// use taut_world::{Model, Scene, StepPart, StickSet, World};
    ///
    /// let mut scene = Scene::new();
    /// scene.add("sheet", Model::drape(16, StickSet::All)?)?;
    /// let mut world = World::new(&scene, |_| ScalarKernel)?;
    ///
    /// let mut times = BTreeMap::<StepPart, Duration>::new();
    /// let mut last = Instant::now();
    /// let outcome = world.step_watched(&Inline, &mut |part| {
    ///     *times.entry(part).or_default() += last.elapsed();
    ///     last = Instant::now();
    /// })?;
    /// assert!(outcome.finite && times.contains_key(&StepPart::Whole));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub fn step_watched(
        &mut self,
        executor: &dyn Executor,
        after: &mut dyn FnMut(StepPart),
    ) -> Result<Outcome, WorldError> {
        self.run_step(executor, Some(after))
    }
}

impl<const D: usize> World<D> {
    /// Implements [`Simulation::run_step`].
    pub(super) fn run_step_generic(
        &mut self,
        executor: &dyn Executor,
        after: Option<&mut dyn FnMut(StepPart)>,
    ) -> Result<Outcome, WorldError> {
        self.try_step(executor, after).inspect_err(|_| {
            for island in &mut self.islands {
                island.with_plan(executor).model_mut(); // writes the positions back
                island.stop_moved_pins(executor);
            }
        })
    }

    fn try_step(
        &mut self,
        executor: &dyn Executor,
        after: Option<&mut dyn FnMut(StepPart)>,
    ) -> Result<Outcome, WorldError> {
        let mut watch = Watch(after);
        let Settings { step, passes } = self.settings;
        let passes = passes.max(1);
        let motion = step.motion()?;
        let h = step.dt / step.substeps as f32;
        let whole_step =
            StepTime { time: self.time + f64::from(step.dt), h, duration: step.dt, motion };
        self.assign_drag_targets();
        if self.update_sleep(&whole_step) {
            self.count_step();
            return Ok(Outcome { finite: true, torn: 0, broken: 0 });
        }
        self.refresh_tethers();
        let Self { forces, obstacles, islands, ties, self_collisions, collider_contacts, .. } =
            self;
        ties::begin_step(ties, islands);
        let mut finite = true;
        for (index, island) in islands.iter_mut().enumerate() {
            if island.is_asleep() {
                island.touched = false;
                read_asleep(index, &island.model.particles, self_collisions, collider_contacts);
                continue;
            }
            let model = &island.model;
            let self_collides =
                self_collides(index, self_collisions.as_ref(), collider_contacts.as_ref());
            island.may_have_contacts = self_collides || model.has_colliders();
            island.touched = island.tied
                || model.moves_by_itself()
                || self_collides
                || (watch.is_some() && island.tethering.is_some())
                || forces.iter().any(|force| force.acts_on(model))
                || obstacles.iter().any(|obstacle| obstacle.may_collide_with(model));
            if !island.touched {
                // Nothing happens between the passes of this island, so they are run as one.
                let iterations = step.iterations.saturating_mul(passes);
                finite &= island.step(step.substeps, iterations, &whole_step, executor)?;
                watch.after(StepPart::Whole);
            }
        }
        for island in touched(islands) {
            island.sample_step_forces(forces, &whole_step, executor);
            watch.after(StepPart::Forces);
        }
        for substep in 1..=step.substeps {
            let time = end_of_substep(self.time, substep, &step);
            let now = StepTime { time, h, duration: h, motion };
            for island in touched(islands) {
                // Particles are emitted before obstacles record the start positions.
                if !island.model.emitters.is_empty() {
                    island.with_plan(executor).model_mut().emit(&now);
                }
                for obstacle in &*obstacles {
                    obstacle.begin(&mut island.with_plan(executor));
                }
                island.sample_substep_forces(forces, &now, executor);
                island.apply_guides_and_drags(substep, step.substeps, time);
                watch.after(StepPart::Forces);
            }
            for pass in 0..passes {
                for island in touched(islands) {
                    if pass == 0 {
                        island.advance(step.iterations, &now, executor, &mut watch)?;
                    } else {
                        island.relax(step.iterations, &now, executor, &mut watch)?;
                    }
                }
                if ties::relax(ties, islands, self.formula, step.iterations, &now) {
                    watch.after(StepPart::Ties);
                }
                let mut access = contacts::IslandsWithPlans { islands, executor };
                if let Some(self_collisions) = self_collisions {
                    self_collisions.resolve(&mut Islands(&mut access), executor);
                    watch.after(StepPart::SelfCollision);
                }
                if let Some(collider_contacts) = collider_contacts {
                    collider_contacts.resolve(&mut Islands(&mut access));
                    watch.after(StepPart::SelfCollision);
                }
                contacts::resolve(obstacles, &mut Islands(&mut access), &now);
                watch.after(StepPart::Obstacles);
            }
            for island in touched(islands) {
                island.finish_substep(executor);
            }
        }
        for island in touched(islands) {
            finite &= island.finish(executor)?;
            watch.after(StepPart::Sticks);
        }
        let mut torn = 0;
        for island in islands.iter_mut().filter(|island| !island.is_asleep()) {
            torn += island.tear_overstretched();
            watch.after(StepPart::Tearing);
        }
        if torn > 0 {
            self.record_removed();
        }
        let broken = ties::finish_step(&mut self.ties, &mut self.islands, &self.settings);
        self.drag_targets.clear();
        self.count_step();
        Ok(Outcome { finite, torn, broken })
    }

    /// Adds a step to the number of steps and the simulated time.
    fn count_step(&mut self) {
        self.steps += 1;
        self.time += f64::from(self.settings.step.dt);
    }
}

/// The time at which a substep ends, s. The last substep ends at exactly the time that the world has
/// after the step: emitters restore their state from it when a world resumes from a snapshot.
fn end_of_substep<const D: usize>(start: f64, substep: u32, step: &Step<D>) -> f64 {
    if substep == step.substeps {
        return start + f64::from(step.dt);
    }
    start + f64::from(substep) * f64::from(step.dt / step.substeps as f32)
}
