//! Copies with torn sticks leave the island in which they are relaxed together; nothing else changes.

use std::ops::Range;
use std::sync::Arc;

use taut_scalar::ScalarKernel;
use taut_world::{
    Clock, Cloth, Drag, Drawing, Field, HalfSpace, Model, Path, Ragdoll, Scene, Solid, Spring,
    Springs, StickSet, Surface, Tethers, Wind, World,
};

use crate::make::{steps, world};

/// The number of copies in most scenes.
const COPIES: usize = 20;

/// A disc that hangs from its highest particles and from a guided one, with springs, tethers and
/// groups. It is so light that wind forces are limited.
fn disc() -> Model {
    let disc = Model::disc(8, StickSet::All).unwrap();
    let last = disc.particles.len() as u32 - 1;
    let mut disc = disc
        .with_group("rim", [last, last - 3])
        .unwrap()
        .with_group("guided", [last])
        .unwrap()
        .guided("guided", Path::Oscillating { amplitude: [0.1, 0.0, 0.05], period: 0.7 }, None)
        .unwrap()
        .tearing_at(3.0)
        .tethered(Tethers { slack: 1.05, ..Tethers::default() })
        .unwrap();
    for particle in 0..=last {
        let is_free = disc.particles.inverse_masses()[particle as usize] > 0.0;
        let inverse_mass = if is_free { 90.0 } else { 0.0 };
        disc.particles.set_inverse_mass(particle as usize, inverse_mass).unwrap();
    }
    let spring = Spring { rest: 0.1, stiffness: 2.0, damping: 0.001 };
    let ends = [[2, last - 2], [5, last - 7]];
    disc.springs = Springs::new(disc.particles.len(), &ends, &[spring; 2]).unwrap();
    disc.radii = vec![0.01; disc.particles.len()];
    disc
}

/// A scene without models: forces, a floor, and settings of the step.
fn environment() -> Scene {
    let mut scene = Scene::new();
    scene.forces.push(Arc::new(Wind::new([6.0, 0.5, 2.0])));
    scene.forces.push(Arc::new(Field::new(Drag::linear(1e-3)).on("rim")));
    let surface = Surface { friction: 0.4, ..Surface::default() };
    let floor = Solid::new(HalfSpace::new([0.0, -0.4, 0.0], [0.0, 1.0, 0.0]).unwrap());
    scene.obstacles.push(Arc::new(floor.with(surface).unwrap()));
    scene.settings.step.substeps = 3;
    scene.settings.step.iterations = 2;
    scene
}

/// The name of a copy as a model.
fn name(copy: usize) -> String {
    format!("copy {copy}")
}

/// A scene of these copies of a model, each at its own position. If there are several, another model
/// follows copy 4.
fn scene(environment: &Scene, model: &Model, copies: Range<usize>) -> Scene {
    let mut scene = environment.clone();
    for copy in copies.clone() {
        let by = [2.0 * copy as f32, 0.01 * copy as f32, 0.0];
        scene.add(name(copy), model.clone().moved(by)).unwrap();
        if copy == 4 && copies.len() > 1 {
            let other = Model::disc(5, StickSet::All).unwrap().tethered(Tethers::default());
            scene.add("other", other.unwrap().moved([0.0, 4.0, 0.0])).unwrap();
        }
    }
    scene
}

/// The number of copies in each island of copies.
fn copies(world: &World) -> Vec<usize> {
    let islands = world.islands().iter();
    islands.filter_map(|island| Some(island.schedule().copies()?.count())).collect()
}

/// Tears some sticks of a copy, from the `first` one on: different ones in each copy, so that the
/// torn copies are not copies of each other.
fn tear(world: &mut World, copy: usize, first: usize) {
    for stick in world.sticks_of(&name(copy)).unwrap().skip(first).step_by(5 + copy) {
        world.tear(stick).unwrap();
    }
}

