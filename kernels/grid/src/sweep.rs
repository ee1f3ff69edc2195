//! The inner loops: all of this crate's `unsafe`.

use taut_core::{Column, Columns, Factor, Motion, PADDING, Response, WithFactor, integrate, relax};
use taut_lanes::{Operation, Vector};

use crate::constants::{Constants, Mixed, Row, Strand};
use crate::layout::{Layout, STRIDE};

/// One substep of motion of a range of particles, on their own columns.
pub(crate) struct Integrate<'a, 'b, const D: usize> {
    pub(crate) columns: &'a mut Columns<'b, D, f32>,
    pub(crate) motion: &'a Motion<D>,
    /// A multiple of [`PADDING`], like all columns.
    pub(crate) from: usize,
}

impl<const D: usize> Operation for Integrate<'_, '_, D> {
    #[inline(always)]
    fn run<V: Vector>(self, cpu: V::Cpu) {
        let Self { columns, motion, from } = self;
        let Columns { position, previous, inverse_mass } = columns;
        for axis in 0..D {
            let x = &mut position[axis][from..];
            let (previous, inverse_mass) = (&mut previous[axis][from..], &inverse_mass[from..]);
            let (keep, push) = (motion.keep, motion.push[axis]);
            integrate_column::<V>(cpu, x, previous, inverse_mass, [keep, push], None);
        }
    }
}

/// One substep of motion of a full sheet, row by row from the particles' columns into strides:
/// the new positions pass through a row of scratch that stays in the first-level cache.
pub(crate) struct IntegrateRows<'a, 'b, const D: usize> {
    pub(crate) columns: &'a mut Columns<'b, D, f32>,
    pub(crate) motion: &'a Motion<D>,
    pub(crate) layout: Layout,
    pub(crate) strided: [&'a mut [f32]; D],
    pub(crate) scratch: &'a mut [f32],
}

impl<const D: usize> Operation for IntegrateRows<'_, '_, D> {
    #[inline(always)]
    fn run<V: Vector>(self, cpu: V::Cpu) {
        let Self { columns, motion, layout, strided, scratch } = self;
        let Columns { position, previous, inverse_mass } = columns;
        let row_len = layout.registers * STRIDE;
        assert!(layout.is_full(), "rows have lanes without a particle");
        for j in 0..layout.height {
            let row = j * row_len..(j + 1) * row_len;
            for axis in 0..D {
                let scratch = &mut scratch[..row_len];
                let x = &mut position[axis][row.clone()];
                let previous = &mut previous[axis][row.clone()];
                let terms = [motion.keep, motion.push[axis]];
                let mass = &inverse_mass[row.clone()];
                integrate_column::<V>(cpu, x, previous, mass, terms, Some(scratch));
                let strided = &mut strided[axis][j * layout.pitch..][..row_len];
                // SAFETY: both have `row_len` numbers, and `registers` is a multiple of 4.
                unsafe {
                    let direction = Transpose::ToStrides;
                    transpose_full::<V>(cpu, layout.registers, scratch, strided, direction);
                }
            }
        }
    }
}

/// One coordinate of some particles, a multiple of [`PADDING`] of them, to `to` or in place.
#[inline(always)]
fn integrate_column<V: Vector>(
    cpu: V::Cpu,
    x: &mut [f32],
    previous: &mut [f32],
    inverse_mass: &[f32],
    [keep, push]: [f32; 2],
    to: Option<&mut [f32]>,
) {
    let len = x.len() / PADDING * PADDING;
    let (from, to) = (x.as_mut_ptr(), to.map_or(x.as_mut_ptr(), |to| to[..len].as_mut_ptr()));
    let (previous, inverse_mass) = (&mut previous[..len], &inverse_mass[..len]);
    let [zero, keep, push] = [0.0, keep, push].map(|term| V::splat(cpu, term));
    for at in (0..len).step_by(V::LANES) {
        // SAFETY: `LANES` divides `PADDING`, so `at + LANES <= len`, which all have.
        unsafe {
            let here = V::load(cpu, from.add(at)) + zero; // -0.0 becomes +0.0
            let before = V::load(cpu, previous.as_ptr().add(at));
            let inverse_mass = V::load(cpu, inverse_mass.as_ptr().add(at));
            here.store(previous.as_mut_ptr().add(at));
            integrate(here, before, inverse_mass, keep, push).store(to.add(at));
        }
    }
}

/// Which way positions go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transpose {
    ToStrides,
    FromStrides,
}

