//! Tests of register operations, on every instruction set of this machine, and of teams.

mod array;
mod machines;
mod masks;
mod operations;
mod team;
