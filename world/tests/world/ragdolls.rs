//! Ragdolls: their proportions, their joints, and collisions of their limbs.

use std::collections::BTreeSet;
use std::sync::Arc;

use taut_core::{Kernel, Kind, Step};
use taut_scalar::ScalarKernel;
use taut_scenes::{AnyScene, LibraryScene};
use taut_world::{
    Cuboid, JointLimit, LimbContacts, Model, Obstacle, Ragdoll, Rope, Scene, Simulation, Solid,
    StepTime, World,
};

use crate::make::{steps, unconnected, world};
use crate::models::{minus, norm};

/// The only particle of a group.
fn particle<const D: usize>(model: &Model<D>, name: &str) -> usize {
    model.groups[name][0] as usize
}

/// The angle at a joint, degrees.
fn angle<const D: usize>(
    model: &Model<D>,
    limit: &JointLimit,
    position: impl Fn(usize) -> [f32; D],
) -> f64 {
    let joint = position(particle(model, limit.joint));
    let [u, v] = limit.between.map(|name| minus(position(particle(model, name)), joint));
    let cosine = (0..D).map(|axis| u[axis] * v[axis]).sum::<f64>() / (norm(u) * norm(v));
    cosine.clamp(-1.0, 1.0).acos().to_degrees()
}

/// Checks that a falling ragdoll whose head, hand, foot or knee is kicked keeps the angles of its joints
/// near their limits, and the lengths of its bones.
fn check_kicked<const D: usize>(model: &Model<D>, limits: &[JointLimit])
where
    ScalarKernel: Kernel<D>,
    World<D>: Simulation<D>,
{
    for limit in limits {
        let angle = angle(model, limit, |particle| model.particles.position(particle));
        assert!((limit.min..=limit.max).contains(&angle), "{limit:?}: {angle} degrees initially");
    }
    let mut scene = Scene::<D>::new();
    scene.add("doll", model.clone()).unwrap();
    scene.settings.step = Step { substeps: 8, iterations: 2, ..Step::default() };
    for (nth, kicked) in
        ["head", "left hand", "right hand", "left foot", "right knee"].iter().enumerate()
    {
        let mut world = World::new(&scene, |_| ScalarKernel).unwrap();
        let kicked = particle(model, kicked);
        let (mut worst_angle, mut worst_stretch) = (0.0_f64, 0.0_f64);
        for step in 0..240 {
            if step % 60 == 0 {
                // Each kick changes the velocity by several m/s, in another direction.
                for axis in 0..D {
                    let kick = 0.02 * (1.3 * f64::from(step) + (3 * nth + 5 * axis) as f64).sin();
                    world.islands_mut()[0].model.particles.previous_mut(axis)[kicked] +=
                        kick as f32;
                }
            }
            assert!(world.step().unwrap().finite);
            for limit in limits {
                let angle = angle(model, limit, |particle| world.position(particle));
                worst_angle = worst_angle.max(limit.min - angle).max(angle - limit.max);
            }
            for stick in 0..model.sticks.len() {
                if model.sticks.is_plain(stick) {
                    let [a, b] = model.sticks.ends()[stick].map(|end| world.position(end as usize));
                    let rest = f64::from(model.sticks.rest(stick));
                    worst_stretch = worst_stretch.max((norm(minus(b, a)) / rest - 1.0).abs());
                }
            }
        }
        assert!(worst_angle < 5.0, "{D}D, {kicked} kicked: a joint is {worst_angle} degrees off");
        assert!(
            worst_stretch < 0.04,
            "{D}D, {kicked} kicked: a bone is stretched by {worst_stretch}"
        );
    }
}

#[test]
fn falling_ragdolls_keep_their_limbs_and_joints() {
    check_kicked(&Model::<2>::ragdoll(&Ragdoll::default()).unwrap(), Ragdoll::LIMITS_2D);
    check_kicked(&Model::<3>::ragdoll(&Ragdoll::default()).unwrap(), Ragdoll::LIMITS_3D);
}

