//! How far clusters of balls may move while a list of near balls is valid.

use pulp::{Simd, WithSimd};
use taut_core::Lane as _;
use taut_lanes::pulp::Register;

use super::box_tree::register;
use super::clusters::{Balls, CLUSTER};
use super::motions::Motions;
use crate::simd::widest;
use crate::vector::{difference, dot};

/// The radius of a cluster, without [`RADIUS_MIN`], as a multiple of the greatest displacement of its
/// balls in a substep.
const DISPLACEMENTS: f32 = 1.5;
/// Added to the radius of each cluster, as a multiple of the greatest thickness.
const RADIUS_MIN: f32 = 0.1;

/// By cluster: how far its balls may be from their positions when the list of near balls was built, m.
#[derive(Clone, Debug)]
pub(crate) struct Radii(Vec<f32>);

impl Radii {
    /// Without clusters, with memory for a number of them.
    pub(crate) fn with_capacity(clusters: usize) -> Self {
        Self(Vec::with_capacity(clusters))
    }

    /// Chooses radii from the motions of clusters in this substep: a ball whose motion reverses about
    /// every substep, as in a heap, stays within them; others may [leave](Self::contain) them. `thickness` is the greatest thickness, m. Returns the mean of the radii, m.
    pub(crate) fn fit<const D: usize>(&mut self, motions: &Motions<D>, thickness: f32) -> f32 {
        self.0.clear();
        let radius = |displacement| DISPLACEMENTS * displacement + RADIUS_MIN * thickness;
        self.0.extend(motions.displacements_max().map(radius));
        self.0.iter().sum::<f32>() / self.0.len() as f32
    }

    /// The radius of each cluster, m.
    pub(crate) fn by_cluster(&self) -> &[f32] {
        &self.0
    }

    /// Whether all balls are within the radii of their clusters at the beginning and at the end of this
    /// substep, and so also in between. `start` has the positions when the list was built, by axis, m.
    /// Positions of NaN are ignored.
    pub(crate) fn contain<const D: usize>(&self, balls: &Balls<D>, start: &[Vec<f32>; D]) -> bool {
        widest(Contain { radii: &self.0, balls, start })
    }
}

/// Tests whether radii contain balls, with run-time SIMD dispatch.
struct Contain<'a, const D: usize> {
    radii: &'a [f32],
    balls: &'a Balls<D>,
    start: &'a [Vec<f32>; D],
}

impl<const D: usize> WithSimd for Contain<'_, D> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<R: Simd>(self, simd: R) -> bool {
        let Self { radii, balls, start } = self;
        let zero = Register::splat(simd, 0.0);
        let mut outside = zero.above(zero);
        for (cluster, &radius) in radii.iter().enumerate() {
            let radius2 = Register::splat(simd, radius * radius);
            for part in 0..CLUSTER / R::F32_LANES {
                let index = cluster * (CLUSTER / R::F32_LANES) + part;
                let (mut now, mut before, mut first) = ([zero; D], [zero; D], [zero; D]);
                for axis in 0..D {
                    now[axis] = register(simd, &balls.position[axis], index);
                    before[axis] = register(simd, &balls.previous[axis], index);
                    first[axis] = register(simd, &start[axis], index);
                }
                for end in [now, before] {
                    let moved = difference(end, first);
                    outside = outside.or(dot(moved, moved).above(radius2));
                }
            }
        }
        outside.bits() == 0
    }
}
