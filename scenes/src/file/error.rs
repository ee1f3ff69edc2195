//! Errors in scene files, with their lines.

use std::error::Error;
use std::ops::Range;

use taut_world::ModelError;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// An error in a scene file, with its line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct SceneFileError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}

impl SceneFileError {
    /// An error of the TOML parser, or about a value of the text.
    pub(super) fn new(text: &str, error: &Complaint) -> Self {
        let (message, span) = match error.downcast_ref::<toml::de::Error>() {
            Some(error) => (error.message().to_owned(), error.span()),
            None => (error.to_string(), error.downcast_ref().and_then(|it| span_of(text, it))),
        };
        let before = text.get(..span.map_or(0, |span| span.start)).unwrap_or(text);
        let line = 1 + before.bytes().filter(|&byte| byte == b'\n').count();
        // Joins the lines of the message.
        let message = message.lines().map(str::trim).collect::<Vec<_>>().join(", ");
        Self { line, message }
    }
}

/// Why an entry cannot be built.
pub(super) type Complaint = Box<dyn Error>;

/// An error about the value to which `steps` lead, the last one first.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
struct Located {
    steps: Vec<Step>,
    error: Complaint,
}

/// Leads from a value to one in it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Key(&'static str),
    Nth(usize),
}

impl From<&'static str> for Step {
    fn from(key: &'static str) -> Self {
        Self::Key(key)
    }
}

impl From<usize> for Step {
    fn from(nth: usize) -> Self {
        Self::Nth(nth)
    }
}

impl Step {
    fn within<'a>(self, value: &'a Spanned<DeValue<'a>>) -> Option<&'a Spanned<DeValue<'a>>> {
        match self {
            Self::Nth(nth) => value.get_ref().get(nth),
            Self::Key(key) => value.get_ref().get(key).or_else(|| {
                // The variant of an enumeration is a table in a table.
                let mut variants = value.get_ref().as_table()?.values();
                let variant = variants.next().filter(|_| variants.next().is_none())?;
                variant.get_ref().get(key)
            }),
        }
    }
}

/// The byte range of the value that an error is about, or of the innermost table around it that
/// the text has.
fn span_of(text: &str, Located { steps, error }: &Located) -> Option<Range<usize>> {
    let parameter = match error.downcast_ref() {
        Some(ModelError::Measure { key, .. }) => Some(Step::Key(key)),
        _ => None,
    };
    let root = DeTable::parse(text).ok()?;
    let root = Spanned::new(root.span(), DeValue::Table(root.into_inner()));
    let mut value = &root;
    for step in steps.iter().rev().copied().chain(parameter) {
        let Some(inner) = step.within(value) else { break };
        value = inner;
    }
    Some(value.span())
}

/// Says where in the text an error is.
pub(super) trait At<T> {
    /// The error is about the value, or something in it, of a key of a table or of a place in a
    /// list.
    fn at(self, step: impl Into<Step>) -> Result<T, Complaint>;
}

impl<T, E: Into<Complaint>> At<T> for Result<T, E> {
    fn at(self, step: impl Into<Step>) -> Result<T, Complaint> {
        self.map_err(|error| {
            let mut located = match error.into().downcast() {
                Ok(located) => located,
                Err(error) => Box::new(Located { steps: Vec::new(), error }),
            };
            located.steps.push(step.into());
            located as Complaint
        })
    }
}
