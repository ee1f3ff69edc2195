//! The inner loops: all of this crate's `unsafe`.

use core::ops::Range;

use taut_core::{
    Column, Columns, Factor, Motion, PADDING, Response, WithFactor, integrate, relax_by,
};
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
    /// Bands in sequence; in a band, family after family; in a family, row after row, those
    /// of the same constants in one go.
    #[inline(always)]
    fn once<V: Vector, F: Factor>(&mut self, cpu: V::Cpu) {
        let Constants { layout, ref strands, .. } = *self.constants;
        for band in (0..layout.height).step_by(taut_core::BAND_ROWS) {
            for strand in strands {
                let end = strand.rows.len().min(band + taut_core::BAND_ROWS);
                let mut first = band.min(end);
                for rows in strand.rows[first..end].chunk_by(PartialEq::eq) {
                    self.rows::<V, F>(cpu, strand, first..first + rows.len());
                    first += rows.len();
                }
            }
        }
    }

    /// Rows of one family, all [`Row::Mixed`] or all of the same constants.
    #[inline(always)]
    fn rows<V: Vector, F: Factor>(&mut self, cpu: V::Cpu, strand: &Strand, rows: Range<usize>) {
        let Layout { registers, pitch, .. } = self.constants.layout;
        let Strand { across, down, leans_left, .. } = *strand;
        let row_len = registers * STRIDE;
        // All that the raw pointers below may touch.
        let end = (rows.end + down) * pitch;
        assert!(self.position.iter().all(|column| column.len() >= end) && pitch >= row_len);
        assert!(self.inverse_mass.len() >= end && across < 3 && registers >= 4);
        assert!(registers.is_multiple_of(4) && across + down > 0);
        let constants = strand.rows[rows.start];
        let columns = self.position.each_mut().map(|column| column.as_mut_ptr());
        let path = Path { columns, rows, registers, pitch, across, down, leans_left };
        let presence = &self.presence[across][..row_len];
        let whole = self.constants.layout.is_full();
        match (constants, &strand.mixed) {
            (Row::Equal { rest_term, weight_term, masses }, _) => {
                let rest_term = V::splat(cpu, rest_term);
                let equal = |masses: [V; 2], weight_term: V| Equal {
                    cpu,
                    masses,
                    terms: [rest_term, weight_term],
                    presence,
                };
                // What the compiler knows it need not compute: a multiplication by a mass of
                // one, and the displacement of both ends if their masses are the same.
                if masses == [1.0; 2] {
                    let two = V::splat(cpu, F::weight_term(2.0));
                    let unit = equal([V::splat(cpu, 1.0); 2], two);
                    if whole {
                        path.relax(F::default(), &Whole(unit));
                    } else {
                        path.relax(F::default(), &unit);
                    }
                } else {
                    let [a, b]: [V; 2] = masses.map(|mass| V::splat(cpu, mass));
                    let weight_term = V::splat(cpu, weight_term);
                    if whole && masses[0] == masses[1] {
                        path.relax(F::default(), &Whole(equal([a; 2], weight_term)));
                    } else {
                        path.relax(F::default(), &equal([a, b], weight_term));
                    }
                }
            }
            (Row::Mixed, Some(mixed)) => {
                let Mixed { rest_term, weight_term, pull, push } = mixed;
                let constants = [rest_term, weight_term, pull, push].map(|column| &column[..]);
                let inverse_mass = &self.inverse_mass[..end];
                assert!(constants.iter().all(|column| column.len() >= path.rows.end * row_len));
                path.relax(F::default(), &Varied::<V> { cpu, row_len, constants, inverse_mass });
            }
            (Row::Mixed, None) => {}
        }
    }
}

/// The way through some rows of one family.
struct Path<const D: usize> {
    /// The axes: valid for reading and writing at every place of the rows that the sticks
    /// begin and end in.
    columns: [*mut f32; D],
    /// The rows that the sticks begin in.
    rows: Range<usize>,
    registers: usize,
    pitch: usize,
    across: usize,
    down: usize,
    leans_left: bool,
}

