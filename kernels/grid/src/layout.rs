//! Where a particle of a sheet is in strided rows.

use alloc::vec;
use alloc::vec::Vec;

use taut_core::{ABSENT, Column, LimitError, check_limit};

/// Lanes of a layout register, whatever the machine's registers are.
pub(crate) const STRIDE: usize = 16;
/// Rows that lie a multiple of this many numbers (4096 bytes) apart would fall on the same
/// lines of the first-level cache.
const PAGE: usize = 1024;
/// How far apart the columns of the axes lie, modulo [`PAGE`]: a third of it, in whole cache
/// lines. A load whose address has the low 12 bits of a store under way waits for it; columns
/// at the same place of their pages (as an allocator likes to give them) nearly double the time.
const STAGGER: usize = 336;
/// A column of up to so many numbers (16 MiB) may be mostly padding.
const PADDED_MAX: usize = 1 << 22;
/// A longer column has at most so many numbers for each particle: a row of 16 particles is padded
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

    /// Refuses a sheet so narrow that the padding of its rows, and not its particles, decides how
    /// much memory the plan takes.
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

    /// How far the column of an axis is from that of the axis before it.
    pub(crate) fn span(&self) -> usize {
        let len = self.len();
        len + (STAGGER + PAGE - len % PAGE) % PAGE
    }

    /// Where column `i` is in a row.
    pub(crate) fn in_row(&self, i: usize) -> usize {
        i % self.registers * STRIDE + i / self.registers
    }

    /// Where particle (i, j) is in a column.
    pub(crate) fn at(&self, i: usize, j: usize) -> usize {
        j * self.pitch + self.in_row(i)
    }

    /// Where a particle is in a column, by its number.
    pub(crate) fn of(&self, particle: usize) -> usize {
        self.at(particle % self.width, particle / self.width)
    }

    /// For each slot from one row to the next, the column of the sheet; [`u32::MAX`] where there is
    /// none.
    pub(crate) fn offsets(&self) -> Vec<u32> {
        let mut offsets = vec![u32::MAX; self.pitch];
        for i in 0..self.width {
            offsets[self.in_row(i)] = i as u32;
        }
        offsets
    }

    /// Whether the row is full: no lane of any register is padding.
    pub(crate) fn is_full(&self) -> bool {
        self.width == self.registers * STRIDE
    }

    /// For sticks that reach `across` columns, which lanes of a row have one: `pull` and `push`
    /// of a plain stick, or what [`ABSENT`] says.
    pub(crate) fn presence(&self, across: usize) -> Column<f32> {
        let mut presence = Column::new(0);
        presence.resize(self.registers * STRIDE, ABSENT);
        for i in 0..self.width.saturating_sub(across) {
            presence[self.in_row(i)] = 1.0;
        }
        presence
    }
}
