//! Balls in clusters: groups of as many as an AVX-512 register has lanes, near each other at the
//! beginning, so that a search compares one ball with a cluster at a time (Páll and Hess, "A Flexible
//! Algorithm for Calculating Pair Interactions on SIMD Architectures", 2013).

use pulp::{Simd, WithSimd};
use taut_core::{Lane, PADDING};
use taut_lanes::pulp::Register;

use crate::simd::widest;

/// Number of slots in a cluster.
pub(crate) const CLUSTER: usize = PADDING;

/// The balls of models, in columns by slot. The slots of a cluster are consecutive, and so are the
/// clusters of a model. If the last cluster of a model is not full, its other slots are padding: they
/// repeat its last ball.
#[derive(Clone, Debug)]
pub(crate) struct Balls<const D: usize> {
    /// Positions by axis, m.
    pub(crate) position: [Vec<f32>; D],
    /// Previous positions by axis, m.
    pub(crate) previous: [Vec<f32>; D],
    /// 1/kg.
    pub(crate) inverse_mass: Vec<f32>,
    /// The model of each cluster.
    pub(crate) models: Vec<u32>,
    /// Which slots of each cluster are not padding, as bits.
    pub(crate) real: Vec<u16>,
}

/// Numbers of points in clusters: padding repeats the last point.
///
/// Points are divided along the longest side of their bounding box, again and again, into parts of
/// whole clusters. So consecutive clusters are near each other, too.
pub(crate) fn clustered<const D: usize>(points: &[[f32; D]]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    let mut parts = vec![&mut order[..]];
    while let Some(part) = parts.pop() {
        if part.len() <= CLUSTER {
            part.sort_unstable();
            continue;
        }
        let along = |point: u32, axis: usize| points[point as usize][axis];
        let side = |axis: usize| {
            let ends = part.iter().fold([f32::MAX, f32::MIN], |[low, high], &point| {
                [low.min(along(point, axis)), high.max(along(point, axis))]
            });
            ends[1] - ends[0]
        };
        let longest =
            (1..D).fold(0, |best, axis| if side(axis) > side(best) { axis } else { best });
        let first = part.len().div_ceil(CLUSTER).div_ceil(2) * CLUSTER;
        part.select_nth_unstable_by(first, |&one, &other| {
            along(one, longest).total_cmp(&along(other, longest)).then(one.cmp(&other))
        });
        let (low, high) = part.split_at_mut(first);
        parts.extend([high, low]);
    }
    let last = order.last().copied();
    let padded = order.len().next_multiple_of(CLUSTER);
    order.extend(last.into_iter().cycle().take(padded - order.len()));
    order
}

impl<const D: usize> Balls<D> {
    /// The balls of models with so many each, all at the origin.
    pub(crate) fn new(counts: impl Iterator<Item = usize>) -> Self {
        let (mut models, mut real) = (Vec::new(), Vec::new());
        for (model, count) in (0..).zip(counts) {
            for first in (0..count).step_by(CLUSTER) {
                models.push(model);
                real.push(u16::MAX >> (CLUSTER - CLUSTER.min(count - first)));
            }
        }
        let zeros = vec![0.0; CLUSTER * models.len()];
        Self {
            position: core::array::from_fn(|_| zeros.clone()),
            previous: core::array::from_fn(|_| zeros.clone()),
            inverse_mass: zeros,
            models,
            real,
        }
    }

    /// Number of slots.
    pub(crate) fn slots(&self) -> usize {
        self.inverse_mass.len()
    }

    /// The position of a ball, m.
    #[inline(always)]
    pub(crate) fn position(&self, slot: usize) -> [f32; D] {
        let mut position = [0.0; D];
        for (along, column) in position.iter_mut().zip(&self.position) {
            *along = column[slot];
        }
        position
    }

    /// The displacement of a ball in this substep, m.
    #[inline(always)]
    pub(crate) fn displacement(&self, slot: usize) -> [f32; D] {
        let mut displacement = self.position(slot);
        for (along, column) in displacement.iter_mut().zip(&self.previous) {
            *along -= column[slot];
        }
        displacement
    }

