//! Continuous collision detection with shapes given by a formula.

use std::array::from_fn;
use std::sync::Arc;

use proptest::prelude::*;
use taut_scalar::ScalarKernel;
use taut_world::{
    Capsule, Cuboid, Model, Obstacle, Path, Ragdoll, Scene, Solid, Sphere, Spin, Surface, World,
};

use crate::make::{steps, unconnected};

type Point = [f32; 3];

fn dot(a: Point, b: Point) -> f32 {
    (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]
}

fn minus(a: Point, b: Point) -> Point {
    from_fn(|axis| a[axis] - b[axis])
}

/// A world without gravity and damping. Each of `movers` is the initial position, m, and velocity, m/s,
/// of a particle.
fn world_of_movers(
    movers: &[(Point, Point)],
    obstacle: Arc<dyn Obstacle>,
    substeps: u32,
    passes: u32,
) -> World {
    let points: Vec<_> = movers.iter().map(|(x, _)| *x).collect();
    let mut model = unconnected(&points, &vec![1.0; points.len()]);
    let mut scene = Scene::new();
    scene.settings.step.substeps = substeps;
    scene.settings.step.damping_rate = 0.0;
    scene.settings.step.acceleration = [0.0; 3];
    scene.settings.passes = passes;
    let h = scene.settings.step.dt / substeps as f32;
    for axis in 0..3 {
        for (i, (x, v)) in movers.iter().enumerate() {
            model.particles.previous_mut(axis)[i] = x[axis] - v[axis] * h;
        }
    }
    scene.add("movers", model).unwrap();
    scene.obstacles.push(obstacle);
    World::new(&scene, |_| ScalarKernel).unwrap()
}

/// The positions and velocities of particles that move at 50 m/s towards the plane y = 0, from both
/// sides and at many angles.
fn towards_plane() -> Vec<(Point, Point)> {
    let mut movers = Vec::new();
    for side in [1.0_f32, -1.0] {
        for polar in 0..9 {
            for around in 0..8 {
                let (sin, cos) = (f32::to_radians(10.0 * polar as f32)).sin_cos();
                let (z, x) = (f32::to_radians(45.0 * around as f32)).sin_cos();
                let direction = [sin * x, -side * cos, sin * z];
                let distance = 0.2 + 0.013 * movers.len() as f32;
                let start = direction.map(|along| -distance * along);
                movers.push((
                    [start[0], start[1] + 0.01 * side, start[2]],
                    direction.map(|d| 50.0 * d),
                ));
            }
        }
    }
    movers
}

#[test]
fn no_particle_at_50_m_per_s_tunnels_through_a_plate_1_cm_thick() {
    let plate = Cuboid::new([-100.0, -0.005, -100.0], [100.0, 0.005, 100.0]).unwrap();
    let movers = towards_plane();
    for (restitution, thickness) in [(0.0, 0.0), (0.8, 0.0), (0.3, 0.02)] {
        for (substeps, passes) in [(1, 1), (8, 1), (1, 3), (2, 2)] {
            let surface = Surface { restitution, thickness, ..Surface::default() };
            let plate = Solid::new(plate).swept().with(surface).unwrap();
            let mut world = world_of_movers(&movers, Arc::new(plate), substeps, passes);
            let mut hits = 0; // how often a particle was at the plate at the end of a step
            for _ in 0..20 {
                steps(&mut world, 1);
                for (particle, (start, _)) in movers.iter().enumerate() {
                    let height = world.position(particle)[1] * start[1].signum();
                    assert!(
                        height > 0.005 + thickness - 1e-6,
                        "particle {particle} is at {height} m"
                    );
                    hits += usize::from(height < 0.006 + thickness);
                }
            }
            // Without restitution, particles stay on the plate.
            assert!(restitution > 0.0 || hits > 10 * movers.len(), "{hits} hits");
        }
    }
}

#[test]
fn particles_pass_a_plate_that_is_not_swept() {
    let plate = Cuboid::new([-100.0, -0.005, -100.0], [100.0, 0.005, 100.0]).unwrap();
    let movers = towards_plane();
    let mut world = world_of_movers(&movers, Arc::new(Solid::new(plate)), 1, 1);
    steps(&mut world, 20);
    let passed = |&particle: &usize| world.position(particle)[1] * movers[particle].0[1] < 0.0;
    assert!((0..movers.len()).filter(passed).count() > movers.len() / 2);
}

