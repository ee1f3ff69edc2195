//! The world: the simulation of a scene.

mod building;
mod carrying_over;
mod clock;
mod collider_contacts;
mod contact_check;
mod contacts;
mod cutting;
mod diagnostics;
mod drawing;
mod error;
mod gathered;
mod held;
mod integrate;
mod island;
mod number_map;
mod overstretched;
mod planner;
mod positions;
mod reordering;
mod residual;
mod run_layout;
mod self_collisions;
mod simulation;
mod sleeping;
mod snapshot;
mod splitting;
mod step;
mod tearing;
mod tethering;
mod tied_anchors;
mod ties;
mod warnings;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use taut_core::{Formula, Kernel, ParticleError, Schedule, Step, StickError, hash_points};

use crate::drawing::ModelKind;
use crate::force::Force;
use crate::model::Model;
use crate::obstacle::Obstacle;
use crate::settings::{Settings, scale_displacements, substep_ratio};
use crate::springs::{SpringError, Springs};

use clock::RecordedPositions;
use collider_contacts::ColliderContacts;
use held::HeldParticle;
use number_map::NumberMap;
use planner::planner;
use self_collisions::SelfCollisions;
use sleeping::Sleeping;
use snapshot::ModelSignature;
use tied_anchors::AnchorCursors;
use ties::IslandTie;

pub use clock::{Clock, Frame};
pub use contact_check::Contacts;
pub use diagnostics::Diagnostics;
pub use drawing::{Drawing, DrawnBody, DrawnModel, Removed};
pub use error::WorldError;
pub use island::Island;
pub use simulation::Simulation;
pub use snapshot::{Snapshot, SnapshotError};
pub use step::{Outcome, StepPart};
pub use ties::TieState;
pub use warnings::Warning;

/// The ranges of numbers of a model: of its particles, sticks, triangles and mesh vertices in the
/// world, and of its springs and bodies in its island.
#[derive(Clone, Debug)]
struct ModelRange {
    name: String,
    kind: ModelKind,
    particles: Range<usize>,
    sticks: Range<usize>,
    /// Its faces, and the triangles of its bodies' meshes.
    triangles: Range<usize>,
    /// The vertices of its bodies' meshes, numbered after all particles.
    mesh_vertices: Range<usize>,
    /// The number of its island.
    island: usize,
    /// The numbers of its springs in the island.
    springs: Range<usize>,
    /// The numbers of its bodies in the island.
    bodies: Range<usize>,
}

/// The simulation of a scene. Its models are distributed over islands: one for each regular sheet,
/// one for all copies of a model if there are enough, and one for all other models. (If models
/// [sleep](crate::Scene::sleep), most have an island each.) Each island has its own kernel; one step moves
/// all islands. Copies with torn sticks leave their island when the world is
/// [reordered](World::reorder).
///
/// Other models do not change the bits of a model's positions unless they touch it: the order of a
/// model's sticks depends on that model alone.
///
/// Particles are numbered model by model, in the scene's order, and so are sticks. An island may
/// have a different numbering of its own.
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
pub struct World<const D: usize = 3> {
    settings: Settings<D>,
    formula: Formula,
    forces: Vec<Arc<dyn Force<D>>>,
    obstacles: Vec<Arc<dyn Obstacle<D>>>,
    islands: Vec<Island<D>>,
    /// The ties, in the order in which they are relaxed.
    ties: Vec<IslandTie<D>>,
    anchor_cursors: AnchorCursors,
    models: Vec<ModelRange>,
    /// The values by which snapshots recognize the models.
    signatures: Vec<ModelSignature>,
    /// The numbers of particles in the world and in the islands.
    particles: NumberMap,
    /// The numbers of sticks in the world and in the islands.
    sticks: NumberMap,
    removed: Removed,
    /// The contacts between the particles of cloth and ropes; None if none of these has
    /// self-collision.
    self_collisions: Option<SelfCollisions<D>>,
    /// The contacts of limbs and bodies with other models; None if there cannot be any.
    collider_contacts: Option<ColliderContacts<D>>,
    /// None if models do not sleep.
    sleeping: Option<Sleeping<D>>,
    /// The particles that [`pin`](World::pin) or [`grab`](World::grab) hold. (Those that only the scene
    /// pins are not among them.)
    held: BTreeMap<usize, HeldParticle<D>>,
    /// Positions of dragged particles at the end of the next step.
    drag_targets: BTreeMap<usize, [f32; D]>,
    /// Whether a particle was grabbed, pinned or released since tethers were last updated.
    held_changed: bool,
    /// Positions before the last step; None until [`advance`](World::advance) has recorded some.
    recorded: Option<RecordedPositions<D>>,
    /// Number of steps so far.
    steps: u64,
    /// Simulated time, s.
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
fn following_range(before: &Range<usize>, len: usize) -> Range<usize> {
    before.end..before.end + len
}

impl<const D: usize> World<D> {
    /// The current settings.
    pub fn settings(&self) -> &Settings<D> {
        &self.settings
    }

    /// The settings, mutable. Changes apply from the next step on. Whether substeps are short enough
    /// for the springs is not checked.
    pub fn settings_mut(&mut self) -> &mut Settings<D> {
        self.wake_all();
        &mut self.settings
    }

