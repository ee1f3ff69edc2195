//! Mesh obstacles: particles never cross the triangles of a mesh.

use std::sync::Arc;

use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use taut_core::{Duplicates, Particles, Sticks};
use taut_scalar::ScalarKernel;
use taut_world::{
    ContactScratch, Facing, Matter, Model, Obstacle, Path, Rope, Scene, Solid, Spin, StepTime,
    StickSet, Surface, TriMesh, World,
};

use crate::make::coarse;

/// The length of a substep, s.
const H: f32 = 1.0 / 60.0;

/// The corners of a mesh, m, and its triangles.
#[derive(Clone, Debug)]
struct Shape {
    points: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
}

/// A box with a pit in its top: closed and not convex. Its coordinates are not exact in `f32`.
fn pit() -> Shape {
    // Rings of corners of the outside and of the pit, at several heights.
    let ring = |half: f32, y: f32| {
        [[-half, y, -half], [half, y, -half], [half, y, half], [-half, y, half]]
            .map(|p| p.map(|x| x * 0.7 + 0.013))
    };
    let rings = [ring(0.9, -0.8), ring(1.1, 0.9), ring(0.6, 0.7), ring(0.3, -0.5)];
    let points: Vec<_> = rings.into_iter().flatten().collect();
    let mut triangles = vec![[0, 1, 2], [0, 2, 3], [12, 14, 13], [12, 15, 14]];
    for ring in 0..3 {
        for corner in 0..4 {
            let (a, b) = (4 * ring + corner, 4 * ring + (corner + 1) % 4);
            triangles.extend([[a, a + 4, b], [b, a + 4, b + 4]]);
        }
    }
    Shape { points, triangles }
}

/// The winding number of a closed surface around a point, 1 inside and 0 outside, by the sum of
/// solid angles (van Oosterom and Strackee 1983).
fn winding(shape: &Shape, p: [f64; 3]) -> f64 {
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let mut sum = 0.0;
    for triangle in &shape.triangles {
        let [a, b, c] = triangle.map(|corner| {
            let position = shape.points[corner as usize].map(f64::from);
            [0, 1, 2].map(|axis| position[axis] - p[axis])
        });
        let cross =
            [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
        let [la, lb, lc] = [a, b, c].map(|d| dot(d, d).sqrt());
        let denominator = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
        sum += 2.0 * dot(a, cross).atan2(denominator);
    }
    sum / (2.0 * core::f64::consts::TAU)
}

fn is_inside(shape: &Shape, x: [f32; 3]) -> bool {
    winding(shape, x.map(f64::from)) > 0.5
}

#[test]
fn the_winding_number_is_1_inside_and_0_outside() {
    let pit = pit();
    assert!((winding(&pit, [0.0, -0.5, 0.0]) - 1.0).abs() < 1e-9);
    assert!(winding(&pit, [0.0, 0.4, 0.0]).abs() < 1e-9); // in the pit
    assert!(winding(&pit, [3.0, 0.0, 0.0]).abs() < 1e-9);
}

/// A source of random numbers, points and targets.
struct Random(ChaCha8Rng);

impl Random {
    fn uniform(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.0.next_u32() as f32 / u32::MAX as f32)
    }

    fn point(&mut self, half_width: f32) -> [f32; 3] {
        [0; 3].map(|_| self.uniform(-half_width, half_width))
    }

    /// A random point of the surface: a corner, a point on an edge, or a point inside a triangle.
    fn target(&mut self, shape: &Shape) -> [f32; 3] {
        let triangle = self.0.next_u32() as usize % shape.triangles.len();
        let corners = shape.triangles[triangle].map(|corner| shape.points[corner as usize]);
        let mut weights = match self.0.next_u32() % 4 {
            0 => [1.0, 0.0, 0.0],
            1 => [0.5, 0.5, 0.0],
            2 => [self.uniform(0.0, 1.0), 1.0, 0.0],
            _ => [0; 3].map(|_| self.uniform(0.0, 1.0)),
        };
        let sum: f32 = weights.iter().sum();
        weights = weights.map(|weight| weight / sum);
        [0, 1, 2].map(|axis| (0..3).map(|corner| corners[corner][axis] * weights[corner]).sum())
    }
}

/// A model of particles of 1 kg without sticks.
fn unconnected(points: &[[f32; 3]]) -> Model {
    let particles = Particles::new(points, &vec![1.0; points.len()]).unwrap();
    let sticks = Sticks::with_rests(points.len(), &[], &[], Duplicates::Keep).unwrap();
    Model::new(particles, sticks)
}

