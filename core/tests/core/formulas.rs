//! The four formulas against plain arithmetic in `f64`.
//!
//! Errors of new lengths are in ulp (2^-23) of the longer of the lengths before and after. The ends
//! move by rounded multiples of their old distance, so no formula can be more accurate where it
//! shortens a long stick. The largest errors of 20 million random sticks of all lengths and inverse
//! masses: exact 2.7, newton 2.7, halley 2.1, quick 2.2 in addition to the error of its root.

use taut_core::formula::reciprocal_sqrt;
use taut_core::{Factor, Formula, Lane, Real, UnknownFormula, WithFactor};

use crate::meshes::Random;
use crate::one_stick::{Stick, bits, length, new_length, sticks_of_all_sizes};

/// The relative spacing of `f32` at a power of two.
const ULP: f64 = f32::EPSILON as f64;
/// The documented relative error of `reciprocal_sqrt` in `f32`.
const ROOT_ERROR: f64 = 5e-7;

/// The largest allowed error of the new length: in ulp of the longer length, plus a fraction of the
/// rest length.
fn tolerance(formula: Formula) -> (f64, f64) {
    match formula {
        Formula::Exact | Formula::Newton => (3.0, 0.0),
        Formula::Halley => (2.25, 0.0),
        Formula::Quick => (2.5, ROOT_ERROR),
    }
}

/// Checks the length after one relaxation, with `extra_ulps` in addition to the tolerance.
fn assert_new_length(formula: Formula, stick: Stick<3>, extra_ulps: f64) {
    let (l, r) = (length(stick.ends), f64::from(stick.rest));
    let expected = new_length(formula, l, r);
    let new = length(stick.relaxed(formula));
    let (ulps, rest_fraction) = tolerance(formula);
    assert!(
        (new - expected).abs() <= (ulps + extra_ulps) * ULP * l.max(expected) + rest_fraction * r,
        "{formula}: from {l} to {new}, expected {expected}: {stick:?}"
    );
}

#[test]
fn new_lengths_match_exact_arithmetic_at_every_size() {
    for formula in Formula::ALL {
        for stick in sticks_of_all_sizes(300_000) {
            assert_new_length(formula, stick, 0.0);
        }
    }
}

#[test]
fn new_lengths_match_where_squares_times_inverse_masses_are_subnormal() {
    // Rest lengths near 1e-15 m and an inverse mass of 1e-9 per kg: the divisor is subnormal and
    // has fewer bits. The largest errors of ten million sticks: newton 4.0 ulp, halley 9.1 ulp. With
    // 7.25 extra ulp, halley may have 2.25 + 7.25 = 9.5 ulp.
    let mut random = Random::new(2);
    for _ in 0..200_000 {
        let ends = [[0.0; 3], [0.0, random.magnitude(2e-19, 1e-14) as f32, 0.0]];
        let stick = Stick::new(ends, [0.0, 1e-9], random.magnitude(1e-15, 3e-15) as f32);
        for formula in Formula::ALL {
            assert_new_length(formula, stick, 7.25);
        }
    }
}

#[test]
fn the_centre_of_mass_does_not_move() {
    for formula in Formula::ALL {
        for stick in sticks_of_all_sizes(100_000) {
            let relaxed = stick.relaxed(formula);
            let [wa, wb] = stick.inverse_masses.map(f64::from);
            let longer = length(stick.ends).max(length(relaxed));
            for axis in 0..3 {
                // Weights in proportion to the masses 1 / wa and 1 / wb, also if one end is pinned.
                let centre = |ends: [[f32; 3]; 2]| {
                    (f64::from(ends[0][axis]) * wb + f64::from(ends[1][axis]) * wa) / (wa + wb)
                };
                let moved = (centre(relaxed) - centre(stick.ends)).abs();
                assert!(moved <= 0.75 * ULP * longer, "{formula}: {moved} m, {stick:?}");
            }
        }
    }
}

