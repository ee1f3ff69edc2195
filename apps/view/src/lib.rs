//! Live viewer for Taut's scenes. A [`Host`] runs a simulation, executes the commands of connected
//! pages, and produces the messages that the pages draw ([`protocol`]). The host does no I/O, so it
//! can run behind a WebSocket or inside a page (as WebAssembly in a worker).
//!
//! With the feature `server`, a `Server` serves the page to browsers on this machine, and connects
//! the pages to the host. It uses `axum`, which serves files and `WebSockets` on one port
//! (`tungstenite` has no HTTP server), and `rust-embed`, which includes the page in the executable.
#![forbid(unsafe_code)]

mod host;
mod kernels;
mod pages;
pub mod protocol;
mod request;
#[cfg(feature = "server")]
mod server;
mod session;
mod step_timer;

pub use host::{Host, HostError, Options};
pub use pages::PageId;
pub use protocol::Message;
#[cfg(feature = "server")]
pub use server::{ServeError, Server};
