//! Rigid bodies: four particles that have the mass, inertia, pose and motion of a body.

use std::array::from_fn;

use proptest::prelude::*;
use taut_core::{Formula, Kernel, Particles, Plan, Schedule, Step};
use taut_scalar::ScalarKernel;
use taut_world::{BodyError, BodyPose, MassProperties, Model, ModelError, Twist, WeightedPoint};

type Vector = [f64; 3];
type Matrix = [[f64; 3]; 3];

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn length(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

fn sub(a: Vector, b: Vector) -> Vector {
    from_fn(|i| a[i] - b[i])
}

fn apply(a: &Matrix, v: Vector) -> Vector {
    from_fn(|i| dot(a[i], v))
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    from_fn(|i| from_fn(|j| a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j]))
}

fn transposed(a: &Matrix) -> Matrix {
    from_fn(|i| from_fn(|j| a[j][i]))
}

fn diagonal(d: Vector) -> Matrix {
    from_fn(|i| from_fn(|j| if i == j { d[i] } else { 0.0 }))
}

/// The rotation matrix of a quaternion of any length.
fn rotation([x, y, z, w]: [f64; 4]) -> Matrix {
    let s = 2.0 / (x * x + y * y + z * z + w * w);
    [
        [1.0 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)],
        [s * (x * y + z * w), 1.0 - s * (x * x + z * z), s * (y * z - x * w)],
        [s * (x * z - y * w), s * (y * z + x * w), 1.0 - s * (x * x + y * y)],
    ]
}

/// The largest difference between entries of two matrices.
fn max_difference(a: &Matrix, b: &Matrix) -> f64 {
    (0..9).map(|i| (a[i / 3][i % 3] - b[i / 3][i % 3]).abs()).fold(0.0, f64::max)
}

fn quaternions() -> impl Strategy<Value = [f64; 4]> {
    prop::array::uniform4(-1.0..1.0_f64)
        .prop_filter("a rotation", |q| q.iter().map(|x| x * x).sum::<f64>() > 0.01)
}

/// The mass properties of the particles of a model.
fn mass_properties_of_particles(model: &Model) -> MassProperties {
    let points: Vec<_> = (0..model.particles.len())
        .map(|i| {
            let mass = 1.0 / f64::from(model.particles.inverse_masses()[i]);
            (model.particles.position(i).map(f64::from), mass)
        })
        .collect();
    MassProperties::of_points(&points).unwrap()
}

