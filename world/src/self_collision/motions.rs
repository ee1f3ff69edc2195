//! How the balls of clusters move in a substep.

use pulp::{Simd, WithSimd};

use super::box_tree::{Bounds, register};
use super::clusters::{Balls, CLUSTER};
use super::travel::Span;
use crate::simd::widest;
use crate::vector::dot;

/// The bounds of the displacements of each cluster in a substep, m.
#[derive(Clone, Debug)]
pub(crate) struct Motions<const D: usize>(Vec<Bounds<D>>);

impl<const D: usize> Motions<D> {
    /// Without clusters, with memory for a number of them.
    pub(crate) fn with_capacity(clusters: usize) -> Self {
        Self(Vec::with_capacity(clusters))
    }

    /// Measures the displacements of this substep.
    pub(crate) fn measure(&mut self, balls: &Balls<D>) {
        self.0.clear();
        widest(Measure { balls, motions: &mut self.0 });
    }

    /// The mean, over the clusters, of an upper bound of how far two balls of a cluster move relative to each
    /// other in this substep, m.
    pub(crate) fn local(&self) -> f32 {
        let sum: f32 = self.0.iter().map(|motion| difference_max(motion, motion)).sum();
        sum / self.0.len() as f32
    }

    /// For each cluster an upper bound of the displacements of its balls, m.
    pub(crate) fn displacements_max(&self) -> impl Iterator<Item = f32> {
        self.0.iter().map(|motion| difference_max(motion, &[[0.0; 2]; D]))
    }

    /// An upper bound of how far a ball of one cluster moves relative to a ball of the other, m.
    #[inline(always)]
    pub(crate) fn relative(&self, clusters: [usize; 2]) -> f32 {
        difference_max(&self.0[clusters[0]], &self.0[clusters[1]])
    }

    /// The centre of the bounds of all displacements, m.
    pub(crate) fn common(&self) -> [f32; D] {
        core::array::from_fn(|axis| {
            let (mut low, mut high) = (f32::MAX, f32::MIN);
            for motion in &self.0 {
                let [motion_low, motion_high] = motion[axis];
                (low, high) = (low.min(motion_low), high.max(motion_high));
            }
            if low <= high { 0.5 * low + 0.5 * high } else { 0.0 }
        })
    }
}

/// The greatest length of the difference of two vectors within their bounds, m.
#[inline(always)]
fn difference_max<const D: usize>(one: &Bounds<D>, other: &Bounds<D>) -> f32 {
    let mut greatest = [0.0; D];
    for (axis, difference) in greatest.iter_mut().enumerate() {
        let ([low, high], [other_low, other_high]) = (one[axis], other[axis]);
        *difference = (high - other_low).max(other_high - low);
    }
    dot(greatest, greatest).sqrt()
}

/// Measures the bounds of displacements, with run-time SIMD dispatch.
struct Measure<'a, const D: usize> {
    balls: &'a Balls<D>,
    motions: &'a mut Vec<Bounds<D>>,
}

impl<const D: usize> WithSimd for Measure<'_, D> {
    type Output = ();

    #[inline(always)]
    fn with_simd<R: Simd>(self, simd: R) {
        let Self { balls, motions } = self;
        for cluster in 0..balls.models.len() {
            let mut bounds = [[0.0; 2]; D];
            for (axis, bounds) in bounds.iter_mut().enumerate() {
                let mut span = Span::empty(simd);
                for part in 0..CLUSTER / R::F32_LANES {
                    let register_index = cluster * (CLUSTER / R::F32_LANES) + part;
                    let now = register(simd, &balls.position[axis], register_index);
                    span.add(now - register(simd, &balls.previous[axis], register_index));
                }
                *bounds = span.ends(simd);
            }
            motions.push(bounds);
        }
    }
}
