//! Cache-sized blocks, and blocks for the seams between them.

use alloc::vec::Vec;

use super::coloured::Colouring;
use super::{Builder, plain_first};
use crate::lists::GroupedLists;
use crate::numbering::hilbert_order;
use crate::particles::Particles;
use crate::real::Real;
use crate::sticks::Sticks;

/// The maximum number of particles of a block, except for the last block, which has the sticks left
/// over from all others. Their records take 16 KiB, a third of a typical L1 cache; batches have a few
/// hundred sticks, enough for any lane count.
pub const BLOCK_PARTICLES: usize = 1024;

/// The shift of the Hilbert curve in each of the first three phases, as a fraction of the side of the
/// bounding cube. The first phase has the sticks inside blocks. The second has the seams between these
/// blocks, in blocks of its own, and the third the seams between the blocks of the second. Shifted by
/// thirds, the curve has no boundary of large cells in the same place in two phases.
const SHIFTS: [f64; 3] = [0.0, 1.0 / 3.0, 2.0 / 3.0];

/// See [`Schedule::blocked`](super::Schedule::blocked).
pub(super) fn build<const D: usize, S: Real>(
    particles: &Particles<D, S>,
    sticks: &Sticks<S>,
    builder: &mut Builder,
) {
    let mut colouring = Colouring::new(sticks.particles());
    let mut remaining = sticks.by_ends();
    // A mesh that fits in one block needs only the last phase, of the sticks left over.
    let shifts = if particles.len() > BLOCK_PARTICLES { &SHIFTS[..] } else { &[] };
    for &shift in shifts {
        let block_of_particle = blocks_of_particles(particles, shift);
        // The number of a stick's block, and the stick, if both ends are in one block.
        let block_of = |&stick: &u32| {
            let ends = sticks.ends()[stick as usize];
            let [a, b] = ends.map(|end| block_of_particle[end as usize]);
            (a == b).then_some((a, stick))
        };
        let block_count = particles.len().div_ceil(BLOCK_PARTICLES);
        let blocks = GroupedLists::new(block_count, remaining.iter().filter_map(block_of));
        remaining.retain(|stick| block_of(stick).is_none());
        for block in blocks.iter() {
            colour_block(sticks, &mut colouring, block, builder);
        }
        builder.end_phase();
    }
    colour_block(sticks, &mut colouring, &remaining, builder);
    builder.end_phase();
}

/// The number of each particle's block: [`BLOCK_PARTICLES`] consecutive particles along a Hilbert
/// curve.
fn blocks_of_particles<const D: usize, S: Real>(
    particles: &Particles<D, S>,
    shift: f64,
) -> Vec<u32> {
    let mut blocks = alloc::vec![0; particles.len()];
    for (index, particle) in hilbert_order(particles, shift).into_iter().enumerate() {
        blocks[particle as usize] = (index / BLOCK_PARTICLES) as u32;
    }
    blocks
}

/// Adds one block: its plain sticks by colours, then its other sticks by colours.
fn colour_block<S: Real>(
    sticks: &Sticks<S>,
    colouring: &mut Colouring,
    block: &[u32],
    builder: &mut Builder,
) {
    for group in plain_first(sticks, block.iter().copied()) {
        colouring.colour(sticks.ends(), &group, |batch| builder.add_batch(batch.iter().copied()));
    }
    builder.end_block();
}
