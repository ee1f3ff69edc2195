//! The messages between a page and the host.
//!
//! The page sends one [`Command`] as JSON per text message. The host sends one [`Notice`] as JSON
//! per text message, and binary messages: a header of four `u32` (kind, epoch and two numbers) and
//! a body, all little-endian. Particles, sticks and faces have the ids of the world, which tearing
//! does not change. An epoch numbers a topology: ignore messages whose epoch differs from that of
//! the last mesh.
//!
//! | kind | header numbers | body |
//! |---|---|---|
//! | 1 mesh | 0, 0 | [`Mesh`] as JSON |
//! | 2 indices | faces, sticks (springs follow the sticks) | `u32` x 3 a face, then `u32` x 2 a stick; all `0xffffffff` if removed |
//! | 3 removed | faces, sticks | ids of the faces, then of the sticks, that were removed since the last 2 or 3 |
//! | 4 frame | step, vertices | `f32` x 3 a vertex, m; then for each collider position (`f32` x 3, m) and rotation (quaternion, `f32` x 4: x y z w) |
//! | 5 rests | sticks and springs, 0 | rest length of each, `f32`, m |
//!
//! # Limits
//!
//! No page can block the others or make the host's memory grow:
//!
//! | limit | value | when exceeded |
//! |---|--:|---|
//! | [`SOCKETS_MAX`]: connected pages | 32 | HTTP status 503 and a message, which the page shows |
//! | [`COMMAND_BYTES_MAX`]: bytes of a command, and of a WebSocket frame | 4096 | the server closes the socket |
//! | [`COMMANDS_QUEUED_MAX`]: commands of a page that the server has read and not yet run | 32 | the server stops reading from that socket until there is room (back pressure) |
//! | [`HELD_MAX`]: particles that a page holds | 64 | [`Notice::Error`] |
//! | [`TIMES_OWN_SIZE_MAX`]: size of a scene, as a multiple of its default size | 8 (or the size that `taut view` started with) | [`Notice::Error`] |
//! | queued errors for a page that takes no messages | 16 | the oldest are dropped |
//! | other queued messages for a page | 1 | the next message has the changes |
//!
//! Commands that restart or replan a simulation (`scene`, `set`, `gravity`, `wind`, `tethers`,
//! `reset`, `race`) are expensive. The server runs one of them a turn, rotating over the pages. If
//! it changed the topology, the next expensive command waits until all pages have been sent the new
//! one, for at most 0.1 s. Commands of a page keep their order. Commands of a disconnected page are
//! dropped.

use serde::{Deserialize, Deserializer, Serialize};

/// Maximum number of pages connected to a server.
pub const SOCKETS_MAX: usize = 32;

/// Maximum number of bytes of a command, and of a WebSocket frame.
pub const COMMAND_BYTES_MAX: usize = 4096;

/// Maximum number of commands of a page that a server has read and not yet run.
pub const COMMANDS_QUEUED_MAX: usize = 32;

/// Maximum number of particles that a page holds.
pub const HELD_MAX: usize = 64;

/// The largest size that a page may request, as a multiple of the scene's default size.
pub const TIMES_OWN_SIZE_MAX: usize = 8;

