//! The scenarios of the benches, as data.

use taut::world::{Arrangement, Model, ModelError, Numbering, Order, StickSet};
use taut::{AnyKernel, Formula, Kernel, KernelName, Step};

/// A model, an arrangement and a step, for several sizes and formulas.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// The first component of the ids of its benchmarks.
    pub name: &'static str,
    /// Builds the model.
    pub shape: fn(usize, StickSet) -> Result<Model, ModelError>,
    /// The stick set.
    pub sticks: StickSet,
    /// The seed that shuffles the numbering; `None` keeps it.
    pub shuffle: Option<u64>,
    /// The arrangement, the same for all kernels, so all give the same bits.
    pub arrangement: Arrangement,
    /// The formulas.
    pub formulas: &'static [Formula],
    /// The sizes.
    pub sizes: &'static [usize],
    /// Iterations per substep.
    pub iterations: u32,
    /// Substeps per frame.
    pub substeps: u32,
    /// The maximum rms residual (stretch and compression together) at the end of a run; with a larger
    /// one the run is invalid.
    pub residual_rms_max: f64,
}

/// The scenarios of `cargo bench`.
pub const SCENARIOS: &[Scenario] = &[
    Scenario { sizes: &[32, 128, 512], formulas: &Formula::ALL, ..DRAPE },
    Scenario {
        name: "drape-structural",
        sticks: StickSet::Structural,
        residual_rms_max: 0.6,
        ..DRAPE
    },
    // With one iteration, motion and the copying of particles into the plan and back take about as
    // long as the sticks.
    Scenario { name: "drape-all-once", iterations: 1, residual_rms_max: 1.0, ..DRAPE },
    Scenario { name: "drape-all-substeps", iterations: 1, substeps: 8, ..DRAPE },
    Scenario { sizes: &[32, 128], formulas: &[Formula::Halley, Formula::Quick], ..DISC },
    Scenario { name: "disc-shuffled", shuffle: Some(1), ..DISC },
    Scenario { name: "sphere-all", shape: Model::sphere, sizes: &[64], ..DISC },
];

/// A square sheet that hangs from its top row.
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
    residual_rms_max: 0.3,
};

/// A disc of triangles that hangs from its highest particles.
const DISC: Scenario = Scenario {
    name: "disc-all",
    shape: Model::disc,
    arrangement: Arrangement { order: Order::Blocked, numbering: Numbering::Hilbert },
    residual_rms_max: 0.5, // few particles are pinned
    ..DRAPE
};

impl Scenario {
    /// The model of a size.
    ///
    /// # Errors
    /// If the size is too small for sticks.
    pub fn model(&self, size: usize) -> Result<Model, ModelError> {
        let model = (self.shape)(size, self.sticks)?;
        Ok(self.shuffle.map_or(model.clone(), |seed| model.shuffled(seed)))
    }

    /// The step of a frame.
    pub fn step(&self) -> Step<3> {
        Step { iterations: self.iterations, substeps: self.substeps, ..Step::default() }
    }

    /// Stick relaxations per frame: sticks times iterations times substeps.
    pub fn relaxations_per_frame(&self, model: &Model) -> u64 {
        model.sticks.len() as u64 * u64::from(self.iterations) * u64::from(self.substeps)
    }

    /// The kernels of this build and machine that suit its order, widest first.
    pub fn kernels(&self) -> Vec<AnyKernel> {
        kernels_for(self.arrangement.order)
    }

    /// The id of a benchmark: `drape-all/halley/grid-avx512/128`.
    pub fn benchmark_id(&self, formula: Formula, kernel: &str, size: usize) -> String {
        format!("{}/{formula}/{kernel}/{size}", self.name)
    }
}

/// The kernels of this build and machine that suit an order, widest first.
pub fn kernels_for(order: Order) -> Vec<AnyKernel> {
    let fits = |kernel: &AnyKernel| match kernel.kernel_name() {
        KernelName::Scalar => true,
        // Batches of one stick use a single lane.
        _ if order == Order::Authored => false,
        KernelName::Grid if order != Order::Sheet => false,
        KernelName::Copies => false,
        _ => !kernel.is_fallback(),
    };
    AnyKernel::available().into_iter().filter(fits).collect()
}

/// The fastest kernel for an order, for callers that need only the result, which is the same for
/// every kernel.
pub(crate) fn fastest_in(order: Order) -> AnyKernel {
    let kernels = kernels_for(order);
    let grid = kernels.iter().find(|kernel| kernel.is_for_sheets());
    grid.unwrap_or(&kernels[0]).clone()
}

/// The label of a kernel in the ids of benchmarks: `grid-avx512`, `scalar`.
pub fn kernel_label(kernel: &AnyKernel) -> String {
    match (Kernel::<3>::name(kernel), Kernel::<3>::isa(kernel)) {
        (name, isa) if name == isa => name.to_owned(),
        (name, isa) => format!("{name}-{isa}"),
    }
}
