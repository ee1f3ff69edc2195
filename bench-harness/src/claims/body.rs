//! Bodies of a few sticks.

use taut::{
    Duplicates, Formula, Kernel, Kind, Particles, Plan, ScalarKernel, Schedule, Step, Sticks,
    Stretch,
};

use super::run::{length, one_substep, or_infinite};
use super::systems::ragdolls_residual;
use super::{Bound, Check, Claim, ClaimError, Scale, Source, VerdictRule};

/// The bound for "rigid": an rms residual of at most 1 %.
const RIGID: Bound = Bound::AtMost(0.01);

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "tetrahedron",
        quote: "six sticks make a rigid body of four particles; 3 or 4 iterations should be \
                enough, with optional square root approximation",
        source: Source::Jakobsen,
        section: "Rigid Bodies",
        checks: &[
            Check::dimensionless("rms residual, 3 iterations, `exact`", RIGID),
            Check::dimensionless("rms residual, 4 iterations, `exact`", RIGID),
            Check::dimensionless("rms residual, 3 iterations, `newton`", RIGID),
            Check::dimensionless("rms residual, 4 iterations, `newton`", RIGID),
        ],
        rule: VerdictRule::All,
        measure: tetrahedron,
        method: "A tetrahedron with edges of 1 m, thrown with spin into a box of 3 m; each \
              iteration first resolves collisions with the walls, then relaxes the sticks. The rms \
              residual over all edges and 300 frames; the bound for \"rigid\" is 1 %.",
        command: "taut claims --show tetrahedron",
    },
    Claim {
        name: "tetrahedron-falls",
        quote: "the tetrahedron can be let loose and the Verlet integrator will let it move \
                correctly",
        source: Source::Jakobsen,
        section: "Rigid Bodies",
        checks: &[
            Check::dimensionless(
                "relative error of the fall of its centre in 1 s",
                Bound::Between(-0.02, 0.02),
            ),
            Check::dimensionless("share of its spin left after 1 s", Bound::Between(0.98, 1.02)),
        ],
        rule: VerdictRule::All,
        measure: |_| tetrahedron_falls(),
        method: "The tetrahedron of the claim `tetrahedron` without walls and damping, 60 frames \
              of 4 iterations; the fall should be g t² / 2. Sticks conserve momentum up to \
              rounding, but not the spin: positions are projected along the new directions.",
        command: "taut accuracy --parts drift --iterations 4",
    },
    Claim {
        name: "three-for-ragdolls",
        quote: "I typically use 3 [iterations]",
        source: Source::Ragdolls,
        section: "Step 6: Bring It Together",
        checks: &[
            Check::dimensionless("rms residual of ragdolls in a room, 3 iterations", RIGID),
            Check::dimensionless("rms residual of a 16 x 16 curtain, 3 iterations", RIGID),
        ],
        rule: VerdictRule::All,
        measure: three_for_ragdolls,
        method: "Ten 2D ragdolls with joint limits, thrown about a room, over 600 frames: all \
              sticks except the weak posture sticks. And a curtain of rows and columns that hangs \
              from its top row, with `exact` in the authored order, after 120 frames.",
        command: "taut claims --show three-for-ragdolls",
    },
    Claim {
        name: "fake-angle",
        quote: "a link that only applies when the distance is less than its resting distance keeps \
                the angle at the center point from ever being too close",
        source: Source::Ragdolls,
        section: "Step 8: Add Some Ragdolls",
        checks: &[
            Check {
                what: "smallest angle, chosen 60",
                unit: "degrees",
                bound: Bound::AtLeast(59.0),
            },
            Check {
                what: "smallest angle without the link",
                unit: "degrees",
                bound: Bound::AtMost(30.0),
            },
        ],
        rule: VerdictRule::All,
        measure: fake_angle,
        method: "Two sticks of 0.5 m hang from one particle at an angle of 120 degrees and fall \
              towards each other; the length of the link is from the law of cosines. 8 iterations, \
              300 frames.",
        command: "taut claims --show fake-angle",
    },
    Claim {
        name: "any-dimension",
        quote: "a completely linear physics engine can be any dimension you'd like, three or even \
                four",
        source: Source::Ragdolls,
        section: "Step 9: More Dimensions!",
        checks: &[
            Check {
                what: "largest difference between 3 and 2 dimensions",
                unit: "m",
                bound: Bound::Exactly(0.0),
            },
            Check {
                what: "largest difference between 4 and 2 dimensions",
                unit: "m",
                bound: Bound::Exactly(0.0),
            },
        ],
        rule: VerdictRule::All,
        measure: any_dimension,
        method: "The same rope swings in a plane in 2, 3 and 4 dimensions, 120 frames; bits are \
              compared.",
        command: "taut claims --show any-dimension",
    },
];

