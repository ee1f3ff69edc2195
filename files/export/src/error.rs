//! Why something was not written.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file that could not be written, and why. Prints as one sentence.
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
    /// The name ends like no format that is written here.
    #[error("ends like none of: {}", known.join(", "))]
    UnknownEnding {
        /// The endings that there are.
        known: &'static [&'static str],
    },
    /// A name with more than one place for a number, or with a place of another kind.
    #[error("has to have one place for the number of a frame, such as %04d, or none")]
    Pattern,
    /// The folder that it should lie in is not there.
    #[error("there is no folder {}", folder.display())]
    NoFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// The system refused, or the disk is full.
    #[error("cannot be written: {0}")]
    Io(#[from] io::Error),
    /// It would be larger than is any use.
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
    /// There was no frame to write.
    #[error("there was no frame to write")]
    NoFrames,
    /// It does not fit what it shows.
    #[error("{0}")]
    Unfit(&'static str),
    /// An encoder refused.
    #[error("cannot be encoded: {0}")]
    Encoding(String),
}

/// What writers return.
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
