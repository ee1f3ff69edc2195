//! Segments, such as the axes of limbs.

use crate::vector::{difference, dot};

/// The nearest points of two segments, as fractions of their lengths (Ericson, "Real-Time Collision
/// Detection", 5.1.9, with the names of the book). For parallel segments the search starts at the
/// middle of the first.
#[inline]
pub(super) fn nearest_points<const D: usize>([[p1, q1], [p2, q2]]: [[[f32; D]; 2]; 2]) -> [f32; 2] {
    let (d1, d2, r) = (difference(q1, p1), difference(q2, p2), difference(p1, p2));
    let (a, e, f) = (dot(d1, d1), dot(d2, d2), dot(d2, r));
    let c = dot(d1, r);
    let clamped_ratio = |dividend: f32, divisor: f32| {
        let ratio = if divisor > f32::MIN_POSITIVE { dividend / divisor } else { 0.0 };
        let ratio = if ratio > 0.0 { ratio } else { 0.0 };
        if ratio < 1.0 { ratio } else { 1.0 }
    };
    let b = dot(d1, d2);
    let denominator = a * e - b * b;
    let s =
        if denominator > 1e-6 * (a * e) { clamped_ratio(b * f - c * e, denominator) } else { 0.5 };
    let t = b * s + f;
    if t <= 0.0 {
        [clamped_ratio(-c, a), 0.0]
    } else if t >= e {
        [clamped_ratio(b - c, a), 1.0]
    } else {
        [s, t / e]
    }
}
