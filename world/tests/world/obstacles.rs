//! Collisions with obstacles, compared with closed forms.
#![allow(clippy::float_cmp, reason = "resting positions are exact")]

use std::array::from_fn;
use std::sync::Arc;

use proptest::prelude::*;
use taut_core::{Duplicates, Particles, Sticks};
use taut_scalar::ScalarKernel;
use taut_world::{
    Bounds, Capsule, ContactScratch, Cuboid, HalfSpace, Islands, Matter, Model, Obstacle, Path,
    Scene, Shape, Side, Simulation, Solid, Sphere, Spin, StepTime, StickSet, Surface, World,
};

/// Gravity, m/s².
const G: f64 = 9.81;

/// A model of particles without sticks, each of 1 kg, with a position, m, and a velocity, m/s. Substeps
/// take `h` s.
fn unconnected<const D: usize>(moving_points: &[([f32; D], [f32; D])], h: f32) -> Model<D> {
    let points: Vec<_> = moving_points.iter().map(|(x, _)| *x).collect();
    let particles = Particles::new(&points, &vec![1.0; points.len()]).unwrap();
    let sticks = Sticks::with_rests(points.len(), &[], &[], Duplicates::Keep).unwrap();
    let mut model = Model::new(particles, sticks);
    for axis in 0..D {
        for (i, (x, v)) in moving_points.iter().enumerate() {
            model.particles.previous_mut(axis)[i] = x[axis] - v[axis] * h;
        }
    }
    model
}

fn world<const D: usize>(
    model: Model<D>,
    obstacle: impl Obstacle<D> + 'static,
    substeps: u16,
) -> World<D>
where
    World<D>: Simulation<D>,
{
    let mut scene = Scene::new();
    scene.add("matter", model).unwrap();
    scene.obstacles.push(Arc::new(obstacle));
    scene.settings.step.substeps = substeps.into();
    scene.settings.step.damping_rate = 0.0;
    scene.settings.step.iterations = 1;
    World::new(&scene, |_| ScalarKernel).unwrap()
}

fn run<const D: usize>(world: &mut World<D>, steps: usize)
where
    World<D>: Simulation<D>,
{
    for _ in 0..steps {
        assert!(world.step().unwrap().finite);
    }
}

/// The [`StepTime`] at the end, at `time` s, of a step with one substep of `h` s.
fn now<const D: usize>(time: f64, h: f32) -> StepTime<D> {
    let step = taut_core::Step { dt: h, substeps: 1, ..taut_core::Step::default() };
    StepTime { time, h, duration: h, motion: step.motion().unwrap() }
}

fn surface(friction: f32, restitution: f32) -> Surface {
    Surface { friction, restitution, ..Surface::default() }
}

proptest! {
    #[test]
    fn may_reach_of_a_sphere_has_no_false_negatives(
        direction in [-1.0_f32..1.0, -1.0..1.0, -1.0..1.0],
        centre in [-10.0..10.0, -10.0..10.0, -10.0..10.0],
        (radius, reach) in (prop_oneof![Just(0.0), 1e-3..10.0], prop_oneof![Just(0.0_f32), 1e-6..1.0_f32]),
        ratio in prop_oneof![Just(1.0), 0.999_99..1.000_01_f64, 0.0..3.0],
    ) {
        let ball = Sphere::new(centre, radius).unwrap();
        let length = direction.iter().map(|x| f64::from(x * x)).sum::<f64>().sqrt().max(1e-3);
        // `ratio` is the distance of x from the centre, divided by the distance at which x just collides.
        let distance = (radius + f64::from(reach)) * ratio;
        let x = from_fn(|axis| (centre[axis] + f64::from(direction[axis]) * (distance / length)) as f32);
        let pose = Solid::new(ball).pose(0.0);
        let sides = ball.sides(&pose);
        let side = sides.as_ref()[0];
        let collides = side.nearest(x).distance < reach;
        prop_assert!(side.may_reach(x, reach) || !collides);
        // `may_reach` excludes all points that are clearly outside.
        prop_assert!(!side.may_reach(x, reach) || ratio < 1.01 || distance < 1e-3);
    }
}