#[test]
fn lengths_and_masses_match_the_published_tables() {
    // The tables are cited in world/src/model/ragdoll.rs. Lengths are fractions of the height.
    let ragdoll = Ragdoll { height: 2.0, mass: 80.0, ..Ragdoll::default() };
    let model = Model::<3>::ragdoll(&ragdoll).unwrap();
    assert!((model.mass() - 80.0).abs() < 1e-4);
    let position = |name: &str| model.particles.position(particle(&model, name));
    let mass =
        |name: &str| 1.0 / f64::from(model.particles.inverse_masses()[particle(&model, name)]);
    for (a, b, fraction) in [
        ("left shoulder", "right shoulder", 0.259),
        ("left hip", "right hip", 0.191),
        ("left shoulder", "left elbow", 0.186),
        ("right elbow", "right hand", 0.146),
        ("left hip", "left knee", 0.245),
        ("right knee", "right foot", 0.246),
    ] {
        assert!(
            (norm(minus(position(a), position(b))) - 2.0 * fraction).abs() < 1e-6,
            "{a} to {b}"
        );
    }
    // A forearm with its hand has 0.022 of the mass. Its centre is at 0.682 of its length from the elbow.
    assert!((mass("left hand") - 80.0 * 0.022 * 0.682).abs() < 1e-5);
    assert!((mass("head") - 80.0 * 0.081).abs() < 1e-5);
    // The trunk has 0.497 of the mass, with its centre half-way between shoulders and hips.
    let mut trunk = [0.0; 2]; // mass, and mass times height
    for name in ["neck", "back", "left hip", "right hip", "left shoulder", "right shoulder"] {
        // What the thigh or the upper arm adds to the mass of this particle, kg.
        let limb = match name.split_once(' ') {
            Some((_, "hip")) => 80.0 * 0.100 * (1.0 - 0.433),
            Some(_) => 80.0 * 0.028 * (1.0 - 0.436),
            None => 0.0,
        };
        trunk[0] += mass(name) - limb;
        trunk[1] += (mass(name) - limb) * f64::from(position(name)[1]);
    }
    assert!((trunk[0] - 80.0 * 0.497).abs() < 1e-4);
    let middle = f64::midpoint(f64::from(position("neck")[1]), f64::from(position("left hip")[1]));
    assert!((trunk[1] / trunk[0] - middle).abs() < 2e-3);
    // The feet touch the ground with their radius.
    let foot = particle(&model, "left foot");
    assert!((model.particles.position(foot)[1] - model.radii[foot]).abs() < 1e-6);
}

#[test]
fn left_and_right_are_mirror_images() {
    let model = Model::<3>::ragdoll(&Ragdoll::default()).unwrap();
    for (name, particles) in &model.groups {
        if let Some(part) = name.strip_prefix("left ") {
            let [x, y, z] = model.particles.position(particles[0] as usize);
            assert!(x > 0.0);
            let other = particle(&model, &format!("right {part}"));
            assert_eq!(model.particles.position(other), [-x, y, z]);
        }
    }
}

#[test]
fn the_trunk_is_rigid_and_posture_sticks_are_weak() {
    let model = Model::<3>::ragdoll(&Ragdoll::default()).unwrap();
    let trunk: BTreeSet<u32> =
        ["neck", "back", "left hip", "right hip", "left shoulder", "right shoulder"]
            .iter()
            .map(|name| particle(&model, name) as u32)
            .collect();
    let inside = |stick: &usize| model.sticks.ends()[*stick].iter().all(|end| trunk.contains(end));
    assert_eq!((0..model.sticks.len()).filter(inside).count(), 15); // all pairs of 6 particles
    // Posture sticks: from each foot to its shoulder, and from each hip to the head.
    let weak = (0..model.sticks.len()).filter(|&stick| model.sticks.stiffness(stick) < 1.0);
    assert!(weak.clone().all(|stick| model.sticks.kind(stick) == Kind::TwoSided));
    assert_eq!(weak.count(), 4);
    let limp = Model::<3>::ragdoll(&Ragdoll { posture: 0.0, ..Ragdoll::default() }).unwrap();
    assert_eq!(limp.sticks.len(), model.sticks.len() - 4);
}