    /// How far balls have moved relative to each other, in this substep and since they had other
    /// positions.
    pub(crate) fn travel(&self, earlier: &[Vec<f32>; D]) -> Travel {
        let mut travel = Travel::default();
        widest(TravelPass { balls: self, earlier, travel: &mut travel });
        travel
    }
}

/// Upper bounds of displacements of balls relative to each other, m. Those that are not finite do not
/// count.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Travel {
    /// In this substep.
    pub(crate) in_substep: f32,
    /// From earlier positions until the beginning or the end of this substep.
    pub(crate) since: f32,
}

struct TravelPass<'a, const D: usize> {
    balls: &'a Balls<D>,
    earlier: &'a [Vec<f32>; D],
    travel: &'a mut Travel,
}

impl<const D: usize> WithSimd for TravelPass<'_, D> {
    type Output = ();

    #[inline(always)]
    fn with_simd<R: Simd>(self, simd: R) {
        let Self { balls, earlier, travel } = self;
        let mut diagonals2 = [0.0; 3];
        for axis in 0..D {
            let (now, _) = R::as_simd_f32s(&balls.position[axis]);
            let before = &R::as_simd_f32s(&balls.previous[axis]).0[..now.len()];
            let earlier = &R::as_simd_f32s(&earlier[axis]).0[..now.len()];
            let mut spans = [Span::empty(simd); 3];
            for register in 0..now.len() {
                let now = Register::new(simd, now[register]);
                let before = Register::new(simd, before[register]);
                let earlier = Register::new(simd, earlier[register]);
                spans[0].add(now - before);
                spans[1].add(now - earlier);
                spans[2].add(before - earlier);
            }
            for (diagonal2, span) in diagonals2.iter_mut().zip(spans) {
                let [low, high] = span.ends(simd);
                *diagonal2 += (high - low) * (high - low);
            }
        }
        let [in_substep, until_end, until_beginning] = diagonals2.map(f32::sqrt);
        *travel = Travel { in_substep, since: until_end.max(until_beginning) };
    }
}

/// The least and the greatest of numbers, lane by lane. NaN does not count.
#[derive(Clone, Copy)]
pub(super) struct Span<R: Simd> {
    low: Register<R>,
    high: Register<R>,
}

impl<R: Simd> Span<R> {
    #[inline(always)]
    pub(super) fn empty(simd: R) -> Self {
        Self { low: Register::splat(simd, f32::MAX), high: Register::splat(simd, f32::MIN) }
    }

    #[inline(always)]
    pub(super) fn add(&mut self, number: Register<R>) {
        self.low = Lane::select(self.low.above(number), number, self.low);
        self.high = Lane::select(number.above(self.high), number, self.high);
    }

    /// The least and the greatest of all lanes.
    #[inline(always)]
    pub(super) fn ends(self, simd: R) -> [f32; 2] {
        [simd.reduce_min_f32s(self.low.lanes()), simd.reduce_max_f32s(self.high.lanes())]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{CLUSTER, clustered};

    proptest! {
        #[test]
        fn clusters_contain_every_point_once(
            points in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f32), 0..100),
        ) {
            let slots = clustered(&points);
            prop_assert!(slots.len().is_multiple_of(CLUSTER));
            prop_assert!(slots.len() < points.len() + CLUSTER);
            let mut once = slots[..points.len()].to_vec();
            once.sort_unstable();
            prop_assert!(once.into_iter().eq(0..points.len() as u32));
        }
    }

    #[test]
    fn clusters_of_a_square_grid_are_squares() {
        let points: Vec<[f32; 2]> =
            (0..256).map(|number| [(number % 16) as f32, (number / 16) as f32]).collect();
        for cluster in clustered(&points).chunks(CLUSTER) {
            let corner = points[cluster[0] as usize];
            for &point in cluster {
                let [x, y] = points[point as usize];
                assert!(x - corner[0] < 4.0 && y - corner[1] < 4.0);
            }
        }
    }
}
