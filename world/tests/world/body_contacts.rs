//! Bodies on floors and on each other.

use std::sync::Arc;

use taut_core::Particles;
use taut_scalar::ScalarKernel;
use taut_world::{
    Body, BodyContacts, BodyPose, Ground, Model, Moment, OnGround, Scene, Twist, WayOut, World,
};

/// All that is below 0.
#[derive(Debug)]
struct Floor;

impl Ground for Floor {
    fn way_out(&self, [x, y, z]: [f32; 3], _: &Moment<3>) -> Option<WayOut> {
        let position = [x, 0.0, z];
        (y < 0.0).then_some(WayOut { position, previous: position, normal: [0.0, 1.0, 0.0] })
    }
}

const SUBSTEPS: u32 = 4;

fn scene() -> Scene {
    let mut scene = Scene::new();
    scene.obstacles.push(Arc::new(OnGround::new(Floor)));
    scene.obstacles.push(Arc::new(BodyContacts::default()));
    scene.settings.passes = 4;
    scene.settings.step.iterations = 1;
    scene.settings.step.substeps = SUBSTEPS;
    scene
}

fn bodies(world: &World<ScalarKernel>) -> impl Iterator<Item = (&Particles<3>, &Body)> {
    let matter = &world.pieces()[0].matter;
    matter.bodies.all().iter().map(|body| (&matter.particles, body))
}

fn poses(world: &World<ScalarKernel>) -> Vec<BodyPose> {
    bodies(world).map(|(particles, body)| body.pose(particles)).collect()
}

fn twists(world: &World<ScalarKernel>) -> Vec<Twist> {
    let h = f64::from(world.settings().step.dt) / f64::from(SUBSTEPS);
    bodies(world).map(|(particles, body)| body.twist(particles, h)).collect()
}

fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The most that a stick is off its length, as a share.
fn stretch(world: &World<ScalarKernel>) -> f64 {
    let matter = &world.pieces()[0].matter;
    (0..matter.sticks.len())
        .map(|stick| {
            let [a, b] =
                matter.sticks.ends()[stick].map(|end| matter.particles.position(end as usize));
            let now = length([0, 1, 2].map(|i| f64::from(a[i]) - f64::from(b[i])));
            (now / f64::from(matter.sticks.rest(stick)) - 1.0).abs()
        })
        .fold(0.0, f64::max)
}

#[test]
fn a_stack_of_two_boxes_comes_to_rest_and_stays() {
    let mut scene = scene();
    let cube = || Model::rigid_box([0.5; 3], 300.0).unwrap();
    scene.add("lower", cube().moved([0.0, 0.3, 0.0])).unwrap();
    scene.add("upper", cube().moved([0.05, 0.9, 0.02])).unwrap();
    let mut world = World::new(&scene, |_| ScalarKernel).unwrap();
    let mut worst: f64 = 0.0;
    for frame in 0..3600 {
        assert!(world.step().unwrap().finite);
        worst = worst.max(stretch(&world));
        if frame % 300 == 0 {
            println!("{frame} {:?} {:?} {worst}", poses(&world), twists(&world));
        }
    }
    let [lower, upper] = poses(&world)[..] else { panic!("two bodies") };
    assert!((lower.centre[1] - 0.25).abs() < 5e-3, "{lower:?}");
    assert!((upper.centre[1] - 0.75).abs() < 1e-2, "{upper:?}");
    for twist in twists(&world) {
        assert!(length(twist.velocity) < 1e-2 && length(twist.spin) < 1e-2, "{twist:?}");
    }
}
