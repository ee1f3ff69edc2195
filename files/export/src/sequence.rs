//! Names of one file, or of a sequence of files with frame numbers.

use std::path::{Path, PathBuf};

use crate::error::{Problem, Result};

/// The name of a file, which may have a frame number pattern such as `%04d`.
///
/// ```
/// use taut_export::FileName;
///
/// let name = FileName::parse("out/%04d.obj".as_ref())?;
/// assert_eq!(name.of(7), std::path::Path::new("out/0007.obj"));
/// assert!(!FileName::parse("cloth.obj".as_ref())?.is_sequence());
/// # Ok::<(), taut_export::ExportError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileName {
    given: PathBuf,
    pattern: Option<Pattern>,
}

/// A frame number pattern in a name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    /// The name before the number.
    before: String,
    /// The minimum number of digits.
    width: usize,
    /// The name after the number.
    after: String,
}

impl FileName {
    /// Parses a name. `%d` stands for the frame number, counted from 0, and `%04d` for the frame
    /// number with at least four digits.
    ///
    /// # Errors
    /// [`Problem::Pattern`] if the name has more than one `%`, or one that does not start a
    /// pattern, or a pattern for more than 12 digits, or one in the name of a folder.
    pub fn parse(path: &Path) -> Result<Self> {
        let given = path.to_owned();
        let name = path.to_string_lossy();
        let Some((before, rest)) = name.split_once('%') else {
            return Ok(Self { given, pattern: None });
        };
        let invalid = || Problem::Pattern.of(path);
        let (digits, after) = rest.split_once('d').ok_or_else(invalid)?;
        let is_number = digits.bytes().all(|digit| digit.is_ascii_digit());
        let is_in_folder = after.contains(std::path::is_separator);
        if !is_number || is_in_folder || after.contains('%') {
            return Err(invalid());
        }
        let digits = if digits.is_empty() { "1" } else { digits };
        // No run has 10^12 frames, so a width above 12 is a mistake.
        let width =
            digits.parse::<usize>().ok().filter(|width| *width <= 12).ok_or_else(invalid)?;
        let pattern = Pattern { before: before.to_owned(), width, after: after.to_owned() };
        Ok(Self { given, pattern: Some(pattern) })
    }

    /// Whether the name has a frame number pattern, so that each frame has a file.
    #[must_use]
    pub fn is_sequence(&self) -> bool {
        self.pattern.is_some()
    }

    /// The name, as it was given.
    #[must_use]
    pub fn as_given(&self) -> &Path {
        &self.given
    }

    /// The name of the file for a frame.
    #[must_use]
    pub fn of(&self, frame: u64) -> PathBuf {
        match &self.pattern {
            None => self.given.clone(),
            Some(Pattern { before, width, after }) => {
                format!("{before}{frame:0width$}{after}").into()
            }
        }
    }

    /// The extension in lower case, without the dot.
    #[must_use]
    pub fn extension(&self) -> String {
        self.given.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
    }
}

/// The folder of a file.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}
