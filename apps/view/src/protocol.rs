//! What a page and the host say to each other.
//!
//! The page sends JSON texts, a [`Command`] each. The host sends texts, a [`Notice`] each, and binary
//! messages: a header of four `u32` (kind, epoch and two numbers) and a body, everything
//! little-endian. Particles, sticks and faces go by the numbers of the world, which stay whatever
//! tears. An epoch numbers a topology: ignore messages of another epoch than that of the last mesh.
//!
//! | kind | header's numbers | body |
//! |---|---|---|
//! | 1 mesh | 0, 0 | [`Mesh`] as JSON |
//! | 2 indices | faces, sticks (and after them springs) | `u32` x 3 a face, then `u32` x 2 a stick; of those that are gone all `0xffffffff` |
//! | 3 removed | faces, sticks | numbers of the faces, then of the sticks, that went since the last 2 or 3 |
//! | 4 frame | step, vertices | `f32` x 3 a vertex, m; then for each collider place (`f32` x 3, m) and turn (quaternion, `f32` x 4: x y z w) |
//! | 5 rests | sticks and springs, 0 | rest length of each, `f32`, m |

//!
//! # Limits
//!
//! Whatever a page sends, the host answers the others, and its memory does not grow:
//!
//! | limit | | beyond it |
//! |---|--:|---|
//! | [`SOCKETS_MAX`]: pages of a server at the same time | 32 | HTTP status 503 and a sentence, which the page shows |
//! | [`COMMAND_BYTES_MAX`]: bytes of a command, and of a WebSocket frame | 4096 | the server closes the socket |
//! | [`COMMANDS_QUEUED_MAX`]: commands of a page that the server has read and not yet followed | 32 | it reads no more from that socket until there is room (back pressure) |
//! | [`HELD_MAX`]: particles that a page holds | 64 | [`Notice::Error`] |
//! | [`TIMES_OWN_SIZE_MAX`]: the size of a scene, as a multiple of its own | 8 (or the size that `taut view` began with) | [`Notice::Error`] |
//! | errors that wait for a page that takes no messages | 16 | the oldest are dropped |
//! | other messages that wait for a page | 1 | what has changed is told in the next one |
//!
//! Commands that begin or plan a simulation again (`scene`, `set`, `gravity`, `wind`, `tethers`, `reset`, `race`)
//! are expensive. The server follows one of them a turn, of one page after the other. After one that
//! made another topology the next waits until all pages have been told, for at most 0.1 s. A page
//! that sends more of them than that waits for its own; commands of a page keep their order.
//! Commands of a page that has gone are dropped.

use serde::{Deserialize, Deserializer, Serialize};

/// The most pages that a server has at the same time.
pub const SOCKETS_MAX: usize = 32;

/// The most bytes of a command, and of a frame of the WebSocket.
pub const COMMAND_BYTES_MAX: usize = 4096;

/// The most commands of a page that a server has read and not yet followed.
pub const COMMANDS_QUEUED_MAX: usize = 32;

/// The most particles that a page holds.
pub const HELD_MAX: usize = 64;

/// The largest size that a page may ask for, as a multiple of the scene's own size.
pub const TIMES_OWN_SIZE_MAX: usize = 8;

