//! Air that moves, and one triangle in it, in numbers for loops.

use super::THIRD;
use crate::force::gusts::Lattice;
use crate::vector::{cross, difference, scaled, sum};

/// Where gusts are.
pub(super) trait Gusty: Copy {
    /// By what the wind is multiplied at a place, m.
    fn at(self, place: [f32; 3]) -> f32;
}

#[derive(Clone, Copy)]
pub(super) struct Steady;

impl Gusty for Steady {
    #[inline(always)]
    fn at(self, _: [f32; 3]) -> f32 {
        1.0
    }
}

impl Gusty for Lattice {
    #[inline(always)]
    fn at(self, place: [f32; 3]) -> f32 {
        self.factor(place)
    }
}

#[derive(Clone, Copy)]
pub(super) struct Air<G> {
    /// Its velocity where no gust is, m/s.
    velocity: [f32; 3],
    gusts: G,
    /// One over three substeps, 1/s.
    third_per_h: f32,
}

impl<G: Gusty> Air<G> {
    pub(super) fn new(velocity: [f32; 3], gusts: G, h: f32) -> Self {
        Self { velocity, gusts, third_per_h: THIRD / h }
    }

    /// The normal of a triangle, of length 2 A, m², and the velocity of the air less that of the
    /// triangle, m/s.
    #[inline(always)]
    pub(super) fn meets(self, [a, b, c]: [Corner; 3]) -> ([f32; 3], [f32; 3]) {
        let normal = cross(difference(b.now, a.now), difference(c.now, a.now));
        let middle = scaled(sum(sum(a.now, b.now), c.now), THIRD);
        let moved = sum(sum(a.moved(), b.moved()), c.moved());
        let velocity = scaled(self.velocity, self.gusts.at(middle));
        (normal, difference(velocity, scaled(moved, self.third_per_h)))
    }
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
