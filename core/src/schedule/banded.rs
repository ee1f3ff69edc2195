//! Bands of consecutive particles, relaxed direction by direction.

use alloc::vec::Vec;

use super::coloured::Colouring;
use super::{Builder, plain_first};
use crate::lists::Lists;
use crate::real::Real;
use crate::runs::RunKey;
use crate::sticks::Sticks;

/// The fewest particles of a band.
pub const BAND_PARTICLES: usize = 1024;
/// The fewest sticks of a run.
pub const RUN_STICKS: usize = 16;

/// Band length as a multiple of the typical stick reach: long enough that few sticks are seams.
const REACHES: usize = 8;
/// Sticks that reach less than this many particles are relaxed in two batches a band; longer ones
/// in a batch for each section of particles as long as the reach.
const LONG_REACH: u32 = 64;

/// Particles of a window that is sampled to tell whether a large mesh is in runs.
const SAMPLE_WINDOW: u32 = 256;
/// One window in this many is sampled.
const SAMPLE_STEP: u32 = 16;

pub(super) fn band<S: Real>(sticks: &Sticks<S>, builder: &mut Builder) {
    let mut colouring = Colouring::new(sticks.particles());
    let mut remaining = sticks.by_ends();
    let size = band_particles(sticks.ends());
    let cuts = if sticks.particles() > size { &[0, size / 2][..] } else { &[] };
    for &shift in cuts {
        let band = |&stick: &u32| {
            let [a, b] = sticks.ends()[stick as usize].map(|end| (end as usize + shift) / size);
            (a == b).then_some((a as u32, stick))
        };
        let bands = (sticks.particles() + shift).div_ceil(size);
        let bands = Lists::new(bands, remaining.iter().filter_map(band));
        remaining.retain(|stick| band(stick).is_none());
        for of_band in bands.iter() {
            order_band(sticks, &mut colouring, of_band, builder);
        }
        builder.end_phase();
    }
    order_band(sticks, &mut colouring, &remaining, builder);
    builder.end_phase();
}

/// Whether at least half of the sticks are in runs.
pub(super) fn is_in_runs<S: Real>(sticks: &Sticks<S>) -> bool {
    let large = sticks.particles() > (SAMPLE_STEP * SAMPLE_STEP * SAMPLE_WINDOW) as usize;
    let step = if large { SAMPLE_STEP } else { 1 };
    let sampled = |&stick: &u32| {
        let [a, b] = sticks.ends()[stick as usize];
        (a.min(b) / SAMPLE_WINDOW).is_multiple_of(step)
    };
    let sample: Vec<u32> = (0..sticks.len() as u32).filter(sampled).collect();
    let in_runs: usize = runs(&by_direction(sticks, &sample)).map(<[RunKey]>::len).sum();
    2 * in_runs >= sample.len() && !sample.is_empty()
}

/// [`REACHES`] times the 90th percentile of the sticks' reach, at least [`BAND_PARTICLES`].
fn band_particles(ends: &[[u32; 2]]) -> usize {
    let mut reaches: Vec<u32> = ends.iter().map(|&[a, b]| a.abs_diff(b)).collect();
    let percentile = reaches.len() * 9 / 10;
    let reach = if reaches.is_empty() { 0 } else { *reaches.select_nth_unstable(percentile).1 };
    (REACHES * reach as usize).max(BAND_PARTICLES)
}

/// Orders a band: runs, direction by direction; then all other sticks by colours.
fn order_band<S: Real>(
    sticks: &Sticks<S>,
    colouring: &mut Colouring,
    of_band: &[u32],
    builder: &mut Builder,
) {
    for group in plain_first(sticks, of_band.iter().copied()) {
        let sorted = by_direction(sticks, &group);
        let mut in_run = alloc::vec![false; group.len()];
        let mut direction: Vec<RunKey> = Vec::new();
        let mut runs = runs(&sorted).peekable();
        while let Some(run) = runs.next() {
            for stick in run {
                in_run[stick.number as usize] = true;
            }
            direction.extend_from_slice(run);
            if runs.peek().is_none_or(|next| next[0].direction != run[0].direction) {
                emit_direction(&group, &direction, builder);
                direction.clear();
            }
        }
        let outside_runs = group.iter().zip(in_run).filter(|&(_, in_run)| !in_run);
        let coloured: Vec<u32> = outside_runs.map(|(&stick, _)| stick).collect();
        colouring.colour(sticks.ends(), &coloured, |batch| builder.batch(batch.iter().copied()));
    }
    builder.end_block();
}

/// Makes batches of the sticks of one direction, sorted by first end. Two of them share a particle
/// if their first ends differ by their reach.
fn emit_direction(group: &[u32], direction: &[RunKey], builder: &mut Builder) {
    let reach = direction[0].direction.cast_signed().unsigned_abs();
    let stick = |it: &RunKey| group[it.number as usize];
    if reach < LONG_REACH {
        for parity in 0..2 {
            let of_parity = direction.iter().filter(|it| it.first / reach % 2 == parity);
            builder.batch(of_parity.map(stick));
        }
    } else {
        let mut rest = direction;
        while let Some(first) = rest.first() {
            let end = rest.partition_point(|it| it.first - first.first < reach);
            builder.batch(rest[..end].iter().map(stick));
            rest = &rest[end..];
        }
    }
}

/// The sticks of a group by direction and first end, numbered by their places in the group.
fn by_direction<S: Real>(sticks: &Sticks<S>, group: &[u32]) -> Vec<RunKey> {
    let directed = |(place, &stick)| RunKey::stick(place, sticks.ends()[stick as usize]);
    let mut sorted = RunKey::sorted((0..).zip(group).map(directed));
    // A second stick between the same ends cannot be in a batch with the first.
    sorted.dedup_by_key(|it| (it.direction, it.first));
    sorted
}

/// The runs that are long enough to be relaxed as such.
fn runs(sorted: &[RunKey]) -> impl Iterator<Item = &[RunKey]> {
    RunKey::runs(sorted, 1).filter(|run| run.len() >= RUN_STICKS)
}
