//! Columns of values.

use aligned_vec::{AVec, ConstAlign};

/// Columns are padded with pinned particles to a multiple of this: the lanes of the widest `f32`
/// register, so that no kernel has a tail loop over particles.
pub const PADDING: usize = 16;

/// A column of values, aligned to 64 bytes. The constructors of [`AVec`] also take an alignment: 0
/// stands for the alignment of this type.
pub type Column<S> = AVec<S, ConstAlign<64>>;
