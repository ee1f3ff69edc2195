//! The operations and bytes of a kernel per stick.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::hint::black_box;

use serde::Serialize;
use taut::world::Arranged;
use taut::{
    AnyKernel, Copies, Counted, Factor, Formula, Kernel, PADDING, PaddedSheet, PlanError,
    STAR_STICKS, Sheet, Step, Tally, WithFactor, factor, relax, squared_length,
};
use taut_program::{Access, Program};

/// Bytes of an `f32`, and of the index of a particle.
const WORD: f64 = 4.0;
/// The copies kernel relaxes copies in groups of this many.
const COPIES_PER_GROUP: usize = PADDING;
/// The grid kernel reads and writes memory once for this many iterations (`SWEEPS_IN_PROGRESS` in
/// `kernels/grid/src/time_skewed_sweep.rs`).
const ITERATIONS_PER_SWEEP: u64 = 8;

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
    /// Bytes read and written in sweeps over the whole working set. A sweep serves one iteration or
    /// several: see [`Demand::of`].
    pub swept_bytes: f64,
    /// The size of the whole working set, bytes (not per stick).
    pub set_bytes: f64,
}

/// The inverse masses of the two ends of a stick for which a loop of a kernel is specialized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InverseMasses {
    /// Any inverse masses: no specialization. The weight term of the stick is loaded or computed.
    Any { weight: Weight },
    /// The same inverse mass at both ends, so the displacement is computed once for both.
    Equal,
    /// 1 at both ends, so the multiplication by the inverse masses is omitted.
    Unit,
}

/// Where a loop gets the weight term of a stick between ends of any inverse masses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weight {
    /// Loaded, if the formula stores it; otherwise computed.
    Stored,
    /// Computed from the inverse masses each time.
    Computed,
}

impl Demand {
    /// The demand of a kernel on one thread for an arranged model, in steps of `step`, of which only
    /// the substeps and iterations matter.
    ///
    /// - The grid kernel uses no indices; each stick loads and stores three coordinates of both
    ///   ends. All masses are assumed to be 1 kg. A sweep serves up to eight iterations, also of
    ///   several substeps.
    /// - The copies kernel loads and stores three coordinates of both ends in every copy. It reads
    ///   indices, the rest term and inverse masses once for a group of copies. For a stick with an
    ///   end whose inverse mass is not the most frequent one of the copy, it also reads the inverse
    ///   masses of both ends in every copy. All copies are
    ///   assumed to have the same masses and plain sticks of the same rest lengths. The working set
    ///   is that of a group, because a group runs all iterations before the next one begins.
    /// - The other kernels read indices and constants from a [`Program`], and load and store
    ///   records. Runs and pairs load whole blocks of memory, so their indices are not counted as
    ///   accessed, but the sweep passes over the memory of these indices. If both ends of a stick have
    ///   the same mass, the whole records of four numbers are displaced, not only the three
    ///   coordinates. A sweep serves one iteration, or all iterations of a substep if the schedule
    ///   has a single phase of several tasks: a task then runs all iterations before the next one.
    ///   (The scalar kernel does not do that.)
    ///
    /// # Errors
    /// If the program of the model cannot be built.
    pub fn of(
        kernel: &AnyKernel,
        arranged: &Arranged,
        formula: Formula,
        step: &Step<3>,
    ) -> Result<Self, PlanError> {
        let lanes = Kernel::<3>::lanes(kernel);
        let schedule = &arranged.schedule;
        let sheet = schedule.sheet().filter(|_| kernel.is_for_sheets());
        let copies = schedule.copies().filter(|_| kernel.is_for_copies());
        match (sheet, copies) {
            (Some(sheet), _) => Ok(Self::of_grid(lanes, sheet, formula, step)),
            (_, Some(copies)) => {
                let inverse_masses = arranged.particles.inverse_masses();
                Ok(Self::of_copies(lanes, copies, inverse_masses, formula))
            }
            _ => Self::of_indexed(kernel, arranged, formula, step),
        }
    }

