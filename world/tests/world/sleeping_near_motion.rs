//! Obstacles and guided models that move near sleeping models.

use std::sync::Arc;

use taut_world::{Path, SelfCollision, Solid, Sphere};

use crate::make::{steps, unconnected, world};
use crate::sleeping::{colliding, scene, sheet};

#[test]
fn a_moving_obstacle_wakes_models_that_it_may_push() {
    // The ball passes the sheet after 3 s.
    let ball = Solid::new(Sphere::new([6.0, 0.15, 0.0], 0.2).unwrap());
    let ball = ball.along(Path::Linear { velocity: [-2.0, 0.0, 0.0] }).unwrap();
    let mut scene = scene([("sheet", sheet(0.5).moved([0.0, 0.001, 0.0]))]);
    scene.obstacles.push(Arc::new(ball));
    let mut world = world(&scene);
    // The numbers of steps in which the sheet sleeps, before, while and after the ball passes.
    let mut asleep = [0, 0, 0];
    let mut at_rest = 0; // the hash before the ball comes
    for step in 0..480 {
        steps(&mut world, 1);
        if step == 155 {
            at_rest = world.hash();
        }
        let interval = if step < 155 { 0 } else { 1 + usize::from(step > 205) };
        asleep[interval] += usize::from(world.is_asleep("sheet"));
        // The ball presses the sheet into the floor, but not while the sheet sleeps.
        let depth = world.diagnostics().unwrap().depth;
        assert!(
            !world.is_asleep("sheet") || depth < 1e-3,
            "penetration {depth} m while asleep, step {step}"
        );
    }
    assert!(asleep[0] > 100 && asleep[1] < 25 && asleep[2] > 100, "steps asleep: {asleep:?}");
    assert!(world.hash() != at_rest, "the ball has not moved the sheet");
}

#[test]
fn models_sleep_on_an_obstacle_whose_path_has_ended() {
    let keys = vec![(0.0, [0.0; 3]), (1.0, [0.2, 0.0, 0.0])];
    let ball = Solid::new(Sphere::new([0.0, -0.3, 0.0], 0.2).unwrap());
    let ball = ball.along(Path::Keyframed { keys }).unwrap();
    let mut scene = scene([("sheet", sheet(0.2).with_group("all", 0..100).unwrap().pinned("all"))]);
    scene.obstacles = vec![Arc::new(ball)];
    // The sheet touches the ball.
    let mut world = world(&scene);
    for particle in 0..world.len() {
        let [x, _, z] = world.position(particle);
        world.set_position(particle, [x, -0.15, z]).unwrap();
    }
    steps(&mut world, 50);
    assert!(!world.is_asleep("sheet"), "the ball moves");
    steps(&mut world, 60);
    assert!(world.is_asleep("sheet"));
}

#[test]
fn a_guided_model_wakes_what_it_may_touch_in_the_next_step() {
    // A particle, guided at 48 m/s, passes the place of a sheet that sleeps within a step: without waking
    // it before, it would pass through it.
    let thickness = Some(0.02);
    let particle = unconnected(&[[0.0, 0.001, -48.4]], &[1.0]).with_group("all", [0]).unwrap();
    let path = Path::Linear { velocity: [0.0, 0.0, 48.0] };
    let particle = particle.guided("all", path, None).unwrap();
    let particle = particle.self_colliding(SelfCollision { thickness, ..Default::default() });
    let mut scene = scene([
        ("sheet", colliding(sheet(0.5).moved([0.0, 0.001, 0.0]))),
        ("particle", particle.unwrap()),
    ]);
    scene.settings.step.substeps = 1;
    let mut world = world(&scene);
    steps(&mut world, 60); // the particle is 0.4 m in front of the middle of the sheet
    assert!(world.is_asleep("sheet"));
    steps(&mut world, 1); // and now 0.4 m behind it
    assert!(!world.is_asleep("sheet"), "the particle passed through the sheet");
}
