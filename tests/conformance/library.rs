//! Every scene of the library has the same bits on every kernel, and a residual within its bound.
//! These tests run a few steps; `taut simulate --check` simulates a minute of each scene.

use taut::world::{AnyScene, LibraryScene, Scene, Simulation, World};
use taut::{AnyKernel, Kernel, Schedule};
use taut_tests::{SCENE_STEPS, world_after_steps};

use crate::worlds::kernels;

/// The hash after [`SCENE_STEPS`] steps. Checks the residual after them.
fn hash_after_residual_check<const D: usize>(
    listed: &LibraryScene,
    scene: &Scene<D>,
    kernel_for: impl FnMut(&Schedule) -> AnyKernel,
) -> u64
where
    AnyKernel: Kernel<D>,
    World<D>: Simulation<D>,
{
    let world = world_after_steps(scene, SCENE_STEPS, kernel_for).unwrap();
    let residual = world.diagnostics().unwrap().stretch.residual_rms();
    // Fails for NaN, too.
    assert!(residual <= listed.residual_rms_max, "{}: residual {residual}", listed.name);
    world.hash()
}

fn assert_same_bits_and_bounded_residual<const D: usize>(listed: &LibraryScene, scene: &Scene<D>)
where
    AnyKernel: Kernel<D>,
    World<D>: Simulation<D>,
{
    let best = hash_after_residual_check(listed, scene, AnyKernel::best_for);
    for kernel in kernels() {
        let hash = hash_after_residual_check(listed, scene, |_| kernel.clone());
        assert_eq!(hash, best, "{} on {}", listed.name, Kernel::<3>::isa(&kernel));
    }
}

#[test]
fn every_scene_has_the_same_bits_and_a_bounded_residual_on_every_kernel() {
    for listed in LibraryScene::ALL {
        let scene = listed.scene(listed.size).unwrap();
        assert_eq!(scene.dimensions(), listed.dimensions, "{}", listed.name);
        match &scene {
            AnyScene::TwoD(scene) => assert_same_bits_and_bounded_residual(listed, scene),
            AnyScene::ThreeD(scene) => assert_same_bits_and_bounded_residual(listed, scene),
        }
    }
}
