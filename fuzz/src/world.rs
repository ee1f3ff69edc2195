//! Steps of scenes that were read from an input.

use taut::world::{AnyScene, Scene, Settings, Simulation, World};
use taut::{AnyKernel, COORDINATE_MAX, Kernel};

/// The number of steps of a scene: enough for velocities, contacts and tears to have an effect.
const STEPS: u32 = 2;

/// The largest number of particles of a scene that is stepped, so that an input takes about a
/// millisecond.
const PARTICLES_MAX: usize = 400;

/// Limits the substeps, passes and iterations of a step, so that an input takes about a millisecond.
pub fn shorten<const D: usize>(settings: &mut Settings<D>) {
    settings.step.substeps = settings.step.substeps.min(3);
    settings.step.iterations = settings.step.iterations.min(3);
    settings.passes = settings.passes.min(2);
}

/// Steps a scene; see [`check_scene`].
pub fn check_any_scene(scene: AnyScene) {
    match scene {
        AnyScene::TwoD(scene) => check_scene(scene),
        AnyScene::ThreeD(scene) => check_scene(scene),
    }
}

/// Makes a world of a scene, steps it, and resumes from a snapshot of it. Does nothing if the scene has
/// more than [`PARTICLES_MAX`] particles, or if it is invalid, which must be an error and not a panic.
fn check_scene<const D: usize>(mut scene: Scene<D>)
where
    AnyKernel: Kernel<D>,
    World<D>: Simulation<D>,
{
    if scene.particles() > PARTICLES_MAX {
        return;
    }
    shorten(&mut scene.settings);
    let Ok(mut world) = World::new(&scene, AnyKernel::best_for) else { return };
    let _ = scene.warnings();
    step(&mut world);
    resume(&scene, &mut world);
}

/// Steps a world. Each outcome must say whether all positions are finite.
pub fn step<const D: usize>(world: &mut World<D>)
where
    AnyKernel: Kernel<D>,
    World<D>: Simulation<D>,
{
    for _ in 0..STEPS {
        let Ok(outcome) = world.step() else { return };
        let is_finite = world.positions().flatten().all(f32::is_finite);
        assert_eq!(
            outcome.finite, is_finite,
            "the outcome says wrongly whether all positions are finite"
        );
    }
}

/// Resumes from a snapshot of `world`. The resumed world must have the same snapshot, and the same bits
/// after another step of both worlds.
pub fn resume<const D: usize>(scene: &Scene<D>, world: &mut World<D>)
where
    AnyKernel: Kernel<D>,
    World<D>: Simulation<D>,
{
    let snapshot = world.snapshot();
    let mut resumed = match World::resume(scene, |_| scalar(), &snapshot) {
        Ok(resumed) => resumed,
        // A snapshot with a coordinate out of the valid range is rejected. The factor 0.1 is a margin.
        Err(error) => {
            let is_valid = |x: f32| f64::from(x.abs()) < 0.1 * COORDINATE_MAX;
            let all_valid = world.positions().flatten().all(is_valid);
            assert!(!all_valid, "a world does not resume from its own snapshot: {error}");
            return;
        }
    };
    assert_eq!(resumed.snapshot(), snapshot, "a resumed world has a different state");
    let outcomes = [world.step(), resumed.step()];
    assert_eq!(outcomes[0], outcomes[1], "a resumed world steps differently");
    assert_eq!(world.hash(), resumed.hash(), "a resumed world has different bits");
}

/// The scalar kernel. All other kernels must give its bits.
pub fn scalar() -> AnyKernel {
    AnyKernel::named("scalar").expect("the scalar kernel is in this build")
}
