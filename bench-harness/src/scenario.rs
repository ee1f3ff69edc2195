//! What the benches run, as data.

use taut::world::{Model, ModelError, StickSet};
use taut::{AnyKernel, Formula, Kernel, KernelName, Step};

use taut::world::{Arrangement, Numbering, Order};

/// A scene, an arrangement and a step, in some sizes and with some formulas.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// The first part of the paths of its benches.
    pub name: &'static str,
    /// Makes the scene.
    pub shape: fn(usize, StickSet) -> Result<Model, ModelError>,
    /// Of which sticks.
    pub sticks: StickSet,
    /// Numbered at random first, by this seed.
    pub shuffle: Option<u64>,
    /// How it is laid out. All kernels that run this have the same bits.
    pub arrangement: Arrangement,
    /// With which formulas.
    pub formulas: &'static [Formula],
    /// In which sizes.
    pub sizes: &'static [usize],
    /// Iterations a frame.
    pub iterations: u32,
    /// Substeps a frame.
    pub substeps: u32,
    /// A run that ends with a larger rms residual (stretch and compression) than this is no result.
    pub stretch_rms_bound: f64,
}

/// The scenarios of `cargo bench`.
pub const SCENARIOS: &[Scenario] = &[
    Scenario { sizes: &[32, 128, 512], formulas: &Formula::ALL, ..DRAPE },
    Scenario {
        name: "drape-structural",
        sticks: StickSet::Structural,
        stretch_rms_bound: 0.6,
        ..DRAPE
    },
    // One iteration: motion and the copies of a step weigh as much as the sticks.
    Scenario { name: "drape-all-once", iterations: 1, stretch_rms_bound: 1.0, ..DRAPE },
    Scenario { name: "drape-all-substeps", iterations: 1, substeps: 8, ..DRAPE },
    Scenario { sizes: &[32, 128], formulas: &[Formula::Halley, Formula::Quick], ..DISC },
    Scenario { name: "disc-shuffled", shuffle: Some(1), ..DISC },
    Scenario { name: "sphere-all", shape: Model::sphere, sizes: &[64], ..DISC },
];

const DRAPE: Scenario = Scenario {
    name: "drape-all",
    shape: Model::drape,
    sticks: StickSet::All,
    shuffle: None,
    arrangement: Arrangement { order: Order::Sheet, numbering: Numbering::Given },
    formulas: &[Formula::Halley],
    sizes: &[128],
    iterations: 8,
    substeps: 1,
    stretch_rms_bound: 0.3,
};

const DISC: Scenario = Scenario {
    name: "disc-all",
    shape: Model::disc,
    arrangement: Arrangement { order: Order::Blocked, numbering: Numbering::Hilbert },
    stretch_rms_bound: 0.5, // it hangs from few particles
    ..DRAPE
};

impl Scenario {
    /// The scene in one size.
    ///
    /// # Errors
    /// If it is too small to have sticks.
    pub fn scene(&self, size: usize) -> Result<Model, ModelError> {
        let scene = (self.shape)(size, self.sticks)?;
        Ok(self.shuffle.map_or(scene.clone(), |seed| scene.shuffled(seed)))
    }

    /// A frame.
    pub fn step(&self) -> Step<3> {
        Step { iterations: self.iterations, substeps: self.substeps, ..Step::default() }
    }

    /// How many sticks a frame of the scene relaxes: sticks times iterations times substeps.
    pub fn relaxed_per_frame(&self, scene: &Model) -> u64 {
        scene.sticks.len() as u64 * u64::from(self.iterations) * u64::from(self.substeps)
    }

    /// The kernels of this build and machine that run it, widest first.
    pub fn engines(&self) -> Vec<AnyKernel> {
        engines_in(self.arrangement.order)
    }

    /// The path of a bench: `drape-all/halley/grid-avx512/128`.
    pub fn path(&self, formula: Formula, engine: &str, size: usize) -> String {
        format!("{}/{formula}/{engine}/{size}", self.name)
    }
}

/// The kernels of this build and machine that it makes sense to run in that order, widest first.
pub fn engines_in(order: Order) -> Vec<AnyKernel> {
    let fits = |kernel: &AnyKernel| match kernel.kernel_name() {
        KernelName::Scalar => true,
        // Batches of one stick leave all lanes but one empty.
        _ if order == Order::Authored => false,
        KernelName::Grid if order != Order::Sheet => false,
        _ => !kernel.is_fallback(),
    };
    AnyKernel::available().into_iter().filter(fits).collect()
}

/// The kernel to be quick with where bits are all that counts.
pub(crate) fn fastest_in(order: Order) -> AnyKernel {
    let engines = engines_in(order);
    let grid = engines.iter().find(|kernel| kernel.is_for_sheets());
    grid.unwrap_or(&engines[0]).clone()
}

/// `grid-avx512`, `scalar`: a kernel in a path.
pub fn engine_name(kernel: &AnyKernel) -> String {
    match (Kernel::<3>::name(kernel), Kernel::<3>::isa(kernel)) {
        (name, isa) if name == isa => name.to_owned(),
        (name, isa) => format!("{name}-{isa}"),
    }
}
