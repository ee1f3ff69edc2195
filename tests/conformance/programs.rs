//! Random scenes with contacts and ties, changed at random while they run: the same bits on every
//! kernel and number of threads, and through snapshots.

use std::sync::Arc;

use proptest::prelude::*;
use taut::world::{
    Attachment, Axes, Cloth, HalfSpace, HexSheet, Model, Place, Rope, Scene, SelfCollision, Solid,
    StickSet, Tie, World,
};
use taut::{AnyKernel, Kind, Pool, Schedule};

/// A model: a builder, where it is, and its self-collision.
#[derive(Clone, Debug)]
struct Part {
    builder: usize,
    at: [f32; 3],
    velocity: [f32; 3],
    collides: bool,
    /// m, or the default.
    thickness: Option<f32>,
    mask: u32,
    tears: bool,
}

/// Two particles that are tied, of two parts.
#[derive(Clone, Debug)]
struct RandomTie {
    parts: [usize; 2],
    particles: [u32; 2],
    kind: Kind,
    breaking_force: Option<f32>,
}

/// A change of the world. Numbers of particles, sticks and ties count from 0 again after the last.
#[derive(Clone, Debug)]
enum Change {
    Step,
    Pin(u32),
    Unpin(u32),
    Drag(u32, [f32; 3]),
    Tear(u32),
    Cut([[[f32; 3]; 2]; 2]),
    BreakTie(u32),
    Resume,
}

fn part() -> impl Strategy<Value = Part> {
    let near = || prop::array::uniform3(-0.2..0.2_f32);
    let thickness = (prop::bool::weighted(0.8), prop::option::of(0.01..0.12_f32));
    (0..5_usize, near(), prop::array::uniform3(-3.0..3.0_f32), thickness, 0..4_u32, any::<bool>())
        .prop_map(|(builder, at, velocity, (collides, thickness), mask, tears)| Part {
            builder,
            at,
            velocity,
            collides,
            thickness,
            mask,
            tears,
        })
}

fn tie() -> impl Strategy<Value = RandomTie> {
    let kinds = prop::sample::select(vec![Kind::TwoSided, Kind::Maximum, Kind::Minimum]);
    let number = any::<u32>;
    ((0..4_usize, 0..4_usize), (number(), number()), kinds, prop::option::of(1.0..100.0_f32))
        .prop_map(|(parts, particles, kind, breaking_force)| RandomTie {
            parts: parts.into(),
            particles: particles.into(),
            kind,
            breaking_force,
        })
}

fn change() -> impl Strategy<Value = Change> {
    let point = || prop::array::uniform3(-0.4..0.4_f32);
    let number = any::<u32>;
    prop_oneof![
        8 => Just(Change::Step),
        1 => number().prop_map(Change::Pin),
        1 => number().prop_map(Change::Unpin),
        2 => (number(), point()).prop_map(|(particle, to)| Change::Drag(particle, to)),
        1 => number().prop_map(Change::Tear),
        1 => [[point(), point()], [point(), point()]].prop_map(Change::Cut),
        1 => number().prop_map(Change::BreakTie),
        1 => Just(Change::Resume),
    ]
}

/// A number below `count`.
fn nth(number: u32, count: usize) -> usize {
    number as usize % count
}

fn model(part: &Part) -> Model {
    let axes = Axes::HORIZONTAL;
    let size = |columns| Cloth { columns, rows: 9, width: 0.4, height: 0.3, ..Cloth::default() };
    let mut model = match part.builder {
        0 => Model::cloth(&Cloth { axes, ..size(26) }),
        1 => Model::cloth(&size(7)),
        2 => Model::hex_sheet(&HexSheet { columns: 8, rows: 9, axes, ..HexSheet::default() }),
        3 => Model::rope(&[[-0.3, 0.0, 0.0], [0.3, 0.02, 0.0]], &Rope::default()),
        _ => Model::disc(5, StickSet::All),
    }
    .unwrap();
    if part.tears {
        model = model.tearing_at(1.4);
    }
    if part.collides {
        let settings = SelfCollision {
            thickness: part.thickness,
            mask: part.mask,
            ..SelfCollision::default()
        };
        model = model.self_colliding(settings).unwrap();
    }
    model.moved(part.at).moving_at(part.velocity, 1.0 / 240.0)
}

fn scene(parts: &[Part], ties: &[RandomTie]) -> Scene {
    let mut scene = Scene::new();
    let mut counts = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        let model = model(part);
        counts.push(model.particles.len());
        scene.add(format!("part {number}"), model).unwrap();
    }
    for tie in ties {
        let ends = [0, 1].map(|end| {
            let part = tie.parts[end] % parts.len();
            let particle = nth(tie.particles[end], counts[part]) as u32;
            Attachment::new(format!("part {part}"), Place::Particle(particle))
        });
        let RandomTie { kind, breaking_force, .. } = *tie;
        // Ties of a model to itself, and second ones, are rejected.
        let _ = scene.attach(&Tie { kind, breaking_force, distance: 0.1, ..Tie::between(ends) });
    }
    let floor = HalfSpace::new([0.0, -0.3, 0.0], [0.0, 1.0, 0.1]).unwrap();
    scene.obstacles.push(Arc::new(Solid::new(floor)));
    scene.settings.step.substeps = 4;
    scene
}

/// The hash after each step.
fn run(
    scene: &Scene,
    changes: &[Change],
    threads: usize,
    resumes: bool,
    mut kernel_for: impl FnMut(&Schedule) -> AnyKernel,
) -> Vec<u64> {
    let pool = Pool::new(threads).unwrap();
    let mut world = World::new(scene, &mut kernel_for).unwrap();
    let mut hashes = Vec::new();
    for change in changes {
        let particle = |number: u32| nth(number, world.len());
        match *change {
            Change::Step => {
                assert!(world.step_on(&pool).unwrap().finite);
                hashes.push(world.hash());
            }
            Change::Pin(number) => world.pin(particle(number)).unwrap(),
            // A particle without a mass cannot be freed: an error that changes nothing.
            Change::Unpin(number) => drop(world.unpin(particle(number))),
            Change::Drag(number, to) => {
                let particle = particle(number);
                if world.grabbed().any(|it| it == particle) || world.grab(particle).is_ok() {
                    world.drag(particle, to).unwrap();
                }
            }
            Change::Tear(number) => {
                let sticks: usize = world.islands().iter().map(|it| it.model.sticks.len()).sum();
                let _ = world.tear(nth(number, sticks));
            }
            Change::Cut([from, to]) => {
                world.cut_swept(from, to);
            }
            Change::BreakTie(number) => {
                let count = world.ties().len();
                if count > 0 {
                    world.break_tie(nth(number, count)).unwrap();
                }
            }
            Change::Resume if resumes => {
                world = World::resume(scene, &mut kernel_for, &world.snapshot()).unwrap();
            }
            Change::Resume => {}
        }
    }
    hashes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn random_programs_have_the_same_bits_on_every_kernel(
        parts in prop::collection::vec(part(), 1..5),
        ties in prop::collection::vec(tie(), 0..4),
        changes in prop::collection::vec(change(), 10..60),
    ) {
        let scene = scene(&parts, &ties);
        let scalar = |_: &Schedule| AnyKernel::named("scalar").unwrap();
        let expected = run(&scene, &changes, 1, false, scalar);
        prop_assert_eq!(&run(&scene, &changes, 1, true, AnyKernel::best_for), &expected);
        prop_assert_eq!(&run(&scene, &changes, 3, true, AnyKernel::best_for), &expected);
    }
}
