//! The bytes of the buffers of a document: in the binary chunk, in a `data:` URI, or in another
//! file.
//!
//! Nothing else is opened: no network, no other URI scheme, no path outside the folder, no pipe and
//! no device.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use ::gltf::json::{Buffer, Index, Root};
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;

use super::find;
use crate::error::{Problem, Result, quote};
use crate::{LoadOptions, path_in_folder};

/// Accepts data with and without padding, because exporters disagree on it.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The buffers read so far.
pub(super) struct Buffers<'f> {
    root: &'f Root,
    /// The binary chunk, which buffer 0 may use.
    binary: Option<&'f [u8]>,
    /// The folder of the document; `None`: no file is opened.
    folder: Option<&'f Path>,
    /// The bytes of each buffer; `None` if it is not read yet.
    loaded: Vec<Option<Cow<'f, [u8]>>>,
    /// The number of bytes that were read from files.
    bytes_read: u64,
    /// The limit of `bytes_read`.
    max_bytes: u64,
}

impl<'f> Buffers<'f> {
    pub(super) fn new(
        root: &'f Root,
        binary: Option<&'f [u8]>,
        folder: Option<&'f Path>,
        options: &LoadOptions,
    ) -> Self {
        Self {
            root,
            binary,
            folder,
            loaded: vec![None; root.buffers.len()],
            bytes_read: 0,
            max_bytes: options.max_buffer_bytes,
        }
    }

    /// Returns as many bytes of a buffer as the document declares. `by` describes the object that
    /// refers to the buffer.
    pub(super) fn bytes(
        &mut self,
        id: Index<Buffer>,
        by: impl FnOnce() -> String,
    ) -> Result<&[u8], Problem> {
        let buffer = find(self.root, id, "buffer", by)?;
        let index = id.value();
        let bytes = match self.loaded[index].take() {
            Some(bytes) => bytes,
            None => self.load(index, buffer)?,
        };
        let found = bytes.len() as u64;
        let declared = buffer.byte_length.0;
        let bytes = self.loaded[index].insert(bytes);
        match usize::try_from(declared).ok().and_then(|declared| bytes.get(..declared)) {
            Some(bytes) => Ok(bytes),
            None => Err(Problem::ShortBuffer { buffer: index, declared, found }),
        }
    }

    fn load(&mut self, index: usize, buffer: &Buffer) -> Result<Cow<'f, [u8]>, Problem> {
        let Some(uri) = &buffer.uri else {
            return match self.binary {
                Some(binary) if index == 0 => Ok(Cow::Borrowed(binary)),
                _ => {
                    let reason = "only buffer 0 of binary glTF may omit its `uri`";
                    Err(unreadable(index, "the binary chunk", reason))
                }
            };
        };
        let unreadable = |reason: &str| unreadable(index, &quote(uri), reason);
        if let Some(data) = uri.strip_prefix("data:") {
            return decode(data).map(Cow::Owned).map_err(unreadable);
        }
        if uri.contains(':') {
            return Err(unreadable("expected `data:` or a path relative to the glTF file"));
        }
        let name = percent_decode_str(uri)
            .decode_utf8()
            .map_err(|_| unreadable("the path is not UTF-8"))?;
        let folder = self.folder.ok_or_else(|| unreadable("no folder was given for files"))?;
        let file = path_in_folder(folder, &name)
            .map_err(|error| Problem::FileName { buffer: index, error })?;
        // Reads one byte beyond the limit to detect longer files.
        let left = self.max_bytes - self.bytes_read;
        let bytes = read_at_most(&file, buffer.byte_length.0.min(left.saturating_add(1)))
            .map_err(|error| unreadable(&error.to_string()))?;
        let bytes_read = self.bytes_read.saturating_add(bytes.len() as u64);
        Problem::check_limit("bytes of buffer files", bytes_read, self.max_bytes)?;
        self.bytes_read = bytes_read;
        Ok(Cow::Owned(bytes))
    }
}

fn unreadable(buffer: usize, address: &str, reason: &str) -> Problem {
    Problem::Buffer { buffer, address: address.to_owned(), reason: reason.to_owned() }
}

/// Decodes a `data:` URI; `content` is the part after `data:`.
fn decode(content: &str) -> Result<Vec<u8>, &'static str> {
    let (media_type, data) = content.split_once(',').ok_or("expected a comma before the data")?;
    if media_type.ends_with(";base64") {
        BASE64.decode(data).map_err(|_| "the data is not base64")
    } else {
        Ok(percent_decode_str(data).collect())
    }
}

/// Reads the first `length` bytes of a regular file, or all if it has fewer.
fn read_at_most(path: &Path, length: u64) -> io::Result<Vec<u8>> {
    // Opening a pipe would block until it has a writer.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}
