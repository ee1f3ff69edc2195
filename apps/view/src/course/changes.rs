//! Changes of a course: other settings, another order, from the beginning, a race.
//!
//! An error changes nothing. What can fail is done first or beside what there is, which is replaced
//! once the new is complete.

use std::sync::Arc;

use taut::world::{
    Force, Integrator, Order, Scene, Settings, SpringError, Tethers, World, WorldError,
};
use taut::{AnyKernel, Kernel, KernelChoice, KernelPair, Schedule, Step};

use super::{Course, CourseError, Rival, Runner, Space, Way, own_tear_factor};
use crate::asked::{self, OfSticks, SettingRequest};
use crate::gauge::Gauge;

impl<const D: usize> Course<D>
where
    Scene<D>: Space<D>,
    AnyKernel: Kernel<D>,
{
    /// From the beginning, as asked for; what was held is held again. An error changes nothing.
    pub(crate) fn reset(&mut self) -> Result<(), CourseError> {
        let (asked, kernels) = (self.asked.clone(), self.runner.kernels.clone());
        self.restart(&asked, kernels)
    }

    /// Replaces all worlds by ones at their beginning, once these are complete.
    fn restart(&mut self, asked: &SettingRequest, kernels: KernelPair) -> Result<(), CourseError> {
        let mut runner = begin(&self.scene, asked, kernels)?;
        for particle in self.runner.world.grabbed() {
            runner.world.grab(particle)?;
        }
        let racing = self.rival.as_ref().map(|rival| rival.runner.kernels.clone());
        let scene = as_asked(&self.scene, asked)?;
        let rival = |kernels| Rival::of(&runner.world, &scene, kernels);
        let rival = racing.map(rival).transpose()?;
        (self.runner, self.rival) = (runner, rival);
        Ok(())
    }

    /// Goes on as asked for, from the present state if that is possible, or else from the
    /// beginning. An error changes nothing.
    pub(crate) fn follow(&mut self, asked: SettingRequest) -> Result<Way, CourseError> {
        let settings = settings(&self.scene, &asked);
        asked::check_work(&settings)?;
        check_springs(&self.scene, &settings)?;
        if asked.order == Some(Order::Sheet) && !self.sheets {
            return Err(CourseError::NotASheet);
        }
        let same_kernels = asked.kernels == self.asked.kernels;
        let kernels = if same_kernels {
            self.runner.kernels.clone()
        } else {
            self.check_choice(&asked.kernels, asked.order)?;
            asked.kernels.find()?
        };
        let same_matter = asked.order == self.asked.order && asked.tethers == self.asked.tethers;
        let way = if same_matter {
            self.change(&asked, kernels)?;
            Way::On
        } else {
            match self.reorder(&asked, kernels.clone()) {
                Ok(()) => Way::Rebuilt,
                Err(why) => {
                    self.restart(&asked, kernels)?;
                    Way::Restarted(why)
                }
            }
        };
        if !same_kernels {
            self.runner.gauge = Gauge::default();
        }
        self.asked = asked;
        Ok(way)
    }

    /// Changes all but the order of the sticks and tethers, in the worlds as they are.
    fn change(&mut self, asked: &SettingRequest, kernels: KernelPair) -> Result<(), CourseError> {
        let settings = settings(&self.scene, asked);
        let is_planned = asked.formula == self.asked.formula && asked.kernels == self.asked.kernels;
        let planned = if is_planned { Ok(()) } else { self.replan(asked, &kernels) };
        let set = planned.and_then(|()| Ok(self.runner.world.set_settings(settings)?));
        if let Err(error) = set {
            // Back to plans that were possible before.
            let (asked, kernels) = (self.asked.clone(), self.runner.kernels.clone());
            self.replan(&asked, &kernels)?;
            return Err(error);
        }
        // Nothing below fails: the rival has the same masses and springs, which is all that
        // settings are checked against, and `SettingRequest` has no other values than sticks can take.
        if let Some(rival) = &mut self.rival {
            rival.runner.world.set_settings(settings)?;
        }
        self.runner.kernels = kernels;
        let Self { scene, asked: before, runner, rival, .. } = self;
        let rival = rival.as_mut().map(|rival| &mut rival.runner);
        for Runner { world, .. } in [runner].into_iter().chain(rival) {
            *world.forces_mut() = forces(scene, asked);
            if asked.sticks != before.sticks {
                change_sticks(world, scene, asked.sticks)?;
            }
        }
        Ok(())
    }

    /// Plans all worlds for the formula that is asked for, and the first for these kernels.
    fn replan(&mut self, asked: &SettingRequest, kernels: &KernelPair) -> Result<(), CourseError> {
        let formula = asked.formula.unwrap_or(self.scene.formula);
        self.runner.world.replan(formula, |schedule| kernels.kernel_for(schedule))?;
        if let Some(Rival { runner: Runner { kernels, world, .. }, .. }) = &mut self.rival {
            world.replan(formula, |schedule| kernels.kernel_for(schedule))?;
        }
        Ok(())
    }

    /// Goes on from the present state in worlds of another order of the sticks, or with other tethers. They replace the
    /// present ones once they are complete.
    fn reorder(&mut self, asked: &SettingRequest, kernels: KernelPair) -> Result<(), CourseError> {
        let resumed = |runner: &Runner<D>, kernels: KernelPair| -> Result<_, CourseError> {
            let scene = as_asked(&self.scene, asked)?;
            let snapshot = runner.world.snapshot();
            let kernel_for = |schedule: &Schedule| kernels.kernel_for(schedule);
            let mut world = World::resume(&scene, kernel_for, &snapshot)?;
            if scene.formula != world.formula() {
                world.replan(scene.formula, kernel_for)?;
            }
            world.set_settings(scene.settings)?;
            if asked.sticks != self.asked.sticks {
                change_sticks(&mut world, &self.scene, asked.sticks)?;
            }
            Ok(Runner { kernels, world, gauge: runner.gauge.clone() })
        };
        let other = self.rival.as_ref().map(|rival| &rival.runner);
        let other = other.map(|it| resumed(it, it.kernels.clone())).transpose()?;
        self.runner = resumed(&self.runner, kernels)?;
        if let (Some(rival), Some(runner)) = (&mut self.rival, other) {
            rival.runner = runner;
        }
        Ok(())
    }

    /// Begins a race, from the present state.
    pub(crate) fn race(&mut self, choice: &KernelChoice) -> Result<(), CourseError> {
        self.check_choice(choice, self.asked.order)?;
        let scene = as_asked(&self.scene, &self.asked)?;
        self.rival = Some(Rival::of(&self.runner.world, &scene, choice.find()?)?);
        Ok(())
    }

    /// Ends the race.
    pub(crate) fn stop_race(&mut self) {
        self.rival = None;
    }
}

