//! A tree of bounding boxes over clusters, to find those near each other.

use pulp::Simd;
use taut_core::Lane as _;
use taut_lanes::pulp::{Mask, Register};

use super::clusters::{Balls, CLUSTER};
use super::travel::Span;

/// Number of children of a node.
const CHILDREN: usize = CLUSTER;
/// Largest number of levels; 2²⁴ balls need fewer.
const LEVELS_MAX: usize = 8;

/// Bounding boxes in a substep: of each cluster, of 16 consecutive clusters, of 16 of those, and so on.
#[derive(Clone, Debug)]
pub(crate) struct BoxTree<const D: usize> {
    /// Level 0 has the boxes of clusters; each later level has one box for 16 boxes of the level
    /// before.
    levels: Vec<Boxes<D>>,
}

/// Boxes in columns by axis, m, padded with empty boxes to a multiple of 16.
#[derive(Clone, Debug)]
struct Boxes<const D: usize> {
    low: [Vec<f32>; D],
    high: [Vec<f32>; D],
}

/// By axis, the least and the greatest coordinate in a box, m.
pub(super) type Bounds<const D: usize> = [[f32; 2]; D];

/// Reads a register of a column.
#[inline(always)]
pub(super) fn register<R: Simd>(simd: R, column: &[f32], index: usize) -> Register<R> {
    Register::new(simd, R::as_simd_f32s(column).0[index])
}

/// The mask of all lanes.
#[inline(always)]
pub(super) fn all<R: Simd>(simd: R) -> Mask<R> {
    let zero = Register::splat(simd, 0.0);
    zero.at_least(zero)
}

impl<const D: usize> Boxes<D> {
    /// Boxes that contain no point.
    fn empty(count: usize) -> Self {
        let padded = count.next_multiple_of(CHILDREN);
        Self {
            low: core::array::from_fn(|_| vec![f32::MAX; padded]),
            high: core::array::from_fn(|_| vec![f32::MIN; padded]),
        }
    }

    fn count(&self) -> usize {
        self.low[0].len()
    }

    #[inline(always)]
    fn get(&self, index: usize) -> Bounds<D> {
        core::array::from_fn(|axis| [self.low[axis][index], self.high[axis][index]])
    }

    /// Which of the 16 boxes of a node overlap the box `bounds`, as bits.
    #[inline(always)]
    fn overlaps<R: Simd>(&self, simd: R, node: usize, bounds: &Bounds<D>) -> u16 {
        let mut bits = 0;
        for part in 0..CHILDREN / R::F32_LANES {
            let register_index = node * (CHILDREN / R::F32_LANES) + part;
            let mut overlap = all(simd);
            for (axis, &[low, high]) in bounds.iter().enumerate() {
                overlap = overlap
                    .and(Register::splat(simd, high).at_least(register(
                        simd,
                        &self.low[axis],
                        register_index,
                    )))
                    .and(
                        register(simd, &self.high[axis], register_index)
                            .at_least(Register::splat(simd, low)),
                    );
            }
            bits |= overlap.bits() << (part * R::F32_LANES);
        }
        bits as u16
    }
}

/// The least and the greatest value of a column in the 16 entries of a cluster or node.
#[inline(always)]
fn bounds_of<R: Simd>(simd: R, column: &[f32], node: usize) -> [f32; 2] {
    let mut span = Span::empty(simd);
    for part in 0..CLUSTER / R::F32_LANES {
        span.add(register(simd, column, node * (CLUSTER / R::F32_LANES) + part));
    }
    span.ends(simd)
}

impl<const D: usize> BoxTree<D> {
    /// A tree for a number of clusters, with empty boxes until the first [`refit`](Self::refit).
    pub(crate) fn new(clusters: usize) -> Self {
        let mut levels = vec![Boxes::empty(clusters)];
        while let count = levels[levels.len() - 1].count()
            && count > CHILDREN
        {
            levels.push(Boxes::empty(count / CHILDREN));
        }
        assert!(levels.len() <= LEVELS_MAX, "a tree of boxes has more levels than LEVELS_MAX");
        Self { levels }
    }

