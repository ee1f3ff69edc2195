//! Names of files: of one, or of one for each frame.

use std::path::{Path, PathBuf};

use crate::error::{Problem, Result};

/// A name of a file, in which there may be one place for the number of a frame.
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
    written: PathBuf,
    /// What comes before and after the number, and how many digits it has.
    place: Option<(String, usize, String)>,
}

impl FileName {
    /// Reads a name: `%d` in it stands for the number of a frame, from 0, and `%04d` for the same in
    /// four digits or more.
    ///
    /// # Errors
    /// [`Problem::Pattern`] if there is something else behind a `%`, or more than one place.
    pub fn parse(path: &Path) -> Result<Self> {
        let written = path.to_owned();
        let name = path.to_string_lossy();
        let Some((before, rest)) = name.split_once('%') else {
            return Ok(Self { written, place: None });
        };
        let bad = || Problem::Pattern.of(path);
        let (digits, after) = rest.split_once('d').ok_or_else(bad)?;
        let digits = if digits.is_empty() { "1" } else { digits };
        let width = digits.parse::<usize>().ok().filter(|width| *width <= 12).ok_or_else(bad)?;
        if after.contains('%') {
            return Err(bad());
        }
        Ok(Self { written, place: Some((before.to_owned(), width, after.to_owned())) })
    }

    /// Whether there is a file for each frame.
    #[must_use]
    pub fn is_sequence(&self) -> bool {
        self.place.is_some()
    }

    /// The name, as it was written.
    #[must_use]
    pub fn written(&self) -> &Path {
        &self.written
    }

    /// The file of a frame.
    #[must_use]
    pub fn of(&self, frame: u64) -> PathBuf {
        match &self.place {
            None => self.written.clone(),
            Some((before, width, after)) => format!("{before}{frame:0width$}{after}").into(),
        }
    }

    /// What it ends with after the last point, in small letters.
    #[must_use]
    pub fn ending(&self) -> String {
        self.written.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
    }
}

/// The folder that a file lies in.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}
