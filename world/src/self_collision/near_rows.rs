//! Broad phase: the balls near each ball, by cluster.

use pulp::{Simd, WithSimd};
use taut_core::Lane;
use taut_lanes::pulp::Register;

use super::box_tree::{Bounds, BoxTree, all, register};
use super::clusters::{Balls, CLUSTER, PART};
use super::margin::Margin;
use super::motions::Motions;
use super::rest_exclusions::ExcludedPairs;
use super::workers::{Workers, by_part, share_unused};
use crate::simd::widest;
use crate::vector::{difference, dot};

/// Number of rows per ball for which memory is reserved.
const ROWS_RESERVED: usize = 4;
/// Largest number of rows per slot, on average. Only a heap of thousands of balls in one place has more;
/// the pairs in further rows do not collide.
const ROWS_MAX: usize = 256;

/// A ball, and the balls of one cluster that are near it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// The slot of the ball.
    pub(crate) slot: u32,
    /// The cluster of the other balls: that of the ball or a later one.
    pub(crate) cluster: u32,
    /// The lanes of that cluster whose balls are near the ball, as bits.
    pub(crate) others: u16,
}

impl Row {
    /// A row without pairs.
    pub(super) const NONE: Self = Self { slot: 0, cluster: 0, others: 0 };

    /// The models of its balls.
    #[inline(always)]
    pub(crate) fn models<const D: usize>(self, balls: &Balls<D>) -> [u32; 2] {
        [balls.models[self.slot as usize / CLUSTER], balls.models[self.cluster as usize]]
    }

    /// The pairs of slots of the row.
    pub(crate) fn pairs(self) -> impl Iterator<Item = [usize; 2]> {
        let mut others = self.others;
        core::iter::from_fn(move || {
            (others != 0).then(|| {
                let lane = others.trailing_zeros() as usize;
                others &= others - 1;
                [self.slot as usize, self.cluster as usize * CLUSTER + lane]
            })
        })
    }
}

/// How the balls of two models collide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pairing {
    /// The distance that the centres of the balls keep, m.
    pub(crate) thickness: f32,
    /// Coulomb's μ.
    pub(crate) friction: f32,
}

/// Which pairs of balls collide.
pub(crate) trait Pairings: Sync {
    /// How the balls of two models collide; None if they do not.
    fn of(&self, models: [u32; 2]) -> Option<Pairing>;
    /// The greatest thickness of all, m.
    fn thickness(&self) -> f32;
    /// The pairs of slots that do not collide, whatever their models.
    fn excluded(&self) -> &ExcludedPairs;
}

/// Finds near balls.
#[derive(Clone, Debug)]
pub(crate) struct NearRows<const D: usize> {
    tree: BoxTree<D>,
    motions: Motions<D>,
    /// The rows of the clusters of each part.
    parts: Vec<Vec<Row>>,
}

impl<const D: usize> NearRows<D> {
    /// Without rows, with memory for the usual number of them.
    pub(crate) fn new(balls: &Balls<D>) -> Self {
        let clusters = balls.models.len();
        let reserved = ROWS_RESERVED * CLUSTER * PART.min(clusters);
        Self {
            tree: BoxTree::new(clusters),
            motions: Motions::with_capacity(clusters),
            parts: by_part(clusters, || Vec::with_capacity(reserved)),
        }
    }

    /// The rows of the last search, grouped by the part that has the cluster of the ball. They are in
    /// ascending order of the cluster of the ball, then the other cluster, then the slot of the ball.
    pub(crate) fn parts(&self) -> &[Vec<Row>] {
        &self.parts
    }

