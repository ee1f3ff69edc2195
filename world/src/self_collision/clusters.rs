//! Balls in clusters. A cluster has as many balls as an AVX-512 register has lanes; these balls are near
//! each other when the world is made, and stay in their cluster. So a search compares one ball with a whole cluster at a time (Páll and Hess,
//! "A Flexible Algorithm for Calculating Pair Interactions on SIMD Architectures", 2013).

use taut_core::PADDING;

/// Number of slots in a cluster.
pub(crate) const CLUSTER: usize = PADDING;
/// Number of clusters in a part, the work that a thread takes at a time.
pub(crate) const PART: usize = 16;

/// The balls of models, in columns by slot. The slots of a cluster are consecutive, and so are the
/// clusters of a model. If the last cluster of a model is not full, its other slots are padding: they
/// repeat its last ball.
#[derive(Clone, Debug)]
pub(crate) struct Balls<const D: usize> {
    /// Positions by axis, m.
    pub(crate) position: [Vec<f32>; D],
    /// Previous positions by axis, m.
    pub(crate) previous: [Vec<f32>; D],
    /// Inverse masses, 1/kg.
    pub(crate) inverse_mass: Vec<f32>,
    /// The model of each cluster: its index among the models given to [`new`](Self::new).
    pub(crate) models: Vec<u32>,
    /// Which slots of each cluster are not padding, as bits.
    pub(crate) real: Vec<u16>,
}

/// The indices of points, in the order of their slots: padding repeats the last point.
///
/// Points are divided recursively, along the longest side of their bounding box, into two sets of whole
/// clusters. So runs of consecutive clusters have small bounding boxes, too.
pub(crate) fn clustered<const D: usize>(points: &[[f32; D]]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    let mut sets = vec![&mut order[..]];
    while let Some(set) = sets.pop() {
        if set.len() <= CLUSTER {
            set.sort_unstable();
            continue;
        }
        let coordinate = |point: u32, axis: usize| points[point as usize][axis];
        let side = |axis: usize| {
            let ends = set.iter().fold([f32::MAX, f32::MIN], |[low, high], &point| {
                [low.min(coordinate(point, axis)), high.max(coordinate(point, axis))]
            });
            ends[1] - ends[0]
        };
        let longest =
            (1..D).fold(0, |best, axis| if side(axis) > side(best) { axis } else { best });
        // Half of the clusters of the set; only the last cluster of the model may be partly empty.
        let middle = set.len().div_ceil(CLUSTER).div_ceil(2) * CLUSTER;
        set.select_nth_unstable_by(middle, |&one, &other| {
            coordinate(one, longest).total_cmp(&coordinate(other, longest)).then(one.cmp(&other))
        });
        let (low, high) = set.split_at_mut(middle);
        sets.extend([high, low]);
    }
    let last = order.last().copied();
    let padded = order.len().next_multiple_of(CLUSTER);
    order.extend(last.into_iter().cycle().take(padded - order.len()));
    order
}

/// The entries of a cluster in columns.
#[inline(always)]
fn cluster_of<const D: usize>(columns: &[Vec<f32>; D], cluster: usize) -> [&[f32; CLUSTER]; D] {
    columns.each_ref().map(|column| &column.as_chunks().0[cluster])
}

impl<const D: usize> Balls<D> {
    /// The balls of models, all at the origin; `counts` has the number of particles of each model.
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

    /// The coordinates of the balls of a cluster, in columns by axis, m.
    #[inline(always)]
    pub(super) fn positions(&self, cluster: usize) -> [&[f32; CLUSTER]; D] {
        cluster_of(&self.position, cluster)
    }

    /// The previous coordinates of the balls of a cluster, in columns by axis, m.
    #[inline(always)]
    pub(super) fn previous_positions(&self, cluster: usize) -> [&[f32; CLUSTER]; D] {
        cluster_of(&self.previous, cluster)
    }

    /// The position of a ball, m.
    #[inline(always)]
    pub(crate) fn position(&self, slot: usize) -> [f32; D] {
        let mut position = [0.0; D];
        for (x, column) in position.iter_mut().zip(&self.position) {
            *x = column[slot];
        }
        position
    }

    /// The position of a ball minus its previous position, m. Contacts of earlier passes may have changed
    /// both, so that a separation adds no velocity.
    #[inline(always)]
    pub(crate) fn displacement(&self, slot: usize) -> [f32; D] {
        let mut displacement = self.position(slot);
        for (d, column) in displacement.iter_mut().zip(&self.previous) {
            *d -= column[slot];
        }
        displacement
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
            let mut indices = slots[..points.len()].to_vec();
            indices.sort_unstable();
            prop_assert!(indices.into_iter().eq(0..points.len() as u32));
        }
    }

    #[test]
    fn clusters_of_a_square_grid_are_squares() {
        let points: Vec<[f32; 2]> =
            (0..256).map(|index| [(index % 16) as f32, (index / 16) as f32]).collect();
        for cluster in clustered(&points).chunks(CLUSTER) {
            let corner = points[cluster[0] as usize];
            for &point in cluster {
                let [x, y] = points[point as usize];
                let is_in_square = |offset: f32| (0.0..4.0).contains(&offset);
                assert!(is_in_square(x - corner[0]) && is_in_square(y - corner[1]));
            }
        }
    }
}
