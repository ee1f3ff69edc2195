//! Changes of a session: settings, order of the sticks, restarts, and the comparison of two kernels (a race).
//!
//! If a change fails, the session stays as it was: new worlds are complete before they replace the current ones.

use taut::world::{AnyScene, Order};
use taut::{AnyWorld, AnyWorldError, KernelChoice, KernelSet};

use super::properties::StickValues;
use super::requested::{check_springs, requested_scene, requested_settings};
use super::runner::{Comparison, Runner};
use super::{ApplyOutcome, Session, SessionError};
use crate::request::{self, SettingRequest, StickOverrides};
use crate::step_timer::StepTimer;

impl Session {
    /// Restarts with the current settings; held particles stay held.
    pub(crate) fn reset(&mut self) -> Result<(), SessionError> {
        let (request, kernels) = (self.request.clone(), self.runner.world.kernels().clone());
        self.restart(&request, kernels)
    }

    /// Replaces all worlds by new ones at the start of the scene; held particles stay held.
    fn restart(
        &mut self,
        request: &SettingRequest,
        kernels: KernelSet,
    ) -> Result<(), SessionError> {
        let scene = requested_scene(&self.scene, request)?;
        let mut world = new_world(scene.clone(), kernels, &self.properties.sticks, request.sticks)?;
        for particle in self.runner.world.grabbed() {
            world.grab(particle)?;
        }
        let start_comparison = |comparison: &Comparison| {
            Comparison::start(&world, scene, comparison.runner.world.kernels().clone())
        };
        let comparison = self.comparison.as_ref().map(start_comparison).transpose()?;
        self.comparison = comparison;
        self.runner = Runner::new(world);
        Ok(())
    }

