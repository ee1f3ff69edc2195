//! Ropes, chains and bridges match closed forms of mechanics.

use core::f64::consts::PI;

use taut_core::{Formula, Kernel, Kind, Plan, Schedule, Step, Stretch};
use taut_scalar::ScalarKernel;
use taut_world::{Bridge, Model, Rope, Scene, World};

use crate::make::coarse;
use crate::models::{minus, norm};

/// Simulates a rope in `f64`, and calls `visit` with the x and y coordinates of its particles after
/// each step.
fn hang(
    model: &Model<2>,
    step: &Step<2, f64>,
    seconds: u32,
    mut visit: impl FnMut(&[f64], &[f64]),
) {
    let (mut particles, sticks) = (model.particles.convert::<f64>(), model.sticks.convert());
    let schedule = Schedule::for_mesh(&particles, &sticks);
    let mut plan = ScalarKernel.plan(&particles, &sticks, &schedule, Formula::Exact).unwrap();
    for _ in 0..60 * seconds {
        assert!(plan.step(&mut particles, &sticks, step).unwrap().finite);
        visit(particles.positions(0), particles.positions(1));
    }
}

#[test]
fn a_hanging_rope_or_chain_is_a_catenary() {
    let path = [[-1.0, 0.0], [0.0, -1.0], [1.0, 0.0]];
    let length = 2.0 * 2.0_f64.sqrt();
    // The parameter a of the catenary follows from the length 2 a sinh(1 / a). It is found by bisection.
    let (mut low, mut high) = (0.1_f64, 10.0_f64);
    for _ in 0..100 {
        let a = f64::midpoint(low, high);
        if 2.0 * a * (1.0 / a).sinh() > length { low = a } else { high = a }
    }
    let a = low;
    for rope in [Rope::default(), Rope { spacing: 0.05, ..Rope::CHAIN }] {
        let model = Model::rope(&path, &rope).unwrap().pinned("ends");
        let step = Step { substeps: 20, iterations: 32, damping_rate: 6.0, ..Step::default() };
        let mut points = Vec::new();
        hang(&model, &step, 8, |x, y| {
            points = x.iter().copied().zip(y.iter().copied()).collect();
        });
        let last = (points.len() - 1) as f64;
        for (particle, &(x, y)) in points.iter().enumerate() {
            // The length of the rope from its middle, which is its lowest point, to the particle, m.
            let s = length * (particle as f64 / last - 0.5);
            let (expected_x, expected_y) =
                (a * (s / a).asinh(), a.hypot(s) - a.hypot(length / 2.0));
            assert!(
                (x - expected_x).hypot(y - expected_y) < 2e-3,
                "particle {particle}: {x} {y}, expected {expected_x} {expected_y}"
            );
        }
    }
}

#[test]
fn one_stick_swings_like_a_pendulum() {
    let arithmetic_geometric_mean = |mut a: f64, mut g: f64| {
        for _ in 0..20 {
            (a, g) = (f64::midpoint(a, g), (a * g).sqrt());
        }
        a
    };
    for amplitude in [0.1_f64, 1.0, 2.0] {
        let bob = [0.5 * amplitude.sin(), -0.5 * amplitude.cos()].map(|x| x as f32);
        let rope = Rope { spacing: 1.0, ..Rope::default() };
        let model = Model::rope(&[[0.0, 0.0], bob], &rope).unwrap().pinned("start");
        assert_eq!(model.sticks.len(), 1);
        // Projection dissipates energy, less with shorter substeps, so only the first quarter of a
        // period is measured.
        let step = Step { substeps: 256, iterations: 1, damping_rate: 0.0, ..Step::default() };
        let (mut previous_x, mut time, mut quarter) = (f64::NAN, 0.0, None);
        hang(&model, &step, 2, |x, _| {
            time += step.dt;
            if previous_x > 0.0 && x[1] <= 0.0 {
                quarter.get_or_insert(time - step.dt * x[1] / (x[1] - previous_x));
            }
            previous_x = x[1];
        });
        let period = 4.0 * quarter.unwrap();
        let exact = 2.0 * PI * (0.5_f64 / 9.81).sqrt()
            / arithmetic_geometric_mean(1.0, (amplitude / 2.0).cos());
        assert!(
            (period / exact - 1.0).abs() < 2e-3,
            "amplitude {amplitude} rad: {period} s, expected {exact} s"
        );
    }
}