impl<const D: usize> Path<D> {
    /// Row after row; along a row, where every other `across` registers are a batch, the first
    /// batch of all rows before the second, which is the same, as those rows share no
    /// particle, and does not wait for what was just stored.
    #[inline(always)]
    fn relax<V: Vector>(&self, formula: impl Factor, constants: &impl Constant<V>) {
        let Self { ref rows, registers, pitch, across, down, leans_left, .. } = *self;
        let (batches, skip) = if down == 0 { (2, !(across - 1)) } else { (1, 0) };
        let count = registers / batches;
        for batch in 0..batches {
            let wrapping = if batch + 1 == batches { across } else { 0 };
            for row in rows.clone() {
                let [from, to] = if leans_left { [row + down, row] } else { [row, row + down] };
                let [from, to] = [from, to].map(|row| row * pitch);
                let sticks = |i: usize| {
                    let register = i + (i & skip) + batch * across;
                    (register, Sticks { row, from, to, in_row: register * STRIDE })
                };
                // SAFETY: `rows` has checked that the columns have both rows; all registers
                // are below `registers`, and so are their partners, wrapped or not.
                unsafe {
                    for (register, sticks) in (0..count - wrapping).map(sticks) {
                        let partner = (register + across) * STRIDE;
                        self.relax_register(formula, constants, sticks, partner);
                    }
                    for (register, sticks) in (count - wrapping..count).map(sticks) {
                        let partner = (register + across - registers) * STRIDE;
                        self.relax_wrapped(formula, constants, sticks, partner);
                    }
                }
            }
        }
    }

    /// The sticks from one layout register to another, `partner` being its place in its row.
    ///
    /// # Safety
    /// - The columns have both rows, and both registers are in them.
    #[inline(always)]
    unsafe fn relax_register<V: Vector>(
        &self,
        formula: impl Factor,
        constants: &impl Constant<V>,
        sticks: Sticks,
        partner: usize,
    ) {
        for lane in (0..STRIDE).step_by(V::LANES) {
            let sticks = Sticks { in_row: sticks.in_row + lane, ..sticks };
            // SAFETY: by contract; `lane` stays inside of the registers.
            unsafe {
                let given = constants.at(&sticks, partner + lane, false);
                let (place_a, place_b) = (sticks.from + sticks.in_row, sticks.to + partner + lane);
                let (a, b) = (self.load(given.cpu, place_a), self.load(given.cpu, place_b));
                let (new_a, new_b) = given.relax(formula, a, b);
                self.store(place_a, new_a);
                self.store(place_b, new_b);
            }
        }
    }

    /// The same around the end of the row, where `partner` is one lane on. It is read and
    /// written whole and its lanes are moved in registers: a load that straddles what two
    /// stores have just written would wait for both to reach the cache.
    ///
    /// # Safety
    /// - As for [`relax_register`](Self::relax_register).
    #[inline(always)]
    unsafe fn relax_wrapped<V: Vector>(
        &self,
        formula: impl Factor,
        constants: &impl Constant<V>,
        sticks: Sticks,
        partner: usize,
    ) {
        let partner_at = sticks.to + partner;
        // SAFETY: by contract; `lane` stays inside of the registers.
        unsafe {
            let cpu = constants.at(&sticks, partner, true).cpu;
            let first: [V; D] = self.load(cpu, partner_at);
            let mut here = first;
            // Its last lane is lane 0 of the register, which belongs to no stick here.
            let mut before = first.map(|lanes| lanes.successors(lanes));
            for lane in (0..STRIDE).step_by(V::LANES) {
                let sticks = Sticks { in_row: sticks.in_row + lane, ..sticks };
                let next = if lane + V::LANES < STRIDE {
                    self.load(cpu, partner_at + lane + V::LANES)
                } else {
                    first
                };
                let given = constants.at(&sticks, partner + lane + 1, true);
                let place_a = sticks.from + sticks.in_row;
                let b = core::array::from_fn(|axis| here[axis].successors(next[axis]));
                let (new_a, new_b) = given.relax(formula, self.load(cpu, place_a), b);
                self.store(place_a, new_a);
                let back = core::array::from_fn(|axis| new_b[axis].predecessors(before[axis]));
                self.store(partner_at + lane, back);
                (here, before) = (next, new_b);
            }
        }
    }

    /// # Safety
    /// - The columns are valid for reading `LANES` numbers at `place`.
    #[inline(always)]
    unsafe fn load<V: Vector>(&self, cpu: V::Cpu, place: usize) -> [V; D] {
        // SAFETY: by contract.
        self.columns.map(|column| unsafe { V::load(cpu, column.add(place)) })
    }