    /// Whether the last search found nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.parts.iter().all(Vec::is_empty)
    }

    /// The rows of all parts.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Row> {
        self.parts.iter().flatten().copied()
    }

    /// The pairs of slots of all rows.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = [usize; 2]> {
        self.rows().flat_map(Row::pairs)
    }

    /// Measures the motions of clusters in this substep, which a search with `Margin::Uniform` needs.
    pub(crate) fn measure_motions(&mut self, balls: &Balls<D>) -> &Motions<D> {
        self.motions.measure(balls);
        &self.motions
    }

    /// Finds the pairs of balls that may collide and are near each other: all of them, unless there are
    /// more than `ROWS_MAX` rows per slot. A ball whose position is not finite is near no other.
    pub(crate) fn search(
        &mut self,
        balls: &Balls<D>,
        pairings: &impl Pairings,
        margin: Margin<'_>,
        workers: &mut Workers<'_>,
    ) {
        self.search_up_to(ROWS_MAX * CLUSTER * PART, balls, pairings, margin, workers);
    }

    /// Finds all pairs of balls that may collide and are closer than the thickness, whatever their
    /// number.
    pub(crate) fn search_all(&mut self, balls: &Balls<D>, pairings: &impl Pairings) {
        let limit = usize::MAX / self.parts.len().max(1);
        let margin = Margin::Distance(0.0);
        self.search_up_to(limit, balls, pairings, margin, &mut Workers::caller());
    }

    /// Searches with a limit of the number of rows of each part. Parts with more of them get what others
    /// have left unused.
    fn search_up_to(
        &mut self,
        limit: usize,
        balls: &Balls<D>,
        pairings: &impl Pairings,
        margin: Margin<'_>,
        workers: &mut Workers<'_>,
    ) {
        let Self { tree, motions, parts } = self;
        let (common, ahead, radii) = match margin {
            Margin::Uniform { substeps, .. } => (motions.common(), (substeps - 1) as f32, None),
            Margin::Distance(_) => ([0.0; D], 0.0, None),
            Margin::Radii(radii) => ([0.0; D], 0.0, Some(radii)),
        };
        widest(Refit { tree, balls, common, ahead, radii });
        let (tree, motions) = (&*tree, &*motions);
        let search = |part: usize, rows: &mut Vec<Row>, limit: usize| {
            rows.clear();
            widest(Search {
                balls,
                pairings,
                tree,
                motions,
                margin,
                part,
                models: [u32::MAX; 2],
                pairing: None,
                rows,
                limit,
            });
        };
        workers.for_each(parts, |part, rows| search(part, rows, limit));
        share_unused(parts, limit, Vec::len, search);
    }
}

/// Fits the boxes of a tree to the balls, with run-time SIMD dispatch: see [`BoxTree::refit`].
struct Refit<'a, const D: usize> {
    tree: &'a mut BoxTree<D>,
    balls: &'a Balls<D>,
    common: [f32; D],
    ahead: f32,
    radii: Option<&'a [f32]>,
}

impl<const D: usize> WithSimd for Refit<'_, D> {
    type Output = ();

    #[inline(always)]
    fn with_simd<R: Simd>(self, simd: R) {
        let Self { tree, balls, common, ahead, radii } = self;
        tree.refit(simd, balls, common, ahead, radii);
    }
}

/// The distance up to which balls are near, m: thickness plus margin, and 0.1 % more for rounding.
#[inline(always)]
fn cutoff_of(thickness: f32, margin: f32) -> f32 {
    1.001 * (thickness + margin)
}

/// The search for balls near those of one part of the clusters, with run-time SIMD dispatch.
struct Search<'a, P, const D: usize> {
    balls: &'a Balls<D>,
    pairings: &'a P,
    tree: &'a BoxTree<D>,
    motions: &'a Motions<D>,
    margin: Margin<'a>,
    /// The part whose clusters are searched.
    part: usize,
    /// The pair of models that was looked up last, and how they collide.
    models: [u32; 2],
    pairing: Option<Pairing>,
    rows: &'a mut Vec<Row>,
    /// Once there are this many rows, further pairs of clusters add none.
    limit: usize,
}

impl<P: Pairings, const D: usize> WithSimd for Search<'_, P, D> {
    type Output = ();

    #[inline(always)]
    fn with_simd<R: Simd>(mut self, simd: R) {
        let tree = self.tree;
        let cutoff = cutoff_of(self.pairings.thickness(), self.margin.between_boxes());
        let first = PART * self.part;
        for cluster in first..self.balls.models.len().min(first + PART) {
            let bounds = tree.bounds(cluster, cutoff);
            let mut overlapping = tree.overlapping(simd, bounds, cluster);
            while let Some(other) = overlapping.next() {
                self.add_rows(simd, cluster, other);
            }
        }
    }
}

