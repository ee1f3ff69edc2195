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

    /// The normal of a triangle, of length 2 A, m², and how much farther the air goes than the
    /// triangle, m.
    #[inline(always)]
    pub(super) fn meets(self, [a, b, c]: [Corner; 3]) -> ([f32; 3], [f32; 3]) {
        let normal = cross(difference(b.now, a.now), difference(c.now, a.now));
        let middle = scaled(sum(sum(a.now, b.now), c.now), THIRD);
        let way = scaled(self.way, self.gusts.at(middle));
        (normal, difference(way, sum(sum(a.moved(), b.moved()), c.moved())))
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
