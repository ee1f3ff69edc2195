//! The host by its messages, and the server by its sockets.