#[test]
fn a_dropped_particle_rises_to_restitution_squared_times_its_drop_height() {
    // The length of a substep, s. In much shorter ones, gravity is lost in the rounding of f32 positions.
    let h = 1.0 / 1200.0;
    for e in [0.3_f32, 0.6, 0.9, 1.0] {
        let floor = HalfSpace::new([0.0, 0.0], [0.0, 1.0]).unwrap();
        let floor = Solid::new(floor).with(surface(0.0, e)).unwrap();
        let mut world = world(unconnected(&[([0.0, 1.0], [0.0, 0.0])], h), floor, 20);
        // From 1 m the particle lands after √(2 · 1 m / g) = 0.4515 s, and is highest again e · 0.4515 s
        // later, where e is the restitution.
        let (mut has_landed, mut highest) = (false, 0.0_f32);
        while world.time() < 0.4516 * f64::from(1.0 + 1.5 * e) {
            run(&mut world, 1);
            let y = world.position(0)[1];
            has_landed |= y < 0.1;
            highest = if has_landed { highest.max(y) } else { 0.0 };
        }
        let expected = e * e;
        assert!((highest - expected).abs() < 0.01, "e = {e}: {highest} m, expected {expected} m");
    }
}

#[test]
fn a_bouncing_particle_comes_to_rest() {
    let floor = HalfSpace::new([0.0, 0.0], [0.0, 1.0]).unwrap();
    let floor = Solid::new(floor).with(surface(0.0, 0.7)).unwrap();
    let mut world = world(unconnected(&[([0.0, 0.5], [0.0, 0.0])], 1e-3), floor, 10);
    run(&mut world, 360);
    assert_eq!(world.position(0)[1], 0.0);
    run(&mut world, 1);
    assert_eq!(world.position(0)[1], 0.0);
}

#[test]
fn a_particle_on_a_slope_slides_or_stays_with_coulomb_friction() {
    let h = 1.0 / 600.0;
    for degrees in [10.0_f64, 25.0, 40.0] {
        for friction in [0.0_f32, 0.2, 0.4, 0.6, 0.9] {
            let (sin, cos) = degrees.to_radians().sin_cos();
            let slope = HalfSpace::new([0.0, 0.0], [-sin, cos]).unwrap();
            let slope = Solid::new(slope).with(surface(friction, 0.5)).unwrap();
            let mut world = world(unconnected(&[([0.0, 0.0], [0.0, 0.0])], h), slope, 10);
            run(&mut world, 60);
            let [x, y] = world.position(0).map(f64::from);
            let downhill = -(x * cos + y * sin);
            let acceleration = (G * (sin - f64::from(friction) * cos)).max(0.0);
            let expected = acceleration / 2.0; // a t² / 2, after 1 s
            assert!(
                (downhill - expected).abs() < 0.01 * expected + 1e-5,
                "{degrees} degrees, friction {friction}: {downhill} m, expected {expected} m"
            );
        }
    }
}

#[test]
fn a_moving_floor_carries_a_particle_by_friction() {
    let h = 1.0 / 600.0;
    let floor = HalfSpace::new([0.0, 0.0], [0.0, 1.0]).unwrap();
    let path = Path::Linear { velocity: [0.5, 0.25] };
    let floor = Solid::new(floor).with(surface(0.8, 0.0)).unwrap().along(path).unwrap();
    let mut world = world(unconnected(&[([0.0, 0.0], [0.0, 0.0])], h), floor, 10);
    run(&mut world, 120);
    let [x, y] = world.position(0);
    // The floor hits the particle at 0.25 m/s, so friction gives the particle 0.8 * 0.25 m/s at once. From
    // then on its speed v relative to the floor decreases to 0, and it falls behind by v² / (2 μ g).
    let behind = ((0.5 - 0.2_f64).powi(2) / (2.0 * 0.8 * G)) as f32;
    assert!((x - (1.0 - behind)).abs() < 2e-3 && (y - 0.5).abs() < 1e-5, "at {x} {y} m");
}

#[test]
fn a_rotating_table_carries_a_particle_by_friction() {
    let h = 1.0 / 600.0;
    let table = HalfSpace::new([0.0; 3], [0.0, 1.0, 0.0]).unwrap();
    let spin = Spin::about([0.0, 1.0, 0.0], [0.0; 3], core::f64::consts::PI).unwrap();
    let table = Solid::new(table).with(surface(2.0, 0.0)).unwrap().turning(spin);
    // The particle moves with the table from the beginning; ω² r = 4.9 m/s² is less than μ g.
    let start = [([0.5, 0.0, 0.0], [0.0, 0.0, -0.5 * core::f32::consts::PI])];
    let mut world = world(unconnected(&start, h), table, 10);
    run(&mut world, 60);
    let [x, _, z] = world.position(0);
    assert!((x + 0.5).abs() < 0.01 && z.abs() < 0.02, "x = {x} m, z = {z} m after half a turn");
}

