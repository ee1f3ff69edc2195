//! Live viewer for Taut's scenes. A [`Host`] runs a simulation, executes the commands of connected
//! pages, and makes the messages that they draw from ([`protocol`]). The host does no I/O, so it
//! runs behind a WebSocket as well as inside a page (WebAssembly in a worker).
//!
//! With the feature `server`, a `Server` serves it to browsers on this machine. The server uses
//! `axum` for files, headers and `WebSockets` on one port (`tungstenite` alone would need an HTTP
//! parser of our own) and `rust-embed` to include the page in the executable.
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
