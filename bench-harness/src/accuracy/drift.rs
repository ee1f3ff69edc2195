//! Drift of momentum and energy of a free body, which a real one does not have.

use serde::Serialize;
use taut::{Formula, Particles, Real, Step};

use super::{Study, StudyError};
use crate::residual::Residual;
use crate::twins::Twins;
use taut::world::{Arranged, Arrangement};

/// The initial velocity of the body, m/s.
const THROWN: [f64; 3] = [1.0, 2.0, 0.5];
/// Its initial angular velocity, rad/s.
const SPIN: [f64; 3] = [2.0, 1.0, 6.0];

/// A body thrown spinning, without pins, gravity or damping, after some frames. Changes are relative to
/// the initial values.
#[derive(Clone, Debug, Serialize)]
pub struct DriftRow {
    /// The formula.
    pub formula: &'static str,
    /// The order and numbering of the sticks, as an [`Arrangement`] is written.
    pub schedule: String,
    /// How many frames were done.
    pub frames: usize,
    /// The relative change of the momentum, in `f32`.
    pub momentum: f64,
    /// The same in `f64`.
    pub momentum_f64: f64,
    /// The same of the angular momentum about the centre of mass, in `f32`.
    pub angular_momentum: f64,
    /// The same in `f64`.
    pub angular_momentum_f64: f64,
    /// The relative growth of the kinetic energy about the centre of mass, in `f32`.
    pub energy: f64,
    /// The residual after these frames.
    pub residual: Residual,
}

/// Conserved quantities.
struct Kept {
    momentum: [f64; 3],
    angular_momentum: [f64; 3],
    energy: f64,
}

impl Study {
    pub(super) fn drift(
        &self,
        (formula, arrangement): (Formula, Arrangement),
        on: &Arranged,
    ) -> Result<Vec<DriftRow>, StudyError> {
        let step = Step { acceleration: [0.0; 3], damping_rate: 0.0, ..self.step };
        let substep = f64::from(step.dt) / f64::from(step.substeps);
        let mut on = on.clone();
        throw(&mut on.particles, substep)?;
        let mut twins = Twins::new(&on, formula)?;
        let start = Kept::by(&twins.double, substep);
        let mut rows = Vec::new();
        let mut done = 0;
        for frames in self.checkpoints() {
            for _ in done..frames {
                twins.step(&step)?;
            }
            done = frames;
            let (now, now_f64) =
                (Kept::by(&twins.single, substep), Kept::by(&twins.double, substep));
            let share = |one: [f64; 3], was: [f64; 3]| norm(minus(one, was)) / norm(was);
            rows.push(DriftRow {
                formula: formula.name(),
                schedule: arrangement.to_string(),
                frames,
                momentum: share(now.momentum, start.momentum),
                momentum_f64: share(now_f64.momentum, start.momentum),
                angular_momentum: share(now.angular_momentum, start.angular_momentum),
                angular_momentum_f64: share(now_f64.angular_momentum, start.angular_momentum),
                energy: now.energy / start.energy - 1.0,
                residual: twins.residual(),
            });
        }
        Ok(rows)
    }
}

/// Frees all particles and gives them the velocity of a spinning body.
fn throw(particles: &mut Particles<3>, substep: f64) -> Result<(), taut::ParticleError> {
    for particle in 0..particles.len() {
        particles.set_inverse_mass(particle, 1.0)?;
    }
    let centre = centre_of_mass(particles);
    for particle in 0..particles.len() {
        let place = particles.position(particle);
        let arm = minus(place.map(f64::from), centre);
        let spin = cross(SPIN, arm);
        for axis in 0..3 {
            let moved = (THROWN[axis] + spin[axis]) * substep;
            particles.previous_mut(axis)[particle] = (f64::from(place[axis]) - moved) as f32;
        }
    }
    Ok(())
}

impl Kept {
    /// Those of free particles, whose velocities are their last displacement over a substep.
    fn by<S: Real>(particles: &Particles<3, S>, substep: f64) -> Self {
        let velocity = |particle: usize| -> [f64; 3] {
            std::array::from_fn(|axis| {
                let (x, before) =
                    (particles.positions(axis)[particle], particles.previous(axis)[particle]);
                (x.to_f64() - before.to_f64()) / substep
            })
        };
        let masses: Vec<f64> =
            particles.inverse_masses().iter().map(|inverse| 1.0 / inverse.to_f64()).collect();
        let mass = masses.iter().sum::<f64>();
        let mut momentum = [0.0; 3];
        for (particle, mass) in masses.iter().enumerate() {
            momentum = plus(momentum, scaled(velocity(particle), *mass));
        }
        let (centre, drift) = (centre_of_mass(particles), scaled(momentum, 1.0 / mass));
        let (mut angular_momentum, mut energy) = ([0.0; 3], 0.0);
        for (particle, mass) in masses.iter().enumerate() {
            let arm = minus(particles.position(particle).map(Real::to_f64), centre);
            let velocity = minus(velocity(particle), drift);
            angular_momentum = plus(angular_momentum, scaled(cross(arm, velocity), *mass));
            energy += mass * norm(velocity).powi(2) / 2.0;
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

fn scaled(a: [f64; 3], by: f64) -> [f64; 3] {
    a.map(|x| x * by)
}

fn cross([ax, ay, az]: [f64; 3], [bx, by, bz]: [f64; 3]) -> [f64; 3] {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

fn norm(a: [f64; 3]) -> f64 {
    a.iter().map(|x| x * x).sum::<f64>().sqrt()
}
