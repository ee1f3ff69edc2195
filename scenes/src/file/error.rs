//! What is wrong with a scene file, and where.

use core::fmt::Display;
use core::ops::Range;

/// What is wrong with a scene file, in a sentence, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct SceneFileError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}

impl SceneFileError {
    /// A complaint about a part of a text, in bytes.
    pub(super) fn at(text: &str, span: Range<usize>, message: impl Display) -> Self {
        let before = text.get(..span.start).unwrap_or(text);
        let line = 1 + before.bytes().filter(|&byte| byte == b'\n').count();
        // A sentence of one line, whatever it is made of.
        let message = message.to_string();
        let message = message.lines().map(str::trim).collect::<Vec<_>>().join(", ");
        Self { line, message }
    }

    /// What the reader of TOML complains of.
    pub(super) fn of_toml(text: &str, error: &toml::de::Error) -> Self {
        Self::at(text, error.span().unwrap_or(0..0), error.message())
    }
}
