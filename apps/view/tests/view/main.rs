//! Tests the host through its messages, and the server through real sockets.
#![allow(clippy::float_cmp, reason = "equal values must be bit-identical")]

mod allowed_hosts;
mod commands;
mod errors;
mod messages;
mod page;
mod races;
mod server;
