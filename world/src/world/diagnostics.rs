//! Figures that tell how a world is doing.

use std::sync::PoisonError;

use taut_core::{Kernel, Particles, Stretch};

use super::residual::{PARTS, Parts, Residual, StretchSums, whole};
use super::{World, WorldError};
use crate::settings::Moment;
use crate::simd::{Pass, widest};

/// Figures of a world at the end of a step, in `f64`, added up in an order that the islands and their
/// numbers fix: so they are the same on every kernel and machine. Pinned particles do not count. Units are
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
    /// Stretch and compression of the sticks that are not torn.
    pub stretch: Stretch,
    /// How deep the deepest particle is inside an obstacle, m, as far as
    /// [obstacles](crate::Obstacle::depth) tell.
    pub depth: f32,
    /// How many sticks are torn, since the beginning.
    pub torn: usize,
}

impl<K: Kernel<D>, const D: usize> World<K, D> {
    /// How the world is doing, now. It costs about as much as an iteration or two: most of it is the
    /// root of each stick, in `f64`.
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
        let moment = Moment {
            time: self.time,
            h: step.dt / step.substeps as f32,
            hold: step.dt,
            motion: step.motion()?,
        };
        let h = f64::from(step.dt) / f64::from(step.substeps);
        let gravity = step.acceleration.map(f64::from);
        let mut all = Diagnostics {
            kinetic: 0.0,
            potential: 0.0,
            momentum: [0.0; D],
            angular_momentum: [0.0; 3],
            stretch: Stretch::default(),
            depth: 0.0,
            torn: 0,
        };
        let mut sums = StretchSums::default();
        for island in &self.islands {
            let particles = &island.matter.particles;
            all.add(&Sums::of(particles), h, gravity);

            let mut kept = island.residual.lock().unwrap_or_else(PoisonError::into_inner);
            let residual = Residual::refreshed(&mut kept, &island.matter.sticks);
            sums.add(residual.sums(particles));
            for obstacle in &self.obstacles {
                all.depth = all.depth.max(obstacle.depth(&island.matter, &moment));
            }
        }
        all.stretch = sums.stretch();
        all.torn = self.sticks.len() - sums.sticks;
        Ok(all)
    }
}

impl<const D: usize> Diagnostics<D> {
    /// Adds the particles of an island, that moved in a substep of `h`, s.
    fn add(&mut self, sums: &Sums<D>, h: f64, gravity: [f64; D]) {
        self.kinetic += 0.5 * whole(sums.squares) / (h * h);
        for (gravity, places) in gravity.into_iter().zip(sums.places) {
            self.potential -= gravity * whole(places);
        }
        for (momentum, moved) in self.momentum.iter_mut().zip(sums.moved) {
            *momentum += whole(moved) / h;
        }
        for (angular, turned) in self.angular_momentum.iter_mut().zip(sums.turned) {
            *angular += whole(turned) / h;
        }
    }
}

/// Sums over free particles of mass times what they are called after; `d` is how far one moved in the
/// last substep.
struct Sums<const D: usize> {
    /// d · d.
    squares: Parts,
    places: [Parts; D],
    /// d.
    moved: [Parts; D],
    /// The place × d.
    turned: [Parts; 3],
}

impl<const D: usize> Sums<D> {
    fn of(particles: &Particles<D>) -> Self {
        let mut sums = Self {
            squares: [0.0; PARTS],
            places: [[0.0; PARTS]; D],
            moved: [[0.0; PARTS]; D],
            turned: [[0.0; PARTS]; 3],
        };
        widest(Sum {
            now: core::array::from_fn(|axis| particles.positions(axis)),
            then: core::array::from_fn(|axis| particles.previous(axis)),
            inverse_masses: particles.inverse_masses(),
            sums: &mut sums,
        });
        sums
    }

    /// Adds some particles, no more than there are parts.
    #[inline(always)]
    fn add(
        &mut self,
        inverse_masses: &[f32; PARTS],
        now: &[[f32; PARTS]; D],
        then: &[[f32; PARTS]; D],
    ) {
        for part in 0..PARTS {
            let w = inverse_masses[part];
            let mass = if w > 0.0 { 1.0 / f64::from(w) } else { 0.0 };
            let (mut place, mut moved, mut square) = ([0.0; D], [0.0; D], 0.0);
            for axis in 0..D {
                place[axis] = f64::from(now[axis][part]);
                moved[axis] = place[axis] - f64::from(then[axis][part]);
                square += moved[axis] * moved[axis];
                self.places[axis][part] += mass * place[axis];
                self.moved[axis][part] += mass * moved[axis];
            }
            self.squares[part] += mass * square;
            for axis in 0..3 {
                let [i, j] = [(axis + 1) % 3, (axis + 2) % 3];
                if i < D && j < D {
                    let turned = place[i] * moved[j] - place[j] * moved[i];
                    self.turned[axis][part] += mass * turned;
                }
            }
        }
    }
}

/// What is missing in the last block weighs nothing.
#[inline(always)]
fn filled(column: &[f32]) -> [f32; PARTS] {
    let mut block = [0.0; PARTS];
    match column.first_chunk() {
        Some(full) => block = *full,
        None => block[..column.len()].copy_from_slice(column),
    }
    block
}

/// Adds up particles.
struct Sum<'a, const D: usize> {
    now: [&'a [f32]; D],
    then: [&'a [f32]; D],
    inverse_masses: &'a [f32],
    sums: &'a mut Sums<D>,
}

impl<const D: usize> Pass for Sum<'_, D> {
    #[inline(always)]
    fn run(self) {
        let Self { now, then, inverse_masses, sums } = self;
        for (nth, w) in inverse_masses.chunks(PARTS).enumerate() {
            let from = nth * PARTS;
            let (mut there, mut before) = ([[0.0; PARTS]; D], [[0.0; PARTS]; D]);
            for axis in 0..D {
                there[axis] = filled(&now[axis][from..from + w.len()]);
                before[axis] = filled(&then[axis][from..from + w.len()]);
            }
            sums.add(&filled(w), &there, &before);
        }
    }
}
