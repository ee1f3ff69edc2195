//! Errors of writers.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file that could not be written, and the reason. Displays as one sentence.
#[derive(Debug, Error)]
#[error("{}: {problem}", path.display())]
pub struct ExportError {
    /// The file, as it was named.
    pub path: PathBuf,
    /// What is wrong.
    pub problem: Problem,
}

/// Why a file could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Problem {
    /// The extension is unknown.
    #[error("unknown extension: expected one of {}", known.join(", "))]
    UnknownEnding {
        /// The supported extensions.
        known: &'static [&'static str],
    },
    /// A name with more than one frame number pattern, or an invalid one.
    #[error("expected at most one frame number pattern such as %04d")]
    Pattern,
    /// The folder of the file does not exist.
    #[error("there is no folder {}", folder.display())]
    NoFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// The system refused, or the disk is full.
    #[error("cannot be written: {0}")]
    Io(#[from] io::Error),
    /// The file would be too large to open.
    #[error(
        "would be {:.1} GB large, more than the {:.1} GB that programs open: take fewer frames a second (--fps) or fewer seconds",
        *bytes as f64 / 1e9, *most as f64 / 1e9
    )]
    TooLarge {
        /// How large, bytes.
        bytes: u64,
        /// How large it may be, bytes.
        most: u64,
    },
    /// No frame was written.
    #[error("no frame was written")]
    NoFrames,
    /// The format cannot represent the stage or frame.
    #[error("{0}")]
    Unfit(&'static str),
    /// An encoder failed.
    #[error("cannot be encoded: {0}")]
    Encoding(String),
}

/// The result of writers.
pub type Result<T, E = ExportError> = std::result::Result<T, E>;

impl Problem {
    /// This problem, of a file.
    #[must_use]
    pub fn of(self, path: &Path) -> ExportError {
        ExportError { path: path.to_owned(), problem: self }
    }
}

/// Names the file in what the system says.
pub trait InFile<T> {
    /// The same, or the error with the file's name.
    ///
    /// # Errors
    /// If there is one.
    fn in_file(self, path: &Path) -> Result<T>;
}

impl<T, E: Into<Problem>> InFile<T> for std::result::Result<T, E> {
    fn in_file(self, path: &Path) -> Result<T> {
        self.map_err(|problem| problem.into().of(path))
    }
}
