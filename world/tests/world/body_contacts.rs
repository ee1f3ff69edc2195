//! Contacts of rigid bodies with floors and with each other.

use std::sync::Arc;

use taut_core::Particles;
use taut_scalar::ScalarKernel;
use taut_world::{Body, BodyPose, HalfSpace, Model, Scene, Solid, Surface, Twist, World};

/// The number of substeps of a step.
const SUBSTEPS: u32 = 4;
/// The length of a substep, s.
const H: f64 = 1.0 / 60.0 / SUBSTEPS as f64;

/// An empty scene whose passes are as in Jakobsen 2001: "3 to 4 relaxation iterations", each followed by
/// collisions.
pub(crate) fn scene() -> Scene {
    let mut scene = Scene::new();
    scene.settings.passes = 4;
    scene.settings.step.iterations = 1;
    scene.settings.step.substeps = SUBSTEPS;
    scene.settings.step.damping_rate = 0.0;
    scene
}

pub(crate) fn floor(normal: [f64; 3], surface: Surface) -> Arc<Solid<HalfSpace>> {
    Arc::new(Solid::new(HalfSpace::new([0.0; 3], normal).unwrap()).with(surface).unwrap())
}

pub(crate) fn world(scene: &Scene) -> World {
    World::new(scene, |_| ScalarKernel).unwrap()
}

/// The bodies of a world, each with the particles of its island.
fn bodies(world: &World) -> impl Iterator<Item = (&Particles<3>, &Body)> {
    let model = &world.islands()[0].model;
    model.bodies.all().iter().map(|body| (&model.particles, body))
}

pub(crate) fn twists(world: &World) -> Vec<Twist> {
    bodies(world).map(|(particles, body)| body.twist(particles, H)).collect()
}

pub(crate) fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The largest stretch or compression of a stick in the world.
fn stretch(world: &World) -> f64 {
    let model = &world.islands()[0].model;
    (0..model.sticks.len())
        .map(|stick| {
            let ends = model.sticks.ends()[stick];
            let [a, b] = ends.map(|end| model.particles.position(end as usize));
            let now = length([0, 1, 2].map(|i| f64::from(a[i]) - f64::from(b[i])));
            (now / f64::from(model.sticks.rest(stick)) - 1.0).abs()
        })
        .fold(0.0, f64::max)
}

/// The model with its body at `centre`, in an oblique rotation, with the velocity and spin of
/// `twist`.
fn rotated(mut model: Model, centre: [f64; 3], twist: Twist) -> Model {
    let Model { particles, bodies, .. } = &mut model;
    let rotation = [[0.6, -0.48, 0.64], [0.8, 0.36, -0.48], [0.0, 0.8, 0.6]];
    let body = &bodies.all()[0];
    body.set_pose(particles, &BodyPose { centre, rotation }).unwrap();
    body.set_twist(particles, &twist, H);
    model
}

#[test]
fn bodies_stay_rigid_with_few_iterations_and_come_to_rest() {
    let models = [
        Model::basis(0.5, 2.0).unwrap(),
        Model::tetrahedron(0.5, 2.0).unwrap(),
        Model::rigid_box([0.5, 0.3, 0.2], 300.0).unwrap(),
    ];
    for model in models {
        let mut scene = scene();
        scene.obstacles.push(floor([0.0, 1.0, 0.0], Surface::default()));
        let twist = Twist { velocity: [1.0, -2.0, 0.0], spin: [3.0, 1.0, -2.0] };
        scene.add("body", rotated(model, [0.0, 0.8, 0.0], twist)).unwrap();
        let mut world = world(&scene);
        // The largest stretch of a stick, and the largest depth of a vertex in the floor, m.
        let (mut worst, mut deepest): (f64, f32) = (0.0, 0.0);
        for _ in 0..600 {
            assert!(world.step().unwrap().finite);
            worst = worst.max(stretch(&world));
            let model = &world.islands()[0].model;
            let vertices = model.bodies.vertices(&model.particles);
            deepest = vertices.iter().fold(deepest, |deepest, [_, y, _]| deepest.max(-y));
        }
        assert!(worst < 0.1 && deepest < 1e-3, "stretch {worst}, depth {deepest} m");
        assert!(stretch(&world) < 5e-3);
        let twist = twists(&world)[0];
        assert!(length(twist.velocity) < 1e-2 && length(twist.spin) < 2e-2, "{twist:?}");
    }
}

