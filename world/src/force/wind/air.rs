//! The air around one triangle.
//!
//! The displacements of the three corners of a triangle are summed: this gives three times their mean,
//! without a division. To match, the displacement of the air is that in three substeps.

use super::THIRD;
use crate::force::gusts::Lattice;
use crate::vector::{cross, difference, scaled, sum};

/// The factor by which gusts multiply the wind.
pub(super) trait GustFactor: Copy {
    /// The factor at a position, m.
    fn at(self, position: [f32; 3]) -> f32;
}

/// Wind without gusts.
#[derive(Clone, Copy)]
pub(super) struct Steady;

impl GustFactor for Steady {
    #[inline(always)]
    fn at(self, _: [f32; 3]) -> f32 {
        1.0
    }
}

impl GustFactor for Lattice {
    #[inline(always)]
    fn at(self, position: [f32; 3]) -> f32 {
        self.factor(position)
    }
}

/// The moving air.
#[derive(Clone, Copy)]
pub(super) struct Air<G> {
    /// Displacement over three substeps without gusts, m.
    displacement: [f32; 3],
    gusts: G,
}

impl<G: GustFactor> Air<G> {
    /// Air of a velocity, m/s; `h` is the length of a substep, s.
    pub(super) fn new(velocity: [f32; 3], gusts: G, h: f32) -> Self {
        Self { displacement: scaled(velocity, 3.0 * h), gusts }
    }

    /// The normal of a triangle, of length 2 A, m², and the displacement of the air relative to the
    /// triangle over three substeps, m.
    #[inline(always)]
    pub(super) fn relative_to(self, [a, b, c]: [Corner; 3]) -> ([f32; 3], [f32; 3]) {
        let normal = cross(difference(b.now, a.now), difference(c.now, a.now));
        let middle = scaled(sum(sum(a.now, b.now), c.now), THIRD);
        let of_air = scaled(self.displacement, self.gusts.at(middle));
        let of_triangle = sum(sum(a.displacement(), b.displacement()), c.displacement());
        (normal, difference(of_air, of_triangle))
    }
}

/// The position of a corner of a triangle now and one substep ago, m.
#[derive(Clone, Copy)]
pub(super) struct Corner {
    pub(super) now: [f32; 3],
    pub(super) previous: [f32; 3],
}

impl Corner {
    #[inline(always)]
    fn displacement(self) -> [f32; 3] {
        difference(self.now, self.previous)
    }
}
