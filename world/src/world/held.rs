//! Pinning, grabbing, dragging, releasing and picking of particles.

use taut_core::{COORDINATE_MAX, ParticleError, Real};

use super::{World, WorldError};

/// The state of a particle that is pinned or grabbed, and the values that it gets once it is freed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct HeldParticle<const D: usize> {
    /// Its inverse mass once it is free again, 1/kg.
    pub(super) inverse_mass: f32,
    pub(super) pinned: bool,
    pub(super) grabbed: bool,
    /// Its displacement per substep in the last step, m; 0 if it was not dragged.
    pub(super) displacement: [f32; D],
}

/// A dragged particle of an island.
#[derive(Clone, Copy, Debug)]
pub(super) struct DragTarget<const D: usize> {
    /// Its number in the island.
    pub(super) number: usize,
    /// Position at the beginning of the step, m.
    pub(super) from: [f32; D],
    /// Position at the end of the step, m.
    pub(super) to: [f32; D],
}

impl<const D: usize> DragTarget<D> {
    /// Position at the end of a substep, m.
    pub(super) fn position_at(&self, substep: u32, substeps: u32) -> [f32; D] {
        if substep == substeps {
            return self.to;
        }
        let fraction = substep as f32 / substeps as f32;
        core::array::from_fn(|axis| {
            (self.from[axis] + (self.to[axis] - self.from[axis]) * fraction).positive_zero()
        })
    }
}

impl<const D: usize> World<D> {
    /// Sets the inverse mass of a particle, 1/kg; 0 pins it permanently. If the particle is
    /// [pinned](Self::pin) or grabbed, the value applies once it is free. A particle that becomes
    /// free is no longer [dragged](Self::drag).
    ///
    /// # Errors
    /// No such particle, or an invalid inverse mass. The world is then unchanged.
    pub fn set_inverse_mass(&mut self, particle: usize, value: f32) -> Result<(), WorldError> {
        let (island, number) = self.find(particle)?;
        let particles = &mut self.islands[island].model.particles;
        particles.set_inverse_mass(number, value)?;
        if let Some(held) = self.held.get_mut(&particle) {
            held.inverse_mass = value;
            particles.set_inverse_mass(number, 0.0)?;
        } else if value > 0.0 {
            self.drag_targets.remove(&particle);
        }
        self.wake_group(island);
        Ok(())
    }

    /// Moves a particle, free, pinned or grabbed, to a point, m, and stops it.
    ///
    /// # Errors
    /// No such particle, or an invalid coordinate. The world is then unchanged.
    pub fn set_position(&mut self, particle: usize, point: [f32; D]) -> Result<(), WorldError> {
        let (island, number) = self.find(particle)?;
        self.islands[island].model.particles.set_position(number, point)?;
        if let Some(held) = self.held.get_mut(&particle) {
            held.displacement = [0.0; D];
        }
        self.wake_group(island);
        Ok(())
    }

    /// Sets the velocity of a particle, m/s: its previous position becomes `x - v h + ½ a h²`,
    /// where h is the length of a substep and a the acceleration of the settings.
    ///
    /// This is where a particle on the parabola `x + v t + ½ a t²` was a substep ago. Verlet
    /// integration of a constant acceleration has no error if the previous position is exact, so
    /// without damping the particle follows that parabola.
    ///
    /// A particle with inverse mass 0 does not move. One that is pinned or grabbed loses this velocity
    /// when it is freed.
    ///
    /// # Errors
    /// No such particle, or an invalid previous position. The world is then unchanged.
    pub fn set_velocity(&mut self, particle: usize, velocity: [f32; D]) -> Result<(), WorldError> {
        let (island, number) = self.find(particle)?;
        let step = self.settings.step;
        let h = f64::from(step.dt) / f64::from(step.substeps);
        let particles = &mut self.islands[island].model.particles;
        let point = particles.position(number);
        let before: [f32; D] = core::array::from_fn(|axis| {
            let half_ah2 = 0.5 * f64::from(step.acceleration[axis]) * h * h;
            (f64::from(point[axis]) - f64::from(velocity[axis]) * h + half_ah2) as f32
        });
        check_coordinates(particle, before)?;
        for (axis, before) in before.into_iter().enumerate() {
            particles.previous_mut(axis)[number] = before.positive_zero();
        }
        self.wake_group(island);
        Ok(())
    }

    /// Pins a particle at its position, until it is [unpinned](Self::unpin).
    ///
    /// # Errors
    /// No such particle.
    pub fn pin(&mut self, particle: usize) -> Result<(), WorldError> {
        self.hold(particle)?.pinned = true;
        Ok(())
    }