/// What a page asks for.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub enum Command {
    /// Another scene, or the same in another size, from its beginning.
    Scene {
        /// A name of the library, or `file`.
        scene: String,
        /// The size, in the unit that [`State::size_is`] names. Absent: the scene's default size.
        #[serde(default)]
        size: Option<usize>,
    },
    /// Other settings, from the present state where that is possible.
    Set(Change),
    /// The page takes hold of a particle.
    Grab {
        /// Which.
        particle: usize,
    },
    /// Where a particle that the page holds is at the end of the next step.
    Drag {
        /// Which.
        particle: usize,
        /// Where, m; in the plane the last number is nothing.
        to: [f32; 3],
    },
    /// The page lets go of a particle.
    Release {
        /// Which.
        particle: usize,
    },
    /// A blade: in space a segment that sweeps from one place to another, in the plane the
    /// segment between the first points of the two.
    Cut {
        /// Where the segment was, m.
        from: [[f32; 3]; 2],
        /// Where it is, m.
        to: [[f32; 3]; 2],
    },
    /// Gravity, or none.
    Gravity {
        /// Whether there is any.
        on: bool,
    },
    /// Wind, or none: what pushes in the scene; a breeze where nothing does.
    Wind {
        /// Whether there is any.
        on: bool,
    },
    /// Tethers to the pinned particles, or none.
    Tethers {
        /// Whether there are any.
        on: bool,
    },
    /// Time stands still, or goes on.
    Pause {
        /// Whether it stands still.
        on: bool,
    },
    /// One step, also while time stands still.
    Step,
    /// From the beginning, with the settings as they are.
    Reset,
    /// Starts a race, which runs the same scene on a second kernel and compares, or ends it.
    Race {
        /// Which; none ends the race.
        #[serde(default)]
        kernel: Option<String>,
        /// On which instruction set; the best if there is none.
        #[serde(default)]
        instructions: Option<String>,
    },
    /// The page is ready for one more frame.
    Next,
}

impl Command {
    /// Whether it begins or plans a simulation again, and may take long.
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
#[allow(clippy::option_option, reason = "not there, null, and a value are three things")]
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Change {
    /// By name; null is the best for each part.
    #[serde(deserialize_with = "there")]
    pub kernel: Option<Option<String>>,
    /// By name; null is the best of the kernel's.
    #[serde(deserialize_with = "there")]
    pub instructions: Option<Option<String>>,
    /// By name.
    #[serde(deserialize_with = "there")]
    pub formula: Option<Option<String>>,
    /// By name.
    #[serde(deserialize_with = "there")]
    pub schedule: Option<Option<String>>,
    /// On how many threads; null is 1.
    #[serde(deserialize_with = "there")]
    pub threads: Option<Option<usize>>,
    /// Into how many substeps a step is cut.
    #[serde(deserialize_with = "there")]
    pub substeps: Option<Option<u32>>,
    /// How often a pass relaxes all sticks.
    #[serde(deserialize_with = "there")]
    pub iterations: Option<Option<u32>>,
    /// How often a substep relaxes, and then lets obstacles keep particles out.
    #[serde(deserialize_with = "there")]
    pub passes: Option<Option<u32>>,
    /// Rate at which a free particle loses velocity, 1/s.
    #[serde(deserialize_with = "there")]
    pub damping_rate: Option<Option<f32>>,
    /// Of every stick, m/N.
    #[serde(deserialize_with = "there")]
    pub compliance: Option<Option<f32>>,
    /// Of every stick, above 0 and at most 1.
    #[serde(deserialize_with = "there")]
    pub stiffness: Option<Option<f32>>,
    /// At how many times its rest length every stick tears.
    #[serde(deserialize_with = "there")]
    pub tear: Option<Option<f32>>,
}

/// A field that is there, be it null.
#[allow(clippy::option_option, reason = "not there, null, and a value are three things")]
fn there<'de, T: Deserialize<'de>, R: Deserializer<'de>>(
    from: R,
) -> Result<Option<Option<T>>, R::Error> {
    Option::deserialize(from).map(Some)
}

/// What the host says in words.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "say", rename_all = "lowercase")]
pub enum Notice {
    /// What there is and what is in force.
    State(Box<State>),
    /// How it is doing.
    Figures(Figures),
    /// What cannot be done, in a sentence.
    Error {
        /// The sentence.
        text: String,
    },
}