/// One column of positions, between rows as the particles have them and strided rows.
pub(crate) struct Rows<'a> {
    pub(crate) layout: Layout,
    pub(crate) contiguous: &'a mut [f32],
    pub(crate) strided: &'a mut [f32],
    pub(crate) direction: Transpose,
    /// Becomes NaN if a position is not finite.
    pub(crate) unsound: &'a mut f32,
}

impl Operation for Rows<'_> {
    #[inline(always)]
    fn run<V: Vector>(self, cpu: V::Cpu) {
        let Self { layout, contiguous, strided, direction, unsound } = self;
        for j in 0..layout.height {
            let row = &mut contiguous[j * layout.width..][..layout.width];
            let strided = &mut strided[j * layout.pitch..][..layout.registers * STRIDE];
            if layout.is_full() {
                // SAFETY: the row is full, so both slices have `registers * STRIDE` numbers.
                *unsound +=
                    unsafe { transpose_full::<V>(cpu, layout.registers, row, strided, direction) };
            } else {
                for (i, x) in row.iter_mut().enumerate() {
                    let strided = &mut strided[layout.in_row(i)];
                    match direction {
                        Transpose::ToStrides => *strided = *x + 0.0, // -0.0 becomes +0.0
                        Transpose::FromStrides => *x = *strided,
                    }
                    *unsound += *strided * 0.0;
                }
            }
        }
    }
}

/// Four registers of the layout at a time: a lane's numbers are `registers` apart in the row,
/// and four neighbours in the row are the same lane of four registers. Gives NaN if a position
/// is not finite, else 0.
///
/// # Safety
/// - `row` and `strided` have `registers * STRIDE` numbers each,
/// - and `registers` is a multiple of 4.
#[inline(always)]
unsafe fn transpose_full<V: Vector>(
    cpu: V::Cpu,
    registers: usize,
    row: &mut [f32],
    strided: &mut [f32],
    direction: Transpose,
) -> f32 {
    let zero = V::splat(cpu, 0.0);
    let mut unsound = zero;
    let (row, strided) = (row.as_mut_ptr(), strided.as_mut_ptr());
    for first in (0..registers).step_by(4) {
        for lane in (0..STRIDE).step_by(V::LANES) {
            // SAFETY: `first + 3 < registers` and each lane is below `STRIDE`, so every place
            // is below `registers * STRIDE`, by contract.
            unsafe {
                let in_row = |l: usize| row.add((lane + l) * registers + first).cast::<[f32; 4]>();
                let register = |m: usize| strided.add((first + m) * STRIDE + lane);
                match direction {
                    Transpose::ToStrides => {
                        let four = V::gather(cpu, |l| in_row(l).cast_const());
                        for (m, lanes) in four.into_iter().enumerate() {
                            (lanes + zero).store(register(m)); // -0.0 becomes +0.0
                        }
                    }
                    Transpose::FromStrides => {
                        let four: [V; 4] = core::array::from_fn(|m| V::load(cpu, register(m)));
                        for lanes in four {
                            unsound = unsound + lanes * zero;
                        }
                        V::scatter(four, in_row);
                    }
                }
            }
        }
    }
    let mut sum = [0.0; PADDING];
    // SAFETY: no register has more lanes than `PADDING`.
    unsafe { unsound.store(sum.as_mut_ptr()) };
    sum.iter().sum()
}

/// Relaxes all sticks of a sheet in the order that it implies, some times over.
pub(crate) struct Sweep<'a, const D: usize> {
    pub(crate) constants: &'a Constants,
    pub(crate) position: [&'a mut [f32]; D],
    pub(crate) inverse_mass: &'a [f32],
    pub(crate) presence: &'a [Column<f32>; 3],
    pub(crate) iterations: u32,
}

impl<const D: usize> Operation for Sweep<'_, D> {
    #[inline(always)]
    fn run<V: Vector>(self, cpu: V::Cpu) {
        struct With<'a, V: Vector, const D: usize>(V::Cpu, Sweep<'a, D>);
        impl<V: Vector, const D: usize> WithFactor for With<'_, V, D> {
            type Output = ();
            #[inline(always)]
            fn with<F: Factor>(self) {
                let Self(cpu, mut sweep) = self;
                for _ in 0..sweep.iterations {
                    sweep.once::<V, F>(cpu);
                }
            }
        }
        self.constants.formula.dispatch(With::<V, D>(cpu, self));
    }
}

