//! Air that moves, and one triangle in it, in numbers for loops.

use super::THIRD;
use crate::force::lattice::{Corners, Lattice};
use crate::vector::{cross, difference, scaled, sum};

/// Where gusts are.
pub(super) trait Gusty: Copy {
    /// By what the wind is multiplied at a place, m.
    fn at(self, place: [f32; 3]) -> f32;

    /// The same at the places of a block. `corners` is kept from block to block.
    fn at_block<const N: usize>(self, corners: &mut Corners, places: [&[f32; N]; 3]) -> [f32; N];
}

#[derive(Clone, Copy)]
pub(super) struct Steady;

impl Gusty for Steady {
    #[inline(always)]
    fn at(self, _: [f32; 3]) -> f32 {
        1.0
    }

    #[inline(always)]
    fn at_block<const N: usize>(self, _: &mut Corners, _: [&[f32; N]; 3]) -> [f32; N] {
        [1.0; N]
    }
}

impl Gusty for Lattice {
    #[inline(always)]
    fn at(self, place: [f32; 3]) -> f32 {
        self.factor(place)
    }

    #[inline(always)]
    fn at_block<const N: usize>(self, corners: &mut Corners, places: [&[f32; N]; 3]) -> [f32; N] {
        self.factors(corners, places)
    }
}

/// Velocities are ways in three substeps here, as the three corners of a triangle give them together.
#[derive(Clone, Copy)]
pub(super) struct Air<G> {
    /// How far it goes where no gust is, m.
    way: [f32; 3],
    gusts: G,
}

impl<G: Gusty> Air<G> {
    /// A velocity, m/s; `h` is a substep, s.
    pub(super) fn new(velocity: [f32; 3], gusts: G, h: f32) -> Self {
        Self { way: scaled(velocity, 3.0 * h), gusts }
    }

    /// By what gusts multiply the air at some triangles.
    #[inline(always)]
    pub(super) fn factors<const N: usize>(
        self,
        corners: &mut Corners,
        triangle: impl Fn(usize) -> [Corner; 3],
    ) -> [f32; N] {
        let (mut x, mut y, mut z) = ([0.0; N], [0.0; N], [0.0; N]);
        for lane in 0..N {
            [x[lane], y[lane], z[lane]] = middle(triangle(lane));
        }
        self.gusts.at_block(corners, [&x, &y, &z])
    }

    /// By what gusts multiply the air at a triangle.
    pub(super) fn factor(self, triangle: [Corner; 3]) -> f32 {
        self.gusts.at(middle(triangle))
    }

    /// The normal of a triangle, of length 2 A, m², and how much farther the air goes than the
    /// triangle, m, where gusts multiply it by a factor.
    #[inline(always)]
    pub(super) fn meets(self, [a, b, c]: [Corner; 3], factor: f32) -> ([f32; 3], [f32; 3]) {
        let normal = cross(difference(b.now, a.now), difference(c.now, a.now));
        let way = scaled(self.way, factor);
        (normal, difference(way, sum(sum(a.moved(), b.moved()), c.moved())))
    }
}

/// The middle of a triangle, m.
#[inline(always)]
fn middle([a, b, c]: [Corner; 3]) -> [f32; 3] {
    scaled(sum(sum(a.now, b.now), c.now), THIRD)
}

/// Where a corner of a triangle is, and was a substep ago, m.
#[derive(Clone, Copy)]
pub(super) struct Corner {
    pub(super) now: [f32; 3],
    pub(super) then: [f32; 3],
}

impl Corner {
    #[inline(always)]
    fn moved(self) -> [f32; 3] {
        difference(self.now, self.then)
    }
}
