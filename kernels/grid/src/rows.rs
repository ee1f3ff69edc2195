//! Passes over rows: motion, and positions into strides and back.

use core::ops::Range;
use core::slice;
use core::sync::atomic::{AtomicBool, Ordering};

use taut_core::{Motion, Numbers, PADDING, ParticleView, Stage, integrate};
use taut_lanes::{Operation, Shared, Vector};

use crate::layout::{Layout, STRIDE};

/// What to do with rows.
#[derive(Clone, Copy)]
pub(crate) enum Pass<'a, const D: usize> {
    /// One substep of motion, in strides: from where particles are and were, over the latter; and a
    /// stage after it, if there is one.
    Integrate(Motion<D>, Option<&'a dyn Stage<D>>),
    /// From the columns into strides, -0.0 as +0.0.
    Fill,
    /// The same, -0.0 as it is.
    FillPrevious,
    /// Back to the columns.
    WriteBack,
}

/// The positions of the particles of a sheet at one time, by axis: as columns, `width * height`
/// numbers each, and in strided rows, [`Layout::len`] each.
#[derive(Clone, Copy)]
pub(crate) struct Points<const D: usize> {
    pub(crate) columns: [Shared<f32>; D],
    pub(crate) strided: [Shared<f32>; D],
}

/// What passes over rows work on.
#[derive(Clone, Copy)]
pub(crate) struct Sheets<'a, const D: usize> {
    pub(crate) layout: Layout,
    /// What a pass changes, or copies.
    pub(crate) present: Points<D>,
    /// What motion starts from.
    pub(crate) previous: Points<D>,
    /// In strides.
    pub(crate) inverse_mass: &'a [f32],
    /// For each slot from one row to the next, the column of the sheet.
    pub(crate) offsets: &'a [u32],
}

impl<const D: usize> Sheets<'_, D> {
    /// With present and previous exchanged: as they were one substep before, or for a pass over
    /// previous positions.
    pub(crate) fn swapped(self) -> Self {
        Self { present: self.previous, previous: self.present, ..self }
    }
}

/// A pass over some rows.
pub(crate) struct OverRows<'a, const D: usize> {
    sheets: Sheets<'a, D>,
    rows: Range<usize>,
    pass: Pass<'a, D>,
    /// A row of the layout, of finite numbers: what passes through it stays in the first-level
    /// cache.
    scratch: &'a mut [f32],
    /// Becomes false if a position that is returned is not finite.
    finite: &'a AtomicBool,
}

impl<'a, const D: usize> OverRows<'a, D> {
    /// # Safety
    /// - The columns are as long as [`Sheets`] says, and valid for reading and writing at these
    ///   rows, which nobody else uses meanwhile.
    pub(crate) unsafe fn new(
        sheets: Sheets<'a, D>,
        rows: Range<usize>,
        pass: Pass<'a, D>,
        scratch: &'a mut [f32],
        finite: &'a AtomicBool,
    ) -> Self {
        assert!(rows.end <= sheets.layout.height);
        Self { sheets, rows, pass, scratch, finite }
    }
}

impl<const D: usize> Operation for OverRows<'_, D> {
    #[inline(always)]
    fn run<V: Vector>(self, cpu: V::Cpu) {
        let Self { sheets, rows, pass, scratch, finite } = self;
        let Sheets { layout, present, previous, inverse_mass, offsets } = sheets;
        let (Points { columns, strided }, start) = (present, previous.strided);
        let Layout { width, registers, pitch, .. } = layout;
        let row_len = registers * STRIDE;
        let scratch = &mut scratch[..row_len];
        let mut unsound = 0.0;
        if let Pass::Integrate(motion, _) = pass {
            for row in rows.clone() {
                let first = row * pitch;
                // SAFETY: the row is of the layout, as `new` checked; this one alone uses it.
                let from = start.map(|Shared(x)| unsafe {
                    slice::from_raw_parts(x.add(first).cast_const(), row_len)
                });
                // SAFETY: the same, of other columns.
                let to = strided
                    .map(|Shared(x)| unsafe { slice::from_raw_parts_mut(x.add(first), row_len) });
                integrate_row::<V, D>(cpu, from, to, &inverse_mass[first..][..row_len], motion);
            }
        } else {
            let rows_and_axes = rows.clone().flat_map(|row| (0..D).map(move |axis| (row, axis)));
            for (row, axis) in rows_and_axes {
                let [Shared(x), Shared(strided)] = [columns[axis], strided[axis]];
                // SAFETY: the row is of the sheet and its layout, as `new` checked; this one alone
                // uses it.
                let (x, strided) = unsafe {
                    (
                        slice::from_raw_parts_mut(x.add(row * width), width),
                        slice::from_raw_parts_mut(strided.add(row * pitch), row_len),
                    )
                };
                match pass {
                    Pass::Integrate(..) => {} // all axes at once, above
                    Pass::Fill | Pass::FillPrevious => {
                        // What is added to a number keeps it, but for the sign of zero.
                        let nothing = if matches!(pass, Pass::Fill) { 0.0 } else { -0.0 };
                        scratch[..width].copy_from_slice(x);
                        transpose::<V, true>(cpu, registers, scratch, strided, nothing);
                    }
                    Pass::WriteBack if layout.is_full() => {
                        unsound += transpose::<V, false>(cpu, registers, x, strided, 0.0);
                    }
                    Pass::WriteBack => {
                        unsound += transpose::<V, false>(cpu, registers, scratch, strided, 0.0);
                        x.copy_from_slice(&scratch[..width]);
                    }
                }
            }
        }
        if let (Pass::Integrate(_, Some(stage)), false) = (pass, rows.is_empty()) {
            let (first, len) = (rows.start * pitch, (rows.len() - 1) * pitch + row_len);
            let rows_of = |Shared(column): Shared<f32>| {
                // SAFETY: the rows are of the layout, as `new` checked, with what lies between them; this
                // one alone uses them, and the slices above are not used any more.
                unsafe { slice::from_raw_parts_mut(column.add(first), len) }
            };
            stage.run(ParticleView {
                position: strided.map(rows_of),
                previous: start.map(rows_of),
                inverse_mass: &inverse_mass[first..][..len],
                numbers: Numbers::Rows { first_row: rows.start, width, offsets },
            });
        }
        if !unsound.is_finite() {
            finite.store(false, Ordering::Relaxed);
        }
    }
}

