//! Bands of consecutive particles, relaxed direction by direction.

use alloc::vec::Vec;

use super::coloured::Colouring;
use super::{Builder, plain_first};
use crate::lists::GroupedLists;
use crate::real::Real;
use crate::runs::RunKey;
use crate::sticks::Sticks;

/// The minimum number of particles of a band. Their records take 16 KiB, a third of a typical L1
/// cache.
pub const BAND_PARTICLES: usize = 1024;
/// The minimum number of sticks of a run that a band relaxes as a run: as many as the widest register
/// has lanes.
pub const RUN_STICKS: usize = 16;

/// Particles of a band as a multiple of the typical reach of a stick (its *reach* is the difference
/// of the numbers of its ends): enough that few sticks are seams.
const BAND_REACHES: usize = 8;
/// In a band, sticks of one direction make two batches if their reach is below this. Otherwise they
/// make one batch for each section of particles as long as the reach: such a section has enough
/// independent sticks.
const LONG_REACH: u32 = 64;

/// The number of particles of a window. [`is_mostly_runs`] samples windows of a large mesh, because
/// sorting all its sticks would take longer.
const SAMPLE_WINDOW: u32 = 256;
/// Every `SAMPLE_INTERVAL`-th window is sampled.
const SAMPLE_INTERVAL: u32 = 16;

/// See [`Schedule::banded`](super::Schedule::banded).
pub(super) fn build<S: Real>(sticks: &Sticks<S>, builder: &mut Builder) {
    let mut colouring = Colouring::new(sticks.particles());
    let per_band = band_particles(sticks, BAND_REACHES).max(BAND_PARTICLES);
    for_each_band(sticks, per_band, builder, |band, builder| {
        order_band(sticks, &mut colouring, band, builder);
    });
}

/// Makes three phases: bands of `per_band` consecutive particles; the seams between them, in bands
/// shifted by half a band; and one block of the sticks left over. `order_band` gets the sticks with both
/// ends in a band, sorted by ends, and adds their batches. A mesh that fits in one band is one block.
pub(super) fn for_each_band<S: Real>(
    sticks: &Sticks<S>,
    per_band: usize,
    builder: &mut Builder,
    mut order_band: impl FnMut(&[u32], &mut Builder),
) {
    let mut remaining = sticks.by_ends();
    let shifts = if sticks.particles() > per_band { &[0, per_band / 2][..] } else { &[] };
    for &shift in shifts {
        // The number of a stick's band, and the stick, if both ends are in one band.
        let band_of = |&stick: &u32| {
            let ends = sticks.ends()[stick as usize];
            let [a, b] = ends.map(|end| (end as usize + shift) / per_band);
            (a == b).then_some((a as u32, stick))
        };
        let band_count = (sticks.particles() + shift).div_ceil(per_band);
        let bands = GroupedLists::new(band_count, remaining.iter().filter_map(band_of));
        remaining.retain(|stick| band_of(stick).is_none());
        for band in bands.iter() {
            order_band(band, builder);
            builder.end_block();
        }
        builder.end_phase();
    }
    order_band(&remaining, builder);
    builder.end_block();
    builder.end_phase();
}

/// Whether at least half of the sticks are in runs of at least [`RUN_STICKS`]. For a large mesh, it
/// is estimated from a sample.
pub(super) fn is_mostly_runs<S: Real>(sticks: &Sticks<S>) -> bool {
    // A mesh is large if more than `SAMPLE_INTERVAL` of its windows would be sampled.
    let large = sticks.particles() > (SAMPLE_INTERVAL * SAMPLE_INTERVAL * SAMPLE_WINDOW) as usize;
    let interval = if large { SAMPLE_INTERVAL } else { 1 };
    let sampled = |&stick: &u32| {
        let [a, b] = sticks.ends()[stick as usize];
        (a.min(b) / SAMPLE_WINDOW).is_multiple_of(interval)
    };
    let sample: Vec<u32> = (0..sticks.len() as u32).filter(sampled).collect();
    let in_runs: usize = long_runs(&by_direction(sticks, &sample)).map(<[RunKey]>::len).sum();
    2 * in_runs >= sample.len() && !sample.is_empty()
}

/// `reaches` times the 90th percentile of the sticks' reach.
pub(super) fn band_particles<S: Real>(sticks: &Sticks<S>, reaches: usize) -> usize {
    let mut reach_of: Vec<u32> = sticks.ends().iter().map(|&[a, b]| a.abs_diff(b)).collect();
    let rank = reach_of.len() * 9 / 10;
    let reach = if reach_of.is_empty() { 0 } else { *reach_of.select_nth_unstable(rank).1 };
    reaches * reach as usize
}

/// Orders the sticks of a band, plain ones first: runs, direction by direction; then all other
/// sticks by colours.
fn order_band<S: Real>(
    sticks: &Sticks<S>,
    colouring: &mut Colouring,
    band: &[u32],
    builder: &mut Builder,
) {
    for group in plain_first(sticks, band.iter().copied()) {
        let sorted = by_direction(sticks, &group);
        let mut in_run = alloc::vec![false; group.len()];
        let mut same_direction: Vec<RunKey> = Vec::new();
        let mut runs = long_runs(&sorted).peekable();
        while let Some(run) = runs.next() {
            for key in run {
                in_run[key.number as usize] = true;
            }
            same_direction.extend_from_slice(run);
            if runs.peek().is_none_or(|next| next[0].direction != run[0].direction) {
                emit_direction(&group, &same_direction, builder);
                same_direction.clear();
            }
        }
        let others = group.iter().zip(in_run).filter(|&(_, in_run)| !in_run);
        let others: Vec<u32> = others.map(|(&stick, _)| stick).collect();
        colouring.colour(sticks.ends(), &others, |batch| builder.add_batch(batch.iter().copied()));
    }
}

/// Makes batches of the sticks of one direction, sorted by first end. They all have the same reach;
/// two of them share a particle if their first ends differ by that reach.
fn emit_direction(group: &[u32], same_direction: &[RunKey], builder: &mut Builder) {
    let reach = same_direction[0].direction.cast_signed().unsigned_abs();
    let stick = |key: &RunKey| group[key.number as usize];
    if reach < LONG_REACH {
        for parity in 0..2 {
            let of_parity = same_direction.iter().filter(|key| key.first / reach % 2 == parity);
            builder.add_batch(of_parity.map(stick));
        }
    } else {
        let mut remaining = same_direction;
        while let Some(start) = remaining.first() {
            let end = remaining.partition_point(|key| key.first - start.first < reach);
            builder.add_batch(remaining[..end].iter().map(stick));
            remaining = &remaining[end..];
        }
    }
}

/// The sticks of a group by direction and first end, numbered by their indices in the group.
fn by_direction<S: Real>(sticks: &Sticks<S>, group: &[u32]) -> Vec<RunKey> {
    let key = |(index, &stick)| RunKey::stick(index, sticks.ends()[stick as usize]);
    let mut sorted = RunKey::sorted((0..).zip(group).map(key));
    // A second stick between the same ends is left out: it shares particles with the first.
    sorted.dedup_by_key(|key| (key.direction, key.first));
    sorted
}

/// The runs of at least [`RUN_STICKS`] sticks, of sticks sorted by direction and first end.
fn long_runs(sorted: &[RunKey]) -> impl Iterator<Item = &[RunKey]> {
    RunKey::runs(sorted, 1).filter(|run| run.len() >= RUN_STICKS)
}
