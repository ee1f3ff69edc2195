//! Integration of motion.

use std::hint::black_box;
use std::time::Instant;

use taut::{
    Duplicates, Formula, Kernel, Particles, Plan, ScalarKernel, Schedule, Step, Sticks, verlet,
};

use super::run::one_substep;
use super::{Bound, Check, Claim, ClaimError, Scale, Source, VerdictRule};

/// The acceleration of gravity, m/s².
const GRAVITY: f64 = 9.81;
/// The length of a frame, s.
const FRAME: f64 = 1.0 / 60.0;

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "euler-3-percent",
        quote: "Euler's method alone can be as much as 3 % off",
        source: Source::Report,
        section: "Phase I: Advanced Particle System",
        checks: &[
            Check::dimensionless("relative error of a fall of 1 s", Bound::AtMost(0.03)),
            Check::dimensionless("relative error of a fall of 1/4 s", Bound::AtMost(0.03)),
            Check::dimensionless(
                "relative error of a spring of 1 Hz after 10 s",
                Bound::AtMost(0.03),
            ),
        ],
        rule: VerdictRule::All,
        measure: |_| Ok(euler()),
        method: "Explicit Euler in frames of 1/60 s, compared with the closed form. The relative \
              error of a fall is 1 / frames; an oscillator gains energy in every frame, without \
              limit.",
        command: "taut claims --show euler-3-percent",
    },
    Claim {
        name: "closed-form-too-slow",
        quote: "position + velocity t + acceleration t² / 2 is far too complex to be evaluated in \
                real time for more than approximately one thousand particles",
        source: Source::Report,
        section: "Phase I: Advanced Particle System",
        checks: &[
            Check { what: "particles evaluated in 1/60 s", unit: "", bound: Bound::AtMost(2000.0) },
            Check::dimensionless("time over that of a Verlet step", Bound::AtLeast(2.0)),
        ],
        rule: VerdictRule::All,
        measure: |scale| Ok(closed_form(scale)),
        method: "Three columns of f32 on one thread, plain loops: the closed form, and Taut's \
              Verlet step. The fastest of 200 rounds.",
        command: "taut claims --show closed-form-too-slow",
    },
    Claim {
        name: "inertia",
        quote: "in the next steps the particle should keep moving in the direction that we pushed \
                it: the velocity is implied by the two positions",
        source: Source::Mosegaard,
        section: "Particles: from forces to positions",
        checks: &[Check::dimensionless(
            "relative error of the path after 600 frames",
            Bound::AtMost(1e-3),
        )],
        rule: VerdictRule::All,
        measure: |_| inertia(),
        method: "A free particle with an initial velocity, in f32, compared with velocity times \
              time.",
        command: "taut claims --show inertia",
    },
    Claim {
        name: "damped-verlet",
        quote: "multiplying the velocity by 1 - damping accounts for gradual loss of velocity; an \
                amount close to one allows the particle to move unrestricted",
        source: Source::Mosegaard,
        section: "Particles: from forces to positions",
        checks: &[
            Check::dimensionless(
                "relative error of the speed after 100 frames",
                Bound::Between(-0.001, 0.001),
            ),
            Check::dimensionless("the same without damping", Bound::Between(-0.001, 0.001)),
            Check::dimensionless(
                "loss in 1 s at 240 Hz over that at 60 Hz",
                Bound::Between(0.9, 1.1),
            ),
        ],
        rule: VerdictRule::All,
        measure: |_| damped(),
        method: "A free particle with an initial velocity, in f32; 1 % is damped per frame of 1/60 \
              s, so 0.99^100 should be left after 100 frames. The article's damping is a share per \
              step, so smaller steps damp more; Taut's is a rate, to which each share is converted \
              here.",
        command: "taut claims --show damped-verlet",
    },
    Claim {
        name: "springs-need-small-steps",
        quote: "the amplitude of the oscillation reaches infinity; one can avoid these problems as \
                long as the step size isn't too large",
        source: Source::Report,
        section: "Phase III: Cloth System",
        checks: &[
            Check::dimensionless(
                "stretch of a stiff damped spring after 10 s, steps of 1/60 s",
                Bound::AtLeast(10.0),
            ),
            Check::dimensionless("the same, steps of 1/2000 s", Bound::AtMost(0.1)),
            Check::dimensionless("the same body as a stick, steps of 1/60 s", Bound::AtMost(0.1)),
        ],
        rule: VerdictRule::All,
        measure: |_| springs(),
        method: "A mass of 1 kg on a linear spring of 1 m (20 kN/m, 50 N s/m), released at rest \
              length, with the report's integration; then on a stick, with one iteration per \
              step.",
        command: "taut claims --show springs-need-small-steps",
    },
];

/// Integrates `steps` steps of `h` seconds with explicit Euler, which adds the old velocity to the
/// position, then changes the velocity. `acceleration` takes a position and a velocity. Returns the
/// final position.
fn by_euler(
    mut x: f64,
    mut v: f64,
    h: f64,
    steps: u32,
    acceleration: impl Fn(f64, f64) -> f64,
) -> f64 {
    for _ in 0..steps {
        let a = acceleration(x, v);
        x += v * h;
        v += a * h;
    }
    x
}

