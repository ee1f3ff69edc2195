//! The inner loops of relaxation.

use core::ops::Range;

use taut_core::{Column, Factor, Response, WithFactor, arrays, relax_by};
use taut_lanes::{Operation, SharedPtr, Vector};

use crate::band_tasks::Strip;
use crate::constants::{Constants, FamilyConstants, Mixed, Row};
use crate::layout::Layout;

/// Relaxes strips of a sheet, in sequence.
pub(crate) struct Relax<'a, const D: usize> {
    constants: &'a Constants,
    position: [SharedPtr<f32>; D],
    inverse_mass: &'a [f32],
    presence: &'a [Column<f32>; 3],
    strips: &'a [Strip],
}

impl<'a, const D: usize> Relax<'a, D> {
    /// # Safety
    /// - The columns of `position` have [`Layout::len`] numbers each, and are valid for reading
    ///   and writing at the rows that the strips reach; no other code accesses these meanwhile.
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
        struct With<'a, V: Vector, const D: usize>(V::Cpu, Relax<'a, D>);
        impl<V: Vector, const D: usize> WithFactor for With<'_, V, D> {
            type Output = ();
            #[inline(always)]
            fn with<F: Factor>(self) {
                let Self(cpu, relax) = self;
                relax.strips::<V, F>(cpu);
            }
        }
        self.constants.formula.dispatch(With::<V, D>(cpu, self));
    }
}

impl<const D: usize> Relax<'_, D> {
    /// Relaxes strips in sequence; consecutive rows with the same constants in one loop.
    #[inline(always)]
    fn strips<V: Vector, F: Factor>(&self, cpu: V::Cpu) {
        for Strip { family, rows } in self.strips {
            let family = &self.constants.families[*family];
            let mut first = rows.start;
            for same in family.rows[rows.clone()].chunk_by(Row::eq) {
                self.rows::<V, F>(cpu, family, first..first + same.len());
                first += same.len();
            }
        }
    }

    /// Rows of one family, all [`Row::Mixed`] or all of the same constants.
    #[inline(always)]
    fn rows<V: Vector, F: Factor>(
        &self,
        cpu: V::Cpu,
        family: &FamilyConstants,
        rows: Range<usize>,
    ) {
        let Layout { registers, pitch, lanes, .. } = self.constants.layout;
        let FamilyConstants { across, down, leans_left, .. } = *family;
        let row_len = registers * lanes;
        // The bounds that the raw pointers below rely on; the columns have them by contract.
        let end = (rows.end + down) * pitch;
        assert!(self.constants.layout.len() >= end && pitch >= row_len);
        assert!(self.inverse_mass.len() >= end && across < 3 && registers >= 4);
        assert!(registers.is_multiple_of(4) && across + down > 0 && lanes == V::LANES);
        let constants = family.rows[rows.start];
        let columns = arrays::map(self.position, |SharedPtr(column)| column);
        let rows_at = RowPointers { columns, rows, registers, pitch, across, down, leans_left };
        let presence = &self.presence[across][..row_len];
        let is_full = self.constants.layout.is_full();
        match (constants, &family.mixed) {
            // Special cases for the compiler: masses of 1 need no multiplication, and equal masses
            // the same displacement at both ends.
            (Row::Unit { rest_term }, _) => {
                let [one, two, rest] =
                    arrays::map([1.0, F::weight_term(2.0), rest_term], |it| V::splat(cpu, it));
                let unit = Equal { cpu, masses: [one; 2], terms: [rest, two], presence };
                if is_full {
                    rows_at.relax(F::default(), &Unpadded(unit));
                } else {
                    rows_at.relax(F::default(), &unit);
                }
            }
            (Row::Equal { rest_term, weight_term, masses }, _) => {
                let [a, b]: [V; 2] = arrays::map(masses, |mass| V::splat(cpu, mass));
                let terms = arrays::map([rest_term, weight_term], |term| V::splat(cpu, term));
                if is_full && masses[0].to_bits() == masses[1].to_bits() {
                    let equal = Equal { cpu, masses: [a; 2], terms, presence };
                    rows_at.relax(F::default(), &Unpadded(equal));
                } else {
                    rows_at.relax(F::default(), &Equal { cpu, masses: [a, b], terms, presence });
                }
            }
            (Row::Plain { rest_term }, Some(mixed)) => {
                let rest = V::splat(cpu, rest_term);
                let inverse_mass = &self.inverse_mass[..end];
                assert!(mixed.weight_term.len() >= rows_at.rows.end * row_len);
                let plain = Plain { cpu, rest, mixed, row_len, inverse_mass, presence };
                if is_full {
                    rows_at.relax(F::default(), &Unpadded(plain));
                } else {
                    rows_at.relax(F::default(), &plain);
                }
            }
            (Row::Mixed, Some(mixed)) => {
                let inverse_mass = &self.inverse_mass[..end];
                assert!(mixed.len() >= rows_at.rows.end * row_len);
                rows_at.relax(
                    F::default(),
                    &MixedConstants::<V> { cpu, row_len, mixed, inverse_mass },
                );
            }
            (Row::Plain { .. } | Row::Mixed, None) => {}
        }
    }
}

