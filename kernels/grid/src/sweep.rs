//! The inner loops of relaxation.

use core::ops::Range;

use taut_core::{Column, Factor, Response, WithFactor, arrays, relax_by};
use taut_lanes::{Operation, SharedPtr, Vector};

use crate::band_tasks::Strip;
use crate::constants::{ConstantColumns, Constants, FamilyConstants, RowConstants};
use crate::layout::Layout;

/// Relaxes strips of a sheet, in sequence.
pub(crate) struct Relax<'a, const D: usize> {
    constants: &'a Constants,
    position: [SharedPtr<f32>; D],
    inverse_mass: &'a [f32],
    /// For sticks that span 0, 1 and 2 columns: negative in the lanes of a row that have no stick.
    presence: &'a [Column<f32>; 3],
    strips: &'a [Strip],
}

impl<'a, const D: usize> Relax<'a, D> {
    /// # Safety
    /// - The columns of `position` have [`Layout::len`] values each, and are valid for reading
    ///   and writing at the rows that the strips reach; no other code accesses these rows meanwhile.
    pub(crate) unsafe fn new(
        constants: &'a Constants,
        position: [SharedPtr<f32>; D],
        inverse_mass: &'a [f32],
        presence: &'a [Column<f32>; 3],
        strips: &'a [Strip],
    ) -> Self {
        Self { constants, position, inverse_mass, presence, strips }
    }
}

impl<const D: usize> Operation for Relax<'_, D> {
    #[inline(always)]
    fn run<V: Vector>(self, cpu: V::Cpu) {
        struct RelaxStrips<'a, V: Vector, const D: usize>(V::Cpu, Relax<'a, D>);
        impl<V: Vector, const D: usize> WithFactor for RelaxStrips<'_, V, D> {
            type Output = ();
            #[inline(always)]
            fn with<F: Factor>(self) {
                let Self(cpu, relax) = self;
                relax.relax_strips::<V, F>(cpu);
            }
        }
        self.constants.formula.dispatch(RelaxStrips::<V, D>(cpu, self));
    }
}

impl<const D: usize> Relax<'_, D> {
    /// Relaxes strips in sequence; consecutive rows with the same constants in one loop.
    #[inline(always)]
    fn relax_strips<V: Vector, F: Factor>(&self, cpu: V::Cpu) {
        for Strip { family, rows } in self.strips {
            let family = &self.constants.families[*family];
            let mut first = rows.start;
            for equal_rows in family.rows[rows.clone()].chunk_by(RowConstants::eq) {
                self.relax_rows::<V, F>(cpu, family, first..first + equal_rows.len());
                first += equal_rows.len();
            }
        }
    }

    /// Relaxes rows of one family, all [`RowConstants::Mixed`] or all with the same constants.
    #[inline(always)]
    fn relax_rows<V: Vector, F: Factor>(
        &self,
        cpu: V::Cpu,
        family: &FamilyConstants,
        rows: Range<usize>,
    ) {
        let Layout { registers, pitch, lanes, .. } = self.constants.layout;
        let FamilyConstants { across, down, leans_left, .. } = *family;
        let row_len = registers * lanes;
        // The raw pointers below rely on these bounds; the columns have this length by contract.
        let end = (rows.end + down) * pitch;
        assert!(self.constants.layout.len() >= end && pitch >= row_len);
        assert!(self.inverse_mass.len() >= end && across < 3 && registers >= 4);
        assert!(registers.is_multiple_of(4) && across + down > 0 && lanes == V::LANES);
        let row_constants = family.rows[rows.start];
        let columns = arrays::map(self.position, |SharedPtr(column)| column);
        let pointers = RowPointers { columns, rows, registers, pitch, across, down, leans_left };
        let presence = &self.presence[across][..row_len];
        let is_full = self.constants.layout.is_full();
        match (row_constants, &family.columns) {
            // Separate cases for the compiler: inverse masses of 1 need no multiplication, and with
            // equal inverse masses both ends get the same displacement.
            (RowConstants::Unit { rest_term }, _) => {
                let [one, rest_term, weight_term] =
                    arrays::map([1.0, rest_term, F::weight_term(2.0)], |x| V::splat(cpu, x));
                let terms = [rest_term, weight_term];
                let unit = Equal { cpu, inverse_masses: [one; 2], terms, presence };
                if is_full {
                    pointers.relax(F::default(), &Unpadded(unit));
                } else {
                    pointers.relax(F::default(), &unit);
                }
            }
            (RowConstants::Equal { rest_term, weight_term, inverse_masses: [wa, wb] }, _) => {
                let inverse_masses: [V; 2] = arrays::map([wa, wb], |w| V::splat(cpu, w));
                let terms = arrays::map([rest_term, weight_term], |term| V::splat(cpu, term));
                if is_full && wa.to_bits() == wb.to_bits() {
                    let inverse_masses = [inverse_masses[0]; 2];
                    let equal = Equal { cpu, inverse_masses, terms, presence };
                    pointers.relax(F::default(), &Unpadded(equal));
                } else {
                    let equal = Equal { cpu, inverse_masses, terms, presence };
                    pointers.relax(F::default(), &equal);
                }
            }
            (RowConstants::Plain { rest_term }, Some(constants)) => {
                let rest_term = V::splat(cpu, rest_term);
                let inverse_mass = &self.inverse_mass[..end];
                assert!(constants.weight_term.len() >= pointers.rows.end * row_len);
                let plain = Plain { cpu, rest_term, constants, row_len, inverse_mass, presence };
                if is_full {
                    pointers.relax(F::default(), &Unpadded(plain));
                } else {
                    pointers.relax(F::default(), &plain);
                }
            }
            (RowConstants::Mixed, Some(constants)) => {
                let inverse_mass = &self.inverse_mass[..end];
                assert!(constants.len() >= pointers.rows.end * row_len);
                let mixed = MixedConstants::<V> { cpu, row_len, constants, inverse_mass };
                pointers.relax(F::default(), &mixed);
            }
            (RowConstants::Plain { .. } | RowConstants::Mixed, None) => {} // such rows have columns
        }
    }
}

