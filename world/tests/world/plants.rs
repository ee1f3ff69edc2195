//! Plants stand, bend and return to their shape.

use taut_core::{Kernel, LimitError, Step, Stretch};
use taut_scalar::ScalarKernel;
use taut_world::{Model, ModelError, Plant, Scene, Simulation, World};

use crate::models::{minus, norm};

/// A plant, and a world of this plant with one substep per step.
fn planted<const D: usize>(plant: &Plant, iterations: u32) -> (Model<D>, World<D>)
where
    ScalarKernel: Kernel<D>,
    World<D>: Simulation<D>,
{
    let model = Model::<D>::plant(plant).unwrap();
    let mut scene = Scene::<D>::new();
    scene.add("plant", model.clone()).unwrap();
    scene.settings.step = Step { substeps: 1, iterations, ..Step::default() };
    let world = World::new(&scene, |_| ScalarKernel).unwrap();
    (model, world)
}

fn run<const D: usize>(world: &mut World<D>, steps: u32)
where
    ScalarKernel: Kernel<D>,
    World<D>: Simulation<D>,
{
    for _ in 0..steps {
        assert!(world.step().unwrap().finite);
    }
}

fn positions<const D: usize>(world: &World<D>) -> Vec<[f32; D]>
where
    ScalarKernel: Kernel<D>,
    World<D>: Simulation<D>,
{
    (0..world.len()).map(|particle| world.position(particle)).collect()
}

/// The mean and the largest displacement of the particles of these groups between two states, m.
fn displacements<const D: usize>(
    model: &Model<D>,
    groups: &[&str],
    [from, to]: [&[[f32; D]]; 2],
) -> [f64; 2] {
    let particles = groups.iter().filter_map(|name| model.groups.get(*name)).flatten();
    let lengths =
        particles.map(|&particle| norm(minus(from[particle as usize], to[particle as usize])));
    let lengths: Vec<f64> = lengths.collect();
    let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
    [mean, lengths.iter().copied().fold(0.0, f64::max)]
}

/// The groups whose displacements are measured.
const ALL: &[&str] = &["stem", "branches", "leaves"];

/// Checks that a plant stands with one iteration per step of 1/60 s, and returns after a push.
fn check_stands_and_returns<const D: usize>(plant: &Plant)
where
    ScalarKernel: Kernel<D>,
    World<D>: Simulation<D>,
{
    let (model, mut world) = planted::<D>(plant, 1);
    assert!(Stretch::of(&model.particles, &model.sticks).max < 1e-5);
    let initial = positions(&world);
    run(&mut world, 600);
    let bent = positions(&world);
    let [_, bend] = displacements(&model, ALL, [&initial, &bent]);
    assert!(bend > 1e-3 && bend < 0.12, "{D}D, {plant:?}: bends by {bend} m");
    for previous in world.islands_mut()[0].model.particles.previous_mut(0) {
        *previous -= 2.0 / 60.0; // 2 m/s
    }
    run(&mut world, 5);
    let [_, pushed] = displacements(&model, ALL, [&bent, &positions(&world)]);
    assert!(pushed > 0.05, "{D}D, {plant:?}: a push moves it by only {pushed} m");
    run(&mut world, 1200);
    let after = positions(&world);
    let [_, off] = displacements(&model, ALL, [&bent, &after]);
    assert!(off < 0.1, "{D}D, {plant:?}: a particle comes to rest {off} m from where it was");
}

#[test]
fn a_plant_stands_and_returns_to_its_shape_after_a_push() {
    for seed in 0..8 {
        for levels in 0..3 {
            let plant = Plant { seed, levels, ..Plant::default() };
            check_stands_and_returns::<2>(&plant);
            check_stands_and_returns::<3>(&plant);
        }
    }
}

#[test]
fn more_iterations_bend_a_plant_less() {
    let bend = |iterations| {
        let (model, mut world) = planted::<3>(&Plant::default(), iterations);
        let initial = positions(&world);
        run(&mut world, 600);
        displacements(&model, ALL, [&initial, &positions(&world)])[0]
    };
    let bends = [1, 2, 4, 8].map(bend);
    assert!(bends.is_sorted_by(|more, less| more > less), "mean displacements {bends:?} m");
}

#[test]
fn a_seed_determines_a_plant() {
    let hash =
        |seed| Model::<3>::plant(&Plant { seed, ..Plant::default() }).unwrap().particles.hash();
    assert_eq!(hash(1), hash(1));
    assert_ne!(hash(1), hash(2));
    // The same on every machine.
    assert_eq!(hash(0), 6_340_966_628_762_589_045);
}

/// Found by the fuzz target `scene_structured`: a plant was built up to the limit before it was rejected.
#[test]
fn a_plant_that_would_be_too_large_is_rejected_before_it_is_built() {
    // `bound` is above the number of particles that the error reports.
    for (pieces, levels, bound) in [(usize::MAX, 6, u128::MAX), (1_000, 2, 1 << 21)] {
        let plant = Plant { pieces, levels, ..Plant::default() };
        let error = Model::<3>::plant(&plant).unwrap_err();
        let ModelError::Limit(LimitError { requested, .. }) = error else { panic!("{error}") };
        // A check of each new particle would report one particle more than the limit.
        assert!(requested > (1 << 20) + 1 && requested < bound, "{requested} requested");
    }
}
