//! The textbook loop: that of Jakobsen's article, without its misprints. Do not change it.
//!
//! It uses arrays of structures, the exact square root, and sticks in authored order (Jakobsen 2001,
//! "Advanced Character Physics", the version with masses). Such loops are typical of games, and this
//! one is the baseline of all speedups, so it is not optimized.

use taut::{Particles, Step, Sticks};

/// A particle.
#[derive(Clone, Copy, Debug)]
pub struct Particle {
    /// Position, m.
    pub position: [f32; 3],
    /// Previous position, m.
    pub previous: [f32; 3],
    /// Inverse mass, 1/kg; 0: pinned.
    pub inverse_mass: f32,
}

/// A stick.
#[derive(Clone, Copy, Debug)]
pub struct Stick {
    /// The index of the particle at one end.
    pub a: usize,
    /// The index of the particle at the other end.
    pub b: usize,
    /// Rest length, m.
    pub rest: f32,
}

/// Particles and sticks, in arrays of structures.
#[derive(Clone, Debug)]
pub struct Textbook {
    /// The particles.
    pub particles: Vec<Particle>,
    /// The sticks, in authored order.
    pub sticks: Vec<Stick>,
}

impl Textbook {
    /// Takes over the particles, and the ends and rest lengths of the sticks. Every stick becomes a
    /// two-sided stick that is not torn.
    pub fn new(particles: &Particles<3>, sticks: &Sticks) -> Self {
        let particle = |i| Particle {
            position: particles.position(i),
            previous: std::array::from_fn(|axis| particles.previous(axis)[i]),
            inverse_mass: particles.inverse_masses()[i],
        };
        let stick =
            |(&[a, b], &rest): (&[u32; 2], &f32)| Stick { a: a as usize, b: b as usize, rest };
        Self {
            particles: (0..particles.len()).map(particle).collect(),
            sticks: sticks.ends().iter().zip(sticks.rests()).map(stick).collect(),
        }
    }

    /// Runs one step.
    pub fn step(&mut self, step: &Step<3>) {
        let h = step.dt / step.substeps as f32;
        // `1 - damping` of the articles.
        let retention = step.motion().map_or(f32::NAN, |motion| motion.retention);
        for _ in 0..step.substeps {
            self.integrate(h, step.acceleration, retention);
            for _ in 0..step.iterations {
                self.relax();
            }
        }
    }

    /// Moves all free particles by one substep of `h` s. `acceleration` is in m/s², and `retention` is
    /// the fraction of the velocity that remains.
    fn integrate(&mut self, h: f32, acceleration: [f32; 3], retention: f32) {
        for particle in &mut self.particles {
            if particle.inverse_mass == 0.0 {
                continue;
            }
            for (axis, a) in acceleration.into_iter().enumerate() {
                let x = particle.position[axis];
                let velocity = (x - particle.previous[axis]) * retention;
                particle.position[axis] = x + velocity + a * h * h;
                particle.previous[axis] = x;
            }
        }
    }

    /// Relaxes all sticks once.
    fn relax(&mut self) {
        for stick in &self.sticks {
            let a = self.particles[stick.a];
            let b = self.particles[stick.b];
            let dx = b.position[0] - a.position[0];
            let dy = b.position[1] - a.position[1];
            let dz = b.position[2] - a.position[2];
            let length = (dx * dx + dy * dy + dz * dz).sqrt();
            let inverse_mass_sum = a.inverse_mass + b.inverse_mass;
            if length == 0.0 || inverse_mass_sum == 0.0 {
                continue;
            }
            let f = (length - stick.rest) / (length * inverse_mass_sum);
            let a = &mut self.particles[stick.a];
            a.position[0] += a.inverse_mass * f * dx;
            a.position[1] += a.inverse_mass * f * dy;
            a.position[2] += a.inverse_mass * f * dz;
            let b = &mut self.particles[stick.b];
            b.position[0] -= b.inverse_mass * f * dx;
            b.position[1] -= b.inverse_mass * f * dy;
            b.position[2] -= b.inverse_mass * f * dz;
        }
    }
}
