//! Properties of one relaxation of every valid stick, including extreme ones.

use proptest::prelude::*;
use taut_core::{ABSENT, Formula, LEAST_SQUARED_LENGTH, Real, Response};

use crate::meshes::for_all;
use crate::one_stick::{Stick, bits, length, sticks_of_all_sizes};

/// A property that holds for every formula and every valid stick.
trait Property {
    fn check<const D: usize>(formula: Formula, stick: Stick<D>);
}

fn assert_property<P: Property>() {
    assert_property_in::<P, 2>();
    assert_property_in::<P, 3>();
}

fn assert_property_in<P: Property, const D: usize>() {
    let check = |stick: Stick<D>| Formula::ALL.iter().for_each(|&formula| P::check(formula, stick));
    extreme_sticks().for_each(check);
    for_all(4000, valid_stick(), check);
}

/// All combinations of values at the limits of the valid ranges and of values with which some
/// operation begins to underflow.
fn extreme_sticks<const D: usize>() -> impl Iterator<Item = Stick<D>> {
    const COORDINATES: [f32; 9] = [0.0, 1e-20, 1.09e-19, -1e-15, 1e-5, -1.0, 1e5, 1e12, -1e12];
    const RESTS: [f32; 4] = [1e-15, 1e-5, 1.0, 1e10];
    const INVERSE_MASSES: [f32; 4] = [0.0, 1e-9, 1.0, 1e9];
    // Compliance in m/N, and 1 / h² in 1/s², where h is the duration of a substep.
    const COMPLIANCES: [[f32; 2]; 4] = [[0.0, 0.01], [1e-45, 1e10], [1e-3, 3600.0], [100.0, 1e10]];
    // The fields of `Response`: `stretched` and `compressed`. `None`: a plain stick.
    const RESPONSES: [Option<[f32; 2]>; 4] =
        [None, Some([1.0, 0.0]), Some([0.0, 0.3]), Some([1e-45, 1e-45])];
    // A mixed-radix counter with one digit for each choice. The radices are the lengths above, and 2
    // for `all_axes`: whether an end has its coordinate on all axes, or on the first one only.
    let radices = [9, 9, 2, 4, 4, 4, 4, 4];
    (0..radices.iter().product::<usize>()).map(move |mut index| {
        let [a, b, all_axes, rest, wa, wb, compliance, response] = radices.map(|radix| {
            let digit = index % radix;
            index /= radix;
            digit
        });
        let end = |x| std::array::from_fn(|axis| if axis == 0 || all_axes == 1 { x } else { 0.0 });
        let [compliance, inverse_h2] = COMPLIANCES[compliance];
        Stick {
            ends: [end(COORDINATES[a]), end(COORDINATES[b])],
            inverse_masses: [INVERSE_MASSES[wa], INVERSE_MASSES[wb]],
            rest: RESTS[rest],
            compliance,
            inverse_h2,
            response: RESPONSES[response]
                .map(|[stretched, compressed]| Response { stretched, compressed }),
        }
    })
}

/// 10 to the power of a random exponent in a range.
fn power_of_ten(exponents: std::ops::Range<f64>) -> impl Strategy<Value = f32> + Clone {
    exponents.prop_map(|exponent| 10.0_f64.powf(exponent) as f32)
}

/// Random sticks with values in the whole valid range.
fn valid_stick<const D: usize>() -> impl Strategy<Value = Stick<D>> {
    let x = prop_oneof![
        1 => Just(0.0),
        3 => power_of_ten(-20.0..12.0),
        3 => power_of_ten(-20.0..12.0).prop_map(|x| -x),
    ];
    let point = proptest::array::uniform::<_, D>(x);
    // The second end at an offset of any magnitude from the first.
    let offset_ends = (point.clone(), point.clone()).prop_map(|(a, offset)| {
        let b: [f32; D] = std::array::from_fn(|axis| (a[axis] + offset[axis]).clamp(-1e12, 1e12));
        [a, b.map(Real::positive_zero)]
    });
    let ends = prop_oneof![[point.clone(), point], offset_ends];
    let inverse_mass = prop_oneof![1 => Just(0.0), 4 => power_of_ten(-9.0..9.0)];
    let compliance = prop_oneof![Just(0.0), power_of_ten(-12.0..2.0)];
    let multiplier = || prop_oneof![1 => Just(0.0), 1 => Just(1.0), 2 => 1e-6..1.0_f32];
    let response = proptest::option::of(
        (multiplier(), multiplier())
            .prop_map(|(stretched, compressed)| Response { stretched, compressed }),
    );
    let inverse_masses = [inverse_mass.clone(), inverse_mass];
    let inverse_h2 = power_of_ten(-2.0..10.0);
    (ends, inverse_masses, power_of_ten(-15.0..10.0), compliance, inverse_h2, response).prop_map(
        |(ends, inverse_masses, rest, compliance, inverse_h2, response)| Stick {
            ends,
            inverse_masses,
            rest,
            compliance,
            inverse_h2,
            response,
        },
    )
}

#[test]
fn valid_sticks_never_give_nan_infinity_or_negative_zero() {
    struct Finite;
    impl Property for Finite {
        fn check<const D: usize>(formula: Formula, stick: Stick<D>) {
            for x in stick.relaxed(formula).as_flattened() {
                assert!(x.is_finite(), "{formula}: {x} from {stick:?}");
                assert!(x.to_bits() != (-0.0_f32).to_bits(), "{formula}: {x} from {stick:?}");
            }
        }
    }
    assert_property::<Finite>();
}

