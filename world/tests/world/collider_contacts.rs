//! Contacts of limbs and rigid bodies with cloth and ropes, and with each other.

use taut_core::Schedule;
use taut_scalar::ScalarKernel;
use taut_world::{Axes, Cloth, Model, Place, Rope, Scene, SelfCollision, Tie, TieEnd, World};

use crate::make::{steps, unconnected, world};

/// The length of a substep, s: 60 steps per second, of 8 substeps each.
const H: f32 = 1.0 / 480.0;

fn colliding(model: Model) -> Model {
    model.self_colliding(SelfCollision::default()).unwrap()
}

/// A horizontal square sheet around the origin, with `side` particles along each side, which is `width`
/// m long.
fn sheet(side: usize, width: f32) -> Model {
    let cloth = Cloth {
        columns: side,
        rows: side,
        width,
        height: width,
        axes: Axes::HORIZONTAL,
        density: 0.5,
        ..Cloth::default()
    };
    Model::cloth(&cloth).unwrap()
}

/// A rope along x of `length` m, whose middle is a little lower than its ends.
fn rope(length: f32) -> Model {
    let half = 0.5 * length;
    let rope = Rope { spacing: 0.03, density: 1.0, ..Rope::default() };
    Model::rope(&[[-half, 0.0, 0.0], [0.0, -0.01, 0.0], [half, 0.0, 0.0]], &rope).unwrap()
}

/// A stick of 60 cm and 1 kg along z, with one limb.
fn rod(radius: f32) -> Model {
    let rod = Rope { spacing: 10.0, density: 1.0 / 0.6, ..Rope::default() };
    let rod = Model::rope(&[[0.0, 0.0, -0.3], [0.0, 0.0, 0.3]], &rod).unwrap();
    rod.with_limbs([([0, 1], radius)]).unwrap()
}

fn heights(world: &World, model: &str) -> Vec<f32> {
    world.model(model).unwrap().map(|particle| world.position(particle)[1]).collect()
}

fn mean_height(world: &World, model: &str) -> f32 {
    let heights = heights(world, model);
    heights.iter().sum::<f32>() / heights.len() as f32
}

fn lowest(world: &World, model: &str) -> f32 {
    heights(world, model).into_iter().fold(f32::INFINITY, f32::min)
}

/// A scene of two models without gravity and damping.
fn floating(models: [(&str, Model); 2]) -> Scene {
    let mut scene = Scene::new();
    scene.settings.step.acceleration = [0.0; 3];
    scene.settings.step.damping_rate = 0.0;
    for (name, model) in models {
        scene.add(name, model).unwrap();
    }
    scene
}

/// Momentum, kg m/s, and angular momentum about the origin, kg m²/s.
fn momenta(world: &World) -> [[f64; 3]; 2] {
    let h = f64::from(H);
    let mut momenta = [[0.0; 3]; 2];
    for island in world.islands() {
        let particles = &island.model.particles;
        for particle in 0..particles.len() {
            let x = particles.position(particle).map(f64::from);
            let mass = 1.0 / f64::from(particles.inverse_masses()[particle]);
            let p: [f64; 3] = core::array::from_fn(|axis| {
                mass * (x[axis] - f64::from(particles.previous(axis)[particle])) / h
            });
            let [l, m, n] = [(1, 2), (2, 0), (0, 1)].map(|(i, j)| x[i] * p[j] - x[j] * p[i]);
            for (sum, component) in momenta.iter_mut().flatten().zip([p[0], p[1], p[2], l, m, n]) {
                *sum += component;
            }
        }
    }
    momenta
}

