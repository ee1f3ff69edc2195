//! The operations and bytes of a kernel per stick.

use std::cell::Cell;
use std::hint::black_box;

use serde::Serialize;
use taut::world::Arranged;
use taut::{
    AnyKernel, Counted, Factor, Formula, Kernel, PlanError, STAR_STICKS, Sheet, Tally, WithFactor,
    factor, relax, squared_length,
};
use taut_program::{Access, Program};

/// Bytes of a number or of the index of a particle.
const WORD: f64 = 4.0;
/// The grid kernel pads rows to whole registers, and rows of more than this many to a multiple of
/// [`GRID_REGISTERS`].
const GRID_FEW_REGISTERS: usize = 6;
const GRID_REGISTERS: usize = 4;

/// Operations and bytes of one iteration, per stick, including those of padding lanes. They are
/// computed from the code of the formula and the layout, not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Demand {
    /// Additions, subtractions, multiplications, and two integer operations for each estimate.
    pub arithmetic: f64,
    /// Divisions.
    pub divisions: f64,
    /// Square roots.
    pub square_roots: f64,
    /// Bytes loaded and stored by each stick: its ends, indices and constants.
    pub accessed_bytes: f64,
    /// Bytes read and written in one pass over the whole working set.
    pub swept_bytes: f64,
    /// The size of the whole working set, not per stick.
    pub set_bytes: f64,
}

/// The inverse masses for which a loop is specialized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Masses {
    /// Any: no specialization.
    Any,
    /// The same at both ends, so the displacement is computed once for both.
    Equal,
    /// 1 at both ends, so the multiplication by them is omitted.
    Unit,
}

impl Demand {
    /// The demand of a kernel on one thread, for an arranged model and, for the grid kernel, its
    /// sheet.
    ///
    /// - The grid kernel uses no indices; each stick loads and stores three coordinates of both
    ///   ends. All masses are assumed to be 1 kg.
    /// - The other kernels read indices and constants from a [`Program`], and load and store
    ///   records. A run loads a whole block of memory by one index, but the sweep also passes over
    ///   the memory of its other indices. Ends of equal mass are relaxed as records of four
    ///   numbers.
    ///
    /// # Errors
    /// If the program of the model cannot be built.
    pub fn of(
        kernel: &AnyKernel,
        arranged: &Arranged,
        sheet: Option<&Sheet>,
        formula: Formula,
    ) -> Result<Self, PlanError> {
        match sheet.filter(|_| kernel.is_for_sheets()) {
            Some(sheet) => Ok(Self::of_grid(sheet, Kernel::<3>::lanes(kernel), formula)),
            None => Self::of_indexed(Kernel::<3>::lanes(kernel), arranged, formula),
        }
    }

    fn of_grid(sheet: &Sheet, lanes: usize, formula: Formula) -> Self {
        let mut total = Self::default();
        let relaxed = grid_lanes(sheet, lanes) as f64;
        total.add(relaxed, operations::<3>(formula, Masses::Unit), 2.0 * 6.0 * WORD);
        total.set_bytes = (padded_row(sheet, lanes) * sheet.height()) as f64 * 3.0 * WORD;
        total.swept_bytes = 2.0 * total.set_bytes;
        total.per_stick(sheet.pairs().len())
    }