    /// Makes the boxes contain all balls throughout this substep and, if they move uniformly, the next
    /// `ahead` substeps, in a frame of reference that moves by `common`, m, in a substep. With `radii`,
    /// m, by cluster, the boxes are larger by these on all sides.
    #[inline(always)]
    pub(super) fn refit<R: Simd>(
        &mut self,
        simd: R,
        balls: &Balls<D>,
        common: [f32; D],
        ahead: f32,
        radii: Option<&[f32]>,
    ) {
        let (clusters, later_levels) = self.levels.split_first_mut().expect("there is a level");
        let ahead = Register::splat(simd, ahead);
        for cluster in 0..balls.models.len() {
            let radius = radii.map_or(0.0, |radii| radii[cluster]);
            for axis in 0..D {
                let common = Register::splat(simd, common[axis]);
                let mut span = Span::empty(simd);
                for part in 0..CLUSTER / R::F32_LANES {
                    let index = cluster * (CLUSTER / R::F32_LANES) + part;
                    let now = register(simd, &balls.position[axis], index);
                    let before = register(simd, &balls.previous[axis], index) + common;
                    span.add(before);
                    span.add(now);
                    span.add(now + ahead * (now - before));
                }
                let [low, high] = span.ends(simd);
                clusters.low[axis][cluster] = low - radius;
                clusters.high[axis][cluster] = high + radius;
            }
        }
        let mut children = clusters;
        for parents in later_levels {
            for node in 0..children.count() / CHILDREN {
                for axis in 0..D {
                    [parents.low[axis][node], _] = bounds_of(simd, &children.low[axis], node);
                    [_, parents.high[axis][node]] = bounds_of(simd, &children.high[axis], node);
                }
            }
            children = parents;
        }
    }

    /// The box of a cluster, enlarged by a margin, m, on all sides.
    #[inline(always)]
    pub(super) fn bounds(&self, cluster: usize, margin: f32) -> Bounds<D> {
        let mut bounds = self.levels[0].get(cluster);
        for [low, high] in &mut bounds {
            [*low, *high] = [*low - margin, *high + margin];
        }
        bounds
    }

    /// The children of a node whose boxes overlap a box, as bits, without those before the cluster
    /// `from`; and the index of the first child.
    #[inline(always)]
    fn children<R: Simd>(
        &self,
        simd: R,
        level: usize,
        node: usize,
        bounds: &Bounds<D>,
        from: usize,
    ) -> (u16, usize) {
        let first = node * CHILDREN;
        // How many of the children lie wholly before `from`.
        let before = (from >> (level * CHILDREN.ilog2() as usize)).saturating_sub(first);
        let overlaps = self.levels[level].overlaps(simd, node, bounds);
        (if before < CHILDREN { overlaps >> before << before } else { 0 }, first)
    }

    /// A search for the clusters, from the cluster `from` on, whose boxes overlap a box.
    #[inline(always)]
    pub(super) fn overlapping<R: Simd>(
        &self,
        simd: R,
        bounds: Bounds<D>,
        from: usize,
    ) -> Overlapping<'_, R, D> {
        let level = self.levels.len() - 1;
        let mut open = [(0, 0); LEVELS_MAX];
        open[level] = self.children(simd, level, 0, &bounds, from);
        Overlapping { simd, tree: self, bounds, from, open, level }
    }
}

/// See [`BoxTree::overlapping`].
pub(super) struct Overlapping<'a, R, const D: usize> {
    simd: R,
    tree: &'a BoxTree<D>,
    bounds: Bounds<D>,
    /// Clusters before this one are skipped.
    from: usize,
    /// By level: the children yet to visit, as bits, and the index of the first child.
    open: [(u16, usize); LEVELS_MAX],
    /// The level whose children are visited now.
    level: usize,
}

impl<R: Simd, const D: usize> Overlapping<'_, R, D> {
    /// The next cluster, in ascending order. (`Iterator::next` would not be inlined, but compiled for
    /// the baseline instruction set.)
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<usize> {
        loop {
            let (bits, first) = &mut self.open[self.level];
            if *bits == 0 {
                if self.level + 1 == self.tree.levels.len() {
                    return None;
                }
                self.level += 1;
                continue;
            }
            let child = *first + bits.trailing_zeros() as usize;
            *bits &= *bits - 1;
            if self.level == 0 {
                return Some(child);
            }
            self.level -= 1;
            let Self { simd, level, bounds, from, .. } = self;
            self.open[*level] = self.tree.children(*simd, *level, child, bounds, *from);
        }
    }
}