/// A command of a page.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub enum Command {
    /// Loads a scene, or the current one in another size.
    Scene {
        /// The name of a library scene, or `file`.
        scene: String,
        /// The size, in the unit that [`State::size_is`] names. Absent: the scene's default size.
        #[serde(default)]
        size: Option<usize>,
    },
    /// Changes settings; restarts only if the present state cannot be kept.
    Set(Change),
    /// Grabs a particle.
    Grab {
        /// The id of the particle.
        particle: usize,
    },
    /// Sets the position that a held particle has at the end of the next step.
    Drag {
        /// The id of the particle.
        particle: usize,
        /// The target, m; the last coordinate is ignored in 2-D scenes.
        to: [f32; 3],
    },
    /// Releases a particle.
    Release {
        /// The id of the particle.
        particle: usize,
    },
    /// Cuts the sticks that a blade crosses: in space a segment that sweeps from one position to
    /// another, in the plane the segment between the first points of the two.
    Cut {
        /// The segment before the sweep, m.
        from: [[f32; 3]; 2],
        /// The segment after the sweep, m.
        to: [[f32; 3]; 2],
    },
    /// Switches gravity.
    Gravity {
        /// Whether gravity acts.
        on: bool,
    },
    /// Switches the forces of the scene, or a default wind if it has none.
    Wind {
        /// Whether they act.
        on: bool,
    },
    /// Switches the tethers to pinned particles.
    Tethers {
        /// Whether there are tethers.
        on: bool,
    },
    /// Pauses or continues the simulation.
    Pause {
        /// Whether to pause.
        on: bool,
    },
    /// Runs one step, also while paused.
    Step,
    /// Restarts the scene with the present settings.
    Reset,
    /// Starts or stops a race, which runs the same scene on a second kernel and compares.
    Race {
        /// The second kernel; none stops the race.
        #[serde(default)]
        kernel: Option<String>,
        /// Its instruction set; the best if none.
        #[serde(default)]
        instructions: Option<String>,
    },
    /// Requests one frame.
    Next,
}

impl Command {
    /// Whether the command restarts or replans a simulation, which may take long.
    #[cfg(feature = "server")]
    pub(crate) fn is_expensive(&self) -> bool {
        matches!(
            self,
            Self::Scene { .. }
                | Self::Set(_)
                | Self::Gravity { .. }
                | Self::Wind { .. }
                | Self::Tethers { .. }
                | Self::Reset
                | Self::Race { .. }
        )
    }
}

/// Settings to change. Absent: unchanged; null: reset to the scene's default.
#[allow(clippy::option_option, reason = "absent, null and a value differ")]
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Change {
    /// Kernel; null: the best for each island.
    #[serde(deserialize_with = "present")]
    pub kernel: Option<Option<String>>,
    /// Instruction set; null: the best of the kernel.
    #[serde(deserialize_with = "present")]
    pub instructions: Option<Option<String>>,
    /// Formula.
    #[serde(deserialize_with = "present")]
    pub formula: Option<Option<String>>,
    /// Order of the sticks.
    #[serde(deserialize_with = "present")]
    pub schedule: Option<Option<String>>,
    /// Number of threads; null: 1.
    #[serde(deserialize_with = "present")]
    pub threads: Option<Option<usize>>,
    /// Substeps of a step.
    #[serde(deserialize_with = "present")]
    pub substeps: Option<Option<u32>>,
    /// Iterations of a pass.
    #[serde(deserialize_with = "present")]
    pub iterations: Option<Option<u32>>,
    /// Passes (iterations, then collisions) of a substep.
    #[serde(deserialize_with = "present")]
    pub passes: Option<Option<u32>>,
    /// Rate at which a free particle loses velocity, 1/s.
    #[serde(deserialize_with = "present")]
    pub damping_rate: Option<Option<f32>>,
    /// Compliance of every stick, m/N.
    #[serde(deserialize_with = "present")]
    pub compliance: Option<Option<f32>>,
    /// Stiffness of every stick, above 0 and at most 1.
    #[serde(deserialize_with = "present")]
    pub stiffness: Option<Option<f32>>,
    /// Tear factor of every stick: the length at which it tears, in rest lengths.
    #[serde(deserialize_with = "present")]
    pub tear: Option<Option<f32>>,
}

/// Deserializes a field that is present: `Some(None)` for null.
#[allow(clippy::option_option, reason = "absent, null and a value differ")]
fn present<'de, T: Deserialize<'de>, R: Deserializer<'de>>(
    from: R,
) -> Result<Option<Option<T>>, R::Error> {
    Option::deserialize(from).map(Some)
}

/// A text message of the host.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "say", rename_all = "lowercase")]
pub enum Notice {
    /// The available choices and the present settings.
    State(Box<State>),
    /// Live figures.
    Figures(Figures),
    /// Why a command failed.
    Error {
        /// The message.
        text: String,
    },
}

