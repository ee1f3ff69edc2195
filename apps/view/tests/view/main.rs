//! Tests the host through its commands and messages, and the server through real sockets.
#![allow(clippy::float_cmp, reason = "compared values are expected to be bit-identical")]

mod allowed_hosts;
mod commands;
mod errors;
mod messages;
mod page;
mod races;
mod server;
