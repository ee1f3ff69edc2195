//! Obstacles with `edges`: collisions of sticks and faces with shapes given by a formula.

use std::sync::Arc;

use taut_scalar::ScalarKernel;
use taut_world::{
    Axes, Capsule, Cloth, Cuboid, Model, Obstacle, Path, Rope, Scene, Solid, Sphere, Surface, World,
};

use crate::make::steps;

/// The length of a substep, s: 60 steps per second, of 8 substeps each.
const H: f32 = 1.0 / 480.0;

/// A rope with sticks of 1 m along this path, m.
fn rope(path: &[[f32; 3]]) -> Model {
    Model::rope(path, &Rope { spacing: 1.0, ..Rope::default() }).unwrap()
}

/// A pole along z of radius 3 cm, at height 0.
fn pole(x: f64) -> Solid<Capsule> {
    Solid::new(Capsule::new([[x, 0.0, -1.0], [x, 0.0, 1.0]], 0.03).unwrap())
}

/// A horizontal square sheet with a spacing of 0.5 m, at this height, m.
fn coarse_sheet(columns: usize, height: f32) -> Model {
    let width = 0.5 * (columns - 1) as f32;
    let axes = Axes::HORIZONTAL;
    let cloth = Cloth { columns, rows: columns, width, height: width, axes, ..Cloth::default() };
    Model::cloth(&cloth).unwrap().moved([0.0, height, 0.0])
}

fn world_of<const N: usize>(model: Model, obstacles: [Arc<dyn Obstacle>; N]) -> World {
    let mut scene = Scene::new();
    scene.add("model", model).unwrap();
    scene.obstacles.extend(obstacles);
    World::new(&scene, |_| ScalarKernel).unwrap()
}

fn lowest(world: &World) -> f32 {
    world.positions().map(|[_, y, _]| y).fold(f32::INFINITY, f32::min)
}

fn highest(world: &World) -> f32 {
    world.positions().map(|[_, y, _]| y).fold(f32::NEG_INFINITY, f32::max)
}

#[test]
fn a_rope_of_long_sticks_hangs_on_a_pole_between_its_particles() {
    // The pole is below the middle of a stick, or 3 cm beside the middle.
    for start in [-1.5, -1.53] {
        let path = [[start, 0.3, 0.0], [start + 3.0, 0.3, 0.0]];
        let mut world = world_of(rope(&path), [Arc::new(pole(0.0).with_edges())]);
        for _ in 0..90 {
            steps(&mut world, 1);
            assert!(world.diagnostics().unwrap().depth < 2e-3);
        }
        assert!(highest(&world) > 0.0 && lowest(&world) > -1.3, "{} m", highest(&world));
    }
    let path = [[-1.5, 0.3, 0.0], [1.5, 0.3, 0.0]];
    let mut without = world_of(rope(&path), [Arc::new(pole(0.0))]);
    steps(&mut without, 90);
    assert!(highest(&without) < -2.0);
}

#[test]
fn a_rope_in_2d_hangs_on_a_corner_between_its_particles() {
    let options = Rope { spacing: 1.0, ..Rope::default() };
    let rope = Model::rope(&[[-1.5, 0.3], [1.5, 0.3]], &options).unwrap();
    let diamond = Cuboid::oriented([0.0, -0.2], [[0.1, 0.1], [-0.1, 0.1]]).unwrap();
    let mut scene = Scene::<2>::new();
    scene.add("rope", rope).unwrap();
    scene.obstacles.push(Arc::new(Solid::new(diamond).with_edges()));
    let mut world = World::new(&scene, |_| ScalarKernel).unwrap();
    steps(&mut world, 60);
    assert!(world.diagnostics().unwrap().depth < 2e-3);
    // The middle stick lies on the upper corner.
    assert!([1, 2].iter().all(|&particle| world.position(particle)[1].abs() < 5e-3));
}

#[test]
fn a_hit_between_particles_stops_the_point_that_hits() {
    // The stick is hit at a quarter of its length, where its ends have the weights 3/4 and 1/4, whose
    // squares sum to 5/8. To stop the point, which moves at -1 m/s, each end gains its weight divided by
    // 5/8, m/s.
    let stick = rope(&[[-0.25, 0.031, 0.0], [0.75, 0.031, 0.0]]).moving_at([0.0, -1.0, 0.0], H);
    let mut scene = Scene::new();
    scene.settings.step.acceleration = [0.0; 3];
    scene.settings.step.damping_rate = 0.0;
    scene.add("stick", stick).unwrap();
    scene.obstacles.push(Arc::new(pole(0.0).with_edges()));
    let mut world = World::new(&scene, |_| ScalarKernel).unwrap();
    steps(&mut world, 1);
    let before = [0, 1].map(|end| world.position(end)[1]);
    steps(&mut world, 1);
    for (end, expected) in [(0, -1.0 + 0.75 / 0.625), (1, -1.0 + 0.25 / 0.625)] {
        let velocity = (world.position(end)[1] - before[end]) * 60.0;
        assert!(
            (velocity - expected).abs() < 0.02,
            "end {end}: {velocity} m/s, expected {expected}"
        );
    }
}

