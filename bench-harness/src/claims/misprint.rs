//! Misprints of the articles: each formula as printed, and corrected.

use taut::{Formula, verlet};

use super::printed::{self, Point};
use super::run::{length, relax_once};
use super::{Bound, Check, Claim, Source, VerdictRule};

/// The bound on the stretch of a relaxed stick.
const RELAXED: Bound = Bound::AtMost(1e-6);
/// The bound on the relative error of a correct clock, fall or force.
const CORRECT: Bound = Bound::Between(-0.02, 0.02);
const STICK_METHOD: &str = "A stick that is stretched by 10 %, in f64: 1.1 m long with a rest length \
    of 1 m, or, where masses differ (1 and 4 kg), 0.55 m long with a rest length of 0.5 m. The \
    numbers are the stretch left after 20 relaxations with the printed and the corrected formula.";
const CLOCK_METHOD: &str = "10 s of frames of 20 ms: the relative error of the simulated time.";

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "printed-root",
        quote: "x1 -= delta*0.5*diff; x2 += delta*0.5*diff",
        source: Source::Jakobsen,
        section: "Cloth Simulation",
        checks: &[
            Check::dimensionless("stretch left, as printed", RELAXED),
            Check::dimensionless("stretch left, signs swapped", RELAXED),
        ],
        rule: VerdictRule::Printed,
        measure: |_| Ok(stretches_left(|ends| printed::stick_with_root(ends, 1.0), EQUAL_MASSES)),
        method: STICK_METHOD,
        command: "taut claims --show printed-root",
    },
    Claim {
        name: "printed-masses",
        quote: "x1 -= invmass1*delta*diff; x2 += invmass2*delta*diff",
        source: Source::Jakobsen,
        section: "Cloth Simulation",
        checks: &[
            Check::dimensionless("stretch left, as printed", RELAXED),
            Check::dimensionless("stretch left, signs swapped", RELAXED),
        ],
        rule: VerdictRule::Printed,
        measure: |_| {
            Ok(stretches_left(
                |ends| printed::stick_with_masses(ends, UNEQUAL_MASSES.0, UNEQUAL_MASSES.1),
                UNEQUAL_MASSES,
            ))
        },
        method: STICK_METHOD,
        command: "taut claims --show printed-masses",
    },
    Claim {
        name: "printed-approximation",
        quote: "d *= r*r/(dotprod(d,d) + r*r) - 0.5; x1 += d; x2 -= d",
        source: Source::Chapter,
        section: "after equation 11.4",
        checks: &[
            Check::dimensionless("stretch left, as printed", RELAXED),
            Check::dimensionless("stretch left, signs swapped", RELAXED),
        ],
        rule: VerdictRule::Printed,
        measure: |_| {
            let printed = |ends| printed::approximated_stick(ends, 1.0);
            let corrected = |ends| corrected_ends(Formula::Newton, ends, EQUAL_MASSES);
            Ok(vec![stretch_left(printed, EQUAL_MASSES), stretch_left(corrected, EQUAL_MASSES)])
        },
        method: STICK_METHOD,
        command: "taut claims --show printed-approximation",
    },
    Claim {
        name: "printed-dl",
        quote: "dlen = sqrt(dotprod(d,d)); f = (dlen - r) / (dl*(invmass1 + invmass2))",
        source: Source::Chapter,
        section: "the last listing",
        checks: &[
            Check::dimensionless("stretch left, as printed, with dl = 0", RELAXED),
            Check::dimensionless("stretch left, with dlen instead of dl", RELAXED),
        ],
        rule: VerdictRule::Printed,
        measure: |_| {
            Ok(stretches_left(
                |ends| printed::chapter_stick_with_masses(ends, UNEQUAL_MASSES.0, UNEQUAL_MASSES.1),
                UNEQUAL_MASSES,
            ))
        },
        method: STICK_METHOD,
        command: "taut claims --show printed-dl",
    },
    Claim {
        name: "printed-elapsed",
        quote: "elapsedTime = lastTime - currentTime",
        source: Source::Ragdolls,
        section: "Step 2: Timesteps",
        checks: &[
            Check::dimensionless("relative error of the simulated time, as printed", CORRECT),
            Check::dimensionless("the same error with currentTime - lastTime", CORRECT),
        ],
        rule: VerdictRule::Printed,
        measure: |_| {
            Ok(vec![simulated_time_error(printed::backward_clock), simulated_time_error(clock)])
        },
        method: CLOCK_METHOD,
        command: "taut claims --show printed-elapsed",
    },
    Claim {
        name: "printed-left-over",
        quote: "leftOverTime = elapsedTime - timesteps",
        source: Source::Ragdolls,
        section: "Step 2: Timesteps",
        checks: &[
            Check::dimensionless("relative error of the simulated time, as printed", CORRECT),
            Check::dimensionless("the same error with elapsedTime - timesteps * 16", CORRECT),
        ],
        rule: VerdictRule::Printed,
        measure: |_| {
            Ok(vec![
                simulated_time_error(printed::clock_subtracting_step_count),
                simulated_time_error(clock),
            ])
        },
        method: CLOCK_METHOD,
        command: "taut claims --show printed-left-over",
    },
    Claim {
        name: "printed-half",
        quote: "nextX = x + velX + 0.5 * accX * timestepSq",
        source: Source::Ragdolls,
        section: "Step 4: Verlet Integration",
        checks: &[
            Check::dimensionless("relative error of a fall of 1 s, as printed", CORRECT),
            Check::dimensionless("the same error without the factor 0.5", CORRECT),
        ],
        rule: VerdictRule::Printed,
        measure: |_| {
            let corrected = |x, last, acc, h2: f64| verlet(x, last, 1.0, acc * h2);
            Ok(vec![fall_error(printed::verlet_with_half), fall_error(corrected)])
        },
        method: "A fall from rest in frames of 1/60 s, compared with g t² / 2.",
        command: "taut claims --show printed-half",
    },
    Claim {
        name: "printed-wind",
        quote: "p1->addForce(force); p2->addForce(force); p3->addForce(force)",
        source: Source::Mosegaard,
        section: "The Cloth Class: blowing in the wind",
        checks: &[
            Check::dimensionless(
                "relative error of the total force on the particles, as printed",
                CORRECT,
            ),
            Check::dimensionless("the same error with a third of the force on each", CORRECT),
        ],
        rule: VerdictRule::Printed,
        measure: |_| Ok(wind_force_errors()),
        method: "The sum of the forces on a triangle's three particles, compared with the force \
              that the text derives for the triangle.",
        command: "taut claims --show printed-wind",
    },
];