/// A particle with a radius that flies in a closed box without gravity keeps its speed, and a very fast
/// one stays inside.
#[test]
fn a_circle_is_mirrored_at_the_edges_of_the_screen() {
    let h = 1.0 / 60.0;
    let mut model = unconnected(&[([0.5, 0.4], [1.3, -0.7]), ([0.2, 0.2], [-900.0, 611.0])], h);
    model.radii = vec![0.1, 0.05];
    let screen = Bounds::new([0.0, 0.0], [1.6, 0.9]).unwrap();
    let mut world = world(model, Solid::new(screen).with(surface(0.0, 1.0)).unwrap(), 1);
    world.settings_mut().step.acceleration = [0.0, 0.0];
    // A coordinate mirrored at both ends of an interval.
    let mirrored = |x: f64, low: f64, high: f64| {
        let width = high - low;
        let offset = (x - low).rem_euclid(2.0 * width);
        low + if offset > width { 2.0 * width - offset } else { offset }
    };
    for step in 1..=600 {
        run(&mut world, 1);
        let time = f64::from(step) / 60.0;
        let [x, y] = world.position(0).map(f64::from);
        let expected = [mirrored(0.5 + 1.3 * time, 0.1, 1.5), mirrored(0.4 - 0.7 * time, 0.1, 0.8)];
        assert!(
            (x - expected[0]).abs() < 1e-3 && (y - expected[1]).abs() < 1e-3,
            "step {step}: at {x} {y} m"
        );
        let [x, y] = world.position(1);
        assert!((0.05 - 1e-6..=1.55 + 1e-6).contains(&x), "step {step}: x = {x}");
        assert!((0.05 - 1e-6..=0.85 + 1e-6).contains(&y), "step {step}: y = {y}");
    }
}

fn distance(x: [f32; 3], centre: [f64; 3]) -> f64 {
    let squares = x.iter().zip(centre).map(|(x, c)| (f64::from(*x) - c).powi(2));
    squares.sum::<f64>().sqrt()
}

#[test]
fn a_ball_moving_through_cloth_keeps_particles_outside_and_stable() {
    let mut scene = Scene::new();
    scene.add("cloth", Model::drape(24, StickSet::All).unwrap()).unwrap();
    let path = Path::Oscillating { amplitude: [0.0, 0.0, 1.0], period: 2.0 };
    let ball = Sphere::new([0.6, -0.7, 0.0], 0.25).unwrap();
    let surface = Surface { thickness: 0.02, restitution: 0.5, ..Surface::default() };
    let ball = Solid::new(ball).with(surface).unwrap().along(path).unwrap();
    let centre = |time| ball.pose(time).point([0.6, -0.7, 0.0]);
    scene.obstacles.push(Arc::new(ball.clone()));
    scene.settings.step.substeps = 4;
    scene.settings.step.iterations = 4;
    scene.settings.passes = 2;
    let mut world = World::new(&scene, |_| ScalarKernel).unwrap();
    for step in 0..360 {
        let before: Vec<_> = (0..world.len()).map(|i| world.position(i)).collect();
        run(&mut world, 1);
        for (particle, before) in before.into_iter().enumerate() {
            let x = world.position(particle);
            let from_centre = distance(x, centre(world.time()));
            assert!(
                from_centre >= 0.27 - 2e-6,
                "step {step}: particle {particle} at {from_centre} m from the centre"
            );
            // The speed of the ball is at most π m/s. The cloth may be faster, but must not blow up.
            let speed = distance(x, before.map(f64::from)) * 60.0;
            assert!(speed < 25.0, "step {step}: particle {particle} at {speed} m/s");
        }
    }
    let depth = ball.depth(&world.islands()[0].model, &now(world.time(), 1.0 / 240.0));
    assert!(depth < 2e-6, "{depth} m deep");
}

