//! Registers by their operations, on every instruction set of this machine; and the sharing out
//! of work.

mod array;
mod machines;
mod operations;
mod team;