/// The inverse masses of the ends, 1/kg, and the rest length, m.
type Stick = ([f64; 2], f64);
const EQUAL_MASSES: Stick = ([1.0, 1.0], 1.0);
const UNEQUAL_MASSES: Stick = ([1.0, 0.25], 0.5);

/// The |stretch| left by the printed formula, then by `exact`.
fn stretches_left(printed: impl Fn([Point; 2]) -> [Point; 2], stick: Stick) -> Vec<f64> {
    let corrected = |ends| corrected_ends(Formula::Exact, ends, stick);
    vec![stretch_left(printed, stick), stretch_left(corrected, stick)]
}

fn corrected_ends(formula: Formula, ends: [Point; 2], (inverse_masses, rest): Stick) -> [Point; 2] {
    relax_once(formula, ends, inverse_masses, rest)
}

/// The |stretch| after 20 relaxations from 10 %; infinite if it is NaN.
fn stretch_left(relax: impl Fn([Point; 2]) -> [Point; 2], (_, rest): Stick) -> f64 {
    // 1.1 times the rest length.
    let start = [[0.0; 3], [0.66, 0.0, 0.88].map(|x| x * rest)];
    let ends = (0..20).fold(start, |ends, _| relax(ends));
    let stretch = (length(ends) / rest - 1.0).abs();
    if stretch.is_nan() { f64::INFINITY } else { stretch }
}

/// The corrected clock: the number of steps of 16 ms that are due, and the time left over, ms.
fn clock(last_time: f64, current_time: f64, left_over: f64) -> (f64, f64) {
    let elapsed = current_time - last_time + left_over;
    let timesteps = (elapsed / 16.0).floor();
    (timesteps, elapsed - timesteps * 16.0)
}

/// The relative error of the simulated time after 500 frames of 20 ms.
fn simulated_time_error(clock: impl Fn(f64, f64, f64) -> (f64, f64)) -> f64 {
    let (mut simulated, mut left_over) = (0.0, 0.0);
    for frame in 0..500 {
        let last = 20.0 * f64::from(frame);
        let (timesteps, remainder) = clock(last, last + 20.0, left_over);
        left_over = remainder;
        // With a negative number, the article's loop runs no step.
        simulated += 16.0 * timesteps.max(0.0);
    }
    simulated / 10_000.0 - 1.0
}

/// The relative error of a fall of 1 s.
fn fall_error(step: impl Fn(f64, f64, f64, f64) -> f64) -> f64 {
    let (mut x, mut last) = (0.0, 0.0);
    for _ in 0..60 {
        (x, last) = (step(x, last, 9.81, 1.0 / 3600.0), x);
    }
    x / (9.81 / 2.0) - 1.0
}

fn wind_force_errors() -> Vec<f64> {
    let triangle = [[0.0, 0.0, 0.0], [0.1, 0.0, 0.02], [0.0, 0.1, 0.0]];
    let printed = printed::wind_forces(triangle, [0.3, 0.0, 1.0]);
    // Each printed force is that of the whole triangle.
    let [whole, ..] = printed;
    let third = [whole.map(|x| x / 3.0); 3];
    let relative_error = |forces: [Point; 3]| {
        let sum: Point =
            std::array::from_fn(|axis| forces.iter().map(|force| force[axis]).sum::<f64>());
        length([[0.0; 3], sum]) / length([[0.0; 3], whole]) - 1.0
    };
    vec![relative_error(printed), relative_error(third)]
}