    /// Frees a pinned particle: it gets its mass back and starts at rest. (If it is grabbed, it
    /// becomes free once released.)
    ///
    /// # Errors
    /// No such particle; or [`WorldError::NoMassToRestore`] if its inverse mass was 0 in the scene or
    /// was set to 0. Then [`set_inverse_mass`](Self::set_inverse_mass) gives it a mass, after which it
    /// can be unpinned.
    pub fn unpin(&mut self, particle: usize) -> Result<(), WorldError> {
        let (island, number) = self.find(particle)?;
        match self.held.get_mut(&particle) {
            Some(held) if held.inverse_mass > 0.0 => held.pinned = false,
            None if self.islands[island].model.particles.inverse_masses()[number] > 0.0 => {}
            _ => return Err(WorldError::NoMassToRestore { particle }),
        }
        self.free_if_unheld(particle, false)
    }

    /// Grabs a particle: it stays in place, or follows a [drag](Self::drag), until it is
    /// [released](Self::release). A particle that an emitter emits is free again.
    ///
    /// ```
    /// use taut_scalar::ScalarKernel;
    /// use taut_world::{Model, Scene, StickSet, World};
    ///
    /// let mut scene = Scene::new();
    /// scene.add("sheet", Model::drape(8, StickSet::All)?)?;
    /// let mut world = World::new(&scene, |_| ScalarKernel)?;
    ///
    /// let corner = world.nearest([0.34, -0.36, 0.0], 0.05).expect("the lower right corner");
    /// assert_eq!(corner, 63);
    /// world.grab(corner)?;
    /// for step in 1..=30 {
    ///     world.drag(corner, [0.35, -0.35, 0.01 * step as f32])?;
    ///     assert!(world.step()?.finite);
    ///     assert_eq!(world.position(corner)[2], 0.01 * step as f32);
    /// }
    /// world.release(corner)?; // it keeps its velocity of 0.6 m/s
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// No such particle.
    pub fn grab(&mut self, particle: usize) -> Result<(), WorldError> {
        self.hold(particle)?.grabbed = true;
        Ok(())
    }

    /// Sets the position of a grabbed or pinned particle at the end of the next step, m, which it
    /// reaches exactly. Each substep moves it by the same distance. It stays there until dragged
    /// again.
    ///
    /// # Errors
    /// No such particle, an invalid coordinate, or [`WorldError::NotHeld`] if the particle is free.
    pub fn drag(&mut self, particle: usize, to: [f32; D]) -> Result<(), WorldError> {
        let (island, number) = self.find(particle)?;
        check_coordinates(particle, to)?;
        if self.islands[island].model.particles.inverse_masses()[number] > 0.0 {
            return Err(WorldError::NotHeld { particle });
        }
        self.wake_group(island);
        self.drag_targets.insert(particle, to.map(Real::positive_zero));
        Ok(())
    }

    /// Releases a grabbed particle, which gets its mass back. If the last step dragged it, it keeps
    /// the velocity of the drag; if it is also pinned, it stays in place. Does nothing if the particle
    /// is not grabbed.
    ///
    /// # Errors
    /// No such particle.
    pub fn release(&mut self, particle: usize) -> Result<(), WorldError> {
        let (island, _) = self.find(particle)?;
        if let Some(held) = self.held.get_mut(&particle) {
            held.grabbed = false;
            self.held_changed = true;
            self.wake_group(island);
        }
        self.free_if_unheld(particle, true)
    }

    /// The numbers of the grabbed particles, ascending.
    pub fn grabbed(&self) -> impl Iterator<Item = usize> {
        self.held.iter().filter(|(_, held)| held.grabbed).map(|(&particle, _)| particle)
    }

    /// Sets the inverse mass of a particle to 0, and returns its entry in `held`, which is new unless
    /// the particle is already held.
    fn hold(&mut self, particle: usize) -> Result<&mut HeldParticle<D>, WorldError> {
        let (island, number) = self.find(particle)?;
        self.held_changed = true;
        self.wake_group(island);
        let particles = &mut self.islands[island].model.particles;
        let inverse_mass = particles.inverse_masses()[number];
        particles.set_inverse_mass(number, 0.0)?;
        let new =
            HeldParticle { inverse_mass, pinned: false, grabbed: false, displacement: [0.0; D] };
        let held = self.held.entry(particle).or_insert(new);
        if inverse_mass > 0.0 {
            held.inverse_mass = inverse_mass; // also if an emitter has emitted a held particle
        }
        Ok(held)
    }