proptest! {
    #[test]
    fn four_particles_have_the_given_mass_centre_and_inertia(
        mass in 0.01..1000.0_f64,
        centre in prop::array::uniform3(-1.0..1.0_f64),
        radii in prop::array::uniform3(0.3..3.0_f64),
        quaternion in quaternions(),
    ) {
        // The inertia tensor of a rotated solid ellipsoid.
        let squares: Vector = radii.map(|r| mass * r * r / 5.0);
        let principal =
            [squares[1] + squares[2], squares[0] + squares[2], squares[0] + squares[1]];
        let r = rotation(quaternion);
        let inertia = product(&product(&r, &diagonal(principal)), &transposed(&r));
        let given = MassProperties { mass, centre, inertia };
        let model = Model::rigid(&given).unwrap();
        let found = mass_properties_of_particles(&model);
        prop_assert!((found.mass - mass).abs() <= 1e-5 * mass);
        prop_assert!(length(sub(found.centre, centre)) <= 1e-6);
        let largest = principal.iter().copied().fold(0.0, f64::max);
        let error = max_difference(&found.inertia, &inertia);
        prop_assert!(error <= 1e-5 * largest, "{found:?} for {given:?}");
        // [`Body::inertia`] agrees.
        let read = model.bodies.all()[0].inertia(&model.particles, mass);
        prop_assert!(max_difference(&read, &inertia) <= 1e-5 * largest);
    }

    #[test]
    fn pose_and_twist_are_read_back_as_set(
        quaternion in quaternions(),
        centre in prop::array::uniform3(-5.0..5.0_f64),
        velocity in prop::array::uniform3(-5.0..5.0_f64),
        spin in prop::array::uniform3(-5.0..5.0_f64),
    ) {
        let h = 1.0 / 240.0;
        let mut model = Model::rigid_box([0.3, 0.5, 0.7], 500.0).unwrap();
        let Model { particles, bodies, .. } = &mut model;
        let body = &bodies.all()[0];
        let pose = BodyPose { centre, rotation: rotation(quaternion) };
        body.set_pose(particles, &pose).unwrap();
        let read = body.pose(particles);
        prop_assert!(length(sub(read.centre, centre)) < 1e-6);
        prop_assert!(max_difference(&read.rotation, &pose.rotation) < 1e-5);
        prop_assert!(max_difference(&rotation(read.quaternion()), &read.rotation) < 1e-12);
        body.set_twist(particles, &Twist { velocity, spin }, h);
        let read = body.twist(particles, h);
        // Positions are rounded to 5e-7 m; over 1/240 s that is 1e-4 m/s.
        prop_assert!(length(sub(read.velocity, velocity)) < 5e-4);
        prop_assert!(length(sub(read.spin, spin)) < 2e-3);
        // Vertices have the pose of the body. Bit 2 of a vertex's index is its side of the box
        // along x, bit 1 along y, bit 0 along z.
        let vertices = bodies.vertices(particles);
        for (vertex, position) in vertices.into_iter().enumerate() {
            let local = from_fn(|axis| {
                let half = [0.15, 0.25, 0.35][axis];
                if vertex >> (2 - axis) & 1 == 1 { half } else { -half }
            });
            let difference = sub(position.map(f64::from), pose.point(local));
            prop_assert!(length(difference) < 3e-6);
        }
    }

    #[test]
    fn move_by_moves_a_weighted_point_and_no_pinned_particle(
        points in prop::array::uniform4(prop::array::uniform3(-1.0..1.0_f32)),
        weights in prop::array::uniform3(-0.5..1.0_f32),
        inverse_masses in prop::array::uniform4(
            prop_oneof![1 => Just(0.0_f32), 4 => 0.1..10.0_f32]
        ),
        by in prop::array::uniform3(-1.0..1.0_f32),
    ) {
        let weighted_points = [
            WeightedPoint::at(2),
            WeightedPoint::on_stick([0, 2], weights[0]),
            WeightedPoint::on_triangle([0, 1, 3], [weights[0], weights[1]]),
            WeightedPoint::in_tetrahedron([0, 1, 2, 3], weights),
        ];
        for point in weighted_points {
            prop_assert!((point.weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
            let mut particles = Particles::new(&points, &inverse_masses).unwrap();
            let p = point.position(&particles);
            // A point whose inverse mass is much smaller than those of its particles loses digits, so it is
            // skipped.
            let inverse_mass = point.inverse_mass(&particles);
            let largest = (0..4).map(|i| {
                point.weights[i].abs() * inverse_masses[point.particles[i] as usize]
            }).fold(0.0, f32::max);
            if inverse_mass > 0.0 && inverse_mass <= 1e-3 * largest {
                continue;
            }
            point.move_by(&mut particles, by);
            for i in 0..4 {
                if inverse_masses[i] == 0.0 {
                    // `x + 0.0` turns -0.0 into 0.0, as `Particles::new` does.
                    prop_assert_eq!(particles.position(i).map(f32::to_bits), points[i].map(|x| (x + 0.0).to_bits()));
                }
            }
            let moved = point.position(&particles);
            for axis in 0..3 {
                let q = if inverse_mass > 0.0 { p[axis] + by[axis] } else { p[axis] };
                let scale = if inverse_mass > 0.0 { 1.0 + largest / inverse_mass } else { 1.0 };
                let x = moved[axis];
                prop_assert!((x - q).abs() < 1e-6 * scale, "{x} m, expected {q} m");
            }
        }
    }

    #[test]
    fn moving_two_points_apart_conserves_linear_momentum(
        points in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f32), 8),
        inverse_masses in prop::collection::vec(0.1..10.0_f32, 8),
        weights_of_p in prop::array::uniform3(0.0..0.5_f32),
        weights_of_q in prop::array::uniform3(0.0..0.5_f32),
        by in prop::array::uniform3(-1.0..1.0_f32),
    ) {
        let mut particles = Particles::new(&points, &inverse_masses).unwrap();
        let p = WeightedPoint::in_tetrahedron([0, 1, 2, 3], weights_of_p);
        let q = WeightedPoint::in_tetrahedron([4, 5, 6, 7], weights_of_q);
        let gap = |particles: &Particles<3>| {
            let (p, q) = (p.position(particles), q.position(particles));
            from_fn::<_, 3, _>(|axis| p[axis] - q[axis])
        };
        let before = gap(&particles);
        p.move_apart(&q, &mut particles, by);
        for axis in 0..3 {
            prop_assert!((gap(&particles)[axis] - before[axis] - by[axis]).abs() < 2e-6);
        }
        // Linear momentum is conserved. Opposite impulses along `by` act at p and at q, so angular
        // momentum changes by the moment of the impulse at p about q.
        let (mut linear, mut angular, mut scale) = ([0.0; 3], [0.0; 3], 0.0);
        for i in 0..8 {
            let mass = 1.0 / f64::from(inverse_masses[i]);
            let displacement: Vector =
                from_fn(|axis| f64::from(particles.position(i)[axis]) - f64::from(points[i][axis]));
            let moment = cross(points[i].map(f64::from), displacement);
            for axis in 0..3 {
                linear[axis] += mass * displacement[axis];
                angular[axis] += mass * moment[axis];
                scale += mass * displacement[axis].abs();
            }
        }
        prop_assert!(length(linear) < 1e-6 * (1.0 + scale));
        let initial = Particles::new(&points, &inverse_masses).unwrap();
        let effective_mass = 1.0 / f64::from(p.inverse_mass(&initial) + q.inverse_mass(&initial));
        let moment = cross(before.map(f64::from), by.map(|by| effective_mass * f64::from(by)));
        prop_assert!(length(sub(angular, moment)) < 1e-5 * (1.0 + scale));
    }
}

