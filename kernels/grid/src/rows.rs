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

/// Columns of the particles of a sheet, `width * height` numbers each, and in strided rows,
/// [`Layout::len`] each.
#[derive(Clone, Copy)]
pub(crate) struct Sheets<'a, const D: usize> {
    pub(crate) layout: Layout,
    pub(crate) columns: [Shared<f32>; D],
    /// The same in strides.
    pub(crate) strided: [Shared<f32>; D],
    /// In strides, what motion starts from.
    pub(crate) start: [Shared<f32>; D],
    /// In strides.
    pub(crate) inverse_mass: &'a [f32],
    /// For each slot from one row to the next, the column of the sheet.
    pub(crate) offsets: &'a [u32],
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
        let Sheets { layout, columns, strided, start, inverse_mass, offsets } = sheets;
        let Layout { width, registers, pitch, .. } = layout;
        let row_len = registers * STRIDE;
        let scratch = &mut scratch[..row_len];
        let mut unsound = 0.0;
        for row in rows.clone() {
            for axis in 0..D {
                let [Shared(x), Shared(strided), Shared(start)] =
                    [columns[axis], strided[axis], start[axis]];
                // SAFETY: the row is of the sheet and its layout, as `new` checked; this one alone
                // uses it.
                let (x, strided, start) = unsafe {
                    (
                        slice::from_raw_parts_mut(x.add(row * width), width),
                        slice::from_raw_parts_mut(strided.add(row * pitch), row_len),
                        slice::from_raw_parts(start.add(row * pitch), row_len),
                    )
                };
                match pass {
                    Pass::Integrate(motion, _) => {
                        let masses = &inverse_mass[row * pitch..][..row_len];
                        let terms = [motion.keep, motion.push[axis]];
                        integrate_row::<V>(cpu, start, strided, masses, terms);
                    }
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

/// One coordinate of a row in strides, one substep on from `start`, and from what `to` has until
/// then: where the particles were before. All have as many whole registers.
#[inline(always)]
fn integrate_row<V: Vector>(
    cpu: V::Cpu,
    start: &[f32],
    to: &mut [f32],
    inverse_mass: &[f32],
    terms: [f32; 2],
) {
    let len = to.len();
    assert!(len.is_multiple_of(STRIDE) && start.len() == len && inverse_mass.len() == len);
    const { assert!(STRIDE.is_multiple_of(V::LANES)) };
    let [keep, push] = terms.map(|term| V::splat(cpu, term));
    let (start, to, inverse_mass) = (start.as_ptr(), to.as_mut_ptr(), inverse_mass.as_ptr());
    for at in (0..len).step_by(V::LANES) {
        // SAFETY: the lanes divide `len`, so `at + LANES <= len`, which all have.
        unsafe {
            let [here, before, inverse_mass] =
                [start, to.cast_const(), inverse_mass].map(|row| V::load(cpu, row.add(at)));
            integrate(here, before, inverse_mass, keep, push).store(to.add(at));
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
