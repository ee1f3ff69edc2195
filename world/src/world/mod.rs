//! The world: the simulation of a scene.

mod clock;
mod contacts;
mod cutting;
mod diagnostics;
mod drawing;
mod error;
mod hands;
mod integrate;
mod island;
mod names;
mod overstretched;
mod reordering;
mod residual;
mod run_layout;
mod snapshot;
mod step;
mod tearing;
mod tethering;
mod warnings;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use taut_core::{
    Formula, Kernel, ParticleError, PlanError, Schedule, Step, StickError, hash_points,
};

use crate::drawing::Look;
use crate::force::Force;
use crate::grouping::{IslandModels, groups};
use crate::model::Model;
use crate::obstacle::Obstacle;
use crate::scene::Scene;
use crate::settings::{Settings, scale_displacements, substep_ratio};
use crate::springs::{SpringError, Springs};

use clock::Before;
use hands::Held;
use island::IslandSchedules;
use names::Names;
use snapshot::{Shape, shapes};

pub use clock::{Clock, Frame};
pub use diagnostics::Diagnostics;
pub use drawing::{Drawing, DrawnPart, Removed};
pub use error::WorldError;
pub use island::Island;
pub use snapshot::{Snapshot, SnapshotError};
pub use step::{Outcome, Pass};
pub use warnings::Warning;

/// The numbers of a model's particles, sticks and so on in the world.
#[derive(Clone, Debug)]
struct ModelRange {
    name: String,
    look: Look,
    particles: Range<usize>,
    sticks: Range<usize>,
    /// Its faces, and the triangles of its bodies' meshes.
    triangles: Range<usize>,
    /// The vertices of its bodies' meshes, after all particles.
    skin: Range<usize>,
    /// The number of its island.
    island: usize,
    /// Its springs in the island.
    springs: Range<usize>,
    /// Its bodies in the island.
    bodies: Range<usize>,
}

/// The simulation of a scene. Each regular sheet is an island of its own, and so are all copies of a
/// model if there are enough; all other models share one. Each island has its own kernel; one step moves all islands.
///
/// Other models do not change the bits of a model's positions unless they touch it: the order of a
/// model's sticks depends on that model alone.
///
/// Particles are numbered model by model, in the scene's order, and so are sticks. Islands may
/// number them differently inside.
///
/// ```
/// use taut_scalar::ScalarKernel;
/// use taut_world::{Model, Scene, StickSet, World};
///
/// let mut scene = Scene::new();
/// scene.add("sheet", Model::drape(16, StickSet::All)?)?;
/// let mut world = World::new(&scene, |_| ScalarKernel)?;
/// for _ in 0..60 {
///     assert!(world.step()?.finite);
/// }
/// let corner = world.model("sheet").unwrap().end - 1;
/// assert!(world.position(corner)[1] < 0.0);
/// assert!((world.time() - 1.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct World<K: Kernel<D>, const D: usize = 3> {
    settings: Settings<D>,
    formula: Formula,
    forces: Vec<Arc<dyn Force<D>>>,
    obstacles: Vec<Arc<dyn Obstacle<D>>>,
    islands: Vec<Island<K::Plan, D>>,
    models: Vec<ModelRange>,
    shapes: Vec<Shape>,
    particles: Names,
    sticks: Names,
    removed: Removed,
    /// Particles that are pinned or grabbed for now.
    held: BTreeMap<usize, Held<D>>,
    /// Drag targets: positions of particles at the end of the next step.
    targets: BTreeMap<usize, [f32; D]>,
    /// Whether a particle was grabbed, pinned or freed since tethers were made.
    hands_changed: bool,
    /// Positions before the last step, once [`advance`](World::advance) recorded them.
    before: Option<Before<D>>,
    steps: u64,
    time: f64,
}

/// Checks that a step is short enough for the springs of a model.
fn check_springs<const D: usize>(
    springs: &Springs,
    inverse_masses: &[f32],
    step: &Step<D>,
) -> Result<(), SpringError> {
    springs.check(inverse_masses, step.dt / step.substeps as f32, step.damping_rate)
}

/// The range of `len` numbers that follows `before`.
fn following(before: &Range<usize>, len: usize) -> Range<usize> {
    before.end..before.end + len
}