#[test]
fn a_plate_that_moves_or_turns_fast_pushes_every_particle_in_front_of_it() {
    let plate = Cuboid::new([-10.0, -0.005, -10.0], [10.0, 0.005, 10.0]).unwrap();
    let movers: Vec<(Point, Point)> = (0..64)
        .map(|i| {
            let [x, z] = [(i % 8) as f32 - 3.4, (i / 8) as f32 - 3.6];
            // On the side towards which the plate turns: up at x > 0.
            ([x, if x > 0.0 { 0.6 } else { -0.6 }, z], [0.0; 3])
        })
        .collect();
    let path = Path::Oscillating { amplitude: [0.0, 3.0, 0.0], period: 0.3 };
    let spin = Spin::about([0.0, 0.0, 1.0], [0.0; 3], 9.0).unwrap();
    for substeps in [1, 8] {
        let moving = Solid::new(plate).swept().along(path.clone()).unwrap();
        let turning = Solid::new(plate).swept().turning(spin);
        let both = moving.clone().turning(spin);
        for plate in [moving, turning, both] {
            let mut world = world_of_movers(&movers, Arc::new(plate.clone()), substeps, 1);
            let mut moved = 0; // how often a particle was not at its initial height after a step
            for step in 0..12 {
                steps(&mut world, 1);
                let pose = plate.pose(world.time());
                for (particle, (start, _)) in movers.iter().enumerate() {
                    let x = world.position(particle);
                    let [along, height, across] = pose.point_to_local(x.map(f64::from));
                    // A particle may slide beyond the edge of the plate.
                    if along.abs() < 9.9 && across.abs() < 9.9 {
                        let height = height * f64::from(start[1]).signum();
                        assert!(
                            height > 0.005 - 1e-5,
                            "step {step}, particle {particle}: {height} m"
                        );
                    }
                    moved += usize::from(x[1] != start[1]);
                }
            }
            assert!(
                moved > 100,
                "only {moved} positions after a step differ from the initial height"
            );
        }
    }
}

#[test]
fn a_swept_plate_returns_a_particle_in_its_far_half_to_the_side_it_came_from() {
    let plate = Cuboid::new([-1.0, -0.01, -1.0], [1.0, 0.0, 1.0]).unwrap();
    // After one step it is 8 mm below the top, in the lower half of the plate.
    let mover = ([0.0, 0.01, 0.0], [0.0, -0.018 * 60.0, 0.0]);
    for (swept, expected) in [(true, 0.0), (false, -0.01)] {
        let plate = Solid::new(plate);
        let plate = if swept { plate.swept() } else { plate };
        let mut world = world_of_movers(&[mover], Arc::new(plate), 1, 1);
        steps(&mut world, 1);
        assert!((world.position(0)[1] - expected).abs() < 1e-6);
    }
}

#[test]
fn a_particle_at_rest_on_a_swept_plate_stays() {
    let plate = Cuboid::new([-1.0, -0.01, -1.0], [1.0, 0.0, 1.0]).unwrap();
    let plate = Arc::new(Solid::new(plate).swept());
    let mut world = world_of_movers(&[([0.1, 0.003, 0.2], [0.0; 3])], plate, 8, 2);
    world.settings_mut().step.acceleration = [0.0, -9.81, 0.0];
    steps(&mut world, 120);
    let rest = world.position(0);
    assert!(rest[1].abs() < 1e-6, "at rest at {rest:?} m");
    steps(&mut world, 60);
    assert_eq!(world.position(0), rest);
}

#[test]
fn bodies_and_limbs_do_not_pass_a_thin_plate() {
    let plate = Cuboid::new([-50.0, -0.01, -50.0], [50.0, 0.0, 50.0]).unwrap();
    let body = Model::rigid_box([0.2; 3], 500.0).unwrap();
    let ragdoll = Model::<3>::ragdoll(&Ragdoll::default()).unwrap();
    for (name, model) in [("box", body), ("ragdoll", ragdoll)] {
        let lowest = [true, false].map(|swept| {
            let mut scene = Scene::new();
            scene.settings.step.substeps = 2;
            scene.settings.passes = 4;
            let thrown = model.clone().moved([0.0, 2.0, 0.0]);
            scene.add("thrown", thrown.moving_at([0.0, -15.0, 0.0], 1.0 / 120.0)).unwrap();
            let plate = Solid::new(plate);
            scene.obstacles.push(Arc::new(if swept { plate.swept() } else { plate }));
            let mut world = World::new(&scene, |_| ScalarKernel).unwrap();
            steps(&mut world, 60);
            world.positions().map(|[_, y, _]| y).fold(f32::INFINITY, f32::min)
        });
        assert!(lowest[0] > -0.01 && lowest[1] < -0.1, "{name}: {lowest:?}");
    }
}

