//! Wind laws for one triangle.
//!
//! A law gets the `normal` of a triangle, of length 2 A, m², and `u`, the displacement of the air
//! relative to the triangle over three substeps, m.
//!
//! The mobility of a corner, s/kg, is the velocity that it gains if a unit force acts on each triangle
//! around it: a third of its inverse mass, times the duration of the force, times the number of
//! triangles. The coefficient, force over speed, is limited so that a mobile corner does not
//! overshoot the velocity of the air.

use super::THIRD;
use crate::vector::{dot, scaled, sum};

/// A wind law.
pub(super) trait TriangleLaw: Copy {
    /// The coefficient, kg/s, without a limit.
    fn coefficient(self, normal: [f32; 3], u: [f32; 3]) -> f32;

    /// The force, N, where `numerator / denominator` is the coefficient divided by the duration of
    /// three substeps, kg/s². (The two are separate because some laws divide anyway.)
    fn force(self, normal: [f32; 3], u: [f32; 3], numerator: f32, denominator: f32) -> [f32; 3];

    /// The largest allowed product of coefficient and mobility. With 1, a corner reaches the
    /// velocity of the air.
    #[inline(always)]
    fn stable_product(self) -> f32 {
        1.0
    }
}

/// Computes the force on each corner of a triangle: a third of the force of a law.
#[derive(Clone, Copy)]
pub(super) struct CornerForce<L> {
    law: L,
    /// A third divided by the duration of three substeps, 1/s.
    third_per_3h: f32,
}

impl<L: TriangleLaw> CornerForce<L> {
    /// For substeps of `h`, s.
    pub(super) fn new(law: L, h: f32) -> Self {
        Self { law, third_per_3h: THIRD * (THIRD / h) }
    }

    /// The force on each corner, N, with the coefficient limited to what is stable for a mobility,
    /// s/kg.
    #[inline(always)]
    pub(super) fn limited(self, normal: [f32; 3], u: [f32; 3], mobility: f32) -> [f32; 3] {
        let (coefficient, limit) = (self.law.coefficient(normal, u), self.law.stable_product());
        let is_stable = coefficient * mobility <= limit;
        // The mobility of a triangle with three pinned corners is 0.
        let mobility = larger(mobility, f32::MIN_POSITIVE);
        let (numerator, denominator) =
            (if is_stable { coefficient } else { limit }, if is_stable { 1.0 } else { mobility });
        self.law.force(normal, u, numerator * self.third_per_3h, denominator)
    }

    /// The force on each corner without a limit, N, and whether it is stable for a mobility, s/kg.
    #[inline(always)]
    pub(super) fn unlimited(
        self,
        normal: [f32; 3],
        u: [f32; 3],
        mobility: f32,
    ) -> ([f32; 3], bool) {
        let coefficient = self.law.coefficient(normal, u);
        let third = self.law.force(normal, u, coefficient * self.third_per_3h, 1.0);
        (third, coefficient * mobility <= self.law.stable_product())
    }
}

/// The larger of two numbers; `b` if one of them is NaN.
#[inline(always)]
pub(super) fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// [`WindLaw::Normal`](super::WindLaw::Normal).
#[derive(Clone, Copy)]
pub(super) struct NormalLaw {
    /// p / 2, N s/m³. (Half, because normals have the length 2 A.)
    pub(super) half_pressure: f32,
}

impl TriangleLaw for NormalLaw {
    #[inline(always)]
    fn coefficient(self, normal: [f32; 3], _: [f32; 3]) -> f32 {
        self.half_pressure * dot(normal, normal).sqrt()
    }

    #[inline(always)]
    fn force(self, normal: [f32; 3], u: [f32; 3], numerator: f32, denominator: f32) -> [f32; 3] {
        let per_normal = dot(normal, u) / (nonzero(dot(normal, normal)) * denominator);
        scaled(normal, per_normal * numerator)
    }
}

/// A squared length that is safe to divide by: at least the smallest normal number.
///
/// (The operand is clamped. For a select on the quotient instead, the compiler would load the operands
/// in the selected lanes only, and the loop would stall.)
#[inline(always)]
fn nonzero(squared_length: f32) -> f32 {
    larger(squared_length, f32::MIN_POSITIVE)
}

/// [`WindLaw::Plate`](super::WindLaw::Plate) without lift.
#[derive(Clone, Copy)]
pub(super) struct DragLaw {
    /// ρ / 4 divided by the duration of three substeps, kg/m³/s. (A quarter, because normals have
    /// the length 2 A.)
    pub(super) quarter_density_per_3h: f32,
    pub(super) drag: f32,
}

impl TriangleLaw for DragLaw {
    #[inline(always)]
    fn coefficient(self, normal: [f32; 3], u: [f32; 3]) -> f32 {
        self.drag * (self.quarter_density_per_3h * dot(normal, u).abs())
    }

    #[inline(always)]
    fn force(self, _: [f32; 3], u: [f32; 3], numerator: f32, denominator: f32) -> [f32; 3] {
        scaled(u, numerator / denominator)
    }
}

/// [`WindLaw::Plate`](super::WindLaw::Plate) with lift.
#[derive(Clone, Copy)]
pub(super) struct DragLiftLaw {
    /// As in [`DragLaw`].
    pub(super) quarter_density_per_3h: f32,
    pub(super) drag: f32,
    pub(super) lift: f32,
    /// The largest allowed product p of coefficient and mobility. The force changes `u` to
    /// `(1 - p drag) u` plus a vector of length `p lift |u|` perpendicular to `u`. The result is not
    /// longer than `u` if `p (drag² + lift²) <= 2 drag`. The limit is half of that p, so that without
    /// lift `u` does not reverse either.
    pub(super) stable_product: f32,
}

/// The [`stable_product`](DragLiftLaw::stable_product) of these coefficients. The squares of some are not
/// normal numbers in `f32`.
pub(super) fn stable_product(drag: f32, lift: f32) -> f32 {
    let divisor = drag * drag + lift * lift;
    if divisor.is_normal() {
        return drag / divisor;
    }
    let [drag, lift] = [drag, lift].map(f64::from);
    (drag / (drag * drag + lift * lift)) as f32
}

impl TriangleLaw for DragLiftLaw {
    #[inline(always)]
    fn coefficient(self, normal: [f32; 3], u: [f32; 3]) -> f32 {
        self.quarter_density_per_3h * dot(normal, u).abs()
    }

    #[inline(always)]
    fn force(self, normal: [f32; 3], u: [f32; 3], numerator: f32, denominator: f32) -> [f32; 3] {
        let quotient = numerator / denominator;
        let (normal_dot_u, u2) = (dot(normal, u), dot(u, u));
        let lift = self.lift * (if normal_dot_u < 0.0 { -quotient } else { quotient });
        let lift = lift / nonzero(dot(normal, normal) * u2).sqrt();
        let per_u = self.drag * quotient - lift * normal_dot_u;
        sum(scaled(u, per_u), scaled(normal, lift * u2))
    }

    #[inline(always)]
    fn stable_product(self) -> f32 {
        self.stable_product
    }
}
