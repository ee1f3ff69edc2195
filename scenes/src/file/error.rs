//! Errors in scene files, with their lines.

use core::fmt::Display;
use core::ops::Range;

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
    /// An error about a byte range of a text.
    pub(super) fn at(text: &str, span: Range<usize>, message: impl Display) -> Self {
        let before = text.get(..span.start).unwrap_or(text);
        let line = 1 + before.bytes().filter(|&byte| byte == b'\n').count();
        // Joins the lines of the message.
        let message = message.to_string();
        let message = message.lines().map(str::trim).collect::<Vec<_>>().join(", ");
        Self { line, message }
    }

    /// An error of the TOML parser.
    pub(super) fn of_toml(text: &str, error: &toml::de::Error) -> Self {
        Self::at(text, error.span().unwrap_or(0..0), error.message())
    }
}