#[test]
fn pinned_particles_stay_and_do_not_count_in_depth() {
    let h = 1.0 / 60.0;
    let inside = [([0.0, 0.1, 0.0], [0.0; 3]), ([0.0, 0.3, 0.0], [0.0; 3])];
    let mut model = unconnected(&inside, h);
    model.particles.set_inverse_mass(0, 0.0).unwrap();
    let ball = Solid::new(Sphere::new([0.0; 3], 0.5).unwrap());
    assert!((ball.depth(&model, &now(0.0, h)) - 0.2).abs() < 1e-6);
    let mut scratch = ContactScratch::default();
    ball.resolve(&mut Matter::of(&mut model, &mut scratch), &now(0.0, h));
    assert_eq!(model.particles.position(0), [0.0, 0.1, 0.0]);
    assert_eq!(model.particles.position(1), [0.0, 0.5, 0.0]);
    // The particle is moved out without gaining velocity.
    assert_eq!(model.particles.previous(1)[1], 0.5);
}

fn point() -> impl Strategy<Value = [f64; 3]> {
    prop::array::uniform3(-2.0..2.0)
}

/// An obstacle of any shape and position, some of them moving.
fn obstacle() -> impl Strategy<Value = Arc<dyn Obstacle>> {
    let sphere = (point(), 0.01..2.0)
        .prop_map(|(c, r)| Arc::new(Solid::new(Sphere::new(c, r).unwrap())) as Arc<dyn Obstacle>);
    let capsule = (point(), point(), 0.01..1.0, point()).prop_map(|(a, b, r, velocity)| {
        let solid = Solid::new(Capsule::new([a, b], r).unwrap());
        Arc::new(solid.along(Path::Linear { velocity }).unwrap()) as Arc<dyn Obstacle>
    });
    let plane = (point(), point()).prop_filter_map("no normal", |(p, n)| {
        Some(Arc::new(Solid::new(HalfSpace::new(p, n).ok()?)) as Arc<dyn Obstacle>)
    });
    let cuboid = (point(), prop::array::uniform3(0.1..1.5), point(), -3.0..3.0, 0.0_f32..0.2)
        .prop_filter_map("no axis", |(min, size, axis, rate, thickness)| {
            let max = core::array::from_fn(|i| min[i] + size[i]);
            let solid = Solid::new(Cuboid::new(min, max).unwrap())
                .with(Surface { thickness, friction: 0.7, restitution: 0.4, ..Surface::default() })
                .unwrap();
            Some(Arc::new(solid.turning(Spin::about(axis, [0.1, 0.0, 0.2], rate).ok()?)) as _)
        });
    let bounds = (point(), prop::array::uniform3(0.5..3.0), 0.0_f32..=1.0).prop_map(
        |(min, size, restitution)| {
            let max = core::array::from_fn(|i| min[i] + size[i]);
            let solid = Solid::new(Bounds::new(min, max).unwrap());
            Arc::new(solid.with(surface(0.3, restitution)).unwrap()) as Arc<dyn Obstacle>
        },
    );
    prop_oneof![sphere, capsule, plane, cuboid, bounds]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// The bound on the depth allows for four roundings of coordinates of up to 8 m.
    #[test]
    fn after_collisions_are_resolved_no_particle_is_inside(
        obstacle in obstacle(),
        moving_points in prop::collection::vec((prop::array::uniform3(-4.0_f32..4.0),
                                         prop::array::uniform3(-40.0_f32..40.0),
                                         0.0_f32..0.2), 1..600),
        time in 0.0..1.0,
    ) {
        let h = 1.0 / 60.0;
        let states: Vec<_> = moving_points.iter().map(|(x, v, _)| (*x, *v)).collect();
        let mut model = unconnected(&states, h);
        model.radii = moving_points.iter().map(|(_, _, radius)| *radius).collect();
        let now = now(time, h);
        let before = obstacle.depth(&model, &now);
        let unchanged = model.clone();
        let mut scratch = ContactScratch::default();
        obstacle.resolve(&mut Matter::of(&mut model, &mut scratch), &now);
        let after = obstacle.depth(&model, &now);
        prop_assert!(after < 4e-6, "{after} m deep, {before} m before");
        if before == 0.0 {
            prop_assert_eq!(model.particles.hash(), unchanged.particles.hash());
        }
    }
}

/// An obstacle that never shares a loop over the particles with other obstacles.
#[derive(Debug)]
struct Unfused(Arc<dyn Obstacle>);