#[test]
fn newton_never_ends_too_long_and_halley_never_overshoots() {
    for stick in sticks_of_all_sizes(300_000) {
        let (l, r) = (length(stick.ends), f64::from(stick.rest));
        let newton = length(stick.relaxed(Formula::Newton));
        assert!(newton - r <= 3.0 * ULP * l.max(r), "newton: from {l} to {newton}: {stick:?}");
        let halley = length(stick.relaxed(Formula::Halley));
        let overshoot = (r - halley) * (l - r).signum();
        assert!(overshoot <= 2.25 * ULP * l.max(halley), "halley: from {l} to {halley}: {stick:?}");
    }
}

/// The factor `g` in plain `f32`, operation by operation as the formulas are defined. The order of
/// operations decides the bits, so it is part of the guarantee.
fn factor_as_defined(formula: Formula, l2: f32, r: f32, w: f32) -> f32 {
    let r2 = r * r;
    match formula {
        Formula::Exact => (l2.sqrt() - r) / (l2.sqrt() * w),
        Formula::Newton => (l2 - r2) / ((l2 + r2) * w),
        Formula::Halley => ((l2 - r2) + (l2 - r2)) / ((r2 + l2 * 3.0) * w),
        Formula::Quick => {
            let seed = f32::from_bits(0x5f60_0720 - (l2.to_bits() >> 1));
            let first = seed * (1.189_119_8 - l2 * 0.248_776_1 * seed * seed);
            let y = first * (1.500_000_4 - l2 * 0.500_000_06 * first * first);
            (1.0 - r * y) * (1.0 / w)
        }
    }
}

#[test]
fn relaxation_equals_the_defined_operations_bit_for_bit() {
    for formula in Formula::ALL {
        for stick in sticks_of_all_sizes(50_000) {
            let ([a, b], [wa, wb]) = (stick.ends, stick.inverse_masses);
            let d = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
            let l2 = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
            let g = factor_as_defined(formula, l2, stick.rest, wa + wb);
            let moved = |axis: usize| [a[axis] + d[axis] * (wa * g), b[axis] - d[axis] * (wb * g)];
            let [x, y, z] = [0, 1, 2].map(moved);
            let expected = [0, 1].map(|end| [x[end], y[end], z[end]]);
            assert_eq!(bits(stick.relaxed(formula)), bits(expected), "{formula}: {stick:?}");
        }
    }
}

/// The length after one relaxation, in `f64`, of a stick with the length `l` and the rest length 1.
fn length_from_unit_rest(formula: Formula, l: f64) -> f64 {
    length(Stick::new([[0.0, 0.0], [0.6 * l, 0.8 * l]], [0.0, 1.0], 1.0).relaxed(formula))
}

#[test]
fn newton_is_of_second_order_near_rest_and_halley_of_third() {
    for (formula, order, expected_coefficient) in
        [(Formula::Newton, 2.0, -0.5), (Formula::Halley, 3.0, 0.25)]
    {
        for side in [1.0, -1.0] {
            let error = |strain: f64| length_from_unit_rest(formula, 1.0 + side * strain) - 1.0;
            let fitted_order = (error(2e-3) / error(1e-3)).log2();
            assert!((fitted_order - order).abs() < 0.01, "{formula} is of order {fitted_order}");
            let coefficient = error(1e-3) / (side * 1e-3).powf(order);
            assert!(
                (coefficient - expected_coefficient).abs() < 0.01,
                "{formula}: the error is {coefficient} (l - r)^{order}"
            );
        }
    }
}

#[test]
fn far_from_rest_halley_changes_lengths_threefold_and_newton_collapses_long_sticks() {
    let check = |formula, l: f64, expected: f64| {
        let new = length_from_unit_rest(formula, l);
        assert!(
            (new / expected - 1.0).abs() < 1e-5,
            "{formula}: from {l} to {new}, expected {expected}"
        );
    };
    check(Formula::Halley, 1e-4, 3e-4);
    check(Formula::Halley, 1e4, 1e4 / 3.0);
    check(Formula::Newton, 1e-4, 2e-4);
    check(Formula::Newton, 1e4, 2e-4);
    check(Formula::Newton, 3.0, 0.6);
}

