//! glTF 2.0: the triangles of one scene, transformed by its nodes.
//!
//! This reader uses three parts of the crate `gltf`: the parser of the binary container, the typed
//! JSON, and the iterator over the items of an accessor. It does not use `Document`, which panics
//! if the document is not validated; validation also rejects invalid materials, textures and
//! animations, which this reader ignores. Every reference is checked where it is followed.

mod accessor;
mod buffer;
mod scene;

use std::path::Path;

use ::gltf::binary::{ChunkType, Error, Glb};
use ::gltf::json::{Index, Root};

use crate::LoadOptions;
use crate::error::{Location, Problem, Result, quote};
use crate::format::{Format, is_glb, is_json, is_text};
use crate::soup::Soup;

pub(crate) fn read(bytes: &[u8], folder: Option<&Path>, options: &LoadOptions) -> Result<Soup> {
    let is_binary = is_glb(bytes);
    Format::Gltf.expect(bytes, is_binary || (is_json(bytes) && is_text(bytes)))?;
    let glb;
    let (json, binary) = if is_binary {
        glb = chunks(bytes)?;
        (&*glb.json, glb.bin.as_deref())
    } else {
        (bytes, None)
    };
    let root =
        Root::from_slice(json).map_err(|error| Problem::Json { message: error.to_string() })?;
    check_support(&root)?;
    let mut buffers = buffer::Buffers::new(&root, binary, folder, options);
    let mut soup = Soup::new(options);
    scene::read(&root, &mut buffers, &mut soup)?;
    Ok(soup)
}

/// Returns the chunks of a binary file: JSON, and optionally the bytes of buffer 0.
fn chunks(bytes: &[u8]) -> Result<Glb<'_>> {
    const HEADER_BYTES: usize = 12; // magic, version, length of the file
    const LENGTH_LOCATION: Location = Location::Byte(8);
    let truncated = |inside: String| Problem::Truncated { inside };
    let Some((header, _)) = bytes.split_first_chunk::<HEADER_BYTES>() else {
        return Err(truncated("the header of binary glTF".into()).at(Location::Byte(0)));
    };
    let length = u32::from_le_bytes([header[8], header[9], header[10], header[11]]) as usize;
    // The crate `gltf` subtracts the length of the header from this length without a check.
    if length < HEADER_BYTES {
        let found = format!("a length of {length} bytes");
        return Err(
            Problem::malformed("binary glTF of at least 12 bytes", found).at(LENGTH_LOCATION)
        );
    }
    let error = match Glb::from_slice(&bytes[..length.min(bytes.len())]) {
        Ok(glb) => return Ok(glb),
        Err(::gltf::Error::Binary(error)) => error,
        Err(error) => return Err(Problem::malformed("binary glTF", error.to_string()).into()),
    };
    Err(match error {
        Error::Version(version) => {
            Problem::Unsupported { what: format!("version {version} of binary glTF") }
                .at(Location::Byte(4))
        }
        Error::Length { .. } => {
            let inside = format!(
                "binary glTF (the header declares {length} bytes, but the file has {})",
                bytes.len()
            );
            truncated(inside).at(LENGTH_LOCATION)
        }
        Error::ChunkLength { ty, length, length_read } => {
            let name = match ty {
                ChunkType::Json => "JSON",
                ChunkType::Bin => "BIN",
            };
            truncated(format!(
                "the {name} chunk (it declares {length} bytes, but {length_read} are left)"
            ))
            .into()
        }
        Error::Io(_) => truncated("the header of a chunk".into()).into(),
        error => {
            Problem::malformed("a JSON chunk, then at most one BIN chunk", error.to_string()).into()
        }
    })
}

/// Checks that the geometry can be read without unsupported extensions.
fn check_support(root: &Root) -> Result<(), Problem> {
    /// Extensions whose names start like this do not change positions or faces.
    const HARMLESS: [&str; 7] = [
        "KHR_materials_",
        "KHR_texture_",
        "EXT_texture_",
        "MSFT_texture_",
        "KHR_lights_",
        "EXT_lights_",
        "KHR_xmp",
    ];
    let unsupported = |what| Err(Problem::Unsupported { what });
    let version = root.asset.version.as_str();
    if !version.starts_with("2.") {
        return unsupported(format!("glTF version {}", quote(version)));
    }
    let required = &root.extensions_required;
    if let Some(name) =
        required.iter().find(|name| !HARMLESS.iter().any(|prefix| name.starts_with(prefix)))
    {
        return unsupported(format!("the extension {}", quote(name)));
    }
    // The only extension that adds geometry although a document need not require it.
    if root.extensions_used.iter().any(|name| name == "EXT_mesh_gpu_instancing") {
        return unsupported("the extension `EXT_mesh_gpu_instancing`".into());
    }
    Ok(())
}

/// Returns the object to which `id` refers; `by` describes the object with the reference.
fn find<'r, T>(
    root: &'r Root,
    id: Index<T>,
    what: &'static str,
    by: impl FnOnce() -> String,
) -> Result<&'r T, Problem>
where
    Root: AsRef<[T]>,
{
    let all: &[T] = root.as_ref();
    let index = id.value();
    all.get(index).ok_or_else(|| Problem::ReferenceOutOfRange {
        by: by(),
        what,
        index,
        count: all.len(),
    })
}