fn world(model: Model, obstacle: impl Obstacle + 'static) -> World {
    let mut scene = Scene::new();
    scene.settings.step = coarse();
    scene.add("matter", model).unwrap();
    scene.obstacles.push(Arc::new(obstacle));
    World::new(&scene, |_| ScalarKernel).unwrap()
}

/// Shoots 10,000 particles at triangles, edges and corners at up to 1 km/s, from outside and from
/// inside, and asserts that each stays on its side for 20 steps.
fn shoot(shape: &Shape, surface: Surface, seed: u64) {
    let mut random = Random(ChaCha8Rng::seed_from_u64(seed));
    let starts: Vec<_> = (0..10_000).map(|_| random.point(1.3)).collect();
    let inside: Vec<bool> = starts.iter().map(|x| is_inside(shape, *x)).collect();
    let count = inside.iter().filter(|inside| **inside).count();
    assert!((500..9_500).contains(&count), "{count} of 10,000 are inside");
    let mut model = unconnected(&starts);
    for (i, start) in starts.iter().enumerate() {
        let target = random.target(shape);
        let speed = random.uniform(0.0, 1000.0) * random.uniform(0.0, 1.0);
        let offset: [f32; 3] = [0, 1, 2].map(|axis| target[axis] - start[axis]);
        let length = offset.iter().map(|d| d * d).sum::<f32>().sqrt();
        for (axis, along) in offset.into_iter().enumerate() {
            model.particles.previous_mut(axis)[i] -= along / length * speed * H;
        }
    }
    let mesh = TriMesh::new(&shape.points, &shape.triangles, Facing::Both).unwrap();
    let mut world = world(model, Solid::mesh(mesh).with(surface).unwrap());
    for step in 0..20 {
        assert!(world.step().unwrap().finite);
        for (particle, inside) in inside.iter().enumerate() {
            let x = world.position(particle);
            let start = starts[particle];
            assert_eq!(
                is_inside(shape, x),
                *inside,
                "step {step}: particle {particle} from {start:?} is at {x:?}"
            );
        }
    }
}

#[test]
fn no_fast_particle_tunnels_through_a_closed_mesh() {
    shoot(&pit(), Surface { restitution: 0.9, ..Surface::default() }, 1);
}

#[test]
fn no_fast_particle_tunnels_through_a_mesh_with_thickness_and_no_friction() {
    shoot(&pit(), Surface { thickness: 0.03, friction: 0.0, ..Surface::default() }, 2);
}

#[test]
fn a_wall_stops_a_fast_particle_where_it_hits() {
    let points = [[0.0, -1.0, -1.0], [0.0, 1.0, -1.0], [0.0, 1.0, 1.0], [0.0, -1.0, 1.0]];
    let wall = TriMesh::new(&points, &[[0, 1, 2], [0, 2, 3]], Facing::Front).unwrap();
    let wall = Solid::mesh(wall).with(Surface { thickness: 0.1, ..Surface::default() }).unwrap();
    // The first particle hits the edge between both triangles. The second one comes from behind and
    // passes.
    let mut model = unconnected(&[[5.0, 0.0, 0.0], [-5.0, 0.0, 0.0]]);
    for (particle, speed) in [(0, -1000.0), (1, 1000.0)] {
        model.particles.previous_mut(0)[particle] -= speed * H;
    }
    let mut world = world(model, wall);
    world.settings_mut().step.acceleration = [0.0; 3];
    world.settings_mut().step.damping_rate = 0.0;
    assert!(world.step().unwrap().finite);
    let [x, y, z] = world.position(0);
    assert!((x - 0.1).abs() < 1e-5 && y.abs() < 1e-5 && z.abs() < 1e-5, "at {x} {y} {z} m");
    let [x, ..] = world.position(1);
    assert!((x - (1000.0 * H - 5.0)).abs() < 1e-3, "at {x} m");
}

/// A triangle without area has no normal.
/// A particle 5 cm above the middle of a surface that is 10 cm thick is moved out, whichever corners
/// coincide.
#[test]
fn a_triangle_with_two_equal_corners_is_a_segment() {
    let points = [[0.0; 3], [1.0, 0.0, 0.0]];
    for triangle in [[0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]] {
        let mesh = TriMesh::new(&points, &[triangle], Facing::Both).unwrap();
        let surface = Surface { thickness: 0.1, ..Surface::default() };
        let mut world =
            world(unconnected(&[[0.4, 0.05, 0.0]]), Solid::mesh(mesh).with(surface).unwrap());
        world.settings_mut().step.acceleration = [0.0; 3];
        assert!(world.step().unwrap().finite);
        let [x, y, z] = world.position(0);
        let distance = [x - 0.4, y - 0.1, z].map(f32::abs);
        assert!(distance.iter().all(|x| *x < 1e-3), "{triangle:?}: {x} {y} {z}");
    }
}

