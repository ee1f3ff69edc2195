//! Searches along a segment.

/// The fractions of a segment that a search tries are multiples of `1 / PARTS`.
const PARTS: f64 = (1 << 24) as f64;

/// A point of a segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SearchPoint {
    /// Where it is: a multiple of 2⁻²⁴ from 0 to 1.
    pub(super) fraction: f64,
    /// The value there.
    pub(super) value: f64,
}

/// Finds the fraction, from 0 to 1, at which `reached` becomes true; it must not change back.
/// Returns two fractions that differ by 2⁻²⁴: `reached` is false at the first (which is 0 if
/// `reached` is always true) and true at the second (which is 1 if it is always false).
#[inline(always)]
pub(super) fn first_reached(reached: impl Fn(f64) -> bool) -> [f64; 2] {
    let sign = |fraction: f64| if reached(fraction) { 1.0 } else { -1.0 };
    // With these values, interpolation is bisection.
    let ends = [(0.0, -1.0), (1.0, 1.0)].map(|(fraction, value)| SearchPoint { fraction, value });
    first_reached_by(sign, ends, 0.0, |sign| sign > 0.0).map(|point| point.fraction)
}

/// As [`first_reached`] between two points, where `reached` depends on a `value` that never falls
/// along the segment, and becomes true where the value passes `threshold`. Interpolation between
/// values makes this faster, and it takes at most one evaluation more than bisection: the ITP method
/// (Oliveira and Takahashi, "An Enhancement of the Bisection Method Average Performance Preserving
/// Minmax Optimality", 2021).
#[inline(always)]
pub(super) fn first_reached_by(
    value: impl Fn(f64) -> f64,
    [mut before, mut after]: [SearchPoint; 2],
    threshold: f64,
    reached: impl Fn(f64) -> bool,
) -> [SearchPoint; 2] {
    // The width, in parts, that bisection would reach one evaluation later.
    let width = PARTS * (after.fraction - before.fraction);
    let mut bisected_width = 2.0 * width.max(1.0);
    loop {
        let width = PARTS * (after.fraction - before.fraction);
        if width <= 1.0 {
            return [before, after];
        }
        let half = 0.5 * width;
        // How far the next point may be from the middle.
        let freedom = (0.5 * bisected_width - half).max(0.0);
        bisected_width *= 0.5;
        // The interpolated point, moved towards the middle by a distance that falls with the square of
        // the width, so that the next points are on both sides of the root.
        let interpolated = width * ((threshold - before.value) / (after.value - before.value));
        let towards_middle = 0.2 * width * (width / PARTS);
        let from_middle = interpolated - half;
        let from_middle = from_middle.signum() * (from_middle.abs() - towards_middle).max(0.0);
        // `min` and `max` replace NaN, for instance if both values are equal.
        let offset = half + from_middle.min(freedom).max(-freedom);
        let offset = f64::from(offset as i32).max(1.0).min(width - 1.0);
        let fraction = before.fraction + offset / PARTS;
        let point = SearchPoint { fraction, value: value(fraction) };
        if reached(point.value) {
            after = point;
        } else {
            before = point;
        }
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the same fractions, exactly")]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Values along a segment.
    type Curve = fn(f64) -> f64;

    /// The result by bisection.
    fn bisected(reached: impl Fn(f64) -> bool) -> [f64; 2] {
        let [mut before, mut after] = [0.0, 1.0];
        for _ in 0..24 {
            let middle = 0.5 * (before + after);
            if reached(middle) {
                after = middle;
            } else {
                before = middle;
            }
        }
        [before, after]
    }

    fn ends(value: impl Fn(f64) -> f64) -> [SearchPoint; 2] {
        [0.0, 1.0].map(|fraction| SearchPoint { fraction, value: value(fraction) })
    }

    #[test]
    fn interpolation_finds_what_bisection_finds() {
        // Each with the greatest number of evaluations on average.
        let curves: [(Curve, u32); 5] = [
            (|x| x, 8),
            (|x| x / (0.01 + x * x).sqrt(), 9), // as along a stick on a ball
            (|x| x * x * x, 25),
            (|x| if x < 0.0 { -1.0 } else { 0.3 }, 25), // as at a sharp edge
            (|x| if x < 0.0 { -1.0 } else { 1e-9 + x }, 25),
        ];
        for (index, (curve, most)) in curves.into_iter().enumerate() {
            let evaluations = Cell::new(0);
            for part in 0..100 {
                let root = (f64::from(part) + 0.37) / 100.0;
                let value = |fraction: f64| {
                    evaluations.set(evaluations.get() + 1);
                    curve(fraction - root)
                };
                let found =
                    first_reached_by(value, ends(|x| curve(x - root)), 0.0, |value| value >= 0.0);
                let found = found.map(|point| point.fraction);
                assert_eq!(found, bisected(|fraction| curve(fraction - root) >= 0.0));
                assert_eq!(found, first_reached(|fraction| curve(fraction - root) >= 0.0));
            }
            assert!(evaluations.get() <= 100 * most, "curve {index}: {evaluations:?}");
        }
    }

    #[test]
    fn a_search_without_a_change_returns_an_end() {
        let smallest = 1.0 / PARTS;
        assert_eq!(first_reached(|_| true), [0.0, smallest]);
        assert_eq!(first_reached(|_| false), [1.0 - smallest, 1.0]);
        let value = |fraction: f64| fraction + 1.0;
        let found = |limit| {
            first_reached_by(value, ends(value), limit, |value| value >= limit)
                .map(|it| it.fraction)
        };
        assert_eq!(found(0.0), [0.0, smallest]);
        assert_eq!(found(9.0), [1.0 - smallest, 1.0]);
        let found = first_reached_by(|_| 1.0, ends(|_| 1.0), 1.0, |value| value >= 1.0);
        assert_eq!(found.map(|it| it.fraction), [0.0, smallest]);
    }
}