/// What there is and what is in force.
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the page")]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct State {
    /// The scenes that there are.
    pub scenes: Vec<SceneEntry>,
    /// Which of them this is.
    pub scene: String,
    /// 2 or 3.
    pub dimensions: usize,
    /// Sizes to offer; none for a file. Others are taken, too.
    pub sizes: Option<Vec<usize>>,
    /// Its size.
    pub size: Option<usize>,
    /// What the size counts.
    pub size_is: Option<&'static str>,
    /// The kernels that there are, the widest first.
    pub kernels: Vec<KernelEntry>,
    /// The formulas that there are.
    pub formulas: Vec<String>,
    /// The orders that this scene can have.
    pub schedules: Vec<String>,
    /// The most threads.
    pub threads: usize,
    /// What is in force.
    pub settings: InForce,
    /// Whether there is gravity.
    pub gravity: bool,
    /// Whether there is wind.
    pub wind: bool,
    /// Whether particles have tethers to the pinned ones.
    pub tethers: bool,
    /// Whether time stands still.
    pub paused: bool,
    /// Who races.
    pub race: Option<Racer>,
    /// How much there is.
    pub counts: Counts,
    /// What it runs on.
    pub machine: String,
    /// Where the particles are at the beginning: the least corner and the greatest, m. If there are
    /// none, both are the origin.
    pub bounds: [[f32; 3]; 2],
    /// The length of a step, s.
    pub step: f32,
}

/// A scene to choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SceneEntry {
    /// Its name.
    pub name: String,
    /// What happens in it, in a line.
    pub about: String,
    /// 2 or 3.
    pub dimensions: usize,
}

/// A kernel to choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KernelEntry {
    /// Its name.
    pub name: &'static str,
    /// The instruction sets that it has here, the widest first.
    pub instructions: Vec<&'static str>,
    /// Why it is not for this scene.
    pub reason: Option<&'static str>,
}

/// The settings in force; null where sticks differ, or where there is no such thing.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct InForce {
    /// The kernel of the largest part.
    pub kernel: String,
    /// Its instruction set.
    pub instructions: String,
    /// The formula.
    pub formula: String,
    /// The order of the sticks.
    pub schedule: String,
    /// On how many threads.
    pub threads: usize,
    /// Substeps of a step.
    pub substeps: u32,
    /// Relaxations of a pass.
    pub iterations: u32,
    /// Passes of a substep.
    pub passes: u32,
    /// Rate at which a free particle loses velocity, 1/s.
    pub damping_rate: f32,
    /// Of every stick, m/N.
    pub compliance: Option<f32>,
    /// Of every stick.
    pub stiffness: Option<f32>,
    /// At how many times its rest length every stick tears.
    pub tear: Option<f32>,
}

/// Who races against the kernel of the settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Racer {
    /// The kernel of the largest part.
    pub kernel: String,
    /// Its instruction set.
    pub instructions: String,
}

/// How much there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Particles.
    pub particles: usize,
    /// Sticks, torn ones too.
    pub sticks: usize,
    /// Faces, those that are gone too.
    pub faces: usize,
    /// Torn sticks, when this was said; [`Figures`] have it anew.
    pub torn: usize,
}

/// How it is doing.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Figures {
    /// What a step takes, drawing apart: the median of the tenths of the last second, ms.
    pub milliseconds: f64,
    /// What of it the sticks take, ms.
    pub sticks_milliseconds: f64,
    /// What a stick and iteration takes, ns.
    pub nanoseconds: f64,
    /// Relaxations of a stick in a second of computing.
    pub sticks_per_second: f64,
    /// Divisions of a step.
    pub divisions: u64,
    /// Square roots of a step.
    pub roots: u64,
    /// Root mean square of the stretch of sticks that are too long, as a fraction.
    pub rms: f64,
    /// The largest stretch, as a fraction.
    pub max: f64,
    /// Root mean square of the compression of sticks that are too short, as a fraction.
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
    /// Whether it blew up, and stands still until it is reset.
    pub blown: bool,
    /// How the race goes.
    pub race: Option<RaceFigures>,
}

/// How the race goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct RaceFigures {
    /// What a step takes the other kernel, ms.
    pub milliseconds: f64,
    /// Whether all positions were equal, to the bit, after every step so far.
    pub equal: bool,
    /// The first step after which they were not.
    pub first_difference: Option<u64>,
}