impl<K: Kernel<D>, const D: usize> World<K, D> {
    /// Creates the world of a scene; `kernel_for` chooses the kernel of each island by its schedule
    /// (in the crate `taut`, `AnyKernel::best_for`).
    ///
    /// # Errors
    /// If sticks of a model refer to particles that it lacks, the models are too large for one
    /// world, a kernel cannot run a schedule, the step is not sane, or it is too long for the
    /// springs of a model.
    pub fn new(
        scene: &Scene<D>,
        mut kernel_for: impl FnMut(&Schedule) -> K,
    ) -> Result<Self, WorldError> {
        scene.settings.step.motion()?;
        let mut models: Vec<ModelRange> = Vec::new();
        let (mut particles, mut sticks, mut triangles) = (0..0, 0..0, 0..0);
        let mut skin = scene.particles()..scene.particles();
        for (name, model) in scene.models() {
            particles = following(&particles, model.particles.len());
            sticks = following(&sticks, model.sticks.len());
            let Model { faces, bodies, .. } = model;
            triangles = following(&triangles, faces.len() + bodies.triangles().len());
            skin = following(&skin, bodies.vertex_count());
            models.push(ModelRange {
                name: name.to_owned(),
                look: model.look(),
                particles: particles.clone(),
                sticks: sticks.clone(),
                triangles: triangles.clone(),
                skin: skin.clone(),
                island: 0,
                springs: 0..0,
                bodies: 0..0,
            });
            let (needed, particles) = (model.sticks.particles(), model.particles.len());
            if needed > particles {
                return Err(PlanError::TooFewParticles { needed, particles }.into());
            }
            let masses = model.particles.inverse_masses();
            check_springs(&model.springs, masses, &scene.settings.step)?;
        }
        let mut world = Self {
            settings: scene.settings,
            formula: scene.formula,
            forces: scene.forces.clone(),
            obstacles: scene.obstacles.clone(),
            islands: Vec::new(),
            models,
            particles: Names::new(particles.end),
            sticks: Names::new(sticks.end),
            removed: Removed::default(),
            shapes: shapes(scene),
            held: BTreeMap::new(),
            targets: BTreeMap::new(),
            hands_changed: true,
            before: None,
            steps: 0,
            time: 0.0,
        };
        let models = scene.models().map(|(_, model)| model);
        for IslandModels { models, schedules, copies } in groups(models, scene.order) {
            let joined = match &models[..] {
                [(_, model)] => model.complete()?,
                models => Model::side_by_side(models.iter().map(|(_, model)| *model))?,
            };
            let one = copies.then(|| &models[0].1.particles);
            let schedules = IslandSchedules { schedules, one };
            let mut island = Island::new(joined, schedules, scene.formula, &mut kernel_for)?;
            let (mut springs, mut bodies) = (0..0, 0..0);
            for &(at, model) in &models {
                let part = &mut world.models[at];
                springs = following(&springs, model.springs.len());
                bodies = following(&bodies, model.bodies.all().len());
                part.island = world.islands.len();
                (part.springs, part.bodies) = (springs.clone(), bodies.clone());
                let first = part.triangles.start;
                island.triangles.extend((first..first + model.faces.len()).map(|it| it as u32));
            }
            let parts = || models.iter().map(|(at, _)| &world.models[*at]);
            let mut names = vec![0; island.matter.particles.len()];
            for (nth, name) in parts().flat_map(|part| part.particles.clone()).enumerate() {
                names[island.number_of(nth as u32) as usize] = name as u32;
            }
            world.particles.add(names);
            let names = parts().flat_map(|part| part.sticks.clone()).map(|name| name as u32);
            world.sticks.add(names.collect());
            world.islands.push(island);
        }
        Ok(world)
    }

    /// The present settings.
    pub fn settings(&self) -> &Settings<D> {
        &self.settings
    }

    /// The settings, to change from the next step on; not checked against springs.
    pub fn settings_mut(&mut self) -> &mut Settings<D> {
        &mut self.settings
    }

    /// Changes the settings, and scales each particle's last displacement by the ratio of the
    /// substep lengths, which keeps velocities (rounded once). Changes through
    /// [`settings_mut`](Self::settings_mut) keep displacements instead.
    ///
    /// # Errors
    /// If the settings, or the present ones, are not sane, or substeps are too long for the
    /// springs; nothing is changed then.
    pub fn set_settings(&mut self, settings: Settings<D>) -> Result<(), WorldError> {
        settings.step.motion()?;
        self.settings.step.motion()?;
        for part in &self.models {
            let Model { particles, springs, .. } = &self.islands[part.island].matter;
            let springs = springs.within(part.springs.clone());
            check_springs(&springs, particles.inverse_masses(), &settings.step)?;
        }
        let ratio = substep_ratio(&settings, &self.settings);
        for island in &mut self.islands {
            scale_displacements(&mut island.matter.particles, ratio);
        }
        self.settings = settings;
        Ok(())
    }

    /// The forces, in the order in which they act; they may be added and removed between steps.
    pub fn forces_mut(&mut self) -> &mut Vec<Arc<dyn Force<D>>> {
        &mut self.forces
    }

    /// The obstacles, in the order in which they act; they may be added and removed between steps.
    pub fn obstacles_mut(&mut self) -> &mut Vec<Arc<dyn Obstacle<D>>> {
        &mut self.obstacles
    }

    /// The formula that relaxes sticks.
    pub fn formula(&self) -> Formula {
        self.formula
    }

