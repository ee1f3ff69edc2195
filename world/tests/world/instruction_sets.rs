//! Forces, obstacles, builders and self-collision have the same bits on every instruction set.

use std::sync::Arc;

use taut_core::Renumbering;
use taut_scalar::ScalarKernel;
use taut_world::{
    Acceleration, Attractor, Bounds, Bridge, Capsule, Cloth, Cuboid, Drag, Field, Force, Gusts,
    HalfSpace, HexSheet, Model, Obstacle, Path, Plant, Ragdoll, Region, Rope, Scene, SelfCollision,
    Simulation, Solid, Sphere, StickSet, Surface, Tethers, Wind, WindLaw, World, on_each_isa,
};

/// The hash of a scene's state after each step, then the bits of its forces and diagnostics.
fn trace<const D: usize>(scene: &Scene<D>, steps: usize) -> Vec<u64>
where
    World<D>: Simulation<D>,
{
    let mut world = World::new(scene, |_| ScalarKernel).unwrap();
    let mut trace = Vec::new();
    for _ in 0..steps {
        assert!(world.step().unwrap().finite);
        trace.push(world.hash());
    }
    for island in world.islands() {
        for axis in 0..D {
            trace
                .extend(island.forces().along(axis).iter().map(|force| u64::from(force.to_bits())));
        }
    }
    let diagnostics = world.diagnostics().unwrap();
    trace.extend(
        [diagnostics.kinetic, diagnostics.potential, diagnostics.stretch.residual_rms()]
            .map(f64::to_bits),
    );
    trace.extend(diagnostics.momentum.map(f64::to_bits));
    trace.extend(diagnostics.angular_momentum.map(f64::to_bits));
    trace.push(u64::from(diagnostics.depth.to_bits()));
    trace
}

/// Asserts that a scene has the same trace on all instruction sets; `what` names it in the message.
fn assert_same_bits<const D: usize>(what: &str, scene: &Scene<D>, steps: usize)
where
    World<D>: Simulation<D>,
{
    let mut baseline = None;
    on_each_isa(|isa| {
        let trace = trace(scene, steps);
        let baseline = baseline.get_or_insert_with(|| trace.clone());
        assert!(trace == *baseline, "{what}: {isa} and the baseline give different bits");
    });
}

/// A cloth that tears, in the wind and in other forces. It is a regular sheet, unless `reversed`
/// numbers its particles in reverse order.
fn cloth(columns: usize, law: WindLaw, gusty: bool, reversed: bool) -> Scene {
    let cloth = Cloth { columns, rows: 5, width: 1.0, height: 0.3, ..Cloth::default() };
    let mut model = Model::cloth(&cloth).unwrap().pinned("top").tearing_at(1.3);
    if reversed {
        let len = model.particles.len() as u32;
        let order: Vec<u32> = (0..len).rev().collect();
        model = model.renumbered(&Renumbering::from_order(order).unwrap());
    }
    let mut scene = Scene::new();
    scene.add("cloth", model).unwrap();
    let gusts = gusty.then_some(Gusts { strength: 0.7, size: 0.2, seed: 3 });
    scene.forces.push(Arc::new(Wind { gusts, law, ..Wind::new([1.0, 2.0, 30.0]) }));
    let ball = Region::Ball { centre: [0.0; 3], radius: 0.4 };
    let others: [Arc<dyn Force>; 3] = [
        Arc::new(Field::new(Drag { quadratic: 0.01, ..Drag::linear(0.001) })),
        Arc::new(Field::new(Acceleration([1.0, 0.0, 0.5])).within(ball).on("left")),
        Arc::new(Field::new(Attractor { position: [0.3; 3], strength: 1.0, softening: 0.1 })),
    ];
    scene.forces.extend(others);
    scene
}

#[test]
fn forces_are_the_same_on_every_instruction_set() {
    let laws = [
        WindLaw::Normal { pressure: 0.5 },
        WindLaw::Plate { density: 1.2, drag: 1.3, lift: 0.0 },
        WindLaw::Plate { density: 1.2, drag: 1.3, lift: 1.7 },
    ];
    // Particles per row of the cloth: multiples of the lane counts (4, 8, 16), and other counts.
    for columns in [2, 4, 5, 8, 9, 15, 16, 17, 18, 31, 32, 33, 34, 50] {
        for law in laws {
            for (gusty, reversed) in [(false, false), (true, false), (true, true)] {
                let what =
                    format!("{law:?} at {columns} columns, gusty: {gusty}, reversed: {reversed}");
                assert_same_bits(&what, &cloth(columns, law, gusty, reversed), 3);
            }
        }
    }
}

#[test]
fn obstacles_are_the_same_on_every_instruction_set() {
    let surface =
        Surface { friction: 0.4, restitution: 0.6, thickness: 0.02, ..Surface::default() };
    let room = Bounds::new([-0.3, -0.3, -0.3], [0.4, 0.4, 0.4]).unwrap();
    let floor = HalfSpace::new([0.0, -0.1, 0.0], [0.1, 1.0, 0.2]).unwrap();
    let ball = Sphere::new([0.1, 0.0, 0.1], 0.25).unwrap();
    let pole = Capsule::new([[-1.0, 0.0, 0.0], [1.0, 0.1, 0.0]], 0.1).unwrap();
    let cuboid = Cuboid::new([-0.2, -0.2, -0.1], [0.2, 0.1, 0.15]).unwrap();
    let obstacles: [Arc<dyn Obstacle>; 5] = [
        Arc::new(Solid::new(room).with(surface).unwrap()),
        Arc::new(Solid::new(floor).with(surface).unwrap()),
        Arc::new(Solid::new(ball).with(surface).unwrap()),
        Arc::new(Solid::new(pole).with(surface).unwrap()),
        Arc::new(Solid::new(cuboid).with(surface).unwrap()),
    ];
    for columns in [2, 3, 7, 16, 17, 33] {
        for obstacle in &obstacles {
            let mut scene = cloth(columns, WindLaw::Normal { pressure: 0.5 }, false, false);
            scene.obstacles.push(obstacle.clone());
            assert_same_bits(&format!("{obstacle:?} at {columns} columns"), &scene, 3);
        }
    }
}

