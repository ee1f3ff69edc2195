//! A world has the same bits on every kernel and number of threads.

use std::sync::Arc;

use taut::world::{
    Capsule, Cuboid, Force, Forces, Model, Path, Scene, Solid, StepTime, StickSet, Tethers, Wind,
    World,
};
use taut::{AnyKernel, Formula, Kernel, Pool, Schedule};

/// A regular sheet, a disc, a sphere, and seven copies of a small mesh.
fn scene() -> Scene {
    let mut scene = Scene::new();
    scene.add("disc", Model::disc(12, StickSet::All).unwrap()).unwrap();
    let sheet = Model::drape(26, StickSet::All).unwrap();
    scene.add("sheet", sheet.moved([0.0, 3.0, 0.0])).unwrap();
    scene.add("ball", Model::sphere(9, StickSet::Structural).unwrap()).unwrap();
    for copy in 0..7 {
        scene.add(format!("pennant {copy}"), pennant(copy)).unwrap();
    }
    scene.settings.step.substeps = 2;
    scene.settings.step.iterations = 3;
    scene
}

/// A small mesh at a position that depends on the copy.
fn pennant(copy: usize) -> Model {
    let disc = Model::disc(5, StickSet::All).unwrap();
    disc.moved([1.5 * copy as f32, 7.0, 0.3 * copy as f32])
}

fn hash_after_half_a_second(scene: &Scene, kernel_for: impl FnMut(&Schedule) -> AnyKernel) -> u64 {
    let mut world = World::new(scene, kernel_for).unwrap();
    for _ in 0..30 {
        assert!(world.step().unwrap().finite);
    }
    world.hash()
}

/// The kernels that can run any schedule, and the best of them on threads.
pub(crate) fn kernels() -> Vec<AnyKernel> {
    let mut kernels = AnyKernel::available();
    kernels.retain(AnyKernel::is_general);
    let threaded = |threads| AnyKernel::best().on_threads(Pool::new(threads).unwrap());
    kernels.extend([2, 3].map(threaded));
    kernels
}

/// For messages: kernels can have the same instruction set.
fn name_and_isa(kernel: &AnyKernel) -> String {
    format!("{} on {}", Kernel::<3>::name(kernel), Kernel::<3>::isa(kernel))
}

#[test]
fn a_world_has_the_same_bits_on_every_kernel() {
    let scene = scene();
    let best = hash_after_half_a_second(&scene, AnyKernel::best_for);
    for kernel in kernels() {
        let hash = hash_after_half_a_second(&scene, |_| kernel.clone());
        assert_eq!(hash, best, "{}", name_and_isa(&kernel));
    }
}

#[test]
fn swept_obstacles_and_edges_have_the_same_bits_on_every_kernel() {
    let mut scene = scene();
    let slap = Path::Oscillating { amplitude: [0.0, 0.0, 1.5], period: 0.4 };
    let plate = Cuboid::new([-1.0, -2.0, 0.5], [0.7, 4.0, 0.51]).unwrap();
    let rod = Capsule::new([[-1.0, -0.05, 0.02], [12.0, 0.1, 0.03]], 0.02).unwrap();
    let plates = [Solid::new(plate).along(slap).unwrap(), Solid::new(plate)];
    let [moving_plate, static_plate] = plates.map(|plate| plate.swept().with_edges());
    scene.obstacles.push(Arc::new(moving_plate));
    scene.obstacles.push(Arc::new(static_plate));
    scene.obstacles.push(Arc::new(Solid::new(rod).with_edges()));
    let best = hash_after_half_a_second(&scene, AnyKernel::best_for);
    for kernel in kernels() {
        let hash = hash_after_half_a_second(&scene, |_| kernel.clone());
        assert_eq!(hash, best, "{}", name_and_isa(&kernel));
    }
    scene.obstacles.clear();
    assert_ne!(hash_after_half_a_second(&scene, AnyKernel::best_for), best);
}

