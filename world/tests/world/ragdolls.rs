//! Ragdolls have the right proportions, and keep them.

use std::collections::BTreeSet;

use taut_core::{Kernel, Kind, Step};
use taut_scalar::ScalarKernel;
use taut_world::{JointLimit, Model, Ragdoll, Scene, World};

use crate::models::{minus, norm};

fn particle<const D: usize>(model: &Model<D>, name: &str) -> usize {
    model.groups[name][0] as usize
}

/// The angle at a joint, degrees.
fn angle<const D: usize>(
    model: &Model<D>,
    limit: &JointLimit,
    at: impl Fn(usize) -> [f32; D],
) -> f64 {
    let joint = at(particle(model, limit.joint));
    let [u, v] = limit.between.map(|name| minus(at(particle(model, name)), joint));
    let cosine = (0..D).map(|axis| u[axis] * v[axis]).sum::<f64>() / (norm(u) * norm(v));
    cosine.clamp(-1.0, 1.0).acos().to_degrees()
}

fn tumbles<const D: usize>(model: &Model<D>, limits: &[JointLimit])
where
    ScalarKernel: Kernel<D>,
{
    for limit in limits {
        let angle = angle(model, limit, |it| model.particles.position(it));
        assert!((limit.least..=limit.most).contains(&angle), "{limit:?}: {angle} to begin with");
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
                // A blow of some metres a second, each to another side.
                for axis in 0..D {
                    let blow = 0.02 * (1.3 * f64::from(step) + (3 * nth + 5 * axis) as f64).sin();
                    world.pieces_mut()[0].matter.particles.previous_mut(axis)[kicked] +=
                        blow as f32;
                }
            }
            assert!(world.step().unwrap().finite);
            for limit in limits {
                let angle = angle(model, limit, |it| world.position(it));
                worst_angle = worst_angle.max(limit.least - angle).max(angle - limit.most);
            }
            for stick in 0..model.sticks.len() {
                if model.sticks.is_plain(stick) {
                    let [a, b] = model.sticks.ends()[stick].map(|end| world.position(end as usize));
                    let rest = f64::from(model.sticks.rest(stick));
                    worst_stretch = worst_stretch.max((norm(minus(b, a)) / rest - 1.0).abs());
                }
            }
        }
        assert!(worst_angle < 5.0, "{D}, {kicked} kicked: a joint is {worst_angle} degrees off");
        assert!(worst_stretch < 0.04, "{D}, {kicked} kicked: a bone is {worst_stretch} off");
    }
}

#[test]
fn falling_ragdolls_keep_their_limbs_and_joints() {
    tumbles(&Model::<2>::ragdoll(&Ragdoll::default()).unwrap(), Ragdoll::LIMITS_2D);
    tumbles(&Model::<3>::ragdoll(&Ragdoll::default()).unwrap(), Ragdoll::LIMITS_3D);
}

#[test]
fn limbs_are_as_long_and_heavy_as_the_tables_say() {
    let ragdoll = Ragdoll { height: 2.0, mass: 80.0, ..Ragdoll::default() };
    let model = Model::<3>::ragdoll(&ragdoll).unwrap();
    assert!((model.mass() - 80.0).abs() < 1e-4);
    let place = |name: &str| model.particles.position(particle(&model, name));
    let mass =
        |name: &str| 1.0 / f64::from(model.particles.inverse_masses()[particle(&model, name)]);
    for (a, b, share) in [
        ("left shoulder", "right shoulder", 0.259),
        ("left hip", "right hip", 0.191),
        ("left shoulder", "left elbow", 0.186),
        ("right elbow", "right hand", 0.146),
        ("left hip", "left knee", 0.245),
        ("right knee", "right foot", 0.246),
    ] {
        assert!((norm(minus(place(a), place(b))) - 2.0 * share).abs() < 1e-6, "{a} to {b}");
    }
    // Hands: 0.682 of a forearm with its hand, which is 0.022 of the body.
    assert!((mass("left hand") - 80.0 * 0.022 * 0.682).abs() < 1e-5);
    assert!((mass("head") - 80.0 * 0.081).abs() < 1e-5);
    // The trunk weighs 0.497 and has its centre half-way between shoulders and hips.
    let mut trunk = [0.0; 2];
    for name in ["neck", "back", "left hip", "right hip", "left shoulder", "right shoulder"] {
        let limb = match name.split_once(' ') {
            Some((_, "hip")) => 80.0 * 0.100 * (1.0 - 0.433),
            Some(_) => 80.0 * 0.028 * (1.0 - 0.436),
            None => 0.0,
        };
        trunk[0] += mass(name) - limb;
        trunk[1] += (mass(name) - limb) * f64::from(place(name)[1]);
    }
    assert!((trunk[0] - 80.0 * 0.497).abs() < 1e-4);
    let middle = f64::midpoint(f64::from(place("neck")[1]), f64::from(place("left hip")[1]));
    assert!((trunk[1] / trunk[0] - middle).abs() < 2e-3);
    // It stands on its soles.
    let foot = particle(&model, "left foot");
    assert!((model.particles.position(foot)[1] - model.radii[foot]).abs() < 1e-6);
}

#[test]
fn left_is_right_in_a_mirror() {
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
fn a_trunk_is_rigid_and_posture_is_weak() {
    let model = Model::<3>::ragdoll(&Ragdoll::default()).unwrap();
    let frame: BTreeSet<u32> =
        ["neck", "back", "left hip", "right hip", "left shoulder", "right shoulder"]
            .iter()
            .map(|name| particle(&model, name) as u32)
            .collect();
    let inside = |stick: &usize| model.sticks.ends()[*stick].iter().all(|end| frame.contains(end));
    assert_eq!((0..model.sticks.len()).filter(inside).count(), 15);
    let weak = (0..model.sticks.len()).filter(|&stick| model.sticks.stiffness(stick) < 1.0);
    assert!(weak.clone().all(|stick| model.sticks.kind(stick) == Kind::TwoSided));
    assert_eq!(weak.count(), 4);
    let limp = Model::<3>::ragdoll(&Ragdoll { posture: 0.0, ..Ragdoll::default() }).unwrap();
    assert_eq!(limp.sticks.len(), model.sticks.len() - 4);
}