/// A row in strides, one substep on from `start`, and from what `to` has until then: where the
/// particles were before. All have as many whole registers.
#[inline(always)]
fn integrate_row<V: Vector, const D: usize>(
    cpu: V::Cpu,
    start: [&[f32]; D],
    to: [&mut [f32]; D],
    inverse_mass: &[f32],
    motion: Motion<D>,
) {
    let len = inverse_mass.len();
    assert!(len.is_multiple_of(STRIDE));
    assert!(start.iter().all(|row| row.len() == len) && to.iter().all(|row| row.len() == len));
    const { assert!(STRIDE.is_multiple_of(V::LANES)) };
    let keep = V::splat(cpu, motion.keep);
    let push = motion.push.map(|push| V::splat(cpu, push));
    let (start, to) = (start.map(<[f32]>::as_ptr), to.map(<[f32]>::as_mut_ptr));
    for at in (0..len).step_by(V::LANES) {
        // SAFETY: the lanes divide `len`, so `at + LANES <= len`, which all have.
        unsafe {
            let inverse_mass = V::load(cpu, inverse_mass.as_ptr().add(at));
            for axis in 0..D {
                let [here, before] =
                    [start[axis], to[axis].cast_const()].map(|row| V::load(cpu, row.add(at)));
                integrate(here, before, inverse_mass, keep, push[axis]).store(to[axis].add(at));
            }
        }
    }
}

/// One coordinate of a row, into strides or back, four registers of the layout at a time: a
/// lane's numbers are `registers` apart in the row, and four neighbours in the row are the same
/// lane of four registers. On the way into strides `nothing`, a zero, is added. Gives NaN if a position that comes back is not finite, else 0.
#[inline(always)]
fn transpose<V: Vector, const INTO_STRIDES: bool>(
    cpu: V::Cpu,
    registers: usize,
    row: &mut [f32],
    strided: &mut [f32],
    nothing: f32,
) -> f32 {
    assert!(registers.is_multiple_of(4));
    assert!(row.len() == registers * STRIDE && strided.len() == registers * STRIDE);
    const { assert!(STRIDE.is_multiple_of(V::LANES) && PADDING.is_multiple_of(V::LANES)) };
    let (zero, nothing) = (V::splat(cpu, 0.0), V::splat(cpu, nothing));
    let mut unsound = zero;
    let (row, strided) = (row.as_mut_ptr(), strided.as_mut_ptr());
    for first in (0..registers).step_by(4) {
        for lane in (0..STRIDE).step_by(V::LANES) {
            // SAFETY: `first + 3 < registers`, and each lane is below `STRIDE`, which the lanes
            // divide, so every place is below `registers * STRIDE`, which both slices have.
            unsafe {
                let in_row = |l: usize| row.add((lane + l) * registers + first).cast::<[f32; 4]>();
                let register = |m: usize| strided.add((first + m) * STRIDE + lane);
                if INTO_STRIDES {
                    let four = V::gather(cpu, |l| in_row(l).cast_const());
                    for (m, lanes) in four.into_iter().enumerate() {
                        (lanes + nothing).store(register(m));
                    }
                } else {
                    let four: [V; 4] = core::array::from_fn(|m| V::load(cpu, register(m)));
                    for lanes in four {
                        unsound = unsound + lanes * zero;
                    }
                    V::scatter(four, in_row);
                }
            }
        }
    }
    let mut sum = [0.0; PADDING];
    // SAFETY: no register has more lanes than `PADDING`.
    unsafe { unsound.store(sum.as_mut_ptr()) };
    sum.iter().sum()
}
