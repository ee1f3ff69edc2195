//! Particles without a slot: they have no sticks and stay in their columns.

use taut_core::{
    Columns, Motion, PADDING, ParticleView, Particles, Real, SlotLayout, Stage,
    integrate as integrate_coordinate,
};

/// Moves the particles from index `first` on by one substep.
pub(super) fn integrate<const D: usize>(
    particles: &mut Particles<D>,
    first: usize,
    motion: &Motion<D>,
) {
    let Motion { retention, displacement, .. } = *motion;
    let Columns { position, previous, inverse_mass } = particles.columns();
    for axis in 0..D {
        let points = position[axis][first..].iter_mut().zip(&mut previous[axis][first..]);
        for ((x, previous), &inverse_mass) in points.zip(&inverse_mass[first..]) {
            let old = x.positive_zero();
            *x = integrate_coordinate(old, *previous, inverse_mass, retention, displacement[axis]);
            *previous = old;
        }
    }
}

/// Runs a stage on the particles from index `first` on.
pub(super) fn run_stage<const D: usize>(
    particles: &mut Particles<D>,
    first: usize,
    stage: &dyn Stage<D>,
) {
    let len = particles.len();
    let Columns { position, previous, inverse_mass } = particles.columns();
    for first in (first..len).step_by(PADDING) {
        let part = first..len.min(first + PADDING);
        // A stage expects whole registers.
        let mut masses = [0.0; PADDING];
        masses[..part.len()].copy_from_slice(&inverse_mass[part.clone()]);
        let [mut x, mut before] = [[[0.0; PADDING]; D]; 2];
        for axis in 0..D {
            x[axis][..part.len()].copy_from_slice(&position[axis][part.clone()]);
            before[axis][..part.len()].copy_from_slice(&previous[axis][part.clone()]);
        }
        stage.run(ParticleView {
            position: x.each_mut().map(|column| &mut column[..]),
            previous: before.each_mut().map(|column| &mut column[..]),
            inverse_mass: &masses,
            layout: SlotLayout::Run(first),
        });
        for axis in 0..D {
            position[axis][part.clone()].copy_from_slice(&x[axis][..part.len()]);
            previous[axis][part.clone()].copy_from_slice(&before[axis][..part.len()]);
        }
    }
}

/// Turns -0.0 into +0.0 in the positions of the particles from index `first` on. Returns whether
/// all are finite.
pub(super) fn write_back<const D: usize>(particles: &mut Particles<D>, first: usize) -> bool {
    let mut not_finite = 0.0;
    for column in particles.columns().position {
        for x in &mut column[first..] {
            *x = x.positive_zero();
            not_finite += *x * 0.0; // stays NaN once a position is not finite
        }
    }
    not_finite.is_finite()
}
