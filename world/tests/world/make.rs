//! Small models and worlds for tests.

use taut_core::{Duplicates, Particles, Step, Sticks};
use taut_scalar::ScalarKernel;
use taut_world::{Model, Scene, Simulation, StickSet, World};

/// One substep of 1/60 s with 8 iterations, for tests whose expected values assume this step.
pub(crate) fn coarse<const D: usize>() -> Step<D> {
    Step { substeps: 1, iterations: 8, ..Step::default() }
}

/// A scene of one model, called `name`, with [`coarse`] steps.
pub(crate) fn scene<const D: usize>(name: &str, model: Model<D>) -> Scene<D> {
    let mut scene = Scene::new();
    scene.settings.step = coarse();
    scene.add(name, model).unwrap();
    scene
}

/// A world of the scene on the scalar kernel.
pub(crate) fn world<const D: usize>(scene: &Scene<D>) -> World<D>
where
    World<D>: Simulation<D>,
{
    World::new(scene, |_| ScalarKernel).unwrap()
}

/// A drape of `size` x `size` particles whose cells are split into faces along the other diagonal
/// than in [`Model::drape`].
pub(crate) fn drape(size: usize, set: StickSet) -> Model {
    let mut model = Model::drape(size, set).unwrap();
    model.faces = (0..size * (size - 1))
        .filter(|corner| (corner + 1) % size != 0)
        .flat_map(|corner| {
            let [a, b, c, d] = [0, 1, size + 1, size].map(|offset| (corner + offset) as u32);
            [[a, d, b], [b, d, c]]
        })
        .collect::<Vec<_>>()
        .into();
    model
}

/// A model of particles without sticks, at these positions, m.
pub(crate) fn unconnected(points: &[[f32; 3]], inverse_masses: &[f32]) -> Model {
    let sticks = Sticks::with_rests(points.len(), &[], &[], Duplicates::Keep).unwrap();
    Model::new(Particles::new(points, inverse_masses).unwrap(), sticks)
}

/// Steps the world this many times, and asserts that all positions stay finite.
pub(crate) fn steps<const D: usize>(world: &mut World<D>, steps: usize)
where
    World<D>: Simulation<D>,
{
    for _ in 0..steps {
        assert!(world.step().unwrap().finite);
    }
}
