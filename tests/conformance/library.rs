//! Every scene of the library stays within its limits on every kernel. These tests run a few steps;
//! `taut simulate --check` simulates a minute of each scene.

use taut::world::{AnyScene, LibraryScene, Scene};
use taut::{AnyKernel, Kernel, Schedule};
use taut_tests::played;

use crate::worlds::kernels;

fn hash_of_a_sound_run<const D: usize>(
    listed: &LibraryScene,
    scene: &Scene<D>,
    kernel_for: impl FnMut(&Schedule) -> AnyKernel,
) -> u64
where
    AnyKernel: Kernel<D>,
{
    let world = played(scene, kernel_for).unwrap();
    let stretch = world.diagnostics().unwrap().stretch.residual_rms();
    // Also where it is no number.
    assert!(stretch <= listed.residual, "{}: {stretch}", listed.name);
    world.hash()
}

fn keeps_its_promise<const D: usize>(listed: &LibraryScene, scene: &Scene<D>)
where
    AnyKernel: Kernel<D>,
{
    let best = hash_of_a_sound_run(listed, scene, AnyKernel::best_for);
    for kernel in kernels() {
        let hash = hash_of_a_sound_run(listed, scene, |_| kernel.clone());
        assert_eq!(hash, best, "{} on {}", listed.name, Kernel::<3>::isa(&kernel));
    }
}

#[test]
fn every_scene_keeps_its_promise_on_every_kernel() {
    for listed in LibraryScene::ALL {
        let scene = listed.scene(listed.size).unwrap();
        assert_eq!(scene.dimensions(), listed.dimensions, "{}", listed.name);
        match &scene {
            AnyScene::Flat(scene) => keeps_its_promise(listed, scene),
            AnyScene::Solid(scene) => keeps_its_promise(listed, scene),
        }
    }
}