#[test]
fn a_stick_slides_on_poles_with_coulomb_friction() {
    let stick = rope(&[[-0.5, 0.03, 0.0], [0.5, 0.03, 0.0]]);
    for friction in [0.1_f32, 0.3] {
        let surface = Surface { friction, ..Surface::default() };
        let poles = [-0.3, 0.3].map(|x| pole(x).with(surface).unwrap().with_edges());
        let [left, right] = poles;
        let mut scene = Scene::new();
        scene.settings.step.damping_rate = 0.0;
        scene.add("stick", stick.clone().moving_at([0.4, 0.0, 0.0], H)).unwrap();
        scene.obstacles.push(Arc::new(left));
        scene.obstacles.push(Arc::new(right));
        let mut world = World::new(&scene, |_| ScalarKernel).unwrap();
        steps(&mut world, 60);
        let slid = world.position(0)[0] + 0.5;
        let expected = 0.4 * 0.4 / (2.0 * friction * 9.81);
        assert!(
            (slid / expected - 1.0).abs() < 0.1,
            "friction {friction}: {slid} m, expected {expected} m"
        );
    }
}

#[test]
fn a_coarse_sheet_stays_on_a_small_table_below_a_cell() {
    let surface = Surface { friction: 0.8, thickness: 0.01, ..Surface::default() };
    let table = Cuboid::new([-0.2, -0.1, -0.2], [0.2, 0.0, 0.2]).unwrap();
    let table = Solid::new(table).with(surface).unwrap();
    let mut with = world_of(coarse_sheet(6, 0.1), [Arc::new(table.clone().with_edges())]);
    let mut without = world_of(coarse_sheet(6, 0.1), [Arc::new(table)]);
    let mut deepest = 0.0_f32;
    for _ in 0..120 {
        steps(&mut with, 1);
        steps(&mut without, 1);
        deepest = deepest.max(with.diagnostics().unwrap().depth);
    }
    assert!(highest(&with) > -0.02 && deepest < 0.02, "{} m, {deepest} m", highest(&with));
    assert!(highest(&without) < -5.0, "{} m", highest(&without));
}

#[test]
fn a_sheet_whose_edge_is_on_the_edge_of_a_table_does_not_slip_between_particles() {
    // A corner of the table is below the middle of a cell, and the edges of the table are between rows of
    // particles.
    let surface = Surface { friction: 1.0, ..Surface::default() };
    let table = Cuboid::new([-3.0, -0.5, -3.0], [0.1, 0.0, 0.1]).unwrap();
    let table = Solid::new(table).with(surface).unwrap();
    let sheet = coarse_sheet(6, 0.05).moved([-0.3, 0.0, -0.3]);
    let mut with = world_of(sheet, [Arc::new(table.with_edges())]);
    for step in 0..120 {
        steps(&mut with, 1);
        let depth = with.diagnostics().unwrap().depth;
        assert!(depth < 0.02, "step {step}: {depth} m");
    }
    assert!(highest(&with) > -0.01);
}

#[test]
fn a_small_ball_lifts_a_face_that_it_hits_between_particles() {
    // The ball starts below the centroid of a face.
    let sheet = coarse_sheet(4, 0.0).pinned("corners");
    let ball = Sphere::new([-0.08, -0.25, 0.08], 0.1).unwrap();
    let rise = Path::Keyframed { keys: vec![(0.0, [0.0; 3]), (1.0, [0.0, 0.4, 0.0])] };
    let ball = Solid::new(ball).along(rise).unwrap();
    let mut scene = Scene::new();
    scene.settings.step.acceleration = [0.0, -1.0, 0.0];
    scene.add("sheet", sheet).unwrap();
    let mut without = scene.clone();
    scene.obstacles.push(Arc::new(ball.clone().with_edges()));
    without.obstacles.push(Arc::new(ball));
    let heights = [scene, without].map(|scene| {
        let mut world = World::new(&scene, |_| ScalarKernel).unwrap();
        for _ in 0..60 {
            steps(&mut world, 1);
            assert!(world.diagnostics().unwrap().depth < 0.02);
        }
        highest(&world)
    });
    assert!(heights[0] > 0.1 && heights[1] < 0.05, "with and without edges: {heights:?} m");
}

