//! A particle as 16 bytes.

/// A particle in one aligned 128-bit load: the coordinates, then the inverse mass, then
/// zeros.
///
/// ```text
/// D = 3:   x  y  z  w
/// D = 2:   x  y  w  0
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(16))]
pub struct Record(pub [f32; 4]);

const _: () = assert!(size_of::<Record>() == 16 && align_of::<Record>() == 16);

/// Half a record, 8 bytes: the unit of indices, because x86 addressing scales an index by up to 8
/// at no cost.
pub(crate) type Half = [f32; 2];

/// Halves per record.
pub(crate) const HALVES: u32 = 2;
