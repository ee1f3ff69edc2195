//! Methods that read or change a world in two or three dimensions: particles, sticks, settings, wind
//! and kernels.

use alloc::sync::Arc;
use alloc::vec::Vec;

use taut_core::{Formula, ParticleError, StickError, Sticks};
use taut_scenes::AnyScene;
use taut_world::{Force, Settings, Wind, WorldError, resize_vector};

use super::{AnyWorld, AnyWorldError, Inner, SceneAndWorld, with_inner};
use crate::{KernelChoice, KernelSet};

impl AnyWorld {
    /// The position of a particle, m.
    ///
    /// # Errors
    /// No such particle.
    pub fn position(&self, particle: usize) -> Result<[f32; 3], AnyWorldError> {
        self.check_particle(particle)?;
        Ok(with_inner!(&self.inner, inner => resize_vector(inner.world.position(particle))))
    }

    /// The inverse mass of a particle, 1/kg; 0 while it is pinned or grabbed.
    ///
    /// # Errors
    /// No such particle.
    pub fn inverse_mass(&self, particle: usize) -> Result<f32, AnyWorldError> {
        self.check_particle(particle)?;
        Ok(with_inner!(&self.inner, inner => inner.world.inverse_mass(particle)))
    }

    /// Checks that there is such a particle.
    fn check_particle(&self, particle: usize) -> Result<(), AnyWorldError> {
        let particles = self.particles();
        if particle < particles {
            return Ok(());
        }
        Err(WorldError::from(ParticleError::NoSuchParticle { particle, particles }).into())
    }

    /// See [`World::set_position`](taut_world::World::set_position).
    ///
    /// # Errors
    /// No such particle, or an invalid coordinate.
    pub fn set_position(&mut self, particle: usize, to: [f32; 3]) -> Result<(), AnyWorldError> {
        Ok(
            with_inner!(&mut self.inner, inner => inner.world.set_position(particle, resize_vector(to)))?,
        )
    }

    /// See [`World::set_velocity`](taut_world::World::set_velocity); m/s.
    ///
    /// # Errors
    /// No such particle, or an invalid velocity.
    pub fn set_velocity(
        &mut self,
        particle: usize,
        velocity: [f32; 3],
    ) -> Result<(), AnyWorldError> {
        Ok(with_inner!(&mut self.inner, inner => {
            inner.world.set_velocity(particle, resize_vector(velocity))
        })?)
    }

    /// See [`World::set_inverse_mass`](taut_world::World::set_inverse_mass); 1/kg.
    ///
    /// # Errors
    /// No such particle, or an invalid inverse mass.
    pub fn set_inverse_mass(&mut self, particle: usize, value: f32) -> Result<(), AnyWorldError> {
        Ok(with_inner!(&mut self.inner, inner => inner.world.set_inverse_mass(particle, value))?)
    }

    /// See [`World::pin`](taut_world::World::pin).
    ///
    /// # Errors
    /// No such particle.
    pub fn pin(&mut self, particle: usize) -> Result<(), AnyWorldError> {
        Ok(with_inner!(&mut self.inner, inner => inner.world.pin(particle))?)
    }

    /// See [`World::unpin`](taut_world::World::unpin).
    ///
    /// # Errors
    /// No such particle, or it was pinned from the beginning.
    pub fn unpin(&mut self, particle: usize) -> Result<(), AnyWorldError> {
        Ok(with_inner!(&mut self.inner, inner => inner.world.unpin(particle))?)
    }

    /// See [`World::grab`](taut_world::World::grab).
    ///
    /// # Errors
    /// No such particle.
    pub fn grab(&mut self, particle: usize) -> Result<(), AnyWorldError> {
        Ok(with_inner!(&mut self.inner, inner => inner.world.grab(particle))?)
    }

    /// See [`World::drag`](taut_world::World::drag).
    ///
    /// # Errors
    /// No such particle, it is neither grabbed nor pinned, or an invalid coordinate.
    pub fn drag(&mut self, particle: usize, to: [f32; 3]) -> Result<(), AnyWorldError> {
        Ok(with_inner!(&mut self.inner, inner => inner.world.drag(particle, resize_vector(to)))?)
    }

    /// See [`World::release`](taut_world::World::release).
    ///
    /// # Errors
    /// No such particle.
    pub fn release(&mut self, particle: usize) -> Result<(), AnyWorldError> {
        Ok(with_inner!(&mut self.inner, inner => inner.world.release(particle))?)
    }