/// The available choices and the present settings.
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the page")]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct State {
    /// The available scenes.
    pub scenes: Vec<SceneEntry>,
    /// The name of the present scene.
    pub scene: String,
    /// 2 or 3.
    pub dimensions: usize,
    /// Suggested sizes; none for a file. Other sizes are valid, too.
    pub sizes: Option<Vec<usize>>,
    /// The present size.
    pub size: Option<usize>,
    /// The unit of the size.
    pub size_is: Option<&'static str>,
    /// The available kernels, the widest first.
    pub kernels: Vec<KernelEntry>,
    /// The available formulas.
    pub formulas: Vec<String>,
    /// The orders that suit the scene.
    pub schedules: Vec<String>,
    /// The maximum number of threads.
    pub threads: usize,
    /// The present settings.
    pub settings: InForce,
    /// Whether gravity acts.
    pub gravity: bool,
    /// Whether wind or the forces of the scene act.
    pub wind: bool,
    /// Whether particles have tethers to pinned ones.
    pub tethers: bool,
    /// Whether the simulation is paused.
    pub paused: bool,
    /// The second kernel of a race.
    pub race: Option<Racer>,
    /// Numbers of particles, sticks and faces.
    pub counts: Counts,
    /// The machine that it runs on.
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
    /// Its name.
    pub name: String,
    /// A description of one line.
    pub about: String,
    /// 2 or 3.
    pub dimensions: usize,
}

/// An available kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KernelEntry {
    /// Its name.
    pub name: &'static str,
    /// Its instruction sets on this machine, the widest first.
    pub instructions: Vec<&'static str>,
    /// Why it does not suit the scene.
    pub reason: Option<&'static str>,
}

/// The settings in force; null where sticks differ or no stick tears.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct InForce {
    /// The kernel of the largest island.
    pub kernel: String,
    /// Its instruction set.
    pub instructions: String,
    /// The formula.
    pub formula: String,
    /// The order of the sticks.
    pub schedule: String,
    /// Number of threads.
    pub threads: usize,
    /// Substeps of a step.
    pub substeps: u32,
    /// Iterations of a pass.
    pub iterations: u32,
    /// Passes of a substep.
    pub passes: u32,
    /// Rate at which a free particle loses velocity, 1/s.
    pub damping_rate: f32,
    /// Compliance of every stick, m/N.
    pub compliance: Option<f32>,
    /// Stiffness of every stick.
    pub stiffness: Option<f32>,
    /// Tear factor of every stick.
    pub tear: Option<f32>,
}

/// The second kernel of a race.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Racer {
    /// The kernel of the largest island.
    pub kernel: String,
    /// Its instruction set.
    pub instructions: String,
}

/// Numbers of particles, sticks and faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Particles.
    pub particles: usize,
    /// Sticks, including torn ones.
    pub sticks: usize,
    /// Faces, including removed ones.
    pub faces: usize,
    /// Torn sticks when this message was made; [`Figures`] has the present number.
    pub torn: usize,
}

/// Live figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Figures {
    /// Time per step without drawing: the median over the last ten windows of 0.1 s, ms.
    pub milliseconds: f64,
    /// The part of it in which sticks are relaxed, ms.
    pub sticks_milliseconds: f64,
    /// Time per stick and iteration, ns.
    pub nanoseconds: f64,
    /// Stick relaxations per second of relaxation time.
    pub sticks_per_second: f64,
    /// Divisions per step.
    pub divisions: u64,
    /// Square roots per step.
    pub roots: u64,
    /// Root mean square of the stretch, as a fraction.
    pub rms: f64,
    /// The largest stretch, as a fraction.
    pub max: f64,
    /// Root mean square of the compression, as a fraction.
    pub compression_rms: f64,
    /// The largest compression, as a fraction.
    pub compression_max: f64,
    /// Kinetic energy, J.
    pub kinetic: f64,
    /// Potential energy in gravity, J.
    pub potential: f64,
    /// Simulated time that was dropped because the machine was too slow, s.
    pub behind: f64,
    /// Torn sticks.
    pub torn: usize,
    /// Steps since the beginning.
    pub steps: u64,
    /// Whether the simulation blew up; it then stops until a reset.
    pub blown: bool,
    /// Figures of the race.
    pub race: Option<RaceFigures>,
}

/// Figures of a race.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct RaceFigures {
    /// Time per step of the second kernel, ms.
    pub milliseconds: f64,
    /// Whether all positions were bit-identical after every step so far.
    pub equal: bool,
    /// The first step after which they differed.
    pub first_difference: Option<u64>,
}

