//! Changes of a session: settings, order of the sticks, restarts, and the comparison of two kernels (a race).
//!
//! If a change fails, the session stays as it was: new worlds are complete before they replace the current ones.

use std::sync::Arc;

use taut::world::{
    Force, Integrator, Order, Scene, SelfCollision, Settings, Simulation, Sleep, SpringError,
    Tethers, World, WorldError,
};
use taut::{AnyKernel, Kernel, KernelChoice, KernelSet, Schedule, Step};

use super::runner::{Comparison, Runner};
use super::scene_ops::SceneOps;
use super::{ApplyOutcome, Session, SessionError, own_tear_factor};
use crate::protocol::CollisionFilter;
use crate::request::{self, ContactOverrides, SettingRequest, StickOverrides};
use crate::step_timer::StepTimer;

impl<const D: usize> Session<D>
where
    Scene<D>: SceneOps<D>,
    AnyKernel: Kernel<D>,
    World<D>: Simulation<D>,
{
    /// Restarts with the current settings; held particles stay held.
    pub(crate) fn reset(&mut self) -> Result<(), SessionError> {
        let (request, kernels) = (self.request.clone(), self.runner.kernels.clone());
        self.restart(&request, kernels)
    }

    /// Replaces all worlds by new ones at the start of the scene; held particles stay held.
    fn restart(
        &mut self,
        request: &SettingRequest,
        kernels: KernelSet,
    ) -> Result<(), SessionError> {
        let mut runner = start_runner(&self.scene, request, kernels)?;
        for particle in self.runner.world.grabbed() {
            runner.world.grab(particle)?;
        }
        let comparison_kernels =
            self.comparison.as_ref().map(|comparison| comparison.runner.kernels.clone());
        let scene = scene_with_request(&self.scene, request)?;
        let start_comparison = |kernels| Comparison::start(&runner.world, &scene, kernels);
        let comparison = comparison_kernels.map(start_comparison).transpose()?;
        (self.runner, self.comparison) = (runner, comparison);
        Ok(())
    }

    /// Applies a request. Keeps the current state of the simulation if possible, otherwise restarts it. An error
    /// changes nothing.
    pub(crate) fn apply(&mut self, request: SettingRequest) -> Result<ApplyOutcome, SessionError> {
        let settings = requested_settings(&self.scene, &request);
        request::check_iterations(&settings)?;
        check_springs(&self.scene, &settings)?;
        if request.order == Some(Order::Sheet) && !self.has_sheets {
            return Err(SessionError::NotASheet);
        }
        // A filter that was accepted before may be of a model that the scene has in another size only.
        let is_known = |&name: &&String| {
            self.request.contacts.filters.contains_key(name)
                || self.scene.models().any(|(model, _)| model == name)
        };
        if let Some(name) = request.contacts.filters.keys().find(|name| !is_known(name)) {
            return Err(SessionError::UnknownModel { name: name.clone() });
        }
        let has_same_kernels = request.kernels == self.request.kernels;
        let kernels = if has_same_kernels {
            self.runner.kernels.clone()
        } else {
            // A kernel that was chosen for another scene stays chosen, even if this scene cannot use it.
            if request.kernels.kernel != self.request.kernels.kernel {
                self.check_kernel_choice(&request.kernels, request.order)?;
            }
            request.kernels.find()?
        };
        let has_same_models = request.order == self.request.order
            && request.tethers == self.request.tethers
            && request.collisions == self.request.collisions
            && request.contacts == self.request.contacts;
        let outcome = if request.sleep != self.request.sleep {
            // Whether models may sleep determines which models share an island, so all worlds are made again.
            self.restart(&request, kernels)?;
            ApplyOutcome::Restarted(None)
        } else if has_same_models {
            self.change_in_place(&request, kernels)?;
            ApplyOutcome::InPlace
        } else {
            match self.rebuild(&request, kernels.clone()) {
                Ok(()) => ApplyOutcome::Rebuilt,
                Err(cause) => {
                    self.restart(&request, kernels)?;
                    ApplyOutcome::Restarted(Some(cause))
                }
            }
        };
        if !has_same_kernels {
            self.runner.timer = StepTimer::default();
        }
        self.request = request;
        Ok(outcome)
    }

    /// Changes settings in the current worlds: those other than the order of the sticks, tethers, self-collision and
    /// sleep.
    fn change_in_place(
        &mut self,
        request: &SettingRequest,
        kernels: KernelSet,
    ) -> Result<(), SessionError> {
        let settings = requested_settings(&self.scene, request);
        let has_same_plans =
            request.formula == self.request.formula && request.kernels == self.request.kernels;
        let replan_result = if has_same_plans { Ok(()) } else { self.replan(request, &kernels) };
        let result = replan_result.and_then(|()| Ok(self.runner.world.set_settings(settings)?));
        if let Err(error) = result {
            // Restores the previous plans.
            let (request, kernels) = (self.request.clone(), self.runner.kernels.clone());
            self.replan(&request, &kernels)?;
            return Err(error);
        }
        // Nothing below fails. `set_settings` checks settings against masses and springs, which are the
        // same in both worlds, and a `SettingRequest` has only valid values of sticks.
        if let Some(comparison) = &mut self.comparison {
            comparison.runner.world.set_settings(settings)?;
        }
        self.runner.kernels = kernels;
        let Self { scene, request: previous, runner, comparison, .. } = self;
        let comparison = comparison.as_mut().map(|comparison| &mut comparison.runner);
        for Runner { world, .. } in [runner].into_iter().chain(comparison) {
            *world.forces_mut() = forces(scene, request);
            if request.sticks != previous.sticks {
                change_sticks(world, scene, request.sticks)?;
            }
        }
        Ok(())
    }

    /// Makes the plans of all worlds again for the requested formula: those of the session with `kernels`,
    /// those of the comparison with its own kernels.
    fn replan(
        &mut self,
        request: &SettingRequest,
        kernels: &KernelSet,
    ) -> Result<(), SessionError> {
        let formula = request.formula.unwrap_or(self.scene.formula);
        self.runner.world.replan(formula, |schedule| kernels.kernel_for(schedule))?;
        if let Some(Comparison { runner: Runner { kernels, world, .. }, .. }) = &mut self.comparison
        {
            world.replan(formula, |schedule| kernels.kernel_for(schedule))?;
        }
        Ok(())
    }

    /// Replaces all worlds by worlds with the requested settings, which resume from the current state.
    fn rebuild(
        &mut self,
        request: &SettingRequest,
        kernels: KernelSet,
    ) -> Result<(), SessionError> {
        let resume = |runner: &Runner<D>, kernels: KernelSet| -> Result<_, SessionError> {
            let scene = scene_with_request(&self.scene, request)?;
            let kernel_for = |schedule: &Schedule| kernels.kernel_for(schedule);
            let mut world = continued(&runner.world, &scene, &kernels)?;
            if scene.formula != world.formula() {
                world.replan(scene.formula, kernel_for)?;
            }
            world.set_settings(scene.settings)?;
            change_sticks(&mut world, &self.scene, request.sticks)?;
            Ok(Runner { kernels, world, timer: runner.timer.clone() })
        };
        let comparison_runner = self.comparison.as_ref().map(|comparison| &comparison.runner);
        let new_comparison_runner =
            comparison_runner.map(|runner| resume(runner, runner.kernels.clone())).transpose()?;
        self.runner = resume(&self.runner, kernels)?;
        if let (Some(comparison), Some(runner)) = (&mut self.comparison, new_comparison_runner) {
            comparison.runner = runner;
        }
        Ok(())
    }

    /// Starts a race from the current state: a second world, with the chosen kernel.
    pub(crate) fn race(&mut self, choice: &KernelChoice) -> Result<(), SessionError> {
        self.check_kernel_choice(choice, self.request.order)?;
        let scene = scene_with_request(&self.scene, &self.request)?;
        self.comparison = Some(Comparison::start(&self.runner.world, &scene, choice.find()?)?);
        Ok(())
    }

    /// Stops the race and drops the second world.
    pub(crate) fn stop_race(&mut self) {
        self.comparison = None;
    }
}