    /// The numbers of the grabbed particles.
    pub fn grabbed(&self) -> Vec<usize> {
        with_inner!(&self.inner, inner => inner.world.grabbed().collect())
    }

    /// See [`World::nearest`](taut_world::World::nearest); `within` in m.
    pub fn nearest(&self, point: [f32; 3], within: f32) -> Option<usize> {
        with_inner!(&self.inner, inner => inner.world.nearest(resize_vector(point), within))
    }

    /// See [`World::nearest_to_ray`](taut_world::World::nearest_to_ray); `within` in m.
    pub fn nearest_to_ray(
        &self,
        origin: [f32; 3],
        direction: [f32; 3],
        within: f32,
    ) -> Option<usize> {
        with_inner!(&self.inner, inner => {
            inner.world.nearest_to_ray(resize_vector(origin), resize_vector(direction), within)
        })
    }

    /// Tears all sticks that a blade crosses; returns how many. A blade is a segment between two
    /// points. In three dimensions it sweeps from `from` to `to`: see
    /// [`World::cut_swept`](taut_world::World::cut_swept). In two dimensions the blade is the
    /// segment between the first point of `from` and the first point of `to`: see
    /// [`World::cut`](taut_world::World::cut).
    pub fn cut(&mut self, from: [[f32; 3]; 2], to: [[f32; 3]; 2]) -> usize {
        let torn = match &mut self.inner {
            Inner::TwoD(inner) => inner.world.cut([from[0], to[0]].map(resize_vector)),
            Inner::ThreeD(inner) => inner.world.cut_swept(from, to),
        };
        self.update_drawing();
        torn
    }

    /// Tears a stick, given by its number in [`drawing`](Self::drawing): see
    /// [`World::tear`](taut_world::World::tear). Returns false if it was torn before.
    ///
    /// # Errors
    /// No such stick.
    pub fn tear(&mut self, stick: usize) -> Result<bool, AnyWorldError> {
        let torn = with_inner!(&mut self.inner, inner => inner.world.tear(stick))?;
        self.update_drawing();
        Ok(torn)
    }

    /// From now on each stick tears at the end of a step in which it is longer than `factor` times
    /// its rest length; never if `factor` is infinite.
    ///
    /// ```
    /// use taut::{AnyWorld, KernelChoice};
    ///
    /// let mut world = AnyWorld::from_library("drape", Some(16), &KernelChoice::default())?;
    /// world.set_tear_factor(1.5)?;
    /// world.grab(255)?; // a corner
    /// world.drag(255, [3.0, -3.0, 0.0])?;
    /// assert!(world.step(1)?.torn > 0);
    /// # Ok::<(), taut::AnyWorldError>(())
    /// ```
    ///
    /// # Errors
    /// A factor of 1 or less, or NaN.
    pub fn set_tear_factor(&mut self, factor: f32) -> Result<(), AnyWorldError> {
        if factor.is_nan() || factor <= 1.0 {
            return Err(AnyWorldError::TearFactor { factor });
        }
        self.set_tear_factors(|_stick| factor);
        Ok(())
    }

    /// Sets the tear factors of all sticks: see
    /// [`World::set_tear_factors`](taut_world::World::set_tear_factors).
    pub fn set_tear_factors(&mut self, factor: impl Fn(usize) -> f32) {
        with_inner!(&mut self.inner, inner => inner.world.set_tear_factors(factor));
    }

    /// Sets compliance, m/N, and stiffness of all sticks: see [`Sticks`](taut_core::Sticks). `values`
    /// returns both for the number of a stick. Wakes all models.
    ///
    /// # Errors
    /// An invalid value. Sticks with lower numbers have changed then.
    pub fn set_compliance_and_stiffness(
        &mut self,
        values: impl Fn(usize) -> [f32; 2],
    ) -> Result<(), AnyWorldError> {
        let sticks = self.drawing.sticks.len();
        with_inner!(&mut self.inner, inner => {
            let locations: Vec<_> =
                (0..sticks).map(|number| inner.world.locate_stick(number)).collect();
            let islands = inner.world.islands_mut();
            for (number, location) in locations.into_iter().enumerate() {
                if let Some((island, index)) = location {
                    set_stick(&mut islands[island].model.sticks, index, values(number))?;
                }
            }
        });
        Ok(())
    }

    /// The settings. In two dimensions the third coordinate of the acceleration is 0.
    pub fn settings(&self) -> Settings<3> {
        with_inner!(&self.inner, inner => inner.world.settings().resized())
    }