/// The first mesh is a tetrahedron with a corner at the origin: its volume is 1/6, its centre
/// (1/4, 1/4, 1/4), and the integrals of x² and xy over it are 1/60 and 1/120.
#[test]
fn mass_properties_of_meshes_match_closed_forms() {
    let vertices = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let tetrahedron = MassProperties::of_mesh(&vertices, &triangles, 6.0).unwrap();
    assert!((tetrahedron.mass - 1.0).abs() < 1e-12);
    assert!(length(sub(tetrahedron.centre, [0.25; 3])) < 1e-12);
    // Density times the integral of x² or xy, about the centre. The mass is 1.
    let covariance = |same: bool| 6.0 * (1.0 / if same { 60.0 } else { 120.0 }) - 1.0 / 16.0;
    let known: Matrix =
        from_fn(|i| from_fn(|j| if i == j { 2.0 * covariance(true) } else { -covariance(false) }));
    assert!(max_difference(&tetrahedron.inertia, &known) < 1e-12);

    // A brick of 1800 kg/m³, given by a mesh far from the origin. Its corners are multiples of 1/64 m:
    // rounding to these makes them exact.
    let size = [0.25_f32, 0.0625, 0.125];
    let brick = Model::rigid_box(size, 1800.0).unwrap();
    let vertices_of_brick = brick.bodies.vertices(&brick.particles);
    let corners: Vec<[f32; 3]> = vertices_of_brick
        .iter()
        .map(|vertex| vertex.map(|x| (x * 64.0).round() / 64.0 + 100.0))
        .collect();
    let by_mesh = MassProperties::of_mesh(&corners, brick.bodies.triangles(), 1800.0).unwrap();
    let closed_form = MassProperties::of_box(size.map(f64::from), 1800.0).unwrap();
    assert!((by_mesh.mass - closed_form.mass).abs() < 1e-9);
    assert!(length(sub(by_mesh.centre, [100.0; 3])) < 1e-9);
    assert!(max_difference(&by_mesh.inertia, &closed_form.inertia) < 1e-9);
    let by_particles = mass_properties_of_particles(&brick);
    let error = max_difference(&by_particles.inertia, &closed_form.inertia);
    assert!(error < 1e-5 * closed_form.inertia[1][1]);

    // The particles of a rigid mesh have the mass properties of the mesh.
    let rigid = Model::rigid_mesh(&vertices, &triangles, 6.0).unwrap();
    let by_particles = mass_properties_of_particles(&rigid);
    assert!((by_particles.mass - 1.0).abs() < 1e-6);
    assert!(max_difference(&by_particles.inertia, &known) < 1e-6);
}

