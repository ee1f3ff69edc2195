//! The messages between a page and the host.
//!
//! The page sends text messages, each with one [`Command`] as JSON. The host sends text messages, each
//! with one [`Notice`] as JSON, and binary messages: a header of four `u32` (kind, epoch and two
//! numbers) and a body, all little-endian. Particles, sticks and faces are identified by their numbers in
//! the world, which tearing does not change. The epoch is the version of the topology: a page ignores messages whose
//! epoch differs from that of the last mesh.
//!
//! | kind | header numbers | body |
//! |---|---|---|
//! | 1 mesh | 0, 0 | [`Mesh`] as JSON |
//! | 2 indices | number of faces; number of sticks, springs and ties together, in this order | `u32` x 3 per face, then `u32` x 2 per stick; all `0xffffffff` if removed |
//! | 3 removed | number of faces, number of sticks | numbers of the faces, then of the sticks, that were removed since the last message of kind 2 or 3 |
//! | 4 frame | number of the step, number of vertices | `f32` x 3 per vertex, m, NaN for particles of emitters that are not alive and for the ends of broken ties; then for each obstacle of the mesh its position (`f32` x 3, m) and rotation (quaternion, `f32` x 4: x y z w) |
//! | 5 rests | number of sticks, springs and ties together; 0 | rest length of each, `f32`, m; 0 for ties |
//!
//! # Limits
//!
//! Because of these limits, no page can block the other pages or make the memory of the host grow:
//!
//! | limit | value | when exceeded |
//! |---|--:|---|
//! | [`SOCKETS_MAX`]: connected pages | 32 | HTTP status 503 and a message, which the page shows |
//! | [`COMMAND_BYTES_MAX`]: bytes of a command, and of a WebSocket frame | 4096 | the server closes the socket |
//! | [`COMMANDS_QUEUED_MAX`]: queued commands of a page | 32 | the server stops reading from that socket until there is room (back pressure) |
//! | [`HELD_MAX`]: particles that a page holds | 64 | [`Notice::Error`] |
//! | [`SIZE_FACTOR_MAX`]: size of a scene, as a multiple of its default size | 8, or the size with which `taut view` was started if that is larger | [`Notice::Error`] |
//! | queued errors for a page that does not receive its messages | 16 | the oldest are dropped |
//! | other queued messages for a page | 1 | the next message has the newest state |
//!
//! Commands that load or restart a scene, change settings, or start or stop a race (`scene`, `set`, `gravity`, `wind`,
//! `tethers`, `collisions`, `sleep`, `reset`, `race`) are expensive: most of them make new worlds or plans. The server
//! runs commands in turns, each of which starts with the next page and runs at most one expensive command. If that
//! command changed the topology, the next expensive command waits until all pages have been sent the new topology,
//! but at most 0.1 s. Commands of a page keep their order. Commands of a disconnected page are dropped.

mod binary;
mod command;
mod notice;

pub(crate) use binary::Writer;
pub use binary::{DrawnModel, Mesh, MessageKind, ObstacleShape};
pub use command::{Change, CollisionFilter, Command};
pub use notice::{
    ComparisonFigures, ComparisonKernel, Counts, CurrentSettings, Figures, KernelEntry,
    ModelFilter, Notice, SceneEntry, State,
};

/// Maximum number of pages that are connected to a server at a time.
pub const SOCKETS_MAX: usize = 32;

/// Maximum number of bytes of a command, and of a WebSocket frame.
pub const COMMAND_BYTES_MAX: usize = 4096;

/// Maximum number of commands of a page that a server has read and not yet run.
pub const COMMANDS_QUEUED_MAX: usize = 32;

/// Maximum number of particles that a page holds at a time.
pub const HELD_MAX: usize = 64;

/// Maximum number of models whose collision filters are in a [`Notice::State`].
pub const FILTERS_MAX: usize = 64;

/// The largest size that a page may request, as a multiple of the scene's default size.
pub const SIZE_FACTOR_MAX: usize = 8;

/// An encoded message for a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// A [`Notice`] as JSON.
    Text(String),
    /// A header and a body: see the [module](self).
    Binary(Vec<u8>),
}

impl Message {
    /// Encodes a notice.
    pub(crate) fn from_notice(notice: &Notice) -> Self {
        Self::Text(serde_json::to_string(notice).expect("map keys are strings"))
    }
}
