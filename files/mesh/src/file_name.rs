//! File names that occur in files, such as the name of a glTF buffer.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::error::quote;

/// A file name that occurs in a file, but does not name a file in or below the folder of that file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the file name {} {fault}", quote(name))]
pub struct FileNameError {
    /// The name, percent-decoded if it is from a glTF file.
    pub name: String,
    /// What is wrong with it.
    pub fault: FileNameFault,
}

/// What is wrong with a file name that occurs in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FileNameFault {
    /// It is empty, or names the folder itself.
    #[error("names no file; expected a path in the folder of the referring file")]
    Empty,
    /// It is an absolute path or a network share.
    #[error("is absolute; expected a path relative to the folder of the referring file")]
    Absolute,
    /// It names a drive, such as `C:`.
    #[error("names a drive; expected a path relative to the folder of the referring file")]
    Drive,
    /// It has a component `..`.
    #[error("contains `..`; expected a path in or below the folder of the referring file")]
    ParentFolder,
}

/// The path of the file that a file in `folder` refers to as `name`. It is always in or below
/// `folder`.
///
/// Every file name found in input is resolved here, so that input cannot refer to arbitrary files
/// of the machine. On every platform `/` and `\` separate components, and drives are recognized;
/// the result has the separators of the current platform. The name is not decoded further, and the
/// file system is not accessed: symbolic links in the folder are followed when the file is opened.
///
/// ```
/// use std::path::Path;
/// use taut_mesh::{FileNameFault, path_in_folder};
///
/// let folder = Path::new("scenes");
/// assert_eq!(path_in_folder(folder, "meshes/bag.obj")?, Path::new("scenes/meshes/bag.obj"));
/// for (name, fault) in [
///     ("../secret.obj", FileNameFault::ParentFolder),
///     ("/etc/passwd", FileNameFault::Absolute),
///     ("c:\\bag.obj", FileNameFault::Drive),
/// ] {
///     assert_eq!(path_in_folder(folder, name).unwrap_err().fault, fault);
/// }
/// # Ok::<(), taut_mesh::FileNameError>(())
/// ```
///
/// # Errors
/// If the name is empty or absolute, names a drive, or has a component `..`, even if the path would
/// stay below the folder.
pub fn path_in_folder(folder: &Path, name: &str) -> Result<PathBuf, FileNameError> {
    let error = |fault| FileNameError { name: name.to_owned(), fault };
    if name.starts_with(['/', '\\']) {
        return Err(error(FileNameFault::Absolute));
    }
    let mut path = folder.to_owned();
    let components = name.split(['/', '\\']).filter(|component| !matches!(*component, "" | "."));
    let mut components = components.peekable();
    if components.peek().is_none() {
        return Err(error(FileNameFault::Empty));
    }
    for component in components {
        if let [letter, b':', ..] = component.as_bytes()
            && letter.is_ascii_alphabetic()
        {
            return Err(error(FileNameFault::Drive));
        }
        // Windows ignores dots and spaces at the end of a component, so there `.. ` is `..`.
        if component.trim_end_matches(['.', ' ']).is_empty() {
            return Err(error(FileNameFault::ParentFolder));
        }
        path.push(component);
    }
    Ok(path)
}