/// A moving rod of one stick with one limb, 20 cm thick; `density` in kg/m.
fn rod<const D: usize>(from: [f32; D], to: [f32; D], velocity: [f32; D], density: f32) -> Model<D> {
    let rod = Rope { spacing: 10.0, density, ..Rope::default() };
    let rod = Model::rope(&[from, to], &rod).unwrap();
    rod.with_limbs([([0, 1], 0.1)]).unwrap().moving_at(velocity, 1.0 / 240.0)
}

/// A world of two rods that collide.
fn collision<const D: usize>(rods: [Model<D>; 2]) -> World<D>
where
    ScalarKernel: Kernel<D>,
    World<D>: Simulation<D>,
{
    let mut scene = Scene::<D>::new();
    for (name, rod) in ["one", "other"].into_iter().zip(rods) {
        scene.add(name, rod).unwrap();
    }
    scene.obstacles.push(Arc::new(LimbContacts::default()));
    let acceleration = [0.0; D];
    scene.settings.step =
        Step { substeps: 4, iterations: 8, damping_rate: 0.0, acceleration, ..Step::default() };
    World::new(&scene, |_| ScalarKernel).unwrap()
}

#[test]
fn colliding_limbs_do_not_pass_and_keep_their_momentum() {
    // The second rod hits the first one crosswise, with its end, or side by side. The last case is in 2D.
    let still = [0.0; 3];
    let across = [
        rod([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], still, 2.0),
        rod([0.3, 0.5, -1.0], [0.3, 0.5, 1.0], [0.0, -15.0, 0.0], 1.0),
    ];
    let end_on = [
        rod([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], still, 2.0),
        rod([0.3, 0.5, 0.0], [0.3, 1.5, 0.0], [0.0, -15.0, 0.0], 1.0),
    ];
    let beside = [
        rod([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], still, 2.0),
        rod([-0.8, 0.5, 0.0], [0.8, 0.5, 0.0], [0.0, -15.0, 0.0], 1.0),
    ];
    for (rods, nearest) in [(across, [2, 3]), (end_on, [2, 2]), (beside, [2, 3])] {
        let mut world = collision(rods);
        let before = world.diagnostics().unwrap();
        let mut deepest = 0.0_f32;
        for _ in 0..12 {
            steps(&mut world, 1);
            deepest = deepest.max(depth(&world));
        }
        assert!(deepest < 0.06, "{deepest} m"); // the second rod moves 0.0625 m in a substep
        // The ends of the first rod, the bar, and two particles of the second rod (the same one twice,
        // if it hits with its end). Their midpoint is the point of the second rod nearest to the bar.
        let [bar_start, bar_end, low, high] =
            [0, 1, nearest[0], nearest[1]].map(|particle| world.position(particle));
        let [x, y] = [0, 1].map(|axis| f32::midpoint(low[axis], high[axis]));
        // The height of the bar at x.
        let below = bar_start[1]
            + (bar_end[1] - bar_start[1]) * (x - bar_start[0]) / (bar_end[0] - bar_start[0]);
        assert!(below < -0.2 && y > below + 0.15, "height {y} m, above a bar at {below} m");
        let after = world.diagnostics().unwrap();
        for axis in 0..3 {
            let change = (before.momentum[axis] - after.momentum[axis]).abs();
            assert!(change < 0.01, "{:?} {:?}", before.momentum, after.momentum);
        }
        assert!(after.kinetic < before.kinetic);
    }
    let mut world = collision([
        rod([-1.0, 0.0], [1.0, 0.0], [0.0; 2], 2.0),
        rod([0.3, 0.5], [0.6, 1.5], [0.0, -15.0], 1.0),
    ]);
    steps(&mut world, 10);
    assert!(world.position(2)[1] > world.position(0)[1].min(world.position(1)[1]));
    assert!(world.position(0)[1] + world.position(1)[1] < -0.2);
}