#[test]
fn a_box_on_a_slope_stays_or_slides_with_coulomb_friction() {
    let (sine, cosine) = (0.6, 0.8);
    for friction in [0.9_f32, 0.4, 0.0] {
        let mut scene = scene();
        scene
            .obstacles
            .push(floor([-sine, cosine, 0.0], Surface { friction, ..Surface::default() }));
        // A flat box that lies on the slope; its centre is 0.05 m above it.
        let mut model = Model::rigid_box([0.5, 0.1, 0.5], 300.0).unwrap();
        let Model { particles, bodies, .. } = &mut model;
        let pose = BodyPose {
            centre: [-0.05 * sine, 0.05 * cosine, 0.0],
            rotation: [[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]],
        };
        bodies.all()[0].set_pose(particles, &pose).unwrap();
        scene.add("box", model).unwrap();
        let mut world = world(&scene);
        for _ in 0..60 {
            assert!(world.step().unwrap().finite);
        }
        let velocity = twists(&world)[0].velocity;
        let downhill = -(velocity[0] * cosine + velocity[1] * sine);
        // The speed after 1 s from rest, m/s.
        let expected = (9.81 * (sine - f64::from(friction) * cosine)).max(0.0);
        assert!(
            (downhill - expected).abs() < 0.02 * 9.81,
            "friction {friction}: {downhill} m/s, expected {expected}"
        );
    }
}

#[cfg(feature = "parry")]
pub(crate) mod pairs {
    use taut_world::{Acceleration, BodyContacts, Field, Path};

    use super::*;

    pub(crate) fn poses(world: &World) -> Vec<BodyPose> {
        bodies(world).map(|(particles, body)| body.pose(particles)).collect()
    }

    /// Momentum, kg m/s, and angular momentum about the origin, kg m²/s.
    fn momenta(world: &World) -> [[f64; 3]; 2] {
        let particles = &world.islands()[0].model.particles;
        let mut sums = [[0.0; 3]; 2];
        for i in 0..particles.len() {
            let mass = 1.0 / f64::from(particles.inverse_masses()[i]);
            let x = particles.position(i).map(f64::from);
            let v = [0, 1, 2].map(|axis| (x[axis] - f64::from(particles.previous(axis)[i])) / H);
            for axis in 0..3 {
                let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
                sums[0][axis] += mass * v[axis];
                sums[1][axis] += mass * (x[j] * v[k] - x[k] * v[j]);
            }
        }
        sums
    }

    #[test]
    fn colliding_bodies_conserve_momentum() {
        for friction in [0.0, 0.5] {
            let mut scene = scene();
            scene.settings.step.acceleration = [0.0; 3];
            let surface = Surface { friction, ..Surface::default() };
            scene.obstacles.push(Arc::new(BodyContacts { surface, ..BodyContacts::default() }));
            let large = Model::rigid_box([0.5, 0.3, 0.4], 300.0).unwrap();
            let small = Model::tetrahedron(0.5, 4.0).unwrap();
            let at_rest = Twist::default();
            let fast = Twist { velocity: [3.0, 0.0, 0.0], spin: [0.0, 0.0, 0.0] };
            scene.add("large", rotated(large, [0.0; 3], at_rest)).unwrap();
            scene.add("small", rotated(small, [-0.8, 0.1, 0.05], fast)).unwrap();
            let mut world = world(&scene);
            let before = momenta(&world);
            for _ in 0..30 {
                assert!(world.step().unwrap().finite);
            }
            let after = momenta(&world);
            let [large, small] = twists(&world)[..] else { panic!("expected two bodies") };
            assert!(large.velocity[0] > 0.3, "the bodies did not collide: {large:?}");
            assert!(
                large.velocity[0] >= small.velocity[0] - 1e-2 || length(large.spin) > 0.5,
                "the bodies neither separate nor rotate: {large:?} {small:?}"
            );
            // Linear momentum is lost by rounding only. Angular momentum is also lost in proportion to
            // spin² h, because the correction of a stick is along its direction after the motion.
            for axis in 0..3 {
                let [linear, angular] =
                    [0, 1].map(|kind: usize| (before[kind][axis] - after[kind][axis]).abs());
                assert!(linear < 2e-3 && angular < 0.05, "{before:?} {after:?}");
            }
        }
    }

    /// Contacts between bodies with this restitution.
    fn bouncing(restitution: f32) -> Arc<BodyContacts> {
        let surface = Surface { friction: 0.5, restitution, ..Surface::default() };
        Arc::new(BodyContacts { surface, ..BodyContacts::default() })
    }