#[test]
fn copies_share_an_island_and_move_as_each_alone() {
    let mut all = Scene::new();
    let wind = || {
        let mut scene = Scene::new();
        scene.forces.push(Arc::new(Wind::new([3.0, 0.0, 1.0])));
        scene
    };
    all.forces = wind().forces;
    for copy in 0..20 {
        all.add(format!("pennant {copy}"), pennant(copy)).unwrap();
    }
    let mut world = World::new(&all, AnyKernel::best_for).unwrap();
    let copies = world.islands().iter().map(|island| island.schedule().copies().unwrap().count());
    assert_eq!(copies.collect::<Vec<_>>(), [20]);
    for _ in 0..30 {
        assert!(world.step().unwrap().finite);
    }
    for copy in [0, 7, 19] {
        let mut one = wind();
        one.add("pennant", pennant(copy)).unwrap();
        let mut alone = World::new(&one, |_| AnyKernel::named("scalar").unwrap()).unwrap();
        for _ in 0..30 {
            assert!(alone.step().unwrap().finite);
        }
        let range = world.model(&format!("pennant {copy}")).unwrap();
        for (own, shared) in range.enumerate() {
            assert_eq!(world.position(shared), alone.position(own), "copy {copy}, particle {own}");
        }
    }
}

/// Copies of a large mesh, which is renumbered, share one island; each copy of a sheet with tethers is an
/// island of its own.
#[test]
fn large_copies_and_tethered_sheets_move_as_each_alone() {
    let disc = Model::disc(40, StickSet::All).unwrap().shuffled(1);
    let sheet = Model::drape(20, StickSet::Structural).unwrap();
    let sheet = sheet.tethered(Tethers::default()).unwrap();
    for model in [disc, sheet] {
        let offsets = (0..6).map(|copy| [40.0 * copy as f32, 0.0, 0.0]);
        let mut all = Scene::new();
        all.add_copies("one", &model, offsets.clone()).unwrap();
        let mut world = World::new(&all, AnyKernel::best_for).unwrap();
        assert_eq!(world.islands().len() == 1, model.sheet.is_none());
        let island = &world.islands()[0];
        let is_renumbered = (0..model.particles.len() as u32).any(|it| island.number_of(it) != it);
        assert_eq!(is_renumbered, model.sheet.is_none());
        for _ in 0..4 {
            assert!(world.step().unwrap().finite);
        }
        for (copy, offset) in offsets.enumerate().filter(|(copy, _)| copy % 5 == 0) {
            let mut one = Scene::new();
            one.add("one", model.clone().moved(offset)).unwrap();
            let mut alone = World::new(&one, |_| AnyKernel::named("scalar").unwrap()).unwrap();
            for _ in 0..4 {
                assert!(alone.step().unwrap().finite);
            }
            let range = world.model(&format!("one {copy}")).unwrap();
            for (own, shared) in range.enumerate() {
                assert_eq!(
                    world.position(shared),
                    alone.position(own),
                    "copy {copy}, particle {own}"
                );
            }
        }
    }
}

#[derive(Debug)]
struct NoForce;

impl Force for NoForce {
    fn add_forces(&self, _: &Model, _: &StepTime, _: &mut Forces) {}
}

#[test]
fn a_force_that_adds_nothing_changes_no_bit() {
    let plain = scene();
    let mut with_force = plain.clone();
    with_force.forces.push(Arc::new(NoForce));
    let hash = |scene| hash_after_half_a_second(scene, AnyKernel::best_for);
    assert_eq!(hash(&with_force), hash(&plain));
}

#[test]
fn a_world_continues_with_the_same_bits_on_another_kernel() {
    let scene = scene();
    let mut world = World::new(&scene, AnyKernel::best_for).unwrap();
    let scalar = |_: &Schedule| AnyKernel::named("scalar").unwrap();
    for step in 0..30 {
        if step == 11 {
            world.replan(scene.formula, scalar).unwrap();
        }
        assert!(world.step().unwrap().finite);
    }
    assert_eq!(world.hash(), hash_after_half_a_second(&scene, scalar));
}

