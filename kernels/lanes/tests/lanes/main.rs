//! Tests of register operations, on every instruction set of this machine, and of teams.

mod array;
mod machines;
mod operations;
mod team;