/// Asserts that a collision of two models without gravity conserves momentum, up to rounding: in each
/// of 320 substeps, some contacts lose corrections of less than half an ulp of a position.
fn assert_conserves_momentum(models: &[(&str, Model); 2]) {
    // Friction acts on the centres of balls and the axes of limbs, not where they touch, so it changes
    // the angular momentum. Without friction, the separation of overlaps still changes it a little.
    for friction in [0.3, 0.0] {
        let models = models.clone().map(|(name, model)| {
            let settings = SelfCollision { friction, ..SelfCollision::default() };
            (name, model.self_colliding(settings).unwrap())
        });
        let mut world = world(&floating(models.clone()));
        let before = momenta(&world);
        steps(&mut world, 40);
        let after = momenta(&world);
        // Bounds of the relative change of momentum and of angular momentum.
        let max_change = [2e-3, if friction > 0.0 { f64::INFINITY } else { 2e-2 }];
        for kind in 0..2 {
            let scale: f64 = before[kind].iter().map(|component| component.abs()).sum();
            for axis in 0..3 {
                let change = (after[kind][axis] - before[kind][axis]).abs() / scale;
                assert!(
                    change < max_change[kind],
                    "friction {friction}: {before:?}, then {after:?}"
                );
            }
        }
        // The models collided: without the second, the first moves differently.
        let alone = floating([models[0].clone(), ("far", rope(1.0).moved([100.0, 0.0, 0.0]))]);
        let mut alone = crate::make::world(&alone);
        steps(&mut alone, 40);
        assert_ne!(world.position(0), alone.position(0));
    }
}

#[test]
fn a_rope_and_a_limb_conserve_momentum() {
    let rope = rope(0.9).moving_at([0.1, -1.0, 0.0], H);
    let rod = rod(0.05).moving_at([0.0, 0.5, 0.0], H);
    assert_conserves_momentum(&[("rope", rope.moved([0.02, 0.15, 0.03])), ("rod", rod)]);
}

#[test]
fn a_rope_hangs_over_a_limb() {
    let mut scene = Scene::new();
    scene.add("rod", colliding(rod(0.08)).pinned("ends")).unwrap();
    scene.add("rope", colliding(rope(0.9)).moved([0.0, 0.15, 0.0])).unwrap();
    let mut world = world(&scene);
    steps(&mut world, 240);
    let heights = heights(&world, "rope");
    let highest = heights.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    // The radius of the limb and half the spacing of the rope, up to the stretch of the rope.
    assert!((highest - 0.095).abs() < 5e-3, "{highest} m");
    let [first, last] = [heights[0], heights[heights.len() - 1]];
    assert!(first < -0.1 && last < -0.1, "{first} m, {last} m");
}

#[test]
fn two_ropes_hold_a_rod() {
    let mut scene = Scene::new();
    for (name, z) in [("left", -0.2), ("right", 0.2)] {
        let rope = colliding(rope(0.8)).pinned("ends").moved([0.0, 0.0, z]);
        scene.add(name, rope).unwrap();
    }
    scene.add("rod", colliding(rod(0.05)).moved([0.0, 0.1, 0.0])).unwrap();
    scene.settings.step.substeps = 16;
    let mut world = world(&scene);
    steps(&mut world, 240);
    let rod = lowest(&world, "rod");
    assert!(rod > lowest(&world, "left") + 0.04 && rod < 0.1, "{rod} m");
}

#[test]
fn a_fast_particle_does_not_pass_a_thin_limb() {
    // 1000 m/s are 2 m in a substep.
    for speed in [1.0, 30.0, 1000.0] {
        let mut scene = Scene::new();
        scene.add("rod", colliding(rod(0.001)).pinned("ends")).unwrap();
        let settings = SelfCollision { thickness: Some(0.004), ..SelfCollision::default() };
        let particle = unconnected(&[[0.0, 0.05, 0.1]], &[1.0]).self_colliding(settings).unwrap();
        scene.add("particle", particle.moving_at([0.0, -speed, 0.0], H)).unwrap();
        let mut world = world(&scene);
        steps(&mut world, 10);
        // The radius of the limb and half the thickness of the particle.
        let height = mean_height(&world, "particle");
        assert!((height - 0.003).abs() < 1e-4, "{height} m at {speed} m/s");
    }
}

#[test]
fn categories_and_masks_determine_which_models_collide() {
    let settings = |categories, mask| SelfCollision { categories, mask, ..Default::default() };
    for (of_rope, of_rod, collide) in [
        (settings(1, 1), settings(1, 1), true),
        (settings(1, 2), settings(2, 1), true),
        (settings(1, 2), settings(2, 2), false),
        (settings(1, 1), settings(2, 3), false),
    ] {
        let mut scene = Scene::new();
        scene.add("rod", rod(0.08).pinned("ends").self_colliding(of_rod).unwrap()).unwrap();
        let rope = rope(0.9).moved([0.0, 0.15, 0.0]).self_colliding(of_rope).unwrap();
        scene.add("rope", rope).unwrap();
        let mut world = world(&scene);
        steps(&mut world, 60);
        let highest = heights(&world, "rope").into_iter().fold(f32::NEG_INFINITY, f32::max);
        assert_eq!(highest > 0.0, collide, "{of_rope:?}, {of_rod:?}");
    }
}

