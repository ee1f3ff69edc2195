//! Taut's scenes, live: a [`Host`] runs a simulation, takes the commands of the pages that look on,
//! and makes the messages that they draw from ([`protocol`]). It does no input and output, so it
//! runs behind a web socket as well as inside of a page (WebAssembly in a worker).
//!
//! With the feature `server` a `Server` shows it to the browsers of this machine. It stands on `axum`,
//! which brings files, headers and web sockets on one port; `tungstenite` alone would bring the
//! sockets, and a parser of requests of our own. `rust-embed` puts the page into the program.
#![forbid(unsafe_code)]

mod asked;
mod course;
mod gauge;
mod host;
mod kernels;
mod pages;
pub mod protocol;
#[cfg(feature = "server")]
mod server;

pub use host::{Host, HostError, Options};
pub use pages::PageId;
pub use protocol::Message;
#[cfg(feature = "server")]
pub use server::{ServeError, Server};
