//! Ties between islands have the same bits on every kernel and number of threads.

use std::sync::Arc;

use taut::world::{
    Cloth, Model, Place, Rope, Scene, Solid, Sphere, StickSet, Tethers, Tie, TieEnd, Wind, World,
};
use taut::{AnyKernel, Kernel, Kind, Pool, Schedule};

use crate::worlds::kernels;

/// What acts on the tied models besides gravity. It decides whether ties act on particles in the
/// working copy of a plan or in the columns.
#[derive(Clone, Copy, Debug)]
struct Environment {
    /// Wind, computed once per step.
    wind: bool,
    /// A rope of springs, whose forces are computed in each substep.
    springs: bool,
    /// A sphere that the models fall on.
    obstacle: bool,
}

/// A sheet, seven copies of a disc, a ball and a rigid body, each in an island that suits it, and tied
/// to each other; with springs also a rope. Beside them, a cloth is tied to a beam.
fn scene(environment: Environment) -> Scene {
    let mut scene = Scene::new();
    let sheet = Model::drape(26, StickSet::All).unwrap();
    // Seven particles of the last row.
    let sheet = sheet.with_group("hem", 650..657).unwrap();
    scene.add("sheet", sheet).unwrap();
    scene.add("ball", Model::sphere(9, StickSet::Structural).unwrap().moved([2.0; 3])).unwrap();
    for copy in 0..7 {
        let disc = Model::disc(5, StickSet::All).unwrap();
        let disc = disc.moved([0.2 * copy as f32, -1.5, 0.1]);
        scene.add(format!("pennant {copy}"), disc).unwrap();
    }
    let body = Model::rigid_box([0.2, 0.2, 0.1], 200.0).unwrap();
    scene.add("body", body.moved([0.6, -0.8, 0.3])).unwrap();
    if environment.springs {
        let rope = Model::rope(&[[0.0, 1.0, 0.0], [1.0, 1.0, 0.0]], &Rope::default()).unwrap();
        scene.add("spring", rope.pinned("start").sprung(50.0, 0.01).unwrap()).unwrap();
        scene
            .attach(&Tie::between([
                TieEnd::group("spring", "end"),
                TieEnd::new("sheet", Place::Particle(25)),
            ]))
            .unwrap();
    }
    let on_body = |body: &str| TieEnd::new(body, Place::Body { body: 0, point: None });
    let sewn = Tie::between([TieEnd::group("sheet", "hem"), on_body("body")]);
    scene.attach(&Tie { breaking_force: Some(80.0), ..sewn }).unwrap();
    // A cloth with tethers that hangs from a falling beam.
    let cloth = Model::cloth(&Cloth { columns: 20, rows: 12, ..Cloth::default() }).unwrap();
    let cloth = cloth.tethered(Tethers::default()).unwrap();
    scene.add("cloth", cloth.moved([-2.0, -0.5, 0.0])).unwrap();
    let beam = Model::rigid_box([1.1, 0.1, 0.1], 1000.0).unwrap();
    scene.add("beam", beam.moved([-2.0, 0.0, 0.0])).unwrap();
    scene.attach(&Tie::between([TieEnd::group("cloth", "top"), on_body("beam")])).unwrap();
    for copy in 0..6 {
        let face = Place::Face { face: 3 + copy, weights: [0.2, 0.5] };
        let stick = Place::Stick { stick: 7 * copy, fraction: 0.3 };
        let next = format!("pennant {}", copy + 1);
        let ends = [TieEnd::new(format!("pennant {copy}"), face), TieEnd::new(next, stick)];
        let tie = Tie { distance: 0.1, kind: Kind::Maximum, ..Tie::between(ends) };
        scene.attach(&tie).unwrap();
    }
    let ends = [("ball", 40), ("pennant 3", 8)];
    let ends = ends.map(|(model, particle)| TieEnd::new(model, Place::Particle(particle)));
    scene.attach(&Tie { distance: 1.0, compliance: 1e-4, ..Tie::between(ends) }).unwrap();
    if environment.wind {
        scene.forces.push(Arc::new(Wind::new([1.0, 0.5, 4.0])));
    }
    if environment.obstacle {
        let sphere = Sphere::new([0.6, -2.2, 0.3], 0.8).unwrap();
        scene.obstacles.push(Arc::new(Solid::new(sphere)));
    }
    scene.settings.step.substeps = 3;
    scene.settings.step.iterations = 2;
    scene.settings.passes = 2;
    scene
}

/// The hash after half a second with a drag and a resumption, and the number of broken ties.
fn run(
    scene: &Scene,
    threads: usize,
    mut kernel_for: impl FnMut(&Schedule) -> AnyKernel,
) -> (u64, usize) {
    let pool = Pool::new(threads).unwrap();
    let mut world = World::new(scene, &mut kernel_for).unwrap();
    let corner = world.model("sheet").unwrap().end - 1;
    for step in 0..30 {
        match step {
            3 => world.grab(corner).unwrap(),
            4..10 => world.drag(corner, [1.3, -1.3, 0.1 * step as f32]).unwrap(),
            20 => world = World::resume(scene, &mut kernel_for, &world.snapshot()).unwrap(),
            _ => {}
        }
        assert!(world.step_on(&pool).unwrap().finite);
    }
    // Each particle of the cloth below its top row has a tether.
    assert_eq!(world.tether_count(), 20 * 11);
    (world.hash(), world.ties().filter(|tie| tie.broken).count())
}

#[test]
fn ties_have_the_same_bits_on_every_kernel() {
    for flags in 0..8 {
        let [wind, springs, obstacle] = [1, 2, 4].map(|flag| flags & flag != 0);
        let environment = Environment { wind, springs, obstacle };
        let scene = scene(environment);
        let scalar = run(&scene, 1, |_| AnyKernel::named("scalar").unwrap());
        assert!((1..7).contains(&scalar.1), "{environment:?}: {} broken ties", scalar.1);
        for threads in [1, 3] {
            assert_eq!(run(&scene, threads, AnyKernel::best_for), scalar, "{environment:?}");
        }
        for kernel in kernels() {
            let isa = Kernel::<3>::isa(&kernel);
            assert_eq!(run(&scene, 1, |_| kernel.clone()), scalar, "{isa} {environment:?}");
        }
    }
}