/// A world of `scene` with the state of `world`, whose models are the same.
fn continued<const D: usize>(
    world: &World<D>,
    scene: &Scene<D>,
    kernels: &KernelSet,
) -> Result<World<D>, SessionError>
where
    AnyKernel: Kernel<D>,
    World<D>: Simulation<D>,
{
    let kernel_for = |schedule: &Schedule| kernels.kernel_for(schedule);
    World::resume(scene, kernel_for, &world.snapshot()).or_else(|error| {
        // Tethers decide which copies share an island, and only the islands of the same scene can be
        // resumed. Broken ties are not carried over.
        let mut next = World::new(scene, kernel_for)?;
        let has_all = next.carry_over(world) == scene.models().count();
        let has_broken_ties = world.ties().any(|tie| tie.broken);
        if has_all && !has_broken_ties { Ok(next) } else { Err(error.into()) }
    })
}

/// The settings of a scene with a request applied.
fn requested_settings<const D: usize>(scene: &Scene<D>, request: &SettingRequest) -> Settings<D> {
    let mut settings = scene.settings;
    settings.passes = request.passes.unwrap_or(settings.passes);
    let step = &mut settings.step;
    step.substeps = request.substeps.unwrap_or(step.substeps);
    step.iterations = request.iterations.unwrap_or(step.iterations);
    step.damping_rate = request.damping_rate.unwrap_or(step.damping_rate);
    if !request.gravity {
        step.acceleration = [0.0; D];
    }
    settings
}

