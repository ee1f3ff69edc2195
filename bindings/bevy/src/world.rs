//! `TautWorld`: the resource with the world of all cloths and ropes.

use std::collections::HashMap;
use std::sync::Arc;

use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_shape::Ray3d;
use taut::world::{Force, Obstacle, Outcome, Scene, Settings, World};
use taut::{KernelChoice, KernelSet};

use crate::bodies::SoftBody;
use crate::error::TautError;

/// A stick of a cloth or rope tore, in a step or by [`TautWorld::cut`] or [`TautWorld::tear`].
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub struct StickTorn {
    /// The entity of the cloth or rope.
    pub entity: Entity,
    /// The index of the stick in it.
    pub stick: usize,
    /// The indices of the particles at its ends.
    pub particles: [usize; 2],
}

/// The particle that [`TautWorld::nearest`] or [`TautWorld::nearest_to_ray`] finds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The entity of the cloth or rope.
    pub entity: Entity,
    /// The index of the particle in it.
    pub particle: usize,
    /// Its position in the world, m.
    pub position: Vec3,
}

/// All cloths and ropes, in one world of Taut, which steps them together.
///
/// Cloths with the same sticks, made from the same mesh or size, share one plan if there are at least 6 (for
/// sheets of 24 to 47 columns: at least 16): they are stepped as copies, one per lane. Wider sheets, and sheets
/// with tethers, have plans of their own. A cloth has the same bits as alone, unless it is in contact with others.
///
/// When entities with a [`Cloth`](crate::Cloth) or [`Rope`](crate::Rope) are spawned or despawned, the
/// world is built again, and the state of the other cloths and ropes is carried over with the same bits. Building
/// the world again takes about as long as the first build, so spawn many in the same tick, not one in each tick.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_shape::Ray3d;
/// use bevy_taut::TautWorld;
///
/// /// Grabs what is within 5 cm of a ray, and pulls it up by 1 cm.
/// fn pull(mut world: ResMut<TautWorld>, ray: Ray3d) -> Result {
///     if let Some(hit) = world.nearest_to_ray(ray, 0.05) {
///         world.grab(hit.entity, hit.particle)?;
///         world.drag(hit.entity, hit.particle, hit.position.with_y(hit.position.y + 0.01))?;
///     }
///     Ok(())
/// }
/// ```
#[derive(Resource, Debug)]
pub struct TautWorld {
    pub(crate) world: Option<World<3>>,
    pub(crate) bodies: Vec<SoftBody>,
    /// The index in `bodies` of the body of each entity.
    pub(crate) index: HashMap<Entity, usize>,
    kernels: KernelSet,
    pub(crate) settings: Settings<3>,
    pub(crate) forces: Vec<Arc<dyn Force>>,
    pub(crate) obstacles: Vec<Arc<dyn Obstacle>>,
    /// Positions before and after the last step, m.
    pub(crate) previous: Vec<[f32; 3]>,
    pub(crate) current: Vec<[f32; 3]>,
    /// How many of the removed triangles and of the torn sticks in the world have been read.
    removed: [usize; 2],
    /// Messages that have not been sent yet.
    torn: Vec<StickTorn>,
    /// How many names [`new_name`](Self::new_name) has made.
    names: u64,
}

impl TautWorld {
    /// An empty world.
    pub(crate) fn new(threads: usize) -> Result<Self, TautError> {
        let choice = KernelChoice { threads, ..KernelChoice::default() };
        let kernels =
            choice.find().map_err(|error| TautError::Kernels { message: error.to_string() })?;
        Ok(Self {
            world: None,
            bodies: Vec::new(),
            index: HashMap::new(),
            kernels,
            settings: Settings::default(),
            forces: Vec::new(),
            obstacles: Vec::new(),
            previous: Vec::new(),
            current: Vec::new(),
            removed: [0; 2],
            torn: Vec::new(),
            names: 0,
        })
    }

