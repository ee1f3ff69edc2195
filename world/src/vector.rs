//! Small vectors of any dimension and lane type. Operations have a fixed order, so bits are the
//! same on every machine.

use taut_core::Lane;

/// Broadcasts each value to all lanes, in the lane type of `like`.
#[inline(always)]
pub(crate) fn constants<L: Lane, const N: usize>(like: L, values: [f32; N]) -> [L; N] {
    // A loop, here and below: the compiler does not always inline `map`, and code that is not
    // inlined is compiled for the baseline instruction set.
    let mut lanes = [like; N];
    for (lane, value) in lanes.iter_mut().zip(values) {
        *lane = like.constant(value.into());
    }
    lanes
}

/// `a + b`.
#[inline(always)]
pub(crate) fn sum<L: Lane, const D: usize>(a: [L; D], b: [L; D]) -> [L; D] {
    let mut sum = a;
    for (sum, b) in sum.iter_mut().zip(b) {
        *sum = *sum + b;
    }
    sum
}

/// `a - b`.
#[inline(always)]
pub(crate) fn difference<L: Lane, const D: usize>(a: [L; D], b: [L; D]) -> [L; D] {
    let mut difference = a;
    for (difference, b) in difference.iter_mut().zip(b) {
        *difference = *difference - b;
    }
    difference
}

/// `a` times `by`.
#[inline(always)]
pub(crate) fn scaled<L: Lane, const D: usize>(a: [L; D], by: L) -> [L; D] {
    let mut scaled = a;
    for component in &mut scaled {
        *component = *component * by;
    }
    scaled
}

/// `a + s b`.
#[inline(always)]
pub(crate) fn add_scaled<L: Lane, const D: usize>(a: [L; D], s: L, b: [L; D]) -> [L; D] {
    let mut sum = a;
    for (sum, b) in sum.iter_mut().zip(b) {
        *sum = *sum + s * b;
    }
    sum
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

/// The unit vector along `a`; None if `a` is zero or not finite.
pub(crate) fn unit<const D: usize>(a: [f64; D]) -> Option<[f64; D]> {
    // Scaled first, so that squares neither overflow nor underflow.
    let largest = a.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    if !(largest > 0.0 && a.iter().all(|x| x.is_finite())) {
        return None;
    }
    let a = a.map(|x| x / largest);
    Some(scaled(a, 1.0 / length(a)))
}

/// The part of `a` perpendicular to the unit vector `axis`.
pub(crate) fn perpendicular<const D: usize>(a: [f64; D], axis: [f64; D]) -> [f64; D] {
    difference(a, scaled(axis, dot(a, axis)))
}

/// Converts to `f64`.
pub(crate) fn to_f64<const D: usize>(a: [f32; D]) -> [f64; D] {
    a.map(f64::from)
}

/// Rounds to `f32`.
pub(crate) fn rounded<const D: usize>(a: [f64; D]) -> [f32; D] {
    a.map(|x| x as f32)
}
