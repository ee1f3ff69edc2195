//! Integration of particles on which forces act.

use pulp::NullaryFnOnce;
use taut_core::{ParticleView, SlotLayout, Stage, integrate};

use crate::forces::Forces;
use crate::settings::StepTime;
use crate::simd::widest;

/// A substep of motion as in [`taut_core::integrate`], with the acceleration by the force on each
/// particle added to that of the step.
pub(super) struct Integrate<'a, const D: usize> {
    pub(super) forces: &'a Forces<D>,
    pub(super) now: &'a StepTime<D>,
}

impl<const D: usize> Stage<D> for Integrate<'_, D> {
    fn run(&self, particles: ParticleView<'_, D>) {
        let Self { forces, now } = self;
        let first = particles.layout.first_slot();
        // In `SlotLayout::Run` consecutive slots hold consecutive particles, so the columns by particle
        // suit it; other layouts need the columns by slot.
        let by_slot = match &particles.layout {
            SlotLayout::Run(_) => None,
            layout => Some(forces.by_slot(layout)),
        };
        for (axis, (position, previous)) in
            particles.position.into_iter().zip(particles.previous).enumerate()
        {
            let forces = by_slot.as_ref().map_or(forces.padded(axis), |it| &it.columns[axis]);
            let forces = &forces[first..];
            let inverse_mass = particles.inverse_mass;
            let displacement = now.motion.displacement[axis];
            let column =
                IntegrateColumn { position, previous, inverse_mass, forces, now, displacement };
            widest(column);
        }
    }
}

/// Integrates one coordinate of some particles.
struct IntegrateColumn<'a, const D: usize> {
    position: &'a mut [f32],
    previous: &'a mut [f32],
    inverse_mass: &'a [f32],
    /// The force on each particle, N.
    forces: &'a [f32],
    now: &'a StepTime<D>,
    /// The acceleration of the step times the square of the length of a substep, m.
    displacement: f32,
}

impl<const D: usize> NullaryFnOnce for IntegrateColumn<'_, D> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { position, previous, inverse_mass, forces, now, displacement } = self;
        let (h2, retention) = (now.h * now.h, now.motion.retention);
        let columns = position.iter_mut().zip(previous).zip(inverse_mass);
        for (((x, previous), w), force) in columns.zip(forces) {
            let next = integrate(*x, *previous, *w, retention, displacement + (force * w) * h2);
            *previous = *x;
            *x = next;
        }
    }
}
