//! The layout of strided rows.

use alloc::vec;
use alloc::vec::Vec;

use taut_core::{ABSENT, Column, LimitError, check_limit};

/// Lanes of a layout register, on every machine.
pub(crate) const STRIDE: usize = 16;
/// Rows at a distance of a multiple of this many numbers (4096 bytes) would map to the same sets
/// of the L1 cache.
const PAGE: usize = 1024;
/// A column of up to this many numbers (16 MiB) may be mostly padding.
const PADDED_MAX: usize = 1 << 22;
/// A longer column may have at most this many numbers per particle: a row of 16 particles is padded
/// to 64 numbers.
const PADDED_PER_PARTICLE: usize = 4;

/// The layout of a sheet: see the crate's documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Registers a row: `W`.
    pub(crate) registers: usize,
    /// Numbers from one row to the next.
    pub(crate) pitch: usize,
}

impl Layout {
    pub(crate) fn new(width: usize, height: usize) -> Self {
        let registers = width.div_ceil(STRIDE).next_multiple_of(4);
        let row = registers * STRIDE;
        let pitch = if row.is_multiple_of(PAGE) { row + STRIDE } else { row };
        Self { width, height, registers, pitch }
    }

    /// Rejects a sheet so narrow that the padding of its rows dominates the memory of the plan.
    pub(crate) fn check(&self) -> Result<(), LimitError> {
        let limit = PADDED_MAX.max(self.particles().saturating_mul(PADDED_PER_PARTICLE));
        let asked = self.height as u128 * self.pitch as u128;
        check_limit("numbers in a column of the sheet, padded,", asked, limit).map(|_| ())
    }

    /// How many particles the sheet has.
    pub(crate) fn particles(&self) -> usize {
        self.width * self.height
    }

    /// How many numbers a column of the whole sheet has.
    pub(crate) fn len(&self) -> usize {
        self.height * self.pitch
    }

    /// The index of column `i` in a row.
    pub(crate) fn in_row(&self, i: usize) -> usize {
        i % self.registers * STRIDE + i / self.registers
    }

    /// The index of particle (i, j) in a column.
    pub(crate) fn at(&self, i: usize, j: usize) -> usize {
        j * self.pitch + self.in_row(i)
    }

    /// The index of a particle in a column.
    pub(crate) fn slot(&self, particle: usize) -> usize {
        self.at(particle % self.width, particle / self.width)
    }

    /// For each slot of a row, its column in the sheet; [`u32::MAX`] for padding.
    pub(crate) fn offsets(&self) -> Vec<u32> {
        let mut offsets = vec![u32::MAX; self.pitch];
        for i in 0..self.width {
            offsets[self.in_row(i)] = i as u32;
        }
        offsets
    }

    /// Whether rows have no padding lanes.
    pub(crate) fn is_full(&self) -> bool {
        self.width == self.registers * STRIDE
    }

    /// For sticks that span `across` columns, 1 in the lanes of a row that have a stick and
    /// [`ABSENT`] in the others.
    pub(crate) fn presence(&self, across: usize) -> Column<f32> {
        let mut presence = Column::new(0);
        presence.resize(self.registers * STRIDE, ABSENT);
        for i in 0..self.width.saturating_sub(across) {
            presence[self.in_row(i)] = 1.0;
        }
        presence
    }
}