/// The columns of a sheet, and the rows of one family to relax.
struct RowPointers<const D: usize> {
    /// The columns of the axes: valid for reading and writing in all rows that the sticks begin
    /// and end in.
    columns: [*mut f32; D],
    /// The rows that the sticks begin in.
    rows: Range<usize>,
    // `registers` and `pitch` are those of the `Layout`, the others those of the `FamilyConstants`.
    registers: usize,
    pitch: usize,
    across: usize,
    down: usize,
    leans_left: bool,
}

impl<const D: usize> RowPointers<D> {
    /// Relaxes row after row. Sticks along rows have two batches, which alternate every `across` registers (`skip_mask`
    /// skips the registers of the other batch). The first batch of all rows is relaxed before the second: sticks along
    /// different rows share no particle, so the result is the same, and loads do not wait for recent stores.
    #[inline(always)]
    fn relax<V: Vector>(&self, formula: impl Factor, constants: &impl LoadConstants<V>) {
        let Self { ref rows, registers, pitch, across, down, leans_left, .. } = *self;
        let (batches, skip_mask) = if down == 0 { (2, !(across - 1)) } else { (1, 0) };
        let registers_per_batch = registers / batches;
        for batch in 0..batches {
            // The last `across` registers of a row have their partners at its start.
            let wrapping_count = if batch + 1 == batches { across } else { 0 };
            for row in rows.clone() {
                let [from, to] = if leans_left { [row + down, row] } else { [row, row + down] };
                let (from, to) = (from * pitch, to * pitch);
                // SAFETY: `relax_rows` has checked that the columns have both rows; all registers
                // are below `registers`, and so are their partners, wrapped or not.
                unsafe {
                    for i in 0..registers_per_batch - wrapping_count {
                        let register = i + (i & skip_mask) + batch * across;
                        let sticks = StickOffsets { row, from, to, offset: register * V::LANES };
                        let partner = (register + across) * V::LANES;
                        self.relax_register(formula, constants, sticks, partner);
                    }
                    for i in registers_per_batch - wrapping_count..registers_per_batch {
                        let register = i + (i & skip_mask) + batch * across;
                        let sticks = StickOffsets { row, from, to, offset: register * V::LANES };
                        let partner = (register + across - registers) * V::LANES;
                        self.relax_wrapped(formula, constants, sticks, partner);
                    }
                }
            }
        }
    }

    /// Relaxes the sticks from one register to another, whose offset in its row is `partner`.
    ///
    /// # Safety
    /// - The columns have both rows, and both registers are in them.
    #[inline(always)]
    unsafe fn relax_register<V: Vector>(
        &self,
        formula: impl Factor,
        constants: &impl LoadConstants<V>,
        sticks: StickOffsets,
        partner: usize,
    ) {
        // SAFETY: by contract.
        unsafe {
            let constants = constants.load(&sticks, partner, false);
            let (index_a, index_b) = (sticks.from + sticks.offset, sticks.to + partner);
            let (a, b) = (self.load(constants.cpu, index_a), self.load(constants.cpu, index_b));
            let (new_a, new_b) = constants.relax(formula, a, b);
            self.store(index_a, new_a);
            self.store(index_b, new_b);
        }
    }

