//! Packets of stars. A star is a particle with some of its sticks.

use alloc::vec::Vec;

use super::packed::pack;
use super::{Builder, plain_first};
use crate::lists::GroupedLists;
use crate::real::Real;
use crate::sticks::Sticks;

/// The number of sticks of a star. Stars of four sticks hold 99.8 % of the sticks of a scanned mesh;
/// larger stars would hardly make a kernel faster.
pub const STAR_STICKS: usize = 4;

/// See [`Schedule::starred`](super::Schedule::starred).
pub(super) fn build<S: Real>(sticks: &Sticks<S>, builder: &mut Builder) {
    let [plain, non_plain] = plain_first(sticks, sticks.by_ends());
    let (stars, single) = stars(sticks, &plain);
    pack(sticks, &stars, |packet| {
        for rank in 0..STAR_STICKS {
            builder.add_batch(packet.iter().map(|star| star[rank]));
        }
    });
    for group in [single, non_plain] {
        pack(sticks, group.as_chunks::<1>().0, |packet| {
            builder.add_batch(packet.iter().map(|&&[stick]| stick));
        });
    }
    builder.end_block();
    builder.end_phase();
}

/// For each particle in turn, groups its sticks that are in no star yet into stars. Also returns
/// the sticks that remain in no star, in the order of `group`.
fn stars<S: Real>(sticks: &Sticks<S>, group: &[u32]) -> (Vec<[u32; STAR_STICKS]>, Vec<u32>) {
    // The sticks at each particle, by their index in the group.
    let ends = |(index, &stick): (u32, &u32)| sticks.ends()[stick as usize].map(|end| (end, index));
    let sticks_at = GroupedLists::new(sticks.particles(), (0..).zip(group).flat_map(ends));
    let mut taken = alloc::vec![false; group.len()];
    let mut stars = Vec::with_capacity(group.len() / STAR_STICKS);
    let mut free = Vec::new();
    for at_particle in sticks_at.iter() {
        free.clear();
        free.extend(at_particle.iter().map(|&index| index as usize).filter(|&index| !taken[index]));
        for star in free.as_chunks().0 {
            for &index in star {
                taken[index] = true;
            }
            stars.push(star.map(|index| group[index]));
        }
    }
    let single = group.iter().zip(taken).filter(|&(_, taken)| !taken).map(|(&stick, _)| stick);
    (stars, single.collect())
}
