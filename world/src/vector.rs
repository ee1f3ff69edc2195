//! The little of vectors that builders need, in `f64` and any dimension.

/// `a + b`.
pub(crate) fn sum<const D: usize>(a: [f64; D], b: [f64; D]) -> [f64; D] {
    core::array::from_fn(|axis| a[axis] + b[axis])
}

/// `a - b`.
pub(crate) fn difference<const D: usize>(a: [f64; D], b: [f64; D]) -> [f64; D] {
    core::array::from_fn(|axis| a[axis] - b[axis])
}

/// `a` times a number.
pub(crate) fn scaled<const D: usize>(a: [f64; D], by: f64) -> [f64; D] {
    a.map(|along| along * by)
}

/// `a · b`.
pub(crate) fn dot<const D: usize>(a: [f64; D], b: [f64; D]) -> f64 {
    (0..D).map(|axis| a[axis] * b[axis]).sum()
}

/// `a × b`.
pub(crate) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    core::array::from_fn(|axis| {
        let [next, after] = [(axis + 1) % 3, (axis + 2) % 3];
        a[next] * b[after] - a[after] * b[next]
    })
}

/// `|a|`.
pub(crate) fn length<const D: usize>(a: [f64; D]) -> f64 {
    libm::sqrt(dot(a, a))
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