#[test]
fn a_model_without_self_collision_does_not_affect_others() {
    let bits = |with_rod: Option<Model>| {
        let mut scene = Scene::new();
        scene.add("rope", colliding(rope(0.9)).moved([0.0, 0.15, 0.0])).unwrap();
        if let Some(rod) = with_rod {
            scene.add("rod", rod.pinned("ends")).unwrap();
        }
        let mut world = world(&scene);
        steps(&mut world, 30);
        heights(&world, "rope").into_iter().map(f32::to_bits).collect::<Vec<_>>()
    };
    assert_eq!(bits(None), bits(Some(rod(0.08))));
    assert_ne!(bits(None), bits(Some(colliding(rod(0.08)))));
}

#[test]
fn a_particle_does_not_collide_with_a_limb_that_it_is_tied_to() {
    let mut scene = Scene::new();
    scene.add("rod", colliding(rod(0.05)).pinned("ends")).unwrap();
    scene.add("rope", colliding(rope(0.9)).moved([0.45, 0.0, 0.0])).unwrap();
    let axis = TieEnd::new("rod", Place::Limb { limb: 0, fraction: 0.5 });
    let start = TieEnd::group("rope", "start");
    scene.attach(&Tie::between([start, axis])).unwrap();
    let mut world = world(&scene);
    steps(&mut world, 120);
    let rope = world.model("rope").unwrap();
    let squares = |particle| world.position(particle).map(|x| f64::from(x).powi(2));
    // The distance from the axis of the rod, which is along z, m.
    let distance = |particle| squares(particle).into_iter().take(2).sum::<f64>().sqrt();
    assert!(distance(rope.start) < 5e-3, "{} m", distance(rope.start));
    // The third particle of the rope stays outside the limb.
    assert!(distance(rope.start + 2) > 0.06, "{} m", distance(rope.start + 2));
}

#[test]
fn the_thickness_of_limbs_may_be_zero_but_not_less() {
    let thickness = |thickness| SelfCollision { thickness: Some(thickness), ..Default::default() };
    assert!(rod(0.05).self_colliding(thickness(0.0)).is_ok());
    let error = rod(0.05).self_colliding(thickness(-0.1)).unwrap_err().to_string();
    assert_eq!(error, "the thickness of limbs and bodies, m, is -0.1; it must be from 0 to 1e12");
}

#[cfg(feature = "parry")]
mod boxes {
    use taut_world::Ragdoll;

    use super::*;

    /// The edge length of the boxes, m.
    const SIZE: f32 = 0.25;

    fn box_of(density: f64) -> Model {
        colliding(Model::rigid_box([SIZE; 3], density).unwrap())
    }

    /// A box that falls on a cloth of 1 m by 1 m, which is pinned at its corners.
    fn box_on_cloth(density: f64, substeps: u32) -> Scene {
        let mut scene = Scene::new();
        scene.add("cloth", colliding(sheet(25, 1.0).pinned("corners"))).unwrap();
        let turned = box_of(density).turned([1.0, 0.3, 0.2], 0.3).unwrap();
        scene.add("box", turned.moved([0.02, 0.3, 0.01])).unwrap();
        scene.settings.step.substeps = substeps;
        scene
    }

    /// The depth of the deepest particle of the cloth in the box, m; negative if all are outside.
    fn depth_in_box(world: &World) -> f64 {
        let (island, _) = world.locate(world.model("box").unwrap().start);
        let model = &world.islands()[island].model;
        let pose = model.bodies.all()[0].pose(&model.particles);
        let depth = |particle: usize| {
            let x = world.position(particle).map(f64::from);
            let local = |axis: usize| -> f64 {
                (0..3).map(|i| pose.rotation[i][axis] * (x[i] - pose.centre[i])).sum()
            };
            let depths = (0..3).map(|axis| 0.5 * f64::from(SIZE) - local(axis).abs());
            depths.fold(f64::MAX, f64::min)
        };
        world.model("cloth").unwrap().map(depth).fold(f64::MIN, f64::max)
    }

