//! Packets of stars in bands of consecutive particles. A star is a particle with some of its sticks.

use alloc::vec::Vec;

use super::banded::{band_particles, for_each_band};
use super::packed::Packer;
use super::{Builder, PACKET_STICKS, plain_first};
use crate::lists::GroupedLists;
use crate::real::Real;
use crate::sticks::Sticks;

/// The number of sticks of a star. Stars of four sticks hold 99.8 % of the sticks of a scanned mesh;
/// larger stars would hardly make a kernel faster.
pub const STAR_STICKS: usize = 4;
/// The number of particles of a band of stars, if sticks do not reach too far for it.
pub const STAR_BAND_PARTICLES: usize = 4096;
/// A mesh of fewer than [`STAR_BANDS`] bands of that size gets smaller ones, so that several threads can
/// relax it, but not smaller than this, because fewer packets of a small band are full. On one thread a scan takes
/// 1.07 times as long with bands of 2048, and 1.17 times with 1024.
const SMALL_STAR_BAND_PARTICLES: usize = 2048;
/// The number of bands of a mesh whose bands are between the two sizes.
const STAR_BANDS: usize = 4;
/// The minimum number of particles of a band as a multiple of the typical reach of a stick.
const STAR_BAND_REACHES: usize = 4;

/// See [`Schedule::starred`](super::Schedule::starred).
pub(super) fn build<S: Real>(sticks: &Sticks<S>, builder: &mut Builder) {
    let mut packer = Packer::new(sticks.particles());
    let per_band = (sticks.particles() / STAR_BANDS)
        .clamp(SMALL_STAR_BAND_PARTICLES, STAR_BAND_PARTICLES)
        .max(band_particles(sticks, STAR_BAND_REACHES));
    for_each_band(sticks, per_band, builder, |band, builder| {
        let [plain, non_plain] = plain_first(sticks, band.iter().copied());
        let (stars, mut single) = stars(sticks, &plain);
        packer.pack(sticks, &stars, |packet| {
            // A packet that is not full would leave lanes empty in each of its batches.
            if packet.len() == PACKET_STICKS {
                for rank in 0..STAR_STICKS {
                    builder.add_batch(packet.iter().map(|star| star[rank]));
                }
            } else {
                single.extend(packet.iter().copied().flatten());
            }
        });
        single.sort_unstable_by_key(|&stick| {
            let [a, b] = sticks.ends()[stick as usize];
            (a.min(b), a.max(b), stick)
        });
        for group in [single, non_plain] {
            packer.pack_sticks(sticks, &group, builder);
        }
    });
}

/// For each particle in turn, groups its sticks that are in no star yet into stars. Also returns
/// the sticks that remain in no star, in the order of `group`.
fn stars<S: Real>(sticks: &Sticks<S>, group: &[u32]) -> (Vec<[u32; STAR_STICKS]>, Vec<u32>) {
    let ends_of = |stick: u32| sticks.ends()[stick as usize];
    let numbers = || group.iter().flat_map(|&stick| ends_of(stick));
    let first = numbers().min().unwrap_or(0);
    let particles = numbers().max().map_or(0, |last| (last - first) as usize + 1);
    // The sticks at each particle of the band, by their index in the group.
    let ends = |(index, &stick): (u32, &u32)| ends_of(stick).map(|end| (end - first, index));
    let sticks_at = GroupedLists::new(particles, (0..).zip(group).flat_map(ends));
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
