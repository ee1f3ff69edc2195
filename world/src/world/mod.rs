//! A scene on its way through time.

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
mod runs;
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
use crate::model::{Model, schedule_of};
use crate::obstacle::Obstacle;
use crate::scene::Scene;
use crate::settings::{Settings, scale_displacements, substep_ratio};
use crate::springs::{SpringError, Springs};

use clock::Before;
use hands::Held;
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

/// What the particles and sticks of a model are called in the world.
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
    /// In which island it is.
    island: usize,
    /// Its springs there.
    springs: Range<usize>,
    /// Its bodies there.
    bodies: Range<usize>,
}

/// A scene on its way through time. Every regular sheet is relaxed on its own, all other models
/// together, each by the kernel that was chosen for it; one step moves them all.
///
/// The bits of a model are its own: they are the same whatever else is in the scene, unless it
/// touches the model. So the order of a model's sticks is made of that model alone.
///
/// Its particles are numbered as those of the models one after the other, in the order in which the
/// scene has them, whatever happens to their numbers inside; and so are its sticks.
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
    parts: Vec<ModelRange>,
    shapes: Vec<Shape>,
    particles: Names,
    sticks: Names,
    removed: Removed,
    /// Particles that are pinned or grabbed for now.
    held: BTreeMap<usize, Held<D>>,
    /// Where particles are at the end of the next step.
    targets: BTreeMap<usize, [f32; D]>,
    /// Whether a particle was grabbed, pinned or freed since tethers were made.
    hands_changed: bool,
    /// Where they were before the last step, if anyone wants to know.
    before: Option<Before<D>>,
    steps: u64,
    time: f64,
}

/// Whether the springs of a model bear a step.
fn check_springs<const D: usize>(
    springs: &Springs,
    inverse_masses: &[f32],
    step: &Step<D>,
) -> Result<(), SpringError> {
    springs.check(inverse_masses, step.dt / step.substeps as f32, step.damping_rate)
}

/// The numbers after the last of `before`, as many as `len`.
fn following(before: &Range<usize>, len: usize) -> Range<usize> {
    before.end..before.end + len
}