    /// Relaxes sticks that wrap around the end of the row: the second ends are the register at
    /// `partner`, shifted by one lane. The shift is done in registers: a load across two recent
    /// stores would wait for both to reach the cache. Lane 0 moves to the last lane, which has no
    /// stick.
    ///
    /// # Safety
    /// - Same as for [`relax_register`](Self::relax_register).
    #[inline(always)]
    unsafe fn relax_wrapped<V: Vector>(
        &self,
        formula: impl Factor,
        constants: &impl LoadConstants<V>,
        sticks: StickOffsets,
        partner: usize,
    ) {
        // SAFETY: by contract.
        unsafe {
            // Inverse masses are loaded shifted: no recent store changed them, so the load does not stall.
            let constants = constants.load(&sticks, partner + 1, true);
            let (index_a, index_b) = (sticks.from + sticks.offset, sticks.to + partner);
            let b = successors(self.load::<V>(constants.cpu, index_b));
            let (new_a, new_b) = constants.relax(formula, self.load(constants.cpu, index_a), b);
            self.store(index_a, new_a);
            self.store(index_b, predecessors(new_b));
        }
    }

    /// # Safety
    /// - The columns are valid for reading `LANES` values at `index`.
    #[inline(always)]
    unsafe fn load<V: Vector>(&self, cpu: V::Cpu, index: usize) -> [V; D] {
        // SAFETY: by contract.
        arrays::map(self.columns, |column| unsafe { V::load(cpu, column.add(index)) })
    }

    /// # Safety
    /// - The columns are valid for writing `LANES` values at `index`.
    #[inline(always)]
    unsafe fn store<V: Vector>(&self, index: usize, lanes: [V; D]) {
        for (column, lanes) in self.columns.into_iter().zip(lanes) {
            // SAFETY: by contract.
            unsafe { lanes.store(column.add(index)) };
        }
    }
}

/// Each register rotated by one lane: lane 0 becomes the last one. (This is a loop, because a
/// closure would not use its caller's target features.)
#[inline(always)]
pub(crate) fn successors<V: Vector, const D: usize>(mut registers: [V; D]) -> [V; D] {
    for lanes in &mut registers {
        *lanes = lanes.successors(*lanes);
    }
    registers
}

/// The inverse of [`successors`].
#[inline(always)]
pub(crate) fn predecessors<V: Vector, const D: usize>(mut registers: [V; D]) -> [V; D] {
    for lanes in &mut registers {
        *lanes = lanes.predecessors(*lanes);
    }
    registers
}

/// Where a register of sticks is: the row that they begin in, the offsets of the rows of both ends
/// in the columns, and the offset of their first ends in the row.
#[derive(Clone, Copy)]
struct StickOffsets {
    row: usize,
    from: usize,
    to: usize,
    offset: usize,
}

impl StickOffsets {
    /// The inverse masses of both ends; the second ends are at `partner` in their row.
    ///
    /// # Safety
    /// - `inverse_mass` has both registers.
    #[inline(always)]
    unsafe fn inverse_masses<V: Vector>(
        &self,
        cpu: V::Cpu,
        inverse_mass: &[f32],
        partner: usize,
    ) -> [V; 2] {
        let [from, to] = [self.from + self.offset, self.to + partner];
        // SAFETY: by contract.
        unsafe {
            let from = V::load(cpu, inverse_mass.as_ptr().add(from));
            [from, V::load(cpu, inverse_mass.as_ptr().add(to))]
        }
    }
}

/// The constants of a register of sticks.
pub(crate) struct StickConstants<V: Vector> {
    pub(crate) cpu: V::Cpu,
    pub(crate) inverse_masses: [V; 2],
    /// The rest term and the weight term.
    pub(crate) terms: [V; 2],
    pub(crate) response: Option<Response<V>>,
    /// Negative in lanes without a stick; `None` if all lanes have one.
    pub(crate) present: Option<V>,
}

impl<V: Vector> StickConstants<V> {
    /// Relaxes the sticks between the ends `a` and `b`. Returns the new ends.
    #[inline(always)]
    pub(crate) fn relax<F: Factor, const D: usize>(
        &self,
        _: F,
        a: [V; D],
        b: [V; D],
    ) -> ([V; D], [V; D]) {
        let Self { cpu, inverse_masses, terms, response, present } = *self;
        let mut d: [V; D] = arrays::from_fn(|axis| b[axis] - a[axis]);
        if let Some(present) = present {
            let zero = V::splat(cpu, 0.0);
            let is_present = present.at_least(zero);
            for component in &mut d {
                *component = V::select(is_present, *component, zero);
            }
        }
        relax_by::<F, V, D>([a, b], d, inverse_masses, terms, response)
    }
}

