//! A particle as 16 bytes.

/// A particle, aligned so that one 128-bit load reads it: the coordinates, then the inverse mass
/// `w`, then zeros.
///
/// ```text
/// D = 3:   x  y  z  w
/// D = 2:   x  y  w  0
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(16))]
pub struct Record(pub [f32; 4]);

const _: () = assert!(size_of::<Record>() == 16 && align_of::<Record>() == 16);

/// Half a record, 8 bytes: the unit of indices. An x86 address can multiply an index by at most 8,
/// and that takes no instruction.
pub(crate) type Half = [f32; 2];

/// Halves per record.
pub(crate) const HALVES: u32 = 2;