    /// The world of Taut; `None` if there is no cloth and no rope.
    pub fn world(&self) -> Option<&World<3>> {
        self.world.as_ref()
    }

    /// Number of steps so far; 0 again when the last cloth and rope are removed.
    pub fn steps(&self) -> u64 {
        self.world.as_ref().map_or(0, World::steps)
    }

    /// A hash of the bits of all positions. It is the same on every machine after the same ticks, if
    /// transforms have the same bits and entities were added in the same order.
    pub fn hash(&self) -> u64 {
        self.world.as_ref().map_or(0, World::hash)
    }

    /// The entities in the world, in the order of their particles.
    pub fn entities(&self) -> impl Iterator<Item = Entity> {
        self.bodies.iter().map(|body| body.entity)
    }

    /// The positions of the particles of an entity after the last step, in the world, m.
    ///
    /// # Errors
    /// The entity is not simulated.
    pub fn positions(&self, entity: Entity) -> Result<&[[f32; 3]], TautError> {
        Ok(&self.current[self.body(entity)?.particles.clone()])
    }

    /// The particle of a vertex of the mesh of an entity; `None` for a vertex that is in no triangle or does not
    /// exist, and for all vertices of a rope.
    ///
    /// # Errors
    /// The entity is not simulated.
    pub fn particle_of_vertex(
        &self,
        entity: Entity,
        vertex: usize,
    ) -> Result<Option<usize>, TautError> {
        let body = self.body(entity)?;
        let is_particle = |particle: &usize| *particle < body.rest.len();
        let drawn = matches!(body.drawn, crate::bodies::Drawn::Vertices);
        Ok(body.particle_of(vertex).filter(|particle| drawn && is_particle(particle)))
    }

    /// The particle nearest to a point, m, at most `within` m away.
    pub fn nearest(&self, point: Vec3, within: f32) -> Option<Hit> {
        let world = self.world.as_ref()?;
        self.hit(world.nearest(point.to_array(), within)?)
    }

    /// The particle nearest to a ray, at most `within` m away from it and not behind its origin.
    pub fn nearest_to_ray(&self, ray: Ray3d, within: f32) -> Option<Hit> {
        let world = self.world.as_ref()?;
        let (origin, direction) = (ray.origin.to_array(), ray.direction.to_array());
        self.hit(world.nearest_to_ray(origin, direction, within)?)
    }

    /// The hit for a particle, given by its index in the world.
    fn hit(&self, particle: usize) -> Option<Hit> {
        let body = &self.bodies[self.body_of(particle)?];
        let position = self.world.as_ref()?.position(particle).into();
        Some(Hit { entity: body.entity, particle: particle - body.particles.start, position })
    }

    /// Grabs a particle: it stays in place, or follows [`drag`](Self::drag), until it is
    /// [released](Self::release).
    ///
    /// # Errors
    /// The entity is not simulated, or has no such particle.
    pub fn grab(&mut self, entity: Entity, particle: usize) -> Result<(), TautError> {
        let (world, particle) = self.locate(entity, particle)?;
        Ok(world.grab(particle)?)
    }

    /// Sets the position in the world of a grabbed or pinned particle at the end of the next step, m.
    ///
    /// # Errors
    /// The entity is not simulated, or has no such particle; the particle is free; a coordinate is not from -1e12 to
    /// 1e12 m.
    pub fn drag(&mut self, entity: Entity, particle: usize, to: Vec3) -> Result<(), TautError> {
        let (world, particle) = self.locate(entity, particle)?;
        Ok(world.drag(particle, to.to_array())?)
    }

    /// Releases a grabbed particle. If the last step dragged it, it keeps the velocity of that drag.
    ///
    /// # Errors
    /// The entity is not simulated, or has no such particle.
    pub fn release(&mut self, entity: Entity, particle: usize) -> Result<(), TautError> {
        let (world, particle) = self.locate(entity, particle)?;
        Ok(world.release(particle)?)
    }