    #[test]
    fn head_on_collisions_of_cubes_have_the_given_restitution() {
        let cube_at = |x: f64, velocity: f64, density: f64| {
            let mut cube = Model::rigid_box([0.5; 3], density).unwrap().moved([x as f32, 0.0, 0.0]);
            let Model { particles, bodies, .. } = &mut cube;
            let twist = Twist { velocity: [velocity, 0.0, 0.0], spin: [0.0; 3] };
            bodies.all()[0].set_twist(particles, &twist, H);
            cube
        };
        for (restitution, density) in [(0.25, 300.0), (0.5, 300.0), (0.9, 300.0), (0.5, 900.0)] {
            let mut scene = scene();
            scene.settings.step.acceleration = [0.0; 3];
            scene.obstacles.push(bouncing(restitution));
            scene.add("left", cube_at(-0.5, 1.0, 300.0)).unwrap();
            scene.add("right", cube_at(0.5, -1.0, density)).unwrap();
            let mut world = world(&scene);
            let before = momenta(&world);
            for _ in 0..60 {
                assert!(world.step().unwrap().finite);
            }
            let after = momenta(&world);
            let [left, right] = twists(&world)[..] else { panic!("expected two bodies") };
            let separating = right.velocity[0] - left.velocity[0];
            // They approach each other at 2 m/s.
            let expected = 2.0 * f64::from(restitution);
            assert!(
                (separating - expected).abs() < 0.03,
                "restitution {restitution}: {left:?} {right:?}"
            );
            for axis in 0..3 {
                assert!((before[0][axis] - after[0][axis]).abs() < 0.05, "{before:?} {after:?}");
            }
            assert!(length(left.spin) < 0.05 && length(right.spin) < 0.05, "{left:?} {right:?}");
        }
    }

    #[test]
    fn a_guided_cube_throws_another_with_and_without_a_force() {
        for with_force in [false, true] {
            let cube_at = |x: f32| Model::rigid_box([0.5; 3], 300.0).unwrap().moved([x, 0.0, 0.0]);
            let mut scene = scene();
            scene.settings.step.acceleration = [0.0; 3];
            scene.obstacles.push(bouncing(0.5));
            if with_force {
                scene.forces.push(Arc::new(Field::new(Acceleration([0.0; 3]))));
            }
            let paddle = cube_at(-1.0);
            let all = 0..paddle.particles.len() as u32;
            let path = Path::Linear { velocity: [2.0, 0.0, 0.0] };
            let paddle = paddle.with_group("all", all).unwrap().guided("all", path, None).unwrap();
            scene.add("paddle", paddle).unwrap();
            scene.add("cube", cube_at(0.0)).unwrap();
            let mut world = world(&scene);
            for _ in 0..30 {
                assert!(world.step().unwrap().finite);
            }
            let speed = twists(&world)[1].velocity[0];
            // The cube gets the 2 m/s of the paddle, and half of that from the restitution.
            assert!((speed - 3.0).abs() < 0.05, "with a force: {with_force}: {speed} m/s");
        }
    }

    #[test]
    fn a_cube_rises_to_restitution_squared_times_its_drop_height() {
        // The cube falls on a floor, or on a pinned body.
        for on_body in [false, true] {
            let mut scene = scene();
            let restitution = 0.6;
            if on_body {
                let slab = Model::rigid_box([2.0, 0.2, 2.0], 300.0).unwrap();
                scene.add("slab", slab.moved([0.0, -0.1, 0.0]).pinned("body")).unwrap();
                scene.obstacles.push(bouncing(restitution));
            } else {
                let surface = Surface { restitution, ..Surface::default() };
                scene.obstacles.push(floor([0.0, 1.0, 0.0], surface));
            }
            let cube = Model::rigid_box([0.5; 3], 300.0).unwrap();
            scene.add("cube", cube.moved([0.0, 1.25, 0.0])).unwrap(); // its lower face is at 1 m
            let mut world = world(&scene);
            let mut heights = Vec::new();
            for _ in 0..90 {
                assert!(world.step().unwrap().finite);
                heights.push(poses(&world).last().unwrap().centre[1] - 0.25);
            }
            let landed = heights.iter().position(|&height| height < 0.05).unwrap();
            let highest = heights[landed..].iter().copied().fold(0.0, f64::max);
            assert!(
                (highest - 0.36).abs() < 0.04,
                "on a body: {on_body}: {highest} m, expected 0.36 m"
            );
            assert!(length(twists(&world).last().unwrap().spin) < 0.2);
        }
    }