/// The state of a world as its public methods return it.
struct View {
    drawing: Drawing,
    tethers: usize,
    torn: usize,
    grabbed: Vec<usize>,
    ranges: Vec<[Range<usize>; 2]>,
    groups: Vec<Option<Vec<usize>>>,
    inverse_masses: Vec<f32>,
    /// The bits of positions, interpolated positions and forces.
    bits: Vec<u32>,
}

fn view(world: &World) -> View {
    let names = || (0..).map(name).take_while(|name| world.model(name).is_some());
    let range = |name: String| [world.model(&name).unwrap(), world.sticks_of(&name).unwrap()];
    let groups = |name: String| ["rim", "guided", "none"].map(|group| world.group(&name, group));
    let bits = |particle| {
        let (island, index) = world.locate(particle);
        let force = [0, 1, 2].map(|axis| world.islands()[island].forces().along(axis)[index]);
        [world.position(particle), world.interpolated(particle, 0.3), force]
    };
    View {
        drawing: world.drawing(),
        tethers: world.tether_count(),
        torn: world.torn(),
        grabbed: world.grabbed().collect(),
        ranges: names().map(range).collect(),
        groups: names().flat_map(groups).collect(),
        inverse_masses: (0..world.len()).map(|particle| world.inverse_mass(particle)).collect(),
        bits: (0..world.len()).flat_map(bits).flatten().map(f32::to_bits).collect(),
    }
}

/// Asserts that two views are equal, field by field: a message with whole views would be too long.
fn assert_same(one: &View, other: &View) {
    assert_eq!((one.tethers, one.torn), (other.tethers, other.torn));
    assert_eq!((&one.grabbed, &one.ranges), (&other.grabbed, &other.ranges));
    assert_eq!((&one.groups, &one.inverse_masses), (&other.groups, &other.inverse_masses));
    assert_eq!(one.drawing, other.drawing);
    let differs = |(one, other)| one != other;
    assert_eq!(
        one.bits.iter().zip(&other.bits).position(differs),
        None,
        "the index of the first of {} values that differs",
        one.bits.len()
    );
}

/// The bits of the positions of a copy.
fn bits(world: &World, copy: usize) -> Vec<u32> {
    let particles = world.model(&name(copy)).unwrap();
    particles.flat_map(|particle| world.position(particle).map(f32::to_bits)).collect()
}

/// Which copies a test tears before each reordering of their world.
#[derive(Clone, Copy)]
struct Tears<'a> {
    /// The number of copies at the start.
    copies: usize,
    /// For each reordering: the copies to tear before it.
    torn: &'a [&'a [usize]],
    /// For each reordering: the number of copies that share an island after it.
    remaining: &'a [usize],
    /// The number of steps after the last reordering.
    last_steps: usize,
}