    /// Frees a particle if it is neither pinned nor grabbed any more. It then has the velocity of its
    /// last drag if `keep_velocity`, else it is at rest.
    fn free_if_unheld(&mut self, particle: usize, keep_velocity: bool) -> Result<(), WorldError> {
        let Some(held) = self.held.get(&particle).copied() else { return Ok(()) };
        if held.pinned || held.grabbed {
            return Ok(());
        }
        self.held.remove(&particle);
        let (island, number) = self.find(particle)?;
        self.wake_group(island);
        let particles = &mut self.islands[island].model.particles;
        if particles.inverse_masses()[number] > 0.0 {
            self.drag_targets.remove(&particle); // an emitter has emitted it
            return Ok(());
        }
        particles.set_inverse_mass(number, held.inverse_mass)?;
        if held.inverse_mass > 0.0 {
            self.drag_targets.remove(&particle);
            let point = particles.position(number);
            for (axis, x) in point.into_iter().enumerate() {
                let displacement = if keep_velocity { held.displacement[axis] } else { 0.0 };
                particles.previous_mut(axis)[number] = x - displacement;
            }
        }
        Ok(())
    }

    /// Gives the drag targets of this step to the islands of their particles.
    pub(super) fn assign_drag_targets(&mut self) {
        for held in self.held.values_mut() {
            held.displacement = [0.0; D];
        }
        for island in &mut self.islands {
            island.drag_targets.clear();
        }
        for (&particle, &to) in &self.drag_targets {
            let (island, number) = self.locate(particle);
            let particles = &self.islands[island].model.particles;
            if particles.inverse_masses()[number] > 0.0 {
                continue; // an emitter has emitted it
            }
            let from = particles.position(number);
            self.islands[island].drag_targets.push(DragTarget { number, from, to });
            if let Some(held) = self.held.get_mut(&particle) {
                let substeps = self.settings.step.substeps as f32;
                held.displacement = core::array::from_fn(|axis| (to[axis] - from[axis]) / substeps);
            }
        }
    }

    /// The particle nearest to a point, at most `within` m away. If several are equally near, the
    /// one with the smallest number.
    pub fn nearest(&self, point: [f32; D], within: f32) -> Option<usize> {
        let point = point.map(f64::from);
        self.nearest_by(within, |x| {
            Some((0..D).map(|axis| (x[axis] - point[axis]) * (x[axis] - point[axis])).sum())
        })
    }

    /// The particle nearest to a ray, at most `within` m away and not behind its origin. If several
    /// are equally near, the one with the smallest number. The direction may have any length.
    pub fn nearest_to_ray(
        &self,
        origin: [f32; D],
        direction: [f32; D],
        within: f32,
    ) -> Option<usize> {
        let (origin, along) = (origin.map(f64::from), direction.map(f64::from));
        let squared_length: f64 = along.iter().map(|x| x * x).sum();
        self.nearest_by(within, |x| {
            let offset: [f64; D] = core::array::from_fn(|axis| x[axis] - origin[axis]);
            // The position along the ray, as a multiple of the direction.
            let along_ray =
                offset.iter().zip(&along).map(|(x, y)| x * y).sum::<f64>() / squared_length;
            let across = |axis: usize| offset[axis] - along[axis] * along_ray;
            (along_ray >= 0.0).then(|| (0..D).map(|axis| across(axis) * across(axis)).sum())
        })
    }

    /// The particle whose position has the smallest `squared_distance`, m²; None excludes a
    /// particle. `within` is the largest distance, m.
    fn nearest_by(
        &self,
        within: f32,
        squared_distance: impl Fn([f64; D]) -> Option<f64>,
    ) -> Option<usize> {
        let within = f64::from(within);
        let mut best = None;
        // The square of `within`, but negative if `within` is, so that no particle is found.
        let mut least = within * within.abs();
        for particle in 0..self.len() {
            let position = self.position(particle).map(f64::from);
            let Some(square) = squared_distance(position) else { continue };
            // A particle at exactly the largest distance is found, too.
            if square < least || (best.is_none() && square <= least) {
                (best, least) = (Some(particle), square);
            }
        }
        best
    }
}

/// Checks the coordinates of the new position of a particle.
pub(super) fn check_coordinates<const D: usize>(
    particle: usize,
    point: [f32; D],
) -> Result<(), ParticleError> {
    for (axis, value) in point.into_iter().enumerate() {
        let value = f64::from(value);
        if !(-COORDINATE_MAX..=COORDINATE_MAX).contains(&value) {
            return Err(ParticleError::Coordinate { particle, axis, value });
        }
    }
    Ok(())
}