    /// Changes the settings and keeps velocities: see
    /// [`World::set_settings`](taut_world::World::set_settings).
    ///
    /// ```
    /// use taut::{AnyWorld, KernelChoice};
    ///
    /// let mut world = AnyWorld::from_library("flag", Some(16), &KernelChoice::default())?;
    /// let mut settings = world.settings();
    /// settings.step.acceleration = [0.0, -1.62, 0.0]; // on the moon, m/s²
    /// world.set_settings(&settings)?;
    /// # Ok::<(), taut::AnyWorldError>(())
    /// ```
    ///
    /// # Errors
    /// If the settings are invalid; see also [`Settings::check`]. The world is then unchanged.
    pub fn set_settings(&mut self, settings: &Settings<3>) -> Result<(), AnyWorldError> {
        settings.check().map_err(WorldError::from)?;
        Ok(with_inner!(&mut self.inner, inner => {
            inner.world.set_settings(settings.resized())
        })?)
    }

    /// Replaces all forces of the scene by a uniform wind on all triangles: see [`Wind::new`];
    /// `velocity` in m/s. With `None`, gravity is the only force.
    ///
    /// # Errors
    /// The world is in two dimensions, or a component is not from -1e9 to 1e9. The world is then
    /// unchanged.
    pub fn set_wind(&mut self, velocity: Option<[f32; 3]>) -> Result<(), AnyWorldError> {
        let is_invalid = |component: &f32| !(-1e9..=1e9).contains(component);
        if let Some(component) = velocity.into_iter().flatten().find(is_invalid) {
            return Err(AnyWorldError::Wind { component });
        }
        let Inner::ThreeD(inner) = &mut self.inner else { return Err(AnyWorldError::WindInPlane) };
        let wind = velocity.map(|velocity| Arc::new(Wind::new(velocity)) as Arc<dyn Force>);
        inner.set_forces(wind.into_iter().collect());
        Ok(())
    }

    /// Replaces all forces by those of a scene. Returns false, and changes nothing, if the scene has
    /// another number of dimensions.
    pub fn set_forces_of(&mut self, scene: &AnyScene) -> bool {
        match (&mut self.inner, scene) {
            (Inner::TwoD(inner), AnyScene::TwoD(scene)) => inner.set_forces(scene.forces.clone()),
            (Inner::ThreeD(inner), AnyScene::ThreeD(scene)) => {
                inner.set_forces(scene.forces.clone());
            }
            _ => return false,
        }
        true
    }

    /// Changes the kernels and keeps the state.
    ///
    /// # Errors
    /// Same as [`KernelChoice::find`] and [`replan`](Self::replan).
    pub fn set_kernels(&mut self, kernels: &KernelChoice) -> Result<(), AnyWorldError> {
        self.replan(self.formula(), kernels.find()?)
    }

    /// Changes the formula and the kernels, and keeps the state.
    ///
    /// # Errors
    /// Same as [`World::replan`](taut_world::World::replan).
    pub fn replan(&mut self, formula: Formula, kernels: KernelSet) -> Result<(), AnyWorldError> {
        with_inner!(&mut self.inner, inner => {
            inner.world.replan(formula, |schedule| kernels.kernel_for(schedule))?;
            inner.scene.formula = formula;
        });
        self.kernels = kernels;
        Ok(())
    }

    /// The particles at the ends of a stick; `None` if it is torn.
    ///
    /// # Errors
    /// No such stick.
    pub fn stick(&self, stick: usize) -> Result<Option<[u32; 2]>, AnyWorldError> {
        let sticks = self.drawing.sticks.len();
        let ends = self.drawing.sticks.get(stick);
        let no_such_stick = || WorldError::from(StickError::NoSuchStick { stick, sticks });
        let ends = *ends.ok_or_else(no_such_stick)?;
        Ok(Some(ends).filter(|ends| ends[0] != taut_world::REMOVED))
    }
}

impl<const D: usize> SceneAndWorld<D> {
    fn set_forces(&mut self, forces: Vec<Arc<dyn Force<D>>>) {
        self.world.forces_mut().clone_from(&forces);
        self.scene.forces = forces;
    }
}

/// Sets compliance and stiffness of a stick. Values that are the same do not count as changes.
fn set_stick(
    sticks: &mut Sticks,
    index: usize,
    [compliance, stiffness]: [f32; 2],
) -> Result<(), WorldError> {
    if sticks.compliance(index).to_bits() != compliance.to_bits() {
        sticks.set_compliance(index, compliance)?;
    }
    if sticks.stiffness(index).to_bits() != stiffness.to_bits() {
        sticks.set_stiffness(index, stiffness)?;
    }
    Ok(())
}
