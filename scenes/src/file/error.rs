//! Errors in scene files, with line numbers.

use std::error::Error;
use std::ops::Range;

use taut_world::ModelError;

use super::deserializer::{ReadError, TomlValue};

/// An error in a scene file, with its line number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct SceneFileError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl SceneFileError {
    /// Makes an error with the line of its cause: the value or key that cannot be read, or the value that a builder rejects
    /// (or else the innermost table around it that is in the document `root`).
    pub(super) fn of_value(text: &str, root: &TomlValue, error: &BuildError) -> Self {
        let (message, span) = if let Some(error) = error.downcast_ref::<ReadError>() {
            (without_type_names(&error.to_string()), error.span())
        } else {
            (error.to_string(), error.downcast_ref().map(|located| span_of(root, located)))
        };
        Self::new(text, &message, span)
    }

    /// An error at a byte range of `text`. Without a range it is at line 1.
    pub(super) fn new(text: &str, message: &str, span: Option<Range<usize>>) -> Self {
        let before = text.get(..span.map_or(0, |span| span.start)).unwrap_or(text);
        let line = 1 + before.bytes().filter(|&byte| byte == b'\n').count();
        // Joins the lines of the message into one.
        let message = message.lines().map(str::trim).collect::<Vec<_>>().join(", ");
        Self { line, message }
    }
}

/// The message of `serde`, with terms of scene files in place of the names of Rust types: a struct is a
/// table, an enum is a string or a table of one key, and unsigned integers have a range.
fn without_type_names(message: &str) -> String {
    let Some((before, name)) = message.rsplit_once("expected ") else { return message.to_owned() };
    let word = match name.split(' ').collect::<Vec<_>>()[..] {
        ["struct", _] | ["struct", "variant", _] | ["a", "map"] | ["map"] => "a table",
        ["enum", _] => "a string, or a table of one key",
        ["a", "sequence"] | ["sequence"] => "a list",
        ["an", "array", "of", "length", length] | ["a", "tuple", "of", "size", length] => {
            return format!("{before}expected a list of {length} values");
        }
        ["f32" | "f64"] => "a number",
        ["u16"] => "an integer from 0 to 65535",
        ["u32"] => "an integer from 0 to 4294967295",
        ["usize" | "u64"] => "an integer of at least 0",
        _ => name,
    };
    format!("{before}expected {word}")
}

/// Why an entry of a scene file cannot be built.
pub(super) type BuildError = Box<dyn Error>;

/// An error with the path of the value that caused it, from the innermost component outwards.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
struct Located {
    path: Vec<Component>,
    error: BuildError,
}

/// A component of the path to a value: a key of a table, or an index into a list.
#[derive(Clone, Copy, Debug)]
pub(super) enum Component {
    Key(&'static str),
    Index(usize),
}

impl From<&'static str> for Component {
    fn from(key: &'static str) -> Self {
        Self::Key(key)
    }
}

impl From<usize> for Component {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

impl Component {
    /// The value at this component of `value`.
    fn value_in<'a>(self, value: &'a TomlValue<'a>) -> Option<&'a TomlValue<'a>> {
        match self {
            Self::Index(index) => value.get_ref().get(index),
            Self::Key(key) => value.get_ref().get(key).or_else(|| {
                // An enum variant is a table with one entry, which holds the table of its fields.
                let mut variants = value.get_ref().as_table()?.values();
                let variant = variants.next().filter(|_| variants.next().is_none())?;
                variant.get_ref().get(key)
            }),
        }
    }
}

/// The byte range of the value that caused an error, or of the innermost table around it that is in
/// the document `root`.
fn span_of(root: &TomlValue, Located { path, error }: &Located) -> Range<usize> {
    let parameter = match error.downcast_ref() {
        Some(ModelError::OutOfRange { key, .. }) => Some(Component::Key(key)),
        Some(ModelError::Mass { .. }) => Some(Component::Key("mass")),
        _ => None,
    };
    let mut value = root;
    for component in path.iter().rev().copied().chain(parameter) {
        let Some(inner) = component.value_in(value) else { break };
        value = inner;
    }
    value.span()
}

/// Adds the location of a value to an error.
pub(super) trait At<T> {
    /// Marks an error as caused by the value at a key or index, or by a value inside it.
    fn at(self, component: impl Into<Component>) -> Result<T, BuildError>;
}

impl<T, E: Into<BuildError>> At<T> for Result<T, E> {
    fn at(self, component: impl Into<Component>) -> Result<T, BuildError> {
        self.map_err(|error| {
            // An error that has a location gets an outer component; any other gets a new location.
            let mut located = match error.into().downcast() {
                Ok(located) => located,
                Err(error) => Box::new(Located { path: Vec::new(), error }),
            };
            located.path.push(component.into());
            located as BuildError
        })
    }
}
