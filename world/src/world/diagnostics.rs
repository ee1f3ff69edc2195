//! Diagnostics of a world: energy, momentum, stretch, penetration.

use std::sync::PoisonError;

use pulp::NullaryFnOnce;
use taut_core::{Particles, Stretch};

use super::residual::{LANES, PartialSums, StretchColumns, StretchSums, total};
use super::{Simulation, World, WorldError};
use crate::settings::StepTime;
use crate::simd::widest;

/// Quantities of a world at the end of a step. Sums are computed in `f64` and in an order that depends
/// only on the islands and their numbering, so they have the same bits with every kernel and on every
/// machine. Pinned particles do not count in energies and momenta.
///
/// A velocity is the displacement in the last substep divided by the duration of the substep, so it
/// is the velocity at the middle of the substep. With an acceleration a and a substep of length h,
/// it differs by `a h / 2` from the velocity at the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Diagnostics<const D: usize = 3> {
    /// Kinetic energy, J.
    pub kinetic: f64,
    /// Potential energy in the acceleration of the settings, J; 0 at the origin.
    pub potential: f64,
    /// Linear momentum, kg m/s.
    pub momentum: [f64; D],
    /// Angular momentum about the origin, kg m²/s, by axis. In 2D only the last component can
    /// differ from 0.
    pub angular_momentum: [f64; 3],
    /// Stretch and compression of the sticks that are not torn.
    pub stretch: Stretch,
    /// Deepest penetration of a particle into an obstacle, m, as far as
    /// [obstacles](crate::Obstacle::depth) report it.
    pub depth: f32,
    /// Number of torn sticks, as [`World::torn`].
    pub torn: usize,
}

impl<const D: usize> World<D>
where
    Self: Simulation<D>,
{
    /// The current diagnostics. Computing them takes about as long as one or two iterations, mostly
    /// because of a square root per stick in `f64`.
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
    /// If the step of the settings is invalid.
    pub fn diagnostics(&self) -> Result<Diagnostics<D>, WorldError> {
        self.compute_diagnostics()
    }
}

impl<const D: usize> World<D> {
    /// Implements [`Simulation::compute_diagnostics`].
    pub(super) fn diagnostics_generic(&self) -> Result<Diagnostics<D>, WorldError> {
        let step = &self.settings.step;
        let now = StepTime {
            time: self.time,
            h: step.dt / step.substeps as f32,
            duration: step.dt,
            motion: step.motion()?,
        };
        let h = f64::from(step.dt) / f64::from(step.substeps);
        let gravity = step.acceleration.map(f64::from);
        let mut diagnostics = Diagnostics {
            kinetic: 0.0,
            potential: 0.0,
            momentum: [0.0; D],
            angular_momentum: [0.0; 3],
            stretch: Stretch::default(),
            depth: 0.0,
            torn: 0,
        };
        let mut stretch_sums = StretchSums::default();
        for island in &self.islands {
            let particles = &island.model.particles;
            diagnostics.add(&Sums::of(particles), h, gravity);

            let mut cached = island.residual.lock().unwrap_or_else(PoisonError::into_inner);
            let columns = StretchColumns::refreshed(&mut cached, &island.model.sticks);
            stretch_sums.add(columns.sums(particles));
            for obstacle in &self.obstacles {
                let depth = obstacle.depth(&island.model, &now);
                diagnostics.depth = diagnostics.depth.max(depth);
            }
        }
        diagnostics.stretch = stretch_sums.stretch();
        // `stretch_sums.sticks` is the number of sticks that are not torn.
        diagnostics.torn = self.sticks.len() - stretch_sums.sticks;
        Ok(diagnostics)
    }
}