    #[test]
    fn with_restitution_a_stack_stays_at_rest_and_bodies_gain_no_energy() {
        let mut scene = scene();
        let surface = Surface { restitution: 0.9, ..Surface::default() };
        scene.obstacles.push(floor([0.0, 1.0, 0.0], surface));
        scene.obstacles.push(bouncing(0.9));
        let cube = || Model::rigid_box([0.5; 3], 300.0).unwrap();
        for nth in 0..3 {
            let offset = [0.02 * nth as f32, 0.25 + 0.5 * nth as f32, 0.0];
            scene.add(format!("stacked {nth}"), cube().moved(offset)).unwrap();
        }
        let mut stack = world(&scene);
        for _ in 0..240 {
            assert!(stack.step().unwrap().finite);
        }
        for (nth, pose) in poses(&stack).iter().enumerate() {
            assert!(
                (pose.centre[1] - 0.25 - 0.5 * nth as f64).abs() < 5e-3,
                "cube {nth}: {pose:?}"
            );
        }
        assert!(twists(&stack).iter().all(|twist| length(twist.velocity) < 1e-2));

        // A fourth cube falls on the stack.
        let twist = Twist { velocity: [0.3, -1.0, 0.0], spin: [3.0, 1.0, -2.0] };
        scene.add("falling", rotated(cube(), [0.1, 3.0, 0.1], twist)).unwrap();
        let mut world = world(&scene);
        let energy = |world: &World| {
            let now = world.diagnostics().unwrap();
            now.kinetic + now.potential
        };
        let (before, mut max) = (energy(&world), 0.0_f64);
        for _ in 0..600 {
            assert!(world.step().unwrap().finite);
            max = max.max(energy(&world));
        }
        assert!(max < 1.01 * before, "{max} J of {before} J");
        assert!(energy(&world) < 0.9 * before);
        assert!(stretch(&world) < 0.02);
    }
}

/// A sphere around the origin, of triangles: an icosahedron whose triangles are divided into four,
/// `divisions` times.
#[cfg(feature = "parry")]
fn sphere(radius: f64, divisions: u32) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    use std::collections::HashMap;
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let mut points: Vec<[f64; 3]> = Vec::new();
    for axis in 0..3 {
        for (one, golden) in [(-1.0, -golden), (1.0, -golden), (-1.0, golden), (1.0, golden)] {
            let mut point = [0.0; 3];
            (point[axis], point[(axis + 1) % 3]) = (one, golden);
            points.push(point);
        }
    }
    let distance = |a: [f64; 3], b: [f64; 3]| length([0, 1, 2].map(|axis| a[axis] - b[axis]));
    let is_near = |a: u32, b: u32| distance(points[a as usize], points[b as usize]) < 2.1;
    let mut triangles = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if is_near(a, b) && is_near(b, c) && is_near(c, a) {
                    let [p, q, r] = [a, b, c].map(|corner| points[corner as usize]);
                    let turn: f64 = (0..3)
                        .map(|i| {
                            let [j, k] = [(i + 1) % 3, (i + 2) % 3];
                            p[i] * (q[j] * r[k] - q[k] * r[j])
                        })
                        .sum();
                    triangles.push(if turn > 0.0 { [a, b, c] } else { [a, c, b] });
                }
            }
        }
    }
    for _ in 0..divisions {
        let mut middles = HashMap::new();
        let mut middle = |a: u32, b: u32| {
            *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                let [p, q] = [a, b].map(|end| points[end as usize]);
                points.push([0, 1, 2].map(|axis| p[axis] + q[axis]));
                let last = points.last_mut().unwrap();
                let scale = length(p) / length(*last);
                *last = last.map(|x| x * scale);
                points.len() as u32 - 1
            })
        };
        triangles = triangles
            .into_iter()
            .flat_map(|[a, b, c]| {
                let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            })
            .collect();
    }
    let scale = radius / length(points[0]);
    (points.iter().map(|point| point.map(|x| (x * scale) as f32)).collect(), triangles)
}

#[test]
#[cfg(feature = "parry")]
fn finely_divided_spheres_collide_as_spheres() {
    // Neighbouring triangles of the finer one differ by less than 1.5 degrees, so `parry3d` finds no face.
    for divisions in [2, 5] {
        let (points, triangles) = sphere(0.5, divisions);
        let ball = Model::rigid_mesh(&points, &triangles, 1.0).unwrap();
        let mut scene = scene();
        scene.settings.step.acceleration = [0.0; 3];
        for (name, side) in [("left", -1.0), ("right", 1.0)] {
            let ball = ball.clone().moved([0.6 * side, 0.0, 0.0]);
            scene.add(name, ball.moving_at([-side, 0.0, 0.0], H as f32)).unwrap();
        }
        scene.obstacles.push(Arc::new(taut_world::BodyContacts::default()));
        let mut world = world(&scene);
        let mut nearest = f64::INFINITY;
        for _ in 0..60 {
            assert!(world.step().unwrap().finite);
            let centres: Vec<f64> =
                bodies(&world).map(|(particles, body)| body.pose(particles).centre[0]).collect();
            nearest = nearest.min(centres[1] - centres[0]);
        }
        assert!((nearest - 1.0).abs() < 0.03, "{divisions} divisions: {nearest} m");
    }
}