impl<P: Pairings, const D: usize> Search<'_, P, D> {
    /// Adds the rows of the balls of a cluster that are near balls of the cluster `other`.
    #[inline(always)]
    fn add_rows<R: Simd>(&mut self, simd: R, cluster: usize, other: usize) {
        let Self { balls, pairings, tree, .. } = *self;
        if other >= balls.models.len() || self.rows.len() >= self.limit {
            return;
        }
        let models = [balls.models[cluster], balls.models[other]];
        if models != self.models {
            (self.models, self.pairing) = (models, pairings.of(models));
        }
        let Some(Pairing { thickness, .. }) = self.pairing else { return };
        let cutoff = cutoff_of(thickness, self.margin.of([cluster, other], self.motions));
        let positions = balls.positions(cluster);
        let mut lanes =
            balls.real[cluster] & slots_in(simd, positions, &tree.bounds(other, cutoff));
        if lanes == 0 {
            return;
        }
        let excluded = pairings.excluded().of([cluster, other]);
        let (other_positions, other_real) = (balls.positions(other), balls.real[other]);
        let cutoff2 = Register::splat(simd, cutoff * cutoff);
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            let ball = positions.map(|x| Register::splat(simd, x[lane]));
            let mut others = other_real & slots_near(simd, other_positions, ball, cutoff2);
            if let Some(excluded) = excluded {
                others &= !excluded[lane];
            }
            if cluster == other {
                others &= u16::MAX << 1 << lane; // each pair once
            }
            if others != 0 {
                let slot = cluster * CLUSTER + lane;
                self.rows.push(Row { slot: slot as u32, cluster: other as u32, others });
            }
        }
    }
}

/// The slots of a cluster whose balls are in a box, as bits.
#[inline(always)]
fn slots_in<R: Simd, const D: usize>(
    simd: R,
    positions: [&[f32; CLUSTER]; D],
    bounds: &Bounds<D>,
) -> u16 {
    let mut bits = 0;
    for part in 0..CLUSTER / R::F32_LANES {
        let mut inside = all(simd);
        for (&[low, high], column) in bounds.iter().zip(positions) {
            let x = register(simd, column, part);
            inside = inside.and(x.at_least(Register::splat(simd, low)));
            inside = inside.and(Register::splat(simd, high).at_least(x));
        }
        bits |= inside.bits() << (part * R::F32_LANES);
    }
    bits as u16
}