/// Simulates a world of copies that are torn and reordered. Asserts that they have the bits of copies
/// that are alone in their scenes; and that reordering changes nothing else, and may be done before or
/// after a resume.
fn assert_as_alone(environment: &Scene, model: &Model, tears: Tears<'_>) {
    let scene_of = |range| scene(environment, model, range);
    let all = scene_of(0..tears.copies);
    let mut together = world(&all);
    let mut alone: Vec<_> =
        (0..tears.copies).map(|copy| world(&scene_of(copy..copy + 1))).collect();
    assert_eq!(copies(&together), [tears.copies]);
    for (round, torn) in tears.torn.iter().enumerate() {
        steps(&mut together, 6);
        for world in &mut alone {
            steps(world, 6);
        }
        // Drags two particles: one of a copy that leaves, and one of a copy that may remain.
        for (copy, held) in [(torn[0], 10), (1, 12)] {
            let first = together.model(&name(copy)).unwrap().start;
            for (world, particle) in [(&mut together, first + held), (&mut alone[copy], held)] {
                world.grab(particle).unwrap();
                let [x, y, z] = world.position(particle);
                world.drag(particle, [x + 0.01, y, z - 0.02]).unwrap();
            }
        }
        for &copy in *torn {
            tear(&mut together, copy, round);
            tear(&mut alone[copy], copy, round);
        }
        // One step by a clock, so that there are positions to interpolate.
        let mut clock = Clock::new(together.settings().step.dt).unwrap();
        let (frame, outcome) = together.advance(&mut clock, 0.02).unwrap();
        assert!(outcome.finite && frame.steps == 1);
        for world in &mut alone {
            steps(world, 1);
        }

        let before = together.snapshot();
        let mut reordered_later = World::resume(&all, |_| ScalarKernel, &before).unwrap();
        assert_eq!(reordered_later.snapshot(), before);
        let (view_before, removed_before) = (view(&together), together.removed().clone());
        let removed = together.reorder(|_| ScalarKernel).unwrap();
        assert_same(&view(&together), &view_before);
        assert_eq!(*together.removed(), removed_before);
        assert!(removed > 0 && together.reorder(|_| ScalarKernel).unwrap() == 0);
        assert_eq!(reordered_later.reorder(|_| ScalarKernel).unwrap(), removed);
        for world in &mut alone {
            // Copies that are not in `torn` are reordered, too: their overstretched sticks may have torn.
            world.reorder(|_| ScalarKernel).unwrap();
        }
        assert_eq!(copies(&together).iter().sum::<usize>(), tears.remaining[round]);

        let after = together.snapshot();
        assert_eq!(reordered_later.snapshot(), after);
        let mut resumed = World::resume(&all, |_| ScalarKernel, &after).unwrap();
        assert_eq!(resumed.snapshot(), after);
        assert_eq!(copies(&resumed), copies(&together));
        for world in [&mut together, &mut reordered_later, &mut resumed] {
            steps(world, 5);
        }
        for world in &mut alone {
            steps(world, 5);
        }
        assert_same(&view(&resumed), &view(&together));
        assert_same(&view(&reordered_later), &view(&together));
        assert_eq!(resumed.snapshot(), together.snapshot());
    }
    steps(&mut together, tears.last_steps);
    for (copy, alone) in alone.iter_mut().enumerate() {
        steps(alone, tears.last_steps);
        assert!(bits(&together, copy) == bits(alone, copy), "copy {copy}");
    }
}

#[test]
fn only_copies_with_torn_sticks_leave_their_island() {
    let torn: &[&[usize]] = &[&[7], &[0], &[3, 19], &[7], &[10, 11, 12, 13, 2]];
    let remaining = &[19, 18, 16, 16, 11];
    assert_as_alone(
        &environment(),
        &disc(),
        Tears { copies: COPIES, torn, remaining, last_steps: 60 },
    );
}

#[test]
fn sheets_and_renumbered_copies_leave_their_island() {
    let sheet = Model::cloth(&Cloth { columns: 9, rows: 7, ..Cloth::default() }).unwrap();
    let tears =
        Tears { copies: COPIES, torn: &[&[7], &[0, 5]], remaining: &[19, 17], last_steps: 60 };
    assert_as_alone(&environment(), &sheet.pinned("top"), tears);
    // A disc with enough particles to be renumbered.
    let large = Model::disc(66, StickSet::Structural).unwrap().shuffled(2);
    assert!(large.particles.len() > 4096);
    let mut fast = environment();
    fast.settings.step.substeps = 1;
    fast.settings.step.iterations = 1;
    let tears = Tears { copies: 8, torn: &[&[7, 2]], remaining: &[6], last_steps: 3 };
    assert_as_alone(&fast, &large, tears);
}

/// Limbs of different copies collide, and limbs collide only within an island.
#[test]
fn copies_with_limbs_stay_in_one_island() {
    let doll = Model::<3>::ragdoll(&Ragdoll::default()).unwrap();
    let mut world = world(&scene(&environment(), &doll, 0..COPIES));
    let islands = world.islands().len();
    assert_eq!(copies(&world), [COPIES]);
    tear(&mut world, 7, 0);
    assert!(world.reorder(|_| ScalarKernel).unwrap() > 0);
    // The island remains, but no longer relaxes its models as copies.
    assert_eq!((copies(&world), world.islands().len()), (vec![], islands));
}