#[test]
fn a_head_comes_to_rest_on_a_bar() {
    // The head is the first or the second model of the scene.
    for head_first in [false, true] {
        let mut head = unconnected(&[[0.1, 0.35, 0.0]], &[0.2]);
        head = head.with_limbs([([0; 2], 0.15)]).unwrap();
        let bar = rod([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0; 3], 2.0).pinned("ends");
        let mut world = collision(if head_first { [head, bar] } else { [bar, head] });
        let mut settings = *world.settings();
        settings.step.acceleration = [0.0, -9.81, 0.0];
        world.set_settings(settings).unwrap();
        let head = if head_first { 0 } else { 2 };
        let mut lowest = f32::INFINITY;
        for step in 0..60 {
            steps(&mut world, 1);
            let [_, y, _] = world.position(head);
            lowest = lowest.min(y);
            // The sum of the radii of head and bar is 0.25 m.
            assert!(
                step < 30 || (y - 0.25).abs() < 1e-3,
                "head first: {head_first}, step {step}: height {y} m"
            );
        }
        assert!(lowest > 0.249, "head first: {head_first}, lowest {lowest} m");
    }
}

#[test]
fn a_limb_rests_on_edges_between_its_ends() {
    // A beam falls across two narrow walls at an angle. It lies on their edges, between its ends.
    let mut scene = Scene::<3>::new();
    let beam = Model::rope(
        &[[-0.5, 0.3, 0.1], [0.5, 0.35, -0.1]],
        &Rope { spacing: 2.0, ..Rope::default() },
    );
    scene.add("beam", beam.unwrap().with_limbs([([0, 1], 0.05)]).unwrap()).unwrap();
    for x in [-0.3, 0.2] {
        let wall = Cuboid::new([x - 0.01, -1.0, -1.0], [x + 0.01, 0.0, 1.0]).unwrap();
        scene.obstacles.push(Arc::new(Solid::new(wall)));
    }
    scene.settings.step = Step { substeps: 4, iterations: 8, ..Step::default() };
    scene.settings.passes = 2;
    let mut world = World::new(&scene, |_| ScalarKernel).unwrap();
    for step in 0..180 {
        assert!(world.step().unwrap().finite);
        let depth = world.diagnostics().unwrap().depth;
        assert!(depth < 5e-3, "step {step}: depth {depth} m");
    }
    for end in 0..2 {
        let [_, y, _] = world.position(end);
        assert!((y - 0.05).abs() < 2e-3, "end {end}: height {y} m");
    }
}

/// The penetration depth of limbs of different ragdolls or rods, m.
fn depth<const D: usize>(world: &World<D>) -> f32
where
    ScalarKernel: Kernel<D>,
    World<D>: Simulation<D>,
{
    depth_by(world, &LimbContacts::default())
}

/// The penetration depth of limbs of the first island that these contacts compute, m.
fn depth_by<const D: usize>(world: &World<D>, contacts: &LimbContacts) -> f32
where
    ScalarKernel: Kernel<D>,
    World<D>: Simulation<D>,
{
    let motion = world.settings().step.motion().unwrap();
    let now = StepTime { time: world.time(), h: 1.0 / 240.0, duration: 1.0 / 240.0, motion };
    contacts.depth(&world.islands()[0].model, &now)
}

/// Checks that limbs penetrate each other little, and more without the first obstacle, `LimbContacts`.
fn check_pile<const D: usize>(scene: &Scene<D>)
where
    ScalarKernel: Kernel<D>,
    World<D>: Simulation<D>,
{
    let mut without = scene.clone();
    without.obstacles.remove(0);
    let run = |scene: &Scene<D>| {
        let mut world = World::new(scene, |_| ScalarKernel).unwrap();
        let (mut deepest, mut mean) = (0.0_f32, 0.0);
        for _ in 0..360 {
            steps(&mut world, 1);
            deepest = deepest.max(depth(&world));
            mean += depth(&world) / 360.0;
        }
        [deepest, mean]
    };
    let ([deepest, mean], [_, mean_without]) = (run(scene), run(&without));
    assert!(deepest < 0.1 && mean < 0.02, "{D}D: deepest {deepest} m, mean {mean} m");
    assert!(mean_without > 5.0 * mean, "{D}D: mean {mean_without} m without contacts");
}

