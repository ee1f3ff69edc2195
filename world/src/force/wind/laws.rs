//! What wind does to a triangle, in numbers for loops.

use super::THIRD;
use crate::vector::{dot, scaled, sum};

/// What a law makes of a triangle, by its normal of length 2 A, m², and how much farther the air goes
/// in three substeps, m, `u`.
pub(super) trait Law: Copy {
    /// The force by speed, kg/s, where nothing limits it.
    fn by_speed(self, normal: [f32; 3], u: [f32; 3]) -> f32;

    /// The force, N, if by `u` it is `by / per`, kg/s², to which it is proportional. (Two numbers, as
    /// some divide anyway.)
    fn force(self, normal: [f32; 3], u: [f32; 3], by: f32, per: f32) -> [f32; 3];

    /// The most that a force by speed may be for corners of a looseness of 1 s/kg.
    #[inline(always)]
    fn reach(self) -> f32 {
        1.0
    }
}

/// What the corners of triangles get by a law: a third of the force each.
#[derive(Clone, Copy)]
pub(super) struct Thirds<L> {
    law: L,
    /// A third of one over three substeps, 1/s.
    third_per_3h: f32,
}

impl<L: Law> Thirds<L> {
    /// In substeps of `h`, s.
    pub(super) fn new(law: L, h: f32) -> Self {
        Self { law, third_per_3h: THIRD * (THIRD / h) }
    }

    /// What each gets, N, where the force by speed is cut down to what is not too much for a
    /// looseness, s/kg.
    #[inline(always)]
    pub(super) fn of(self, normal: [f32; 3], u: [f32; 3], loose: f32) -> [f32; 3] {
        let (by_speed, reach) = (self.law.by_speed(normal, u), self.law.reach());
        let free = by_speed * loose <= reach;
        // Pinned corners are not loose at all.
        let loose = at_least(loose, f32::MIN_POSITIVE);
        let (by_speed, per) = (if free { by_speed } else { reach }, if free { 1.0 } else { loose });
        self.law.force(normal, u, by_speed * self.third_per_3h, per)
    }

    /// The same where nothing is cut down, and whether that is right.
    #[inline(always)]
    pub(super) fn if_free(self, normal: [f32; 3], u: [f32; 3], loose: f32) -> ([f32; 3], bool) {
        let by_speed = self.law.by_speed(normal, u);
        let third = self.law.force(normal, u, by_speed * self.third_per_3h, 1.0);
        (third, by_speed * loose <= self.law.reach())
    }
}

/// The larger of two numbers; the second if the first is none.
#[inline(always)]
pub(super) fn at_least(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[derive(Clone, Copy)]
pub(super) struct Normal {
    pub(super) half_pressure: f32,
}

impl Law for Normal {
    #[inline(always)]
    fn by_speed(self, normal: [f32; 3], _: [f32; 3]) -> f32 {
        self.half_pressure * dot(normal, normal).sqrt()
    }

    #[inline(always)]
    fn force(self, normal: [f32; 3], u: [f32; 3], by: f32, per: f32) -> [f32; 3] {
        let along = dot(normal, u) / (length_squared(dot(normal, normal)) * per);
        scaled(normal, along * by)
    }
}

/// A squared length to divide by: none is so short that it has no direction.
///
/// (Not as a selection of what comes of it: the compiler would load what that is made of only where
/// it is selected, and wait.)
#[inline(always)]
fn length_squared(squared: f32) -> f32 {
    at_least(squared, f32::MIN_POSITIVE)
}

#[derive(Clone, Copy)]
pub(super) struct Drag {
    /// ρ / 4 by three substeps, kg/m³/s: normals are twice as long as areas.
    pub(super) quarter_density_per_3h: f32,
    pub(super) drag: f32,
}

impl Law for Drag {
    #[inline(always)]
    fn by_speed(self, normal: [f32; 3], u: [f32; 3]) -> f32 {
        self.drag * (self.quarter_density_per_3h * dot(normal, u).abs())
    }

    #[inline(always)]
    fn force(self, _: [f32; 3], u: [f32; 3], by: f32, per: f32) -> [f32; 3] {
        scaled(u, by / per)
    }
}

#[derive(Clone, Copy)]
pub(super) struct DragAndLift {
    /// As above.
    pub(super) quarter_density_per_3h: f32,
    pub(super) drag: f32,
    pub(super) lift: f32,
    /// How much of both together lets nothing grow: with d of drag and l of lift, `u` becomes
    /// `(1 - d) u` and `l |u|` across it; that is no longer than `u` if `d² + l² <= 2 d`.
    pub(super) reach: f32,
}

impl Law for DragAndLift {
    #[inline(always)]
    fn by_speed(self, normal: [f32; 3], u: [f32; 3]) -> f32 {
        self.quarter_density_per_3h * dot(normal, u).abs()
    }

    #[inline(always)]
    fn force(self, normal: [f32; 3], u: [f32; 3], by: f32, per: f32) -> [f32; 3] {
        let by = by / per;
        let (across, u2) = (dot(normal, u), dot(u, u));
        let lift = self.lift * (if across < 0.0 { -by } else { by });
        let lift = lift / length_squared(dot(normal, normal) * u2).sqrt();
        let along = self.drag * by - lift * across;
        sum(scaled(u, along), scaled(normal, lift * u2))
    }

    #[inline(always)]
    fn reach(self) -> f32 {
        self.reach
    }
}