    /// Moves a particle to a position in the world, m, and stops it.
    ///
    /// # Errors
    /// The entity is not simulated, or has no such particle; a coordinate is not from -1e12 to 1e12 m.
    pub fn set_position(
        &mut self,
        entity: Entity,
        particle: usize,
        position: Vec3,
    ) -> Result<(), TautError> {
        let (world, particle) = self.locate(entity, particle)?;
        Ok(world.set_position(particle, position.to_array())?)
    }

    /// Sets the velocity of a particle, m/s.
    ///
    /// # Errors
    /// The entity is not simulated, or has no such particle; the velocity is not finite, or so high that the
    /// position of the particle one substep ago would have a coordinate that is not from -1e12 to 1e12 m.
    pub fn set_velocity(
        &mut self,
        entity: Entity,
        particle: usize,
        velocity: Vec3,
    ) -> Result<(), TautError> {
        let (world, particle) = self.locate(entity, particle)?;
        Ok(world.set_velocity(particle, velocity.to_array())?)
    }

    /// Tears all sticks that a blade crosses as it moves; returns how many. A blade is a segment
    /// between two points in the world, m.
    pub fn cut(&mut self, from: [Vec3; 2], to: [Vec3; 2]) -> usize {
        let blade = |ends: [Vec3; 2]| ends.map(|end| end.to_array());
        let torn = self.world.as_mut().map_or(0, |world| world.cut_swept(blade(from), blade(to)));
        self.read_removed();
        torn
    }

    /// [Cuts](Self::cut) with a ray that moves from `from` to `to`, such as that of the mouse. Its first `length`
    /// metres cut. Returns how many sticks tear.
    pub fn cut_with_rays(&mut self, from: Ray3d, to: Ray3d, length: f32) -> usize {
        let blade = |ray: Ray3d| [ray.origin, ray.get_point(length)];
        self.cut(blade(from), blade(to))
    }

    /// Tears a stick by its index in the cloth or rope. Returns false if it was torn before.
    ///
    /// # Errors
    /// The entity is not simulated, or has no such stick.
    pub fn tear(&mut self, entity: Entity, stick: usize) -> Result<bool, TautError> {
        let body = self.body(entity)?;
        let (start, sticks) = (body.sticks.start, body.sticks.len());
        if stick >= sticks {
            return Err(TautError::NoSuchStick { entity, stick, sticks });
        }
        let torn = match &mut self.world {
            Some(world) => world.tear(start + stick)?,
            None => false,
        };
        self.read_removed();
        Ok(torn)
    }

    fn body(&self, entity: Entity) -> Result<&SoftBody, TautError> {
        let index = self.index.get(&entity).ok_or(TautError::NotSimulated { entity })?;
        Ok(&self.bodies[*index])
    }

    /// The world of Taut, and the index in it of a particle of an entity.
    fn locate(
        &mut self,
        entity: Entity,
        particle: usize,
    ) -> Result<(&mut World<3>, usize), TautError> {
        let range = self.body(entity)?.particles.clone();
        let particles = range.len();
        if particle >= particles {
            return Err(TautError::NoSuchParticle { entity, particle, particles });
        }
        let world = self.world.as_mut().ok_or(TautError::NotSimulated { entity })?;
        Ok((world, range.start + particle))
    }

    /// The index of the body of a particle of the world.
    fn body_of(&self, particle: usize) -> Option<usize> {
        let index = self.bodies.partition_point(|body| body.particles.end <= particle);
        (index < self.bodies.len()).then_some(index)
    }

    /// A new name for a model.
    pub(crate) fn new_name(&mut self) -> String {
        self.names += 1;
        self.names.to_string()
    }

    /// Changes the number of threads at the next [`rebuild`](Self::rebuild).
    pub(crate) fn set_threads(&mut self, threads: usize) -> Result<(), TautError> {
        self.kernels = Self::new(threads)?.kernels;
        Ok(())
    }