    fn of_grid(lanes: usize, sheet: &Sheet, formula: Formula, step: &Step<3>) -> Self {
        let PaddedSheet { relaxed_lanes, slots } = PaddedSheet::new(sheet, lanes);
        let mut total = Self::default();
        // Three coordinates of both ends, loaded and stored.
        let accessed_bytes = 2.0 * 6.0 * WORD;
        total.add(
            relaxed_lanes as f64,
            operations::<3>(formula, InverseMasses::Unit),
            accessed_bytes,
        );
        total.set_bytes = slots as f64 * 3.0 * WORD;
        let iterations = u64::from(step.substeps) * u64::from(step.iterations);
        let sweeps = iterations.div_ceil(ITERATIONS_PER_SWEEP);
        let sweeps_per_iteration = sweeps as f64 / (iterations as f64).max(1.0);
        total.swept_bytes = 2.0 * total.set_bytes * sweeps_per_iteration;
        total.per_stick(sheet.stick_count())
    }

    fn of_copies(lanes: usize, copies: &Copies, inverse_masses: &[f32], formula: Formula) -> Self {
        let (count, one) = (copies.count(), copies.one());
        let (groups, sticks) = (count.div_ceil(COPIES_PER_GROUP) as f64, one.sticks() as f64);
        // Each group is padded to whole registers, and only the last one has fewer copies.
        let padded_last_group = (count % COPIES_PER_GROUP).next_multiple_of(lanes);
        let padded_copies =
            (count / COPIES_PER_GROUP * COPIES_PER_GROUP + padded_last_group) as f64;
        let inverse_masses = &inverse_masses[..one.particles()];
        let most_frequent = most_frequent_bits(inverse_masses);
        let has_most_frequent =
            |&end: &u32| inverse_masses[end as usize].to_bits() == most_frequent;
        let equal =
            one.ends().iter().filter(|ends| ends.iter().all(has_most_frequent)).count() as f64;
        let mut total = Self::default();
        // Three coordinates of both ends, loaded and stored.
        let coordinate_bytes = 2.0 * 6.0 * WORD;
        let operations_of = |kind| operations::<3>(formula, kind);
        total.add(equal * padded_copies, operations_of(InverseMasses::Equal), coordinate_bytes);
        let any = InverseMasses::Any { weight: Weight::Computed };
        let accessed_bytes = coordinate_bytes + 2.0 * WORD; // with the inverse masses of both ends
        total.add((sticks - equal) * padded_copies, operations_of(any), accessed_bytes);
        // Five words: the rest term, and the index and the common inverse mass of each end.
        total.accessed_bytes += groups * sticks * 5.0 * WORD;
        let constant_bytes = (3.0 * sticks + inverse_masses.len() as f64) * WORD;
        let position_bytes = (3 * inverse_masses.len()) as f64 * WORD;
        total.swept_bytes = groups * constant_bytes + 2.0 * padded_copies * position_bytes;
        total.set_bytes =
            constant_bytes + padded_copies.min(COPIES_PER_GROUP as f64) * position_bytes;
        total.per_stick(one.sticks() * count)
    }

    fn of_indexed(
        kernel: &AnyKernel,
        arranged: &Arranged,
        formula: Formula,
        step: &Step<3>,
    ) -> Result<Self, PlanError> {
        let lanes = Kernel::<3>::lanes(kernel);
        let Arranged { particles, sticks, schedule, .. } = arranged;
        let program = Program::new(lanes, 1, particles, sticks, schedule, formula)?;
        // Both ends are read and written; the scalar kernel does not write the inverse mass.
        let accessed_record_bytes = if lanes == 1 { 14.0 * WORD } else { 16.0 * WORD };
        let mut total = Self::default();
        for slots in program.phases().flatten().flat_map(|task| program.task(task)) {
            let len = slots.a.len() as f64;
            let [accessed_indices, swept_indices] = match slots.access {
                Access::Scattered | Access::TwoScattered => [2.0, 2.0],
                Access::Runs => [0.0, 2.0],
                Access::Pairs | Access::InterleavedPairs => [0.0, 1.0],
                // The index of the centre is read once per star.
                Access::Stars => [1.0 + 1.0 / STAR_STICKS as f64; 2],
            };
            // `slots.inverse_mass` is the inverse mass of all ends, if they have the same.
            let any = InverseMasses::Any { weight: Weight::Stored };
            let inverse_masses =
                if slots.inverse_mass.is_some() { InverseMasses::Equal } else { any };
            let stored = inverse_masses == any && !slots.weight_term.is_empty();
            // The response to stretch, the response to compression, and the compliance.
            let non_plain = if slots.non_plain.is_some() { 3.0 } else { 0.0 };
            let constants = 1.0 + f64::from(u8::from(stored)) + non_plain;
            let operations = match inverse_masses {
                InverseMasses::Any { .. } => operations::<3>(formula, inverse_masses),
                _ => operations::<4>(formula, inverse_masses),
            };
            let accessed_bytes = accessed_record_bytes + (accessed_indices + constants) * WORD;
            total.add(len, operations, accessed_bytes);
            total.set_bytes += len * (swept_indices + constants) * WORD;
        }
        let record_bytes = (particles.len() * 4) as f64 * WORD;
        let mut phases = program.phases();
        let is_single_phase_of_tasks =
            phases.next().is_some_and(|tasks| tasks.len() > 1) && phases.next().is_none();
        let is_scalar = matches!(kernel.inner(), AnyKernel::Scalar(_));
        let runs_task_by_task = is_single_phase_of_tasks && !is_scalar;
        let iterations_per_sweep = if runs_task_by_task { step.iterations.max(1) } else { 1 };
        total.swept_bytes =
            (total.set_bytes + 2.0 * record_bytes) / f64::from(iterations_per_sweep);
        total.set_bytes += record_bytes;
        Ok(total.per_stick(sticks.len()))
    }