impl Obstacle for Unfused {
    fn resolve(&self, matter: &mut Matter<'_>, now: &StepTime) {
        self.0.resolve(matter, now);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// One of the positions may be infinite or NaN.
    #[test]
    fn obstacles_in_one_loop_over_the_particles_have_the_bits_of_separate_loops(
        obstacles in prop::collection::vec(obstacle(), 2..20),
        cloud in prop::collection::vec((prop::array::uniform3(-4.0_f32..4.0),
                                        prop::array::uniform3(-40.0_f32..40.0)), 1..300),
        not_finite in prop::option::of((0..300_usize, prop::sample::select(
            vec![f32::NAN, f32::INFINITY, f32::NEG_INFINITY]))),
        with_radii in any::<bool>(),
    ) {
        let run = |fused: bool| {
            let mut model = unconnected(&cloud, 1.0 / 120.0);
            if with_radii {
                model.radii = (0..cloud.len()).map(|i| 0.01 * (i % 7) as f32).collect();
            }
            if let Some((particle, y)) = not_finite {
                model.particles.positions_mut(1)[particle % cloud.len()] = y;
            }
            let mut scene = Scene::new();
            scene.add("cloud", model).unwrap();
            for obstacle in &obstacles {
                let obstacle = obstacle.clone();
                scene.obstacles.push(if fused { obstacle } else { Arc::new(Unfused(obstacle)) });
            }
            scene.settings.step.substeps = 2;
            let mut world = World::new(&scene, |_| ScalarKernel).unwrap();
            for _ in 0..3 {
                let _ = world.step().unwrap();
            }
            let points: Vec<_> = world.positions().map(|x| x.map(f32::to_bits)).collect();
            points
        };
        prop_assert_eq!(run(false), run(true));
    }
}

/// A contact between islands: it keeps the first particles of consecutive islands at least this far
/// apart in y, m.
#[derive(Debug)]
struct KeepApart(f32);

impl Obstacle for KeepApart {
    fn resolve(&self, _: &mut Matter<'_>, _: &StepTime) {}

    fn resolve_all(&self, islands: &mut Islands<'_>, _: &StepTime) {
        for nth in 1..islands.count() {
            let [mut lower, mut upper] = islands.two([nth - 1, nth]).unwrap();
            let height = |matter: &mut Matter<'_>| matter.model_mut().particles.position(0)[1];
            let missing = self.0 - (height(&mut upper) - height(&mut lower));
            if missing > 0.0 {
                lower.model_mut().particles.positions_mut(1)[0] -= 0.5 * missing;
                upper.model_mut().particles.positions_mut(1)[0] += 0.5 * missing;
            }
        }
    }
}

#[test]
fn contacts_between_islands_access_all_islands() {
    let mut scene = Scene::new();
    for (name, height) in [("lower", 0.0), ("upper", 0.05)] {
        let sheet = Model::drape(4, StickSet::All).unwrap().moved([0.0, height, 0.0]);
        scene.add(name, sheet).unwrap();
    }
    scene.obstacles.push(Arc::new(KeepApart(0.2)));
    let mut world = World::new(&scene, |_| ScalarKernel).unwrap();
    assert_eq!(world.islands().len(), 2);
    run(&mut world, 2);
    let first = |model: &str| world.position(world.model(model).unwrap().start)[1];
    let apart = first("upper") - first("lower");
    assert!((apart - 0.2).abs() < 1e-6, "the sheets are {apart} m apart");
}

/// An obstacle that moves a particle to infinity.
#[derive(Debug)]
struct MovesToInfinity;

impl Obstacle for MovesToInfinity {
    fn resolve(&self, matter: &mut Matter<'_>, _: &StepTime) {
        matter.model_mut().particles.positions_mut(1)[0] = f32::INFINITY;
    }
}

/// The outcome of a step reports a position that is not finite, even if the last obstacle wrote it.
#[test]
fn the_outcome_reports_a_position_that_is_not_finite_and_written_by_the_last_obstacle() {
    let mut scene = Scene::new();
    scene.add("sheet", Model::drape(4, StickSet::All).unwrap()).unwrap();
    scene.obstacles.push(Arc::new(MovesToInfinity));
    scene.settings.step.substeps = 1;
    let mut world = World::new(&scene, |_| ScalarKernel).unwrap();
    assert!(!world.step().unwrap().finite);
}

#[test]
fn a_direction_without_a_valid_length_is_an_error_that_says_the_length() {
    let error = |y: f64| HalfSpace::new([0.0; 3], [0.0, y, 0.0]).unwrap_err().to_string();
    let what = "the length of the normal of a half-space is";
    assert_eq!(error(-2e12), format!("{what} 2000000000000; it must be at most 1e12"));
    assert_eq!(error(f64::NAN), format!("{what} NaN; it must be at most 1e12"));
    assert_eq!(error(0.0), format!("{what} 0; it must be at least 1e-12"));
}