fn euler() -> Vec<f64> {
    let fall = |frames: u32| {
        let fallen = by_euler(0.0, 0.0, FRAME, frames, |_, _| GRAVITY);
        (fallen / (GRAVITY / 2.0 * (f64::from(frames) * FRAME).powi(2)) - 1.0).abs()
    };
    // After whole periods the exact position is the initial one, 1.
    let omega = std::f64::consts::TAU;
    let swing = by_euler(1.0, 0.0, FRAME, 600, |x, _| -omega * omega * x);
    vec![fall(60), fall(15), (swing - 1.0).abs()]
}

/// The time of the fastest of some rounds, s.
fn fastest(rounds: usize, mut work: impl FnMut()) -> f64 {
    let round = |_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    (0..rounds).map(round).min_by(f64::total_cmp).unwrap_or(f64::NAN)
}

/// The number of particles that the closed form evaluates in a frame, and its time over that of a
/// Verlet step.
fn closed_form(scale: Scale) -> Vec<f64> {
    let particles = scale.pick(10_000, 500);
    let column = |first: f32| -> Vec<f32> { (0..particles).map(|i| first + i as f32).collect() };
    let [start, velocity, mut position] =
        [1.0, 0.5, 0.0].map(|first| [0.0, 1.0, 2.0].map(|axis| column(first + axis)));
    let rounds = scale.pick(200, 3);
    let (t, a) = (black_box(0.7_f32), black_box([0.0, -9.81, 0.0_f32]));
    let closed_form = fastest(rounds, || {
        for axis in 0..3 {
            let half = a[axis] * t * t / 2.0;
            let columns = start[axis].iter().zip(&velocity[axis]).zip(&mut position[axis]);
            for ((&start, &velocity), position) in columns {
                *position = start + velocity * t + half;
            }
        }
        black_box(&mut position);
    });
    let mut previous = start.clone();
    let verlet_step = fastest(rounds, || {
        for axis in 0..3 {
            let displacement = a[axis] * t * t;
            for (position, previous) in position[axis].iter_mut().zip(&mut previous[axis]) {
                let next = verlet(*position, *previous, 0.99, displacement);
                *previous = std::mem::replace(position, next);
            }
        }
        black_box((&mut position, &mut previous));
    });
    vec![f64::from(particles) * FRAME / closed_form, closed_form / verlet_step]
}

/// The final position, m, and velocity, m/s, of a free particle that starts at 0 with 1 m/s.
fn free_motion(step: &Step<1>, steps: usize) -> Result<[f64; 2], ClaimError> {
    let mut particles = Particles::<1>::new(&[[0.0], [5.0], [6.0]], &[1.0, 0.0, 0.0])?;
    // A plan needs a stick; this one is between pinned particles.
    let sticks = Sticks::joining(&particles, &[[1, 2]], Duplicates::Keep)?;
    let schedule = Schedule::authored(&sticks);
    let mut plan = ScalarKernel.plan(&particles, &sticks, &schedule, Formula::Exact)?;
    particles.previous_mut(0)[0] = -step.dt;
    for _ in 0..steps {
        let _ = plan.step(&mut particles, &sticks, step)?;
    }
    let [x, previous] = [particles.positions(0)[0], particles.previous(0)[0]].map(f64::from);
    Ok([x, (x - previous) / f64::from(step.dt)])
}

/// A step of `dt` seconds without acceleration that removes a fraction of the velocity.
fn damped_step(dt: f32, fraction: f32) -> Step<1> {
    let damping_rate = Step::<1>::damping_rate_from_fraction(fraction, dt);
    Step { dt, substeps: 1, iterations: 1, acceleration: [0.0], damping_rate }
}

fn inertia() -> Result<Vec<f64>, ClaimError> {
    let [path, _] = free_motion(&damped_step(FRAME as f32, 0.0), 600)?;
    Ok(vec![(path / 10.0 - 1.0).abs()])
}

fn damped() -> Result<Vec<f64>, ClaimError> {
    let speed = |fraction, hertz: f32, steps| {
        free_motion(&damped_step(1.0 / hertz, fraction), steps).map(|[_, speed]| speed)
    };
    let lost = |hertz: f32, steps| Ok::<_, ClaimError>(1.0 - speed(0.01, hertz, steps)?);
    Ok(vec![
        speed(0.01, 60.0, 100)? / 0.99_f64.powi(100) - 1.0,
        speed(0.0, 60.0, 100)? - 1.0,
        lost(240.0, 240)? / lost(60.0, 60)?,
    ])
}

fn springs() -> Result<Vec<f64>, ClaimError> {
    let spring = |hertz: u32| {
        // x points down from the anchor; the rest length is 1 m.
        let acceleration = |x: f64, v: f64| GRAVITY - 20_000.0 * (x - 1.0) - 50.0 * v;
        let x = by_euler(1.0, 0.0, 1.0 / f64::from(hertz), 10 * hertz, acceleration);
        if x.is_finite() { (x - 1.0).abs() } else { f64::INFINITY }
    };
    let mut body = Particles::<2>::new(&[[0.0, 0.0], [0.0, -1.0]], &[0.0, 1.0])?;
    let sticks = Sticks::joining(&body, &[[0, 1]], Duplicates::Keep)?;
    let schedule = Schedule::authored(&sticks);
    let mut plan = ScalarKernel.plan(&body, &sticks, &schedule, Formula::Exact)?;
    for _ in 0..600 {
        let _ = plan.step(&mut body, &sticks, &one_substep(1))?;
    }
    let stick = (f64::from(body.position(1)[1]) + 1.0).abs();
    Ok(vec![spring(60), spring(2000), stick])
}