#[test]
fn a_triangle_with_all_corners_on_a_line_gives_no_nan() {
    let points = [[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.1, 1.0, 0.0]];
    for facing in [Facing::Front, Facing::Both] {
        let mesh = TriMesh::new(&points, &[[0, 1, 2]], facing).unwrap();
        let mut world = world(unconnected(&points), Solid::mesh(mesh));
        world.settings_mut().step.acceleration = [0.0; 3];
        for _ in 0..3 {
            assert!(world.step().unwrap().finite, "{:?}", world.positions().collect::<Vec<_>>());
        }
    }
}

/// The mesh moves and rotates through a cloud of particles at rest.
#[test]
fn no_particle_gets_into_a_moving_mesh() {
    let shape = pit();
    let mut random = Random(ChaCha8Rng::seed_from_u64(3));
    let mut points: Vec<_> = (0..3000).map(|_| random.point(4.0)).collect();
    points.retain(|x| !is_inside(&shape, *x));
    let mesh = TriMesh::new(&shape.points, &shape.triangles, Facing::Both).unwrap();
    let path = Path::Oscillating { amplitude: [3.0, 1.0, -2.0], period: 0.5 };
    let spin = Spin::about([1.0, 2.0, -0.5], [0.1, 0.0, 0.0], 9.0).unwrap();
    let surface = Surface { restitution: 0.3, ..Surface::default() };
    let mesh = Solid::mesh(mesh).with(surface).unwrap().along(path).unwrap().turning(spin);
    let mut world = world(unconnected(&points), mesh.clone());
    world.settings_mut().passes = 2;
    for step in 0..60 {
        assert!(world.step().unwrap().finite);
        let pose = mesh.pose(world.time());
        for particle in 0..world.len() {
            let x = pose.point_to_local(world.position(particle).map(f64::from));
            assert!(winding(&shape, x) < 0.5, "step {step}: particle {particle} at {x:?}");
        }
    }
}

/// Relaxation may pull particles through the mesh between passes; each pass moves them back.
#[test]
fn bodies_and_limbs_stay_on_their_side_of_a_mesh() {
    // The profile, x and y, of a floor with two ridges along z.
    let profile = [
        [-400.0, 0.0],
        [-0.31, 0.0],
        [-0.3, 0.2],
        [-0.29, 0.0],
        [0.19, 0.0],
        [0.2, 0.2],
        [0.21, 0.0],
        [400.0, 0.0],
    ];
    let points: Vec<[f32; 3]> =
        profile.iter().flat_map(|&[x, y]| [[x, y, 300.0], [x, y, -300.0]]).collect();
    let strips = (0..profile.len() as u32 - 1).map(|strip| 2 * strip);
    let triangles: Vec<[u32; 3]> =
        strips.flat_map(|a| [[a, a + 2, a + 3], [a, a + 3, a + 1]]).collect();
    // The initial velocity along y, m/s.
    for (facing, velocity) in [(Facing::Front, 0.0), (Facing::Both, 0.0), (Facing::Front, -20.0)] {
        let mesh = TriMesh::new(&points, &triangles, facing).unwrap();
        let mut scene = Scene::<3>::new();
        let rope = Rope { spacing: 2.0, ..Rope::default() };
        let beam = Model::rope(&[[-0.5, 0.5, 0.1], [0.5, 0.55, -0.1]], &rope).unwrap();
        let beam = beam.with_limbs([([0, 1], 0.05)]).unwrap();
        scene.add("beam", beam.moving_at([0.0, velocity, 0.0], 1.0 / 240.0)).unwrap();
        let cube = Model::rigid_box([0.4; 3], 300.0).unwrap().moved([2.0, 0.6, 0.0]);
        scene.add("cube", cube.moving_at([0.0, velocity, 0.0], 1.0 / 240.0)).unwrap();
        scene.obstacles.push(Arc::new(Solid::mesh(mesh)));
        scene.settings.step.substeps = 4;
        scene.settings.step.iterations = 1;
        scene.settings.passes = 4;
        let mut world = World::new(&scene, |_| ScalarKernel).unwrap();
        for _ in 0..180 {
            assert!(world.step().unwrap().finite);
        }
        for end in 0..2 {
            let [_, y, _] = world.position(end);
            // The beam has a radius of 0.05 m and lies on the ridges of 0.2 m. After a hard hit it may
            // come to rest elsewhere, so only its least possible height is tested.
            let is_right = if velocity < 0.0 { y > 0.047 } else { (y - 0.25).abs() < 3e-3 };
            assert!(is_right, "{facing:?}, {velocity} m/s, end {end}: height {y} m");
        }
        let Model { particles, bodies, .. } = &world.islands()[0].model;
        let [_, y, _] = bodies.all()[0].pose(particles).centre;
        assert!((y - 0.2).abs() < 3e-3, "{facing:?}, {velocity} m/s, cube: height {y} m");
        let depth = world.diagnostics().unwrap().depth;
        assert!(depth < 3e-3, "{facing:?}, {velocity} m/s: depth {depth} m");
    }
}