    #[test]
    fn a_cloth_pinned_at_its_corners_catches_a_box() {
        // 0.6 and 6 kg, on a cloth of 0.5 kg.
        for (density, substeps) in [(40.0, 8), (40.0, 16), (400.0, 16)] {
            let mut world = world(&box_on_cloth(density, substeps));
            for _ in 0..240 {
                steps(&mut world, 1);
                // Particles keep half the thickness of the cloth, 21 mm, from the box.
                let depth = depth_in_box(&world);
                assert!(depth < -0.015, "{density} kg/m³: {depth} m");
            }
            let contacts = world.contacts().unwrap();
            assert!(contacts.on_colliders > 20, "{density} kg/m³: {contacts:?}");
            assert!(contacts.penetration_of_colliders < 1e-3, "{density} kg/m³: {contacts:?}");
            let height = mean_height(&world, "box");
            assert!(height > -0.2, "{density} kg/m³: the box is at {height} m");
            assert!(height > lowest(&world, "cloth") + 0.1);
        }
    }

    #[test]
    fn a_cloth_and_a_box_conserve_momentum() {
        let cloth = sheet(13, 0.5).moving_at([0.1, 0.5, 0.0], H);
        let falling = box_of(40.0).turned([1.0, 0.3, 0.2], 0.3).unwrap();
        let falling = falling.moved([0.05, 0.25, 0.02]).moving_at([0.0, -1.0, 0.2], H);
        assert_conserves_momentum(&[("cloth", cloth), ("box", falling)]);
    }

    #[test]
    fn a_rope_hangs_over_a_body() {
        let mut scene = Scene::new();
        scene.add("box", box_of(400.0).pinned("body")).unwrap();
        scene.add("rope", colliding(rope(1.2)).moved([0.0, 0.2, 0.0])).unwrap();
        let mut world = world(&scene);
        steps(&mut world, 240);
        let heights = heights(&world, "rope");
        // Half the size of the box and half the spacing of the rope.
        let middle = heights[heights.len() / 2];
        assert!((middle - 0.14).abs() < 2e-3, "{middle} m");
        let [first, last] = [heights[0], heights[heights.len() - 1]];
        assert!(first < 0.0 && last < 0.0, "{first} m, {last} m");
    }

    /// Asserts that the particles of a model that is thrown on a thin plate stay above `height`, m.
    fn assert_does_not_pass_a_thin_body(model: Model, height: f32) {
        let model = colliding(model).moved([0.0, 0.3, 0.0]);
        for speed in [10.0, 100.0, 1000.0] {
            let mut scene = Scene::new();
            let plate = Model::rigid_box([2.0, 0.002, 2.0], 8000.0).unwrap();
            scene.add("plate", colliding(plate).pinned("body")).unwrap();
            scene.add("fast", model.clone().moving_at([0.0, -speed, 0.0], H)).unwrap();
            let mut world = world(&scene);
            for _ in 0..30 {
                steps(&mut world, 1);
                let lowest = lowest(&world, "fast");
                assert!(lowest > height, "{lowest} m at {speed} m/s");
            }
        }
    }

    #[test]
    fn fast_particles_do_not_pass_a_thin_body() {
        assert_does_not_pass_a_thin_body(sheet(5, 0.1), 0.0);
    }

    #[test]
    fn fast_limbs_do_not_pass_a_thin_body() {
        assert_does_not_pass_a_thin_body(rod(0.01), 0.01);
    }

    #[test]
    fn a_limb_and_a_box_conserve_momentum() {
        let rod = rod(0.05).moving_at([0.1, 0.5, 0.0], H);
        let falling = box_of(400.0).turned([1.0, 0.3, 0.2], 0.3).unwrap();
        let falling = falling.moved([0.02, 0.3, 0.1]).moving_at([0.0, -1.0, 0.2], H);
        assert_conserves_momentum(&[("rod", rod), ("box", falling)]);
    }

