//! References from one file to another.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::error::quote;

/// A file name inside a file that does not name a file in or below that file's folder.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the file name {} {fault}", quote(name))]
pub struct FileNameError {
    /// The name, percent-decoded if it is from a glTF file.
    pub name: String,
    /// What is wrong with it.
    pub fault: FileNameFault,
}

/// What is wrong with a file name inside a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FileNameFault {
    /// It is empty, or names the folder itself.
    #[error("names no file")]
    Empty,
    /// It is an absolute path or a network share.
    #[error("is absolute; expected a path relative to the folder of the file that holds it")]
    Absolute,
    /// It names a drive, as `C:`.
    #[error("names a drive; expected a path relative to the folder of the file that holds it")]
    Drive,
    /// It has a part `..`.
    #[error("leads up; expected a path in or below the folder of the file that holds it")]
    Up,
}

/// The path of the file that another file in `folder` refers to as `name`: in that folder or below it.
///
/// Every file name found in input is resolved here, so that input cannot refer to arbitrary files of the
/// machine. `/` and `\` separate the parts of a name, and drives are recognised, on
/// every platform; the result has the separators of this one. The name is not decoded further, and
/// the file system is not accessed: symbolic links in the folder are followed when the file is opened.
///
/// ```
/// use std::path::Path;
/// use taut_mesh::{FileNameFault, path_below};
///
/// let folder = Path::new("scenes");
/// assert_eq!(path_below(folder, "meshes/bag.obj")?, Path::new("scenes/meshes/bag.obj"));
/// for (name, fault) in [
///     ("../secret.obj", FileNameFault::Up),
///     ("/etc/passwd", FileNameFault::Absolute),
///     ("c:\\bag.obj", FileNameFault::Drive),
/// ] {
///     assert_eq!(path_below(folder, name).unwrap_err().fault, fault);
/// }
/// # Ok::<(), taut_mesh::FileNameError>(())
/// ```
///
/// # Errors
/// If the name is empty or absolute, names a drive, or has a part `..`, even one that would stay
/// below the folder.
pub fn path_below(folder: &Path, name: &str) -> Result<PathBuf, FileNameError> {
    let error = |fault| FileNameError { name: name.to_owned(), fault };
    if name.starts_with(['/', '\\']) {
        return Err(error(FileNameFault::Absolute));
    }
    let mut path = folder.to_owned();
    let mut parts = name.split(['/', '\\']).filter(|part| !matches!(*part, "" | ".")).peekable();
    if parts.peek().is_none() {
        return Err(error(FileNameFault::Empty));
    }
    for part in parts {
        if let [letter, b':', ..] = part.as_bytes()
            && letter.is_ascii_alphabetic()
        {
            return Err(error(FileNameFault::Drive));
        }
        // Windows ignores dots and spaces at the end of a part: there `.. ` is `..`.
        if part.trim_end_matches(['.', ' ']).is_empty() {
            return Err(error(FileNameFault::Up));
        }
        path.push(part);
    }
    Ok(path)
}
