//! The boundary between Rust and C: arguments as a C program passes them, and what must hold after each
//! call.

use std::ffi::{CStr, c_char};
use std::ptr;

use arbitrary::{Arbitrary, Result, Unstructured};
use taut_c::{
    Info, Point, Settings, Status, World, taut_last_error, taut_world_free, taut_world_hash,
    taut_world_info,
};

/// What is wrong with the arguments of a call. A fault has no effect on calls without such arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// The pointer to the world is NULL.
    NullWorld,
    /// The pointer to an output is NULL.
    NullOutput,
    /// The pointer to an array, a text or settings is NULL.
    NullArray,
    /// The pointer to an array is not aligned to its elements.
    Unaligned,
    /// The length of an array is one more than the call expects.
    Longer,
    /// The length of an array is one less than the call expects.
    Shorter,
    /// The length of an array or a text is `usize::MAX`, larger than memory.
    Endless,
    /// A text is not UTF-8.
    NotUtf8,
}

impl<'a> Arbitrary<'a> for Fault {
    fn arbitrary(input: &mut Unstructured<'a>) -> Result<Self> {
        Ok(match input.arbitrary::<u8>()? {
            0xe0..=0xe3 => Self::NullWorld,
            0xe4..=0xe7 => Self::NullOutput,
            0xe8..=0xeb => Self::NullArray,
            0xec..=0xef => Self::Unaligned,
            0xf0..=0xf3 => Self::Longer,
            0xf4..=0xf7 => Self::Shorter,
            0xf8..=0xfb => Self::Endless,
            0xfc..=0xff => Self::NotUtf8,
            _ => Self::None,
        })
    }
}

impl Fault {
    /// A pointer to an output, or NULL.
    pub fn output<T>(self, output: &mut T) -> *mut T {
        if self == Self::NullOutput { ptr::null_mut() } else { output }
    }

    /// The error of a call that requires its output, if the pointer to the output is NULL.
    pub fn output_error(self) -> Option<Status> {
        (self == Self::NullOutput).then_some(Status::NullPointer)
    }
}

/// An array, and the pointer and the length that a call gets. The array has more elements than the
/// call expects, so that a pointer that is not aligned and a length that is one too large stay within
/// the array.
pub struct Array<T> {
    elements: Vec<T>,
    length: usize,
    fault: Fault,
}

impl<T: Copy + Default> Array<T> {
    pub fn new(mut elements: Vec<T>, fault: Fault) -> Self {
        let length = elements.len();
        elements.extend([T::default(); 2]);
        Self { elements, length, fault }
    }

    pub fn pointer(&mut self) -> *mut T {
        let first = self.elements.as_mut_ptr();
        match self.fault {
            Fault::NullArray => ptr::null_mut(),
            Fault::Unaligned => first.wrapping_byte_add(1),
            _ => first,
        }
    }

    pub fn length(&self) -> usize {
        match self.fault {
            Fault::Longer => self.length + 1,
            Fault::Shorter => self.length.saturating_sub(1),
            Fault::Endless => usize::MAX,
            _ => self.length,
        }
    }

    /// The elements that the call may have written.
    pub fn elements(&self) -> &[T] {
        &self.elements[..self.length]
    }

    /// The error of a call that expects this array with its length, and checks this array first.
    pub fn error(&self) -> Option<Status> {
        match self.fault {
            Fault::NullArray if self.length > 0 => Some(Status::NullPointer),
            Fault::Unaligned if align_of::<T>() > 1 => Some(Status::WrongLength),
            Fault::Shorter if self.length == 0 => None,
            Fault::Longer | Fault::Shorter | Fault::Endless => Some(Status::WrongLength),
            _ => None,
        }
    }
}

/// A text, its pointer and its length.
pub struct Text(Vec<u8>, Fault);

impl Text {
    pub fn new(text: impl Into<Vec<u8>>, fault: Fault) -> Self {
        let mut bytes = text.into();
        if fault == Fault::NotUtf8 {
            bytes.push(0xff);
        }
        Self(bytes, fault)
    }

