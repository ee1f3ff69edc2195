//! The motion of particles that forces act on.

use taut_core::{Numbers, PADDING, ParticleView, Stage, integrate};

use super::Moment;
use crate::force::Forces;
use crate::simd::{Pass, widest};

/// A substep of motion: that of [`taut_core::integrate`], with the force on each particle besides the
/// acceleration of the step.
pub(super) struct Integrate<'a, const D: usize> {
    pub(super) forces: &'a Forces<D>,
    pub(super) moment: &'a Moment<D>,
}

impl<const D: usize> Stage<D> for Integrate<'_, D> {
    fn run(&self, particles: ParticleView<'_, D>) {
        let Self { forces, moment } = self;
        for axis in 0..D {
            let mut column = Column {
                position: &mut *particles.position[axis],
                previous: &mut *particles.previous[axis],
                inverse_mass: particles.inverse_mass,
                forces: forces.padded(axis),
                moment,
                push: moment.motion.push[axis],
            };
            if let Numbers::Run(first) = particles.numbers {
                column.forces = &column.forces[first..];
                widest(column);
                continue;
            }
            let all = forces.padded(axis);
            for first in (0..particles.inverse_mass.len()).step_by(PADDING) {
                let block = first..first + PADDING;
                let force = |lane| all.get(particles.numbers.of(first + lane)).copied();
                let force: [f32; PADDING] =
                    core::array::from_fn(|lane| force(lane).unwrap_or_default());
                widest(Column {
                    position: &mut column.position[block.clone()],
                    previous: &mut column.previous[block.clone()],
                    inverse_mass: &particles.inverse_mass[block],
                    forces: &force,
                    ..column
                });
            }
        }
    }
}

/// One coordinate of some particles.
struct Column<'a, const D: usize> {
    position: &'a mut [f32],
    previous: &'a mut [f32],
    inverse_mass: &'a [f32],
    /// N.
    forces: &'a [f32],
    moment: &'a Moment<D>,
    push: f32,
}

impl<const D: usize> Pass for Column<'_, D> {
    #[inline(always)]
    fn run(self) {
        let Self { position, previous, inverse_mass, forces, moment, push } = self;
        let (h2, keep) = (moment.h * moment.h, moment.motion.keep);
        let there = position.iter_mut().zip(previous).zip(inverse_mass);
        for (((x, previous), w), force) in there.zip(forces) {
            let moved = integrate(*x, *previous, *w, keep, push + (force * w) * h2);
            *previous = *x;
            *x = moved;
        }
    }
}
