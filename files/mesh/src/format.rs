//! Detects the format of a file from its first bytes and its name.

use std::fmt;
use std::path::Path;

use crate::error::{Problem, Result, quote};

/// A file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Wavefront OBJ: text.
    Obj,
    /// Stanford PLY: text, or binary of either byte order.
    Ply,
    /// glTF 2.0: JSON (`.gltf`) or binary (`.glb`).
    Gltf,
}

impl Format {
    /// What a file of this format starts with.
    pub(crate) fn start(self) -> &'static str {
        match self {
            Self::Obj => "text",
            Self::Ply => "a line `ply`",
            Self::Gltf => "`glTF` or with a JSON object",
        }
    }

    /// Returns this format, or an error if `bytes` are empty. `has_start` says whether they
    /// start as this format requires; if not, returns an error.
    pub(crate) fn expect(self, bytes: &[u8], has_start: bool) -> Result<Self, Problem> {
        match (bytes.is_empty(), has_start) {
            (true, _) => Err(Problem::Empty),
            (_, true) => Ok(self),
            _ => Err(Problem::WrongFormat { format: self, found: start_of(bytes) }),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Obj => "OBJ",
            Self::Ply => "PLY",
            Self::Gltf => "glTF",
        })
    }
}

/// Detects the format of a file with this name and these contents.
///
/// The magic bytes of PLY and binary glTF take precedence over the extension. If the extension is
/// unknown, a JSON object counts as glTF.
pub(crate) fn detect(path: &Path, bytes: &[u8]) -> Result<Format, Problem> {
    if bytes.is_empty() {
        return Err(Problem::Empty);
    }
    if is_ply(bytes) {
        return Ok(Format::Ply);
    }
    if is_glb(bytes) {
        return Ok(Format::Gltf);
    }
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    match extension.to_str() {
        Some("obj") => Ok(Format::Obj),
        Some("ply") => Ok(Format::Ply),
        Some("gltf" | "glb") => Ok(Format::Gltf),
        _ if is_json(bytes) => Ok(Format::Gltf),
        _ => Err(Problem::UnknownFormat { found: start_of(bytes) }),
    }
}

pub(crate) fn is_ply(bytes: &[u8]) -> bool {
    bytes.strip_prefix(b"ply").is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
}

pub(crate) fn is_glb(bytes: &[u8]) -> bool {
    bytes.starts_with(b"glTF")
}

pub(crate) fn is_json(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(b"{")
}

/// Whether the bytes are text: text has no zero bytes, while images and archives soon have one.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    !bytes[..bytes.len().min(1024)].contains(&0)
}

/// Describes what `bytes` start with, for an error.
fn start_of(bytes: &[u8]) -> String {
    const KNOWN: [(&[u8], &str); 6] = [
        (b"\x89PNG", "a PNG image"),
        (b"\xff\xd8\xff", "a JPEG image"),
        (b"PK\x03\x04", "a zip archive"),
        (b"\x1f\x8b", "gzip-compressed data"),
        (b"%PDF", "a PDF document"),
        (b"glTF", "binary glTF"),
    ];
    if is_ply(bytes) {
        return "PLY".to_owned();
    }
    if let Some((_, name)) = KNOWN.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return (*name).to_owned();
    }
    let start = &bytes[..bytes.len().min(24)];
    match std::str::from_utf8(start) {
        Ok(text) if is_text(bytes) => quote(text),
        _ => {
            let bytes: Vec<_> = start.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
            format!("the bytes {}", bytes.join(" "))
        }
    }
}
