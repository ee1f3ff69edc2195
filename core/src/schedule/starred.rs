//! Stars: a particle with some of its sticks.

use alloc::vec::Vec;

use super::packed::pack;
use super::{Builder, plain_first};
use crate::lists::Lists;
use crate::real::Real;
use crate::sticks::Sticks;

/// Sticks of a star. Stars of four hold 99.8 % of the sticks of a scanned mesh; larger stars would
/// hardly make a kernel faster.
pub const STAR_STICKS: usize = 4;

pub(super) fn star<S: Real>(sticks: &Sticks<S>, builder: &mut Builder) {
    let [plain, non_plain] = plain_first(sticks, sticks.by_ends());
    let (stars, single) = stars(sticks, &plain);
    pack(sticks, &stars, |stars| {
        for rank in 0..STAR_STICKS {
            builder.batch(stars.iter().map(|star| star[rank]));
        }
    });
    for group in [single, non_plain] {
        pack(sticks, group.as_chunks::<1>().0, |packet| {
            builder.batch(packet.iter().map(|&&[stick]| stick));
        });
    }
    builder.end_block();
    builder.end_phase();
}

/// For each particle in turn, groups its sticks that are in no star yet into stars. Also returns
/// the sticks in no star, in the order of `group`.
fn stars<S: Real>(sticks: &Sticks<S>, group: &[u32]) -> (Vec<[u32; STAR_STICKS]>, Vec<u32>) {
    // The sticks at each particle, by their index in the group.
    let ends = |(place, &stick): (u32, &u32)| sticks.ends()[stick as usize].map(|end| (end, place));
    let at_each = Lists::new(sticks.particles(), (0..).zip(group).flat_map(ends));
    let mut taken = alloc::vec![false; group.len()];
    let mut stars = Vec::with_capacity(group.len() / STAR_STICKS);
    let mut free = Vec::new();
    for here in at_each.iter() {
        free.clear();
        free.extend(here.iter().map(|&place| place as usize).filter(|&place| !taken[place]));
        for star in free.as_chunks().0 {
            for &place in star {
                taken[place] = true;
            }
            stars.push(star.map(|place| group[place]));
        }
    }
    let single = group.iter().zip(taken).filter(|&(_, taken)| !taken).map(|(&stick, _)| stick);
    (stars, single.collect())
}