#[test]
fn a_sheet_stays_on_a_small_ball_below_a_face() {
    let ball = Sphere::new([0.0, -0.1, 0.0], 0.1).unwrap();
    let surface = Surface { friction: 1.0, ..Surface::default() };
    let ball = Solid::new(ball).with(surface).unwrap().with_edges();
    // The middle cell of 3 x 3 is above the ball, which is beside the diagonal of the cell.
    let sheet = coarse_sheet(4, 0.05).moved([0.02, 0.0, 0.02]);
    let mut world = world_of(sheet, [Arc::new(ball)]);
    for step in 0..90 {
        steps(&mut world, 1);
        let depth = world.diagnostics().unwrap().depth;
        assert!(depth < 0.02, "step {step}: {depth} m");
    }
    assert!(highest(&world) > -0.05, "{} m", highest(&world));
}

#[test]
fn obstacles_out_of_reach_and_other_models_change_no_bit() {
    let table = Cuboid::new([-0.2, -0.1, -0.2], [0.2, 0.0, 0.2]).unwrap();
    let plain = Solid::new(table);
    let with = plain.clone().with_edges().swept();
    let sheet = coarse_sheet(6, 0.1);
    let far = sheet.clone().moved([10.0, 0.0, 0.0]);
    let hash = |model: &Model, obstacle: Solid<Cuboid>| {
        let mut world = world_of(model.clone(), [Arc::new(obstacle)]);
        steps(&mut world, 60);
        world.hash()
    };
    assert_eq!(hash(&far, plain.clone()), hash(&far, with.clone()));
    assert_ne!(hash(&sheet, plain), hash(&sheet, with.clone()));

    let mut both = Scene::new();
    let path = [[-1.4, 0.4, 0.1], [1.6, 0.4, 0.1]];
    both.add("rope", rope(&path)).unwrap();
    let shuffled = sheet.shuffled(7);
    both.add("sheet", shuffled.clone()).unwrap();
    both.obstacles.push(Arc::new(with.clone()));
    let mut both = World::new(&both, |_| ScalarKernel).unwrap();
    let mut alone = world_of(shuffled, [Arc::new(with)]);
    steps(&mut both, 60);
    steps(&mut alone, 60);
    let range = both.model("sheet").unwrap();
    assert!(range.map(|particle| both.position(particle)).eq(alone.positions()));
}

#[test]
fn a_world_resumes_with_the_same_bits_after_tears() {
    let mut scene = Scene::new();
    scene.add("sheet", coarse_sheet(6, 0.3).tearing_at(1.001)).unwrap();
    let table = Cuboid::new([-0.2, -0.1, -0.2], [0.2, 0.0, 0.2]).unwrap();
    scene.obstacles.push(Arc::new(Solid::new(table).with_edges().swept()));
    let mut world = World::new(&scene, |_| ScalarKernel).unwrap();
    let mut torn = 0;
    for _ in 0..40 {
        torn += world.step().unwrap().torn;
    }
    assert!(torn > 0);
    let mut resumed = World::resume(&scene, |_| ScalarKernel, &world.snapshot()).unwrap();
    steps(&mut world, 40);
    steps(&mut resumed, 40);
    assert_eq!(world.hash(), resumed.hash());
}

#[test]
fn sticks_between_limbs_collide_once_a_limb_is_removed() {
    let mut scene = Scene::new();
    let rope = rope(&[[-1.5, 0.2, 0.0], [1.5, 0.2, 0.0]]);
    scene.add("rope", rope.with_limbs([([0, 1], 0.01), ([2, 3], 0.01)]).unwrap()).unwrap();
    scene.obstacles.push(Arc::new(pole(0.0).with_edges()));
    let new_world = || World::new(&scene, |_| ScalarKernel).unwrap();
    let mut world = new_world();
    steps(&mut world, 1);
    assert!(world.tear(0).unwrap());
    let mut resumed = World::resume(&scene, |_| ScalarKernel, &world.snapshot()).unwrap();
    let mut carried_over = new_world();
    assert_eq!(carried_over.carry_over(&world), 1);
    let mut untorn = new_world();
    let hashes = [&mut world, &mut resumed, &mut carried_over, &mut untorn].map(|world| {
        steps(world, 40);
        world.hash()
    });
    assert_eq!(hashes[0], hashes[1]);
    assert_eq!(hashes[0], hashes[2]);
    // After the tear the middle stick lies on the pole; between two limbs it falls past the pole.
    assert!(highest(&world) > 0.0, "{} m", highest(&world));
    assert!(highest(&untorn) < -0.5, "{} m", highest(&untorn));
}
