//! Limbs that do not collide, because they share a particle or overlap at rest.

use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use taut_scalar::ScalarKernel;
use taut_world::{LimbContacts, Scene, World};

use crate::make::{steps, unconnected};

#[test]
fn own_limbs_that_share_a_particle_or_overlap_at_rest_do_not_collide() {
    // A chain of three limbs: neighbours share a particle, and the first and third overlap. A fourth limb
    // crosses the first.
    let points = [
        [0.0, 0.0, 0.0],
        [0.1, 0.0, 0.0],
        [0.2, 0.0, 0.0],
        [0.3, 0.0, 0.0],
        [0.05, 0.0, -0.1],
        [0.05, 0.0, 0.1],
    ];
    let chain = unconnected(&points, &[1.0; 6]);
    let limbs = [([0, 1], 0.06), ([1, 2], 0.06), ([2, 3], 0.06), ([4, 5], 0.06)];
    let chain = chain.with_limbs(limbs).unwrap();
    let mut scene = Scene::new();
    scene.add("chain", chain.clone()).unwrap();
    let other = chain.moved([0.0, 1.0, 0.0]);
    scene.add("other", other).unwrap();
    scene.settings.step.acceleration = [0.0; 3];
    scene.obstacles.push(Arc::new(LimbContacts { own_limbs: true, ..LimbContacts::default() }));
    let mut world = World::new(&scene, |_| ScalarKernel).unwrap();
    let before = world.hash();
    steps(&mut world, 10);
    assert_eq!(world.hash(), before);
}

/// Limbs that are folded onto each other, far from the origin: the computed nearest points are not exactly
/// at the common particle.
#[test]
fn limbs_of_two_owners_that_share_a_particle_do_not_collide() {
    const CHAINS: u32 = 500;
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut offset = || random.next_u32() as f32 / u32::MAX as f32 - 0.5; // -0.5 to 0.5 m
    let mut points = Vec::new();
    for chain in 0..CHAINS {
        let joint = [300.0, 200.0 + 3.0 * chain as f32, -100.0];
        let end = joint.map(|x| x + offset());
        points.extend([end, joint, end.map(|x| x + 1e-3 * offset())]);
    }
    let limbs =
        |first: u32| (0..CHAINS).map(move |chain| ([0, 1].map(|end| 3 * chain + first + end), 0.1));
    let chains = unconnected(&points, &vec![1.0; points.len()]);
    let chains = chains.with_limbs(limbs(0)).unwrap().with_limbs(limbs(1)).unwrap();
    let mut scene = Scene::new();
    scene.add("chains", chains).unwrap();
    scene.settings.step.acceleration = [0.0; 3];
    scene.obstacles.push(Arc::new(LimbContacts::default()));
    let mut world = World::new(&scene, |_| ScalarKernel).unwrap();
    let before = world.hash();
    steps(&mut world, 2);
    assert_eq!(world.hash(), before);
}
