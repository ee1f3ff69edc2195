//! Worlds: a single model, settings, forces, warnings and repeated scenes.

use std::sync::Arc;

use taut_core::{Kernel, Plan, Step};
use taut_scalar::ScalarKernel;
use taut_scenes::LibraryScene;
use taut_world::{
    Cloth, Force, Forces, Model, Place, Ragdoll, Rope, Scene, SceneError, StepTime, StickSet, Tie,
    TieEnd, Wind, World,
};

use super::make::{coarse, scene, steps, unconnected, world};

/// A force that cancels gravity.
#[derive(Debug)]
struct AntiGravity;

impl Force for AntiGravity {
    fn add_forces(&self, model: &Model, _: &StepTime, forces: &mut Forces) {
        for (particle, w) in model.particles.inverse_masses().iter().enumerate() {
            if *w > 0.0 {
                forces.add(particle, [0.0, 9.81 / w, 0.0]);
            }
        }
    }
}

#[test]
fn a_world_of_one_model_gives_the_result_of_its_plan() {
    let model = Model::drape(9, StickSet::All).unwrap();
    let mut scene = Scene::new();
    scene.add("sheet", model.clone()).unwrap();
    let mut world = World::new(&scene, |_| ScalarKernel).unwrap();

    let Model { mut particles, sticks, sheet, .. } = model;
    let schedule = sheet.unwrap().schedule(&sticks).unwrap();
    let mut plan = ScalarKernel.plan(&particles, &sticks, &schedule, scene.formula).unwrap();
    for _ in 0..20 {
        assert!(world.step().unwrap().finite);
        assert!(plan.step(&mut particles, &sticks, &Step::default()).unwrap().finite);
    }
    assert_eq!(world.hash(), particles.hash());
}

#[test]
fn a_force_that_cancels_gravity_keeps_particles_in_place() {
    let mut scene = Scene::new();
    scene.add("sheet", Model::drape(9, StickSet::All).unwrap()).unwrap();
    scene.forces.push(Arc::new(AntiGravity));
    scene.settings.step = coarse();
    let mut world = World::new(&scene, |_| ScalarKernel).unwrap();
    let before: Vec<_> = (0..world.len()).map(|particle| world.position(particle)).collect();
    for _ in 0..20 {
        assert!(world.step().unwrap().finite);
    }
    for (particle, before) in before.into_iter().enumerate() {
        let [dx, dy, dz] = [0, 1, 2].map(|axis| world.position(particle)[axis] - before[axis]);
        // The initial sheet is slightly wavy, but its rest lengths are those of a flat one: relaxation moves it.
        assert!(dx.hypot(dy).hypot(dz) < 2e-3, "particle {particle} moved {dx} {dy} {dz}");
    }
}

#[test]
fn changing_the_step_length_keeps_velocities() {
    let mut scene = scene("ball", unconnected(&[[0.0; 3]], &[1.0]));
    scene.settings.step.acceleration = [0.0; 3];
    scene.settings.step.damping_rate = 0.0;
    let mut world = World::new(&scene, |_| ScalarKernel).unwrap();
    world.set_velocity(0, [3.0, 0.0, -1.0]).unwrap();
    for (dt, substeps) in [(0.01, 1), (0.02, 4), (0.05, 1)] {
        let mut settings = *world.settings();
        (settings.step.dt, settings.step.substeps) = (dt, substeps);
        world.set_settings(settings).unwrap();
        for _ in 0..10 {
            assert!(world.step().unwrap().finite);
        }
        let [x, _, z] = world.position(0).map(f64::from);
        let t = world.time();
        assert!((x - 3.0 * t).abs() < 1e-4 && (z + t).abs() < 1e-4, "{x} {z} after {t} s");
    }
    let mut invalid = *world.settings();
    invalid.step.substeps = 0;
    assert!(world.set_settings(invalid).is_err());
}

#[test]
fn a_removed_force_no_longer_acts() {
    let mut scene = Scene::new();
    scene.add("ball", unconnected(&[[0.0; 3]], &[1.0])).unwrap();
    scene.forces.push(Arc::new(AntiGravity));
    scene.settings.step = coarse();
    let mut world = World::new(&scene, |_| ScalarKernel).unwrap();
    steps(&mut world, 5);
    assert!(world.position(0)[1].abs() < 1e-5);
    world.forces_mut().clear();
    steps(&mut world, 60);
    assert!(world.position(0)[1] < -3.0);
}

/// The distance that a particle falls from `height` m in 12 steps, divided by the distance that it would
/// fall without rounding in as many substeps.
fn relative_fall_from(height: f32, substeps: u32) -> f64 {
    let mut scene = scene("stone", unconnected(&[[0.0, height, 0.0]], &[1.0]));
    (scene.settings.step.substeps, scene.settings.step.damping_rate) = (substeps, 0.0);
    let mut world = world(&scene);
    steps(&mut world, 12);
    let (n, h) = (f64::from(12 * substeps), 1.0 / f64::from(60 * substeps));
    let fallen = f64::from(height) - f64::from(world.position(0)[1]);
    fallen / (0.5 * n * (n + 1.0) * 9.81 * h * h)
}