#[test]
fn ropes_have_particles_at_the_corners_of_their_paths() {
    let path = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.25]];
    let model =
        Model::rope(&path, &Rope { spacing: 0.3, density: 2.0, ..Rope::default() }).unwrap();
    let x = model.particles.positions(0);
    assert_eq!(x, [0.0, 0.25, 0.5, 0.75, 1.0, 1.0]);
    assert!((model.mass() - 2.5).abs() < 1e-6);
    let chain = Model::rope(&path, &Rope::CHAIN).unwrap();
    assert!((0..chain.sticks.len()).all(|stick| chain.sticks.kind(stick) == Kind::Maximum));
}

/// The angle at the clamp, degrees, between the two sides of a rope: the horizontal part that is
/// clamped, and the part that hangs from it.
fn clamp_angle(bending: f32) -> f64 {
    let rope = Rope { bending, ..Rope::default() };
    let path = [[0.0, 0.0], [1.0, 0.0]];
    let model = Model::rope(&path, &rope).unwrap().with_group("clamp", [0, 1]).unwrap();
    let mut scene = Scene::<2>::new();
    scene.add("rope", model.pinned("clamp")).unwrap();
    scene.settings.step = coarse();
    let mut world = World::new(&scene, |_| ScalarKernel).unwrap();
    for _ in 0..600 {
        assert!(world.step().unwrap().finite);
    }
    let [x, y] = minus(world.position(2), world.position(1));
    180.0 - (-y).atan2(x).to_degrees()
}

#[test]
fn bending_sticks_make_the_angle_at_a_clamp_obtuse() {
    let angles @ [limp, _, stiff] = [0.0, 0.3, 1.0].map(clamp_angle);
    assert!((limp - 90.0).abs() < 3.0 && stiff > 120.0, "{angles:?} degrees");
    assert!(angles.is_sorted(), "{angles:?} degrees");
}

#[test]
fn a_bridge_carries_its_planks() {
    for (ropes, rails) in [(2, 1.0), (2, 0.0), (3, 0.8)] {
        let options = Bridge { planks: 12, ropes, rails, ..Bridge::default() };
        let [from, to] = [[0.0, 5.0, 1.0], [6.0, 6.0, -2.0]];
        let model = Model::bridge(from, to, &options).unwrap();
        assert!(Stretch::of(&model.particles, &model.sticks).max < 1e-5);
        // Ropes and rails, which are `rails` m above the deck.
        let lines = ropes + if rails > 0.0 { 2 } else { 0 };
        assert_eq!(model.groups["ends"].len(), 2 * lines);
        let mut scene = Scene::new();
        scene.add("bridge", model.clone()).unwrap();
        scene.settings.step = Step { substeps: 8, iterations: 2, ..Step::default() };
        let mut world = World::new(&scene, |_| ScalarKernel).unwrap();
        for _ in 0..600 {
            assert!(world.step().unwrap().finite);
        }
        for &end in &model.groups["ends"] {
            assert_eq!(world.position(end as usize), model.particles.position(end as usize));
        }
        // The initial shape is near the shape at rest, and no plank is deformed.
        for particle in 0..world.len() {
            let moved = norm(minus(world.position(particle), model.particles.position(particle)));
            assert!(
                moved < 0.3,
                "{ropes} ropes, rails at {rails} m: particle {particle} moved by {moved} m"
            );
        }
        let particles = &world.islands()[0].model.particles;
        let stretch = Stretch::of(particles, &world.islands()[0].model.sticks);
        assert!(stretch.residual_max() < 0.03, "{ropes} ropes, rails at {rails} m: {stretch:?}");
    }
}
