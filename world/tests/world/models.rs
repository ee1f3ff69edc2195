//! Operations of all models: rotation, velocity, groups and renumbering.

use taut_core::{Duplicates, Kernel, Particles, Plan, Renumbering, Schedule, Step, Sticks};
use taut_scalar::ScalarKernel;
use taut_world::{
    Arrangement, ArrangementError, Cloth, Model, ModelError, Ragdoll, Rope, Spring, Springs,
    StickSet, Tethers, World, WorldError,
};

use super::make::{scene, steps, world};

/// The difference of two points, in `f64`.
pub(crate) fn minus<const D: usize>(a: [f32; D], b: [f32; D]) -> [f64; D] {
    core::array::from_fn(|axis| f64::from(a[axis]) - f64::from(b[axis]))
}

/// The length of a vector.
pub(crate) fn norm<const D: usize>(a: [f64; D]) -> f64 {
    a.iter().map(|component| component * component).sum::<f64>().sqrt()
}

#[test]
fn turning_keeps_lengths_and_turns_velocities() {
    let rope = Model::rope(&[[1.0, 0.0, 0.0], [1.0, 2.0, 0.5]], &Rope::default()).unwrap();
    let rope = rope.moving_at([0.0, 0.0, 6.0], 0.1);
    let third = core::f32::consts::TAU / 3.0;
    // A third of a turn about the diagonal permutes the axes cyclically.
    let turned = rope.clone().turned([2.0, 2.0, 2.0], third).unwrap();
    for particle in 0..rope.particles.len() {
        let [x, y, z] = rope.particles.position(particle);
        assert!(norm(minus(turned.particles.position(particle), [z, x, y])) < 1e-6);
        let displacement = [0, 1, 2].map(|axis| {
            turned.particles.positions(axis)[particle] - turned.particles.previous(axis)[particle]
        });
        assert!(norm(minus(displacement, [0.6, 0.0, 0.0])) < 1e-6); // 6 m/s times 0.1 s
    }
    assert!(matches!(rope.clone().turned([0.0; 3], 1.0), Err(ModelError::OutOfRange { .. })));
    assert!(matches!(rope.turned([1.0, 0.0, 0.0], f32::NAN), Err(ModelError::OutOfRange { .. })));

    let flat = Model::rope(&[[1.0, 0.0], [2.0, 0.0]], &Rope::default()).unwrap();
    let up = flat.turned(core::f32::consts::FRAC_PI_2).unwrap();
    assert!(norm(minus(up.particles.position(0), [0.0, 1.0])) < 1e-6);
}

#[test]
fn moving_at_sets_velocities() {
    let step = Step::<2> { damping_rate: 0.0, substeps: 4, iterations: 8, ..Step::default() };
    let rope = Model::rope(&[[0.0, 0.0], [1.0, 0.0]], &Rope::default()).unwrap();
    let Model { mut particles, sticks, .. } = rope.moving_at([3.0, 4.0], step.dt / 4.0);
    let schedule = Schedule::for_mesh(&particles, &sticks);
    let mut plan =
        ScalarKernel.plan(&particles, &sticks, &schedule, taut_core::Formula::Halley).unwrap();
    for _ in 0..60 {
        assert!(plan.step(&mut particles, &sticks, &step).unwrap().finite);
    }
    let [x, y] = particles.position(0);
    assert!((x - 3.0).abs() < 1e-3 && (y - (4.0 - 9.81 / 2.0)).abs() < 0.03, "at {x} {y} m");
}

