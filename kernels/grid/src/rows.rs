//! Loops over rows: integration, and copies between columns and strided rows.

use core::ops::Range;
use core::slice;
use core::sync::atomic::{AtomicBool, Ordering};

use taut_core::{PADDING, ParticleView, SlotLayout, arrays};
use taut_lanes::slots::{SlotLoop, integrate};
use taut_lanes::{Operation, SharedPtr, Vector};

use crate::layout::Layout;

/// The positions of the particles of a sheet at one time, by axis: as columns, `width * height`
/// values each, and in strided rows, [`Layout::len`] each.
#[derive(Clone, Copy)]
pub(crate) struct RawPositions<const D: usize> {
    pub(crate) columns: [SharedPtr<f32>; D],
    pub(crate) strided: [SharedPtr<f32>; D],
}

/// The positions and masses of a sheet, for loops over its rows.
#[derive(Clone, Copy)]
pub(crate) struct SheetBuffers<'a, const D: usize> {
    pub(crate) layout: Layout,
    /// The positions that a loop changes or copies.
    pub(crate) target: RawPositions<D>,
    /// The positions that integration starts from.
    pub(crate) source: RawPositions<D>,
    /// The inverse masses, in strided rows.
    pub(crate) inverse_mass: &'a [f32],
    /// For each slot of a row, its column in the sheet; [`u32::MAX`] for padding.
    pub(crate) offsets: &'a [u32],
}

impl<const D: usize> SheetBuffers<'_, D> {
    /// Swaps target and source, which alternate between substeps.
    pub(crate) fn swapped(self) -> Self {
        Self { target: self.source, source: self.target, ..self }
    }
}

/// The operation that runs a loop over some rows.
pub(crate) struct RowLoop<'a, const D: usize> {
    buffers: SheetBuffers<'a, D>,
    rows: Range<usize>,
    slot_loop: SlotLoop<'a, D>,
    /// A buffer for one row with its padding, all values finite; small enough for the L1 cache.
    scratch: &'a mut [f32],
    /// Becomes false if a position written back is not finite.
    finite: &'a AtomicBool,
}

impl<'a, const D: usize> RowLoop<'a, D> {
    /// # Safety
    /// - The columns are as long as [`SheetBuffers`] says, and valid for reading and writing at
    ///   these rows; no other code accesses these meanwhile.
    pub(crate) unsafe fn new(
        buffers: SheetBuffers<'a, D>,
        rows: Range<usize>,
        slot_loop: SlotLoop<'a, D>,
        scratch: &'a mut [f32],
        finite: &'a AtomicBool,
    ) -> Self {
        assert!(rows.end <= buffers.layout.height);
        Self { buffers, rows, slot_loop, scratch, finite }
    }
}

impl<const D: usize> Operation for RowLoop<'_, D> {
    #[inline(always)]
    fn run<V: Vector>(self, cpu: V::Cpu) {
        let Self { buffers, rows, slot_loop, scratch, finite } = self;
        let SheetBuffers { layout, target, source, inverse_mass, offsets } = buffers;
        let (RawPositions { columns, strided }, source) = (target, source.strided);
        let Layout { width, registers, pitch, .. } = layout;
        let (row_slots, row_lanes) = (layout.row_slots(), layout.row_lanes());
        assert!(layout.lanes == V::LANES);
        let scratch = &mut scratch[..row_lanes];
        let mut nan_or_zero = 0.0;
        if let SlotLoop::Integrate(motion, _) = slot_loop {
            for row in rows.clone() {
                let first = row * pitch;
                // SAFETY: `new` checked that the layout has the row; no other code accesses it.
                let source_row = arrays::map(source, |SharedPtr(x)| unsafe {
                    slice::from_raw_parts(x.add(first).cast_const(), row_slots)
                });
                // SAFETY: as above, in other columns.
                let target_row = strided.map(|SharedPtr(x)| unsafe {
                    slice::from_raw_parts_mut(x.add(first), row_slots)
                });
                let inverse_mass = &inverse_mass[first..][..row_slots];
                integrate::<V, D>(cpu, source_row, target_row, inverse_mass, motion);
            }
        } else {
            let rows_and_axes = rows.clone().flat_map(|row| (0..D).map(move |axis| (row, axis)));
            for (row, axis) in rows_and_axes {
                let [SharedPtr(column), SharedPtr(strided)] = [columns[axis], strided[axis]];
                // SAFETY: `new` checked that the sheet and its layout have the row; no other code
                // accesses it.
                let (values, strided) = unsafe {
                    (
                        slice::from_raw_parts_mut(column.add(row * width), width),
                        slice::from_raw_parts_mut(strided.add(row * pitch), row_lanes),
                    )
                };
                match slot_loop {
                    SlotLoop::Integrate(..) => {} // Runs above, for all axes at once.
                    SlotLoop::Fill | SlotLoop::FillPrevious => {
                        // Adding a zero only affects the sign of zeros: `x + -0.0` is always `x`.
                        let signed_zero =
                            if matches!(slot_loop, SlotLoop::Fill) { 0.0 } else { -0.0 };
                        scratch[..width].copy_from_slice(values);
                        transpose::<V, true>(cpu, registers, scratch, strided, signed_zero);
                    }
                    SlotLoop::WriteBack if layout.is_full() => {
                        nan_or_zero += transpose::<V, false>(cpu, registers, values, strided, 0.0);
                    }
                    SlotLoop::WriteBack => {
                        nan_or_zero += transpose::<V, false>(cpu, registers, scratch, strided, 0.0);
                        values.copy_from_slice(&scratch[..width]);
                    }
                }
            }
        }
        if let (SlotLoop::Integrate(_, Some(stage)), false) = (slot_loop, rows.is_empty()) {
            let (first, len) = (rows.start * pitch, (rows.len() - 1) * pitch + row_slots);
            let rows_of = |SharedPtr(column): SharedPtr<f32>| {
                // SAFETY: `new` checked that the layout has the rows; no other code accesses them,
                // and the slices above are no longer used.
                unsafe { slice::from_raw_parts_mut(column.add(first), len) }
            };
            stage.run(ParticleView {
                position: strided.map(rows_of),
                previous: source.map(rows_of),
                inverse_mass: &inverse_mass[first..][..len],
                layout: SlotLayout::Rows { first_row: rows.start, width, offsets },
            });
        }
        if !nan_or_zero.is_finite() {
            finite.store(false, Ordering::Relaxed);
        }
    }
}