    /// Changes the settings, and scales each particle's last displacement by the ratio of the
    /// substep lengths, which keeps velocities except for rounding. Changes through
    /// [`settings_mut`](Self::settings_mut) keep displacements instead.
    ///
    /// # Errors
    /// If the new or the current step is invalid, or the new substeps are too long for the springs.
    /// The world is then unchanged.
    pub fn set_settings(&mut self, settings: Settings<D>) -> Result<(), WorldError> {
        settings.step.motion()?;
        self.settings.step.motion()?;
        for model in &self.models {
            let Model { particles, springs, .. } = &self.islands[model.island].model;
            let springs = springs.within(model.springs.clone());
            check_springs(&springs, particles.inverse_masses(), &settings.step)?;
        }
        let ratio = substep_ratio(&settings, &self.settings);
        for island in &mut self.islands {
            scale_displacements(&mut island.model.particles, ratio);
        }
        for held in self.held.values_mut() {
            held.displacement = held.displacement.map(|x| x * ratio);
        }
        self.settings = settings;
        self.wake_all();
        Ok(())
    }

    /// The forces, in the order in which they act. Forces may be added and removed between steps.
    pub fn forces_mut(&mut self) -> &mut Vec<Arc<dyn Force<D>>> {
        self.wake_all();
        &mut self.forces
    }

    /// The obstacles, in the order in which they act. Obstacles may be added and removed between
    /// steps.
    pub fn obstacles_mut(&mut self) -> &mut Vec<Arc<dyn Obstacle<D>>> {
        self.wake_all();
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

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.particles.len()
    }

    /// Whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn model_range(&self, name: &str) -> Option<&ModelRange> {
        self.models.iter().find(|model| model.name == name)
    }

    /// The numbers of a model's particles; None if there is no model of that name.
    pub fn model(&self, name: &str) -> Option<Range<usize>> {
        Some(self.model_range(name)?.particles.clone())
    }

    /// The numbers of a model's sticks; None if there is no model of that name.
    pub fn sticks_of(&self, name: &str) -> Option<Range<usize>> {
        Some(self.model_range(name)?.sticks.clone())
    }

    /// The numbers of the particles in a group of a model, in the group's order; None if there is
    /// no such model, or if it has no particle in a group of that name.
    pub fn group(&self, model: &str, group: &str) -> Option<Vec<usize>> {
        let range = self.model(model)?;
        let (island, _) = self.particles.locate(range.clone().next()?)?;
        let numbers = self.islands[island].model.groups.get(group)?;
        let world_numbers = self.particles.in_island(island);
        let particles = numbers.iter().map(|&number| world_numbers[number as usize] as usize);
        // The groups of an island also have the particles of its other models.
        let particles: Vec<usize> = particles.filter(|particle| range.contains(particle)).collect();
        (!particles.is_empty()).then_some(particles)
    }

    /// Changes the formula or the kernels and keeps the state.
    ///
    /// # Errors
    /// If a kernel cannot run a schedule. The world is then unchanged.
    pub fn replan<K: Kernel<D>>(
        &mut self,
        formula: Formula,
        kernel_for: impl FnMut(&Schedule) -> K,
    ) -> Result<(), WorldError> {
        let mut planner = planner(kernel_for);
        let plans = self.islands.iter().map(|island| island.new_plan(formula, &mut planner));
        let plans: Vec<_> = plans.collect::<Result<_, _>>()?;
        for (island, plan) in self.islands.iter_mut().zip(plans) {
            island.set_plan(plan);
        }
        if let Some(self_collisions) = &mut self.self_collisions {
            self_collisions.forget_slots();
        }
        if formula != self.formula {
            self.wake_all();
        }
        self.formula = formula;
        Ok(())
    }

    /// The islands, each with its own kernel, numbering and schedule.
    pub fn islands(&self) -> &[Island<D>] {
        &self.islands
    }

    /// The islands, mutable, for changes of masses, rest lengths, tears and tear factors. The next
    /// step applies them. (A tear made here removes no faces or limbs, unlike [`tear`](Self::tear).)
    pub fn islands_mut(&mut self) -> &mut [Island<D>] {
        for island in &mut self.islands {
            island.wake();
            island.tear_limits.mark_factors_stale();
        }
        &mut self.islands
    }

    /// The island of a particle, and its number in that island.
    ///
    /// # Panics
    /// If there is no such particle.
    pub fn locate(&self, particle: usize) -> (usize, usize) {
        assert!(particle < self.len(), "there is no particle {particle}");
        self.particles.locate(particle).expect("particles are never removed")
    }

    /// The island of a stick, and its number in that island; None after [`reorder`](Self::reorder)
    /// removed the torn stick.
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
        self.islands[island].model.particles.position(number)
    }

    /// All positions in the order of the particles' numbers, m.
    pub fn positions(&self) -> impl Iterator<Item = [f32; D]> {
        (0..self.len()).map(|particle| self.position(particle))
    }

    /// The inverse mass of a particle, 1/kg; 0 while it is pinned or grabbed.
    ///
    /// # Panics
    /// If there is no such particle.
    pub fn inverse_mass(&self, particle: usize) -> f32 {
        let (island, number) = self.locate(particle);
        self.islands[island].model.particles.inverse_masses()[number]
    }

    /// The remaining faces, as the numbers of their particles.
    pub fn faces(&self) -> impl Iterator<Item = [u32; 3]> {
        self.islands.iter().enumerate().flat_map(|(index, island)| {
            let particles = self.particles.in_island(index);
            island.model.faces.iter().map(move |face| face.map(|corner| particles[corner as usize]))
        })
    }

    /// A hash of the bits of all positions in the order of the particles' numbers, computed as
    /// [`Particles::hash`](taut_core::Particles::hash) does. It does not depend on islands and
    /// kernels.
    pub fn hash(&self) -> u64 {
        hash_points(self.positions())
    }
}