/// How a scene moves as asked for.
fn settings<const D: usize>(scene: &Scene<D>, asked: &SettingRequest) -> Settings<D> {
    let mut settings = scene.settings;
    settings.passes = asked.passes.unwrap_or(settings.passes);
    let step = &mut settings.step;
    step.substeps = asked.substeps.unwrap_or(step.substeps);
    step.iterations = asked.iterations.unwrap_or(step.iterations);
    step.damping_rate = asked.damping_rate.unwrap_or(step.damping_rate);
    if !asked.gravity {
        step.acceleration = [0.0; D];
    }
    settings
}

/// Whether the springs of a scene bear such substeps. (A world counts
/// held particles as pinned.)
fn check_springs<const D: usize>(
    scene: &Scene<D>,
    settings: &Settings<D>,
) -> Result<(), WorldError> {
    let Step { dt, substeps, damping_rate, .. } = settings.step;
    let h = f64::from(dt / substeps as f32);
    for (_, model) in scene.models() {
        let masses = model.particles.inverse_masses();
        let largest = model.springs.largest_step(masses, Integrator::Verlet, damping_rate);
        if h >= largest {
            return Err(SpringError::Unstable { h, largest }.into());
        }
    }
    Ok(())
}

fn forces<const D: usize>(scene: &Scene<D>, asked: &SettingRequest) -> Vec<Arc<dyn Force<D>>>
where
    Scene<D>: Space<D>,
{
    match asked.wind {
        Some(false) => Vec::new(),
        Some(true) if scene.forces.is_empty() => vec![scene.breeze()],
        _ => scene.forces.clone(),
    }
}

/// A scene as asked for, but for its sticks. Its models keep their velocities.
fn as_asked<const D: usize>(
    scene: &Scene<D>,
    asked: &SettingRequest,
) -> Result<Scene<D>, WorldError>
where
    Scene<D>: Space<D>,
{
    let mut scene = scene.clone();
    scene.formula = asked.formula.unwrap_or(scene.formula);
    scene.order = asked.order.or(scene.order);
    scene.forces = forces(&scene, asked);
    if let Some(on) = asked.tethers {
        scene = scene.tethered(on.then(Tethers::default))?;
    }
    scene.set_settings(settings(&scene, asked))?;
    Ok(scene)
}

/// Begins with a scene as asked for.
pub(super) fn begin<const D: usize>(
    scene: &Scene<D>,
    asked: &SettingRequest,
    kernels: KernelPair,
) -> Result<Runner<D>, CourseError>
where
    Scene<D>: Space<D>,
    AnyKernel: Kernel<D>,
{
    let world = World::new(&as_asked(scene, asked)?, |schedule| kernels.kernel_for(schedule))?;
    let mut runner = Runner { kernels, world, gauge: Gauge::default() };
    if asked.sticks != OfSticks::default() {
        change_sticks(&mut runner.world, scene, asked.sticks)?;
    }
    Ok(runner)
}

/// Gives every stick what was asked for, or what it has in the scene.
fn change_sticks<const D: usize>(
    world: &mut World<AnyKernel, D>,
    scene: &Scene<D>,
    asked: OfSticks,
) -> Result<(), CourseError>
where
    AnyKernel: Kernel<D>,
{
    let models = || scene.models().map(|(_, model)| model);
    let own = models().flat_map(|model| (0..model.sticks.len()).map(move |it| (model, it)));
    for (name, (model, it)) in own.enumerate() {
        let Some((piece, number)) = world.locate_stick(name) else { continue };
        let sticks = &mut world.islands_mut()[piece].matter.sticks;
        let compliance = asked.compliance.unwrap_or(model.sticks.compliance(it));
        if sticks.compliance(number).to_bits() != compliance.to_bits() {
            sticks.set_compliance(number, compliance).map_err(WorldError::from)?;
        }
        let stiffness = asked.stiffness.unwrap_or(model.sticks.stiffness(it));
        if sticks.stiffness(number).to_bits() != stiffness.to_bits() {
            sticks.set_stiffness(number, stiffness).map_err(WorldError::from)?;
        }
    }
    let own = models().flat_map(|it| (0..it.sticks.len()).map(|stick| own_tear_factor(it, stick)));
    let own: Vec<f32> = own.collect();
    world.set_tear_factors(|stick| asked.tear.unwrap_or(own[stick]));
    Ok(())
}
