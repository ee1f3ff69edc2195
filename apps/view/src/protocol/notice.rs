//! The text messages that the host sends to pages.

use serde::Serialize;

use super::CollisionFilter;

/// A text message of the host.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "say", rename_all = "lowercase")]
pub enum Notice {
    /// The available choices and the current settings.
    State(Box<State>),
    /// Figures: live numbers about the simulation.
    Figures(Figures),
    /// Why a command failed.
    Error {
        /// The message.
        text: String,
    },
}

/// The available choices and the current settings.
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the page")]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct State {
    /// The available scenes.
    pub scenes: Vec<SceneEntry>,
    /// The name of the current scene.
    pub scene: String,
    /// The number of dimensions of the current scene: 2 or 3.
    pub dimensions: usize,
    /// Suggested sizes; other sizes are valid, too. `None` for a scene from a file.
    pub sizes: Option<Vec<usize>>,
    /// The current size, in units of `size_unit`. `None` for a scene from a file.
    pub size: Option<usize>,
    /// What the size counts, such as `particles across`. `None` for a scene from a file.
    #[serde(rename = "size_is")]
    pub size_unit: Option<&'static str>,
    /// The largest size, if the size of the scene is a number of copies; `None` in other scenes.
    pub copies_max: Option<usize>,
    /// The available kernels, those with the most lanes first.
    pub kernels: Vec<KernelEntry>,
    /// The available formulas.
    pub formulas: Vec<String>,
    /// The names of the orders that the scene supports.
    #[serde(rename = "schedules")]
    pub orders: Vec<String>,
    /// The maximum number of threads.
    pub threads: usize,
    /// The current settings.
    pub settings: CurrentSettings,
    /// Whether gravity acts.
    pub gravity: bool,
    /// Whether the forces of the scene, or the default wind, act.
    pub wind: bool,
    /// Whether particles have tethers.
    pub tethers: bool,
    /// Whether models collide with themselves and each other.
    pub collisions: bool,
    /// Whether models may sleep.
    pub sleep: bool,
    /// Whether the simulation is paused.
    pub paused: bool,
    /// The second kernel of a kernel comparison, which pages call a race.
    #[serde(rename = "race")]
    pub comparison: Option<ComparisonKernel>,
    /// Numbers of particles, sticks, faces and torn sticks.
    pub counts: Counts,
    /// The machine on which the simulation runs.
    pub machine: String,
    /// Bounding box of the initial positions: minimum and maximum corner, m. Both are the origin
    /// if there are no particles.
    pub bounds: [[f32; 3]; 2],
    /// The length of a step, s.
    pub step: f32,
}

/// An available scene.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SceneEntry {
    /// The name of the scene.
    pub name: String,
    /// A description in one line.
    pub about: String,
    /// The number of dimensions: 2 or 3.
    pub dimensions: usize,
}

/// An available kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KernelEntry {
    /// The name of the kernel.
    pub name: &'static str,
    /// The instruction sets of the kernel on this machine, the one with the most lanes first.
    pub instructions: Vec<&'static str>,
    /// Why the kernel does not suit the scene; `None` if it does.
    pub reason: Option<&'static str>,
}

/// The current settings. A value of sticks is null if it differs between sticks; `tear` is also null if
/// no stick tears.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CurrentSettings {
    /// The kernel of the largest island.
    pub kernel: String,
    /// The instruction set of that kernel.
    pub instructions: String,
    /// The formula.
    pub formula: String,
    /// The order of the sticks.
    pub schedule: String,
    /// Number of threads.
    pub threads: usize,
    /// Number of substeps of a step.
    pub substeps: u32,
    /// Number of iterations of a pass.
    pub iterations: u32,
    /// Number of passes of a substep.
    pub passes: u32,
    /// Relative rate at which a free particle loses velocity, 1/s.
    pub damping_rate: f32,
    /// Compliance of every stick, m/N.
    pub compliance: Option<f32>,
    /// Stiffness of every stick, above 0 and at most 1.
    pub stiffness: Option<f32>,
    /// Tear factor of every stick: the length at which it tears, in rest lengths.
    pub tear: Option<f32>,
    /// Thickness of the cloth and ropes with self-collision, m. Null if they have different values, absent
    /// if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[allow(clippy::option_option, reason = "absent, null and a value differ")]
    pub thickness: Option<Option<f32>>,
    /// Coefficient of friction of the cloth and ropes with self-collision. Null if they have different
    /// values, absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[allow(clippy::option_option, reason = "absent, null and a value differ")]
    pub friction: Option<Option<f32>>,
    /// The collision filters of the models with self-collision. Absent if there are none, or more than
    /// [`FILTERS_MAX`](super::FILTERS_MAX).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub filters: Vec<ModelFilter>,
}