/// The data that stays constant within an epoch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mesh {
    /// Number of vertices in a frame.
    pub vertices: usize,
    /// Number of particles; they are the first vertices.
    pub particles: usize,
    /// The models.
    pub parts: Vec<Part>,
    /// The obstacles that can be drawn.
    pub colliders: Vec<Collider>,
    /// Particles that are pinned at the start.
    pub pinned: Vec<u32>,
    /// Sticks to hide: those that keep a posture, and one-sided ones.
    pub thin: Vec<u32>,
    /// Particles with a radius, and their radii, m.
    pub radii: Vec<(u32, f32)>,
}

/// A model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// Its name in the scene.
    pub name: String,
    /// How to draw it: `cloth`, `rope`, `plant`, `body`, `ragdoll` or `grains`.
    pub look: &'static str,
    /// Its first face, and the number of faces.
    pub faces: [usize; 2],
    /// Its first stick, and the number of sticks.
    pub sticks: [usize; 2],
    /// Its first particle, and the number of particles.
    pub particles: [usize; 2],
    /// Particles in a row, if it is a regular sheet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<usize>,
}

/// The shape of an obstacle in its own coordinates; frames have its position and rotation.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "shape", rename_all = "kebab-case")]
pub enum Collider {
    /// A ball about the origin; in the plane a disc.
    Sphere {
        /// m.
        radius: f32,
    },
    /// All points within `radius` of a segment along y.
    Capsule {
        /// m.
        radius: f32,
        /// Half the length of the segment, m.
        half: f32,
    },
    /// A box about the origin.
    Cuboid {
        /// Half extents, m.
        half: [f32; 3],
    },
    /// Everything below y = 0.
    HalfSpace,
    /// Everything outside a box about the origin.
    Bounds {
        /// Half extents, m.
        half: [f32; 3],
    },
    /// A triangle mesh.
    Mesh {
        /// x, y, z of each point, m.
        points: Vec<f32>,
        /// Three point indices each.
        triangles: Vec<u32>,
    },
}

/// An encoded message for a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// JSON.
    Text(String),
    /// A header and a body.
    Binary(Vec<u8>),
}

impl Message {
    pub(crate) fn from_notice(notice: &Notice) -> Self {
        Self::Text(serde_json::to_string(notice).expect("map keys are strings"))
    }
}

/// The kind of a binary message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Kind {
    /// A [`Mesh`].
    Mesh = 1,
    /// Corners of faces, ends of sticks.
    Indices = 2,
    /// Removed faces and sticks.
    Removed = 3,
    /// Positions of vertices and obstacles.
    Frame = 4,
    /// Rest lengths of sticks.
    Rests = 5,
}

/// A binary message that is being written.
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    /// Writes the header, and reserves `bytes` for the body.
    pub(crate) fn new(kind: Kind, epoch: u32, [a, b]: [usize; 2], bytes: usize) -> Self {
        let mut writer = Self(Vec::with_capacity(16 + bytes));
        writer.u32s([kind as u32, epoch, a as u32, b as u32]);
        writer
    }

    pub(crate) fn f32s(&mut self, numbers: impl IntoIterator<Item = f32>) {
        self.0.extend(numbers.into_iter().flat_map(f32::to_le_bytes));
    }

    /// As `f32s`, but faster: it writes in place.
    pub(crate) fn rows(&mut self, rows: &[[f32; 3]]) {
        let start = self.0.len();
        self.0.resize(start + size_of_val(rows), 0);
        for (bytes, number) in self.0[start..].chunks_exact_mut(4).zip(rows.as_flattened()) {
            bytes.copy_from_slice(&number.to_le_bytes());
        }
    }

    pub(crate) fn u32s(&mut self, numbers: impl IntoIterator<Item = u32>) {
        self.0.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
    }

    pub(crate) fn json(&mut self, mesh: &Mesh) {
        serde_json::to_writer(&mut self.0, mesh)
            .expect("map keys are strings, and a Vec accepts all writes");
    }

    pub(crate) fn finish(self) -> Message {
        Message::Binary(self.0)
    }
}