/// The slots of a cluster whose balls are closer to a ball than a distance, given by its square, m²,
/// as bits.
#[inline(always)]
fn slots_near<R: Simd, const D: usize>(
    simd: R,
    positions: [&[f32; CLUSTER]; D],
    ball: [Register<R>; D],
    distance2: Register<R>,
) -> u16 {
    let mut bits = 0;
    for part in 0..CLUSTER / R::F32_LANES {
        let offset = difference(ball, positions.map(|column| register(simd, column, part)));
        bits |= distance2.above(dot(offset, offset)).bits() << (part * R::F32_LANES);
    }
    bits as u16
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::super::clusters::clustered;
    use super::*;
    use crate::vector::{add_scaled, length};

    /// The balls of two models. The pairs of consecutive points are excluded, and balls of the second
    /// model do not collide with each other.
    struct TwoModels {
        thickness: f32,
        excluded: ExcludedPairs,
    }

    impl Pairings for TwoModels {
        fn of(&self, models: [u32; 2]) -> Option<Pairing> {
            (models != [1, 1]).then_some(Pairing { thickness: self.thickness, friction: 0.0 })
        }
        fn thickness(&self) -> f32 {
            self.thickness
        }
        fn excluded(&self) -> &ExcludedPairs {
            &self.excluded
        }
    }

    /// Checks that a search finds all near pairs, and only pairs that may collide and whose positions
    /// are finite. `paths` are the displacements of the points in a substep, m.
    fn check<const D: usize>(points: &[[f32; D]], paths: &[[f32; D]], thickness: f32) {
        let (first, second) = points.split_at(points.len() / 3);
        let mut balls = Balls::<D>::new([first.len(), second.len()].into_iter());
        let mut point_of = clustered(first);
        point_of.extend(clustered(second).iter().map(|index| first.len() as u32 + index));
        for (slot, &point) in point_of.iter().enumerate() {
            let end = add_scaled(points[point as usize], 1.0, paths[point as usize]);
            for axis in 0..D {
                balls.previous[axis][slot] = points[point as usize][axis];
                balls.position[axis][slot] = end[axis];
            }
        }
        let slots = || {
            (0..CLUSTER * balls.models.len())
                .filter(|slot| balls.real[slot / CLUSTER] >> (slot % CLUSTER) & 1 == 1)
        };
        let is_next = |one: usize, other: usize| point_of[one].abs_diff(point_of[other]) == 1;
        let pairs = slots().flat_map(|one| {
            slots().filter(move |&other| one < other).map(move |other| [one, other])
        });
        let excluded = pairs
            .clone()
            .filter(|&[one, other]| is_next(one, other))
            .map(|pair| pair.map(|slot| slot as u32));
        let excluded = ExcludedPairs::new(balls.models.len(), excluded);
        let pairings = TwoModels { thickness, excluded };
        let uniform = |substeps, deviation| Margin::Uniform { substeps, deviation };
        let distances = [0.0, 0.3].map(Margin::Distance);
        let radii: Vec<f32> = (0..balls.models.len()).map(|it| 0.1 * (it % 3) as f32).collect();
        let margins = [uniform(1, 0.0), uniform(5, 0.1), Margin::Radii(&radii)];
        for margin in margins.into_iter().chain(distances) {
            let mut near = NearRows::new(&balls);
            near.measure_motions(&balls);
            near.search(&balls, &pairings, margin, &mut Workers::caller());
            let found: Vec<[usize; 2]> = near.pairs().collect();
            let found_pairs: BTreeSet<[usize; 2]> = found.iter().copied().collect();
            for [one, other] in pairs.clone() {
                let end = difference(balls.position(one), balls.position(other));
                let path = difference(balls.displacement(one), balls.displacement(other));
                let is_near = match margin {
                    Margin::Distance(distance) => length(end) < thickness + distance,
                    Margin::Radii(radii) => {
                        let [radius, other_radius] = [one, other].map(|it| radii[it / CLUSTER]);
                        length(end) < thickness + radius + other_radius
                    }
                    // When they are nearest, from the beginning of this substep to the end of the last one.
                    Margin::Uniform { substeps, deviation } => {
                        let path2 = dot(path, path).max(f32::MIN_POSITIVE);
                        let time = (-dot(end, path) / path2).clamp(-1.0, (substeps - 1) as f32);
                        length(add_scaled(end, time, path)) < thickness + deviation
                    }
                };
                let may_collide = point_of[one] < first.len() as u32 && !is_next(one, other);
                let is_found = found_pairs.contains(&[one, other]);
                assert!(
                    is_found || !(is_near && may_collide),
                    "the pair of slots {one} and {other} was not found"
                );
                assert!(
                    may_collide || !is_found,
                    "slots {one} and {other} must not collide, but were found"
                );
            }
            let is_finite = |slot: &usize| balls.position(*slot).iter().all(|x| x.is_finite());
            assert!(found.iter().flatten().all(is_finite), "a ball that is not finite was found");
            let key = |&[one, other]: &[usize; 2]| (one / CLUSTER, other / CLUSTER, one, other);
            assert!(found.is_sorted_by_key(key), "the rows are not in ascending order");
            assert!(found.iter().all(|[one, other]| one < other), "a pair is not in order");
        }
    }

    proptest! {
        #[test]
        fn all_near_pairs_are_found(
            points in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f32), 3..150),
            speed in prop::sample::select(vec![0.0_f32, 0.01, 0.3, 3.0]),
            thickness in 0.01..0.8_f32,
            shift in prop::sample::select(vec![0.0_f32, 100.0, -1e5]),
        ) {
            let moved: Vec<[f32; 3]> =
                points.iter().map(|point| point.map(|x| x + shift)).collect();
            let paths: Vec<[f32; 3]> =
                points.iter().rev().map(|point| point.map(|x| speed * x)).collect();
            check(&moved, &paths, thickness);
            let without_z = |points: &[[f32; 3]]| -> Vec<[f32; 2]> {
                points.iter().map(|&[x, y, _]| [x, y]).collect()
            };
            check(&without_z(&moved), &without_z(&paths), thickness);
        }
    }

    #[test]
    fn positions_that_are_not_finite_are_near_nothing() {
        // A third of the points, and so some of each kind, is in the first model.
        let (nan, infinity) = (f32::NAN, f32::INFINITY);
        let points = [nan, 0.0, infinity, 0.1, -infinity, nan, 0.05, 0.3, infinity].map(|x| [x; 3]);
        check(&points, &[[0.0; 3]; 9], 0.5);
    }
}