/// The collision filter of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModelFilter {
    /// The name of the model.
    pub model: String,
    /// Its filter.
    #[serde(flatten)]
    pub filter: CollisionFilter,
}

/// The second kernel of a kernel comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ComparisonKernel {
    /// The kernel of the largest island.
    pub kernel: String,
    /// The instruction set of that kernel.
    pub instructions: String,
}

/// Numbers of particles, sticks, faces and torn sticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Number of particles.
    pub particles: usize,
    /// Number of sticks, including torn ones.
    pub sticks: usize,
    /// Number of faces, including removed ones.
    pub faces: usize,
    /// Number of torn sticks when this message was made; [`Figures`] has the current number.
    pub torn: usize,
}

/// Figures: live numbers about the simulation.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Figures {
    /// Time per step without drawing: the median over the last ten windows of about 0.1 s, ms.
    #[serde(rename = "milliseconds")]
    pub step_milliseconds: f64,
    /// The part of that time in which sticks are relaxed, ms. Includes the motion of particles where a kernel
    /// computes motion and sticks in one call.
    pub sticks_milliseconds: f64,
    /// Time per relaxation of a stick, ns: `sticks_milliseconds`, divided by the number of sticks, including torn and
    /// sleeping ones, times the number of iterations in a step.
    #[serde(rename = "nanoseconds")]
    pub nanoseconds_per_relaxation: f64,
    /// The inverse of that time: relaxations per second, 1/s.
    #[serde(rename = "sticks_per_second")]
    pub relaxations_per_second: f64,
    /// Divisions per step in the relaxation of sticks, as if all sticks were plain.
    pub divisions: u64,
    /// Square roots per step in the relaxation of sticks, as if all sticks were plain.
    pub roots: u64,
    /// Root mean square of the stretch, as a fraction.
    #[serde(rename = "rms")]
    pub stretch_rms: f64,
    /// The largest stretch, as a fraction.
    #[serde(rename = "max")]
    pub stretch_max: f64,
    /// Root mean square of the compression, as a fraction.
    pub compression_rms: f64,
    /// The largest compression, as a fraction.
    pub compression_max: f64,
    /// Kinetic energy, J.
    pub kinetic: f64,
    /// Potential energy in gravity, J.
    pub potential: f64,
    /// Simulated time that was dropped because too many steps were due at once, s: the machine was too slow.
    #[serde(rename = "behind")]
    pub dropped_time: f64,
    /// Number of torn sticks.
    pub torn: usize,
    /// Number of models.
    pub models: usize,
    /// Number of models that are asleep.
    pub asleep: usize,
    /// Steps since the start of the scene.
    pub steps: u64,
    /// Whether the simulation blew up. If so, it is stopped until a reset.
    #[serde(rename = "blown")]
    pub blew_up: bool,
    /// Figures of the kernel comparison, during a race.
    #[serde(rename = "race")]
    pub comparison: Option<ComparisonFigures>,
}

/// Figures of a kernel comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ComparisonFigures {
    /// Time per step of the second kernel, ms.
    #[serde(rename = "milliseconds")]
    pub step_milliseconds: f64,
    /// Whether all positions were bit-identical after every step so far.
    pub equal: bool,
    /// The number of the first step after which positions differed.
    pub first_difference: Option<u64>,
}
