//! Bodies of a few sticks.

use taut::{
    Duplicates, Formula, Kernel, Kind, Particles, Plan, ScalarKernel, Schedule, Step, Sticks,
    Stretch,
};

use super::run::{length, one_substep, or_infinite};
use super::systems::ragdolls_stretch;
use super::{Bound, Check, Claim, ClaimError, Judge, Scale, Source};

/// Looks rigid: an rms residual of at most 1 %.
const RIGID: Bound = Bound::AtMost(0.01);

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "tetrahedron",
        said: "six sticks make a rigid body of four particles; 3 or 4 iterations should be enough, \
               with optional square root approximation",
        source: Source::Jakobsen,
        section: "Rigid Bodies",
        checks: &[
            Check::pure("rms residual, 3 iterations, `exact`", RIGID),
            Check::pure("rms residual, 4 iterations, `exact`", RIGID),
            Check::pure("rms residual, 3 iterations, `newton`", RIGID),
            Check::pure("rms residual, 4 iterations, `newton`", RIGID),
        ],
        judge: Judge::All,
        measure: tetrahedron,
        how: "A tetrahedron with edges of 1 m, thrown spinning into a box of 3 m; in each \
              iteration the walls first, then the sticks. The rms residual over all edges and 300 \
              frames; the bound for \"rigid\" is 1 %.",
        command: "taut claims --show tetrahedron",
    },
    Claim {
        name: "tetrahedron-falls",
        said: "the tetrahedron can be let loose and the Verlet integrator will let it move \
               correctly",
        source: Source::Jakobsen,
        section: "Rigid Bodies",
        checks: &[
            Check::pure(
                "fall of its centre in 1 s over that of a body, less 1",
                Bound::Between(-0.02, 0.02),
            ),
            Check::pure("share of its spin left after 1 s", Bound::Between(0.98, 1.02)),
        ],
        judge: Judge::All,
        measure: |_| tetrahedron_falls(),
        how: "The same without walls and damping, 60 frames of 4 iterations; a body falls by \
              g t² / 2. Sticks conserve momentum up to rounding, but not the spin: positions \
              are projected along the new directions.",
        command: "taut accuracy --parts drift --iterations 4",
    },
    Claim {
        name: "three-for-ragdolls",
        said: "I typically use 3 [iterations]",
        source: Source::Ragdolls,
        section: "Step 6: Bring It Together",
        checks: &[
            Check::pure("rms residual of ragdolls in a room, 3 iterations", RIGID),
            Check::pure("rms residual of a 16 x 16 curtain, 3 iterations", RIGID),
        ],
        judge: Judge::All,
        measure: three_for_ragdolls,
        how: "Ten ragdolls in the plane with the limits of their joints, thrown about a room, over 600 \
              frames: all sticks but the weak ones that hold the posture. And a curtain of rows and \
              columns hanging from its top row, by `exact` in the order of the list, after 120 frames.",
        command: "taut claims --show three-for-ragdolls",
    },
    Claim {
        name: "fake-angle",
        said: "a link that only applies when the distance is less than its resting distance keeps \
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
        judge: Judge::All,
        measure: fake_angle,
        how: "Two sticks of 0.5 m hang from one particle, opened by 120 degrees, and fall \
              together; the link's length is from the law of cosines. 8 iterations, 300 frames.",
        command: "taut claims --show fake-angle",
    },
    Claim {
        name: "any-dimension",
        said: "a completely linear physics engine can be any dimension you'd like, three or even \
               four",
        source: Source::Ragdolls,
        section: "Step 9: More Dimensions!",
        checks: &[
            Check {
                what: "largest difference of 3 from 2 dimensions",
                unit: "m",
                bound: Bound::Exactly(0.0),
            },
            Check {
                what: "largest difference of 4 from 2 dimensions",
                unit: "m",
                bound: Bound::Exactly(0.0),
            },
        ],
        judge: Judge::All,
        measure: any_dimension,
        how: "The same rope swinging in a plane, in 2, 3 and 4 dimensions, 120 frames; to the bit.",
        command: "taut claims --show any-dimension",
    },
];

/// A tetrahedron with edges of 1 m, m; its initial velocity, m/s; its spin about the z axis, rad/s.
const TETRAHEDRON: [[f64; 3]; 4] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.5, 0.866_025_403_784_438_6, 0.0],
    [0.5, 0.288_675_134_594_812_9, 0.816_496_580_927_726],
];
const THROWN: [f64; 3] = [3.0, 1.0, 2.0];
const SPIN: f64 = 4.0;
const BOX: [f32; 2] = [-1.0, 2.0];

/// The thrown body and its sticks.
fn thrown(step: &Step<3>) -> Result<(Particles<3>, Sticks), ClaimError> {
    let points = TETRAHEDRON.map(|point| point.map(|x| x as f32));
    let mut body = Particles::new(&points, &[1.0; 4])?;
    let pairs = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    let sticks = Sticks::joining(&body, &pairs, Duplicates::Keep)?;
    for (particle, point) in TETRAHEDRON.into_iter().enumerate() {
        let [x, y, _] = point;
        let velocity = [THROWN[0] - SPIN * (y - 0.3), THROWN[1] + SPIN * (x - 0.5), THROWN[2]];
        for axis in 0..3 {
            let moved = velocity[axis] * f64::from(step.dt);
            body.previous_mut(axis)[particle] = (point[axis] - moved) as f32;
        }
    }
    Ok((body, sticks))
}