    /// Number of steps so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Simulated time, s.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// How many particles there are.
    pub fn len(&self) -> usize {
        self.particles.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn model_range(&self, model: &str) -> Option<&ModelRange> {
        self.models.iter().find(|part| part.name == model)
    }

    /// The numbers of a model's particles, if there is one of that name.
    pub fn model(&self, name: &str) -> Option<Range<usize>> {
        Some(self.model_range(name)?.particles.clone())
    }

    /// The numbers of a model's sticks, if there is one of that name.
    pub fn sticks_of(&self, name: &str) -> Option<Range<usize>> {
        Some(self.model_range(name)?.sticks.clone())
    }

    /// The numbers of the particles in a group of a model, in the group's order, if there are
    /// that model and that group.
    pub fn group(&self, model: &str, group: &str) -> Option<Vec<usize>> {
        let range = self.model(model)?;
        let (island, _) = self.particles.locate(range.clone().next()?)?;
        let numbers = self.islands[island].matter.groups.get(group)?;
        let names = numbers.iter().map(|&number| self.particles.of(island)[number as usize]);
        Some(names.map(|name| name as usize).filter(|name| range.contains(name)).collect())
    }

    /// Changes the formula or the kernels and keeps the state.
    ///
    /// # Errors
    /// If a kernel cannot run a schedule; the islands before it have changed then.
    pub fn replan(
        &mut self,
        formula: Formula,
        mut kernel_for: impl FnMut(&Schedule) -> K,
    ) -> Result<(), WorldError> {
        for island in &mut self.islands {
            island.replan(formula, &mut kernel_for)?;
        }
        self.formula = formula;
        Ok(())
    }

    /// The islands, each with its own kernel, numbering and schedule.
    pub fn islands(&self) -> &[Island<K::Plan, D>] {
        &self.islands
    }

    /// The islands, to change masses, rest lengths, tears and tear factors; the next step applies
    /// the changes.
    pub fn islands_mut(&mut self) -> &mut [Island<K::Plan, D>] {
        for island in &mut self.islands {
            island.tearing.mark_factors_stale();
        }
        &mut self.islands
    }

    /// The island of a particle, and its number in that island.
    ///
    /// # Panics
    /// If there is no such particle, like all getters of one particle.
    pub fn locate(&self, particle: usize) -> (usize, usize) {
        assert!(particle < self.len(), "there is no particle {particle}");
        self.particles.locate(particle).expect("particles are never removed")
    }

    /// The island of a stick, and its number in that island; None once it was torn and left out by
    /// reordering.
    ///
    /// # Panics
    /// If there never was such a stick.
    pub fn locate_stick(&self, stick: usize) -> Option<(usize, usize)> {
        assert!(stick < self.sticks.len(), "there is no stick {stick}");
        self.sticks.locate(stick)
    }

    /// As [`locate`](Self::locate), with an error instead of a panic.
    fn find(&self, particle: usize) -> Result<(usize, usize), ParticleError> {
        let particles = self.len();
        if particle < particles {
            Ok(self.locate(particle))
        } else {
            Err(ParticleError::NoSuchParticle { particle, particles })
        }
    }

    /// As [`locate_stick`](Self::locate_stick), with an error instead of a panic.
    fn find_stick(&self, stick: usize) -> Result<Option<(usize, usize)>, StickError> {
        let sticks = self.sticks.len();
        if stick < sticks {
            Ok(self.locate_stick(stick))
        } else {
            Err(StickError::NoSuchStick { stick, sticks })
        }
    }

    /// The position of a particle, m.
    ///
    /// # Panics
    /// If there is no such particle.
    pub fn position(&self, particle: usize) -> [f32; D] {
        let (island, number) = self.locate(particle);
        self.islands[island].matter.particles.position(number)
    }

    /// All positions in the order of the particles' numbers, m.
    pub fn positions(&self) -> impl Iterator<Item = [f32; D]> {
        (0..self.len()).map(|particle| self.position(particle))
    }

    /// The inverse mass of a particle, 1/kg; 0 while it is pinned.
    ///
    /// # Panics
    /// If there is no such particle.
    pub fn inverse_mass(&self, particle: usize) -> f32 {
        let (island, number) = self.locate(particle);
        self.islands[island].matter.particles.inverse_masses()[number]
    }

    /// The remaining faces, as the numbers of their particles.
    pub fn faces(&self) -> impl Iterator<Item = [u32; 3]> {
        self.islands.iter().enumerate().flat_map(|(island, it)| {
            let names = self.particles.of(island);
            it.matter.faces.iter().map(move |face| face.map(|corner| names[corner as usize]))
        })
    }

    /// A hash of the bits of all positions in the order of the world's numbers, as
    /// [`Particles::hash`](taut_core::Particles::hash): it does not depend on islands and kernels.
    pub fn hash(&self) -> u64 {
        hash_points(self.positions())
    }
}
