//! Reads the items of an accessor, after bounds checks.

use ::gltf::accessor::Item;
use ::gltf::accessor::util::ItemIter;
use ::gltf::json::accessor::{Accessor, ComponentType, GenericComponentType, Type};
use ::gltf::json::validation::Checked;
use ::gltf::json::{Index, Root};

use super::buffer::Buffers;
use super::find;
use crate::error::{Problem, Result};

/// Reads positions: three floats each.
pub(super) fn positions(
    root: &Root,
    buffers: &mut Buffers,
    id: Index<Accessor>,
) -> Result<Vec<[f32; 3]>, Problem> {
    let items = items(root, buffers, id, "the attribute `POSITION`")?;
    match items.kind {
        (Type::Vec3, ComponentType::F32) => Ok(items.read().collect()),
        kind => Err(Problem::malformed(
            format!("accessor {} to hold VEC3 of F32", id.value()),
            name_of(kind),
        )),
    }
}

/// Reads vertex indices, such as the corners of triangles: one unsigned integer each.
pub(super) fn indices(
    root: &Root,
    buffers: &mut Buffers,
    id: Index<Accessor>,
) -> Result<Vec<u32>, Problem> {
    let items = items(root, buffers, id, "the property `indices`")?;
    match items.kind {
        (Type::Scalar, ComponentType::U8) => Ok(items.read::<u8>().map(u32::from).collect()),
        (Type::Scalar, ComponentType::U16) => Ok(items.read::<u16>().map(u32::from).collect()),
        (Type::Scalar, ComponentType::U32) => Ok(items.read().collect()),
        kind => Err(Problem::malformed(
            format!("accessor {} to hold SCALAR of U8, U16 or U32", id.value()),
            name_of(kind),
        )),
    }
}

/// The name of a type, such as `VEC3 of F32`.
fn name_of((type_, component): (Type, ComponentType)) -> String {
    format!("{} of {component:?}", format!("{type_:?}").to_ascii_uppercase())
}

/// The items of an accessor.
struct Items<'b> {
    kind: (Type, ComponentType),
    /// From the first byte of the first item to the last byte of the last item.
    bytes: &'b [u8],
    /// Distance from one item to the next, bytes: at least the size of an item.
    stride: usize,
}

impl<'b> Items<'b> {
    fn read<T: Item>(&self) -> ItemIter<'b, T> {
        ItemIter::new(self.bytes, self.stride)
    }
}

/// Finds the bytes of an accessor; `referrer` names what refers to it. (`gltf::accessor::Iter`
/// would find them, too, but it underflows on a count of 0 and does not check offsets for overflow.
/// [`ItemIter`], which reads them, panics if the stride is smaller than an item.)
fn items<'b>(
    root: &Root,
    buffers: &'b mut Buffers,
    id: Index<Accessor>,
    referrer: &str,
) -> Result<Items<'b>, Problem> {
    let name = || format!("accessor {}", id.value());
    let accessor = find(root, id, "accessor", || referrer.to_owned())?;
    if accessor.sparse.is_some() {
        return Err(Problem::Unsupported { what: format!("sparse data ({})", name()) });
    }
    let (Checked::Valid(type_), Checked::Valid(GenericComponentType(component))) =
        (accessor.type_, accessor.component_type)
    else {
        return Err(Problem::malformed(
            format!("{} of a glTF 2.0 type", name()),
            "an unknown type",
        ));
    };
    let Some(view) = accessor.buffer_view else {
        let what = format!(
            "{} without a buffer view (zeros, or data of an extension such as Draco)",
            name()
        );
        return Err(Problem::Unsupported { what });
    };
    let view = find(root, view, "buffer view", name)?;
    let size = component.size() * type_.multiplicity();
    let stride = view.byte_stride.map_or(size, |stride| stride.0);
    if stride < size {
        return Err(Problem::malformed(
            format!("{} with a stride of at least {size} bytes", name()),
            format!("{stride} bytes"),
        ));
    }
    let buffer = buffers.bytes(view.buffer, name)?;
    let view_bytes = slice(buffer, view.byte_offset.unwrap_or_default().0, view.byte_length.0)
        .ok_or_else(|| {
            let expected = format!(
                "the buffer view of {} to lie within its buffer of {} bytes",
                name(),
                buffer.len()
            );
            Problem::malformed(expected, "one that extends beyond it")
        })?;
    let bytes = span(accessor.count.0, stride, size)
        .and_then(|length| slice(view_bytes, accessor.byte_offset.unwrap_or_default().0, length))
        .ok_or_else(|| {
            let (count, length) = (accessor.count.0, view_bytes.len());
            let offset = accessor.byte_offset.unwrap_or_default().0;
            Problem::malformed(
                format!("{} to hold at least 1 item and fit its buffer view", name()),
                format!("{count} items, {stride} bytes apart, from byte {offset} of a view of {length} bytes"),
            )
        })?;
    Ok(Items { kind: (type_, component), bytes, stride })
}

/// The number of bytes from the start of the first of `count` items to the end of the last; `None`
/// if there are no items, or if the number overflows. An item has `size` bytes, and the next one starts `stride` bytes later.
fn span(count: u64, stride: usize, size: usize) -> Option<u64> {
    count.checked_sub(1)?.checked_mul(stride as u64)?.checked_add(size as u64)
}

/// `length` bytes from `offset`, if there are that many.
fn slice(bytes: &[u8], offset: u64, length: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    let end = usize::try_from(offset.checked_add(length)?).ok()?;
    bytes.get(start..end)
}