/// The addresses of some rows of one family.
struct RowPointers<const D: usize> {
    /// The columns of the axes: valid for reading and writing in all rows that the sticks begin
    /// and end in.
    columns: [*mut f32; D],
    /// The rows that the sticks begin in.
    rows: Range<usize>,
    registers: usize,
    pitch: usize,
    across: usize,
    down: usize,
    leans_left: bool,
}

impl<const D: usize> RowPointers<D> {
    /// Relaxes row after row. For sticks along rows, whose batches are every other `across`
    /// registers, relaxes the first batch of all rows before the second: the rows share no
    /// particle, so the result is the same, and loads do not wait for recent stores.
    #[inline(always)]
    fn relax<V: Vector>(&self, formula: impl Factor, constants: &impl Constant<V>) {
        let Self { ref rows, registers, pitch, across, down, leans_left, .. } = *self;
        let (batches, skip) = if down == 0 { (2, !(across - 1)) } else { (1, 0) };
        let count = registers / batches;
        for batch in 0..batches {
            let wrapping = if batch + 1 == batches { across } else { 0 };
            for row in rows.clone() {
                let [from, to] = if leans_left { [row + down, row] } else { [row, row + down] };
                let (from, to) = (from * pitch, to * pitch);
                // SAFETY: `rows` has checked that the columns have both rows; all registers
                // are below `registers`, and so are their partners, wrapped or not.
                unsafe {
                    for i in 0..count - wrapping {
                        let register = i + (i & skip) + batch * across;
                        let sticks = Sticks { row, from, to, in_row: register * V::LANES };
                        let partner = (register + across) * V::LANES;
                        self.relax_register(formula, constants, sticks, partner);
                    }
                    for i in count - wrapping..count {
                        let register = i + (i & skip) + batch * across;
                        let sticks = Sticks { row, from, to, in_row: register * V::LANES };
                        let partner = (register + across - registers) * V::LANES;
                        self.relax_wrapped(formula, constants, sticks, partner);
                    }
                }
            }
        }
    }