/// The corners, in metres, of a tetrahedron with edges of 1 m.
const TETRAHEDRON: [[f64; 3]; 4] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.5, 0.866_025_403_784_438_6, 0.0],
    [0.5, 0.288_675_134_594_812_9, 0.816_496_580_927_726],
];
/// Its initial velocity, m/s.
const VELOCITY: [f64; 3] = [3.0, 1.0, 2.0];
/// Its initial angular velocity about the z axis, rad/s.
const SPIN: f64 = 4.0;
/// The smallest and the largest coordinate in the box, on every axis, m.
const BOX: [f32; 2] = [-1.0, 2.0];

/// The thrown tetrahedron and its sticks.
fn thrown(step: &Step<3>) -> Result<(Particles<3>, Sticks), ClaimError> {
    let points = TETRAHEDRON.map(|point| point.map(|x| x as f32));
    let mut body = Particles::new(&points, &[1.0; 4])?;
    let pairs = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    let sticks = Sticks::joining(&body, &pairs, Duplicates::Keep)?;
    for (particle, point) in TETRAHEDRON.into_iter().enumerate() {
        let [x, y, _] = point;
        // The axis of the spin goes through (0.5, 0.3), near the centre of mass.
        let velocity =
            [VELOCITY[0] - SPIN * (y - 0.3), VELOCITY[1] + SPIN * (x - 0.5), VELOCITY[2]];
        for axis in 0..3 {
            let displacement = velocity[axis] * f64::from(step.dt);
            body.previous_mut(axis)[particle] = (point[axis] - displacement) as f32;
        }
    }
    Ok((body, sticks))
}

fn tetrahedron(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    let cases =
        [(Formula::Exact, 3), (Formula::Exact, 4), (Formula::Newton, 3), (Formula::Newton, 4)];
    let rms = |(formula, iterations)| {
        // The number of iterations, 8, is not used: the loop below relaxes one iteration at a time.
        let step = Step { damping_rate: 0.0, ..one_substep(8) };
        let (mut body, sticks) = thrown(&step)?;
        let mut plan = ScalarKernel.plan(&body, &sticks, &Schedule::authored(&sticks), formula)?;
        let frames = scale.pick(300, 20);
        let mut squares = 0.0;
        for _ in 0..frames {
            let mut session = plan.session(&mut body, &sticks, &step)?;
            session.integrate();
            for _ in 0..iterations {
                for particle in 0..session.len() {
                    let position = session.position(particle);
                    session.set_position(particle, position.map(|x| x.clamp(BOX[0], BOX[1])));
                }
                session.relax(1);
            }
            let _ = session.finish();
            squares += Stretch::of(&body, &sticks).residual_rms().powi(2);
        }
        Ok(or_infinite((squares / f64::from(frames)).sqrt()))
    };
    cases.into_iter().map(rms).collect()
}

fn tetrahedron_falls() -> Result<Vec<f64>, ClaimError> {
    let step = Step { damping_rate: 0.0, ..one_substep(4) };
    let (mut body, sticks) = thrown(&step)?;
    let schedule = Schedule::authored(&sticks);
    let mut plan = ScalarKernel.plan(&body, &sticks, &schedule, Formula::Exact)?;
    let centre = |body: &Particles<3>| {
        [0, 1, 2].map(|axis| body.positions(axis).iter().map(|&x| f64::from(x) / 4.0).sum::<f64>())
    };
    // Proportional to the angular momentum about the z axis through the centre; all masses are 1
    // kg.
    let spin = |body: &Particles<3>| {
        let [cx, cy, _] = centre(body);
        let spin_of = |i: usize| {
            let coordinate = |axis: usize| f64::from(body.positions(axis)[i]);
            let displacement = |axis: usize| coordinate(axis) - f64::from(body.previous(axis)[i]);
            (coordinate(0) - cx) * displacement(1) - (coordinate(1) - cy) * displacement(0)
        };
        (0..4).map(spin_of).sum::<f64>()
    };
    let (start_y, start_spin) = (centre(&body)[1], spin(&body));
    for _ in 0..60 {
        let _ = plan.step(&mut body, &sticks, &step)?;
    }
    // Without gravity, the centre would rise by `VELOCITY[1]` times 1 s.
    let fallen = start_y + VELOCITY[1] - centre(&body)[1];
    Ok(vec![fallen / (9.81 / 2.0) - 1.0, spin(&body) / start_spin])
}