#[test]
fn impossible_bodies_are_rejected() {
    let rigid = |inertia| Model::rigid(&MassProperties { mass: 1.0, centre: [0.0; 3], inertia });
    let impossible = |result| matches!(result, Err(ModelError::Body(BodyError::Impossible { .. })));
    // A moment of inertia of a body with a volume is less than the sum of the other two.
    assert!(impossible(rigid(diagonal([1.0, 1.0, 2.1]))));
    assert!(impossible(rigid(diagonal([1.0, 1.0, 2.0])))); // a disc without thickness
    assert!(impossible(rigid(diagonal([-1.0, 1.0, 1.0]))));
    assert!(impossible(rigid(diagonal([0.0; 3]))));
    let mut asymmetric = diagonal([1.0; 3]);
    asymmetric[0][1] = 0.1;
    assert!(matches!(rigid(asymmetric), Err(ModelError::Body(BodyError::NotSymmetric))));
    assert!(matches!(
        rigid(diagonal([f64::NAN; 3])),
        Err(ModelError::Body(BodyError::NotSymmetric))
    ));

    let vertices = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mesh = |triangles: &[[u32; 3]], density| {
        Model::rigid_mesh(&vertices, triangles, density).map(|_| ()).unwrap_err()
    };
    let outward = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let inside_out = outward.map(|[a, b, c]| [a, c, b]);
    let body_error = |error| match error {
        ModelError::Body(error) => error,
        other => panic!("not an error of a body: {other}"),
    };
    assert!(matches!(body_error(mesh(&outward[..3], 1.0)), BodyError::NotClosed { .. }));
    assert!(matches!(body_error(mesh(&[], 1.0)), BodyError::Volume { .. }));
    assert!(matches!(body_error(mesh(&inside_out, 1.0)), BodyError::Volume { .. }));
    assert!(matches!(
        body_error(mesh(&[[0, 1, 4]], 1.0)),
        BodyError::NoSuchVertex { corner: 4, .. }
    ));
    assert!(matches!(body_error(mesh(&outward, 0.0)), BodyError::Mass { .. }));
    assert!(matches!(body_error(mesh(&outward, f64::NAN)), BodyError::Mass { .. }));
    assert!(Model::tetrahedron(0.0, 1.0).is_err() && Model::tetrahedron(1.0, -1.0).is_err());
    assert!(
        Model::basis(f32::NAN, 1.0).is_err() && Model::rigid_box([1.0, 0.0, 1.0], 1.0).is_err()
    );
}

/// Integrates Euler's equations of a free top, and its rotation, with the classical Runge-Kutta
/// method. Returns the spin, rad/s in the axes of the top, and the rotation from these axes to the
/// world's.
fn free_top(moments: Vector, spin: Vector, seconds: f64) -> (Vector, Matrix) {
    type State = (Vector, Matrix);
    let slope = |(w, r): &State| -> State {
        let dw = from_fn(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            (moments[j] - moments[k]) * w[j] * w[k] / moments[i]
        });
        let cross_matrix = [[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]];
        (dw, product(r, &cross_matrix))
    };
    let after = |(w, r): &State, h: f64, (dw, dr): &State| -> State {
        (from_fn(|i| w[i] + h * dw[i]), from_fn(|i| from_fn(|j| r[i][j] + h * dr[i][j])))
    };
    let mut state: State = (spin, diagonal([1.0; 3]));
    let steps = 20_000;
    let h = seconds / f64::from(steps);
    for _ in 0..steps {
        let a = slope(&state);
        let b = slope(&after(&state, h / 2.0, &a));
        let c = slope(&after(&state, h / 2.0, &b));
        let d = slope(&after(&state, h, &c));
        for (slope, divisor) in [(a, 6.0), (b, 3.0), (c, 3.0), (d, 6.0)] {
            state = after(&state, h / divisor, &slope);
        }
    }
    state
}

