//! Code of the conformance tests that other programs use, too: the simulations behind the golden
//! hashes (the program `hashes` prints the hashes on any target), and random [programs] (the fuzz
//! targets run them).
#![forbid(unsafe_code)]

pub mod programs;

use taut::world::{
    AnyScene, Arranged, Arrangement, LibraryScene, Model, Numbering, Order, Scene, Simulation,
    StickSet, World, WorldError,
};
use taut::{AnyKernel, Formula, Kernel, Schedule, Step};

/// The number of [steps](step) before the positions are hashed.
pub const STEPS: usize = 8;

/// The step that each golden case runs [`STEPS`] times.
pub fn step() -> Step<3> {
    Step { substeps: 1, iterations: 4, ..Step::default() }
}

/// A model, an order and a formula.
#[derive(Clone, Debug)]
pub struct GoldenCase {
    /// Model, order and formula.
    pub name: String,
    /// The arranged model, in its own numbering.
    pub arranged: Arranged,
    /// The formula.
    pub formula: Formula,
}

/// The number of copies of the small disc: more than the 16 that the kernel for copies stores
/// together.
const COPIES: usize = 18;

/// A sheet, a disc and a sphere, with every formula, each in the coloured, starred, banded and blocked
/// order (the sheet also in the order for sheets); and copies of a small disc with every formula.
///
/// # Panics
/// Never, because these models and arrangements are valid.
pub fn golden_cases() -> impl Iterator<Item = GoldenCase> {
    let models = [
        ("drape-64-all", Model::drape(64, StickSet::All)),
        ("disc-40-all", Model::disc(40, StickSet::All)),
        ("sphere-28-all", Model::sphere(28, StickSet::All)),
    ];
    let disc = Model::disc(6, StickSet::All).expect("the size is valid");
    let coloured = Arrangement { order: Order::Coloured, numbering: Numbering::Given };
    let copies = coloured.of_copies(&disc, COPIES).expect("the number of copies is valid");
    let copies = Formula::ALL.into_iter().map(move |formula| GoldenCase {
        name: format!("discs-6-all-x{COPIES} {coloured} {formula}"),
        arranged: copies.clone(),
        formula,
    });
    let models = models.into_iter().flat_map(|(name, model)| {
        let model = model.expect("the size is valid");
        let is_tested = |arrangement: &Arrangement| match arrangement.order {
            Order::Authored | Order::Packed => false,
            Order::Coloured | Order::Banded | Order::Blocked | Order::Starred => true,
            Order::Sheet => model.sheet.is_some(),
        };
        let arrangements: Vec<Arrangement> = Arrangement::orders().filter(is_tested).collect();
        arrangements.into_iter().flat_map(move |arrangement| {
            let arranged = arrangement.of(&model).expect("the order fits the model");
            Formula::ALL.into_iter().map(move |formula| GoldenCase {
                name: format!("{name} {arrangement} {formula}"),
                arranged: arranged.clone(),
                formula,
            })
        })
    });
    models.chain(copies)
}

/// The number of steps before a scene of the library is hashed for the golden hashes.
pub const SCENE_STEPS: u64 = 24;

/// The name of a scene's hash, in the format of [`GoldenCase::name`], with `own` for the order and
/// the formula, which are those of the scene.
pub fn scene_name(listed: &LibraryScene) -> String {
    format!("{} own own", listed.name)
}

/// A scene's world after a number of steps.
///
/// # Errors
/// If a kernel rejects the particles, the sticks or the schedule of an island.
pub fn world_after_steps<const D: usize>(
    scene: &Scene<D>,
    steps: u64,
    kernel_for: impl FnMut(&Schedule) -> AnyKernel,
) -> Result<World<D>, WorldError>
where
    AnyKernel: Kernel<D>,
    World<D>: Simulation<D>,
{
    let mut world = World::new(scene, kernel_for)?;
    for _ in 0..steps {
        let _ = world.step()?;
    }
    Ok(world)
}

/// The hash of a scene of the library, in its default size, after a number of steps.
///
/// # Errors
/// If a kernel rejects the particles, the sticks or the schedule of an island.
///
/// # Panics
/// Never, because scenes of the library can be made in their default size.
pub fn scene_hash(
    listed: &LibraryScene,
    steps: u64,
    kernel_for: impl FnMut(&Schedule) -> AnyKernel,
) -> Result<u64, WorldError> {
    match listed.scene(listed.size).expect("scenes can be made in their default size") {
        AnyScene::TwoD(scene) => Ok(world_after_steps(&scene, steps, kernel_for)?.hash()),
        AnyScene::ThreeD(scene) => Ok(world_after_steps(&scene, steps, kernel_for)?.hash()),
    }
}
