//! Columns of values.

use aligned_vec::{AVec, ConstAlign};

/// Columns are padded with pinned particles to a multiple of this: the lanes of the widest `f32`
/// register, so that no kernel has a tail loop over particles.
pub const PADDING: usize = 16;

/// A column of values, 64-byte aligned. Its constructors also take an alignment: 0 stands for that of
/// the type.
pub type Column<S> = AVec<S, ConstAlign<64>>;