#[test]
fn particles_fall_within_the_rounding_limit_and_not_beyond() {
    // The limits are those of the table in docs/scenes.md.
    let documented = include_str!("../../../docs/scenes.md");
    for (substeps, limit) in [
        (1, 65_536.0),
        (2, 16_384.0),
        (4, 4096.0),
        (8, 1024.0),
        (16, 256.0),
        (32, 64.0),
        (100, 8.0),
        (1000, 0.0625),
    ] {
        let step = Step::<3> { substeps, ..Step::default() };
        assert_eq!(step.rounding_limit().unwrap(), [f32::INFINITY, limit, f32::INFINITY]);
        assert!(
            documented.contains(&format!("\n| {substeps} | {limit} |")),
            "no row for {substeps} substeps: {limit} m"
        );
        for side in [-1.0, 1.0] {
            // A fall is accurate to 2 % within a hundredth of the limit. These falls of 0.2 m (12 steps)
            // begin at 1/256 of the limit. With 100 and more substeps they end beyond a hundredth of it.
            let well_within = relative_fall_from(side * limit / 256.0, substeps);
            assert!(
                substeps > 32 || (well_within - 1.0).abs() < 0.02,
                "{substeps} substeps: {well_within}"
            );
            let within = relative_fall_from(side * 0.999 * limit, substeps);
            assert!(within > 0.0, "{substeps} substeps: {within}");
            let beyond = relative_fall_from(side * 2.0 * limit, substeps);
            assert!(beyond == 0.0, "{substeps} substeps: {beyond}");
        }
    }
    assert!(Step::<3> { substeps: 0, ..Step::default() }.rounding_limit().is_err());
    let moon = Step::<2, f64> { substeps: 1, acceleration: [1.62, 0.0], ..Step::default() };
    let [x, y] = moon.rounding_limit().unwrap();
    assert!(x > 1e12 && y == f64::INFINITY);
}

#[test]
fn models_beyond_the_rounding_limit_give_warnings() {
    // At x = 1e6 m an acceleration along x would be lost, too. There is none until the end of this test.
    let model_at =
        |y: f32, inverse_mass| unconnected(&[[1e6, y, 0.0], [0.0; 3]], &[inverse_mass, 1.0]);
    let mut scene = scene("near", model_at(-60_000.0, 1.0));
    scene.add("pinned", model_at(70_000.0, 0.0)).unwrap();
    scene.add("far", model_at(-70_000.0, 1.0)).unwrap();
    let warnings = scene.warnings();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert_eq!(
        warnings[0].to_string(),
        "model 'far' is too far from the origin: at -70000 m on axis 1, acceleration is lost to \
         rounding; with 1 substep(s) of a step of 0.016666668 s the limit is 65536 m"
    );
    // Warnings of a world use its current positions and settings.
    let mut world = world(&scene);
    assert_eq!(world.warnings(), warnings);
    let far = world.model("far").unwrap().start;
    world.set_position(far, [0.0, 10.0, 0.0]).unwrap();
    assert!(world.warnings().is_empty());
    world.settings_mut().step.substeps = 2;
    assert_eq!(world.warnings().len(), 1);
    // Acceleration along x is lost. That gives a warning if x is the only axis with acceleration, but not if
    // another axis has much more.
    world.settings_mut().step.acceleration = [1e-7, 0.0, 0.0];
    assert_eq!(world.warnings().len(), 1, "x is the only axis with acceleration");
    world.settings_mut().step = Step { acceleration: [1e-7, -9.81, 0.0], ..coarse() };
    assert!(world.warnings().is_empty());
    // No scene of the library has warnings.
    for listed in LibraryScene::ALL {
        assert_eq!(listed.scene(listed.size).unwrap().warnings(), [], "{}", listed.name);
    }
}

#[test]
fn each_copy_in_a_repeated_scene_has_the_bits_of_the_scene() {
    let mut scene = Scene::<3>::new();
    scene.add("flag", Model::cloth(&Cloth::spaced(9, 7, 0.02)).unwrap().pinned("left")).unwrap();
    let path = [[0.0, 0.5, 0.0], [1.0, 0.5, 0.0]];
    scene.add("rope", Model::rope(&path, &Rope::default()).unwrap()).unwrap();
    scene.forces.push(Arc::new(Wind::new([4.0, 0.0, 1.0])));
    let mut one = World::new(&scene, |_| ScalarKernel).unwrap();
    let mut many = World::new(&scene.repeated(7).unwrap(), |_| ScalarKernel).unwrap();
    for _ in 0..5 {
        assert!(one.step().unwrap().finite && many.step().unwrap().finite);
    }
    assert_eq!(many.model("rope 6").unwrap().end, 7 * one.len());
    for (particle, position) in many.positions().enumerate() {
        assert_eq!(position, one.position(particle % one.len()));
    }
    // The limit is checked before any copy is made.
    let error = scene.repeated(usize::MAX).unwrap_err().to_string();
    assert!(error.contains("copies"), "{error}");
    let error = scene.repeated(1 << 20).unwrap_err().to_string();
    assert!(error.contains("particles of all models"), "{error}");
    let ends = ["flag", "rope"].map(|model| TieEnd::new(model, Place::Particle(0)));
    scene.attach(&Tie::between(ends)).unwrap();
    assert_eq!(scene.repeated(2).unwrap_err(), SceneError::TiesOfCopies);
    let mut dolls = Scene::new();
    dolls.add("doll", Model::<3>::ragdoll(&Ragdoll::default()).unwrap()).unwrap();
    let error = dolls.repeated(2).unwrap_err().to_string();
    assert!(error.starts_with("model 'doll' has self-collision"), "{error}");
}