fn three_for_ragdolls(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    let frames = scale.pick(120, 10);
    let size = scale.pick(16_u32, 4);
    let (mut points, mut inverse_masses, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..size {
        for column in 0..size {
            let particle = row * size + column;
            points.push([0.05 * column as f32, -0.05 * row as f32]);
            inverse_masses.push(if row == 0 { 0.0 } else { 1.0 });
            // The article's order: the stick to the left neighbour, then the one upwards.
            if column > 0 {
                pairs.push([particle, particle - 1]);
            }
            if row > 0 {
                pairs.push([particle, particle - size]);
            }
        }
    }
    let mut curtain = Particles::new(&points, &inverse_masses)?;
    let links = Sticks::joining(&curtain, &pairs, Duplicates::Keep)?;
    let schedule = Schedule::authored(&links);
    let mut plan = ScalarKernel.plan(&curtain, &links, &schedule, Formula::Exact)?;
    for _ in 0..frames {
        let _ = plan.step(&mut curtain, &links, &one_substep(3))?;
    }
    Ok(vec![
        ragdolls_residual(3, scale)?,
        or_infinite(Stretch::of(&curtain, &links).residual_rms()),
    ])
}

fn fake_angle(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    let (arm, chosen_degrees) = (0.5_f64, 60.0_f64);
    let smallest_angle = |linked: bool| {
        // Half of the initial angle of 120 degrees, from the vertical.
        let half_angle = 60_f64.to_radians();
        let end = [arm * half_angle.sin(), -arm * half_angle.cos()];
        let [x, y] = end.map(|x| x as f32);
        let mut hinge = Particles::new(&[[0.0, 0.0], [x, y], [-x, y]], &[0.0, 1.0, 1.0])?;
        let link_length = (2.0 * arm * arm * (1.0 - chosen_degrees.to_radians().cos())).sqrt();
        let (pairs, rests) =
            ([[0, 1], [0, 2], [1, 2]], [arm, arm, link_length].map(|rest| rest as f32));
        let mut sticks = Sticks::with_rests(3, &pairs, &rests, Duplicates::Keep)?;
        sticks.set_kind(2, Kind::Minimum)?;
        if !linked {
            sticks.tear(2)?;
        }
        let schedule = Schedule::authored(&sticks);
        let mut plan = ScalarKernel.plan(&hinge, &sticks, &schedule, Formula::Exact)?;
        let mut smallest = f64::INFINITY;
        for _ in 0..scale.pick(300, 60) {
            let _ = plan.step(&mut hinge, &sticks, &one_substep(8))?;
            let [a, b] = [1, 2].map(|end| hinge.position(end).map(f64::from));
            // The angle is signed, because one arm may pass the other.
            let angle = (b[0] * a[1] - b[1] * a[0]).atan2(a[0] * b[0] + a[1] * b[1]);
            smallest = smallest.min(angle.to_degrees());
        }
        Ok::<_, ClaimError>(smallest)
    };
    Ok(vec![smallest_angle(true)?, smallest_angle(false)?])
}

/// The positions of a swinging rope of 16 particles after some frames: x, y, and the sum of the
/// absolute values of the other coordinates.
fn rope<const D: usize>(frames: usize) -> Result<Vec<[f64; 3]>, ClaimError> {
    let mut points = vec![[0.0_f32; D]; 16];
    for (i, point) in points.iter_mut().enumerate() {
        point[0] = 0.1 * i as f32;
        point[1] = -0.03 * i as f32;
    }
    let inverse_masses: Vec<f32> = (0..16).map(|i| if i == 0 { 0.0 } else { 1.0 }).collect();
    let mut rope = Particles::new(&points, &inverse_masses)?;
    let pairs: Vec<[u32; 2]> = (0..15).map(|i| [i, i + 1]).collect();
    let sticks = Sticks::joining(&rope, &pairs, Duplicates::Keep)?;
    let schedule = Schedule::coloured(&sticks);
    let mut plan = ScalarKernel.plan(&rope, &sticks, &schedule, Formula::Halley)?;
    for _ in 0..frames {
        let _ = plan.step(&mut rope, &sticks, &one_substep(8))?;
    }
    // The other coordinates must stay 0.
    let others = |i: usize| (2..D).map(|axis| f64::from(rope.positions(axis)[i]).abs()).sum();
    let position =
        |i: usize| [f64::from(rope.position(i)[0]), f64::from(rope.position(i)[1]), others(i)];
    Ok((0..16).map(position).collect())
}

fn any_dimension(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    let frames = scale.pick(120, 10);
    let plane = rope::<2>(frames)?;
    let largest_difference = |other: Vec<[f64; 3]>| {
        let distances = plane.iter().zip(other).map(|(&one, other)| length([one, other]));
        distances.map(or_infinite).fold(0.0, f64::max)
    };
    Ok(vec![largest_difference(rope::<3>(frames)?), largest_difference(rope::<4>(frames)?)])
}