impl<const D: usize> Sweep<'_, D> {
    /// Bands in sequence; in a band, family after family; in a family, row after row.
    #[inline(always)]
    fn once<V: Vector, F: Factor>(&mut self, cpu: V::Cpu) {
        let Constants { layout, ref strands, .. } = *self.constants;
        for band in (0..layout.height).step_by(taut_core::BAND_ROWS) {
            for strand in strands {
                for row in band..strand.rows.len().min(band + taut_core::BAND_ROWS) {
                    self.row::<V, F>(cpu, strand, row);
                }
            }
        }
    }

    #[inline(always)]
    fn row<V: Vector, F: Factor>(&mut self, cpu: V::Cpu, strand: &Strand, row: usize) {
        let Constants { layout, ref row_mass, .. } = *self.constants;
        let Layout { registers, pitch, .. } = layout;
        let Strand { across, down, leans_left, .. } = *strand;
        let [from, to] = if leans_left { [row + down, row] } else { [row, row + down] };
        let row_len = registers * STRIDE;
        // All that the raw pointers below may touch.
        let end = (from.max(to) + 1) * pitch;
        assert!(self.position.iter().all(|column| column.len() >= end) && pitch >= row_len);
        assert!(self.inverse_mass.len() >= end && across < 3 && registers >= 4);
        let place = Place {
            columns: self.position.each_mut().map(|column| column.as_mut_ptr()),
            from: from * pitch,
            to: to * pitch,
        };
        match (strand.rows[row], &strand.mixed) {
            (Row::Equal { rest_term, weight_term }, _) => {
                let mass = |row: usize| V::splat(cpu, row_mass[row].unwrap_or(0.0));
                let terms = [rest_term, weight_term].map(|term| V::splat(cpu, term));
                let presence = &self.presence[across][..row_len];
                let masses = [mass(from), mass(to)];
                let same = row_mass[from] == row_mass[to];
                // The usual case first; the others share less code than they could, so that
                // there are not too many copies of it.
                match (same, layout.is_full()) {
                    (true, true) => {
                        let row = Equal::<V, D, true, true> { cpu, place, masses, terms, presence };
                        each_register::<V>(registers, across, down, &row, F::default());
                    }
                    (false, true) => {
                        let row =
                            Equal::<V, D, false, true> { cpu, place, masses, terms, presence };
                        each_register::<V>(registers, across, down, &row, F::default());
                    }
                    (_, false) => {
                        let row =
                            Equal::<V, D, false, false> { cpu, place, masses, terms, presence };
                        each_register::<V>(registers, across, down, &row, F::default());
                    }
                }
            }
            (Row::Mixed, Some(mixed)) => {
                let Mixed { rest_term, weight_term, pull, push } = mixed;
                let constants = [rest_term, weight_term, pull, push]
                    .map(|column| &column[row * row_len..(row + 1) * row_len]);
                let inverse_mass = self.inverse_mass.as_ptr();
                let mixed = Varied::<V, D> { cpu, place, constants, inverse_mass };
                each_register::<V>(registers, across, down, &mixed, F::default());
            }
            (Row::Mixed, None) => {}
        }
    }
}

/// Relaxes each register of sticks that reach `across` columns: first those that do not wrap
/// around the end of the row.
///
/// The places it gives are of whole registers of `V` in a row of the layout: a register that
/// wraps ends at most one lane into the second or third, and there are at least four.
#[inline(always)]
fn each_register<V: Vector>(
    registers: usize,
    across: usize,
    down: usize,
    row: &impl RelaxRegister,
    formula: impl Factor,
) {
    // Along a row, every other `across` registers are a batch; else all registers are one.
    let (group, batches) = if down == 0 { (across, 2) } else { (registers, 1) };
    let whole = registers - across;
    for batch in 0..batches {
        for first in (batch * group..registers).step_by(batches * group) {
            let end = first + group;
            for register in first..end.min(whole) {
                for lane in (0..STRIDE).step_by(V::LANES) {
                    let (a, b) = (register * STRIDE + lane, (register + across) * STRIDE + lane);
                    // SAFETY: places as promised above.
                    unsafe { row.relax(formula, a, b, false) };
                }
            }
            for register in first.max(whole)..end {
                for lane in (0..STRIDE).step_by(V::LANES) {
                    let partner = (register + across - registers) * STRIDE + 1;
                    // SAFETY: places as promised above.
                    unsafe { row.relax(formula, register * STRIDE + lane, partner + lane, true) };
                }
            }
        }
    }
}

/// A row of sticks, relaxed a register at a time. (A trait, not a closure: only a method can
/// be told to take on its caller's target features.)
trait RelaxRegister {
    /// # Safety
    /// - `a` and `b` are places of whole registers in a row of the layout.
    unsafe fn relax(&self, formula: impl Factor, a: usize, b: usize, wraps: bool);
}