    /// Adds `lanes` lanes, each with these operations and accessed bytes.
    fn add(&mut self, lanes: f64, operations: Tally, accessed_bytes: f64) {
        let Tally { additions, multiplications, divisions, square_roots, estimates } = operations;
        self.arithmetic += lanes * (additions + multiplications + 2 * estimates) as f64;
        self.divisions += lanes * divisions as f64;
        self.square_roots += lanes * square_roots as f64;
        self.accessed_bytes += lanes * accessed_bytes;
    }

    /// Divides all values except `set_bytes` by the number of sticks.
    fn per_stick(self, sticks: usize) -> Self {
        let per_stick = 1.0 / (sticks as f64).max(1.0);
        Self {
            arithmetic: self.arithmetic * per_stick,
            divisions: self.divisions * per_stick,
            square_roots: self.square_roots * per_stick,
            accessed_bytes: self.accessed_bytes * per_stick,
            swept_bytes: self.swept_bytes * per_stick,
            set_bytes: self.set_bytes,
        }
    }
}

/// The bits of the most frequent value; if several are equally frequent, the smallest bits.
fn most_frequent_bits(values: &[f32]) -> u32 {
    let mut counts = BTreeMap::new();
    for value in values {
        *counts.entry(value.to_bits()).or_insert(0_usize) += 1;
    }
    let most_frequent = counts.into_iter().max_by_key(|&(bits, count)| (count, Reverse(bits)));
    most_frequent.map_or(0, |(bits, _)| bits)
}

/// Counts the operations of a stick that displaces `COMPONENTS` values at each end: 3 coordinates, or
/// all 4 values of a record.
fn operations<const COMPONENTS: usize>(formula: Formula, inverse_masses: InverseMasses) -> Tally {
    formula.dispatch(CountStick::<COMPONENTS>(inverse_masses))
}

/// Counts the operations of a stick by running the formula on numbers that count.
struct CountStick<const COMPONENTS: usize>(InverseMasses);

impl<const COMPONENTS: usize> WithFactor for CountStick<COMPONENTS> {
    type Output = Tally;

    fn with<F: Factor>(self) -> Tally {
        // Operations are counted, whatever the values are, so `a` and `b` stand for all operands.
        let tally = Cell::new(Tally::default());
        let [a, b] = [1.0_f32, 2.0].map(|value| Counted::new(value, &tally));
        if let InverseMasses::Any { weight } = self.0 {
            let is_stored = F::STORES_WEIGHT && weight == Weight::Stored;
            let weight_term = if is_stored { a } else { F::weight_term(a + a) };
            black_box(relax::<F, _, 3>([a; 3], [b; 3], [a; 2], a, weight_term, None));
            return tally.get();
        }
        let d = [(); COMPONENTS].map(|()| b - a);
        let mut scale = factor::<F, _>(squared_length([d[0], d[1], d[2]]), a, a, None);
        if self.0 == InverseMasses::Equal {
            scale = a * scale;
        }
        for difference in d {
            let displacement = difference * scale;
            black_box([a + displacement, b - displacement]);
        }
        tally.get()
    }
}
