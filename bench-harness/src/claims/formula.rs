//! One relaxation of one stick.

use taut::{Factor, Formula, Newton, relax};

use super::run::{length, new_length, or_infinite, relax_once};
use super::{Bound, Check, Claim, Scale, Source, VerdictRule};

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "rest-stays",
        quote: "if the distance is already correct, no change is going to happen",
        source: Source::Jakobsen,
        section: "Cloth Simulation; book chapter after equation 11.4",
        checks: &[
            Check::dimensionless(
                "largest displacement of an end / length, stick along an axis",
                Bound::Exactly(0.0),
            ),
            Check {
                what: "largest displacement of an end / length, stick in any direction",
                unit: "f32 epsilon",
                bound: Bound::AtMost(4.0),
            },
        ],
        rule: VerdictRule::All,
        measure: |scale| Ok(rest_stays(scale)),
        method: "One relaxation with `newton` in f32, along an axis and in many other directions. \
              In those the length is rounded, so a few units in the last place are the best \
              possible.",
        command: "taut claims --show rest-stays",
    },
    Claim {
        name: "taylor-is-newton",
        quote: "the 1st order Taylor expansion at the rest length is equivalent to one \
                Newton-Raphson iteration with initial guess r",
        source: Source::Jakobsen,
        section: "Cloth Simulation",
        checks: &[Check::dimensionless(
            "largest relative difference of the two",
            Bound::AtMost(1e-15),
        )],
        rule: VerdictRule::All,
        measure: |_| Ok(taylor_is_newton()),
        method: "Both approximations of the square root in f64, for lengths from a tenth to ten \
              times the rest length.",
        command: "taut claims --show taylor-is-newton",
    },
    Claim {
        name: "nearly-satisfied",
        quote: "if the constraints are satisfied, at least almost, the root can be approximated \
                from the rest length",
        source: Source::Jakobsen,
        section: "Cloth Simulation",
        checks: &[
            Check::dimensionless("stretch left from 1 %", Bound::AtMost(1e-3)),
            Check::dimensionless("stretch left from 10 %", Bound::AtMost(1e-2)),
            Check::dimensionless("stretch left from 200 %", Bound::AtMost(1e-1)),
        ],
        rule: VerdictRule::All,
        measure: |_| Ok(stretch_left(Formula::Newton, &[1.01, 1.1, 3.0])),
        method: "One relaxation with `newton`; a tenth of the initial stretch may be left, and a \
              twentieth if that is 200 %. Far from rest the formula makes the stick too short.",
        command: "taut accuracy --parts iterations --formulas exact,newton",
    },
    Claim {
        name: "halley-third-order",
        quote: "`halley` is third-order accurate near rest and never overshoots, for one division",
        source: Source::Taut,
        section: "Formula",
        checks: &[
            Check::dimensionless(
                "order of the error, from stretches of 2 % and 1 %",
                Bound::AtLeast(2.9),
            ),
            Check::dimensionless("the same of `newton`", Bound::Between(1.9, 2.1)),
            Check::dimensionless("largest overshoot, lengths 0.01 to 100", Bound::AtMost(1e-12)),
            Check::dimensionless("stretch left from 200 %", Bound::AtMost(0.3)),
        ],
        rule: VerdictRule::All,
        measure: |_| Ok(halley()),
        method: "One relaxation in f64. The order is log2 of the ratio of the remaining errors; \
              the overshoot is how far the new length is on the other side of the rest length.",
        command: "taut accuracy --parts iterations --formulas newton,halley",
    },
    Claim {
        name: "one-solve-satisfies",
        quote: "offsetting both ends by half the correction vector makes the distance once again \
                the rest length",
        source: Source::Mosegaard,
        section: "Constraints: move particles back into place",
        checks: &[Check::dimensionless(
            "largest stretch left, lengths 0.01 to 100",
            Bound::AtMost(1e-12),
        )],
        rule: VerdictRule::All,
        measure: |_| Ok(vec![largest(lengths().map(|l| new_length(Formula::Exact, l) - 1.0))]),
        method: "One relaxation with `exact` in f64.",
        command: "taut claims --show one-solve-satisfies",
    },
    Claim {
        name: "pinned-by-mass",
        quote: "if we want a particle to be immovable, simply set its inverse mass to 0",
        source: Source::Jakobsen,
        section: "Cloth Simulation",
        checks: &[
            Check {
                what: "displacement of the end of inverse mass 0",
                unit: "m",
                bound: Bound::Exactly(0.0),
            },
            Check::dimensionless("stretch left, only the other end moves", Bound::AtMost(1e-12)),
            Check {
                what: "displacement of the centre of mass, unequal masses",
                unit: "m",
                bound: Bound::AtMost(1e-12),
            },
        ],
        rule: VerdictRule::All,
        measure: |_| Ok(pinned_by_mass()),
        method: "A stick of 1.5 m with a rest length of 1 m in f64: once pinned at one end, once \
              with masses of 1 and 4 kg.",
        command: "taut claims --show pinned-by-mass",
    },
];

