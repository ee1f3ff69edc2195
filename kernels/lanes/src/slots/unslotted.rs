//! Particles without a slot: they have no sticks and stay in their columns.

use core::ops::Range;

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
        let coordinates = position[axis][first..].iter_mut().zip(&mut previous[axis][first..]);
        for ((x, previous), &inverse_mass) in coordinates.zip(&inverse_mass[first..]) {
            let old = x.positive_zero();
            *x = integrate_coordinate(old, *previous, inverse_mass, retention, displacement[axis]);
            *previous = old;
        }
    }
}

/// Runs a stage on a range of particles. The stage gets +0.0 where a position is -0.0, as in slots.
pub(super) fn run_stage<const D: usize>(
    columns: Columns<'_, D, f32>,
    particles: Range<usize>,
    stage: &dyn Stage<D>,
) {
    let Columns { position, previous, inverse_mass } = columns;
    let len = particles.end;
    for chunk_start in particles.step_by(PADDING) {
        let range = chunk_start..len.min(chunk_start + PADDING);
        // A stage expects whole registers, so the particles are copied to padded arrays and back.
        let mut padded_inverse_masses = [0.0; PADDING];
        padded_inverse_masses[..range.len()].copy_from_slice(&inverse_mass[range.clone()]);
        let [mut padded_position, mut padded_previous] = [[[0.0; PADDING]; D]; 2];
        for axis in 0..D {
            let coordinates = padded_position[axis].iter_mut().zip(&position[axis][range.clone()]);
            coordinates.for_each(|(padded, x)| *padded = x.positive_zero());
            padded_previous[axis][..range.len()].copy_from_slice(&previous[axis][range.clone()]);
        }
        stage.run(ParticleView {
            position: padded_position.each_mut().map(|column| &mut column[..]),
            previous: padded_previous.each_mut().map(|column| &mut column[..]),
            inverse_mass: &padded_inverse_masses,
            layout: SlotLayout::Run(chunk_start),
        });
        for axis in 0..D {
            position[axis][range.clone()].copy_from_slice(&padded_position[axis][..range.len()]);
            previous[axis][range.clone()].copy_from_slice(&padded_previous[axis][..range.len()]);
        }
    }
}

/// Turns -0.0 into +0.0 in the positions of the particles from index `first` on. Returns whether
/// all are finite.
pub(super) fn normalize_zeros<const D: usize>(particles: &mut Particles<D>, first: usize) -> bool {
    let mut nan_or_zero = 0.0;
    for column in particles.columns().position {
        for x in &mut column[first..] {
            *x = x.positive_zero();
            // Becomes NaN at the first `x` that is not finite, and stays NaN.
            nan_or_zero += *x * 0.0;
        }
    }
    nan_or_zero.is_finite()
}
