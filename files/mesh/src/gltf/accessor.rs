//! The items of an accessor, after bounds checks.

use ::gltf::accessor::Item;
use ::gltf::accessor::util::ItemIter;
use ::gltf::json::accessor::{Accessor, ComponentType, GenericComponentType, Type};
use ::gltf::json::validation::Checked;
use ::gltf::json::{Index, Root};

use super::buffer::Buffers;
use super::find;
use crate::error::{Problem, Result};

/// Positions: three floats each.
pub(super) fn positions(
    root: &Root,
    buffers: &mut Buffers,
    id: Index<Accessor>,
) -> Result<Vec<[f32; 3]>, Problem> {
    let items = items(root, buffers, id, "attribute POSITION")?;
    match items.kind {
        (Type::Vec3, ComponentType::F32) => Ok(items.read().collect()),
        kind => Err(Problem::malformed(
            format!("accessor {} to hold VEC3 of F32", id.value()),
            said(kind),
        )),
    }
}

/// Corners of triangles: one unsigned integer each.
pub(super) fn indices(
    root: &Root,
    buffers: &mut Buffers,
    id: Index<Accessor>,
) -> Result<Vec<u32>, Problem> {
    let items = items(root, buffers, id, "attribute indices")?;
    match items.kind {
        (Type::Scalar, ComponentType::U8) => Ok(items.read::<u8>().map(u32::from).collect()),
        (Type::Scalar, ComponentType::U16) => Ok(items.read::<u16>().map(u32::from).collect()),
        (Type::Scalar, ComponentType::U32) => Ok(items.read().collect()),
        kind => Err(Problem::malformed(
            format!("accessor {} to hold SCALAR of U8, U16 or U32", id.value()),
            said(kind),
        )),
    }
}

fn said((shape, component): (Type, ComponentType)) -> String {
    format!("{} of {component:?}", format!("{shape:?}").to_ascii_uppercase())
}

struct Items<'b> {
    kind: (Type, ComponentType),
    /// From the first byte of the first item to the last byte of the last.
    bytes: &'b [u8],
    /// From one item to the next: at least the size of one.
    stride: usize,
}

impl<'b> Items<'b> {
    fn read<T: Item>(&self) -> ItemIter<'b, T> {
        ItemIter::new(self.bytes, self.stride)
    }
}

/// Finds the bytes of an accessor. The library's own function underflows on a count of 0, does not check
/// offsets for overflow, and panics if a stride is shorter than an item.
fn items<'b>(
    root: &Root,
    buffers: &'b mut Buffers,
    id: Index<Accessor>,
    by: &str,
) -> Result<Items<'b>, Problem> {
    let name = || format!("accessor {}", id.value());
    let accessor = find(root, id, "accessor", || by.to_owned())?;
    if accessor.sparse.is_some() {
        return Err(Problem::Unsupported { what: format!("sparse data ({})", name()) });
    }
    let (Checked::Valid(shape), Checked::Valid(GenericComponentType(component))) =
        (accessor.type_, accessor.component_type)
    else {
        return Err(Problem::malformed(format!("{} of a type that glTF knows", name()), "another"));
    };
    let Some(view) = accessor.buffer_view else {
        let what = format!(
            "{} without a buffer view: zeros, or data that an extension such as Draco packs",
            name()
        );
        return Err(Problem::Unsupported { what });
    };
    let view = find(root, view, "buffer view", name)?;
    let size = component.size() * shape.multiplicity();
    let stride = view.byte_stride.map_or(size, |stride| stride.0);
    if stride < size {
        return Err(Problem::malformed(
            format!("{} with {size} bytes an item", name()),
            format!("a stride of {stride}"),
        ));
    }
    let buffer = buffers.bytes(view.buffer, name)?;
    let viewed = part(buffer, view.byte_offset.unwrap_or_default().0, view.byte_length.0)
        .ok_or_else(|| {
            let expected = format!(
                "the buffer view of {} to lie within its buffer of {} bytes",
                name(),
                buffer.len()
            );
            Problem::malformed(expected, "one that reaches beyond")
        })?;
    let bytes = span(accessor.count.0, stride, size)
        .and_then(|length| part(viewed, accessor.byte_offset.unwrap_or_default().0, length))
        .ok_or_else(|| {
            let found =
                format!("a view of {} bytes for a count of {}", viewed.len(), accessor.count.0);
            Problem::malformed(
                format!("{} to hold 1 item or more, within its buffer view", name()),
                found,
            )
        })?;
    Ok(Items { kind: (shape, component), bytes, stride })
}

/// The bytes from the first of `count` items to the end of the last; `None` for no items.
fn span(count: u64, stride: usize, size: usize) -> Option<u64> {
    count.checked_sub(1)?.checked_mul(stride as u64)?.checked_add(size as u64)
}

fn part(bytes: &[u8], offset: u64, length: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    let end = usize::try_from(offset.checked_add(length)?).ok()?;
    bytes.get(start..end)
}
