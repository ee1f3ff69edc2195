//! The host by its messages, and the server by its sockets.
#![allow(clippy::float_cmp, reason = "what is the same here is the same to the bit")]

mod allowed_hosts;
mod commands;
mod hear;
mod messages;
mod races;
mod server;
mod trouble;
