//! The layout of strided rows.

use alloc::vec;
use alloc::vec::Vec;

use taut_core::{ABSENT, Column, LimitError, PADDING};
use taut_lanes::slots::check_slots;

/// Rows whose distance is a multiple of this many values (4096 bytes) would map to the same sets
/// of the L1 cache.
const PAGE: usize = 1024;
/// A row of at most this many registers is not padded to a multiple of 4 registers. With 5 or 6
/// registers, some sticks along a row take twice the work, but all sticks together still take less
/// work than with 8 registers.
const NARROW_REGISTERS_MAX: usize = 6;

/// The layout of a sheet: see the crate's documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The number of columns of the sheet.
    pub(crate) width: usize,
    /// The number of rows; 0 if there are no columns.
    pub(crate) height: usize,
    /// How many lanes a register has.
    pub(crate) lanes: usize,
    /// How many registers a row has: `W`, at most [`NARROW_REGISTERS_MAX`] or a multiple of 4.
    pub(crate) registers: usize,
    /// The distance of consecutive rows in a column, in values.
    pub(crate) pitch: usize,
}

impl Layout {
    /// The layout of a sheet for registers of `lanes` lanes.
    pub(crate) fn new(width: usize, height: usize, lanes: usize) -> Self {
        // Without columns, the number of particles does not limit the height.
        let height = if width == 0 { 0 } else { height };
        let registers = match width.div_ceil(lanes) {
            registers @ 0..=NARROW_REGISTERS_MAX => registers,
            registers => registers.next_multiple_of(4),
        };
        let slots = (registers * lanes).next_multiple_of(PADDING);
        let pitch = if slots.is_multiple_of(PAGE) { slots + PADDING.min(slots) } else { slots };
        Self { width, height, lanes, registers, pitch }
    }

    /// Whether a row has so few registers that pairs of registers are listed (see `narrow.rs`).
    pub(crate) fn is_narrow(&self) -> bool {
        self.registers <= NARROW_REGISTERS_MAX
    }

    /// How many lanes the registers of a row have together.
    pub(crate) fn row_lanes(&self) -> usize {
        self.registers * self.lanes
    }

    /// How many slots a row has: its lanes, padded to a multiple of [`PADDING`].
    pub(crate) fn row_slots(&self) -> usize {
        self.row_lanes().next_multiple_of(PADDING)
    }

    /// Rejects a sheet of so few columns that the padding of its rows dominates the memory of the
    /// plan.
    pub(crate) fn check(&self) -> Result<(), LimitError> {
        let slots = self.height as u128 * self.pitch as u128;
        check_slots("slots of the sheet, padding included,", slots, self.particles())
    }

    /// How many particles the sheet has.
    pub(crate) fn particles(&self) -> usize {
        self.width * self.height
    }

    /// How many values a column of the whole sheet has, padding included.
    pub(crate) fn len(&self) -> usize {
        self.height * self.pitch
    }

    /// The slot of the sheet's column `i` within a row.
    pub(crate) fn slot_in_row(&self, i: usize) -> usize {
        i % self.registers * self.lanes + i / self.registers
    }

    /// The slot of a particle.
    pub(crate) fn slot(&self, particle: usize) -> usize {
        particle / self.width * self.pitch + self.slot_in_row(particle % self.width)
    }

    /// For each slot of a row, its column in the sheet; [`u32::MAX`] for padding.
    pub(crate) fn offsets(&self) -> Vec<u32> {
        let mut offsets = vec![u32::MAX; self.pitch];
        for i in 0..self.width {
            offsets[self.slot_in_row(i)] = i as u32;
        }
        offsets
    }

    /// Whether rows have no padding lanes.
    pub(crate) fn is_full(&self) -> bool {
        self.width == self.row_lanes()
    }

    /// For sticks that span `across` columns: 1 in the lanes of a row that have a stick, and
    /// [`ABSENT`] in the other lanes. A stick is in the lane of the column of its left end; it counts
    /// only if `is_included` is true for that column.
    pub(crate) fn stick_presence(
        &self,
        across: usize,
        is_included: impl Fn(usize) -> bool,
    ) -> Column<f32> {
        let mut presence = Column::new(0);
        presence.resize(self.row_lanes(), ABSENT);
        for i in (0..self.width.saturating_sub(across)).filter(|&i| is_included(i)) {
            presence[self.slot_in_row(i)] = 1.0;
        }
        presence
    }
}