    /// Applies a request. Keeps the current state of the simulation if possible, otherwise restarts it. An error
    /// changes nothing.
    pub(crate) fn apply(&mut self, request: SettingRequest) -> Result<ApplyOutcome, SessionError> {
        let settings = requested_settings(self.properties.settings, &request);
        request::check_iterations(&settings)?;
        check_springs(&self.scene, &settings)?;
        if request.order == Some(Order::Sheet) && !self.properties.has_sheets() {
            return Err(SessionError::NotASheet);
        }
        // A filter that was accepted before may be of a model that the scene has in another size only.
        let is_known = |&name: &&String| {
            self.request.contacts.filters.contains_key(name)
                || self.properties.models.iter().any(|model| model.name == *name)
        };
        if let Some(name) = request.contacts.filters.keys().find(|name| !is_known(name)) {
            return Err(SessionError::UnknownModel { name: name.clone() });
        }
        let has_same_kernels = request.kernels == self.request.kernels;
        let kernels = if has_same_kernels {
            self.runner.world.kernels().clone()
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
        let settings = requested_settings(self.properties.settings, request);
        let has_same_wind = request.wind == self.request.wind;
        let scene = if has_same_wind { None } else { Some(requested_scene(&self.scene, request)?) };
        let previous_kernels = self.runner.world.kernels().clone();
        let has_same_plans =
            request.formula == self.request.formula && request.kernels == self.request.kernels;
        let replan_result = if has_same_plans { Ok(()) } else { self.replan(request, kernels) };
        let result = replan_result.and_then(|()| self.runner.world.set_settings(&settings));
        if let Err(error) = result {
            // Restores the previous plans.
            self.replan(&self.request.clone(), previous_kernels)?;
            return Err(error.into());
        }
        // Nothing below fails. `set_settings` checks settings against masses and springs, which are the
        // same in both worlds, and a `SettingRequest` has only valid values of sticks.
        if let Some(comparison) = &mut self.comparison {
            comparison.runner.world.set_settings(&settings)?;
        }
        if let Some(scene) = scene {
            self.worlds().for_each(|world| {
                world.set_forces_of(&scene);
            });
        }
        if request.sticks != self.request.sticks {
            let sticks = &self.properties.sticks;
            let comparison = self.comparison.as_mut().map(|comparison| &mut comparison.runner);
            for runner in [&mut self.runner].into_iter().chain(comparison) {
                set_sticks(&mut runner.world, sticks, request.sticks)?;
            }
        }
        Ok(())
    }

    /// Makes the plans of all worlds again for the requested formula: those of the session with `kernels`,
    /// those of the comparison with its own kernels.
    fn replan(
        &mut self,
        request: &SettingRequest,
        kernels: KernelSet,
    ) -> Result<(), AnyWorldError> {
        let formula = request.formula.unwrap_or(self.properties.formula);
        self.runner.world.replan(formula, kernels)?;
        if let Some(Comparison { runner: Runner { world, .. }, .. }) = &mut self.comparison {
            world.replan(formula, world.kernels().clone())?;
        }
        Ok(())
    }

    /// Replaces all worlds by worlds with the requested settings, which resume from the current state.
    fn rebuild(
        &mut self,
        request: &SettingRequest,
        kernels: KernelSet,
    ) -> Result<(), SessionError> {
        let resume = |runner: &Runner, kernels: KernelSet| -> Result<_, SessionError> {
            let scene = requested_scene(&self.scene, request)?;
            let formula = request.formula.unwrap_or(self.properties.formula);
            let mut world = continued(&runner.world, scene, kernels.clone())?;
            if world.formula() != formula {
                world.replan(formula, kernels)?;
            }
            world.set_settings(&requested_settings(self.properties.settings, request))?;
            set_sticks(&mut world, &self.properties.sticks, request.sticks)?;
            Ok(Runner { world, timer: runner.timer.clone() })
        };
        let comparison_runner = self.comparison.as_ref().map(|comparison| &comparison.runner);
        let new_comparison_runner = comparison_runner
            .map(|runner| resume(runner, runner.world.kernels().clone()))
            .transpose()?;
        self.runner = resume(&self.runner, kernels)?;
        if let (Some(comparison), Some(runner)) = (&mut self.comparison, new_comparison_runner) {
            comparison.runner = runner;
        }
        Ok(())
    }

    /// Starts a race from the current state: a second world, with the chosen kernel.
    pub(crate) fn race(&mut self, choice: &KernelChoice) -> Result<(), SessionError> {
        self.check_kernel_choice(choice, self.request.order)?;
        let scene = requested_scene(&self.scene, &self.request)?;
        self.comparison = Some(Comparison::start(&self.runner.world, scene, choice.find()?)?);
        Ok(())
    }

    /// Stops the race and drops the second world.
    pub(crate) fn stop_race(&mut self) {
        self.comparison = None;
    }
}

/// A world of `scene` with the state of `world`, whose models are the same.
fn continued(
    world: &AnyWorld,
    scene: AnyScene,
    kernels: KernelSet,
) -> Result<AnyWorld, AnyWorldError> {
    AnyWorld::resume(scene.clone(), kernels.clone(), &world.snapshot()).or_else(|error| {
        // Tethers decide which copies share an island, and only the islands of the same scene can be
        // resumed. Broken ties are not carried over.
        let mut next = AnyWorld::with_kernels(scene, kernels)?;
        let has_all = next.carry_over(world) == next.drawing().models.len();
        let has_broken_ties = world.ties().iter().any(|tie| tie.broken);
        if has_all && !has_broken_ties { Ok(next) } else { Err(error) }
    })
}

/// A new world of a scene, whose sticks have `own` values, or the requested ones.
pub(super) fn new_world(
    scene: AnyScene,
    kernels: KernelSet,
    own: &[StickValues],
    overrides: StickOverrides,
) -> Result<AnyWorld, AnyWorldError> {
    let mut world = AnyWorld::with_kernels(scene, kernels)?;
    if overrides != StickOverrides::default() {
        set_sticks(&mut world, own, overrides)?;
    }
    Ok(world)
}

/// Sets compliance, stiffness and tear factor of every stick to the requested values, or to `own` values where none are
/// requested.
fn set_sticks(
    world: &mut AnyWorld,
    own: &[StickValues],
    overrides: StickOverrides,
) -> Result<(), AnyWorldError> {
    world.set_compliance_and_stiffness(|stick| {
        let StickValues { compliance, stiffness, .. } = own[stick];
        [overrides.compliance.unwrap_or(compliance), overrides.stiffness.unwrap_or(stiffness)]
    })?;
    world.set_tear_factors(|stick| overrides.tear.unwrap_or(own[stick].tear_factor));
    Ok(())
}
