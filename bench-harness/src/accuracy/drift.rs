//! Drift of the momentum and energy of a free body, which exact motion conserves.

use serde::Serialize;
use taut::world::{Arranged, Arrangement};
use taut::{Formula, Particles, Real, Step};

use super::{Study, StudyError};
use crate::precision_pair::PrecisionPair;
use crate::residual::Residual;

/// The initial velocity of the body, m/s.
const VELOCITY: [f64; 3] = [1.0, 2.0, 0.5];
/// The initial angular velocity of the body, rad/s.
const ANGULAR_VELOCITY: [f64; 3] = [2.0, 1.0, 6.0];

/// A body with an initial velocity and spin, without pins, gravity or damping, after a number of
/// frames. Changes are relative to the initial values.
#[derive(Clone, Debug, Serialize)]
pub struct DriftRow {
    /// The formula.
    pub formula: &'static str,
    /// The name of the [`Arrangement`].
    pub schedule: String,
    /// The number of frames.
    pub frames: usize,
    /// The relative change of the momentum, in `f32`.
    pub momentum: f64,
    /// The relative change of the momentum, in `f64`.
    pub momentum_f64: f64,
    /// The relative change of the angular momentum about the centre of mass, in `f32`.
    pub angular_momentum: f64,
    /// The relative change of the angular momentum about the centre of mass, in `f64`.
    pub angular_momentum_f64: f64,
    /// The relative change of the kinetic energy about the centre of mass, in `f32`; negative: a
    /// loss.
    pub energy: f64,
    /// Stretch and compression after these frames, in `f32`.
    pub residual: Residual,
}

/// Quantities that exact motion conserves.
struct Conserved {
    /// kg m/s.
    momentum: [f64; 3],
    /// About the centre of mass, kg m²/s.
    angular_momentum: [f64; 3],
    /// Kinetic energy about the centre of mass, J.
    energy: f64,
}

impl Study {
    pub(super) fn drift_rows(
        &self,
        (formula, arrangement): (Formula, Arrangement),
        arranged: &Arranged,
    ) -> Result<Vec<DriftRow>, StudyError> {
        let step = Step { acceleration: [0.0; 3], damping_rate: 0.0, ..self.step };
        let substep = f64::from(step.dt) / f64::from(step.substeps);
        let mut arranged = arranged.clone();
        set_free_motion(&mut arranged.particles, substep)?;
        let mut pair = PrecisionPair::new(&arranged, formula)?;
        let start = Conserved::of(&pair.double, substep);
        let mut rows = Vec::new();
        let mut done = 0;
        for frames in self.checkpoints() {
            for _ in done..frames {
                pair.step(&step)?;
            }
            done = frames;
            let (now, now_f64) =
                (Conserved::of(&pair.single, substep), Conserved::of(&pair.double, substep));
            let change = |now: [f64; 3], start: [f64; 3]| norm(minus(now, start)) / norm(start);
            rows.push(DriftRow {
                formula: formula.name(),
                schedule: arrangement.to_string(),
                frames,
                momentum: change(now.momentum, start.momentum),
                momentum_f64: change(now_f64.momentum, start.momentum),
                angular_momentum: change(now.angular_momentum, start.angular_momentum),
                angular_momentum_f64: change(now_f64.angular_momentum, start.angular_momentum),
                energy: now.energy / start.energy - 1.0,
                residual: pair.residual(),
            });
        }
        Ok(rows)
    }
}

/// Gives all particles, including pinned ones, a mass of 1 kg and the velocities of a moving,
/// spinning body. `substep` is the length of a substep, s.
fn set_free_motion(particles: &mut Particles<3>, substep: f64) -> Result<(), taut::ParticleError> {
    for particle in 0..particles.len() {
        particles.set_inverse_mass(particle, 1.0)?;
    }
    let centre = centre_of_mass(particles);
    for particle in 0..particles.len() {
        let position = particles.position(particle);
        let arm = minus(position.map(f64::from), centre);
        let spin = cross(ANGULAR_VELOCITY, arm);
        for axis in 0..3 {
            let displacement = (VELOCITY[axis] + spin[axis]) * substep;
            let previous = f64::from(position[axis]) - displacement;
            particles.previous_mut(axis)[particle] = previous as f32;
        }
    }
    Ok(())
}

impl Conserved {
    /// The quantities of free particles. A velocity is the last displacement over the length of
    /// a substep, `substep`, s.
    fn of<S: Real>(particles: &Particles<3, S>, substep: f64) -> Self {
        let velocity = |particle: usize| -> [f64; 3] {
            std::array::from_fn(|axis| {
                let (x, previous) =
                    (particles.positions(axis)[particle], particles.previous(axis)[particle]);
                (x.to_f64() - previous.to_f64()) / substep
            })
        };
        let masses: Vec<f64> =
            particles.inverse_masses().iter().map(|inverse| 1.0 / inverse.to_f64()).collect();
        let total_mass = masses.iter().sum::<f64>();
        let mut momentum = [0.0; 3];
        for (particle, mass) in masses.iter().enumerate() {
            momentum = plus(momentum, scaled(velocity(particle), *mass));
        }
        let (centre, mean_velocity) =
            (centre_of_mass(particles), scaled(momentum, 1.0 / total_mass));
        let (mut angular_momentum, mut energy) = ([0.0; 3], 0.0);
        for (particle, mass) in masses.iter().enumerate() {
            let arm = minus(particles.position(particle).map(Real::to_f64), centre);
            let relative_velocity = minus(velocity(particle), mean_velocity);
            angular_momentum = plus(angular_momentum, scaled(cross(arm, relative_velocity), *mass));
            energy += mass * norm(relative_velocity).powi(2) / 2.0;
        }
        Self { momentum, angular_momentum, energy }
    }
}

fn centre_of_mass<S: Real>(particles: &Particles<3, S>) -> [f64; 3] {
    let (mut sum, mut total) = ([0.0; 3], 0.0);
    for (particle, inverse_mass) in particles.inverse_masses().iter().enumerate() {
        let mass = 1.0 / inverse_mass.to_f64();
        sum = plus(sum, scaled(particles.position(particle).map(Real::to_f64), mass));
        total += mass;
    }
    scaled(sum, 1.0 / total)
}

fn plus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| a[axis] + b[axis])
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

fn scaled(a: [f64; 3], factor: f64) -> [f64; 3] {
    a.map(|x| x * factor)
}

fn cross([ax, ay, az]: [f64; 3], [bx, by, bz]: [f64; 3]) -> [f64; 3] {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

fn norm(a: [f64; 3]) -> f64 {
    a.iter().map(|x| x * x).sum::<f64>().sqrt()
}