#[test]
fn copies_of_which_one_had_limbs_are_no_longer_relaxed_as_copies() {
    let mut scene = scene(&environment(), &disc(), 0..COPIES);
    let with_limbs = disc().moved([0.0, 8.0, 0.0]).with_limbs([([0, 1], 0.01)]).unwrap();
    let stick =
        with_limbs.sticks.ends().iter().position(|ends| ends.contains(&0) && ends.contains(&1));
    scene.add("with limbs", with_limbs).unwrap();
    let mut world = world(&scene);
    assert_eq!(copies(&world), [COPIES + 1]);
    let first = world.sticks_of("with limbs").unwrap().start;
    assert!(world.tear(first + stick.unwrap()).unwrap());
    assert!(world.reorder(|_| ScalarKernel).unwrap() > 0);
    let resumed = World::resume(&scene, |_| ScalarKernel, &world.snapshot()).unwrap();
    for world in [&world, &resumed] {
        assert!(copies(world).is_empty());
        assert!(world.islands().iter().all(|island| island.model.limbs.is_empty()));
    }
    assert_eq!(world.hash(), resumed.hash());
}

#[test]
fn copies_with_limbs_share_an_island_with_all_other_limbs() {
    let doll = Model::<3>::ragdoll(&Ragdoll::default()).unwrap();
    let mut scene = scene(&environment(), &doll, 0..COPIES);
    let different = Ragdoll { height: 1.2, posture: 0.0, ..Ragdoll::default() };
    scene.add("different", Model::<3>::ragdoll(&different).unwrap()).unwrap();
    let world = world(&scene);
    let with_limbs = world.islands().iter().filter(|island| !island.model.limbs.is_empty());
    assert_eq!((copies(&world), with_limbs.count()), (vec![], 1));
}

#[cfg(feature = "serde")]
#[test]
fn damaged_lists_of_copies_that_left_are_rejected() {
    let scene = scene(&environment(), &disc(), 0..COPIES);
    let mut world = world(&scene);
    tear(&mut world, 7, 0);
    tear(&mut world, 9, 0);
    world.reorder(|_| ScalarKernel).unwrap();
    let good = serde_json::to_value(world.snapshot()).unwrap();
    // In JSON, the islands of a snapshot are called `pieces`. The last one has the copies that left.
    let last = good["pieces"].as_array().unwrap().len() - 1;
    let resume = |left: serde_json::Value| {
        let mut damaged = good.clone();
        damaged["pieces"][last]["left_copies"] = left;
        World::resume(&scene, |_| ScalarKernel, &serde_json::from_value(damaged).unwrap())
    };
    // The model that is not a copy has the index 5, so copies 7 and 9 are the models 8 and 10.
    let left = good["pieces"][last]["left_copies"].clone();
    assert_eq!(left, serde_json::json!([8, 10]));
    assert!(resume(left).is_ok());
    let all: Vec<usize> = (0..=COPIES).filter(|&model| model != 5).collect();
    for left in [vec![], vec![10, 8], vec![8, 8, 10], vec![5], vec![8, 10, 99], all, vec![8]] {
        assert!(resume(serde_json::json!(left)).is_err(), "{left:?}");
    }
    assert!(resume(serde_json::Value::Null).is_err());
}

#[test]
fn all_copies_leave_if_too_few_remain() {
    let most: Vec<usize> = (0..15).collect();
    let tears = Tears { copies: COPIES, torn: &[&[7], &most], remaining: &[19, 0], last_steps: 20 };
    assert_as_alone(&environment(), &disc(), tears);
    let all: Vec<usize> = (0..COPIES).collect();
    let tears = Tears { copies: COPIES, torn: &[&all], remaining: &[0], last_steps: 20 };
    assert_as_alone(&environment(), &disc(), tears);
}