/// Spin, rotation and angular momentum of a simulated asymmetric top `seconds` after it was thrown with
/// the spin `spin`, in substeps of `h` seconds.
fn thrown_top(spin: Vector, seconds: f64, h: f64, iterations: u32) -> (Vector, Matrix, Vector) {
    let model = top();
    let mut particles = model.particles.convert::<f64>();
    let sticks = model.sticks.convert::<f64>();
    let schedule = Schedule::for_mesh(&particles, &sticks);
    let mut plan = ScalarKernel.plan(&particles, &sticks, &schedule, Formula::Halley).unwrap();
    let body = &model.bodies.all()[0];
    body.set_twist(&mut particles, &Twist { velocity: [0.0; 3], spin }, h);
    let dt = 100.0 * h;
    let step = Step { dt, substeps: 100, iterations, acceleration: [0.0; 3], damping_rate: 0.0 };
    let mut time = 0.0;
    while time < seconds - 0.5 * dt {
        time += dt;
        assert!(plan.step(&mut particles, &sticks, &step).unwrap().finite);
    }
    let (pose, twist) = (body.pose(&particles), body.twist(&particles, h));
    let momentum = apply(&body.inertia(&particles, 1.0), twist.spin);
    (twist.spin, pose.rotation, momentum)
}

/// The principal moments of inertia of [`top`], kg m².
const MOMENTS: Vector = [0.05, 0.08, 0.1];

/// An asymmetric top of 1 kg around the origin.
fn top() -> Model {
    let inertia = diagonal(MOMENTS);
    Model::rigid(&MassProperties { mass: 1.0, centre: [0.0; 3], inertia }).unwrap()
}

#[test]
fn a_free_top_follows_eulers_equations() {
    // The spin is nearly about the intermediate axis, so the top flips over periodically.
    let (spin, seconds) = ([0.5, 4.0, -0.2], 3.0);
    let (local_spin, rotation) = free_top(MOMENTS, spin, seconds);
    let reference = apply(&rotation, local_spin);
    assert!(local_spin[1] < 0.0, "the top has not flipped: the test is too weak");
    let initial_momentum: Vector = from_fn(|i| MOMENTS[i] * spin[i]);
    // For each length of a substep: the errors of rotation, spin and angular momentum.
    let errors: Vec<[f64; 3]> = [4e-4, 2e-4, 1e-4]
        .into_iter()
        .map(|h| {
            let (spin, turned, momentum) = thrown_top(spin, seconds, h, 4);
            [
                max_difference(&turned, &rotation),
                length(sub(spin, reference)) / length(reference),
                length(sub(momentum, initial_momentum)) / length(initial_momentum),
            ]
        })
        .collect();
    // The errors are of first order in h: half the substep gives half the error. A top loses the fraction
    // spin² h of its spin per second, because the correction of a stick acts along its direction after the
    // motion.
    for quantity in 0..3 {
        let [large, middle, small] = [0, 1, 2].map(|nth: usize| errors[nth][quantity]);
        assert!(small < 0.03, "errors of rotation, spin, momentum: {errors:?}");
        assert!(
            (1.8..2.2).contains(&(large / middle)),
            "errors of rotation, spin, momentum: {errors:?}"
        );
        assert!(
            (1.8..2.2).contains(&(middle / small)),
            "errors of rotation, spin, momentum: {errors:?}"
        );
    }
}