    /// Changes the settings and keeps velocities.
    pub(crate) fn set_settings(&mut self, settings: Settings<3>) -> Result<(), TautError> {
        settings.check()?;
        settings.step.motion().map_err(taut::world::WorldError::from)?;
        if let Some(world) = &mut self.world {
            world.set_settings(settings)?;
        }
        self.settings = settings;
        Ok(())
    }

    /// Builds the world of all bodies, and carries over the state of those that were in the previous world.
    pub(crate) fn rebuild(&mut self) -> Result<(), TautError> {
        self.read_removed();
        let mut scene = Scene::<3>::new();
        scene.settings = self.settings;
        scene.forces.clone_from(&self.forces);
        scene.obstacles.clone_from(&self.obstacles);
        for body in &self.bodies {
            scene.add(body.name.clone(), body.model.clone())?;
        }
        let kernels = &self.kernels;
        let mut world = World::new(&scene, |schedule| kernels.kernel_for(schedule))?;
        if let Some(old) = &self.world {
            world.carry_over(old);
        }
        let mut current = vec![[0.0; 3]; world.len()];
        world.copy_positions(&mut current);
        let mut previous = current.clone();
        let mut triangles = 0;
        for body in &mut self.bodies {
            let or_empty = |range: Option<core::ops::Range<usize>>| range.unwrap_or_default();
            let particles = or_empty(world.model(&body.name));
            if let Some(before) = self.previous.get(body.particles.clone())
                && before.len() == particles.len()
            {
                previous[particles.clone()].copy_from_slice(before);
            }
            body.particles = particles;
            body.sticks = or_empty(world.sticks_of(&body.name));
            body.triangles = triangles..triangles + body.faces.len();
            triangles = body.triangles.end;
            body.last_drawn = None;
        }
        let indexed = self.bodies.iter().enumerate();
        self.index = indexed.map(|(index, body)| (body.entity, index)).collect();
        let removed = world.removed();
        self.removed = [removed.triangles.len(), removed.sticks.len()];
        (self.previous, self.current) = (previous, current);
        self.world = Some(world).filter(|_| !self.bodies.is_empty());
        Ok(())
    }

    /// Runs one step.
    pub(crate) fn step(&mut self) -> Result<Outcome, TautError> {
        let Some(world) = &mut self.world else {
            return Ok(Outcome { finite: true, torn: 0, broken: 0 });
        };
        // Positions are read before the step, not after the last one, because calls may move particles in between.
        world.copy_positions(&mut self.previous);
        let outcome = world.step()?;
        world.copy_positions(&mut self.current);
        self.read_removed();
        Ok(outcome)
    }

    /// Reads which triangles and sticks were removed from the world since the last call.
    fn read_removed(&mut self) {
        let Some(world) = &self.world else { return };
        let [triangles, sticks] = self.removed;
        let removed = world.removed();
        self.removed = [removed.triangles.len(), removed.sticks.len()];
        for &triangle in &removed.triangles[triangles..] {
            let triangle = triangle as usize;
            let index = self.bodies.partition_point(|body| body.triangles.end <= triangle);
            if let Some(body) = self.bodies.get_mut(index) {
                body.remove_face(triangle - body.triangles.start);
            }
        }
        for &stick in &removed.sticks[sticks..] {
            let stick = stick as usize;
            let index = self.bodies.partition_point(|body| body.sticks.end <= stick);
            let Some(body) = self.bodies.get_mut(index) else { continue };
            let stick = stick - body.sticks.start;
            body.remove_stick(stick);
            let particles = body.model.sticks.ends()[stick].map(|end| end as usize);
            self.torn.push(StickTorn { entity: body.entity, stick, particles });
        }
    }

    /// The messages for the sticks that tore since the last call.
    pub(crate) fn take_torn(&mut self) -> Vec<StickTorn> {
        std::mem::take(&mut self.torn)
    }
}