fn tetrahedron(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    let cases =
        [(Formula::Exact, 3), (Formula::Exact, 4), (Formula::Newton, 3), (Formula::Newton, 4)];
    let rms = |(formula, iterations)| {
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
                    let place = session.position(particle);
                    session.set_position(particle, place.map(|x| x.clamp(BOX[0], BOX[1])));
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
    // The angular momentum about the z axis through the centre; all masses are 1 kg.
    let spin = |body: &Particles<3>| {
        let [cx, cy, _] = centre(body);
        let around = |i: usize| {
            let place = |axis: usize| f64::from(body.positions(axis)[i]);
            let moved = |axis: usize| place(axis) - f64::from(body.previous(axis)[i]);
            (place(0) - cx) * moved(1) - (place(1) - cy) * moved(0)
        };
        (0..4).map(around).sum::<f64>()
    };
    let (start, spin_at_start) = (centre(&body)[1], spin(&body));
    for _ in 0..60 {
        let _ = plan.step(&mut body, &sticks, &step)?;
    }
    let fallen = start + THROWN[1] - centre(&body)[1];
    Ok(vec![fallen / (9.81 / 2.0) - 1.0, spin(&body) / spin_at_start])
}

fn three_for_ragdolls(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    let frames = scale.pick(120, 10);
    let size = scale.pick(16_u32, 4);
    let (mut points, mut masses, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..size {
        for column in 0..size {
            let name = row * size + column;
            points.push([0.05 * column as f32, -0.05 * row as f32]);
            masses.push(if row == 0 { 0.0 } else { 1.0 });
            // The article's order: to the left, then up.
            if column > 0 {
                pairs.push([name, name - 1]);
            }
            if row > 0 {
                pairs.push([name, name - size]);
            }
        }
    }
    let mut curtain = Particles::new(&points, &masses)?;
    let links = Sticks::joining(&curtain, &pairs, Duplicates::Keep)?;
    let schedule = Schedule::authored(&links);
    let mut hanging = ScalarKernel.plan(&curtain, &links, &schedule, Formula::Exact)?;
    for _ in 0..frames {
        let _ = hanging.step(&mut curtain, &links, &one_substep(3))?;
    }
    Ok(vec![ragdolls_stretch(3, scale)?, or_infinite(Stretch::of(&curtain, &links).residual_rms())])
}

fn fake_angle(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    let (arm, chosen) = (0.5_f64, 60.0_f64);
    let smallest = |linked: bool| {
        let reach = [arm * 60_f64.to_radians().sin(), -arm * 60_f64.to_radians().cos()];
        let [x, y] = reach.map(|x| x as f32);
        let mut hinge = Particles::new(&[[0.0, 0.0], [x, y], [-x, y]], &[0.0, 1.0, 1.0])?;
        let across = (2.0 * arm * arm * (1.0 - chosen.to_radians().cos())).sqrt();
        let (pairs, rests) = ([[0, 1], [0, 2], [1, 2]], [arm, arm, across].map(|rest| rest as f32));
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
            // Signed, because one arm may pass the other.
            let angle = (b[0] * a[1] - b[1] * a[0]).atan2(a[0] * b[0] + a[1] * b[1]);
            smallest = smallest.min(angle.to_degrees());
        }
        Ok::<_, ClaimError>(smallest)
    };
    Ok(vec![smallest(true)?, smallest(false)?])
}

/// The positions of a swinging rope of 16 particles after some frames: x, y, and the sum of the
/// others.
fn rope<const D: usize>(frames: usize) -> Result<Vec<[f64; 3]>, ClaimError> {
    let mut points = vec![[0.0_f32; D]; 16];
    for (i, point) in points.iter_mut().enumerate() {
        point[0] = 0.1 * i as f32;
        point[1] = -0.03 * i as f32;
    }
    let masses: Vec<f32> = (0..16).map(|i| if i == 0 { 0.0 } else { 1.0 }).collect();
    let mut rope = Particles::new(&points, &masses)?;
    let pairs: Vec<[u32; 2]> = (0..15).map(|i| [i, i + 1]).collect();
    let sticks = Sticks::joining(&rope, &pairs, Duplicates::Keep)?;
    let schedule = Schedule::coloured(&sticks);
    let mut plan = ScalarKernel.plan(&rope, &sticks, &schedule, Formula::Halley)?;
    for _ in 0..frames {
        let _ = plan.step(&mut rope, &sticks, &one_substep(8))?;
    }
    // The other coordinates must stay 0.
    let others = |i: usize| (2..D).map(|axis| f64::from(rope.positions(axis)[i]).abs()).sum();
    let place =
        |i: usize| [f64::from(rope.position(i)[0]), f64::from(rope.position(i)[1]), others(i)];
    Ok((0..16).map(place).collect())
}

fn any_dimension(scale: Scale) -> Result<Vec<f64>, ClaimError> {
    let frames = scale.pick(120, 10);
    let plane = rope::<2>(frames)?;
    let apart = |other: Vec<[f64; 3]>| {
        let lengths = plane.iter().zip(other).map(|(&one, other)| length([one, other]));
        lengths.fold(0.0, |most: f64, apart| if apart <= most { most } else { apart })
    };
    Ok(vec![apart(rope::<3>(frames)?), apart(rope::<4>(frames)?)])
}