/// The outward normal of a ball about the origin where a segment enters it. None if it does not.
fn entry_normal(from: Point, to: Point, radius: f64) -> Option<[f64; 3]> {
    let [from, to] = [from, to].map(|point| point.map(f64::from));
    let dot = |a: [f64; 3], b: [f64; 3]| (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
    let along = from_fn(|axis| to[axis] - from[axis]);
    let (a, b, c) = (dot(along, along), dot(from, along), dot(from, from) - radius * radius);
    let discriminant = b * b - a * c;
    let fraction = if discriminant >= 0.0 { (-b - discriminant.sqrt()) / a } else { -1.0 };
    (0.0..=1.0)
        .contains(&fraction)
        .then(|| from_fn(|axis| (from[axis] + fraction * along[axis]) / radius))
}

proptest! {
    /// Compares one step with the analytic point of entry. The position of a particle that does not
    /// cross the obstacle has the same bits as with an obstacle that is not swept.
    #[test]
    fn balls_and_capsules_stop_exactly_the_particles_whose_paths_enter_them(
        from in prop::array::uniform3(-1.0_f32..1.0),
        aim in prop::array::uniform3(-0.03_f32..0.03),
        beyond in 0.0_f32..2.0,
        thickness in prop_oneof![Just(0.0_f32), Just(0.004)],
    ) {
        prop_assume!(dot(from, from) > 0.01);
        // The path goes from `from` through `aim`, a point near the ball, and continues by `beyond`
        // times the distance of these two.
        let to: Point = from_fn(|axis| aim[axis] + beyond * (aim[axis] - from[axis]));
        let velocity = minus(to, from).map(|d| d * 60.0);
        let surface = Surface { thickness, friction: 0.0, ..Surface::default() };
        let ball = Solid::new(Sphere::new([0.0; 3], 0.01).unwrap()).with(surface).unwrap();
        // A capsule whose ends coincide is a ball, too.
        let capsule = Capsule::new([[0.0; 3]; 2], 0.01).unwrap();
        let capsule = Solid::new(capsule).with(surface).unwrap();
        let pairs: [[Arc<dyn Obstacle>; 2]; 2] = [
            [Arc::new(ball.clone()), Arc::new(ball.swept())],
            [Arc::new(capsule.clone()), Arc::new(capsule.swept())],
        ];
        let radius = f64::from(0.01_f32) + f64::from(thickness);
        for pair in pairs {
            let [unswept, swept] = pair.map(|solid| {
                let mut world = world_of_movers(&[(from, velocity)], solid, 1, 1);
                steps(&mut world, 1);
                world.position(0)
            });
            let norm = |x: Point| f64::from(dot(x, x).sqrt());
            prop_assert!(norm(swept) > radius - 1e-6);
            let ends_inside = norm(unswept) < radius + 1e-6;
            match entry_normal(from, unswept, radius) {
                None if !ends_inside => prop_assert_eq!(swept, unswept),
                Some(normal) if !ends_inside => {
                    let displacement = minus(unswept, from).map(f64::from);
                    let normal_displacement =
                        (0..3).map(|axis| normal[axis] * displacement[axis]).sum::<f64>();
                    // The swept particle is stopped where it enters, and slides only in the tangent plane there.
                    let height = (0..3).map(|axis| normal[axis] * f64::from(swept[axis])).sum::<f64>();
                    // Only paths that go clearly inwards: the normal of a grazing path is sensitive to rounding.
                    if normal_displacement < -0.2 * norm(minus(unswept, from)) {
                        prop_assert!((height - radius).abs() < 1e-4, "{height} m");
                    }
                }
                // A particle that ends inside is moved out in both cases.
                _ => {}
            }
        }
    }

    /// No segment between successive positions of a particle crosses a long capsule.
    #[test]
    fn no_particle_tunnels_through_a_rod_1_cm_thick(
        x in -5.0_f32..5.0,
        angle in 0.0_f32..6.3,
        speed in 1.0_f32..100.0,
        offset in -0.004_f32..0.004,
        turning in any::<bool>(),
        dt in prop_oneof![Just(1.0_f32 / 60.0), Just(1.0 / 480.0)],
    ) {
        let rod = Capsule::new([[-20.0, 0.0, 0.0], [20.0, 0.0, 0.0]], 0.005).unwrap();
        let spin = Spin::about([1.0, 0.0, 0.0], [0.0; 3], 6.0).unwrap();
        let rod = Solid::new(rod).swept();
        let rod = if turning { rod.turning(spin) } else { rod };
        // From 0.5 m beside the axis, towards a point at the distance `offset` from it.
        let (sin, cos) = angle.sin_cos();
        let start = [x, cos * 0.5 - sin * offset, sin * 0.5 + cos * offset];
        let velocity = [0.3 * speed, -cos * speed, -sin * speed];
        let mut world = world_of_movers(&[(start, velocity)], Arc::new(rod), 1, 1);
        let mut settings = *world.settings();
        settings.step.dt = dt;
        world.set_settings(settings).unwrap();
        for _ in 0..60 {
            let [_, y1, z1] = world.position(0);
            steps(&mut world, 1);
            let [_, y2, z2] = world.position(0);
            // The least distance of the segment from the axis of the rod, which is along x.
            let (dy, dz) = (y2 - y1, z2 - z1);
            let fraction = (-(y1 * dy + z1 * dz) / (dy * dy + dz * dz)).clamp(0.0, 1.0);
            let nearest = (y1 + fraction * dy).hypot(z1 + fraction * dz);
            // The radius is 5 mm, and the tolerance 0.3 mm. For a particle that does not move in y and
            // z, `fraction` and `nearest` are NaN.
            prop_assert!(nearest >= 0.0047 || nearest.is_nan(), "{nearest} m");
        }
    }
}