    /// A block of 2 m by 0.5 m, 20 cm high, whose upper face is at y = 0.
    fn bed() -> Model {
        colliding(Model::rigid_box([2.0, 0.2, 0.5], 400.0).unwrap()).moved([0.0, -0.1, 0.0])
    }

    #[test]
    fn a_ragdoll_lies_on_a_body() {
        let mut scene = Scene::new();
        scene.add("bed", bed().pinned("body")).unwrap();
        let doll = Ragdoll { height: 0.8, mass: 5.0, ..Ragdoll::default() };
        let doll = Model::<3>::ragdoll(&doll).unwrap().turned([0.0, 0.0, 1.0], 1.5).unwrap();
        scene.add("doll", colliding(doll).moved([0.4, 0.2, 0.0])).unwrap();
        scene.settings.passes = 2;
        let mut world = world(&scene);
        for _ in 0..180 {
            steps(&mut world, 1);
            let contacts = world.contacts().unwrap();
            assert!(contacts.penetration_of_colliders < 1e-2, "{contacts:?}");
            assert_eq!([contacts.touching, contacts.crossings, contacts.excluded], [0; 3]);
        }
        assert!(world.contacts().unwrap().on_colliders > 3);
        // The doll lies on its limbs, so its particles are above the bed.
        let lowest = lowest(&world, "doll");
        assert!((0.005..0.1).contains(&lowest), "{lowest} m");
        assert!(mean_height(&world, "doll") < 0.15, "{} m", mean_height(&world, "doll"));
    }

    #[test]
    fn a_body_lies_on_limbs() {
        let mut scene = Scene::new();
        for (name, x) in [("left", -0.08), ("right", 0.08)] {
            scene.add(name, colliding(rod(0.05)).pinned("ends").moved([x, 0.0, 0.0])).unwrap();
        }
        scene.add("box", box_of(400.0).moved([0.0, 0.3, 0.0])).unwrap();
        let mut world = world(&scene);
        steps(&mut world, 120);
        let height = mean_height(&world, "box");
        assert!((height - (0.05 + 0.5 * SIZE)).abs() < 2e-3, "{height} m");
    }

    #[test]
    fn categories_masks_and_ties_determine_which_limbs_and_bodies_collide() {
        let settings = |categories, mask| SelfCollision { categories, mask, ..Default::default() };
        for (of_rod, tied, collide) in [
            (settings(1, 1), false, true),
            (settings(2, 2), false, false),
            (settings(1, 1), true, false),
        ] {
            let mut scene = Scene::new();
            scene.add("bed", bed().pinned("body")).unwrap();
            let rod = rod(0.05).self_colliding(of_rod).unwrap();
            scene.add("rod", rod.moved([0.0, 0.1, 0.0])).unwrap();
            if tied {
                // The tie pulls the rod into the bed.
                let in_bed = TieEnd::new("bed", Place::Body { body: 0, point: Some([0.0; 3]) });
                let middle = TieEnd::new("rod", Place::Limb { limb: 0, fraction: 0.5 });
                scene.attach(&Tie::between([middle, in_bed])).unwrap();
            }
            let mut world = world(&scene);
            steps(&mut world, 60);
            // A rod that lies on the bed is at the height of its radius, 0.05 m.
            let height = mean_height(&world, "rod");
            assert_eq!(height > 0.049, collide, "{of_rod:?}, tied: {tied}: {height} m");
        }
    }

    #[test]
    fn a_resumed_world_has_the_same_bits() {
        let mut scene = box_on_cloth(40.0, 8);
        scene.add("rod", colliding(rod(0.05)).moved([0.1, 0.6, 0.0])).unwrap();
        let mut uninterrupted = world(&scene);
        let mut interrupted = world(&scene);
        for step in 0..60 {
            steps(&mut uninterrupted, 1);
            steps(&mut interrupted, 1);
            if step % 7 == 0 {
                let snapshot = interrupted.snapshot();
                interrupted =
                    World::resume(&scene, |_: &Schedule| ScalarKernel, &snapshot).unwrap();
            }
            assert_eq!(uninterrupted.hash(), interrupted.hash(), "step {step}");
        }
        assert!(depth_in_box(&uninterrupted) > -0.03, "the cloth does not touch the box");
    }
}