#[test]
fn models_of_many_builders_are_the_same_on_every_instruction_set() {
    let cloth = Cloth { columns: 9, rows: 7, width: 0.9, height: 0.7, ..Cloth::default() };
    let curtain = Model::curtain(&cloth).unwrap().pinned("top").tearing_at(1.5);
    let sheet = HexSheet { columns: 9, rows: 9, ..HexSheet::default() };
    let hex_sheet = Model::hex_sheet(&sheet).unwrap().pinned("top corners");
    let ends = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
    let models = vec![
        ("cloth", Model::cloth(&cloth).unwrap().pinned("top corners")),
        ("hex sheet", hex_sheet),
        ("springs", Model::curtain(&cloth).unwrap().sprung(10.0, 0.01).unwrap()),
        ("plant", Model::plant(&Plant::default()).unwrap()),
        ("bridge", Model::bridge(ends[0], ends[1], &Bridge::default()).unwrap()),
        ("rope", Model::rope(&ends, &Rope::default()).unwrap().pinned("start")),
        ("ragdoll", Model::<3>::ragdoll(&Ragdoll::default()).unwrap()),
        ("tetrahedron", Model::tetrahedron(0.5, 1.0).unwrap()),
        ("curtain", curtain),
        ("disc", Model::disc(5, StickSet::All).unwrap().pinned("top corners")),
        ("box", Model::rigid_box([0.3, 0.2, 0.1], 500.0).unwrap()),
    ];
    let oscillation = Path::Oscillating { amplitude: [0.0, 0.0, 0.5], period: 0.5 };
    let ball = Solid::new(Sphere::new([0.1, 0.1, -0.2], 0.3).unwrap());
    let room = Solid::new(Bounds::new([-1.2, -0.8, -1.0], [1.2, 1.0, 1.0]).unwrap());
    for (name, model) in models {
        for tethers in [None, Some(Tethers::default())] {
            let mut scene = Scene::new();
            scene.add(name, model.clone()).unwrap();
            let gusts = Some(Gusts { strength: 0.8, size: 0.4, seed: 3 });
            scene.forces.push(Arc::new(Wind { gusts, ..Wind::new([3.0, 0.0, 1.0]) }));
            scene.obstacles.push(Arc::new(ball.clone().along(oscillation.clone()).unwrap()));
            scene.obstacles.push(Arc::new(room.clone()));
            let scene = scene.tethered(tethers).unwrap();
            assert_same_bits(&format!("{name}, tethers: {tethers:?}"), &scene, 20);
        }
    }
}

#[test]
fn self_collision_is_the_same_on_every_instruction_set() {
    let cloth = Cloth { columns: 9, rows: 21, width: 0.3, height: 0.8, ..Cloth::default() };
    let self_colliding = |model: Model| model.self_colliding(SelfCollision::default()).unwrap();
    let mut scene = Scene::new();
    let substep = 1.0 / 480.0; // s, as in the default settings
    for (name, speed) in [("slow", 0.0), ("fast", 20.0)] {
        let offset = [0.02 * speed, 0.5 + 0.01 * speed, 0.01];
        let model = self_colliding(Model::cloth(&cloth).unwrap());
        scene.add(name, model.moved(offset).moving_at([-speed, 0.0, 1.0], substep)).unwrap();
    }
    let rope = Model::rope(&[[-0.3, 0.0, 0.0], [0.3, 0.05, 0.0]], &Rope::default()).unwrap();
    scene.add("rope", self_colliding(rope)).unwrap();
    let floor = HalfSpace::new([0.0, -0.1, 0.0], [0.1, 1.0, 0.2]).unwrap();
    scene.obstacles.push(Arc::new(Solid::new(floor)));
    assert_same_bits("self-collision", &scene, 60);
}

#[test]
fn scenes_in_2d_are_the_same_on_every_instruction_set() {
    let cloth = Cloth { columns: 17, rows: 9, width: 1.6, height: 0.8, ..Cloth::default() };
    let mut scene = Scene::<2>::new();
    scene.add("cloth", Model::cloth(&cloth).unwrap().pinned("top")).unwrap();
    let ragdoll = Model::<2>::ragdoll(&Ragdoll::default()).unwrap();
    scene.add("ragdoll", ragdoll.moved([0.0, -0.5])).unwrap();
    let ball = Sphere::new([0.5, -0.5], 0.3).unwrap();
    scene.obstacles.push(Arc::new(Solid::new(ball)));
    let room = Bounds::new([-1.0, -1.0], [1.0, 1.5]).unwrap();
    scene.obstacles.push(Arc::new(Solid::new(room)));
    for tethers in [None, Some(Tethers::default())] {
        let scene = scene.clone().tethered(tethers).unwrap();
        assert_same_bits(&format!("2D, tethers: {tethers:?}"), &scene, 20);
    }
}