#[test]
fn radii_and_groups_follow_renumbered_particles() {
    let doll = Model::<3>::ragdoll(&Ragdoll::default()).unwrap().named("bob");
    let cloth = Model::cloth(&Cloth::spaced(3, 3, 0.1)).unwrap().named("red");
    let both = Model::side_by_side([&cloth, &doll]).unwrap();
    let head = |model: &Model| model.groups["bob head"][0] as usize;
    assert_eq!(both.radii.len(), both.particles.len());
    assert_eq!(head(&both), 9 + head(&doll));
    assert_eq!(both.radii[head(&both)], doll.radii[head(&doll)]);
    assert_eq!(both.groups["red top"], [0, 1, 2]);
    let shuffled = both.shuffled(7);
    assert_eq!(shuffled.radii[head(&shuffled)], doll.radii[head(&doll)]);
    assert_eq!(shuffled.particles.position(head(&shuffled)), both.particles.position(head(&both)));
    let backwards: Vec<u32> = (0..both.particles.len() as u32).rev().collect();
    let renumbered = both.renumbered(&Renumbering::from_order(backwards).unwrap());
    assert_eq!(renumbered.radii[head(&renumbered)], doll.radii[head(&doll)]);
    let with_radius = |model: &Model| model.radii.iter().filter(|&&radius| radius > 0.0).count();
    assert_eq!(with_radius(&renumbered), with_radius(&doll));
}

/// The lists of a model with one entry per particle or stick may be too short.
#[test]
fn missing_list_entries_have_their_defaults() {
    // Larger models are renumbered by their island.
    let mut short = Model::<3>::disc(66, StickSet::Structural).unwrap().shuffled(2);
    let (particles, sticks) = (short.particles.len(), short.sticks.len());
    assert!(particles > 4096);
    (short.radii, short.tethers) = (vec![0.25], vec![Some(Tethers::default())]);
    (short.tear_factors, short.hidden_sticks, short.bending) = (vec![1.5], vec![true], vec![true]);
    let mut full = short.clone();
    full.radii.resize(particles, 0.0);
    full.tethers.resize(particles, None);
    full.tear_factors.resize(sticks, f32::INFINITY);
    full.hidden_sticks.resize(sticks, false);
    full.bending.resize(sticks, false);
    let lists = |model: &Model<3>| {
        let per_particle = (model.radii.clone(), model.tethers.clone());
        (
            per_particle,
            model.tear_factors.clone(),
            model.hidden_sticks.clone(),
            model.bending.clone(),
        )
    };
    assert_eq!(lists(&short.shuffled(3)), lists(&full.shuffled(3)));
    let [short, full] = [short, full].map(|model| {
        let mut world = world(&scene("disc", model));
        assert!(world.tear(5).unwrap());
        assert_eq!(world.reorder(|_| ScalarKernel).unwrap(), 1);
        steps(&mut world, 1);
        world
    });
    assert_eq!(short.hash(), full.hash());
    assert_eq!(lists(&short.islands()[0].model), lists(&full.islands()[0].model));
}

#[test]
fn a_world_has_only_the_groups_of_each_model() {
    let rope = |group: &str, y| {
        let path = [[0.0, y, 0.0], [1.0, y, 0.0]];
        Model::rope(&path, &Rope::default()).unwrap().with_group(group, [1]).unwrap()
    };
    let mut both = scene("one", rope("knot", 0.0));
    both.add("two", rope("hook", 1.0)).unwrap();
    let world = world(&both);
    assert_eq!(world.islands().len(), 1); // whose groups have the particles of both ropes
    assert_eq!(world.group("one", "knot"), Some(vec![1]));
    let second = world.model("two").unwrap().start + 1;
    assert_eq!(world.group("two", "hook"), Some(vec![second]));
    for (model, group) in [("one", "hook"), ("two", "knot"), ("three", "knot")] {
        assert_eq!(world.group(model, group), None, "{model} {group}");
    }
}

#[test]
fn a_group_has_each_particle_once() {
    let cloth = Model::<3>::cloth(&Cloth::spaced(3, 3, 0.1)).unwrap();
    let cloth = cloth.with_group("top", [0, 5, 5]).unwrap();
    assert_eq!(cloth.groups["top"], [0, 1, 2, 5]);
}