    pub fn pointer(&self) -> *const c_char {
        if self.1 == Fault::NullArray { ptr::null() } else { self.0.as_ptr().cast() }
    }

    pub fn length(&self) -> usize {
        if self.1 == Fault::Endless { usize::MAX } else { self.0.len() }
    }

    /// The error of a call with this text.
    pub fn error(&self) -> Option<Status> {
        match self.1 {
            Fault::NullArray if !self.0.is_empty() => Some(Status::NullPointer),
            Fault::Endless => Some(Status::WrongLength),
            _ if str::from_utf8(&self.0).is_err() => Some(Status::InvalidText),
            _ => None,
        }
    }
}

/// What a call may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Reads,
    /// The world, if the call succeeds.
    Changes,
    /// The world, also if the call fails.
    Steps,
}

/// The values that are compared to tell whether a call has changed a world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observed {
    pub hash: u64,
    pub info: Info,
}

/// Holds the message of the last failure on this thread, and checks that each status agrees with it.
pub struct Messages(String);

impl Messages {
    pub fn new() -> Self {
        Self(message())
    }

    /// Checks that the status of a call agrees with the message, and that the call did not panic.
    pub fn check(&mut self, status: Status) -> Status {
        let message = message();
        if status == Status::Ok {
            assert_eq!(message, self.0, "a call that succeeded has changed the message");
            return status;
        }
        let has = |text: &str| message.contains(text);
        let agrees = match status {
            Status::Panicked | Status::Poisoned => false,
            Status::NullPointer => message.ends_with(" is NULL"),
            Status::WrongLength => has("length") || has("aligned"),
            Status::InvalidText => has("utf-8"),
            Status::OutOfRange => message.contains(|c: char| c.is_ascii_digit()),
            _ => !message.is_empty() && !message.ends_with(" is NULL"),
        };
        assert!(agrees, "{status:?}: {message:?}");
        self.0 = message;
        status
    }
}

/// The message of the last failure on this thread.
fn message() -> String {
    // SAFETY: the pointer is valid until the next failure of this thread, and is copied here.
    let message = unsafe { CStr::from_ptr(taut_last_error()) };
    message.to_str().expect("messages are UTF-8").to_owned()
}

/// The pointer to a world, or NULL. The world is freed when this is dropped.
pub struct Owned(*mut World);

impl Owned {
    /// `world` must be NULL or a valid world that nothing else frees.
    pub fn new(world: *mut World) -> Self {
        Self(world)
    }

    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }

    pub fn pointer(&self, fault: Fault) -> *mut World {
        if fault == Fault::NullWorld { ptr::null_mut() } else { self.0 }
    }

    pub fn observe(&self) -> Observed {
        let mut hash = 0;
        let mut info = no_info();
        // SAFETY: the world is valid, and so are the outputs.
        let statuses = unsafe {
            [taut_world_hash(self.0, &raw mut hash), taut_world_info(self.0, &raw mut info)]
        };
        assert_eq!(statuses, [Status::Ok; 2]);
        Observed { hash, info }
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: the pointer is NULL or a valid world, and is not used again.
        unsafe { taut_world_free(self.0) }
    }
}

/// The content of an output before a call writes it.
pub fn no_info() -> Info {
    Info {
        dimensions: 0,
        models: 0,
        particles: 0,
        vertices: 0,
        sticks: 0,
        triangles: 0,
        lines: 0,
        drawing_version: 0,
        steps: 0,
        time: 0.0,
    }
}

/// The content of an output before a call writes it.
pub fn no_settings() -> Settings {
    Settings {
        dt: 0.0,
        substeps: 0,
        passes: 0,
        iterations: 0,
        gravity: [0.0; 3],
        damping_rate: 0.0,
    }
}

pub fn point([x, y, z]: [f32; 3]) -> Point {
    Point { x, y, z }
}
