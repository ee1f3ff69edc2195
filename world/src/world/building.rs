//! Making a world from a scene.

use std::collections::BTreeMap;

use taut_core::{Kernel, MeshOrder, ParticleError, PlanError, Renumbering, Schedule};

use super::AnchorCursors;
use super::collider_contacts::ColliderContacts;
use super::island::{Island, IslandSchedules};
use super::number_map::NumberMap;
use super::planner::{Planner, planner};
use super::self_collisions::SelfCollisions;
use super::snapshot::signatures;
use super::ties::IslandTie;
use super::{ModelRange, Removed, Simulation, World, WorldError, check_springs, following_range};
use crate::error::ModelError;
use crate::grouping::{IslandModels, group_models};
use crate::model::Model;
use crate::scene::Scene;
use crate::sleep::Sleep;
use crate::springs::SpringError;

impl<const D: usize> World<D>
where
    Self: Simulation<D>,
{
    /// Creates the world of a scene; `kernel_for` chooses the kernel of each island by its schedule
    /// (in the crate `taut`, `AnyKernel::best_for`).
    ///
    /// # Errors
    /// If sticks of a model refer to particles that it does not have, the models are too large for
    /// one world, a kernel cannot run a schedule, the step is invalid or too long for the springs of a
    /// model, the settings of sleeping are invalid, or the thickness of a model is
    /// [too large](Model::self_colliding).
    pub fn new<K: Kernel<D>>(
        scene: &Scene<D>,
        kernel_for: impl FnMut(&Schedule) -> K,
    ) -> Result<Self, WorldError> {
        Self::build(scene, &mut planner(kernel_for))
    }
}

impl<const D: usize> World<D> {
    /// Implements [`Simulation::build`].
    pub(super) fn build_generic(
        scene: &Scene<D>,
        planner: &mut Planner<'_, D>,
    ) -> Result<Self, WorldError> {
        let world = Self::without_spring_check(scene, planner)?;
        for (_, Model { springs, particles, .. }) in scene.models() {
            check_springs(springs, particles.inverse_masses(), &scene.settings.step)?;
        }
        Ok(world)
    }