impl<K: Kernel<D>, const D: usize> World<K, D> {
    /// Begins with a scene; `kernel_for` chooses the kernel of each part by its schedule (in the
    /// crate `taut`, `AnyKernel::best_for`).
    ///
    /// # Errors
    /// If a model has sticks of more particles than it has, the models are too large for one world,
    /// a kernel cannot run a schedule, the step is not sane, or it is too long for the springs of a
    /// model.
    pub fn new(
        scene: &Scene<D>,
        mut kernel_for: impl FnMut(&Schedule) -> K,
    ) -> Result<Self, WorldError> {
        scene.settings.step.motion()?;
        let mut parts: Vec<ModelRange> = Vec::new();
        let (mut particles, mut sticks, mut triangles) = (0..0, 0..0, 0..0);
        let mut skin = scene.particles()..scene.particles();
        // Each regular sheet, then all others.
        let (mut groups, mut others) = (Vec::new(), Vec::new());
        for (at, (name, model)) in scene.models().enumerate() {
            particles = following(&particles, model.particles.len());
            sticks = following(&sticks, model.sticks.len());
            let Model { faces, bodies, .. } = model;
            triangles = following(&triangles, faces.len() + bodies.triangles().len());
            skin = following(&skin, bodies.vertex_count());
            parts.push(ModelRange {
                name: name.to_owned(),
                look: model.seen_as(),
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
            if model.sheet.is_some() {
                groups.push(vec![(at, model)]);
            } else {
                others.push((at, model));
            }
        }
        if !others.is_empty() {
            groups.push(others);
        }
        let mut world = Self {
            settings: scene.settings,
            formula: scene.formula,
            forces: scene.forces.clone(),
            obstacles: scene.obstacles.clone(),
            islands: Vec::new(),
            parts,
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
        for group in groups {
            let models = match &group[..] {
                [(_, model)] => model.complete()?,
                models => Model::side_by_side(models.iter().map(|(_, model)| *model))?,
            };
            let schedules = group.iter().map(|(_, model)| schedule_of(model, scene.order));
            let mut island =
                Island::new(models, schedules.collect(), scene.formula, &mut kernel_for)?;
            let (mut springs, mut bodies) = (0..0, 0..0);
            for &(at, model) in &group {
                let part = &mut world.parts[at];
                springs = following(&springs, model.springs.len());
                bodies = following(&bodies, model.bodies.all().len());
                part.island = world.islands.len();
                (part.springs, part.bodies) = (springs.clone(), bodies.clone());
                let first = part.triangles.start;
                island.triangles.extend((first..first + model.faces.len()).map(|it| it as u32));
            }
            let parts = || group.iter().map(|(at, _)| &world.parts[*at]);
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

    /// How it moves.
    pub fn settings(&self) -> &Settings<D> {
        &self.settings
    }

    /// How it will move from the next step on; not checked against springs.
    pub fn settings_mut(&mut self) -> &mut Settings<D> {
        &mut self.settings
    }

    /// Changes how it moves, and scales each particle's last displacement by how much longer its
    /// substeps are now: so velocities stay, rounded once. (Through
    /// [`settings_mut`](Self::settings_mut) displacements stay.)
    ///
    /// # Errors
    /// If the settings, or the present ones, are not sane, or substeps are too long for the springs;
    /// nothing is changed then.
    pub fn set_settings(&mut self, settings: Settings<D>) -> Result<(), WorldError> {
        settings.step.motion()?;
        self.settings.step.motion()?;
        for part in &self.parts {
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

    /// What pushes, in this order; forces may come and go between steps.
    pub fn forces_mut(&mut self) -> &mut Vec<Arc<dyn Force<D>>> {
        &mut self.forces
    }

    /// What keeps out, in this order; obstacles may come and go between steps.
    pub fn obstacles_mut(&mut self) -> &mut Vec<Arc<dyn Obstacle<D>>> {
        &mut self.obstacles
    }

    /// By what formula sticks are relaxed.
    pub fn formula(&self) -> Formula {
        self.formula
    }

    /// How many steps there were.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The time since it began, s.
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

    fn part(&self, model: &str) -> Option<&ModelRange> {
        self.parts.iter().find(|part| part.name == model)
    }

    /// The numbers of a model's particles, if there is one of that name.
    pub fn model(&self, name: &str) -> Option<Range<usize>> {
        Some(self.part(name)?.particles.clone())
    }

    /// The numbers of a model's sticks, if there is one of that name.
    pub fn sticks_of(&self, name: &str) -> Option<Range<usize>> {
        Some(self.part(name)?.sticks.clone())
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

    /// Goes on with another formula or other kernels, from the same state.
    ///
    /// # Errors
    /// If a kernel cannot run a schedule; the parts before it have changed then.
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

    /// Its parts, each with its own kernel, numbers and schedule.
    pub fn islands(&self) -> &[Island<K::Plan, D>] {
        &self.islands
    }

    /// The parts, to change what is in them (masses, rest lengths, tears, tear factors); the next
    /// step takes it over.
    pub fn islands_mut(&mut self) -> &mut [Island<K::Plan, D>] {
        for island in &mut self.islands {
            island.tearing.doubt();
        }
        &mut self.islands
    }

    /// Where a particle is: its island, and its number there.
    ///
    /// # Panics
    /// If there is no such particle, as all getters of one particle.
    pub fn locate(&self, particle: usize) -> (usize, usize) {
        assert!(particle < self.len(), "there is no particle {particle}");
        self.particles.locate(particle).expect("particles never go")
    }

    /// Where a stick is: its island, and its number there; none once it was torn and left out by
    /// reordering.
    ///
    /// # Panics
    /// If there never was such a stick.
    pub fn locate_stick(&self, stick: usize) -> Option<(usize, usize)> {
        assert!(stick < self.sticks.len(), "there is no stick {stick}");
        self.sticks.locate(stick)
    }

    /// The same with an error for what comes from a user.
    fn find(&self, particle: usize) -> Result<(usize, usize), ParticleError> {
        let particles = self.len();
        if particle < particles {
            Ok(self.locate(particle))
        } else {
            Err(ParticleError::NoSuchParticle { particle, particles })
        }
    }

    /// The same of a stick.
    fn find_stick(&self, stick: usize) -> Result<Option<(usize, usize)>, StickError> {
        let sticks = self.sticks.len();
        if stick < sticks {
            Ok(self.locate_stick(stick))
        } else {
            Err(StickError::NoSuchStick { stick, sticks })
        }
    }

    /// Where a particle is, m.
    ///
    /// # Panics
    /// If there is no such particle.
    pub fn position(&self, particle: usize) -> [f32; D] {
        let (island, number) = self.locate(particle);
        self.islands[island].matter.particles.position(number)
    }

    /// Where all particles are, in the order of their numbers, m.
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

    /// The faces that are left, by the numbers of their particles.
    pub fn faces(&self) -> impl Iterator<Item = [u32; 3]> {
        self.islands.iter().enumerate().flat_map(|(island, it)| {
            let names = self.particles.of(island);
            it.matter.faces.iter().map(move |face| face.map(|corner| names[corner as usize]))
        })
    }

    /// A hash of all positions' bits, by the numbers of the world: as
    /// [`Particles::hash`](taut_core::Particles::hash), so that it tells nothing of islands and kernels.
    pub fn hash(&self) -> u64 {
        hash_points(self.positions())
    }
}