/// Two rows of the positions' columns: valid for reading and writing at every place of a row.
#[derive(Clone, Copy)]
struct Place<const D: usize> {
    columns: [*mut f32; D],
    from: usize,
    to: usize,
}

impl<const D: usize> Place<D> {
    #[inline(always)]
    fn ends(&self, a: usize, b: usize) -> Ends<D> {
        Ends { columns: self.columns, a: self.from + a, b: self.to + b }
    }
}

/// [`Row::Equal`]. If it is known that both rows have the `SAME` mass, so do the compiler's
/// eyes, and the displacement of both ends is computed once: four multiplications of 29
/// operations less. In a `FULL` layout only registers that wrap have lanes without a stick.
struct Equal<'a, V: Vector, const D: usize, const SAME: bool, const FULL: bool> {
    cpu: V::Cpu,
    place: Place<D>,
    masses: [V; 2],
    terms: [V; 2],
    presence: &'a [f32],
}

impl<V: Vector, const D: usize, const SAME: bool, const FULL: bool> RelaxRegister
    for Equal<'_, V, D, SAME, FULL>
{
    #[inline(always)]
    unsafe fn relax(&self, formula: impl Factor, a: usize, b: usize, wraps: bool) {
        let Self { cpu, ref place, masses, terms, presence } = *self;
        let masses = if SAME { [masses[0]; 2] } else { masses };
        // SAFETY: `presence` has a whole row, and the columns have rows at `from` and `to`.
        unsafe {
            let present = (wraps || !FULL).then(|| V::load(cpu, presence.as_ptr().add(a)));
            place.ends(a, b).relax(formula, cpu, masses, terms, None, present);
        }
    }
}

/// [`Row::Mixed`]: the constants of the row, and the inverse masses of the sheet.
struct Varied<'a, V: Vector, const D: usize> {
    cpu: V::Cpu,
    place: Place<D>,
    constants: [&'a [f32]; 4],
    inverse_mass: *const f32,
}

impl<V: Vector, const D: usize> RelaxRegister for Varied<'_, V, D> {
    #[inline(always)]
    unsafe fn relax(&self, formula: impl Factor, a: usize, b: usize, _: bool) {
        let Self { cpu, ref place, constants, inverse_mass } = *self;
        let ends = place.ends(a, b);
        // SAFETY: the constants have a whole row, and all columns have rows at `from` and `to`.
        unsafe {
            let [rest, weight, pull, push] =
                constants.map(|column| V::load(cpu, column.as_ptr().add(a)));
            let masses = [ends.a, ends.b].map(|at| V::load(cpu, inverse_mass.add(at)));
            let response = Some(Response { pull, push });
            ends.relax(formula, cpu, masses, [rest, weight], response, Some(pull));
        }
    }
}

/// Two registers of particles, by their places in the columns.
#[derive(Clone, Copy)]
struct Ends<const D: usize> {
    columns: [*mut f32; D],
    a: usize,
    b: usize,
}

impl<const D: usize> Ends<D> {
    /// Relaxes a register of sticks; where `present` is negative, no end is written to.
    ///
    /// # Safety
    /// - The columns are valid for reading and writing `LANES` numbers at `a` and at `b`, and
    ///   nobody else uses them meanwhile.
    #[inline(always)]
    unsafe fn relax<V: Vector, F: Factor>(
        self,
        _: F,
        cpu: V::Cpu,
        masses: [V; 2],
        [rest_term, weight_term]: [V; 2],
        response: Option<Response<V>>,
        present: Option<V>,
    ) {
        // SAFETY: valid for reading, by contract.
        let load = |at: usize| self.columns.map(|column| unsafe { V::load(cpu, column.add(at)) });
        let (a, b) = (load(self.a), load(self.b));
        let (mut new_a, mut new_b) =
            relax::<F, V, D>(a, b, masses, rest_term, weight_term, response);
        if let Some(present) = present {
            let present = present.at_least(V::splat(cpu, 0.0));
            for axis in 0..D {
                new_a[axis] = V::select(present, new_a[axis], a[axis]);
                new_b[axis] = V::select(present, new_b[axis], b[axis]);
            }
        }
        for (axis, column) in self.columns.into_iter().enumerate() {
            // SAFETY: valid for writing, by contract.
            unsafe {
                new_a[axis].store(column.add(self.a));
                new_b[axis].store(column.add(self.b));
            }
        }
    }
}
