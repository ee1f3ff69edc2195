//! What all calls have in common: they check pointers, catch panics and record errors.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;

use taut_rs::AnyWorld;

use crate::status::{Failure, Status};

/// A world of two or three dimensions.
pub struct World {
    pub(crate) inner: AnyWorld,
    /// Set during each call, so that it stays set if the call panics.
    poisoned: bool,
    /// The bytes of the last snapshot.
    pub(crate) snapshot: Vec<u8>,
    /// The drawing version at the last count, and the numbers of triangles and lines then.
    pub(crate) counts: Option<(u64, [usize; 2])>,
}

// Checks at compile time that a world is `Send`: different threads may use it, one at a time.
const _: fn() = || {
    fn sendable<T: Send>() {}
    sendable::<World>();
};

impl World {
    pub(crate) fn new(inner: AnyWorld) -> Self {
        Self { inner, poisoned: false, snapshot: Vec::new(), counts: None }
    }
}

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

pub(crate) fn last_error() -> *const c_char {
    // The pointer is valid until the next failure of this thread replaces the string.
    LAST_ERROR.try_with(|message| message.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

/// Runs a call; records its error, or the message of its panic.
pub(crate) fn guard(call: impl FnOnce() -> Result<(), Failure>) -> Status {
    // Unwind safety: only the state of a world can be inconsistent after a panic, and that world is then poisoned.
    let result = catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let message = format!("the call panicked: {}", panic_message(&*panic));
        Err(Failure::new(Status::Panicked, message))
    });
    let Err(Failure { status, message }) = result else { return Status::Ok };
    let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
    // `try_with` fails only while the thread ends. The message is then lost, but the status is returned.
    let _ = LAST_ERROR.try_with(|last| last.replace(message));
    status
}

/// Runs a call on a world. A pointer that is NULL and a poisoned world are errors.
///
/// # Safety
/// `world` must be NULL or a [valid](crate#pointers) world.
pub unsafe fn with_world(
    world: *mut World,
    call: impl FnOnce(&mut World) -> Result<(), Failure>,
) -> Status {
    guard(|| {
        // SAFETY: the pointer is NULL or a valid world, which nothing else uses now.
        let world = unsafe { world.as_mut() }.ok_or_else(|| Failure::null("world"))?;
        if world.poisoned {
            let message = "an earlier call panicked in this world: it can only be freed";
            return Err(Failure::new(Status::Poisoned, message));
        }
        world.poisoned = true;
        let result = call(world);
        world.poisoned = false;
        result
    })
}

/// Runs a call that computes a value, and writes the value to `out`.
///
/// # Safety
/// `world` must be NULL or a [valid](crate#pointers) world, and `out` NULL or may be written.
pub(crate) unsafe fn read_to<T>(
    world: *mut World,
    out: *mut T,
    read: impl FnOnce(&mut World) -> Result<T, Failure>,
) -> Status {
    let read = |world: &mut World| {
        check_output(out, "out")?;
        let value = read(world)?;
        // SAFETY: `out` is not NULL, and the caller promises that it may be written.
        unsafe { out.write(value) };
        Ok(())
    };
    // SAFETY: the promise of the caller.
    unsafe { with_world(world, read) }
}

/// Runs a call that fills the array `to` of the caller, which has `length` elements.
///
/// # Safety
/// `world` must be NULL or a [valid](crate#pointers) world; for `to` see [`array_mut`].
pub(crate) unsafe fn copy_to<T: Copy>(
    world: *mut World,
    to: *mut T,
    length: usize,
    copy: impl FnOnce(&mut World, &mut [T]) -> Result<(), Failure>,
) -> Status {
    let copy = |world: &mut World| {
        // SAFETY: the promise of the caller.
        copy(world, unsafe { array_mut(to, length, "to") }?)
    };
    // SAFETY: the promise of the caller.
    unsafe { with_world(world, copy) }
}

fn check_array<T>(array: *const T, length: usize, name: &str) -> Result<(), Failure> {
    if array.is_null() && length > 0 {
        return Err(Failure::null(name));
    }
    if !array.is_aligned() {
        let message = format!("{name} is not aligned to {} bytes", align_of::<T>());
        return Err(Failure::new(Status::WrongLength, message));
    }
    if length > isize::MAX.unsigned_abs() / size_of::<T>() {
        let message = format!("{name} has the length {length}, more than memory can hold");
        return Err(Failure::new(Status::WrongLength, message));
    }
    Ok(())
}

/// The array of the caller, to read, after its pointer and its length are checked. Errors contain `name`.
///
/// # Safety
/// `array` must be NULL or point to `length` initialized elements, which nothing changes during `'a`.
pub(crate) unsafe fn array<'a, T: Copy>(
    array: *const T,
    length: usize,
    name: &str,
) -> Result<&'a [T], Failure> {
    check_array(array, length, name)?;
    if length == 0 {
        return Ok(&[]);
    }
    // SAFETY: it is not NULL and is aligned, and the caller promises that it has `length` elements.
    Ok(unsafe { slice::from_raw_parts(array, length) })
}

/// The array of the caller, to fill, after its pointer and its length are checked. Errors contain `name`.
///
/// # Safety
/// `array` must be NULL or point to `length` initialized elements, which nothing else reads or
/// changes during `'a`.
pub(crate) unsafe fn array_mut<'a, T: Copy>(
    array: *mut T,
    length: usize,
    name: &str,
) -> Result<&'a mut [T], Failure> {
    check_array(array, length, name)?;
    if length == 0 {
        return Ok(&mut []);
    }
    // SAFETY: it is not NULL and is aligned, and the caller promises that it has `length` elements.
    Ok(unsafe { slice::from_raw_parts_mut(array, length) })
}

/// The text of the caller, after its pointer, its length and its encoding are checked. Errors contain `name`.
///
/// # Safety
/// As [`array`].
pub(crate) unsafe fn text<'a>(
    text: *const c_char,
    length: usize,
    name: &str,
) -> Result<&'a str, Failure> {
    // SAFETY: the promise of the caller; `c_char` and `u8` have the same size, and all bits of a `u8` are valid.
    let bytes = unsafe { array(text.cast::<u8>(), length, name) }?;
    str::from_utf8(bytes)
        .map_err(|error| Failure::new(Status::InvalidText, format!("{name}: {error}")))
}

/// Checks a pointer to an output. Calls do so before they have an effect.
pub(crate) fn check_output<T>(output: *mut T, name: &str) -> Result<(), Failure> {
    if output.is_null() { Err(Failure::null(name)) } else { check_array(output, 1, name) }
}
