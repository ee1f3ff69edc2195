//! The host as WebAssembly: a thin door for the page's worker (`apps/view/web/worker.js`), made by
//! `scripts/web.sh`. There is one host, on one thread.
//!
//! | export | what it does |
//! |---|---|
//! | `begin()` | makes the host and connects the page; before that all others do nothing |
//! | `command(length)` | returns where to write a command of so many bytes of UTF-8 |
//! | `receive()` | takes that command |
//! | `advance(seconds)` | so much time went by |
//! | `due()` | seconds until the next step; below 0 while nothing moves |
//! | `take()` | makes the next message; returns 0 if there is none, 1 for text, 2 for bytes |
//! | `message()`, `message_length()` | where that message is, until the next call |
//!
//! It imports `page.now()`: seconds since some moment, for figures.
//!
//! What is returned is an address in the module's memory, valid until the next call of any export;
//! the worker copies at once. Nothing here reads through an address that it was given, so there is
//! no `unsafe` but that of names without mangling, and of the import.
#![cfg(target_arch = "wasm32")]
#![allow(unsafe_code, reason = "exported names, and an imported function")]

use std::cell::RefCell;

use taut_view::{Host, Message, Options, PageId};

#[link(wasm_import_module = "page")]
// SAFETY: the worker provides it, as a function of this type; it has no effect on memory.
unsafe extern "C" {
    safe fn now() -> f64;
}

/// The host and its page, and the two messages that are on their way.
#[derive(Default)]
struct Door {
    host: Option<(Host, PageId)>,
    command: Vec<u8>,
    message: Vec<u8>,
}

thread_local! {
    static DOOR: RefCell<Door> = RefCell::default();
}

fn with<R>(act: impl FnOnce(&mut Door) -> R) -> R {
    DOOR.with_borrow_mut(act)
}

/// Makes the host: the curtain, until the page asks for something else.
// SAFETY: no other export has this name; so below.
#[unsafe(no_mangle)]
pub extern "C" fn begin() {
    let options = Options {
        machine: "WebAssembly".to_owned(),
        stopwatch: Box::new(|| now()),
        ..Options::default()
    };
    if let Ok(mut host) = Host::new(options) {
        let page = host.connect();
        with(|door| door.host = Some((host, page)));
    }
}

/// Where to write a command of so many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn command(length: usize) -> *mut u8 {
    with(|door| {
        door.command.clear();
        door.command.resize(length, 0);
        door.command.as_mut_ptr()
    })
}

/// Takes the command that was written.
#[unsafe(no_mangle)]
pub extern "C" fn receive() {
    with(|door| {
        if let Some((host, page)) = &mut door.host {
            host.receive(*page, &String::from_utf8_lossy(&door.command));
        }
    });
}

/// So many seconds went by.
#[unsafe(no_mangle)]
pub extern "C" fn advance(seconds: f64) {
    with(|door| {
        if let Some((host, _)) = &mut door.host {
            host.advance(seconds);
        }
    });
}

/// Seconds until the next step; below 0 while nothing moves.
#[unsafe(no_mangle)]
pub extern "C" fn due() -> f64 {
    with(|door| door.host.as_ref().and_then(|(host, _)| host.due()).unwrap_or(-1.0))
}

/// Makes the next message: 0 if there is none, 1 for text, 2 for bytes.
#[unsafe(no_mangle)]
pub extern "C" fn take() -> u32 {
    with(|door| {
        let Some((host, page)) = &mut door.host else { return 0 };
        let (kind, bytes) = match host.take(*page) {
            None => (0, Vec::new()),
            Some(Message::Text(text)) => (1, text.into_bytes()),
            Some(Message::Binary(bytes)) => (2, bytes),
        };
        door.message = bytes;
        kind
    })
}

/// Where the message is.
#[unsafe(no_mangle)]
pub extern "C" fn message() -> *const u8 {
    with(|door| door.message.as_ptr())
}

/// How many bytes it has.
#[unsafe(no_mangle)]
pub extern "C" fn message_length() -> usize {
    with(|door| door.message.len())
}