/// If `TO_STRIDED`, copies one coordinate of a row to a strided row and adds `signed_zero`;
/// otherwise copies it back. Returns NaN if a coordinate copied back is not finite, else 0.
#[inline(always)]
fn transpose<V: Vector, const TO_STRIDED: bool>(
    cpu: V::Cpu,
    registers: usize,
    row: &mut [f32],
    strided: &mut [f32],
    signed_zero: f32,
) -> f32 {
    match registers {
        1 => transpose_few::<1, TO_STRIDED>(row, strided, signed_zero),
        2 => transpose_few::<2, TO_STRIDED>(row, strided, signed_zero),
        3 => transpose_few::<3, TO_STRIDED>(row, strided, signed_zero),
        5 => transpose_few::<5, TO_STRIDED>(row, strided, signed_zero),
        6 => transpose_few::<6, TO_STRIDED>(row, strided, signed_zero),
        _ => transpose_fours::<V, TO_STRIDED>(cpu, registers, row, strided, signed_zero),
    }
}

/// [`transpose`] for rows of `W` registers.
#[inline(always)]
fn transpose_few<const W: usize, const TO_STRIDED: bool>(
    row: &mut [f32],
    strided: &mut [f32],
    signed_zero: f32,
) -> f32 {
    let lanes = strided.len() / W;
    let mut nan_or_zero = 0.0;
    for (lane, neighbours) in row.as_chunks_mut::<W>().0.iter_mut().enumerate() {
        for (register, x) in neighbours.iter_mut().enumerate() {
            let slot = &mut strided[register * lanes + lane];
            if TO_STRIDED {
                *slot = *x + signed_zero;
            } else {
                *x = *slot;
                nan_or_zero += *slot * 0.0;
            }
        }
    }
    nan_or_zero
}

/// [`transpose`] four registers at a time: a register's values are `registers` apart in the row,
/// and four neighbours in the row are the same lane (`l`) of four registers (`m`).
#[inline(always)]
fn transpose_fours<V: Vector, const TO_STRIDED: bool>(
    cpu: V::Cpu,
    registers: usize,
    row: &mut [f32],
    strided: &mut [f32],
    signed_zero: f32,
) -> f32 {
    assert!(registers.is_multiple_of(4));
    assert!(row.len() == registers * V::LANES && strided.len() == registers * V::LANES);
    const { assert!(PADDING.is_multiple_of(V::LANES)) };
    let (zero, signed_zero) = (V::splat(cpu, 0.0), V::splat(cpu, signed_zero));
    let mut nan_or_zero = zero;
    let (row, strided) = (row.as_mut_ptr(), strided.as_mut_ptr());
    for first in (0..registers).step_by(4) {
        // SAFETY: `first + 3 < registers` and lanes are below `LANES`, so every index is below
        // `registers * LANES`, the length of both slices.
        unsafe {
            let in_row = |l: usize| row.add(l * registers + first).cast::<[f32; 4]>();
            let register = |m: usize| strided.add((first + m) * V::LANES);
            if TO_STRIDED {
                let four_registers = V::gather(cpu, |l| in_row(l).cast_const());
                for (m, lanes) in four_registers.into_iter().enumerate() {
                    (lanes + signed_zero).store(register(m));
                }
            } else {
                let four_registers: [V; 4] = arrays::from_fn(|m| V::load(cpu, register(m)));
                for lanes in four_registers {
                    nan_or_zero = nan_or_zero + lanes * zero;
                }
                V::scatter(four_registers, in_row);
            }
        }
    }
    let mut lanes = [0.0; PADDING];
    // SAFETY: no register has more lanes than `PADDING`.
    unsafe { nan_or_zero.store(lanes.as_mut_ptr()) };
    lanes.iter().sum()
}