    /// Relaxes the sticks from one register to another, at `partner` in its row.
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
        // SAFETY: by contract.
        unsafe {
            let constants = constants.at(&sticks, partner, false);
            let (index_a, index_b) = (sticks.from + sticks.in_row, sticks.to + partner);
            let (a, b) = (self.load(constants.cpu, index_a), self.load(constants.cpu, index_b));
            let (new_a, new_b) = constants.relax(formula, a, b);
            self.store(index_a, new_a);
            self.store(index_b, new_b);
        }
    }

    /// Relaxes sticks that wrap around the end of the row, where `partner` is shifted by one lane.
    /// The shift is done in registers: a load across two recent stores would wait for both to reach
    /// the cache. The last lane, which has no stick, takes the place of lane 0.
    ///
    /// # Safety
    /// - Same as for [`relax_register`](Self::relax_register).
    #[inline(always)]
    unsafe fn relax_wrapped<V: Vector>(
        &self,
        formula: impl Factor,
        constants: &impl Constant<V>,
        sticks: Sticks,
        partner: usize,
    ) {
        // SAFETY: by contract.
        unsafe {
            let constants = constants.at(&sticks, partner + 1, true);
            let (index_a, index_b) = (sticks.from + sticks.in_row, sticks.to + partner);
            let b = successors(self.load::<V>(constants.cpu, index_b));
            let (new_a, new_b) = constants.relax(formula, self.load(constants.cpu, index_a), b);
            self.store(index_a, new_a);
            self.store(index_b, predecessors(new_b));
        }
    }

    /// # Safety
    /// - The columns are valid for reading `LANES` numbers at `index`.
    #[inline(always)]
    unsafe fn load<V: Vector>(&self, cpu: V::Cpu, index: usize) -> [V; D] {
        // SAFETY: by contract.
        arrays::map(self.columns, |column| unsafe { V::load(cpu, column.add(index)) })
    }

    /// # Safety
    /// - The columns are valid for writing `LANES` numbers at `index`.
    #[inline(always)]
    unsafe fn store<V: Vector>(&self, index: usize, lanes: [V; D]) {
        for (column, lanes) in self.columns.into_iter().zip(lanes) {
            // SAFETY: by contract.
            unsafe { lanes.store(column.add(index)) };
        }
    }
}

/// Each register rotated by one lane: lane 0 becomes the last one. (Loops, because a closure does
/// not use its caller's target features.)
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

/// A register of sticks: the row that they begin in, the offsets of the rows of both ends in the
/// columns, and the offset of their first ends in the row.
#[derive(Clone, Copy)]
struct Sticks {
    row: usize,
    from: usize,
    to: usize,
    in_row: usize,
}

impl Sticks {
    /// The inverse masses of both ends; the second ends are at `partner` in their row.
    ///
    /// # Safety
    /// - The masses have both registers.
    #[inline(always)]
    unsafe fn masses<V: Vector>(
        &self,
        cpu: V::Cpu,
        inverse_mass: &[f32],
        partner: usize,
    ) -> [V; 2] {
        let [from, to] = [self.from + self.in_row, self.to + partner];
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
    pub(crate) masses: [V; 2],
    pub(crate) terms: [V; 2],
    pub(crate) response: Option<Response<V>>,
    /// Negative in lanes without a stick.
    pub(crate) present: Option<V>,
}

impl<V: Vector> StickConstants<V> {
    #[inline(always)]
    pub(crate) fn relax<F: Factor, const D: usize>(
        &self,
        _: F,
        a: [V; D],
        b: [V; D],
    ) -> ([V; D], [V; D]) {
        let Self { cpu, masses, terms, response, present } = *self;
        let mut d: [V; D] = arrays::from_fn(|axis| b[axis] - a[axis]);
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

/// The constants of rows of sticks. (A trait, because a closure cannot be `#[inline(always)]`,
/// which lets it use its caller's target features.)
trait Constant<V: Vector> {
    /// The constants of a register of sticks whose second ends are at `partner` in their row.
    ///
    /// # Safety
    /// - The indices are in rows of the pointers, and `partner` has a register in its row.
    unsafe fn at(&self, sticks: &Sticks, partner: usize, wraps: bool) -> StickConstants<V>;
}

/// [`Row::Unit`] and [`Row::Equal`].
struct Equal<'a, V: Vector> {
    cpu: V::Cpu,
    masses: [V; 2],
    terms: [V; 2],
    /// Of one row.
    presence: &'a [f32],
}

impl<V: Vector> Constant<V> for Equal<'_, V> {
    #[inline(always)]
    unsafe fn at(&self, sticks: &Sticks, _: usize, _: bool) -> StickConstants<V> {
        let Self { cpu, masses, terms, presence } = *self;
        // SAFETY: `presence` has a whole row.
        let present = unsafe { V::load(cpu, presence.as_ptr().add(sticks.in_row)) };
        StickConstants { cpu, masses, terms, response: None, present: Some(present) }
    }
}

/// [`Row::Plain`].
struct Plain<'a, V: Vector> {
    cpu: V::Cpu,
    rest: V,
    mixed: &'a Mixed,
    row_len: usize,
    inverse_mass: &'a [f32],
    /// Of one row.
    presence: &'a [f32],
}

