//! Cache-sized blocks, and blocks for the seams between them.

use alloc::vec::Vec;

use super::coloured::Colouring;
use super::{Builder, plain_first};
use crate::lists::Lists;
use crate::numbering::hilbert_order;
use crate::particles::Particles;
use crate::real::Real;
use crate::sticks::Sticks;

/// The most particles of a block. Their records take 16 KiB, a third of a typical L1 cache;
/// batches have a few hundred sticks, enough for any lane count.
pub const BLOCK_PARTICLES: usize = 1024;

/// Shift of the Hilbert curve in each phase: blocks, seams between blocks, seams between those.
/// Thirds, so that the edges of coarse cells never coincide.
const SHIFTS: [f64; 3] = [0.0, 1.0 / 3.0, 2.0 / 3.0];

pub(super) fn block<const D: usize, S: Real>(
    particles: &Particles<D, S>,
    sticks: &Sticks<S>,
    builder: &mut Builder,
) {
    let mut colouring = Colouring::new(sticks.particles());
    let mut remaining = sticks.by_ends();
    let cuts = if particles.len() > BLOCK_PARTICLES { &SHIFTS[..] } else { &[] };
    for &shift in cuts {
        let block_of = block_of_each(particles, shift);
        let block = |&stick: &u32| {
            let [a, b] = sticks.ends()[stick as usize].map(|end| block_of[end as usize]);
            (a == b).then_some((a, stick))
        };
        let blocks = particles.len().div_ceil(BLOCK_PARTICLES);
        let blocks = Lists::new(blocks, remaining.iter().filter_map(block));
        remaining.retain(|stick| block(stick).is_none());
        for of_block in blocks.iter() {
            colour_block(sticks, &mut colouring, of_block, builder);
        }
        builder.end_phase();
    }
    colour_block(sticks, &mut colouring, &remaining, builder);
    builder.end_phase();
}

/// The block of each particle: runs of [`BLOCK_PARTICLES`] along a Hilbert curve.
fn block_of_each<const D: usize, S: Real>(particles: &Particles<D, S>, shift: f64) -> Vec<u32> {
    let mut block_of = alloc::vec![0; particles.len()];
    for (place, particle) in hilbert_order(particles, shift).into_iter().enumerate() {
        block_of[particle as usize] = (place / BLOCK_PARTICLES) as u32;
    }
    block_of
}

fn colour_block<S: Real>(
    sticks: &Sticks<S>,
    colouring: &mut Colouring,
    of_block: &[u32],
    builder: &mut Builder,
) {
    for group in plain_first(sticks, of_block.iter().copied()) {
        colouring.colour(sticks.ends(), &group, |batch| builder.batch(batch.iter().copied()));
    }
    builder.end_block();
}