/// Loads the constants of rows of sticks. (This is a trait, because a closure cannot be
/// `#[inline(always)]` and would not use its caller's target features.)
trait LoadConstants<V: Vector> {
    /// The constants of a register of sticks whose second ends are at `partner` in their row. If
    /// `wraps`, the last lane has no stick.
    ///
    /// # Safety
    /// - The offsets are in rows of the [`RowPointers`], and `partner` has a register in its row.
    unsafe fn load(&self, sticks: &StickOffsets, partner: usize, wraps: bool) -> StickConstants<V>;
}

/// [`RowConstants::Unit`] and [`RowConstants::Equal`].
struct Equal<'a, V: Vector> {
    cpu: V::Cpu,
    inverse_masses: [V; 2],
    terms: [V; 2],
    /// Negative in the lanes of a row that have no stick.
    presence: &'a [f32],
}

impl<V: Vector> LoadConstants<V> for Equal<'_, V> {
    #[inline(always)]
    unsafe fn load(&self, sticks: &StickOffsets, _: usize, _: bool) -> StickConstants<V> {
        let Self { cpu, inverse_masses, terms, presence } = *self;
        // SAFETY: `presence` has a whole row.
        let present = Some(unsafe { V::load(cpu, presence.as_ptr().add(sticks.offset)) });
        StickConstants { cpu, inverse_masses, terms, response: None, present }
    }
}

/// [`RowConstants::Plain`].
struct Plain<'a, V: Vector> {
    cpu: V::Cpu,
    rest_term: V,
    constants: &'a ConstantColumns,
    row_len: usize,
    inverse_mass: &'a [f32],
    /// Negative in the lanes of a row that have no stick.
    presence: &'a [f32],
}

impl<V: Vector> LoadConstants<V> for Plain<'_, V> {
    #[inline(always)]
    unsafe fn load(&self, sticks: &StickOffsets, partner: usize, _: bool) -> StickConstants<V> {
        let Self { cpu, rest_term, constants, row_len, inverse_mass, presence } = *self;
        let index = sticks.row * row_len + sticks.offset;
        // SAFETY: the constants and inverse masses have the rows of the `RowPointers`, as
        // `relax_rows` checked, and `presence` has a whole row.
        unsafe {
            let terms = [rest_term, V::load(cpu, constants.weight_term.as_ptr().add(index))];
            let inverse_masses = sticks.inverse_masses(cpu, inverse_mass, partner);
            let present = Some(V::load(cpu, presence.as_ptr().add(sticks.offset)));
            StickConstants { cpu, inverse_masses, terms, response: None, present }
        }
    }
}

/// Constants of rows that have no padding: only registers that wrap have a lane without a stick.
struct Unpadded<C>(C);

impl<V: Vector, C: LoadConstants<V>> LoadConstants<V> for Unpadded<C> {
    #[inline(always)]
    unsafe fn load(&self, sticks: &StickOffsets, partner: usize, wraps: bool) -> StickConstants<V> {
        // SAFETY: the same contract.
        let constants = unsafe { self.0.load(sticks, partner, wraps) };
        StickConstants { present: constants.present.filter(|_| wraps), ..constants }
    }
}

/// [`RowConstants::Mixed`]: the constants of the family, and the inverse masses of the sheet.
struct MixedConstants<'a, V: Vector> {
    cpu: V::Cpu,
    row_len: usize,
    constants: &'a ConstantColumns,
    inverse_mass: &'a [f32],
}

impl<V: Vector> LoadConstants<V> for MixedConstants<'_, V> {
    #[inline(always)]
    unsafe fn load(&self, sticks: &StickOffsets, partner: usize, _: bool) -> StickConstants<V> {
        let Self { cpu, row_len, constants, inverse_mass } = *self;
        let index = sticks.row * row_len + sticks.offset;
        // SAFETY: the constants and inverse masses have the rows of the `RowPointers`, as
        // `relax_rows` checked.
        unsafe { constants.load(sticks.inverse_masses(cpu, inverse_mass, partner), cpu, index) }
    }
}

impl ConstantColumns {
    /// The constants of the register of sticks at an index in the columns.
    ///
    /// # Safety
    /// - The columns have `LANES` values from `index` on.
    #[inline(always)]
    pub(crate) unsafe fn load<V: Vector>(
        &self,
        inverse_masses: [V; 2],
        cpu: V::Cpu,
        index: usize,
    ) -> StickConstants<V> {
        // SAFETY: by contract.
        unsafe {
            let rest_term = V::load(cpu, self.rest_term.as_ptr().add(index));
            let weight_term = V::load(cpu, self.weight_term.as_ptr().add(index));
            let stretched = V::load(cpu, self.stretched.as_ptr().add(index));
            let compressed = V::load(cpu, self.compressed.as_ptr().add(index));
            let response = Some(Response { stretched, compressed });
            // `ABSENT` is negative.
            let (terms, present) = ([rest_term, weight_term], Some(stretched));
            StickConstants { cpu, inverse_masses, terms, response, present }
        }
    }
}