/// Lengths from 0.01 to 100 times the rest length.
fn lengths() -> impl Iterator<Item = f64> {
    (-200..=200).map(|hundredths| 10_f64.powf(f64::from(hundredths) / 100.0))
}

/// The largest absolute error.
fn largest(errors: impl Iterator<Item = f64>) -> f64 {
    errors.map(f64::abs).max_by(f64::total_cmp).unwrap_or(f64::NAN)
}

/// The |stretch| left by one relaxation from each length.
fn stretch_left(formula: Formula, lengths: &[f64]) -> Vec<f64> {
    lengths.iter().map(|&l| (new_length(formula, l) - 1.0).abs()).collect()
}

fn rest_stays(scale: Scale) -> Vec<f64> {
    // The largest component of the displacement of the end at the origin, divided by the length.
    let displacement = |b: [f32; 3], rest: f32| {
        let (rest_term, weight) = (Newton::rest_term(rest), Newton::weight_term(2.0));
        let ([x, y, z], _) =
            relax::<Newton, f32, 3>([0.0; 3], b, [1.0; 2], rest_term, weight, None);
        let distances = [x, y, z].map(|x| or_infinite(f64::from(x).abs()));
        distances.into_iter().fold(0.0, f64::max) / f64::from(rest)
    };
    let directions = scale.pick(2000, 50);
    let (mut along_axis, mut any_direction) = (0.0, 0.0);
    for direction in 0..directions {
        // Successive directions differ by the golden angle, rad, about the vertical, so they are
        // spread evenly over the sphere. Lengths are from 0.001 to 1000 m.
        let fraction = (f64::from(direction) + 0.5) / f64::from(directions);
        let (height, angle) = (2.0 * fraction - 1.0, 2.399_963_23 * f64::from(direction));
        let radius = (1.0 - height * height).sqrt();
        let metres = 10_f64.powf(6.0 * fraction - 3.0);
        let b = [radius * angle.cos(), height, radius * angle.sin()].map(|x| (metres * x) as f32);
        let rest = length([[0.0; 3], b.map(f64::from)]) as f32;
        any_direction = displacement(b, rest).max(any_direction);
        along_axis = displacement([0.0, rest, 0.0], rest).max(along_axis);
    }
    vec![along_axis, any_direction / f64::from(f32::EPSILON)]
}

fn taylor_is_newton() -> Vec<f64> {
    let difference = |l: f64| {
        let (l2, r) = (l * l, 1.0);
        let taylor = r + (l2 - r * r) / (2.0 * r);
        let newton = f64::midpoint(r, l2 / r);
        taylor / newton - 1.0
    };
    vec![largest(lengths().filter(|l| (0.1..=10.0).contains(l)).map(difference))]
}

fn halley() -> Vec<f64> {
    let order = |formula| {
        let left = stretch_left(formula, &[1.02, 1.01]);
        (left[0] / left[1]).log2()
    };
    let overshoot = lengths().map(|l| {
        let error = new_length(Formula::Halley, l) - 1.0;
        if (error > 0.0) == (l > 1.0) { 0.0 } else { error }
    });
    let left_from_200_percent = stretch_left(Formula::Halley, &[3.0])[0];
    vec![order(Formula::Halley), order(Formula::Newton), largest(overshoot), left_from_200_percent]
}

fn pinned_by_mass() -> Vec<f64> {
    let ends = [[0.0, 0.0, 0.0], [0.9, 0.0, 1.2]];
    let pinned = relax_once(Formula::Exact, ends, [0.0, 1.0], 1.0);
    let free = relax_once(Formula::Exact, ends, [1.0, 0.25], 1.0);
    let centre = |[a, b]: [[f64; 3]; 2]| [0, 1, 2].map(|axis| (a[axis] + 4.0 * b[axis]) / 5.0);
    vec![
        length([ends[0], pinned[0]]),
        (length(pinned) - 1.0).abs(),
        length([centre(ends), centre(free)]),
    ]
}