impl<V: Vector> Constant<V> for Plain<'_, V> {
    #[inline(always)]
    unsafe fn at(&self, sticks: &Sticks, partner: usize, _: bool) -> StickConstants<V> {
        let Self { cpu, rest, mixed, row_len, inverse_mass, presence } = *self;
        let at = sticks.row * row_len + sticks.in_row;
        // SAFETY: the constants and the masses have the rows of the pointers, as `rows` checked,
        // and `presence` has a whole row.
        unsafe {
            let weight = V::load(cpu, mixed.weight_term.as_ptr().add(at));
            let masses = sticks.masses(cpu, inverse_mass, partner);
            let present = V::load(cpu, presence.as_ptr().add(sticks.in_row));
            StickConstants {
                cpu,
                masses,
                terms: [rest, weight],
                response: None,
                present: Some(present),
            }
        }
    }
}

/// Constants of rows that have no padding: only registers that wrap have a lane without a stick.
struct Unpadded<C>(C);

impl<V: Vector, C: Constant<V>> Constant<V> for Unpadded<C> {
    #[inline(always)]
    unsafe fn at(&self, sticks: &Sticks, partner: usize, wraps: bool) -> StickConstants<V> {
        // SAFETY: the same contract.
        let constants = unsafe { self.0.at(sticks, partner, wraps) };
        StickConstants { present: constants.present.filter(|_| wraps), ..constants }
    }
}

/// [`Row::Mixed`]: the constants of the family, and the inverse masses of the sheet.
struct MixedConstants<'a, V: Vector> {
    cpu: V::Cpu,
    row_len: usize,
    mixed: &'a Mixed,
    inverse_mass: &'a [f32],
}

impl<V: Vector> Constant<V> for MixedConstants<'_, V> {
    #[inline(always)]
    unsafe fn at(&self, sticks: &Sticks, partner: usize, _: bool) -> StickConstants<V> {
        let Self { cpu, row_len, mixed, inverse_mass } = *self;
        let at = sticks.row * row_len + sticks.in_row;
        // SAFETY: the constants and the masses have the rows of the pointers, as `rows` checked.
        unsafe { mixed.load(sticks.masses(cpu, inverse_mass, partner), cpu, at) }
    }
}

impl Mixed {
    /// The constants of a register of sticks, at an index in the columns.
    ///
    /// # Safety
    /// - The columns have `LANES` numbers from there on.
    #[inline(always)]
    pub(crate) unsafe fn load<V: Vector>(
        &self,
        masses: [V; 2],
        cpu: V::Cpu,
        at: usize,
    ) -> StickConstants<V> {
        // SAFETY: by contract.
        unsafe {
            let rest = V::load(cpu, self.rest_term.as_ptr().add(at));
            let weight = V::load(cpu, self.weight_term.as_ptr().add(at));
            let stretched = V::load(cpu, self.stretched.as_ptr().add(at));
            let compressed = V::load(cpu, self.compressed.as_ptr().add(at));
            let response = Some(Response { stretched, compressed });
            StickConstants {
                cpu,
                masses,
                terms: [rest, weight],
                response,
                present: Some(stretched),
            }
        }
    }
}
