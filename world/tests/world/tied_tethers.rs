//! Tied particles as anchors of tethers.

use taut_core::{Kind, Step};
use taut_scalar::ScalarKernel;
use taut_world::{Cloth, Model, Place, Scene, Tethers, Tie, TieEnd, Warning, World};

use crate::make::{steps, unconnected, world};

/// A cloth of 0.2 kg, which may have tethers, tied at its top to a bar of this density, kg/m³. The bar
/// is pinned, or hangs from two hooks.
fn tied_to_a_bar(density: f64, pinned: bool, tethers: Option<Tethers>) -> Scene {
    let mut scene = Scene::new();
    let cloth = Model::cloth(&Cloth { columns: 16, rows: 16, ..Cloth::default() }).unwrap();
    let cloth = match tethers {
        Some(tethers) => cloth.tethered(tethers).unwrap(),
        None => cloth,
    };
    scene.add("cloth", cloth).unwrap();
    let mut bar = Model::rigid_box([1.2, 0.1, 0.1], density).unwrap().moved([0.0, 0.5, 0.0]);
    if pinned {
        bar = bar.pinned("body");
    }
    scene.add("bar", bar).unwrap();
    scene.add("hooks", unconnected(&[[-0.6, 1.0, 0.0], [0.6, 1.0, 0.0]], &[0.0; 2])).unwrap();
    let as_placed = || Place::Body { body: 0, point: None };
    let sewn = [TieEnd::group("cloth", "top"), TieEnd::new("bar", as_placed())];
    scene.attach(&Tie::between(sewn)).unwrap();
    for (hook, end) in [(0, -0.6), (1, 0.6)] {
        let end = Place::Body { body: 0, point: Some([end, 0.0, 0.0]) };
        let ends = [TieEnd::new("hooks", Place::Particle(hook)), TieEnd::new("bar", end)];
        let rope = Tie { distance: 0.5, kind: Kind::Maximum, ..Tie::between(ends) };
        scene.attach(&rope).unwrap();
    }
    scene.settings.step = Step { substeps: 4, ..Step::default() };
    scene
}

/// The vertical extent of the left edge of the cloth after 1 s, m. Unstretched it is 1 m.
fn hanging_length(scene: &Scene) -> f32 {
    let mut world = world(scene);
    steps(&mut world, 60);
    let left = world.group("cloth", "left").unwrap();
    let [top, bottom] = [left[0], left[15]].map(|particle| world.position(particle)[1]);
    top - bottom
}

#[test]
fn particles_tied_to_something_heavy_are_anchors_of_tethers() {
    let tethers = Some(Tethers::default());
    // The bar has 12 kg. Its effective mass is smallest at its ends, a quarter of that: 15 times the
    // mass of the cloth. So all tied particles are anchors.
    let heavy = tied_to_a_bar(1000.0, false, tethers);
    let mut world_of_heavy = world(&heavy);
    assert!(heavy.warnings().is_empty() && world_of_heavy.warnings().is_empty());
    steps(&mut world_of_heavy, 1);
    // Each particle below the top row has a tether.
    assert_eq!(world_of_heavy.tether_count(), 16 * 15);
    let [with, without] =
        [tethers, None].map(|tethers| hanging_length(&tied_to_a_bar(1000.0, false, tethers)));
    assert!(
        (with - 1.0).abs() < 1e-4 && without > 1.003,
        "{with} m with tethers, {without} m without"
    );
    assert!(hanging_length(&tied_to_a_bar(1.0, true, tethers)) < 1.0001);

    // The bar has 1.8 kg. Even in its middle, where its effective mass is largest, that is only 9 times
    // the mass of the cloth; an anchor needs 10 times. So no tied particle is an anchor.
    let light = tied_to_a_bar(150.0, false, tethers);
    let mut world_of_light = world(&light);
    for warnings in [light.warnings(), world_of_light.warnings()] {
        assert!(matches!(warnings[..], [Warning::Untethered { particles: 256, .. }]));
    }
    steps(&mut world_of_light, 1);
    assert_eq!(world_of_light.tether_count(), 0);
    // A mass that changes, or a tie that breaks, changes the anchors.
    for particle in world_of_light.model("bar").unwrap() {
        world_of_light.set_inverse_mass(particle, 0.01).unwrap();
    }
    steps(&mut world_of_light, 1);
    assert_eq!(world_of_light.tether_count(), 16 * 15);
    for tie in 0..16 {
        world_of_light.break_tie(tie).unwrap();
    }
    steps(&mut world_of_light, 1);
    assert_eq!(world_of_light.tether_count(), 0);
}

/// A tether pulls towards the next position of its anchor, so it does not brake cloth that moves
/// with the anchor.
#[test]
fn tethers_do_not_brake_cloth_that_moves_with_its_bar() {
    let [with, without] = [Some(Tethers::default()), None].map(|tethers| {
        let mut scene = tied_to_a_bar(1000.0, false, tethers);
        scene.settings.step.acceleration = [0.0; 3];
        scene.settings.step.damping_rate = 0.0;
        let mut world = world(&scene);
        // Breaks the ties to the hooks. (Ties 0 to 15 join the cloth and the bar.)
        for tie in 16..18 {
            world.break_tie(tie).unwrap();
        }
        for particle in 0..world.len() {
            if world.inverse_mass(particle) > 0.0 {
                world.set_velocity(particle, [0.0, -4.0, 1.0]).unwrap();
            }
        }
        steps(&mut world, 30);
        let corner = world.group("cloth", "bottom").unwrap()[0];
        world.position(corner)
    });
    for (axis, expected) in [-0.5, -2.5, 0.5].into_iter().enumerate() {
        assert!((with[axis] - expected).abs() < 1e-3, "with tethers: {with:?} m");
        assert!((without[axis] - expected).abs() < 1e-3, "without tethers: {without:?} m");
    }
}

#[test]
fn a_world_with_tied_anchors_resumes_with_the_same_bits() {
    let scene = tied_to_a_bar(1000.0, false, Some(Tethers::default()));
    let mut original = world(&scene);
    steps(&mut original, 20);
    let snapshot = original.snapshot();
    let mut resumed = World::resume(&scene, |_| ScalarKernel, &snapshot).unwrap();
    steps(&mut original, 20);
    steps(&mut resumed, 20);
    assert_eq!(resumed.snapshot(), original.snapshot());
}