/// What does not change until the next epoch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mesh {
    /// How many vertices a frame has.
    pub vertices: usize,
    /// How many of them, the first, are the particles.
    pub particles: usize,
    /// The models.
    pub parts: Vec<Part>,
    /// What keeps particles out.
    pub colliders: Vec<Collider>,
    /// Particles that are pinned from the beginning.
    pub pinned: Vec<u32>,
    /// Sticks that are better not drawn: those that keep a posture, and one-sided ones.
    pub thin: Vec<u32>,
    /// Particles that are balls, with their radii, m.
    pub radii: Vec<(u32, f32)>,
}

/// A model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// Its name in the scene.
    pub name: String,
    /// What it looks like: `cloth`, `rope`, `plant`, `body`, `ragdoll` or `grains`.
    pub look: &'static str,
    /// The first of its faces, and how many.
    pub faces: [usize; 2],
    /// The first of its sticks, and how many.
    pub sticks: [usize; 2],
    /// The first of its particles, and how many.
    pub particles: [usize; 2],
    /// How many particles a row has, if it is a regular sheet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<usize>,
}

/// What keeps particles out, in its own place; frames say where it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "shape", rename_all = "kebab-case")]
pub enum Collider {
    /// A ball about the origin, in the plane a disc.
    Sphere {
        /// m.
        radius: f32,
    },
    /// All that is near a line along y.
    Capsule {
        /// m.
        radius: f32,
        /// Half the length of the line, m.
        half: f32,
    },
    /// A box about the origin.
    Cuboid {
        /// Half its edges, m.
        half: [f32; 3],
    },
    /// Everything below y = 0.
    HalfSpace,
    /// Everything outside of a box about the origin.
    Bounds {
        /// Half its edges, m.
        half: [f32; 3],
    },
    /// Triangles.
    Mesh {
        /// x, y, z of each point, m.
        points: Vec<f32>,
        /// Three points each.
        triangles: Vec<u32>,
    },
}

/// What goes to a page, as it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// JSON.
    Text(String),
    /// A header and a body.
    Binary(Vec<u8>),
}

impl Message {
    /// In words.
    pub(crate) fn say(what: &Notice) -> Self {
        Self::Text(serde_json::to_string(what).expect("names are strings"))
    }
}

/// What a binary message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Kind {
    /// A [`Mesh`].
    Mesh = 1,
    /// Corners of faces, ends of sticks.
    Indices = 2,
    /// What went.
    Removed = 3,
    /// Where everything is.
    Frame = 4,
    /// Rest lengths of sticks.
    Rests = 5,
}

/// A binary message that is being written.
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    /// With its header, and room for as many bytes.
    pub(crate) fn new(kind: Kind, epoch: u32, [a, b]: [usize; 2], bytes: usize) -> Self {
        let mut writer = Self(Vec::with_capacity(16 + bytes));
        writer.names([kind as u32, epoch, a as u32, b as u32]);
        writer
    }

    pub(crate) fn numbers(&mut self, numbers: impl IntoIterator<Item = f32>) {
        self.0.extend(numbers.into_iter().flat_map(f32::to_le_bytes));
    }

    /// As numbers one after the other; a great many take no time to speak of.
    pub(crate) fn rows(&mut self, rows: &[[f32; 3]]) {
        let begun = self.0.len();
        self.0.resize(begun + size_of_val(rows), 0);
        for (bytes, number) in self.0[begun..].chunks_exact_mut(4).zip(rows.as_flattened()) {
            bytes.copy_from_slice(&number.to_le_bytes());
        }
    }

    pub(crate) fn names(&mut self, names: impl IntoIterator<Item = u32>) {
        self.0.extend(names.into_iter().flat_map(u32::to_le_bytes));
    }

    pub(crate) fn json(&mut self, mesh: &Mesh) {
        serde_json::to_writer(&mut self.0, mesh).expect("names are strings, and memory takes all");
    }

    pub(crate) fn finish(self) -> Message {
        Message::Binary(self.0)
    }
}
