//! Models, comparisons, and runs of the scalar kernel without the harness.

use taut::world::{Model, StickSet};
use taut::{
    AnyKernel, Duplicates, Formula, Kernel, Particles, Plan, Pool, ScalarKernel, Step, Sticks,
};
use taut_bench::{Arranged, Arrangement, Baselines, Comparison, Configuration, Row};

/// A small hanging sheet.
pub(crate) fn sheet() -> Model {
    Model::drape(9, StickSet::All).unwrap()
}

/// A small irregular mesh with a shuffled numbering.
pub(crate) fn shuffled_disc() -> Model {
    Model::disc(8, StickSet::All).unwrap().shuffled(3)
}

/// Two sticks that share no particle. The first overflows `f32` in the first frame, but not `f64`;
/// the second, whose particles have the largest indices, hangs.
pub(crate) fn overflowing() -> Model {
    let points = [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, -0.1, 0.0]];
    let mut particles = Particles::new(&points, &[1.0, 1.0, 0.0, 1.0]).unwrap();
    particles.previous_mut(0)[0] = -f32::MAX;
    let sticks = Sticks::joining(&particles, &[[0, 1], [2, 3]], Duplicates::Keep).unwrap();
    Model::new(particles, sticks)
}

/// Several substeps of several iterations, so that a missing factor in a count is found.
pub(crate) fn step() -> Step<3> {
    Step { substeps: 2, iterations: 3, ..Step::default() }
}

pub(crate) fn arrangement(name: &str) -> Arrangement {
    name.parse().unwrap()
}

/// Every order that a model can have, in every numbering; `sheet` only in the given one.
pub(crate) fn arrangements(model: &Model) -> Vec<Arrangement> {
    let mut names: Vec<String> = Vec::new();
    for order in ["authored", "coloured", "packed", "starred", "banded", "blocked"] {
        names.extend(["given", "rcm", "hilbert"].map(|numbering| format!("{order}/{numbering}")));
    }
    if model.sheet.is_some() {
        names.push("sheet".to_owned());
    }
    names.iter().map(|name| arrangement(name)).collect()
}

/// Every kernel on every instruction set, and the best kernel on two threads.
fn kernels() -> Vec<AnyKernel> {
    let mut kernels = AnyKernel::available();
    kernels.push(AnyKernel::best().on_threads(Pool::new(2).unwrap()));
    kernels
}

pub(crate) fn scalar(formula: Formula, arrangement: Arrangement) -> Configuration {
    Configuration { kernel: AnyKernel::named("scalar").unwrap(), formula, arrangement }
}

/// All kernels with these formulas in all arrangements of a model, without the combinations that
/// have no plan.
pub(crate) fn all_configurations(model: &Model, formulas: &[Formula]) -> Vec<Configuration> {
    let mut configurations = Vec::new();
    for arrangement in arrangements(model) {
        let Arranged { particles, sticks, schedule, .. } = arrangement.of(model).unwrap();
        for &formula in formulas {
            let has_plan =
                |kernel: &AnyKernel| kernel.plan(&particles, &sticks, &schedule, formula).is_ok();
            let configuration = |kernel| Configuration { kernel, formula, arrangement };
            configurations.extend(kernels().into_iter().filter(has_plan).map(configuration));
        }
    }
    configurations
}

/// A comparison with two frames of warm-up and ten timed frames.
pub(crate) fn comparison(model: Model, configurations: Vec<Configuration>) -> Comparison {
    Comparison {
        model,
        copies: 1,
        step: step(),
        warmup: 2,
        frames: 10,
        repeats: 1,
        configurations,
        baselines: Baselines::default(),
    }
}

pub(crate) fn run(comparison: &Comparison) -> Vec<Row> {
    comparison.run(|_| ()).unwrap()
}

/// The row of the only configuration.
pub(crate) fn row_of(comparison: &Comparison) -> Row {
    let [_, row] = run(comparison).try_into().unwrap();
    row
}

/// The particles after frames of the scalar kernel, in the model's own numbering.
pub(crate) fn run_scalar(
    model: &Model,
    arrangement: Arrangement,
    formula: Formula,
    step: &Step<3>,
    frames: usize,
) -> Particles<3> {
    let arranged = arrangement.of(model).unwrap();
    let mut particles = arranged.particles;
    let mut plan =
        ScalarKernel.plan(&particles, &arranged.sticks, &arranged.schedule, formula).unwrap();
    for _ in 0..frames {
        let _ = plan.step(&mut particles, &arranged.sticks, step).unwrap();
    }
    arranged.renumbering.map_or(particles.clone(), |renumbering| renumbering.undo(&particles))
}