#[test]
fn a_replan_that_fails_changes_nothing() {
    let mut scene = Scene::new();
    scene.add("sheet", Model::drape(12, StickSet::All).unwrap()).unwrap();
    scene.add("disc", Model::disc(6, StickSet::All).unwrap()).unwrap();
    let mut world = World::new(&scene, AnyKernel::best_for).unwrap();
    let mut other = World::new(&scene, AnyKernel::best_for).unwrap();
    assert!(world.step().unwrap().finite && other.step().unwrap().finite);
    // The grid kernel runs the sheet, and not the disc.
    let grid = |_: &Schedule| AnyKernel::named("grid").unwrap();
    assert!(world.replan(Formula::Exact, grid).is_err());
    assert_eq!(world.formula(), scene.formula);
    for _ in 0..20 {
        assert!(world.step().unwrap().finite && other.step().unwrap().finite);
    }
    assert_eq!(world.snapshot(), other.snapshot());
}

/// Drags, tears, cuts and reorders a world, resumes it from a snapshot, and returns its hash. Steps run
/// on a pool of `threads` threads; a kernel may have threads of its own. With tethers, a pin moves and another is
/// freed, too.
fn hash_after_many_changes(
    tethers: Option<Tethers>,
    threads: usize,
    mut kernel_for: impl FnMut(&Schedule) -> AnyKernel,
) -> u64 {
    let mut scene = scene();
    let sheet = Model::drape(24, StickSet::All).unwrap().tearing_at(1.3);
    scene.add("curtain", sheet.moved([3.0, 0.0, 0.0])).unwrap();
    let mut scene = scene.tethered(tethers).unwrap();
    if tethers.is_some() {
        scene.settings.step.damping_rate = 3.0;
        scene.settings.step.iterations = 1;
    }
    let mut world = World::new(&scene, &mut kernel_for).unwrap();
    let corner = world.model("curtain").unwrap().end - 1;
    world.grab(corner).unwrap();
    for step in 0..50 {
        match step {
            0..20 => world.drag(corner, [4.15, -1.15, 0.05 * step as f32]).unwrap(),
            20 => world.release(corner).unwrap(),
            25 => {
                let blade = |x: f32| [[x, -0.6, -2.0], [x, -0.5, 2.0]];
                assert!(world.cut_swept(blade(2.0), blade(3.5)) > 0);
            }
            30 => {
                // The snapshot is converted to JSON and back, which must keep all bits.
                let snapshot = serde_json::to_string(&world.snapshot()).unwrap();
                let snapshot = serde_json::from_str(&snapshot).unwrap();
                world = World::resume(&scene, &mut kernel_for, &snapshot).unwrap();
            }
            // Changes one of the copies.
            32 => {
                let pennant = world.model("pennant 3").unwrap();
                world.set_inverse_mass(pennant.start + 4, 0.25).unwrap();
                world.set_position(pennant.end - 1, [4.6, 7.1, 1.0]).unwrap();
            }
            33 => {
                let blade = |x: f32| [[x, 6.85, -2.0], [x, 6.95, 2.0]];
                assert!(world.cut_swept(blade(2.7), blade(3.3)) > 0);
            }
            35 => {
                assert!(world.reorder(&mut kernel_for).unwrap() > 50);
                // The torn pennant, one of seven copies, has left their island.
                let islands = world.islands().iter();
                let copies = islands.filter_map(|island| Some(island.schedule().copies()?.count()));
                assert_eq!(copies.collect::<Vec<_>>(), [6]);
            }
            40 if tethers.is_some() => {
                let pin = world.model("sheet").unwrap().start;
                world.drag(pin, [-0.1, 3.1, 0.2]).unwrap();
                world.set_inverse_mass(pin + 1, 1.0).unwrap();
            }
            _ => {}
        }
        assert!(world.step_on(&Pool::new(threads).unwrap()).unwrap().finite);
        assert_eq!(world.tether_count() > 0, tethers.is_some());
    }
    assert!(world.torn() > 50, "only {} sticks are torn", world.torn());
    world.hash()
}

