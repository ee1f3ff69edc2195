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

/// Bytes of a number, or of the name of a particle.
const WORD: f64 = 4.0;
/// A row of the grid kernel is whole registers of 16 lanes, four by four.
const GRID_ROW: usize = 64;

/// Operations and bytes of one relaxation of all sticks, per stick, including padding lanes.
/// Computed from the code of the formula and the layout, not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Demand {
    /// Additions, subtractions and multiplications, and the two integer operations of an estimate.
    pub arithmetic: f64,
    /// Divisions.
    pub divisions: f64,
    /// Square roots.
    pub square_roots: f64,
    /// Bytes loaded and stored by each stick: its ends, its names and constants.
    pub accessed_bytes: f64,
    /// Bytes read and written in one pass over the whole working set.
    pub swept_bytes: f64,
    /// The size of the working set, in total.
    pub set_bytes: f64,
}

/// Knowledge about inverse masses that specializes a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Masses {
    /// Nothing.
    Any,
    /// Both ends have the same: they are displaced by the same, computed once.
    Equal,
    /// They are 1: no multiplication.
    Unit,
}

impl Demand {
    /// Of a kernel on one thread, for a model as it is arranged and, for the grid kernel, the
    /// sheet that it is.
    ///
    /// - The grid kernel names nothing; each stick loads and stores three coordinates of both
    ///   ends. Taken are masses of 1 kg throughout.
    /// - The others read names and constants from a [`Program`] (runs load whole pieces of
    ///   memory by one name, but the lines of the others pass by as well), and load and store
    ///   records. Ends of equal mass are relaxed as they lie in memory, four numbers each.
    ///
    /// # Errors
    /// If the model cannot be laid out.
    pub fn of(
        kernel: &AnyKernel,
        on: &Arranged,
        sheet: Option<&Sheet>,
        formula: Formula,
    ) -> Result<Self, PlanError> {
        match sheet.filter(|_| kernel.is_for_sheets()) {
            Some(sheet) => Ok(Self::of_grid(sheet, formula)),
            None => Self::of_indexed(Kernel::<3>::lanes(kernel), on, formula),
        }
    }

    fn of_grid(sheet: &Sheet, formula: Formula) -> Self {
        let lanes = grid_lanes(sheet) as f64;
        let mut all = Self::default();
        all.add(lanes, operations::<3>(formula, Masses::Unit), 2.0 * 6.0 * WORD);
        all.set_bytes = (padded_row(sheet) * sheet.height()) as f64 * 3.0 * WORD;
        all.swept_bytes = 2.0 * all.set_bytes;
        all.a_stick(sheet.pairs().len())
    }

    fn of_indexed(lanes: usize, on: &Arranged, formula: Formula) -> Result<Self, PlanError> {
        let Arranged { particles, sticks, schedule, .. } = on;
        let program = Program::new(lanes, 1, particles, sticks, schedule, formula)?;
        // Both ends read and written; the scalar kernel leaves the mass alone.
        let records = if lanes == 1 { 14.0 * WORD } else { 16.0 * WORD };
        let mut all = Self::default();
        for slots in program.phases().flatten().flat_map(|task| program.task(task)) {
            let len = slots.a.len() as f64;
            let [named, passing] = match slots.access {
                Access::Scattered => [2.0, 2.0],
                Access::Runs => [0.0, 2.0],
                Access::Pairs | Access::InterleavedPairs => [0.0, 1.0],
                // The centre's name is read once a star.
                Access::Stars => [1.0 + 1.0 / STAR_STICKS as f64; 2],
            };
            let masses = if slots.inverse_mass.is_some() { Masses::Equal } else { Masses::Any };
            let stored = masses == Masses::Any && !slots.weight_term.is_empty();
            let special = if slots.special.is_some() { 3.0 } else { 0.0 };
            let constants = 1.0 + f64::from(u8::from(stored)) + special;
            let operations = match masses {
                Masses::Any => operations::<3>(formula, masses),
                _ => operations::<4>(formula, masses),
            };
            all.add(len, operations, records + (named + constants) * WORD);
            all.set_bytes += len * (passing + constants) * WORD;
        }
        let records = (particles.len() * 4) as f64 * WORD;
        all.swept_bytes = all.set_bytes + 2.0 * records;
        all.set_bytes += records;
        Ok(all.a_stick(sticks.len()))
    }

    fn add(&mut self, lanes: f64, operations: Tally, accessed_bytes: f64) {
        let Tally { additions, multiplications, divisions, square_roots, estimates } = operations;
        self.arithmetic += lanes * (additions + multiplications + 2 * estimates) as f64;
        self.divisions += lanes * divisions as f64;
        self.square_roots += lanes * square_roots as f64;
        self.accessed_bytes += lanes * accessed_bytes;
    }

    fn a_stick(self, sticks: usize) -> Self {
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

/// How many lanes the grid kernel relaxes a sheet with: whole rows.
pub(crate) fn grid_lanes(sheet: &Sheet) -> usize {
    let rows = |[_, down]: [usize; 2]| sheet.height().saturating_sub(down);
    sheet.families().iter().map(|family| rows(family.span()) * padded_row(sheet)).sum()
}

fn padded_row(sheet: &Sheet) -> usize {
    sheet.width().next_multiple_of(GRID_ROW)
}

/// Counts what a stick costs whose ends are displaced in `PLACES` numbers.
fn operations<const PLACES: usize>(formula: Formula, masses: Masses) -> Tally {
    formula.dispatch(CountOne::<PLACES>(masses))
}

struct CountOne<const PLACES: usize>(Masses);

impl<const PLACES: usize> WithFactor for CountOne<PLACES> {
    type Output = Tally;

    fn with<F: Factor>(self) -> Tally {
        let tally = Cell::new(Tally::default());
        let [a, b] = [1.0_f32, 2.0].map(|value| Counted::new(value, &tally));
        if self.0 == Masses::Any {
            let weight_term = if F::STORES_WEIGHT { a } else { F::weight_term(a + a) };
            black_box(relax::<F, _, 3>([a; 3], [b; 3], [a; 2], a, weight_term, None));
            return tally.get();
        }
        let d = [(); PLACES].map(|()| b - a);
        let mut gain = factor::<F, _>(squared_length([d[0], d[1], d[2]]), a, a, None);
        if self.0 == Masses::Equal {
            gain = a * gain;
        }
        for along in d {
            let by = along * gain;
            black_box([a + by, b - by]);
        }
        tally.get()
    }
}