#[test]
fn cloth_stays_on_its_side_of_a_mesh() {
    let shape = pit();
    let mesh = TriMesh::new(&shape.points, &shape.triangles, Facing::Both).unwrap();
    let surface = Surface { thickness: 0.01, ..Surface::default() };
    let mesh = Solid::mesh(mesh).with(surface).unwrap();
    let mut cloth = Model::drape(24, StickSet::All).unwrap();
    for particle in 0..cloth.particles.len() {
        let [x, y, _] = cloth.particles.position(particle);
        // Horizontal above the pit, and not pinned.
        cloth.particles.set_position(particle, [x - 0.6, 1.0, y + 0.6]).unwrap();
        cloth.particles.set_inverse_mass(particle, 1.0).unwrap();
    }
    let mut world = world(cloth, mesh.clone());
    world.settings_mut().passes = 3;
    for step in 0..120 {
        assert!(world.step().unwrap().finite);
        for particle in 0..world.len() {
            let x = world.position(particle);
            assert!(!is_inside(&shape, x), "step {step}: particle {particle} at {x:?}");
        }
    }
    let motion = coarse().motion().unwrap();
    let now = StepTime { time: world.time(), h: H, duration: H, motion };
    let depth = mesh.depth(&world.islands()[0].model, &now);
    assert!(depth < 1e-5, "a particle is {depth} m deep");
    // The cloth lies in the pit.
    let lowest = (0..world.len()).map(|particle| world.position(particle)[1]).fold(9.0, f32::min);
    assert!((-0.4..0.3).contains(&lowest), "{lowest} m");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// A particle moves from one random point to another, among random triangles, some of which have no
    /// area.
    #[test]
    fn no_triangle_separates_a_particle_from_its_start(
        corners in prop::collection::vec(prop::array::uniform3(-8_i8..8), 3..24),
        from in prop::array::uniform3(-9.0_f32..9.0),
        to in prop::array::uniform3(-9.0_f32..9.0),
        thickness in prop::sample::select(vec![0.0_f32, 0.1, 1.0]),
    ) {
        let points: Vec<[f32; 3]> = corners.iter().map(|p| p.map(f32::from)).collect();
        let triangles: Vec<[u32; 3]> =
            (2..points.len() as u32).map(|i| [i - 2, i - 1, i]).collect();
        let mesh = TriMesh::new(&points, &triangles, Facing::Both).unwrap();
        let surface =
            Surface { thickness, restitution: 0.5, friction: 0.5, ..Surface::default() };
        let mesh = Solid::mesh(mesh).with(surface).unwrap();
        let mut model = unconnected(&[from]);
        let mut scratch = ContactScratch::default();
        mesh.begin(&mut Matter::of(&mut model, &mut scratch));
        for (axis, to) in to.into_iter().enumerate() {
            model.particles.positions_mut(axis)[0] = to;
        }
        let now = StepTime { time: 0.0, h: H, duration: H, motion: coarse().motion().unwrap() };
        mesh.resolve(&mut Matter::of(&mut model, &mut scratch), &now);
        let end = model.particles.position(0);
        for triangle in &triangles {
            let corners = triangle.map(|corner| points[corner as usize].map(f64::from));
            prop_assert!(!crosses(corners, from.map(f64::from), end.map(f64::from)),
                "{triangle:?}: {from:?} to {end:?}");
        }
    }
}

/// Whether a segment crosses the inside of a triangle (Möller and Trumbore 1997). A segment that
/// only touches an edge or corner, or that is parallel to the triangle, does not.
fn crosses([a, b, c]: [[f64; 3]; 3], from: [f64; 3], to: [f64; 3]) -> bool {
    let minus = |p: [f64; 3], q: [f64; 3]| [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
    let dot = |p: [f64; 3], q: [f64; 3]| p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    let cross = |p: [f64; 3], q: [f64; 3]| {
        [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
    };
    let (along, ab, ac, offset) = (minus(to, from), minus(b, a), minus(c, a), minus(from, a));
    let p = cross(along, ac);
    let volume = dot(ab, p);
    if volume == 0.0 {
        return false;
    }
    let q = cross(offset, ab);
    let (u, v, t) = (dot(offset, p) / volume, dot(along, q) / volume, dot(ac, q) / volume);
    u > 0.0 && v > 0.0 && u + v < 1.0 && t > 0.0 && t < 1.0
}
