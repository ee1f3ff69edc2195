//! The host as WebAssembly, for the page's worker (`apps/view/web/worker.js`). `scripts/web.sh`
//! builds it. There is one host, on one thread.
//!
//! | export | what it does |
//! |---|---|
//! | `begin()` | creates the host and connects the page; before it is called, other exports have no effect |
//! | `command(length)` | returns the address of a buffer for a command of `length` bytes of UTF-8 |
//! | `receive()` | runs the command in that buffer |
//! | `advance(seconds)` | advances time by `seconds`, and runs the steps that are due |
//! | `due()` | seconds until the next step; below 0 while the simulation is paused or has blown up |
//! | `take()` | makes the next message; returns 0 if there is none, 1 for text, 2 for bytes |
//! | `message()`, `message_length()` | address and length of that message |
//!
//! It imports `page.now()`: seconds since an arbitrary start, to measure step times.
//!
//! Returned addresses are in the module's memory: that of `command` is valid until its next call, that
//! of `message` until the next call of `take`. No export takes an address, so only the unmangled names
//! and the import are `unsafe`.
#![cfg(target_arch = "wasm32")]
#![allow(unsafe_code, reason = "exported names, and an imported function")]

use std::cell::RefCell;

use taut_view::{Host, Message, Options, PageId};

#[link(wasm_import_module = "page")]
// SAFETY: the worker provides a function of this type, which does not access memory.
unsafe extern "C" {
    safe fn now() -> f64;
}

/// The host and its page; the buffers of the next command and of the last message.
#[derive(Default)]
struct Instance {
    host: Option<(Host, PageId)>,
    command: Vec<u8>,
    message: Vec<u8>,
}

thread_local! {
    static INSTANCE: RefCell<Instance> = RefCell::default();
}

/// Runs `action` on the only instance.
fn with_instance<R>(action: impl FnOnce(&mut Instance) -> R) -> R {
    INSTANCE.with_borrow_mut(action)
}

/// Creates the host with the scene `curtain`, and connects the page.
// SAFETY: no other export has this name. The same holds for the exports below.
#[unsafe(no_mangle)]
pub extern "C" fn begin() {
    let options = Options {
        machine: "WebAssembly".to_owned(),
        stopwatch: Box::new(|| now()),
        ..Options::default()
    };
    if let Ok(mut host) = Host::new(options) {
        let page = host.connect();
        with_instance(|instance| instance.host = Some((host, page)));
    }
}

/// Returns the address of a buffer for a command of `length` bytes of UTF-8.
#[unsafe(no_mangle)]
pub extern "C" fn command(length: usize) -> *mut u8 {
    with_instance(|instance| {
        instance.command.clear();
        instance.command.resize(length, 0);
        instance.command.as_mut_ptr()
    })
}

/// Runs the command in the buffer that `command` returned.
#[unsafe(no_mangle)]
pub extern "C" fn receive() {
    with_instance(|instance| {
        if let Some((host, page)) = &mut instance.host {
            host.receive(*page, &String::from_utf8_lossy(&instance.command));
        }
    });
}

/// Advances time by `seconds`, and runs the steps that are due.
#[unsafe(no_mangle)]
pub extern "C" fn advance(seconds: f64) {
    with_instance(|instance| {
        if let Some((host, _)) = &mut instance.host {
            host.advance(seconds);
        }
    });
}

/// Seconds until the next step; below 0 while the simulation is paused or has blown up, or if there is
/// no host.
#[unsafe(no_mangle)]
pub extern "C" fn due() -> f64 {
    with_instance(|instance| {
        instance.host.as_ref().and_then(|(host, _)| host.seconds_until_step()).unwrap_or(-1.0)
    })
}

/// Makes the next message. Returns 0 if there is none, 1 for text, 2 for bytes.
#[unsafe(no_mangle)]
pub extern "C" fn take() -> u32 {
    with_instance(|instance| {
        let Some((host, page)) = &mut instance.host else { return 0 };
        let (kind, bytes) = match host.take(*page) {
            None => (0, Vec::new()),
            Some(Message::Text(text)) => (1, text.into_bytes()),
            Some(Message::Binary(bytes)) => (2, bytes),
        };
        instance.message = bytes;
        kind
    })
}

/// The address of the message that `take` made last.
#[unsafe(no_mangle)]
pub extern "C" fn message() -> *const u8 {
    with_instance(|instance| instance.message.as_ptr())
}

/// The length in bytes of the message that `take` made last.
#[unsafe(no_mangle)]
pub extern "C" fn message_length() -> usize {
    with_instance(|instance| instance.message.len())
}
