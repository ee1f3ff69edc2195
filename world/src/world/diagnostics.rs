//! Figures that tell how a world is doing.

use taut_core::{Kernel, Stretch};

use super::{Moment, World, WorldError};

/// Figures of a world at the end of a step, in `f64`, added up in the order of the pieces and
/// their numbers: so they are the same on every kernel. Pinned particles do not count. Units are
/// SI.
///
/// A velocity is what moved the particle in the last substep, over the substep's length: it is
/// that in the middle of the substep, `a h / 2` behind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Diagnostics<const D: usize = 3> {
    /// Kinetic energy, J.
    pub kinetic: f64,
    /// Potential energy in the acceleration of the settings, J; 0 at the origin.
    pub potential: f64,
    /// Linear momentum, kg m/s.
    pub momentum: [f64; D],
    /// Angular momentum about the origin, kg m²/s, of the first three axes. In the plane only the
    /// last can be other than 0.
    pub angular_momentum: [f64; 3],
    /// The stretch of the sticks that are not torn.
    pub stretch: Stretch,
    /// How deep the deepest particle is inside an obstacle, m, as far as
    /// [obstacles](crate::Obstacle::depth) tell.
    pub depth: f32,
    /// How many sticks are torn, since the beginning.
    pub torn: usize,
}

impl<K: Kernel<D>, const D: usize> World<K, D> {
    /// How the world is doing, now. It costs about as much as an iteration of the scalar kernel:
    /// most of it is the root of each stick.
    ///
    /// ```
    /// use taut_scalar::ScalarKernel;
    /// use taut_world::{Model, Scene, StickSet, World};
    ///
    /// let mut scene = Scene::new();
    /// scene.add("sheet", Model::drape(8, StickSet::All)?)?;
    /// let mut world = World::new(&scene, |_| ScalarKernel)?;
    /// let before = world.diagnostics()?;
    /// for _ in 0..10 {
    ///     assert!(world.step()?.finite);
    /// }
    /// let after = world.diagnostics()?;
    /// assert!(after.potential < before.potential); // it sags
    /// assert!(after.stretch.max > before.stretch.max);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the settings are no longer sane.
    pub fn diagnostics(&self) -> Result<Diagnostics<D>, WorldError> {
        let step = &self.settings.step;
        let moment =
            Moment { time: self.time, h: step.dt / step.substeps as f32, motion: step.motion()? };
        let h = f64::from(step.dt) / f64::from(step.substeps);
        let gravity = step.acceleration.map(f64::from);
        let mut all = Diagnostics {
            kinetic: 0.0,
            potential: 0.0,
            momentum: [0.0; D],
            angular_momentum: [0.0; 3],
            stretch: Stretch::default(),
            depth: 0.0,
            torn: self.torn(),
        };
        let (mut squares, mut whole) = (0.0, 0);
        for piece in &self.pieces {
            let particles = &piece.matter.particles;
            let [now, then]: [[&[f32]; D]; 2] = [
                core::array::from_fn(|axis| particles.positions(axis)),
                core::array::from_fn(|axis| particles.previous(axis)),
            ];
            for (number, &inverse_mass) in particles.inverse_masses().iter().enumerate() {
                if inverse_mass > 0.0 {
                    let (mut place, mut velocity) = ([0.0; D], [0.0; D]);
                    for axis in 0..D {
                        place[axis] = f64::from(now[axis][number]);
                        velocity[axis] = (place[axis] - f64::from(then[axis][number])) / h;
                    }
                    all.add(1.0 / f64::from(inverse_mass), place, velocity, gravity);
                }
            }
            let sticks = &piece.matter.sticks;
            let Stretch { rms, max } = Stretch::of(particles, sticks);
            let untorn = (0..sticks.len()).filter(|&stick| !sticks.is_torn(stick)).count();
            squares += rms * rms * untorn as f64;
            if max > all.stretch.max || max.is_nan() {
                all.stretch.max = max;
            }
            whole += untorn;
            for obstacle in &self.obstacles {
                all.depth = all.depth.max(obstacle.depth(&piece.matter, &moment));
            }
        }
        all.stretch.rms = if whole == 0 { 0.0 } else { libm::sqrt(squares / whole as f64) };
        Ok(all)
    }
}

impl<const D: usize> Diagnostics<D> {
    /// Adds a particle.
    fn add(&mut self, mass: f64, place: [f64; D], velocity: [f64; D], gravity: [f64; D]) {
        let mut speed2 = 0.0;
        for axis in 0..D {
            speed2 += velocity[axis] * velocity[axis];
            self.potential -= mass * gravity[axis] * place[axis];
            self.momentum[axis] += mass * velocity[axis];
        }
        self.kinetic += 0.5 * mass * speed2;
        for (axis, angular) in self.angular_momentum.iter_mut().enumerate() {
            let [i, j] = [(axis + 1) % 3, (axis + 2) % 3];
            if i < D && j < D {
                *angular += mass * (place[i] * velocity[j] - place[j] * velocity[i]);
            }
        }
    }
}
