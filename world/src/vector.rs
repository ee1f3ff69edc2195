//! The little of vectors that is needed, in any dimension: of whatever is added and multiplied the
//! same way everywhere, in a fixed order.

use taut_core::Lane;

/// `a + b`.
#[inline(always)]
pub(crate) fn sum<L: Lane, const D: usize>(a: [L; D], b: [L; D]) -> [L; D] {
    core::array::from_fn(|axis| a[axis] + b[axis])
}

/// `a - b`.
#[inline(always)]
pub(crate) fn difference<L: Lane, const D: usize>(a: [L; D], b: [L; D]) -> [L; D] {
    core::array::from_fn(|axis| a[axis] - b[axis])
}

/// `a` times a number.
#[inline(always)]
pub(crate) fn scaled<L: Lane, const D: usize>(a: [L; D], by: L) -> [L; D] {
    a.map(|along| along * by)
}

/// `a + s b`.
#[inline(always)]
pub(crate) fn plus<L: Lane, const D: usize>(a: [L; D], s: L, b: [L; D]) -> [L; D] {
    core::array::from_fn(|axis| a[axis] + s * b[axis])
}

/// `a · b`, as `(a₀ b₀ + a₁ b₁) + a₂ b₂`.
#[inline(always)]
pub(crate) fn dot<L: Lane, const D: usize>(a: [L; D], b: [L; D]) -> L {
    let mut sum = a[0] * b[0];
    for axis in 1..D {
        sum = sum + a[axis] * b[axis];
    }
    sum
}

/// `a × b`.
#[inline(always)]
pub(crate) fn cross<L: Lane>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// `|a|`.
#[inline(always)]
pub(crate) fn length<L: Lane, const D: usize>(a: [L; D]) -> L {
    dot(a, a).sqrt()
}

/// `a` at length 1, if it has a direction.
pub(crate) fn unit<const D: usize>(a: [f64; D]) -> Option<[f64; D]> {
    // Brought to size first, so that squares neither overflow nor vanish.
    let largest = a.iter().fold(0.0_f64, |largest, along| largest.max(along.abs()));
    if !(largest > 0.0 && a.iter().all(|along| along.is_finite())) {
        return None;
    }
    let a = a.map(|along| along / largest);
    Some(scaled(a, 1.0 / length(a)))
}

/// What of `a` is perpendicular to the unit vector `axis`.
pub(crate) fn perpendicular<const D: usize>(a: [f64; D], axis: [f64; D]) -> [f64; D] {
    difference(a, scaled(axis, dot(a, axis)))
}

/// The same in `f64`.
pub(crate) fn wide<const D: usize>(a: [f32; D]) -> [f64; D] {
    a.map(f64::from)
}

/// The same rounded once.
pub(crate) fn rounded<const D: usize>(a: [f64; D]) -> [f32; D] {
    a.map(|along| along as f32)
}