#[test]
fn ragdolls_in_a_pile_do_not_pass_through_each_other() {
    for name in ["ragdolls", "ragdolls-3d"] {
        match LibraryScene::named(name).unwrap().scene(8).unwrap() {
            AnyScene::TwoD(scene) => check_pile(&scene),
            AnyScene::ThreeD(scene) => check_pile(&scene),
        }
    }
}

/// Simulates a ragdoll without gravity whose limbs are kicked in all directions. Returns the
/// deepest penetration of its limbs into each other, m.
fn deepest_after_kicks<const D: usize>(model: &Model<D>, own_limbs: bool) -> f32
where
    ScalarKernel: Kernel<D>,
    World<D>: Simulation<D>,
{
    let own = LimbContacts { own_limbs: true, ..LimbContacts::default() };
    let mut scene = Scene::<D>::new();
    scene.add("doll", model.clone()).unwrap();
    scene.obstacles.push(Arc::new(LimbContacts { own_limbs, ..LimbContacts::default() }));
    scene.settings.step =
        Step { substeps: 8, iterations: 2, acceleration: [0.0; D], ..Step::default() };
    scene.settings.passes = 2;
    let mut world = World::new(&scene, |_| ScalarKernel).unwrap();
    assert!(depth_by(&world, &own) < 1e-6, "limbs overlap at rest");
    let mut deepest = 0.0_f32;
    for step in 0..360 {
        if step % 30 == 0 {
            for (nth, kicked) in ["left hand", "right hand", "left foot"].iter().enumerate() {
                let kicked = particle(model, kicked);
                for axis in 0..D {
                    let kick = 0.02 * (2.1 * f64::from(step) + (3 * nth + 5 * axis) as f64).sin();
                    world.islands_mut()[0].model.particles.previous_mut(axis)[kicked] +=
                        kick as f32;
                }
            }
        }
        assert!(world.step().unwrap().finite);
        deepest = deepest.max(depth_by(&world, &own));
    }
    deepest
}

#[test]
fn limbs_of_one_ragdoll_stay_apart_with_own_limbs() {
    let flat = Model::<2>::ragdoll(&Ragdoll::default()).unwrap();
    let doll = Model::<3>::ragdoll(&Ragdoll::default()).unwrap();
    for (dimensions, [with, without]) in [
        (2, [true, false].map(|own| deepest_after_kicks(&flat, own))),
        (3, [true, false].map(|own| deepest_after_kicks(&doll, own))),
    ] {
        assert!(with < 1e-3, "{dimensions}D: {with} m");
        assert!(without > 0.1, "{dimensions}D: {without} m without contacts");
    }
}

#[test]
fn each_limb_contacts_has_its_own_settings() {
    // By default, contacts ignore pairs of limbs of one doll. Contacts with `own_limbs` move them apart,
    // even if default contacts come before them.
    let doll = Model::<3>::ragdoll(&Ragdoll::default()).unwrap();
    let own = LimbContacts { own_limbs: true, ..LimbContacts::default() };
    let depth = |contacts: &[LimbContacts]| {
        let mut scene = Scene::new();
        scene.settings.step.acceleration = [0.0; 3];
        scene.add("doll", doll.clone()).unwrap();
        scene.add("other", doll.clone().moved([3.0, 0.0, 0.0])).unwrap();
        for contacts in contacts {
            scene.obstacles.push(Arc::new(*contacts));
        }
        let mut world = world(&scene);
        for _ in 0..60 {
            for (hand, to) in [("left hand", 0.1), ("right hand", -0.1)] {
                let hand = particle(&doll, hand);
                let x = world.position(hand)[0];
                world.set_velocity(hand, [20.0 * (to - x), 0.0, 0.0]).unwrap();
            }
            steps(&mut world, 1);
        }
        depth_by(&world, &own)
    };
    let (one, both) = (depth(&[own]), depth(&[LimbContacts::default(), own]));
    let none = depth(&[LimbContacts::default()]);
    assert!(one < 0.5 * none && both < 0.5 * none, "{none} m, {one} m, {both} m");
}