/// Checks that the springs of a scene are stable with the substeps of `settings`. (`World::set_settings` checks this,
/// too, but it treats held particles as pinned. When they are released, the springs may become unstable.)
fn check_springs<const D: usize>(
    scene: &Scene<D>,
    settings: &Settings<D>,
) -> Result<(), WorldError> {
    let Step { dt, substeps, damping_rate, .. } = settings.step;
    // The length of a substep, s: `h` in `SpringError`.
    let h = f64::from(dt / substeps as f32);
    for (_, model) in scene.models() {
        let inverse_masses = model.particles.inverse_masses();
        // The largest stable substep, s.
        let largest =
            model.springs.largest_substep(inverse_masses, Integrator::Verlet, damping_rate);
        if h >= largest {
            return Err(SpringError::Unstable { h, largest }.into());
        }
    }
    Ok(())
}

/// The forces of a scene with a request applied.
fn forces<const D: usize>(scene: &Scene<D>, request: &SettingRequest) -> Vec<Arc<dyn Force<D>>>
where
    Scene<D>: SceneOps<D>,
{
    match request.wind {
        Some(false) => Vec::new(),
        Some(true) if scene.forces.is_empty() => vec![scene.default_wind()],
        _ => scene.forces.clone(),
    }
}

/// A scene with a request applied, except for the values of sticks (see [`change_sticks`]). `Scene::set_settings`
/// scales previous positions to the requested substep, so models keep their velocities.
fn scene_with_request<const D: usize>(
    scene: &Scene<D>,
    request: &SettingRequest,
) -> Result<Scene<D>, WorldError>
where
    Scene<D>: SceneOps<D>,
{
    let mut scene = scene.clone();
    scene.formula = request.formula.unwrap_or(scene.formula);
    scene.order = request.order.or(scene.order);
    scene.forces = forces(&scene, request);
    if let Some(on) = request.tethers {
        scene = scene.tethered(on.then(Tethers::default))?;
    }
    if let Some(on) = request.collisions {
        scene = scene.self_colliding(on.then(SelfCollision::default))?;
    }
    let ContactOverrides { thickness, friction, ref filters } = request.contacts;
    scene = scene.with_self_collision(|name, model, settings| {
        settings.friction = friction.unwrap_or(settings.friction);
        if !model.has_colliders() {
            settings.thickness = thickness.or(settings.thickness);
        }
        if let Some(&CollisionFilter { categories, mask }) = filters.get(name) {
            (settings.categories, settings.mask) = (categories, mask);
        }
    })?;
    if let Some(on) = request.sleep {
        scene.sleep = on.then(Sleep::default);
    }
    scene.set_settings(requested_settings(&scene, request))?;
    Ok(scene)
}

/// A new world of a scene with a request applied.
pub(super) fn start_runner<const D: usize>(
    scene: &Scene<D>,
    request: &SettingRequest,
    kernels: KernelSet,
) -> Result<Runner<D>, SessionError>
where
    Scene<D>: SceneOps<D>,
    AnyKernel: Kernel<D>,
    World<D>: Simulation<D>,
{
    let world =
        World::new(&scene_with_request(scene, request)?, |schedule| kernels.kernel_for(schedule))?;
    let mut runner = Runner { kernels, world, timer: StepTimer::default() };
    if request.sticks != StickOverrides::default() {
        change_sticks(&mut runner.world, scene, request.sticks)?;
    }
    Ok(runner)
}

/// Sets compliance, stiffness and tear factor of every stick to the requested values, or to those of the scene where
/// none are requested.
fn change_sticks<const D: usize>(
    world: &mut World<D>,
    scene: &Scene<D>,
    overrides: StickOverrides,
) -> Result<(), SessionError>
where
    AnyKernel: Kernel<D>,
    World<D>: Simulation<D>,
{
    let models = || scene.models().map(|(_, model)| model);
    let model_sticks =
        models().flat_map(|model| (0..model.sticks.len()).map(move |stick| (model, stick)));
    for (id, (model, stick)) in model_sticks.enumerate() {
        let Some((island, index)) = world.locate_stick(id) else { continue };
        let sticks = &mut world.islands_mut()[island].model.sticks;
        let compliance = overrides.compliance.unwrap_or(model.sticks.compliance(stick));
        if sticks.compliance(index).to_bits() != compliance.to_bits() {
            sticks.set_compliance(index, compliance).map_err(WorldError::from)?;
        }
        let stiffness = overrides.stiffness.unwrap_or(model.sticks.stiffness(stick));
        if sticks.stiffness(index).to_bits() != stiffness.to_bits() {
            sticks.set_stiffness(index, stiffness).map_err(WorldError::from)?;
        }
    }
    let tear_factors: Vec<f32> = models()
        .flat_map(|model| (0..model.sticks.len()).map(|stick| own_tear_factor(model, stick)))
        .collect();
    world.set_tear_factors(|stick| overrides.tear.unwrap_or(tear_factors[stick]));
    Ok(())
}