    /// Makes a world without checking that substeps are short enough for the springs: for resuming from
    /// a snapshot, whose masses may differ from those of the scene.
    pub(super) fn without_spring_check(
        scene: &Scene<D>,
        planner: &mut Planner<'_, D>,
    ) -> Result<Self, WorldError> {
        scene.settings.step.motion()?;
        scene.sleep.as_ref().map_or(Ok(()), Sleep::check)?;
        let mut models: Vec<ModelRange> = Vec::new();
        let (mut particles, mut sticks, mut triangles) = (0..0, 0..0, 0..0);
        // The vertices of meshes are numbered after all particles.
        let mut mesh_vertices = scene.particles()..scene.particles();
        for (name, model) in scene.models() {
            particles = following_range(&particles, model.particles.len());
            sticks = following_range(&sticks, model.sticks.len());
            let Model { faces, bodies, .. } = model;
            triangles = following_range(&triangles, faces.len() + bodies.triangles().len());
            mesh_vertices = following_range(&mesh_vertices, bodies.vertex_count());
            models.push(ModelRange {
                name: name.to_owned(),
                kind: model.kind(),
                particles: particles.clone(),
                sticks: sticks.clone(),
                triangles: triangles.clone(),
                mesh_vertices: mesh_vertices.clone(),
                island: 0,
                springs: 0..0,
                bodies: 0..0,
            });
            check_particle_numbers(model)?;
            model.check_self_collision()?;
        }
        let mut world = Self {
            settings: scene.settings,
            formula: scene.formula,
            forces: scene.forces.clone(),
            obstacles: scene.obstacles.clone(),
            islands: Vec::new(),
            ties: Vec::new(),
            anchor_cursors: AnchorCursors::default(),
            models,
            particles: NumberMap::new(particles.end),
            sticks: NumberMap::new(sticks.end),
            removed: Removed::default(),
            self_collisions: None,
            collider_contacts: None,
            sleeping: None,
            signatures: signatures(scene),
            held: BTreeMap::new(),
            drag_targets: BTreeMap::new(),
            held_changed: true,
            recorded: None,
            steps: 0,
            time: 0.0,
        };
        let models = scene.models().map(|(_, model)| model);
        let sleeps = scene.sleep.is_some();
        for IslandModels { models, schedules, copies_min } in
            group_models(models, scene.order, sleeps)
        {
            let joined = match &models[..] {
                [(_, model)] => model.complete()?.into_owned(),
                models => Model::side_by_side(models.iter().map(|(_, model)| *model))?,
            };
            let lens = models.iter().map(|(_, model)| model.particles.len()).collect();
            let renumbering = match copies_min {
                Some(_) => renumbering_of([models[0].1])?.map(|one| one.repeated(models.len())),
                None => renumbering_of(models.iter().map(|(_, model)| *model))?,
            };
            let schedules = IslandSchedules { schedules, lens, renumbering, copies_min };
            let mut island = Island::new(joined, schedules, scene.formula, planner)?;
            island.remove_limbs_at_torn_sticks();
            let (mut springs, mut bodies) = (0..0, 0..0);
            for &(index, model) in &models {
                let range = &mut world.models[index];
                springs = following_range(&springs, model.springs.len());
                bodies = following_range(&bodies, model.bodies.all().len());
                range.island = world.islands.len();
                (range.springs, range.bodies) = (springs.clone(), bodies.clone());
                let first = range.triangles.start;
                let triangles = first..first + model.faces.len();
                island.triangles.extend(triangles.map(|triangle| triangle as u32));
            }
            let ranges = || models.iter().map(|(index, _)| &world.models[*index]);
            // The world number of each particle of the island.
            let mut world_numbers = vec![0; island.model.particles.len()];
            for (nth, particle) in ranges().flat_map(|range| range.particles.clone()).enumerate() {
                world_numbers[island.number_of(nth as u32) as usize] = particle as u32;
            }
            world.particles.add_island(world_numbers);
            let sticks = ranges().flat_map(|range| range.sticks.clone());
            world.sticks.add_island(sticks.map(|stick| stick as u32).collect());
            world.islands.push(island);
        }
        world.self_collisions = SelfCollisions::new(scene, &world.models, &world.particles);
        world.collider_contacts = ColliderContacts::new(scene, &world.models, &world.particles);
        world.drop_lost_limbs();
        let first_particles: Vec<usize> =
            world.models.iter().map(|model| model.particles.start).collect();
        world.ties = IslandTie::all_of(scene, &first_particles, &world.particles);
        world.prepare_sleeping(scene);
        Ok(world)
    }
}

/// How the particles of an island of these models are renumbered in memory, which does not change
/// the result. Only large meshes without runs are: a small mesh is as fast in any numbering, and a mesh
/// with runs is faster in its own.
fn renumbering_of<'a, const D: usize>(
    models: impl IntoIterator<Item = &'a Model<D>>,
) -> Result<Option<Renumbering>, ModelError> {
    let (mut order, mut is_renumbered) = (Vec::new(), false);
    for model in models {
        let first = order.len() as u32;
        let numbers = first..first + model.particles.len() as u32;
        let sticks = &model.complete()?.sticks;
        if model.sheet.is_none() && MeshOrder::of(sticks) == MeshOrder::Starred {
            let renumbering = Renumbering::reverse_cuthill_mckee(sticks);
            order.extend(numbers.map(|new| first + renumbering.old_of(new - first)));
            is_renumbered = true;
        } else {
            order.extend(numbers);
        }
    }
    let renumbering =
        || Renumbering::from_order(order).expect("the order of each is a permutation");
    Ok(is_renumbered.then(renumbering))
}

/// Checks that sticks, springs, faces and groups of a model refer to particles that it has.
fn check_particle_numbers<const D: usize>(model: &Model<D>) -> Result<(), WorldError> {
    let particles = model.particles.len();
    let needed = model.sticks.particles();
    if needed > particles {
        return Err(PlanError::TooFewParticles { needed, particles }.into());
    }
    let is_missing = |particle: &u32| *particle as usize >= particles;
    for (spring, ends) in model.springs.ends().iter().enumerate() {
        if let Some(&particle) = ends.iter().find(|end| is_missing(end)) {
            return Err(SpringError::NoSuchParticle { spring, particle, particles }.into());
        }
    }
    let corners = model.faces.as_flattened();
    if let Some(&missing) = model.groups.values().flatten().chain(corners).find(|it| is_missing(it))
    {
        let particle = missing as usize;
        return Err(ParticleError::NoSuchParticle { particle, particles }.into());
    }
    Ok(())
}