#[test]
fn swapped_ends_give_the_same_bits_swapped() {
    struct Symmetric;
    impl Property for Symmetric {
        fn check<const D: usize>(formula: Formula, stick: Stick<D>) {
            let [a, b] = stick.relaxed(formula);
            let swapped = stick.swapped().relaxed(formula);
            assert_eq!(bits([b, a]), bits(swapped), "{formula}: {stick:?}");
        }
    }
    assert_property::<Symmetric>();
}

#[test]
fn pinned_ends_and_coincident_ends_keep_their_bits() {
    struct Unmoved;
    impl Property for Unmoved {
        fn check<const D: usize>(formula: Formula, stick: Stick<D>) {
            let [before, after] = [bits(stick.ends), bits(stick.relaxed(formula))];
            for end in 0..2 {
                if stick.inverse_masses[end] == 0.0 {
                    assert_eq!(before[end], after[end], "{formula}: pinned, {stick:?}");
                }
            }
            if length(stick.ends).powi(2) < 0.999 * LEAST_SQUARED_LENGTH {
                assert_eq!(before, after, "{formula}: coincident, {stick:?}");
            }
            // The same stick with equal ends, so a length of exactly 0.
            let equal = Stick { ends: [stick.ends[0]; 2], ..stick };
            assert_eq!(bits(equal.ends), bits(equal.relaxed(formula)), "{formula}: {equal:?}");
        }
    }
    assert_property::<Unmoved>();
}

#[test]
fn a_response_of_one_and_one_equals_none_bit_for_bit() {
    struct Plain;
    impl Property for Plain {
        fn check<const D: usize>(formula: Formula, stick: Stick<D>) {
            let plain = Stick { response: None, ..stick };
            let ones =
                Stick { response: Some(Response { stretched: 1.0, compressed: 1.0 }), ..stick };
            assert_eq!(bits(plain.relaxed(formula)), bits(ones.relaxed(formula)), "{stick:?}");
        }
    }
    assert_property::<Plain>();
}

#[test]
fn the_shortest_stick_with_a_direction_moves_and_a_shorter_one_does_not() {
    let shortest = (LEAST_SQUARED_LENGTH as f32).sqrt(); // 2^-63, exactly
    for formula in Formula::ALL {
        let stick = Stick::new([[0.0, 0.0], [shortest, 0.0]], [1.0, 1.0], 1e-15);
        // Far below the rest length, newton doubles the length, and the others lengthen it more.
        assert!(
            length(stick.relaxed(formula)) > 1.9 * f64::from(shortest),
            "{formula}: the shortest stick must get longer"
        );
        let shorter = Stick::new([[0.0, 0.0], [shortest.next_down(), 0.0]], [1.0, 1.0], 1e-15);
        assert_eq!(
            bits(shorter.relaxed(formula)),
            bits(shorter.ends),
            "{formula}: a shorter stick must not move"
        );
    }
}

#[test]
fn one_sided_sticks_act_on_one_side_only_and_there_as_plain_sticks() {
    for formula in Formula::ALL {
        for plain in sticks_of_all_sizes(20_000) {
            let (l, r) = (length(plain.ends), f64::from(plain.rest));
            if (l / r - 1.0).abs() < 1e-6 {
                continue; // Rounding decides whether it counts as stretched or compressed.
            }
            for (stretched, compressed, acts) in [(1.0, 0.0, l > r), (0.0, 1.0, l < r)] {
                let stick = Stick { response: Some(Response { stretched, compressed }), ..plain };
                let expected = if acts { plain.relaxed(formula) } else { plain.ends };
                assert_eq!(bits(stick.relaxed(formula)), bits(expected), "{formula}: {stick:?}");
            }
        }
    }
}

#[test]
fn stiffness_and_compliance_scale_the_correction() {
    let ends = [[0.0_f64, 1.0, 2.0], [3.0, -1.0, 0.5]];
    for formula in Formula::ALL {
        for rest in [0.5, 3.0, 40.0] {
            let plain = Stick::new(ends, [0.5, 2.0], rest);
            let half = Some(Response { stretched: 0.5, compressed: 0.5 });
            let soft = Stick { response: half, ..plain };
            // `compliance / h²` is 7.5, three times the sum of inverse masses, so the correction is a
            // quarter of that of a plain stick.
            let compliant = Stick { compliance: 0.075, inverse_h2: 100.0, ..plain };
            for (stick, fraction) in [(soft, 0.5), (compliant, 0.25)] {
                let [scaled, full] = [stick, plain].map(|stick| stick.relaxed(formula));
                for end in 0..2 {
                    for axis in 0..3 {
                        let from = ends[end][axis];
                        let expected = fraction * (full[end][axis] - from);
                        let error = (scaled[end][axis] - from - expected).abs();
                        assert!(error <= 1e-12 * rest.max(5.0), "{formula}: {stick:?}");
                    }
                }
            }
        }
    }
}

/// [`ABSENT`] marks a torn stick, or a slot that is padding.
#[test]
fn an_absent_stick_keeps_its_ends_even_if_they_are_infinite() {
    let response = Some(Response { stretched: ABSENT, compressed: 0.0 });
    for formula in Formula::ALL {
        for x in [3.0, f32::INFINITY, f32::NEG_INFINITY] {
            let ends = [[x, 0.0], [1.0, 0.5]];
            let absent = Stick { response, ..Stick::new(ends, [1.0, 1.0], 1.0) };
            assert_eq!(bits(absent.relaxed(formula)), bits(ends), "{formula}: {x}");
        }
    }
}
