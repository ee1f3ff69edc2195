//! Passes over rows: motion, and positions into strides and back.

use core::ops::Range;
use core::slice;
use core::sync::atomic::{AtomicBool, Ordering};

use taut_core::{Motion, PADDING, integrate};
use taut_lanes::{Operation, Shared, Vector};

use crate::layout::{Layout, STRIDE};

/// What to do with rows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pass<const D: usize> {
    /// One substep of motion, into strides: the columns keep their positions, as previous ones.
    Integrate(Motion<D>),
    /// Positions into strides.
    Fill,
    /// Positions back to the columns.
    Return,
}

/// The columns of the particles of a sheet, `width * height` numbers each, and of the strided
/// rows, [`Layout::len`] each.
#[derive(Clone, Copy)]
pub(crate) struct Sheets<'a, const D: usize> {
    pub(crate) layout: Layout,
    pub(crate) position: [Shared<f32>; D],
    pub(crate) previous: [Shared<f32>; D],
    pub(crate) inverse_mass: &'a [f32],
    pub(crate) strided: [Shared<f32>; D],
}

/// A pass over some rows.
pub(crate) struct OverRows<'a, const D: usize> {
    sheets: Sheets<'a, D>,
    rows: Range<usize>,
    pass: Pass<D>,
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
        pass: Pass<D>,
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
        let Sheets { layout, position, previous, inverse_mass, strided } = sheets;
        let Layout { width, registers, pitch, .. } = layout;
        let scratch = &mut scratch[..registers * STRIDE];
        let mut unsound = 0.0;
        for row in rows {
            let contiguous = |Shared(column): Shared<f32>| {
                // SAFETY: the row is of the sheet, as `new` checked; this one alone uses it.
                unsafe { slice::from_raw_parts_mut(column.add(row * width), width) }
            };
            for axis in 0..D {
                let x = contiguous(position[axis]);
                let Shared(column) = strided[axis];
                // SAFETY: the layout has as many rows as the sheet; this one alone uses it.
                let strided = unsafe {
                    slice::from_raw_parts_mut(column.add(row * pitch), registers * STRIDE)
                };
                match pass {
                    Pass::Integrate(motion) => {
                        let masses = &inverse_mass[row * width..][..width];
                        let terms = [motion.keep, motion.push[axis]];
                        let previous = contiguous(previous[axis]);
                        integrate_row::<V>(cpu, x, previous, masses, terms, scratch);
                        transpose::<V, true>(cpu, registers, scratch, strided);
                    }
                    Pass::Fill => {
                        scratch[..width].copy_from_slice(x);
                        transpose::<V, true>(cpu, registers, scratch, strided);
                    }
                    Pass::Return if layout.is_full() => {
                        unsound += transpose::<V, false>(cpu, registers, x, strided);
                    }
                    Pass::Return => {
                        unsound += transpose::<V, false>(cpu, registers, scratch, strided);
                        x.copy_from_slice(&scratch[..width]);
                    }
                }
            }
        }
        if !unsound.is_finite() {
            finite.store(false, Ordering::Relaxed);
        }
    }
}

/// One coordinate of a row of particles, one substep on.
#[inline(always)]
fn integrate_row<V: Vector>(
    cpu: V::Cpu,
    x: &[f32],
    previous: &mut [f32],
    inverse_mass: &[f32],
    terms: [f32; 2],
    to: &mut [f32],
) {
    let len = x.len();
    let (previous, inverse_mass, to) = (&mut previous[..len], &inverse_mass[..len], &mut to[..len]);
    let whole = len / V::LANES * V::LANES;
    let [zero, keep, push] = [0.0, terms[0], terms[1]].map(|term| V::splat(cpu, term));
    for at in (0..whole).step_by(V::LANES) {
        // SAFETY: `at + LANES <= len`, which all have.
        unsafe {
            let here = V::load(cpu, x.as_ptr().add(at)) + zero; // -0.0 becomes +0.0
            let before = V::load(cpu, previous.as_ptr().add(at));
            let inverse_mass = V::load(cpu, inverse_mass.as_ptr().add(at));
            here.store(previous.as_mut_ptr().add(at));
            integrate(here, before, inverse_mass, keep, push).store(to.as_mut_ptr().add(at));
        }
    }
    for at in whole..len {
        let here = x[at] + 0.0;
        let before = core::mem::replace(&mut previous[at], here);
        to[at] = integrate(here, before, inverse_mass[at], terms[0], terms[1]);
    }
}

/// One coordinate of a row, into strides or back, four registers of the layout at a time: a
/// lane's numbers are `registers` apart in the row, and four neighbours in the row are the same
/// lane of four registers. Gives NaN if a position that comes back is not finite, else 0.
#[inline(always)]
fn transpose<V: Vector, const INTO_STRIDES: bool>(
    cpu: V::Cpu,
    registers: usize,
    row: &mut [f32],
    strided: &mut [f32],
) -> f32 {
    assert!(registers.is_multiple_of(4));
    assert!(row.len() == registers * STRIDE && strided.len() == registers * STRIDE);
    let zero = V::splat(cpu, 0.0);
    let mut unsound = zero;
    let (row, strided) = (row.as_mut_ptr(), strided.as_mut_ptr());
    for first in (0..registers).step_by(4) {
        for lane in (0..STRIDE).step_by(V::LANES) {
            // SAFETY: `first + 3 < registers` and each lane is below `STRIDE`, so every place
            // is below `registers * STRIDE`, which both slices have.
            unsafe {
                let in_row = |l: usize| row.add((lane + l) * registers + first).cast::<[f32; 4]>();
                let register = |m: usize| strided.add((first + m) * STRIDE + lane);
                if INTO_STRIDES {
                    let four = V::gather(cpu, |l| in_row(l).cast_const());
                    for (m, lanes) in four.into_iter().enumerate() {
                        (lanes + zero).store(register(m)); // -0.0 becomes +0.0
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