#[test]
fn a_group_rejects_particles_that_do_not_exist() {
    let cloth = Model::<2>::cloth(&Cloth::spaced(3, 3, 0.1)).unwrap();
    let cloth = cloth.with_group("middle", [4]).unwrap();
    assert_eq!(cloth.groups["middle"], [4]);
    assert!(matches!(cloth.with_group("middle", [5, 9]), Err(ModelError::Particles(_))));
}

#[test]
fn sticks_may_be_between_the_first_particles_only() {
    let sticks = Sticks::with_rests(2, &[[0, 1]], &[1.0], Duplicates::Keep).unwrap();
    let particles = Particles::new(&[[0.0; 3], [1.0; 3], [2.0; 3]], &[1.0; 3]).unwrap();
    let model = Model::new(particles, sticks);
    assert_eq!(model.shuffled(1).particles.len(), 3);
    for name in ["packed/rcm", "blocked+hilbert"] {
        let arrangement: Arrangement = name.parse().unwrap();
        assert_eq!(arrangement.of(&model).unwrap().sticks.particles(), 3, "{name}");
        assert_eq!(arrangement.of_copies(&model, 2).unwrap().sticks.particles(), 6, "{name}");
    }
    let sticks = Sticks::with_rests(9, &[[0, 8]], &[1.0], Duplicates::Keep).unwrap();
    let invalid = Model::new(model.particles.clone(), sticks);
    let blocked: Arrangement = "blocked".parse().unwrap();
    assert!(matches!(blocked.of(&invalid), Err(ArrangementError::Model(_))));
}

#[test]
fn torn_sticks_do_not_become_springs() {
    let mut rope = Model::rope(&[[0.0; 3], [0.3, 0.0, 0.0]], &Rope::default()).unwrap();
    let count = rope.sticks.len();
    rope.sticks.tear(0).unwrap();
    assert_eq!(rope.sprung(10.0, 0.1).unwrap().springs.ends().len(), count - 1);
}

#[test]
fn numbers_of_particles_that_do_not_exist_are_errors_of_the_world() {
    let particles = Particles::new(&[[0.0; 3], [1.0; 3]], &[1.0; 2]).unwrap();
    let valid =
        Model::<3>::new(particles, Sticks::with_rests(0, &[], &[], Duplicates::Keep).unwrap());
    let spring = Spring { rest: 1.0, stiffness: 1.0, damping: 0.0 };
    let springs = Springs::new(10, &[[0, 9]], &[spring]).unwrap();
    let mut in_group = valid.clone();
    in_group.groups.insert("all".into(), vec![0, 9]);
    let mut in_face = valid.clone();
    in_face.faces = vec![[0, 1, 9]].into();
    for model in [Model { springs, ..valid.clone() }, in_group, in_face] {
        let error = World::new(&scene("model", model), |_| ScalarKernel).err().unwrap().to_string();
        assert!(error.contains('9') && error.contains("particle"), "{error}");
    }
    // An invalid step is reported as such, not as one that is too long for springs.
    let mut scene = scene("model", valid);
    scene.settings.step.substeps = 0;
    let error = World::new(&scene, |_| ScalarKernel).err();
    assert!(matches!(error, Some(WorldError::Step(_))), "{error:?}");
}

#[test]
fn a_hanging_mesh_is_pinned_at_its_highest_particles() {
    // A zigzag band of triangles. The heights are a permutation, so each is there once.
    let count = 101;
    let height = |i: usize| (i * 37 % count) as f32;
    let positions: Vec<[f32; 3]> =
        (0..count).map(|i| [i as f32, height(i), (i % 2) as f32]).collect();
    let triangles: Vec<[u32; 3]> = (2..count as u32).map(|i| [i - 2, i - 1, i]).collect();
    let model = Model::hanging(&positions, &triangles, StickSet::Structural).unwrap();
    for (particle, &inverse_mass) in model.particles.inverse_masses().iter().enumerate() {
        // 2 % of 101, rounded up, are 3.
        let pinned = height(particle) >= (count - 3) as f32;
        assert_eq!(inverse_mass, if pinned { 0.0 } else { 1.0 }, "particle {particle}");
    }
}