#[test]
fn a_torn_world_has_the_same_bits_on_every_kernel() {
    for tethers in [None, Some(Tethers::default())] {
        let best = hash_after_many_changes(tethers, 2, AnyKernel::best_for);
        for kernel in kernels() {
            let hash = hash_after_many_changes(tethers, 2, |_| kernel.clone());
            assert_eq!(hash, best, "{}", name_and_isa(&kernel));
        }
        for special in AnyKernel::available().iter().filter(|kernel| !kernel.is_general()) {
            for threads in [1, 3, 8] {
                let hash = hash_after_many_changes(tethers, threads, |schedule| {
                    if special.runs(schedule) {
                        special.clone()
                    } else {
                        AnyKernel::best_for(schedule)
                    }
                });
                assert_eq!(hash, best, "{}, {threads} threads", name_and_isa(special));
            }
        }
    }
}

#[test]
fn tethers_have_the_same_bits_on_any_number_of_threads() {
    let mut scene = Scene::new();
    // This sheet has enough particles for three threads, and enough sticks for eight.
    let sheet = Model::drape(160, StickSet::All).unwrap().tethered(Tethers::default()).unwrap();
    scene.add("sheet", sheet).unwrap();
    scene.settings.step.substeps = 2;
    let hash = |threads, kernel_for: &dyn Fn(&Schedule) -> AnyKernel| {
        let mut world = World::new(&scene, kernel_for).unwrap();
        let pool = Pool::new(threads).unwrap();
        for _ in 0..3 {
            assert!(world.step_on(&pool).unwrap().finite);
        }
        world.hash()
    };
    let scalar = hash(1, &|_| AnyKernel::named("scalar").unwrap());
    for threads in [1, 2, 3, 8] {
        assert_eq!(hash(threads, &AnyKernel::best_for), scalar, "{threads} threads");
        assert_eq!(hash(threads, &|_| AnyKernel::best()), scalar, "{threads} threads");
    }
}

#[test]
fn snapshots_are_the_same_on_every_kernel_while_tethers_are_limited() {
    let mut scene = Scene::new();
    let tethers = Some(Tethers::default());
    scene.add("sheet", Model::drape(24, StickSet::All).unwrap()).unwrap();
    for copy in 0..7 {
        scene.add(format!("pennant {copy}"), pennant(copy)).unwrap();
    }
    let scene = scene.tethered(tethers).unwrap();
    let snapshots = |substeps: u32, kernel_for: &dyn Fn(&Schedule) -> AnyKernel| {
        let mut scene = scene.clone();
        scene.settings.step.substeps = substeps;
        let mut world = World::new(&scene, kernel_for).unwrap();
        let pins: Vec<usize> = ["sheet", "pennant 0", "pennant 3", "pennant 6"]
            .iter()
            .map(|name| world.model(name).unwrap().start)
            .collect();
        for pin in &pins {
            world.set_inverse_mass(*pin, 0.0).unwrap();
        }
        (0..4)
            .map(|step| {
                // The pins jump; the tethers follow them at a limited speed.
                for pin in &pins {
                    let point = world.position(*pin);
                    world.set_position(*pin, [point[0], point[1] + 3.0, point[2]]).unwrap();
                }
                assert!(world.step().unwrap().finite);
                assert!(world.tether_count() > 0, "step {step}");
                world.snapshot()
            })
            .collect::<Vec<_>>()
    };
    for substeps in 1..=4 {
        let expected = snapshots(substeps, &|_| AnyKernel::named("scalar").unwrap());
        assert_eq!(snapshots(substeps, &AnyKernel::best_for), expected, "{substeps} substeps");
        for kernel in kernels() {
            let found = snapshots(substeps, &|_| kernel.clone());
            assert_eq!(found, expected, "{substeps} substeps, {}", name_and_isa(&kernel));
        }
    }
}
