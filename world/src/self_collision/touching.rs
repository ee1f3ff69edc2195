//! Narrow phase: which near balls touch.

use pulp::{Simd, WithSimd};
use taut_core::Lane as _;
use taut_lanes::pulp::Register;

use super::box_tree::register;
use super::clusters::{Balls, CLUSTER};
use super::near_rows::{Pairings, Row};
use crate::simd::widest;
use crate::vector::{difference, dot};

/// The rows of pairs of balls that touch in a substep.
#[derive(Clone, Debug)]
pub(crate) struct TouchingRows {
    /// The first `count` entries are the rows; further entries are unused.
    rows: Vec<Row>,
    count: usize,
}

impl TouchingRows {
    /// Without rows, with memory for a number of them.
    pub(crate) fn with_capacity(rows: usize) -> Self {
        Self { rows: Vec::with_capacity(rows), count: 0 }
    }

    /// Finds the pairs of balls that touch in this substep, among those of the rows `near`; and at most
    /// a few that miss each other by up to 0.1 % of their thickness.
    pub(crate) fn find<const D: usize>(
        &mut self,
        balls: &Balls<D>,
        near: &[Row],
        pairings: &impl Pairings,
    ) {
        if self.rows.len() < near.len() {
            self.rows.resize(near.len(), Row::NONE);
        }
        let touching = &mut self.rows[..near.len()];
        self.count = widest(FindTouching { balls, near, pairings, touching });
    }

    /// The rows of the last search.
    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows[..self.count]
    }
}

/// Finds touching pairs, with run-time SIMD dispatch.
struct FindTouching<'a, P, const D: usize> {
    balls: &'a Balls<D>,
    near: &'a [Row],
    pairings: &'a P,
    /// As many entries as `near` has. The first ones become the touching rows.
    touching: &'a mut [Row],
}

impl<P: Pairings, const D: usize> WithSimd for FindTouching<'_, P, D> {
    /// The number of touching rows.
    type Output = usize;

    #[inline(always)]
    fn with_simd<R: Simd>(self, simd: R) -> usize {
        let Self { balls, near, pairings, touching } = self;
        let mut count = 0;
        let (mut models, mut distance2) = ([u32::MAX; 2], 0.0);
        for &row in near {
            let (slot, cluster) = (row.slot as usize, row.cluster as usize);
            let row_models = row.models(balls);
            if row_models != models {
                models = row_models;
                let thickness = pairings.of(row_models).map_or(0.0, |it| it.thickness);
                distance2 = 1.002 * thickness * thickness; // 0.1 % farther, for rounding
            }
            let others = row.others & slots_touching(simd, balls, cluster, slot, distance2);
            // No branch, which a CPU would often mispredict: in a heap almost half of the rows touch.
            touching[count] = Row { others, ..row };
            count += usize::from(others != 0);
        }
        count
    }
}

/// The slots of a cluster whose balls come closer to a ball than a distance, given by its square, m²,
/// as bits.
#[inline(always)]
fn slots_touching<R: Simd, const D: usize>(
    simd: R,
    balls: &Balls<D>,
    cluster: usize,
    ball: usize,
    distance2: f32,
) -> u16 {
    let mut bits = 0;
    let zero = Register::splat(simd, 0.0);
    let distance2 = Register::splat(simd, distance2);
    let splat = |columns: [&[f32; CLUSTER]; D]| {
        columns.map(|column| Register::splat(simd, column[ball % CLUSTER]))
    };
    let (now, before) =
        (splat(balls.positions(ball / CLUSTER)), splat(balls.previous_positions(ball / CLUSTER)));
    let (others_now, others_before) = (balls.positions(cluster), balls.previous_positions(cluster));
    for part in 0..CLUSTER / R::F32_LANES {
        let read =
            |columns: [&[f32; CLUSTER]; D]| columns.map(|column| register(simd, column, part));
        let end = difference(now, read(others_now));
        let start = difference(before, read(others_before));
        let path = difference(end, start);
        let (end2, start2, path2) = (dot(end, end), dot(start, start), dot(path, path));
        let mut touch = distance2.above(end2).or(distance2.above(start2));
        // If the balls are nearest between start and end, the square of the least distance is
        // `start2 - along² / path2`.
        let along = zero - dot(start, path);
        let passes = along.above(zero).and(path2.above(along));
        let nearest = along * along;
        touch = touch.or(passes.and(nearest.above((start2 - distance2) * path2)));
        bits |= touch.bits() << (part * R::F32_LANES);
    }
    bits as u16
}