impl<const D: usize> Diagnostics<D> {
    /// Adds the sums of an island; `h` is the length of a substep, s, and `gravity` the acceleration of
    /// the settings, m/s².
    fn add(&mut self, sums: &Sums<D>, h: f64, gravity: [f64; D]) {
        self.kinetic += 0.5 * total(sums.squares) / (h * h);
        for (gravity, positions) in gravity.into_iter().zip(sums.positions) {
            self.potential -= gravity * total(positions);
        }
        for (momentum, displacements) in self.momentum.iter_mut().zip(sums.displacements) {
            *momentum += total(displacements) / h;
        }
        for (angular, moments) in self.angular_momentum.iter_mut().zip(sums.moments) {
            *angular += total(moments) / h;
        }
    }
}

/// Sums over free particles of mass, kg, times the quantity that each field names; `d` is the
/// displacement in the last substep, m.
struct Sums<const D: usize> {
    /// d · d.
    squares: PartialSums,
    /// Position, m.
    positions: [PartialSums; D],
    /// d.
    displacements: [PartialSums; D],
    /// Position × d.
    moments: [PartialSums; 3],
}

impl<const D: usize> Sums<D> {
    /// The sums over all particles of an island.
    fn of(particles: &Particles<D>) -> Self {
        let mut sums = Self {
            squares: [0.0; LANES],
            positions: [[0.0; LANES]; D],
            displacements: [[0.0; LANES]; D],
            moments: [[0.0; LANES]; 3],
        };
        widest(AddParticles {
            now: core::array::from_fn(|axis| particles.positions(axis)),
            previous: core::array::from_fn(|axis| particles.previous(axis)),
            inverse_masses: particles.inverse_masses(),
            sums: &mut sums,
        });
        sums
    }

    /// Adds a chunk of particles, one per lane.
    #[inline(always)]
    fn add(
        &mut self,
        inverse_masses: &[f32; LANES],
        now: &[[f32; LANES]; D],
        previous: &[[f32; LANES]; D],
    ) {
        for lane in 0..LANES {
            let w = inverse_masses[lane];
            let mass = if w > 0.0 { 1.0 / f64::from(w) } else { 0.0 };
            let (mut x, mut d, mut square) = ([0.0; D], [0.0; D], 0.0);
            for axis in 0..D {
                x[axis] = f64::from(now[axis][lane]);
                d[axis] = x[axis] - f64::from(previous[axis][lane]);
                square += d[axis] * d[axis];
                self.positions[axis][lane] += mass * x[axis];
                self.displacements[axis][lane] += mass * d[axis];
            }
            self.squares[lane] += mass * square;
            for axis in 0..3 {
                let [i, j] = [(axis + 1) % 3, (axis + 2) % 3];
                if i < D && j < D {
                    let moment = x[i] * d[j] - x[j] * d[i];
                    self.moments[axis][lane] += mass * moment;
                }
            }
        }
    }
}

/// The first entries of a column as a chunk, padded with 0. (Padding has no mass.)
#[inline(always)]
fn padded(column: &[f32]) -> [f32; LANES] {
    let mut chunk = [0.0; LANES];
    match column.first_chunk() {
        Some(full) => chunk = *full,
        None => chunk[..column.len()].copy_from_slice(column),
    }
    chunk
}

/// Adds all particles to `sums`.
struct AddParticles<'a, const D: usize> {
    /// Positions by axis, m.
    now: [&'a [f32]; D],
    /// Previous positions by axis, m.
    previous: [&'a [f32]; D],
    inverse_masses: &'a [f32],
    sums: &'a mut Sums<D>,
}

impl<const D: usize> NullaryFnOnce for AddParticles<'_, D> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { now, previous, inverse_masses, sums } = self;
        for (nth, inverse_masses) in inverse_masses.chunks(LANES).enumerate() {
            let (from, to) = (nth * LANES, nth * LANES + inverse_masses.len());
            let (mut now_chunk, mut previous_chunk) = ([[0.0; LANES]; D], [[0.0; LANES]; D]);
            for axis in 0..D {
                now_chunk[axis] = padded(&now[axis][from..to]);
                previous_chunk[axis] = padded(&previous[axis][from..to]);
            }
            sums.add(&padded(inverse_masses), &now_chunk, &previous_chunk);
        }
    }
}
