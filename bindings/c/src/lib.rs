//! Taut's worlds for C and C++: `include/taut.h`, which cbindgen makes from this crate.
//! `docs/bindings.md` shows how to use it.
//!
//! # Pointers
//!
//! A world is valid from the call that creates it to `taut_world_free`. One thread at a time may use
//! a world; it may be a different thread for each call. The length of an array counts its elements,
//! not bytes; an array of length 0 may be NULL. An argument that a call writes to must not overlap
//! another argument.
//!
//! # Errors
//!
//! A call that returns another status than `TAUT_STATUS_OK` or `TAUT_STATUS_PANICKED` has written nothing
//! to its outputs. It has left the world unchanged, except that steps before a step that fails are kept.
//! No panic unwinds into C. If a call panics, its outputs and its world are in an unspecified state:
//! every later call but `taut_world_free` returns `TAUT_STATUS_POISONED`.

mod change;
mod create;
#[doc(hidden)]
pub mod guard;
mod lend;
mod read;
mod settings;
mod state;
mod status;

use std::ffi::c_char;

pub use change::*;
pub use create::*;
pub use lend::*;
pub use read::*;
pub use settings::*;
pub use state::*;
pub use status::Status;

pub use guard::World;

/// The version of this interface: it changes when programs must be recompiled.
pub const TAUT_ABI_VERSION: u32 = 1;

/// The `TAUT_ABI_VERSION` of the library that the program runs with. A program that loads the
/// library at run time compares it with that of its header.
#[unsafe(no_mangle)]
pub extern "C" fn taut_abi_version() -> u32 {
    TAUT_ABI_VERSION
}

/// The message of the last call of this thread that failed, as UTF-8 that ends with NUL; empty if
/// none failed. Each thread has its own message. It is valid until the next call of this thread that
/// fails.
#[unsafe(no_mangle)]
pub extern "C" fn taut_last_error() -> *const c_char {
    guard::last_error()
}
