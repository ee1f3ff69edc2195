//! The host by its messages, and the server by its sockets.

mod commands;
mod hear;
mod messages;
mod races;
mod server;
mod trouble;