    /// # Safety
    /// - The columns are valid for writing `LANES` numbers at `place`.
    #[inline(always)]
    unsafe fn store<V: Vector>(&self, place: usize, lanes: [V; D]) {
        for (column, lanes) in self.columns.into_iter().zip(lanes) {
            // SAFETY: by contract.
            unsafe { lanes.store(column.add(place)) };
        }
    }
}

/// A register of sticks: the row they begin in, where the rows of both ends begin in the
/// columns, and where their first ends are in their row.
#[derive(Clone, Copy)]
struct Sticks {
    row: usize,
    from: usize,
    to: usize,
    in_row: usize,
}

/// What a register of sticks is relaxed with, besides its ends.
struct Given<V: Vector> {
    cpu: V::Cpu,
    masses: [V; 2],
    terms: [V; 2],
    response: Option<Response<V>>,
    /// Where it is negative, there is no stick.
    present: Option<V>,
}

impl<V: Vector> Given<V> {
    #[inline(always)]
    fn relax<F: Factor, const D: usize>(&self, _: F, a: [V; D], b: [V; D]) -> ([V; D], [V; D]) {
        let Self { cpu, masses, terms, response, present } = *self;
        let mut d: [V; D] = core::array::from_fn(|axis| b[axis] - a[axis]);
        if let Some(present) = present {
            let zero = V::splat(cpu, 0.0);
            let present = present.at_least(zero);
            for along in &mut d {
                *along = V::select(present, *along, zero);
            }
        }
        relax_by::<F, V, D>([a, b], d, masses, terms, response)
    }
}

/// The constants of rows of sticks. (A trait, not a closure: only a method can be told to
/// take on its caller's target features.)
trait Constant<V: Vector> {
    /// Those of a register of sticks, whose second ends are `partner` into their row.
    ///
    /// # Safety
    /// - The places are in rows of the path, and `partner` has a register in its row.
    unsafe fn at(&self, sticks: &Sticks, partner: usize, wraps: bool) -> Given<V>;
}

/// [`Row::Equal`].
struct Equal<'a, V: Vector> {
    cpu: V::Cpu,
    masses: [V; 2],
    terms: [V; 2],
    /// Of one row.
    presence: &'a [f32],
}

impl<V: Vector> Constant<V> for Equal<'_, V> {
    #[inline(always)]
    unsafe fn at(&self, sticks: &Sticks, _: usize, _: bool) -> Given<V> {
        let Self { cpu, masses, terms, presence } = *self;
        // SAFETY: `presence` has a whole row.
        let present = unsafe { V::load(cpu, presence.as_ptr().add(sticks.in_row)) };
        Given { cpu, masses, terms, response: None, present: Some(present) }
    }
}

/// The same where all lanes of a row have a particle: only registers that wrap have a lane
/// without a stick.
struct Whole<'a, V: Vector>(Equal<'a, V>);

impl<V: Vector> Constant<V> for Whole<'_, V> {
    #[inline(always)]
    unsafe fn at(&self, sticks: &Sticks, partner: usize, wraps: bool) -> Given<V> {
        // SAFETY: the same contract.
        let given = unsafe { self.0.at(sticks, partner, wraps) };
        Given { present: given.present.filter(|_| wraps), ..given }
    }
}

/// [`Row::Mixed`]: the constants of the family, and the inverse masses of the sheet.
struct Varied<'a, V: Vector> {
    cpu: V::Cpu,
    row_len: usize,
    constants: [&'a [f32]; 4],
    inverse_mass: &'a [f32],
}

impl<V: Vector> Constant<V> for Varied<'_, V> {
    #[inline(always)]
    unsafe fn at(&self, sticks: &Sticks, partner: usize, _: bool) -> Given<V> {
        let Self { cpu, row_len, constants, inverse_mass } = *self;
        let places = [sticks.from + sticks.in_row, sticks.to + partner];
        let at = sticks.row * row_len + sticks.in_row;
        // SAFETY: the constants and the masses have the rows of the path, as `rows` checked.
        unsafe {
            let [rest, weight, pull, push] =
                constants.map(|column| V::load(cpu, column.as_ptr().add(at)));
            let masses = places.map(|place| V::load(cpu, inverse_mass.as_ptr().add(place)));
            let response = Some(Response { pull, push });
            Given { cpu, masses, terms: [rest, weight], response, present: Some(pull) }
        }
    }
}