    fn of_indexed(lanes: usize, arranged: &Arranged, formula: Formula) -> Result<Self, PlanError> {
        let Arranged { particles, sticks, schedule, .. } = arranged;
        let program = Program::new(lanes, 1, particles, sticks, schedule, formula)?;
        // Both ends are read and written; the scalar kernel does not write the inverse mass.
        let records = if lanes == 1 { 14.0 * WORD } else { 16.0 * WORD };
        let mut total = Self::default();
        for slots in program.phases().flatten().flat_map(|task| program.task(task)) {
            let len = slots.a.len() as f64;
            let [accessed_indices, swept_indices] = match slots.access {
                Access::Scattered => [2.0, 2.0],
                Access::Runs => [0.0, 2.0],
                Access::Pairs | Access::InterleavedPairs => [0.0, 1.0],
                // The index of the centre is read once per star.
                Access::Stars => [1.0 + 1.0 / STAR_STICKS as f64; 2],
            };
            let masses = if slots.inverse_mass.is_some() { Masses::Equal } else { Masses::Any };
            let stored = masses == Masses::Any && !slots.weight_term.is_empty();
            let non_plain = if slots.non_plain.is_some() { 3.0 } else { 0.0 };
            let constants = 1.0 + f64::from(u8::from(stored)) + non_plain;
            let operations = match masses {
                Masses::Any => operations::<3>(formula, masses),
                _ => operations::<4>(formula, masses),
            };
            total.add(len, operations, records + (accessed_indices + constants) * WORD);
            total.set_bytes += len * (swept_indices + constants) * WORD;
        }
        let records = (particles.len() * 4) as f64 * WORD;
        total.swept_bytes = total.set_bytes + 2.0 * records;
        total.set_bytes += records;
        Ok(total.per_stick(sticks.len()))
    }

    fn add(&mut self, lanes: f64, operations: Tally, accessed_bytes: f64) {
        let Tally { additions, multiplications, divisions, square_roots, estimates } = operations;
        self.arithmetic += lanes * (additions + multiplications + 2 * estimates) as f64;
        self.divisions += lanes * divisions as f64;
        self.square_roots += lanes * square_roots as f64;
        self.accessed_bytes += lanes * accessed_bytes;
    }

    fn per_stick(self, sticks: usize) -> Self {
        let share = 1.0 / (sticks as f64).max(1.0);
        Self {
            arithmetic: self.arithmetic * share,
            divisions: self.divisions * share,
            square_roots: self.square_roots * share,
            accessed_bytes: self.accessed_bytes * share,
            swept_bytes: self.swept_bytes * share,
            set_bytes: self.set_bytes,
        }
    }
}

/// The number of lanes that the grid kernel, on registers of `lanes` lanes, relaxes for a sheet per
/// iteration, padding included.
pub(crate) fn grid_lanes(sheet: &Sheet, lanes: usize) -> usize {
    let rows = |[_, down]: [usize; 2]| sheet.height().saturating_sub(down);
    sheet.families().iter().map(|family| rows(family.span()) * padded_row(sheet, lanes)).sum()
}

fn padded_row(sheet: &Sheet, lanes: usize) -> usize {
    let registers = match sheet.width().div_ceil(lanes) {
        few @ 0..=GRID_FEW_REGISTERS => few,
        more => more.next_multiple_of(GRID_REGISTERS),
    };
    registers * lanes
}

/// Counts the operations of a stick, with `NUMBERS` numbers displaced at each end: 3 coordinates,
/// or 4 of a whole record.
fn operations<const NUMBERS: usize>(formula: Formula, masses: Masses) -> Tally {
    formula.dispatch(CountOne::<NUMBERS>(masses))
}

struct CountOne<const NUMBERS: usize>(Masses);

impl<const NUMBERS: usize> WithFactor for CountOne<NUMBERS> {
    type Output = Tally;

    fn with<F: Factor>(self) -> Tally {
        let tally = Cell::new(Tally::default());
        let [a, b] = [1.0_f32, 2.0].map(|value| Counted::new(value, &tally));
        if self.0 == Masses::Any {
            let weight_term = if F::STORES_WEIGHT { a } else { F::weight_term(a + a) };
            black_box(relax::<F, _, 3>([a; 3], [b; 3], [a; 2], a, weight_term, None));
            return tally.get();
        }
        let d = [(); NUMBERS].map(|()| b - a);
        let mut scale = factor::<F, _>(squared_length([d[0], d[1], d[2]]), a, a, None);
        if self.0 == Masses::Equal {
            scale = a * scale;
        }
        for difference in d {
            let displacement = difference * scale;
            black_box([a + displacement, b - displacement]);
        }
        tally.get()
    }
}