/// The largest relative error of `reciprocal_sqrt` over `values`.
fn largest_root_error<S: Real>(values: impl Iterator<Item = S>) -> f64 {
    let error = |x: S| (reciprocal_sqrt(x).to_f64() * x.to_f64().sqrt() - 1.0).abs();
    values.map(error).fold(0.0, f64::max)
}

#[test]
fn reciprocal_roots_are_within_their_bound_in_f32() {
    let [one, four] = [1.0_f32, 4.0].map(f32::to_bits);
    let two_octaves = largest_root_error((one..four).step_by(3).map(f32::from_bits));
    assert!((4.9e-7..ROOT_ERROR).contains(&two_octaves), "largest error {two_octaves}");
    // The error repeats at every factor of four, except for the smallest numbers, whose
    // intermediate results are subnormal.
    let [first, third, end] = [1_u32, 3, 255].map(|exponent| exponent << 23);
    let smallest = largest_root_error((first..third).step_by(5).map(f32::from_bits));
    assert!(smallest < ROOT_ERROR, "largest error {smallest}");
    let all = largest_root_error((first..end).step_by(4099).map(f32::from_bits));
    assert!(all < ROOT_ERROR, "largest error {all}");
}

#[test]
fn reciprocal_roots_are_within_their_bound_in_f64() {
    let [one, four] = [1.0_f64, 4.0].map(f64::to_bits);
    let two_octaves = largest_root_error((one..four).step_by((1 << 33) + 1).map(f64::from_bits));
    assert!((3.1e-7..3.3e-7).contains(&two_octaves), "largest error {two_octaves}");
    let [first, end] = [1_u64, 2047].map(|exponent| exponent << 52);
    let all = largest_root_error((first..end).step_by((1 << 43) + 3).map(f64::from_bits));
    assert!(all < 3.3e-7, "largest error {all}");
}

#[test]
fn the_seed_is_1_2_to_1_4_over_the_root_in_both_types() {
    let mut random = Random::new(3);
    for _ in 0..100_000 {
        let x = random.magnitude(1e-30, 1e30);
        let of_f32 = f64::from((x as f32).reciprocal_sqrt_seed()) * x.sqrt();
        let of_f64 = x.reciprocal_sqrt_seed() * x.sqrt();
        assert!((1.2..1.4).contains(&of_f32), "{of_f32} for {x}");
        assert!((of_f64 / of_f32 - 1.0).abs() < 1e-6, "{of_f64} for {x}, in f32 {of_f32}");
    }
}

#[test]
fn roots_of_lanes_are_correctly_rounded() {
    let mut random = Random::new(4);
    for _ in 0..100_000 {
        let x = random.magnitude(1e-40, 1e38);
        // The root of an `f32`, rounded to `f64` and then to `f32`, has the bits of the root rounded
        // once.
        let exact = f64::from(x as f32).sqrt() as f32;
        assert_eq!(Lane::sqrt(x as f32), exact);
        let root = Lane::sqrt(x);
        let error = |root: f64| (root.mul_add(root, -x)).abs();
        assert!(error(root) <= error(root.next_up()) && error(root) <= error(root.next_down()));
    }
}

#[test]
fn a_formula_is_parsed_from_its_name_and_dispatched_to_its_type() {
    struct FormulaOf;
    impl WithFactor for FormulaOf {
        type Output = Formula;
        fn with<F: Factor>(self) -> Formula {
            F::FORMULA
        }
    }
    for formula in Formula::ALL {
        assert_eq!(formula.name().parse(), Ok(formula));
        assert_eq!(formula.to_string(), formula.name());
        assert_eq!(format!("{formula:>8}").len(), 8);
        assert_eq!(formula.dispatch(FormulaOf), formula);
    }
    assert_eq!("Halley".parse::<Formula>(), Err(UnknownFormula));
    assert_eq!(Formula::default(), Formula::Halley);
}

#[test]
fn only_quick_stores_the_weight_term() {
    for formula in Formula::ALL {
        assert_eq!(formula.stores_weight(), formula == Formula::Quick, "{formula}");
    }
}
